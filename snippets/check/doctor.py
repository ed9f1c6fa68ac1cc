"""Find out why PyTorch does not see the GPU, and what to do next.

查清 PyTorch 为什么看不到 GPU，以及下一步做什么。
"""
# measures: yes
# exits: 0 1

import argparse
import json
import locale
import os
import platform
import re
import subprocess
import sys
import warnings

# zh: 每种诊断一条中文、一条英文。键名不会变，--json 里用的也是它们。
# en: A Chinese and an English text for each diagnosis. The keys will not
#   change: --json shows them too.
TEXTS = {
    "healthy": (
        "正常：每块可见的 GPU 都真正完成了一次小计算。",
        "Healthy: every visible GPU really did a small computation.",
    ),
    "torch-missing": (
        "这个 Python 里没有安装 PyTorch。装上它，或换用装了它的环境。",
        "This Python has no PyTorch. Install it, or use another environment.",
    ),
    "torch-broken": (
        "导入 torch 失败。若导入的是你自己的 torch.py，给它改名；否则重装。",
        "Importing torch fails. Is it your own torch.py? If not, reinstall it.",
    ),
    "cpu-only-build": (
        "这是 CPU 版，用不了任何显卡。有 NVIDIA 显卡就换成 CUDA 版。",
        "A CPU-only build: it can use no GPU. For an NVIDIA card, install a "
        "CUDA build.",
    ),
    "no-driver": (
        "没有 NVIDIA 驱动应答。先让 nvidia-smi 正常工作。容器用宿主机的驱动，"
        "要加 --gpus all 启动；WSL 用 Windows 的驱动。",
        "No NVIDIA driver answers. First make nvidia-smi work. A container has "
        "the host's driver (start it with --gpus all), WSL that of Windows.",
    ),
    "driver-too-old": (
        "驱动太旧，带不动这个 PyTorch。升级驱动：CUDA 13 版要 580 以上，"
        "CUDA 12 版要 525 以上。或换驱动带得动的版本。",
        "The driver is too old for this PyTorch. Update it (CUDA 13 builds "
        "need 580, CUDA 12 builds 525), or install a build that it can run.",
    ),
    "hidden-devices": (
        "GPU 被 CUDA_VISIBLE_DEVICES 藏起来了。去掉它，并找出是谁设置的。",
        "CUDA_VISIBLE_DEVICES hides the GPU. Unset it, and find who sets it.",
    ),
    "gpu-newer-than-build": (
        "GPU 比这个 PyTorch 新，里面没有它的代码。换更新的 CUDA 版。",
        "The GPU is newer than this PyTorch. Take a build for a newer CUDA.",
    ),
    "gpu-older-than-build": (
        "GPU 比这个 PyTorch 旧，里面没有它的代码。换仍支持它的 CUDA 版。",
        "The GPU is older than this PyTorch. Take a build that still has it.",
    ),
    "no-device": (
        "驱动没有给这个进程任何 GPU。看看容器、作业调度器或 MIG 的设置。",
        "The driver gives this process no GPU. Look at the settings of the "
        "container, the job scheduler or MIG.",
    ),
    "forward-compatibility": (
        "驱动库与这里的驱动或显卡不配（错误 804）。升级宿主机驱动，"
        "或换 CUDA 更低的镜像，或从 LD_LIBRARY_PATH 去掉 cuda/compat。",
        "The driver library does not suit the driver or card (error 804). "
        "Update the host's driver, use an image with an older CUDA, or take "
        "cuda/compat out of LD_LIBRARY_PATH.",
    ),
    "cuda-init-error": (
        "CUDA 启动失败，原因见报错。升级驱动后没有重启过的话，先重启。",
        "CUDA does not start: see the error. If the driver was updated and the "
        "machine not restarted, restart it.",
    ),
    "computation-failed": (
        "PyTorch 看得到 GPU，但计算失败。报错是显存不足时，看谁占着显存。",
        "PyTorch sees the GPU but cannot compute on it. If it is out of "
        "memory, see who has it.",
    ),
    "other-backend": (
        "这个 PyTorch 不用 CUDA（ROCm、XPU 或 Mac），没有坏，但没有找到 GPU。",
        "This PyTorch is not for CUDA (ROCm, XPU or a Mac). It is not broken, "
        "but found no GPU.",
    ),
    "unknown": (
        "这些事实不足以判断。求助时连同下面命令的输出一起贴出来。",
        "These facts do not decide it. Ask for help, and post what the command "
        "below prints.",
    ),
}
OLD_PYTHON = (
    "这个 Python 太旧：PyTorch 2.13 需要 3.10 以上。",
    " This Python is too old: PyTorch 2.13 needs 3.10 or newer.",
)


def collect() -> dict:
    """Gather the facts of this machine. Judges nothing, changes nothing."""
    torch, gpu = ask_torch()
    marks = ("/.dockerenv", "/run/.containerenv")
    facts = {
        "schema": 1,
        "os": platform.system(),
        "wsl": "microsoft" in platform.release().lower(),
        "container": any(map(os.path.exists, marks)),
        "python": platform.python_version(),
        "interpreter": sys.executable,
        "visible_devices": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "torch": torch,
        "driver": ask_driver(),
        "gpu": gpu,
    }
    return without_user_names(facts)


def ask_torch() -> tuple:
    """What torch says of itself, and of the GPUs it can use: two dicts."""
    build = {"state": "ok", "version": None, "error": None, "arch_list": []}
    gpu = {"backend": None, "devices": [], "error": None, "unhidden": None}
    try:
        import torch

        build["version"] = str(torch.__version__)
        for key in ("cuda", "hip", "xpu"):
            build[key] = getattr(torch.version, key, None)
    except Exception as error:
        missing = isinstance(error, ImportError) and error.name == "torch"
        build["state"] = "missing" if missing else "broken"
        build["error"] = describe(error)
        return build, dict(gpu, advice=[])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        build["arch_list"] = getattr(torch.cuda, "get_arch_list", list)()
        gpu["error"] = attempt(lambda: ask_gpus(torch, gpu))
    said = " ".join(str(warning.message) for warning in caught)
    advice = re.findall(r"pip install torch==\S+ --index-url \S+", said)
    return build, dict(gpu, advice=advice)


def ask_gpus(torch, gpu: dict) -> None:
    """Fill in `gpu`. Raises the error that keeps CUDA from starting."""
    kind, count = usable_devices(torch)
    gpu["backend"] = "rocm" if kind == "cuda" and torch.version.hip else kind
    gpu["devices"] = [compute(torch, kind, index) for index in range(count)]
    if torch.version.cuda and not count:
        gpu["unhidden"] = count_unhidden()
        # zh: is_available() 只会说 False；init() 才说出原因。
        # en: is_available() only says False; init() says why.
        torch.cuda.init()


def usable_devices(torch) -> tuple:
    """The type of device that torch can use here, and how many there are."""
    if torch.cuda.is_available():
        return "cuda", torch.cuda.device_count()
    accelerator = getattr(torch, "accelerator", None)
    if accelerator and accelerator.is_available():
        kind = accelerator.current_accelerator().type
        return kind, accelerator.device_count()
    mps = getattr(torch.backends, "mps", None)
    return ("mps", 1) if mps and mps.is_available() else (None, 0)


def compute(torch, kind: str, index: int) -> dict:
    """Multiply two small matrices on one device and check the result."""
    facts = {"name": kind, "capability": None}

    def multiply() -> None:
        module = getattr(torch, kind, None)
        if hasattr(module, "get_device_name"):
            facts["name"] = module.get_device_name(index)
        if kind == "cuda" and not torch.version.hip:
            pair = torch.cuda.get_device_capability(index)
            facts["capability"] = "{}.{}".format(*pair)
        ones = torch.ones(8, 8, device=f"{kind}:{index}")
        total = (ones @ ones + 1).sum().item()
        if total != 8 * 8 * 9:
            raise ArithmeticError(f"a sum of 576 came out as {total}")

    facts["error"] = attempt(multiply)
    facts["works"] = facts["error"] is None
    return facts


def count_unhidden() -> object:
    """How many GPUs a process without CUDA_VISIBLE_DEVICES sees, if known."""
    environment = dict(os.environ)
    if environment.pop("CUDA_VISIBLE_DEVICES", None) is None:
        return None
    code = "import torch; torch.cuda.init(); print(torch.cuda.device_count())"
    state, text = run([sys.executable, "-c", code], environment)
    count = text.split()[-1:]
    return int(count[0]) if state == "ok" and count[0].isdigit() else None


def ask_driver() -> dict:
    """What nvidia-smi says: it needs neither torch nor a CUDA Toolkit."""
    facts = {"state": "absent", "version": None, "cuda": None, "gpus": []}
    for program in ("nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi"):
        facts["state"], text = run([program])
        if facts["state"] != "absent":
            break
    facts["error"] = None if facts["state"] == "ok" else shorten(text)
    if facts["state"] != "ok":
        return facts
    # zh: 驱动 610 起，这两栏叫 KMD Version 和 CUDA UMD Version。
    # en: From driver 610 on these are KMD Version and CUDA UMD Version.
    labels = {"version": "(?:Driver|KMD)", "cuda": "CUDA(?: UMD)?"}
    for key, label in labels.items():
        found = re.search(label + r" Version\s*:\s*(\d[\d.]*)", text)
        facts[key] = found and found.group(1)
    # zh: 旧驱动不认识 compute_cap，那就不问它。
    # en: Old drivers reject the field compute_cap: then ask without it.
    for last in (",compute_cap", ""):
        query = "--query-gpu=name,driver_version,memory.total" + last
        state, text = run([program, query, "--format=csv,noheader"])
        if state == "ok":
            facts["gpus"] = parse_gpus(text)
            break
    return facts


def parse_gpus(text: str) -> list:
    """A dict for each line "name, driver version, memory[, capability]"."""
    gpus = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")] + [""]
        if len(cells) >= 4 and re.match(r"\d+\.\d", cells[1]):
            gpu = {"name": cells[0], "driver": cells[1], "memory": cells[2]}
            number = re.match(r"\d+\.\d+$", cells[3])
            gpus.append(dict(gpu, capability=number and number.group()))
    return gpus


def run(command: list, environment=None) -> tuple:
    """Run a program for at most a minute: its state and all that it said."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=60, env=environment,
        )
    except subprocess.TimeoutExpired:
        return "failed", "no answer within 60 s"
    except FileNotFoundError:
        return "absent", "not found"
    except OSError as error:
        return "failed", describe(error)
    text = done.stdout.decode("utf-8", "replace")
    return ("failed" if done.returncode else "ok"), text


def attempt(action) -> object:
    """Do it: None where that went well, else the error as one line."""
    try:
        action()
    except Exception as error:
        return describe(error)
    return None


def describe(error: Exception) -> str:
    return shorten(f"{type(error).__name__}: {error}")


def shorten(text: str) -> str:
    return " ".join(text.split())[:600]


def without_user_names(value):
    """The same facts with home folders as ~: people post them in public."""
    if isinstance(value, dict):
        return {key: without_user_names(value[key]) for key in value}
    if isinstance(value, list):
        return [without_user_names(item) for item in value]
    if isinstance(value, str):
        home = os.path.expanduser("~")
        value = value.replace(home, "~") if len(home) > 3 else value
        return re.sub(r"(\b\w:)?[\\/](home|Users)[\\/][^\\/\s'\"]+", "~", value)
    return value


def diagnose(facts: dict) -> dict:
    """Judge the facts: the code of one diagnosis, why, and what to run next."""
    code = verdict(facts)
    version = tuple(int(part) for part in facts["python"].split(".")[:2])
    return {
        "code": code,
        "healthy": code == "healthy",
        "python_too_old": version < (3, 10),
        "why": evidence(facts),
        "next": commands(facts, code),
    }


def verdict(facts: dict) -> str:
    """The code of the diagnosis; "unknown" where the facts do not decide."""
    torch, driver, gpu = facts["torch"], facts["driver"], facts["gpu"]
    error, refusal = gpu["error"] or "", driver["error"] or ""
    if torch["state"] != "ok":
        return "torch-" + torch["state"]
    failed = [device for device in gpu["devices"] if not device["works"]]
    for device in failed:
        relation = compare(device["capability"], torch["arch_list"])
        if relation:
            return f"gpu-{relation}-than-build"
    if gpu["devices"]:
        return "computation-failed" if failed else "healthy"
    if torch["hip"] or torch["xpu"] or facts["os"] == "Darwin":
        return "other-backend"
    if not torch["cuda"]:
        return "cpu-only-build"
    if gpu["unhidden"]:
        return "hidden-devices"
    for text, source, code in (
        ("communicate with the NVIDIA driver", refusal, "no-driver"),
        ("version mismatch", refusal, "cuda-init-error"),
        ("driver on your system is too old", error, "driver-too-old"),
        ("No CUDA GPUs are available", error, "no-device"),
        ("Error 804", error, "forward-compatibility"),
        ("cudaGetDeviceCount()", error, "cuda-init-error"),
        ("CUDA driver initialization failed", error, "cuda-init-error"),
        ("CUDA unknown error", error, "cuda-init-error"),
    ):
        if text in source:
            return code
    # zh: nvidia-smi 应答，torch 却找不到驱动：两者矛盾，不下结论。
    # en: If nvidia-smi answers but torch finds no driver, nothing is decided.
    if "Found no NVIDIA driver" in error or not error:
        return "unknown" if driver["state"] == "ok" else "no-driver"
    return "unknown"


def compare(capability, arch_list: list) -> object:
    """"newer" or "older": a GPU that no code in the build can run on."""
    if not capability or not arch_list:
        return None
    gpu = tuple(int(part) for part in capability.split("."))
    codes = []
    for arch in arch_list:
        kind, number, suffix = re.match(r"([a-z]+)_(\d+)(\w?)", arch).groups()
        code = divmod(int(number), 10)
        # zh: sm_XY 只能在同一主版本上、从该次版本起运行；compute_XY（PTX）
        #   能在更新的卡上运行；后缀 a 只认一个型号，f 只认一个主版本。
        # en: sm_XY runs on its major version from that minor on, compute_XY
        #   (PTX) on newer GPUs too; a suffix a means that one GPU alone, f
        #   that major version alone.
        anywhere = kind == "compute" and not suffix
        later = code < gpu and suffix != "a"
        if code == gpu or (later and (anywhere or code[0] == gpu[0])):
            return None
        codes.append(code)
    if gpu > max(codes):
        return "newer"
    return "older" if gpu < min(codes) else None


def evidence(facts: dict) -> list:
    """What the diagnosis rests on: facts, the same in every language."""
    torch, driver, gpu = facts["torch"], facts["driver"], facts["gpu"]
    lines = [torch["error"]]
    if torch["state"] == "ok" and not gpu["devices"]:
        lines.append(f"torch.version.cuda = {torch['cuda']}")
    for index, device in enumerate(gpu["devices"]):
        outcome = "OK" if device["works"] else device["error"]
        lines.append(f"{gpu['backend']} {index}: {outcome}")
        if not device["works"] and torch["arch_list"]:
            lines.append(f"compute capability = {device['capability']}")
            lines.append("arch list = " + " ".join(torch["arch_list"]))
    if facts["visible_devices"] is not None:
        lines.append(f"CUDA_VISIBLE_DEVICES = {facts['visible_devices']!r}")
    if gpu["unhidden"] is not None:
        lines.append(f"device_count() without it = {gpu['unhidden']}")
    lines.append(gpu["error"])
    if driver["state"] == "ok":
        lines.append(f"nvidia-smi: driver for CUDA <= {driver['cuda']}")
    elif not gpu["devices"]:
        lines.append(f"nvidia-smi: {driver['error']}")
    return [line for line in lines if line]


def commands(facts: dict, code: str) -> list:
    """What to run next."""
    windows, driver = facts["os"] == "Windows", facts["driver"]
    remove = "python -m pip uninstall -y torch"
    install = "python -m pip install torch"
    index = wheel_index(driver)
    if code == "healthy":
        return []
    if code == "torch-missing":
        return [install + index]
    if code == "torch-broken":
        find = "import importlib.util as u; print(u.find_spec('torch').origin)"
        return [f'python -c "{find}"']
    if code.startswith("gpu-") and facts["gpu"]["advice"]:
        return [remove, "python -m " + facts["gpu"]["advice"][0]]
    if index and code.startswith(("cpu-", "driver-", "gpu-")):
        return [remove, install + index]
    if code == "hidden-devices":
        unset = "Remove-Item Env:" if windows else "unset "
        return [unset + "CUDA_VISIBLE_DEVICES"]
    if code == "forward-compatibility":
        return ['echo "$LD_LIBRARY_PATH"']
    if code in ("unknown", "other-backend", "cuda-init-error"):
        return ["python -m torch.utils.collect_env"]
    if driver["state"] == "absent" and windows:
        return ["Get-CimInstance Win32_VideoController | Select-Object Name"]
    if driver["state"] == "absent" and not facts["wsl"]:
        return ["lspci | grep -i nvidia"]
    return ["nvidia-smi"]


def wheel_index(driver: dict) -> str:
    """The pip option for a CUDA build that suits driver and cards, or ""."""
    newest = int((driver["cuda"] or "0").split(".")[0])
    cards = [float(gpu["capability"] or 8) for gpu in driver["gpus"]]
    url = " --index-url https://download.pytorch.org/whl/"
    if newest >= 13 and all(card >= 7.5 for card in cards):
        return url + "cu130"
    return url + "cu126" if newest >= 12 and max([*cards, 0]) < 10 else ""


def report(facts: dict, found: dict, zh: bool) -> list:
    """The lines that a reader sees."""
    torch, driver = facts["torch"], facts["driver"]
    lines = [
        f"Python   {facts['python']}  {facts['interpreter']}",
        f"PyTorch  {torch['version'] or torch['state']}",
        f"Driver   {driver['version'] or 'nvidia-smi: ' + driver['error']}",
    ]
    for gpu in driver["gpus"]:
        lines.append("GPU      {name}  {memory}  {capability}".format(**gpu))
    lines += ["", ("诊断：" if zh else "Diagnosis: ") + found["code"]]
    lines += [found["text"], "", "依据：" if zh else "Why:"]
    lines += ["  " + line for line in found["why"]]
    if found["next"]:
        lines += ["", "下一步：" if zh else "Next:"]
        lines += ["  " + line for line in found["next"]]
    return lines


def wants_chinese(lang) -> bool:
    """By request, else by locale; never where the console cannot show it."""
    try:
        "诊断".encode(sys.stdout.encoding or "utf-8")
    except UnicodeError:
        return False
    names = [os.environ.get(k) for k in ("LC_ALL", "LC_MESSAGES", "LANG")]
    names = [lang, *names, locale.getlocale()[0]]
    first = next((name for name in names if name), "")
    return first.lower().startswith(("zh", "chinese"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Why is there no GPU?")
    parser.add_argument("--lang", choices=("zh", "en"))
    parser.add_argument("--json", action="store_true", help="for programs")
    options = parser.parse_args()
    zh = wants_chinese(options.lang)
    facts = collect()
    found = diagnose(facts)
    found["text"] = TEXTS[found["code"]][0 if zh else 1]
    if found["python_too_old"]:
        found["text"] += OLD_PYTHON[0 if zh else 1]
    lines = report(facts, found, zh)
    if options.json:
        del facts["interpreter"]
        lines = [json.dumps({"facts": facts, "diagnosis": found}, indent=2)]
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(line.encode(encoding, "backslashreplace").decode(encoding))
    return 0 if found["healthy"] else 1


if __name__ == "__main__":
    sys.exit(main())
