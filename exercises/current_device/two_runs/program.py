import os
import sys


def command(gpu):
    """Environment and command of a run that sees GPU `gpu` and no other."""
    environment = dict(os.environ)
    environment["CUDA_VISIBLE_DEVICES"] = str(gpu)
    return environment, [sys.executable, "train.py", "--device", f"cuda:{gpu}"]


for gpu in range(2):
    environment, arguments = command(gpu)
    print(environment["CUDA_VISIBLE_DEVICES"], arguments[1:])
    # subprocess.Popen(arguments, env=environment)
