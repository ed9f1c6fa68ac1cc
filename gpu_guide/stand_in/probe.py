"""What PyTorch says on this machine, call by call: a line of JSON for each, written at once.

The first line names the versions. The calls are those of a reader who looks for the reason:
`is_available()`, `init()`, a first tensor, waiting for the GPU, reading what was computed, and then
a second tensor, which shows whether the GPU works again. It runs in the Python of a CUDA build and
needs torch alone.
"""

import json
import platform
import warnings


def main() -> None:
    """Make the calls one after the other, whatever becomes of those before."""
    import torch

    versions = {
        "torch": str(torch.__version__),
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    print(json.dumps(versions), flush=True)
    tensors = {}

    def tensor(name: str) -> None:
        tensors[name] = torch.ones(2, device="cuda")

    def read(name: str) -> None:
        tensors[name].sum().item()

    steps = {
        "torch.cuda.is_available()": torch.cuda.is_available,
        "torch.cuda.init()": torch.cuda.init,
        "x = torch.ones(2, device='cuda')": lambda: tensor("x"),
        "torch.cuda.synchronize()": torch.cuda.synchronize,
        "x.sum().item()": lambda: read("x"),
        "y = torch.ones(2, device='cuda')": lambda: tensor("y"),
        "y.sum().item()": lambda: read("y"),
    }
    for call, run in steps.items():
        if call.endswith(".item()") and call[0] not in tensors:
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = run()
                end = "works" if result is None else repr(result)
            except Exception as error:
                end = f"{type(error).__name__}: {error}"
        said = [f"{warning.category.__name__}: {warning.message}" for warning in caught]
        print(json.dumps([call, [*said, end]]), flush=True)


if __name__ == "__main__":
    main()
