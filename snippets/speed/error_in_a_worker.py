"""An error in a worker names the worker; num_workers=0 is for debugging.

工作进程里的报错会说是哪个进程；调试时用 num_workers=0。
"""

from torch.utils.data import DataLoader, Dataset


class OneIsBroken(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 2:
            raise ValueError(f"cannot read number {index}")
        return index


if __name__ == "__main__":
    for num_workers in (1, 0):
        try:
            list(DataLoader(OneIsBroken(), num_workers=num_workers))
        except ValueError as error:
            lines = str(error).splitlines()
            print(f"num_workers={num_workers}:", lines[0])
            #> num_workers=1: Caught ValueError in DataLoader worker process 0.
            #> num_workers=0: cannot read number 2
            print(f"num_workers={num_workers}:", lines[-1])
            #> num_workers=1: ValueError: cannot read number 2
            #> num_workers=0: cannot read number 2
