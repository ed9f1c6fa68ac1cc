"""Which network NCCL chose, on every rank: from the log of NCCL_DEBUG=INFO.

每个 rank 上 NCCL 选了哪种网络：从 NCCL_DEBUG=INFO 的日志里看。
"""

import re

log = """
node0:812:901 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB
node0:813:902 [1] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB
node1:744:833 [0] NCCL INFO NET/Socket : Using [0]docker0:172.17.0.1<0>
node1:745:834 [1] NCCL INFO NET/Socket : Using [0]docker0:172.17.0.1<0>
"""
LINE = re.compile(r"(\S+?):\d+:\d+ \[(\d+)\] .*NET/(\w+) : Using (.*)")

networks = set()
for line in log.strip().splitlines():
    # zh: 含有 NET/ 的还有其他行，例如每条通道的，跳过。
    # en: Other lines contain NET/ as well, such as those of the channels.
    if not (match := LINE.search(line)):
        continue
    host, gpu, network, interfaces = match.groups()
    names = re.findall(r"\[\d+\]([^:]+)", interfaces)
    networks.add(network)
    print(f"{host}, GPU {gpu}: {network} over {' '.join(names)}")
    #> node0, GPU 0: IB over mlx5_0 mlx5_1
    #> node0, GPU 1: IB over mlx5_0 mlx5_1
    #> node1, GPU 0: Socket over docker0
    #> node1, GPU 1: Socket over docker0
if len(networks) > 1:
    print("not the same everywhere:", *sorted(networks))
    #> not the same everywhere: IB Socket
