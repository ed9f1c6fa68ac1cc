"""torchft: one replica group dies, the other goes on, and a new one catches up.

torchft：一个副本组被杀掉，另一个接着训练，重新启动的再跟上。
"""
# needs: torchft

import multiprocessing
import os
import signal

import torch
from torch import nn
from torch.distributed import TCPStore
from torchft import Manager, Optimizer, ProcessGroupGloo
from torchft.coordination import LighthouseServer


class ReplicaGroup:
    """A whole model, and a manager that keeps it equal to the other groups'."""

    # zh: 一份完整的模型，和让它与其他组保持一致的 manager。

    def __init__(self, name, lighthouse):
        self.net = nn.Linear(4, 1)
        # zh: 用 torchrun 启动时，最后四个参数由它通过环境变量提供。
        # en: Under torchrun, the last four come from environment variables.
        self.store = TCPStore("localhost", 0, is_master=True)
        self.manager = Manager(
            pg=ProcessGroupGloo(),
            state_dict=self.state_dict,
            load_state_dict=self.load_state_dict,
            min_replica_size=1,
            replica_id=name,
            lighthouse_addr=lighthouse,
            rank=0,
            world_size=1,
            store_addr="localhost",
            store_port=self.store.port,
        )
        adam = torch.optim.Adam(self.net.parameters())
        self.optimizer = Optimizer(self.manager, adam)

    def state_dict(self):
        adam = self.optimizer.state_dict()
        return {"net": self.net.state_dict(), "adam": adam}

    def load_state_dict(self, state):
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["adam"])

    def weight(self):
        return self.net.weight.tolist()

    def step(self):
        """Train one step: how many groups took part, and whether it counts."""
        # zh: 训练一步：有几个组参加，这一步算不算数。
        x = torch.rand(8, 4)
        # zh: 这里开始一步：向 Lighthouse 查询现在有哪些组。
        # en: The step begins here: the lighthouse tells which groups there are.
        self.optimizer.zero_grad()
        (self.net(x) - x.sum(1, keepdim=True)).square().mean().backward()
        # zh: 在各组之间求梯度的平均。出了错不抛出异常，只记下来。
        # en: The mean over the groups. An error is noted instead of raised.
        for parameter in self.net.parameters():
            self.manager.allreduce(parameter.grad).wait()
        before = self.manager.current_step()
        # zh: 如果记下了错误，就不更新参数，这一步不算数。
        # en: After an error, nothing is updated and the step does not count.
        self.optimizer.step()
        groups = self.manager.num_participants()
        return groups, self.manager.current_step() > before

    def train_together(self, steps):
        """Train until so many steps of both groups have counted."""
        # zh: 训练到两个组都有这么多步算数为止。
        while steps:
            if self.step() == (2, True):
                steps -= 1


def second_group(lighthouse, pipe, dies):
    group = ReplicaGroup("1", lighthouse)
    pipe.send(group.weight())
    group.train_together(steps=3)
    if dies:
        # zh: 已经算作下一步的成员，却在求平均之前被杀掉。
        # en: It is counted in for the next step, but killed before the mean.
        group.optimizer.zero_grad()
        group.manager.wait_quorum()
        os.kill(os.getpid(), signal.SIGKILL)
    pipe.send((group.manager.current_step(), group.weight()))
    group.manager.shutdown()


def start_second_group(lighthouse, dies):
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    arguments = lighthouse, theirs, dies
    context.Process(target=second_group, args=arguments, daemon=True).start()
    theirs.close()
    return ours


if __name__ == "__main__":
    # zh: 在集群上，改用 torchft_lighthouse 命令启动它。
    # en: On a cluster, the command torchft_lighthouse starts it.
    lighthouse = LighthouseServer(bind="[::]:0", min_replicas=1)
    group = ReplicaGroup("0", lighthouse.address())
    print("alone:", group.step())
    #> alone: (1, True)

    start_second_group(lighthouse.address(), dies=True).recv()
    group.train_together(steps=3)
    print("the second group dies:", group.step())
    #> the second group dies: (2, False)
    print("the same step again:", group.step())
    #> the same step again: (1, True)

    pipe = start_second_group(lighthouse.address(), dies=False)
    print("new group, same weights:", pipe.recv() == group.weight())
    #> new group, same weights: False
    group.train_together(steps=3)
    step, weight = pipe.recv()
    print("later, same step:", step == group.manager.current_step())
    #> later, same step: True
    print("later, same weights:", weight == group.weight())
    #> later, same weights: True

    group.manager.shutdown()
    lighthouse.shutdown()
