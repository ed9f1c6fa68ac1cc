"""A mesh puts the ranks into rows and columns, and makes a group of each.

网格把 rank 排成行和列，每一行、每一列各成一个组。
"""

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

# zh: “fake”后端：一个进程，假装是 8 个里的 6 号；能看布局，不做通信。
# en: The "fake" backend: one process plays rank 6 of 8; it shows the layout
#   and communicates nothing.
dist.init_process_group("fake", rank=6, world_size=8)

mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("data", "tensor"))
for row in mesh.mesh.tolist():
    print(row)
    #> [0, 1, 2, 3]
    #> [4, 5, 6, 7]

rank, ranks = dist.get_rank(), dist.get_world_size()
print("rank", rank, "of", ranks, "is at", mesh.get_coordinate())
#> rank 6 of 8 is at (1, 2)
for name in mesh.mesh_dim_names:
    group = mesh.get_group(name)
    ranks = dist.get_process_group_ranks(group)
    print(name, ranks, "my rank in it:", dist.get_rank(group))
    #> data [2, 6] my rank in it: 1
    #> tensor [4, 5, 6, 7] my rank in it: 2

# zh: 不靠网格也能建组：每个 rank 都要调用，组外的 rank 也要。
# en: A group without a mesh: every rank calls this, members or not.
for members in ([0, 6], [0, 1]):
    group = dist.new_group(members)
    print(members, "my rank in it:", dist.get_rank(group))
    #> [0, 6] my rank in it: 1
    #> [0, 1] my rank in it: -1

dist.destroy_process_group()
