"""A spawned worker imports your script again: guard what starts it.

spawn 出来的工作进程会重新导入你的脚本：启动的代码要放在保护之内。
"""

from torch.utils.data import DataLoader, Dataset

seen_as = __name__


class Name(Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return seen_as


# zh: 在工作进程里 __name__ 不是 "__main__"，这一段就不会再跑。
# en: In a worker __name__ is not "__main__", so this does not run there.
if __name__ == "__main__":
    print("main process:", seen_as)
    #> main process: __main__
    loader = DataLoader(Name(), num_workers=1, multiprocessing_context="spawn")
    print("worker:", next(iter(loader))[0])
    #> worker: __mp_main__
