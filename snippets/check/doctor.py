"""Find out why PyTorch does not see the GPU, and what to do next.

查清 PyTorch 为什么看不到 GPU，以及下一步做什么。
"""
# measures: yes
# exits: 0 1 2

import argparse
import contextlib
import datetime
import importlib.metadata
import importlib.util
import json
import locale
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import warnings

# zh: 哪些 wheel 存在、各自支持哪些架构、需要什么驱动。带 ? 的版本没有人在索引里
#   核实过，所以不推荐。
# en: Which builds exist, what each runs on, and the driver that it needs.
#   Nobody has seen a release with a ? in the index, so it is not proposed.

# zh: --- 数据：从 data/wheels.yml 抄来，不在这里改 ---
# en: --- data: copied from data/wheels.yml, not edited here ---
READ = "2026-11-27"
DRIVERS = {
    13: ("580", "580"),
    12: ("525", "528.33"),
    11: ("450", "452.39"),
}
CARD_DRIVERS = {
    "10.0": "570",
    "10.3": "570",
    "12.0": "570",
    "12.1": "570",
}
LAST_DRIVERS = {
    "5.0": "580",
    "5.2": "580",
    "6.0": "580",
    "6.1": "580",
    "7.0": "580",
}
BOARDS = {
    "5.3": "",
    "6.2": "",
    "7.2": "13.2",
    "8.7": "13.2",
}
PYTHONS = {
    "2.15": "3.11 3.12 3.13 3.14 3.14t 3.15 3.15t",
    "2.14": "3.10 3.11 3.12 3.13 3.14 3.14t",
    "2.13": "3.10 3.11 3.12 3.13 3.14 3.14t",
    "2.12": "3.10 3.11 3.12 3.13 3.14 3.14t",
    "2.11": "3.10 3.11 3.12 3.13 3.13t 3.14 3.14t",
    "2.10": "3.10 3.11 3.12 3.13 3.13t 3.14 3.14t",
    "2.9": "3.10 3.11 3.12 3.13 3.13t 3.14 3.14t",
    "2.8": "3.9 3.10 3.11 3.12 3.13 3.13t",
    "2.7": "3.9 3.10 3.11 3.12 3.13 3.13t",
    "2.6": "3.9 3.10 3.11 3.12 3.13",
}
TORCHAUDIO = {
    "2.15": "2.11.0",
    "2.14": "2.11.0",
    "2.13": "2.11.0",
    "2.12": "2.11.0",
    "2.11": "2.11.0",
    "2.10": "2.10.0",
    "2.9": "2.9.1",
    "2.8": "2.8.0",
    "2.7": "2.7.1",
    "2.6": "2.6.0",
}
BUILDS = (
    ("13.2", "2.15", "7.5 8.0 8.6 9.0 10.0 12.0", "8.0 9.0 10.0 11.0 12.0"),
    (
        "13.2",
        "2.14 2.13 2.12",
        "7.5 8.0 8.6 9.0 10.0 12.0+PTX",
        "8.0 9.0 10.0 11.0 12.0+PTX",
    ),
    ("13.0", "2.15?", "7.5 8.0 8.6 9.0 10.0 12.0", "8.0 9.0 10.0 11.0 12.0"),
    (
        "13.0",
        "2.14 2.13 2.12 2.11",
        "7.5 8.0 8.6 9.0 10.0 12.0+PTX",
        "8.0 9.0 10.0 11.0 12.0+PTX",
    ),
    ("13.0", "2.10 2.9", "7.5 8.0 8.6 9.0 10.0 12.0+PTX", ""),
    ("12.9", "2.13?", "7.5 8.0 8.6 9.0 10.0 12.0", "8.0 9.0 10.0 12.0"),
    ("12.9", "2.8", "7.0 7.5 8.0 8.6 9.0 10.0 12.0+PTX", ""),
    ("12.8", "2.11", "7.5 8.0 8.6 9.0 10.0 12.0", "8.0 9.0 10.0 12.0"),
    ("12.8", "2.10 2.9 2.8", "7.0 7.5 8.0 8.6 9.0 10.0 12.0", ""),
    ("12.8", "2.7", "7.5 8.0 8.6 9.0 10.0 12.0+PTX", ""),
    ("12.6", "2.14 2.13 2.12 2.11", "5.0 6.0 7.0 7.5 8.0 8.6 9.0", "8.0 9.0"),
    ("12.6", "2.10 2.9 2.8 2.7 2.6", "5.0 6.0 7.0 7.5 8.0 8.6 9.0", ""),
    ("12.4", "2.6", "5.0 6.0 7.0 7.5 8.0 8.6 9.0", ""),
    ("11.8", "2.7 2.6", "3.7 5.0 6.0 7.0 7.5 8.0 8.6 9.0", ""),
)
# zh: --- 数据到此为止 ---
# en: --- end of the data ---

WHEELS = "https://download.pytorch.org/whl/"
# zh: 第三方包多数已支持的 Python；现在的不能用时，就建议离它最近的版本。
# en: The Python that most packages support. When the present one will not do,
#   the version nearest to it is proposed.
USUAL_PYTHON = 13
# zh: 一步最多等多少秒。显卡坏了的时候，有的调用永远不返回。
# en: The seconds that a step may take. With a broken GPU some calls never
#   return.
SECONDS = {"torch": 180, "count": 120, "nvidia-smi": 60}
MARK = "doctor-step: "

# zh: ==== 事实：在这里收集。torch 和 nvidia-smi 都在限时的子进程里运行。
# en: ==== Facts: gathered here. torch and nvidia-smi run in child processes
#   with a time limit.

# zh: 全部事实和它们的默认值。缺了哪一项，就用默认值判断。
# en: All facts and their defaults. Where a fact is missing, the default is
#   judged.
GPU = {"name": "", "capability": None, "memory": ""}
DEVICE = {"name": "", "capability": None, "works": False, "error": None}
COPY = {"version": "", "by": ""}
COMPANION = {"name": "", "version": "", "needs": None}
PROCESS = {"pid": 0, "name": "", "own": False}
FACTS = {
    "schema": 3,
    "os": "",
    "machine": "",
    "distribution": "",
    "libc": "",
    "wsl": False,
    "container": False,
    "jetson": False,
    "python": "",
    "free_threaded": False,
    "bits": 64,
    "interpreter": "",
    "command": "python",
    "installer": "pip",
    "managed": False,
    "packages": [],
    "copies": [COPY],
    "conda": False,
    "companions": [COMPANION],
    "npu": False,
    "visible_devices": None,
    "library_path": None,
    "job": None,
    "modules": [],
    "secure_boot": False,
    "adapters": [],
    "prime": None,
    "linux_libcuda": None,
    "denied": [],
    "group": None,
    "torch": {
        "state": "missing",
        "version": None,
        "cuda": None,
        "hip": None,
        "xpu": None,
        "arch_list": [],
        "origin": None,
        "own_file": False,
        "error": None,
    },
    "gpu": {"backend": None, "devices": [DEVICE], "error": None},
    "unhidden": None,
    "stopped": {"step": None, "how": None},
    "driver": {
        "state": "absent",
        "version": None,
        "cuda": None,
        "no_libcuda": False,
        "mig_empty": False,
        "gpus": [GPU],
        "processes": [PROCESS],
        "error": None,
    },
}


def collect() -> dict:
    """Gather the facts of this machine. Judges nothing, changes nothing."""
    facts = {
        "schema": FACTS["schema"],
        "os": platform.system(),
        "machine": platform.machine().lower(),
        "distribution": distribution(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "wsl": "microsoft" in platform.release().lower(),
        "container": in_container(),
        "jetson": os.path.exists("/etc/nv_tegra_release"),
        "python": platform.python_version(),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "interpreter": sys.executable or "",
        "command": python_command(),
        "installer": "pip" if importlib.util.find_spec("pip") else "uv",
        "managed": sys.prefix == sys.base_prefix
        and os.path.exists(
            os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
        ),
        "packages": [
            name
            for name in ("torchvision", "torchaudio")
            if importlib.util.find_spec(name)
        ],
        "copies": torch_copies(),
        "conda": conda_has_torch(),
        "companions": companions(),
        "npu": bool(importlib.util.find_spec("torch_npu")),
        "visible_devices": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "library_path": os.environ.get("LD_LIBRARY_PATH"),
        "job": scheduler(),
        "driver": ask_driver(),
    }
    facts.update(system_facts())
    facts.update(ask_torch())
    hidden = facts["torch"]["cuda"] and not facts["gpu"]["devices"]
    facts["unhidden"] = count_unhidden() if hidden else None
    return dict(without_user_names(facts), command=facts["command"])


def in_container() -> bool:
    """Whether this runs in a container, as Docker, Podman and others do."""
    marks = ("/.dockerenv", "/run/.containerenv")
    named = {"container", "KUBERNETES_SERVICE_HOST"} & set(os.environ)
    return bool(named) or any(map(os.path.exists, marks))


def torch_copies() -> list:
    """Every torch on the path of this Python, the one that counts first."""
    copies = {}
    for one in importlib.metadata.distributions(name="torch"):
        by = (one.read_text("INSTALLER") or "").strip()
        place = (str(one.locate_file("")), one.version)
        copies.setdefault(place, {"version": one.version, "by": by})
    return list(copies.values())


def conda_has_torch() -> bool:
    """Whether conda recorded a PyTorch of its own in this environment."""
    try:
        names = os.listdir(os.path.join(sys.prefix, "conda-meta"))
    except OSError:
        return False
    return any(re.match(r"(lib|py)torch-\d", name) for name in names)


def companions() -> list:
    """torchvision and torchaudio, and the torch that each requires."""
    found = []
    for name in ("torchvision", "torchaudio"):
        try:
            one = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        needs = [n for n in one.requires or [] if re.match(r"torch\b", n)]
        needed = needs[0] if needs else None
        found.append({"name": name, "version": one.version, "needs": needed})
    return found


SCHEDULERS = {
    "SLURM_JOB_ID": "slurm",
    "PBS_JOBID": "pbs",
    "LSB_JOBID": "lsf",
    "KUBERNETES_SERVICE_HOST": "kubernetes",
}


def scheduler() -> object:
    """What started this process on a cluster, if anything did."""
    return next((SCHEDULERS[n] for n in SCHEDULERS if n in os.environ), None)


def system_facts() -> dict:
    """What the system says of cards and their drivers. Reads only."""
    facts = {
        "modules": [],
        "secure_boot": False,
        "adapters": [],
        "prime": None,
        "linux_libcuda": None,
        "denied": [],
        "group": None,
    }
    if os.name == "nt":
        return dict(facts, adapters=windows_adapters())
    known = ("nouveau", "nvidia", "nvidia_uvm", "amdgpu", "i915", "xe")
    loaded = read_file("/proc/modules").splitlines()
    loaded = [line.split(" ")[0] for line in loaded]
    facts["modules"] = [name for name in known if name in loaded]
    variable = "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    secure = read_file("/sys/firmware/efi/efivars/" + variable)
    facts["secure_boot"] = secure[-1:] == "\x01"
    facts["adapters"] = pci_adapters()
    facts["prime"] = read_file("/etc/prime-discrete").strip() or None
    libraries = ("x86_64-linux-gnu", "aarch64-linux-gnu", "../lib64")
    for folder in libraries:
        path = os.path.normpath(f"/usr/lib/{folder}/libcuda.so.1")
        if os.path.exists(path):
            facts["linux_libcuda"] = path
    for number in range(-1, 16):
        path = "/dev/nvidiactl" if number < 0 else f"/dev/nvidia{number}"
        if os.path.exists(path) and not os.access(path, os.R_OK | os.W_OK):
            facts["denied"].append(path)
            facts["group"] = group_of(path)
    if os.path.exists("/dev/kfd") and not os.access("/dev/kfd", os.R_OK):
        facts["denied"].append("/dev/kfd")
        facts["group"] = group_of("/dev/kfd")
    return facts


VENDORS = {"0x10de": "nvidia", "0x1002": "amd", "0x8086": "intel"}


def pci_adapters() -> list:
    """The makers of the graphics cards on the PCI bus, each once."""
    found, top = set(), "/sys/bus/pci/devices"
    try:
        places = os.listdir(top)
    except OSError:
        return []
    for place in places:
        kind = read_file(f"{top}/{place}/class")
        vendor = read_file(f"{top}/{place}/vendor").strip()
        if kind.startswith(("0x03", "0x1200")):
            found.add(VENDORS.get(vendor, "other"))
    return sorted(found)


def windows_adapters() -> list:
    """The makers of the display adapters that Windows has a driver for."""
    import winreg

    top = r"SYSTEM\CurrentControlSet\Control\Class"
    top += r"\{4d36e968-e325-11ce-bfc1-08002be10318}"
    found = set()
    for number in range(16):
        try:
            place = rf"{top}\{number:04}"
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, place) as key:
                name = str(winreg.QueryValueEx(key, "DriverDesc")[0]).lower()
        except OSError:
            continue
        for vendor in ("nvidia", "intel", "amd"):
            if vendor in name or (vendor == "amd" and "radeon" in name):
                found.add(vendor)
    return sorted(found)


def group_of(path: str) -> object:
    """The group that may read and write a device, unless it is root's."""
    try:
        import grp

        status = os.stat(path)
        name = grp.getgrgid(status.st_gid).gr_name
    except (ImportError, KeyError, OSError):
        return None
    return name if status.st_mode & 0o060 == 0o060 and name != "root" else None


def read_file(path: str) -> str:
    """The text of a small file of the system, "" where it cannot be read."""
    try:
        with open(path, encoding="latin-1") as file:
            return file.read(200_000)
    except OSError:
        return ""


def distribution() -> str:
    """The distribution of Linux, such as "ubuntu", or ""."""
    try:
        with open("/etc/os-release", encoding="utf-8") as lines:
            return read_release(lines.read())
    except (OSError, UnicodeError):
        return ""


def read_release(text: str) -> str:
    """The name in os-release. Mint and Pop!_OS count as the Ubuntu they are.

    Their packages sign modules as Ubuntu's do: DKMS looks at ID_LIKE, too.
    """
    like = re.search(r'^ID_LIKE="?([^"\n]*)', text, re.M)
    if like and "ubuntu" in like.group(1).split():
        return "ubuntu"
    found = re.search(r'^ID="?([\w-]+)', text, re.M)
    return found.group(1) if found else ""


def python_command() -> str:
    """How to call this very interpreter in the shell."""
    here = os.path.normcase(os.path.abspath(sys.executable or "python"))
    for name in ("python", "python3", os.path.basename(here)):
        found = shutil.which(name)
        if found and os.path.normcase(os.path.abspath(found)) == here:
            return name
    if os.name == "nt":
        return f'& "{here}"' if " " in here else here
    return shlex.quote(here)


def ask_driver() -> dict:
    """What nvidia-smi says: it needs neither torch nor a CUDA Toolkit."""
    for program in ("nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi"):
        state, text = run([program], SECONDS["nvidia-smi"])
        if state != "absent":
            break
    facts = read_smi(text if state == "ok" else "")
    facts["state"] = state
    facts["error"] = None if state == "ok" else shorten(text)
    # zh: 旧驱动不认识 compute_cap，那就不问它。
    # en: Old drivers reject the field compute_cap: then ask without it.
    for last in (",compute_cap", "") if state == "ok" else ():
        query = "--query-gpu=name,memory.total" + last
        asked, text = run(
            [program, query, "--format=csv,noheader"], SECONDS["nvidia-smi"]
        )
        if asked == "ok":
            facts["gpus"] = read_query(text) or facts["gpus"]
            break
    if state == "ok":
        query = "--query-compute-apps=pid,process_name"
        asked, text = run(
            [program, query, "--format=csv,noheader"], SECONDS["nvidia-smi"]
        )
        facts["processes"] = read_processes(text) if asked == "ok" else []
    return facts


def read_processes(text: str) -> list:
    """A dict for each line "pid, program": the programs that use a GPU."""
    found = []
    for pid, name in re.findall(r"^(\d{1,9}), *(\S.*)$", text, re.M):
        own = False
        if hasattr(os, "getuid"):
            with contextlib.suppress(OSError):
                own = os.stat(f"/proc/{pid}").st_uid == os.getuid()
        name = re.split(r"[\\/]", name.strip())[-1]
        found.append({"pid": int(pid), "name": name, "own": own})
    return found


def read_smi(text: str) -> dict:
    """The facts that the table of nvidia-smi holds."""
    # zh: 驱动 610 起，这两栏叫 KMD Version 和 CUDA UMD Version。
    # en: From driver 610 on these are KMD Version and CUDA UMD Version.
    labels = {"version": "(?:Driver|KMD)", "cuda": "CUDA(?: UMD)?"}
    facts = {}
    for key, label in labels.items():
        found = re.search(label + r" Version\s*:\s*(\d[\d.]*)", text)
        facts[key] = found.group(1) if found else None
    # zh: 显示 N/A，说明 nvidia-smi 没有找到 libcuda。
    # en: N/A means that nvidia-smi found no libcuda.
    missing = re.search(labels["cuda"] + r" Version\s*:\s*N/A", text)
    facts["no_libcuda"] = bool(missing)
    facts["mig_empty"] = "No MIG devices found" in text
    row = r"^\|\s+\d+\s+([^|\s][^|]*?)\s+(?:On|Off|N/A|WDDM|TCC|MCDM)\s+\|"
    names = re.findall(row, text, re.M)
    facts["gpus"] = [dict(GPU, name=name) for name in names]
    facts["processes"] = []
    return facts


def read_query(text: str) -> list:
    """A dict for each line "name, memory[, compute capability]"."""
    gpus = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")] + [""]
        if len(cells) >= 3 and re.match(r"\d+ MiB|\[.*N/A.*\]|N/A", cells[1]):
            number = re.match(r"\d+\.\d+$", cells[2])
            gpus.append(
                {
                    "name": cells[0],
                    "memory": cells[1],
                    "capability": number.group() if number else None,
                }
            )
    return gpus


def ask_torch() -> dict:
    """What torch says of itself and of each GPU, asked in a child process."""
    state, text = run(this_file("torch"), SECONDS["torch"], dict(os.environ))
    return assemble(state, text)


def assemble(state: str, text: str) -> dict:
    """The facts in the lines of a child, which may have died at any step."""
    facts = {
        "torch": dict(FACTS["torch"], state="unknown"),
        "gpu": {"backend": None, "devices": [], "error": None},
        "stopped": {"step": None, "how": None},
    }
    begun, rest = "start Python", []
    for line in text.splitlines():
        if not line.startswith(MARK):
            rest.append(line)
            continue
        try:
            said = json.loads(line[len(MARK) :])
        except ValueError:
            # zh: 进程死的时候，这一行还没有写完。
            # en: The process died in the middle of this line.
            continue
        begun = said.pop("begin", None)
        facts["gpu"]["devices"] += said.pop("devices", [])
        for key, found in said.items():
            facts[key].update(found)
    if begun:
        how = "ended" if state == "ok" else state
        facts["stopped"] = {"step": begun, "how": how}
        facts["gpu"]["error"] = shorten(" ".join(rest[-3:])) or None
    return facts


def count_unhidden() -> object:
    """How many GPUs a process without CUDA_VISIBLE_DEVICES sees, if known."""
    environment = dict(os.environ)
    if environment.pop("CUDA_VISIBLE_DEVICES", None) is None:
        return None
    text = run(this_file("count"), SECONDS["count"], environment)[1]
    found = re.findall(re.escape(MARK) + r'\{"count": (\d+)\}', text)
    return int(found[0]) if found else None


def this_file(step: str) -> list:
    """The command that runs one step of this file as this interpreter does."""
    flags = {"-I": "isolated", "-S": "no_site", "-s": "no_user_site"}
    given = [flag for flag in flags if getattr(sys.flags, flags[flag])]
    path = os.path.abspath(__file__)
    return [sys.executable or "python", "-B", *given, path, "--step", step]


def run(command: list, seconds: int, environment=None) -> tuple:
    """Run a program with a time limit: how it ended, and all that it said.

    It ended "ok", "failed", "absent", "no answer", or by a signal's name.
    """
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    except FileNotFoundError:
        return "absent", "not found"
    except OSError as error:
        return "failed", describe(error)
    try:
        said, state = child.communicate(timeout=seconds)[0], None
    except subprocess.TimeoutExpired as expired:
        said, state = expired.output or b"", "no answer"
        child.kill()
        # zh: 卡在驱动里的进程杀不死，所以这里也只等几秒。
        # en: A process stuck in the driver cannot be killed, so this wait
        #   has a limit, too.
        with contextlib.suppress(subprocess.TimeoutExpired):
            said = child.communicate(timeout=5)[0] or said
    if state is None:
        state = ending(child.returncode)
    return state, said.decode("utf-8", "replace")


def ending(status: int) -> str:
    """What an exit status means: a crash, an error, or success."""
    if status in (0, None):
        return "ok"
    if status < 0:
        try:
            return signal.Signals(-status).name
        except ValueError:
            return f"signal {-status}"
    # zh: Windows 把崩溃的原因放在状态里，例如 0xC000001D 是非法指令。
    # en: Windows puts the cause of a crash into the status: 0xC000001D is an
    #   illegal instruction.
    return f"0x{status:X}" if status >= 0xC0000000 else "failed"


def step_torch() -> None:
    """In the child: import torch, start CUDA, compute on every GPU."""
    tell(begin="import torch")
    build = {"state": "ok"}
    try:
        spec = importlib.util.find_spec("torch")
        places = [spec.origin, *(spec.submodule_search_locations or [])]
        build["origin"] = next((place for place in places if place), None)
        beside = os.path.join(os.path.dirname(spec.origin or ""), "version.py")
        build["own_file"] = not (spec.origin and os.path.exists(beside))
    except (AttributeError, ImportError, ValueError):
        pass
    try:
        import torch

        build["version"] = str(torch.__version__)
        for key in ("cuda", "hip", "xpu"):
            build[key] = getattr(torch.version, key, None)
    except Exception as error:
        missing = isinstance(error, ImportError) and error.name == "torch"
        build["state"] = "missing" if missing else "broken"
        build["error"] = describe(error)
        return tell(torch=build)
    warnings.simplefilter("ignore")
    build["arch_list"] = getattr(torch.cuda, "get_arch_list", list)()
    tell(torch=build, begin="start CUDA")
    kind, count = None, 0
    try:
        kind, count = usable_devices(torch)
        if torch.version.cuda and not count:
            # zh: is_available() 只会返回 False；init() 才抛出原因。
            # en: is_available() only returns False; init() raises the reason.
            torch.cuda.init()
    except Exception as error:
        tell(gpu={"error": describe(error)}, begin="start CUDA")
    rocm = kind == "cuda" and torch.version.hip
    tell(gpu={"backend": "rocm" if rocm else kind})
    for index in range(count):
        tell(begin=f"compute on {kind}:{index}")
        tell(devices=[compute(torch, kind, index)])
    return tell()


def step_count() -> None:
    """In the child: count the GPUs."""
    import torch

    torch.cuda.init()
    print(MARK + json.dumps({"count": torch.cuda.device_count()}))


def tell(**facts) -> None:
    """Say a step's facts at once: the next step may be the last."""
    print(MARK + json.dumps(without_user_names(facts)), flush=True)


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
    facts = dict(DEVICE, name=kind)
    try:
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
    except Exception as error:
        return dict(facts, error=describe(error))
    return dict(facts, works=True)


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


# zh: ==== 选择：哪个 wheel 能在这台机器上用。依据只有上面的数据。
# en: ==== Choice: which wheel runs on this machine, by the data above alone.


def choose(system, machine, driver, cards, python, audio=False) -> dict:
    """The index for pip, or what has to change before there is one.

    system: Linux, WSL, Windows or Darwin; driver: its version and CUDA;
    cards: their compute capabilities; python: such as 3.12 or 3.14t;
    audio: whether torchaudio is wanted as well.
    An answer has `cuda` (and `below` where newer releases must be kept out,
    and `without`, the cards it gives up); a refusal has `needs`: each entry
    alone would do. Without any entry, no build runs these cards.
    """
    cards = sorted({card for card in cards if card}, key=numbers)
    newest = dict(version="99999", cuda="99999.0")
    pythons = {name for known in PYTHONS.values() for name in known.split()}
    usual = sorted(
        (name for name in pythons if not name.endswith("t")),
        key=lambda name: abs(numbers(name)[1] - USUAL_PYTHON),
    )
    for start in range(max(1, len(cards))):
        kept = cards[start:]
        found = find_build(system, machine, driver, kept, python, audio)
        if found:
            return dict(found, without=cards[:start])
        needs, other = [], None
        # zh: Jetson 的驱动随 JetPack 一起来，不能单独升级。
        # en: A Jetson's driver comes with its JetPack and is not updated alone.
        fixed = set(kept) & set(BOARDS)
        if not fixed:
            other = find_build(system, machine, newest, kept, python, audio)
        if other:
            needs.append({"driver": least_driver(system, other["cuda"], kept)})
        for name in usual:
            if find_build(system, machine, driver, kept, name, audio):
                needs.append({"python": name})
                break
        else:
            for name in () if other or fixed else usual:
                both = find_build(system, machine, newest, kept, name, audio)
                if both:
                    least = least_driver(system, both["cuda"], kept)
                    needs.append({"driver": least, "python": name})
                    break
        if needs:
            return {"cuda": None, "needs": needs, "without": cards[:start]}
    return {"cuda": None, "needs": [], "without": []}


def find_build(system, machine, driver, cards, python, audio) -> object:
    """The build to take: of the newest torch, the newest CUDA major.

    Of that major the oldest minor: a build for 13.0 runs on every driver for
    CUDA 13, one for 13.2 leans on NVIDIA's minor version compatibility there.
    An index with torchaudio goes first where that is wanted.
    """
    arm = machine in ("aarch64", "arm64")
    if system == "Darwin" or (system == "Windows" and arm):
        return None
    if not arm and machine not in ("x86_64", "amd64"):
        return None
    ranked = {cuda: (-numbers(cuda)[0], numbers(cuda)) for cuda, *_ in BUILDS}
    found = []
    for cuda in sorted(ranked, key=ranked.get):
        if driver_runs(system, driver, cuda, cards):
            found.append(newest_on(cuda, system, arm, cards, python))

    def rank(one: dict) -> tuple:
        spoken = audio and torchaudio(one["torch"], one["cuda"], python)
        return bool(spoken), numbers(one["torch"])

    # zh: 一样新的，max 取排在前面的。
    # en: Of equally new ones, max takes the first.
    return max(filter(None, found), key=rank, default=None)


def newest_on(cuda: str, system: str, arm: bool, cards, python: str) -> object:
    """The newest torch for this CUDA with code for the cards."""
    below = None
    for row, names, x86_64, aarch64 in BUILDS:
        codes = aarch64 if arm else x86_64
        for name in names.split() if row == cuda else ():
            torch = name.rstrip("?")
            if python not in PYTHONS[torch].split():
                continue
            if not all(has_code(codes, c, cuda, system) for c in cards):
                below = torch
            elif name == torch:
                return {"cuda": cuda, "torch": torch, "below": below}
    return None


def driver_runs(system: str, driver: dict, cuda: str, cards) -> bool:
    """Whether a driver runs a build for this CUDA, on these cards."""
    version, own = driver.get("version"), driver.get("cuda")
    if not version and not own:
        return False
    if own and numbers(own)[:1] < numbers(cuda)[:1]:
        return False
    for card in cards:
        since = BOARDS.get(card)
        if since and numbers(own) < numbers(since):
            return False
    least = least_driver(system, cuda, cards)
    return not version or numbers(version) >= numbers(least)


def least_driver(system: str, cuda: str, cards) -> str:
    """The oldest driver for a build for this CUDA and for these cards."""
    pair = DRIVERS[numbers(cuda)[0]]
    least = [pair[1] if system in ("Windows", "WSL") else pair[0]]
    least += [CARD_DRIVERS[card] for card in cards if card in CARD_DRIVERS]
    return max(least, key=numbers)


def has_code(codes: str, card: str, cuda: str, system: str) -> bool:
    """Whether a build with these codes, such as "8.0 12.0+PTX", runs a card."""
    archs = []
    for code in codes.split():
        number = code.replace("+PTX", "").replace(".", "")
        archs.append("sm_" + number)
        # zh: Windows 的 wheel 里没有 PTX。
        # en: Builds for Windows have no PTX.
        if code.endswith("+PTX") and system != "Windows":
            archs.append("compute_" + number)
    return any(arch_runs(arch, card, cuda) for arch in archs)


def arch_runs(arch: str, card: str, cuda) -> bool:
    """Whether code for sm_XY or compute_XY runs on a compute capability."""
    # zh: sm_XY 只能在同一主版本上、从该次版本起运行；compute_XY（PTX）还能在
    #   更新的卡上运行；后缀 a 只认一个型号，f 只认一个主版本。Jetson 只运行
    #   为它自己编译的代码，7.2 和 8.7 从 CUDA 13.2 起例外。
    # en: sm_XY runs on its major version from that minor on, compute_XY (PTX)
    #   on newer GPUs too; a suffix a means that one GPU alone, f that major
    #   version alone. A Jetson runs no code but its own, except that 7.2 and
    #   8.7 run other code since CUDA 13.2.
    parts = re.match(r"(sm|compute)_(\d{2,4})(\w?)", arch)
    if not parts:
        return False
    code, gpu = divmod(int(parts.group(2)), 10), numbers(card)[:2]
    if code >= gpu:
        return code == gpu
    since = BOARDS.get(card)
    if card in BOARDS and not (since and numbers(cuda) >= numbers(since)):
        return False
    if "{}.{}".format(*code) in BOARDS:
        return False
    newer = parts.group(1) == "compute" and not parts.group(3)
    return parts.group(3) != "a" and (newer or code[0] == gpu[0])


def compare(card, archs: list, cuda=None) -> object:
    """How a GPU that no code in the build can run on stands to that code."""
    codes = [
        divmod(int(n), 10)
        for n in re.findall(r"\b(?:sm|compute)_(\d{2,4})", " ".join(archs))
    ]
    gpu = numbers(card)[:2]
    runs = any(arch_runs(arch, str(card), cuda) for arch in archs)
    if len(gpu) < 2 or not codes or runs:
        return None
    if gpu < min(codes):
        return "gpu-older-than-build"
    newer = gpu > max(codes)
    return "gpu-newer-than-build" if newer else "gpu-not-in-build"


def numbers(text) -> tuple:
    """The numbers in a version, to be compared: "12.10" is after "12.9"."""
    return tuple(int(n) for n in re.findall(r"\d{1,9}", str(text or ""))[:4])


# zh: ==== 判断：只看事实，不碰机器。
# en: ==== Judgement: it looks at the facts and does not touch the machine.


def diagnose(facts) -> dict:
    """Judge the facts: the code of one diagnosis, why, and what to run next."""
    facts = complete(facts, FACTS)
    code = verdict(facts)
    found = plan(facts)
    return {
        "code": code,
        "healthy": code == "healthy",
        "advice": advice(facts, code, found),
        "why": evidence(facts),
        "next": commands(facts, code, found),
    }


def complete(given, pattern):
    """The facts in the form of `pattern`: what does not fit is left out."""
    if isinstance(pattern, dict):
        given = given if isinstance(given, dict) else {}
        return {key: complete(given.get(key), pattern[key]) for key in pattern}
    if isinstance(pattern, list):
        items = given if isinstance(given, list) else []
        if pattern:
            wanted = [item for item in items if isinstance(item, dict)]
            return [complete(item, pattern[0]) for item in wanted]
        return [item for item in items if isinstance(item, str)]
    if pattern is None:
        return given if isinstance(given, (str, int)) else None
    return given if isinstance(given, type(pattern)) else pattern


# zh: torch 的报错里有哪句话，就是哪种诊断；从上往下看。
# en: Which words in torch's error mean which diagnosis, from the top down.
SAID = (
    ("driver on your system is too old", "driver-too-old"),
    ("driver version is insufficient", "driver-too-old"),
    ("Error 802", "fabric-manager"),
    ("Error 803", "driver-mismatch"),
    ("Error 804", "forward-compatibility"),
    ("busy or unavailable", "gpu-busy"),
    ("out of memory", "gpu-memory-full"),
    ("CUDA unknown error", "cuda-unknown-error"),
    ("Error 999", "cuda-unknown-error"),
    ("GPU is lost", "gpu-lost"),
    ("No CUDA GPUs are available", "no-device"),
    ("cudaGetDeviceCount()", "cuda-init-error"),
    ("CUDA driver initialization failed", "cuda-init-error"),
)
# zh: nvidia-smi 失败时的话。
# en: What nvidia-smi says when it fails.
REFUSED = (
    ("version mismatch", "driver-mismatch"),
    ("GPU is lost", "gpu-lost"),
    ("fallen off the bus", "gpu-lost"),
    ("requires reset", "gpu-lost"),
    ("communicate with the NVIDIA driver", "no-driver"),
    ("blocked by the operating system", "no-driver"),
)
SHADOWED = "undefined symbol|cannot open shared|version `|not defined in file"


def verdict(facts: dict) -> str:
    """The code of the diagnosis; "unknown" where the facts do not decide."""
    torch, driver, gpu = facts["torch"], facts["driver"], facts["gpu"]
    if facts["stopped"]["step"]:
        return stopped(facts)
    if torch["state"] == "missing":
        return "torch-missing"
    if torch["state"] != "ok":
        return why_broken(facts)
    if gpu["devices"]:
        code = judge_devices(facts)
        if code in ("gpu-busy", "gpu-memory-full") and leftovers(facts):
            return "leftover-processes"
        if code == "healthy" and misfits(facts):
            return "packages-mismatched"
        return code
    works = driver["state"] == "ok" and (driver["version"] or driver["cuda"])
    if torch["hip"] or torch["xpu"] or facts["os"] == "Darwin":
        wrong = works and driver["gpus"]
        return "wrong-vendor-build" if wrong else "other-backend"
    if facts["npu"]:
        return "ascend-without-npu"
    if not torch["cuda"]:
        return without_cuda(facts)
    if facts["unhidden"]:
        queued = facts["job"] in BATCH
        return "job-without-gpu" if queued else "hidden-devices"
    if facts["linux_libcuda"] and facts["wsl"] and not facts["container"]:
        return "wsl-linux-driver"
    refusal, error = str(driver["error"] or ""), str(gpu["error"] or "")
    refused = refused_by(driver)
    if refused:
        return why_no_driver(facts) if refused == "no-driver" else refused
    if "NVML: Unknown Error" in refusal and facts["container"]:
        return "container-lost-gpu"
    if driver["state"] == "no answer":
        return "no-answer"
    if any(path.startswith("/dev/nvidia") for path in facts["denied"]):
        return "no-permission"
    if "Found no NVIDIA driver" in error and works:
        return "cuda-library-missing"
    for words, code in SAID:
        if words in error:
            if code == "no-device" and driver["mig_empty"]:
                return "mig-without-instances"
            queued = code == "no-device" and facts["job"] in BATCH
            return "job-without-gpu" if queued else code
    if works or (error and "Found no NVIDIA driver" not in error):
        return "unknown"
    return why_no_driver(facts)


def refused_by(driver: dict) -> object:
    """What nvidia-smi said when it failed, as a code, or None."""
    if driver["state"] == "ok":
        return None
    said = str(driver["error"] or "")
    return next((code for words, code in REFUSED if words in said), None)


BATCH = ("slurm", "pbs", "lsf")


def without_cuda(facts: dict) -> str:
    """A CPU-only build: by mistake, by a second torch, or rightly?"""
    cuda = any("+cu" in copy["version"] for copy in facts["copies"])
    elsewhere = facts["wsl"] or facts["container"] or facts["jetson"]
    other = facts["adapters"] and "nvidia" not in facts["adapters"]
    if other and not (elsewhere or facts["driver"]["gpus"]):
        return "no-nvidia-card"
    return mixed(facts) if cuda and mixed(facts) else "cpu-only-build"


def why_no_driver(facts: dict) -> str:
    """Why no NVIDIA driver runs, by what the system says of its cards."""
    if facts["container"]:
        return "container-without-gpu"
    if facts["prime"] == "off":
        return "integrated-graphics"
    if "nouveau" in facts["modules"]:
        return "nouveau"
    failed = facts["driver"]["state"] == "failed"
    if failed and facts["secure_boot"] and "nvidia" not in facts["modules"]:
        return "secure-boot"
    if facts["adapters"] and "nvidia" not in facts["adapters"]:
        elsewhere = facts["wsl"] or facts["jetson"]
        return "no-driver" if elsewhere else "no-nvidia-card"
    return "no-driver"


def mixed(facts: dict) -> object:
    """Whether several installations of torch get into each other's way."""
    by_pip = [copy for copy in facts["copies"] if copy["by"] != "conda"]
    if facts["conda"] and by_pip:
        return "conda-mixed"
    return "several-torches" if len(facts["copies"]) > 1 else None


def leftovers(facts: dict) -> list:
    """The numbers of this user's own processes that use a GPU."""
    processes = facts["driver"]["processes"]
    return [str(one["pid"]) for one in processes if one["own"]]


def misfits(facts: dict) -> list:
    """Which of torchvision and torchaudio is for another torch, and why."""
    version, lines = str(facts["torch"]["version"] or ""), []
    torch, _, local = version.partition("+")
    for one in facts["companions"]:
        name = f"{one['name']} {one['version']}"
        own = one["version"].partition("+")[2]
        needs = re.search(r"== ?(\d[\d.]*)", str(one["needs"] or ""))
        # zh: torchaudio 2.11 不写需要哪个 torch，但是更旧的 torch 不行。
        # en: torchaudio 2.11 names no torch, but no older one will do.
        newer = numbers(one["version"])[:2] > numbers(torch)[:2]
        if needs and numbers(needs.group(1)) != numbers(torch):
            lines.append(f"{name} requires torch=={needs.group(1)}")
        elif one["name"] == "torchaudio" and newer:
            lines.append(f"{name} is for a newer torch")
        elif own and local and own[:4] != local[:4]:
            lines.append(f"{name} is for {own}, torch for {local}")
    return lines


def stopped(facts: dict) -> str:
    """The child that asked torch ended before it had said everything."""
    how = str(facts["stopped"]["how"])
    if how == "no answer":
        return "no-answer"
    if re.match(r"SIG|signal|0x", how):
        return "crashed"
    importing = facts["stopped"]["step"] == "import torch"
    return "torch-broken" if importing else "unknown"


def why_broken(facts: dict) -> str:
    """What keeps torch from being imported."""
    error = str(facts["torch"]["error"] or "")
    if facts["torch"]["own_file"]:
        return "own-file-named-torch"
    if facts["os"] == "Windows" and re.search(r"WinError (126|1114)\b", error):
        return "vc-runtime-missing"
    if facts["library_path"] and re.search(SHADOWED, error):
        return "libraries-shadowed"
    return mixed(facts) or "torch-broken"


def judge_devices(facts: dict) -> str:
    """torch sees GPUs. Do all of them compute?"""
    torch, devices = facts["torch"], facts["gpu"]["devices"]
    failed = [device for device in devices if not device["works"]]
    relations = [
        compare(device["capability"], torch["arch_list"], torch["cuda"])
        for device in failed
    ]
    if not failed:
        return "healthy"
    if any(relations) and len(failed) < len(devices):
        return "mixed-gpus"
    for relation in relations:
        if relation:
            return relation
    error = str(failed[0]["error"] or "")
    known = ("gpu-busy", "gpu-memory-full", "gpu-lost", "cuda-unknown-error")
    for words, code in SAID:
        if words in error and code in known:
            return code
    return "computation-failed"


def plan(facts: dict) -> dict:
    """The wheel for this machine, or why there is none: see choose()."""
    driver, system = dict(facts["driver"]), facts["os"]
    # zh: torch 的报错里有它找到的驱动支持的 CUDA，例如 11060 是 11.6。
    # en: torch's error names the CUDA of the driver that it found: 11060 is
    #   11.6.
    said = re.search(r"found version (\d{5})\)", str(facts["gpu"]["error"]))
    if said:
        major, minor = divmod(int(said.group(1)), 1000)
        both = [f"{major}.{minor // 10}", driver["cuda"] or "99"]
        driver["cuda"] = min(both, key=numbers)
    cards = [gpu["capability"] for gpu in driver["gpus"]]
    cards += [device["capability"] for device in facts["gpu"]["devices"]]
    cards = [card for card in cards if len(numbers(card)) == 2]
    names = " ".join(str(gpu["name"]) for gpu in driver["gpus"])
    jetson = facts["jetson"] or re.search(r"nvgpu|Jetson|\bTegra", names)
    if jetson and not cards:
        cards = ["11.0" if "Thor" in names else "8.7"]
    python = ".".join(map(str, numbers(facts["python"])[:2]))
    python += "t" if facts["free_threaded"] else ""
    reason = None
    glibc = re.match(r"glibc (.*)", str(facts["libc"]))
    if facts["bits"] != 64:
        reason = "32-bit"
    elif system == "Darwin":
        reason = "mac" if facts["machine"] == "arm64" else "intel-mac"
    elif system == "Linux" and facts["libc"] and not glibc:
        reason = "musl"
    elif glibc and numbers(glibc.group(1)) < (2, 28):
        reason = "old-glibc"
    elif facts["machine"] not in MACHINES.get(system, ()):
        reason = "system"
    if reason:
        return {"cuda": None, "needs": [], "without": [], "reason": reason}
    where = "WSL" if facts["wsl"] else system
    audio = "torchaudio" in facts["packages"]
    found = choose(where, facts["machine"], driver, cards, python, audio)
    if found["cuda"]:
        found["audio"] = torchaudio(found["torch"], found["cuda"], python)
    else:
        found["reason"] = "needs" if found["needs"] else "no-build"
        if not driver["version"] and not driver["cuda"]:
            found["reason"] = refused_by(driver) or "no-driver"
        if jetson:
            found["reason"] = "jetson"
    return found


def torchaudio(torch: str, cuda: str, python: str) -> str:
    """The torchaudio for a build, or "" if it has none for CUDA and Python."""
    version = TORCHAUDIO[torch]
    with_torch = version.rpartition(".")[0]
    built = [row for row, names, *_ in BUILDS if with_torch in names.split()]
    fits = cuda in built and python in PYTHONS[with_torch].split()
    return version if fits else ""


MACHINES = {"Linux": ("x86_64", "aarch64"), "Windows": ("amd64", "x86_64")}


def evidence(facts: dict) -> list:
    """What the diagnosis rests on: facts, the same in every language."""
    torch, driver, gpu = facts["torch"], facts["driver"], facts["gpu"]
    lines = [torch["error"]]
    if torch["state"] == "broken" and torch["own_file"]:
        lines.append(f"torch = {torch['origin']}")
    if facts["stopped"]["step"]:
        lines.append("{step}: {how}".format(**facts["stopped"]))
    if torch["state"] == "ok" and not gpu["devices"]:
        lines.append(f"torch.version.cuda = {torch['cuda']}")
        for key in ("hip", "xpu"):
            if torch[key]:
                lines.append(f"torch.version.{key} = {torch[key]}")
    for index, device in enumerate(gpu["devices"]):
        outcome = "OK" if device["works"] else device["error"]
        lines.append(f"{gpu['backend']} {index}: {outcome}")
        if not device["works"] and torch["arch_list"]:
            lines.append(f"compute capability = {device['capability']}")
            lines.append("arch list = " + " ".join(torch["arch_list"]))
    if facts["visible_devices"] is not None:
        lines.append(f"CUDA_VISIBLE_DEVICES = {facts['visible_devices']!r}")
    if facts["unhidden"] is not None:
        lines.append(f"device_count() without it = {facts['unhidden']}")
    if torch["state"] == "broken" and facts["library_path"]:
        lines.append(f"LD_LIBRARY_PATH = {facts['library_path']}")
    lines.append(gpu["error"])
    lines += system_evidence(facts)
    if driver["state"] == "ok" and driver["cuda"]:
        lines.append(f"nvidia-smi: driver for CUDA <= {driver['cuda']}")
    elif driver["state"] == "ok":
        lines.append(f"nvidia-smi: driver {driver['version']}")
    elif not gpu["devices"]:
        lines.append(f"nvidia-smi: {driver['error'] or driver['state']}")
    return [str(line) for line in lines if line]


def system_evidence(facts: dict) -> list:
    """What of the system a diagnosis may rest on."""
    lines = misfits(facts)
    if len(facts["copies"]) > 1 or facts["conda"]:
        for copy in facts["copies"]:
            lines.append(f"torch {copy['version']} ({copy['by'] or '?'})")
    if facts["conda"]:
        lines.append("conda-meta: pytorch")
    if not facts["gpu"]["devices"]:
        shown = ("job", "prime", "linux_libcuda")
        lines += [f"{key} = {facts[key]}" for key in shown if facts[key]]
        for key in ("modules", "adapters", "denied"):
            if facts[key]:
                lines.append(f"{key} = {', '.join(facts[key])}")
        if facts["secure_boot"]:
            lines.append("Secure Boot: on")
        if facts["npu"]:
            lines.append("torch_npu: installed")
    for one in facts["driver"]["processes"]:
        lines.append(f"process {one['pid']}: {one['name']}")
    return lines


def commands(facts: dict, code: str, found: dict) -> list:
    """What to run next, in the shell of this system."""
    windows, python = facts["os"] == "Windows", facts["command"]
    host = not (facts["container"] or facts["wsl"] or windows)
    restart = "Restart-Computer" if windows else "sudo reboot"
    if facts["wsl"]:
        restart = "wsl.exe --shutdown"
    report = [python + " -m torch.utils.collect_env"]
    log = ["sudo dmesg | grep -i -E 'nvrm|xid'"] if host else []
    if code in CHANGES_BUILD:
        return change_build(facts, code, found)
    if code == "no-driver":
        return look_for_card(facts)
    if code in SYSTEM_COMMANDS:
        return SYSTEM_COMMANDS[code](facts, restart)
    if code == "hidden-devices":
        unset = "Remove-Item Env:" if windows else "unset "
        return [unset + "CUDA_VISIBLE_DEVICES"]
    if code == "mixed-gpus":
        keep = working_cards(facts)
        if windows:
            return [f'$env:CUDA_VISIBLE_DEVICES = "{keep}"']
        return [f"export CUDA_VISIBLE_DEVICES={keep}"]
    if code == "own-file-named-torch":
        path = str(facts["torch"]["origin"] or "torch.py")
        if windows:
            return [f'Rename-Item "{path}" not_torch.py']
        home = "~/" if path.startswith("~/") else ""
        path = home + shlex.quote(path[len(home) :])
        return [f"mv {path} {path}.renamed"]
    if code == "crashed":
        return [
            python + ' -X faulthandler -c "import torch; '
            "torch.ones(8, device='cuda').sum().item()\""
        ]
    if code == "cuda-unknown-error" and host:
        return ["sudo modprobe -r nvidia_uvm", "sudo modprobe nvidia_uvm"]
    if code in (
        "driver-mismatch",
        "gpu-lost",
        "no-answer",
        "cuda-unknown-error",
    ):
        return ([] if code == "driver-mismatch" else log) + [restart]
    gpus = "docker run --rm --gpus all "
    rights = "-e NVIDIA_DRIVER_CAPABILITIES=compute,utility "
    if code == "container-without-gpu" and facts["job"] == "kubernetes":
        return ['kubectl describe pod "$HOSTNAME" | grep nvidia.com/gpu']
    if code == "gpu-memory-full" and host and not facts["driver"]["processes"]:
        return ["nvidia-smi", "sudo fuser -v /dev/nvidia*"]
    if code == "other-backend" and facts["torch"]["hip"]:
        return rocm_commands(facts)
    if code == "other-backend" and facts["torch"]["xpu"]:
        return [CARDS_ON_WINDOWS if windows else "clinfo -l"]
    if code == "other-backend" and facts["os"] == "Darwin":
        return ["sw_vers"]
    if code == "cuda-library-missing" and facts["container"]:
        return [gpus + rights + "IMAGE nvidia-smi"]
    return {
        "healthy": [],
        "libraries-shadowed": [
            f"env -u LD_LIBRARY_PATH {python} -c 'import torch'"
        ],
        "vc-runtime-missing": ["winget install Microsoft.VCRedist.2015+.x64"],
        "container-without-gpu": [gpus + "IMAGE nvidia-smi"],
        "container-lost-gpu": ["docker restart CONTAINER"],
        "cuda-library-missing": ["ldconfig -p | grep libcuda.so"],
        "fabric-manager": ["sudo systemctl enable --now nvidia-fabricmanager"],
        "forward-compatibility": ['echo "$LD_LIBRARY_PATH"'],
        "mig-without-instances": ["sudo nvidia-smi mig -lgip"],
        "no-device": ["nvidia-smi -L"],
        "gpu-busy": ["nvidia-smi"],
        "gpu-memory-full": ["nvidia-smi"],
    }.get(code, report)


CARDS_ON_WINDOWS = "Get-CimInstance Win32_VideoController | Select-Object Name"


def remove_linux_driver(facts: dict, restart: str) -> list:
    """WSL: find the package with the second libcuda, remove it, restart."""
    return [
        f"dpkg -S {facts['linux_libcuda']}",
        "sudo apt-get purge 'libnvidia-compute-*'",
        restart,
    ]


def ask_for_gpu(facts: dict, restart: str) -> list:
    """What the scheduler gave the job, and how to ask it for a GPU."""
    if facts["job"] == "pbs":
        return ['qstat -f "$PBS_JOBID" | grep -i gpu']
    if facts["job"] == "lsf":
        return ['bjobs -l -gpu "$LSB_JOBID"']
    shown = 'scontrol show job "$SLURM_JOB_ID" | grep -i tres'
    return [shown, "srun --gres=gpu:1 nvidia-smi -L"]


def allow_devices(facts: dict, restart: str) -> list:
    """See who may use the devices, and join their group if there is one."""
    lines = ["ls -l /dev/nvidia*"]
    if facts["group"]:
        lines.append(f'sudo usermod -aG {facts["group"]} "$USER"')
    return lines


# zh: 哪个密钥签的名，由编译模块的程序决定。DKMS 3 的脚本（dkms 的
#   prepare_signing）在 Ubuntu 上用 update-secureboot-policy 的密钥，在其
#   他系统上用 /var/lib/dkms/mok.pub；Fedora 的驱动来自 RPM Fusion，由
#   akmods 编译，密钥的位置见它的 README.secureboot。Debian 的
#   update-secureboot-policy 没有 --enroll-key。
# en: Which key signed the module depends on what compiled it. The script of
#   DKMS 3 (prepare_signing in dkms) uses the key of update-secureboot-policy
#   on Ubuntu and /var/lib/dkms/mok.pub elsewhere. Fedora's driver comes from
#   RPM Fusion and is compiled by akmods, whose README.secureboot names its
#   key. Debian's update-secureboot-policy has no --enroll-key.
ENROLL = {
    "ubuntu": "sudo update-secureboot-policy --enroll-key",
    "fedora": "sudo mokutil --import /etc/pki/akmods/certs/public_key.der",
}
ENROLL_OF_DKMS = "sudo mokutil --import /var/lib/dkms/mok.pub"


def sign_module(facts: dict, restart: str) -> list:
    """Load the module to see its refusal; enroll the key that signed it."""
    enroll = ENROLL.get(facts["distribution"], ENROLL_OF_DKMS)
    return ["sudo modprobe nvidia", enroll, restart]


def use_nvidia_gpu(facts: dict, restart: str) -> list:
    """Load the driver again, and leave the screen to integrated graphics.

    "off" in /etc/prime-discrete is what "prime-select intel" of Ubuntu's
    package nvidia-prime writes, which also blacklists NVIDIA's modules. With
    "on-demand" they are loaded and CUDA works, as
    github.com/wildtruc/nvidia-prime-select/issues/19 describes.
    """
    return ["sudo prime-select on-demand", restart]


def show_cards(facts: dict, restart: str) -> list:
    if facts["os"] == "Windows":
        return [CARDS_ON_WINDOWS]
    return ["lspci | grep -i -E 'vga|3d|display'"]


def stop_leftovers(facts: dict, restart: str) -> list:
    pids = leftovers(facts)
    return [
        f"ps -o pid,etime,args -p {','.join(pids)}",
        f"kill {' '.join(pids)}",
    ]


def fit_packages(facts: dict, restart: str) -> list:
    """Replace torchvision and torchaudio by those for the torch there is."""
    version = str(facts["torch"]["version"] or "")
    torch, _, local = version.partition("+")
    index = f" --index-url {WHEELS}{local}" if local else ""
    pip = facts["command"] + " -m pip "
    pip = "uv pip " if facts["installer"] == "uv" else pip
    names = [one["name"] for one in facts["companions"]]
    yes = "" if facts["installer"] == "uv" else "-y "
    lines = [f"{pip}uninstall {yes}{' '.join(names)}"]
    vision = " torchvision" if "torchvision" in names else ""
    lines.append(f"{pip}install torch=={torch}{vision}{index}")
    audio = TORCHAUDIO.get(".".join(map(str, numbers(torch)[:2])))
    if "torchaudio" in names and audio:
        lines.append(f"{pip}install torchaudio=={audio}{index}")
    return lines


def rocm_commands(facts: dict) -> list:
    """See what ROCm sees, and join the group that may use it."""
    lines = ["rocminfo"]
    if "/dev/kfd" in facts["denied"]:
        group = facts["group"] or "render"
        lines.append(f'sudo usermod -aG {group} "$USER"')
    return lines


SYSTEM_COMMANDS = {
    "ascend-without-npu": lambda facts, restart: ["npu-smi info"],
    "integrated-graphics": use_nvidia_gpu,
    "job-without-gpu": ask_for_gpu,
    "leftover-processes": stop_leftovers,
    "no-nvidia-card": show_cards,
    "no-permission": allow_devices,
    "nouveau": lambda facts, restart: [update_driver(facts), restart],
    "packages-mismatched": fit_packages,
    "secure-boot": sign_module,
    "wsl-linux-driver": remove_linux_driver,
}


# zh: 这些诊断要换 torch 的 wheel，或者先换其他东西，才能换 wheel。
# en: For these another build of torch is needed, or something before that.
CHANGES_BUILD = (
    "torch-missing",
    "torch-broken",
    "cpu-only-build",
    "driver-too-old",
    "gpu-newer-than-build",
    "gpu-older-than-build",
    "gpu-not-in-build",
    "several-torches",
    "conda-mixed",
    "wrong-vendor-build",
)
# zh: 驱动自己的问题：不管装了哪个 wheel，都要先解决。
# en: Troubles of the driver itself, which come before any build of torch.
REPAIRED = ("driver-mismatch", "gpu-lost")
# zh: 混在一起的环境修不好，所以换一个新的。
# en: A mixed environment is not repaired but replaced.
FRESH = ("several-torches", "conda-mixed")


def change_build(facts: dict, code: str, found: dict) -> list:
    """Install the right build. Nothing is removed that cannot be replaced."""
    pip, yes, before = facts["command"] + " -m pip ", "-y ", []
    if facts["installer"] == "uv":
        pip, yes = "uv pip ", ""
    if code in FRESH or (facts["managed"] and code == "torch-missing"):
        yes, before, pip = "-y ", *fresh_environment(facts, code)
    if found["cuda"]:
        index = " --index-url " + WHEELS + "cu" + found["cuda"].replace(".", "")
        names = f'"torch<{found["below"]}"' if found["below"] else "torch"
        if "torchvision" in facts["packages"]:
            names += " torchvision"
        # zh: torch 换了，旧的 torchvision 和 torchaudio 就不配套，所以一起
        #   卸载。torchaudio 单独装，并写明版本：2.11.0 的元数据没有写它要
        #   哪个 torch，pip 不会替人配对。
        # en: A torchvision or torchaudio for the old torch does not fit the new
        #   one, so they go with it. torchaudio is installed by itself, with
        #   its version: the metadata of 2.11.0 name no torch, so pip would
        #   not match them.
        remove = f"{pip}uninstall {yes}torch torchvision torchaudio"
        fresh = code == "torch-missing" or code in FRESH
        lines = [] if fresh else [remove]
        lines.append(f"{pip}install {names}{index}")
        if "torchaudio" in facts["packages"] and found["audio"]:
            lines.append(f"{pip}install torchaudio=={found['audio']}{index}")
        if lacks_libcuda(facts):
            before = commands(facts, "cuda-library-missing", found) + before
        return before + lines
    if found["reason"] == "mac":
        return [*before, pip + "install torch"]
    if found["reason"] == "jetson":
        return ["cat /etc/nv_tegra_release"]
    if found["reason"] == "no-driver":
        return look_for_card(facts)
    if found["reason"] in REPAIRED:
        return commands(facts, found["reason"], found)
    if found["reason"] == "no-build":
        return ["nvidia-smi -L"]
    if found["reason"] in ("musl", "old-glibc"):
        return ["ldd --version"]
    if found["reason"] in ("intel-mac", "system"):
        code = "import platform; print(platform.platform())"
        return [f'{facts["command"]} -c "{code}"']
    lines = []
    for need in found["needs"]:
        if "driver" in need:
            lines.append(update_driver(facts))
        if "python" in need:
            lines.append(other_python(facts, need["python"]))
    newest = f"3.{USUAL_PYTHON}"
    return lines or [other_python(facts, newest)]


def lacks_libcuda(facts: dict) -> bool:
    """Whether the driver's CUDA library has to be found before any torch."""
    return facts["os"] == "Linux" and facts["driver"]["no_libcuda"]


def fresh_environment(facts: dict, code: str) -> tuple:
    """The commands for a new environment, and how pip is called in it."""
    if code == "conda-mixed":
        python = ".".join(map(str, numbers(facts["python"])[:2]))
        make = f"conda create -y -n gpu python={python}"
        return [make], "conda run -n gpu python -m pip "
    if facts["os"] == "Windows":
        pip = '& "$HOME\\gpu\\Scripts\\python.exe" -m pip '
        return [facts["command"] + ' -m venv "$HOME\\gpu"'], pip
    return [facts["command"] + " -m venv ~/gpu"], "~/gpu/bin/python -m pip "


def update_driver(facts: dict) -> str:
    """How to get a newer driver on this system."""
    if facts["distribution"] == "ubuntu" and not (
        facts["wsl"] or facts["container"]
    ):
        return "sudo ubuntu-drivers install"
    return ("start " if facts["os"] == "Windows" else "") + (
        "https://www.nvidia.com/drivers"
    )


def other_python(facts: dict, version: str) -> str:
    """How to get another Python on this system."""
    if facts["os"] == "Windows":
        return "winget install Python.Python." + version
    if facts["os"] == "Darwin":
        return "brew install python@" + version
    return f"uv venv --python {version} ~/gpu"


def look_for_card(facts: dict) -> list:
    """Find out whether there is a card, and why its driver does not run."""
    if facts["os"] == "Windows":
        return [CARDS_ON_WINDOWS]
    if facts["wsl"]:
        return ["powershell.exe -c nvidia-smi"]
    if facts["container"]:
        return ["docker run --rm --gpus all IMAGE nvidia-smi"]
    if facts["driver"]["state"] == "failed":
        return ["sudo modprobe nvidia"]
    return ["lspci | grep -i nvidia"]


def working_cards(facts: dict) -> str:
    """The value of CUDA_VISIBLE_DEVICES that keeps the cards that compute."""
    devices = facts["gpu"]["devices"]
    visible = str(facts["visible_devices"] or "").split(",")
    if len(visible) < len(devices):
        visible = [str(index) for index in range(len(devices))]
    keep = [visible[i].strip() for i, d in enumerate(devices) if d["works"]]
    return ",".join(keep)


# zh: ==== 文字：每种诊断和每条建议各有一条中文、一条英文。键名不会变，
#   --json 里用的也是它们。
# en: ==== Words: for each diagnosis and each advice a text in Chinese and one
#   in English. The keys will not change: --json shows them too.

TEXTS = {
    "healthy": (
        "一切正常：每块可见的 GPU 都真正完成了一次小计算。",
        "All is well: every visible GPU really did a small computation.",
    ),
    "torch-missing": (
        "运行这个脚本的 Python 里没有安装 PyTorch。如果你把它装在了另一个环境，"
        "就用那个环境的 Python 再运行一次。",
        "The Python that runs this script has no PyTorch. If you installed it "
        "in another environment, run the script again with that Python.",
    ),
    "own-file-named-torch": (
        "导入的不是 PyTorch，而是你自己的一个叫 torch 的文件或文件夹，"
        "因为 Python 先在脚本旁边找。给它改名，PyTorch 就能导入了。",
        "What was imported is not PyTorch but a file or folder of your own "
        "named torch, because Python looks beside the script first. Rename "
        "it, and PyTorch can be imported.",
    ),
    "vc-runtime-missing": (
        "Windows 载入不了 PyTorch 的一个 DLL。最常见的原因是没有安装"
        "Microsoft Visual C++ 运行库，或者它太旧。装上最新的，再运行一次。",
        "Windows cannot load one of PyTorch's DLLs. The usual reason is that "
        "the Microsoft Visual C++ Redistributable is missing or too old. "
        "Install the latest one and run this again.",
    ),
    "libraries-shadowed": (
        "导入 torch 失败，因为 LD_LIBRARY_PATH 里的库排在 PyTorch 自带的库"
        "前面，而两者不配套。重装 PyTorch 没有用。下面的命令去掉这个变量再"
        "导入一次，如果成功，就不要再设置它。",
        "Importing torch fails because libraries from LD_LIBRARY_PATH come "
        "before the ones that PyTorch brings, and do not fit it. Reinstalling "
        "PyTorch does not help. The command below imports it without that "
        "variable. If this works, stop setting the variable.",
    ),
    "torch-broken": (
        "这个 Python 里有 PyTorch，但是导入失败，所以安装不完整，或者装的不是"
        "这台机器能用的 wheel。重新安装它。",
        "This Python has PyTorch, but importing it fails. So the installation "
        "is incomplete, or it is a build that this machine cannot use. "
        "Install it again.",
    ),
    "crashed": (
        "torch 让 Python 进程崩溃了，依据里写着是哪一步、哪个信号。SIGILL 表示"
        "CPU 没有这个 wheel 要用的指令，其他信号多半是安装损坏或驱动出错。"
        "下面的命令会打印崩溃时正在运行的代码。",
        "torch made the Python process crash. The evidence names the step and "
        "the signal. SIGILL means that the CPU lacks an instruction that this "
        "build uses; others usually mean a damaged installation or a fault in "
        "the driver. The command below prints the code that was running.",
    ),
    "no-answer": (
        "有一步在限定的时间内没有返回，依据里写着是哪一步。GPU 或驱动卡住时"
        "就是这样。先重启；如果还是卡住，就查内核日志里的 Xid 错误。",
        "One step did not return within its time limit. The evidence names "
        "it. A hung GPU or driver looks like this. Restart first; if it "
        "hangs again, look for Xid errors in the kernel log.",
    ),
    "cpu-only-build": (
        "装的是 CPU 版的 PyTorch，因为 torch.version.cuda、hip 和 xpu 都是 "
        "None，所以它用不了任何显卡。",
        "This is a CPU-only build of PyTorch, because torch.version.cuda, hip "
        "and xpu are all None. So it cannot use any GPU.",
    ),
    "no-driver": (
        "PyTorch 是 CUDA 版，但是没有正在运行的 NVIDIA 驱动。先让 nvidia-smi "
        "能正常显示显卡。下面的命令查看机器里有没有 NVIDIA 显卡，或者驱动为什么"
        "没有载入。WSL 用的是 Windows 里的驱动。",
        "PyTorch is a CUDA build, but no NVIDIA driver is running. First make "
        "nvidia-smi list the GPU. The command below shows whether there is an "
        "NVIDIA GPU, or why its driver is not loaded. WSL uses the driver of "
        "Windows.",
    ),
    "container-without-gpu": (
        "这个容器里没有 GPU，因为启动时没有要求。容器用宿主机的驱动，"
        "所以在宿主机上停掉它，加上 --gpus all 重新启动。",
        "This container has no GPU, because it was started without one. A "
        "container uses the host's driver. So stop it, and start it again on "
        "the host with --gpus all.",
    ),
    "container-lost-gpu": (
        "容器启动时有 GPU，后来失去了访问权。如果宿主机重新载入了 systemd "
        "的设置，就会这样。在宿主机上重启容器。",
        "The container had a GPU when it started and lost access to it. "
        "This happens when the host reloads the settings of systemd. Restart "
        "the container on the host.",
    ),
    "cuda-library-missing": (
        "nvidia-smi 正常，但是 PyTorch 找不到驱动的 CUDA 库 libcuda.so.1。"
        "在容器里，这是因为 NVIDIA_DRIVER_CAPABILITIES 没有包含 compute；"
        "在容器外，这个库没有安装，或者不在载入器查找的位置。",
        "nvidia-smi works, but PyTorch does not find the driver's CUDA "
        "library, libcuda.so.1. In a container this means that "
        "NVIDIA_DRIVER_CAPABILITIES does not include compute. Elsewhere the "
        "library is not installed, or not where the loader looks.",
    ),
    "driver-too-old": (
        "驱动太旧，运行不了这个 wheel，torch 的报错里写着驱动的版本。"
        "升级驱动，或者换一个驱动能运行的 wheel。",
        "The driver is too old for this build. torch's error gives the "
        "driver's version. Update the driver, or install a build that it can "
        "run.",
    ),
    "driver-mismatch": (
        "正在运行的内核模块和驱动的库版本不同。升级驱动之后没有重启就会这样，"
        "所以重启机器，容器则重启宿主机。",
        "The kernel module that is running and the driver's libraries have "
        "different versions. This happens when a driver was updated without "
        "a restart. So restart the machine, or the host of the container.",
    ),
    "fabric-manager": (
        "错误 802：用 NVSwitch 连接的 GPU 要等 nvidia-fabricmanager 服务运行"
        "之后才能用，而它没有运行。启动它；它的版本必须和驱动相同，"
        "没有这个服务就先安装。",
        "Error 802: GPUs connected by NVSwitch can only be used while the "
        "service nvidia-fabricmanager is running, and it is not. Start it. "
        "Its version must equal the driver's; if there is no such service, "
        "install it first.",
    ),
    "forward-compatibility": (
        "错误 804：程序载入了比驱动新的 CUDA 兼容库，而这块显卡或这个驱动"
        "不支持这样用。升级宿主机的驱动，或者换 CUDA 更旧的镜像，或者从"
        "下面这个变量里去掉 cuda/compat。",
        "Error 804: the program loaded a CUDA compatibility library that is "
        "newer than the driver, and this GPU or driver does not support that. "
        "Update the host's driver, use an image with an older CUDA, or take "
        "cuda/compat out of the variable below.",
    ),
    "hidden-devices": (
        "GPU 被环境变量 CUDA_VISIBLE_DEVICES 藏起来了，因为不带这个变量的"
        "另一个进程看到了 GPU。去掉它，并找出是谁设置的。",
        "The environment variable CUDA_VISIBLE_DEVICES hides the GPU, because "
        "a second process without it did see one. Unset it, and find out who "
        "sets it.",
    ),
    "mig-without-instances": (
        "显卡开启了 MIG，但是还没有划分实例，所以没有 CUDA 能用的 GPU。"
        "下面的命令列出可以划分的大小，然后用 nvidia-smi mig -cgi 编号 -C "
        "创建实例。",
        "MIG is enabled on the GPU but has no instances, so there is no GPU "
        "that CUDA can use. The command below lists the possible sizes; "
        "nvidia-smi mig -cgi ID -C then creates an instance.",
    ),
    "no-device": (
        "驱动在运行，但是没有给这个进程任何 GPU。检查容器、作业调度器和"
        "设备权限的设置。",
        "The driver is running but gives this process no GPU. Check the "
        "settings of the container, the job scheduler and the permissions of "
        "the devices.",
    ),
    "gpu-lost": (
        "驱动和一块 GPU 失去了联系。重启机器；如果再次出现，就检查供电、"
        "温度和插槽。",
        "The driver lost contact with a GPU. Restart the machine. If it "
        "happens again, check power, temperature and the slot.",
    ),
    "gpu-busy": (
        "GPU 被其他进程独占，或者它的计算模式禁止使用。看 nvidia-smi 里有哪些"
        "进程，以及 Compute M. 一栏是不是 Default。如果是，就结束其他进程再试；"
        "如果这是云服务器的 vGPU，还要看它有没有许可证。",
        "Another process has the GPU to itself, or the compute mode forbids "
        "its use. Look at the processes in nvidia-smi, and whether its column "
        "Compute M. shows Default. If it does, end the other processes and "
        "try again. If this is a vGPU in a cloud, check its license as well.",
    ),
    "gpu-memory-full": (
        "显存不足，连一次很小的计算也放不下，所以显存被其他进程占用了。"
        "用 nvidia-smi 看是哪个进程，WSL 里还要看内存的上限。",
        "Even a very small computation is out of memory, so other processes "
        "hold the GPU's memory. nvidia-smi shows which. In WSL, check the "
        "limit of system memory as well.",
    ),
    "gpu-newer-than-build": (
        "这个 PyTorch 里没有这块 GPU 的代码，因为 GPU 比编译进去的架构都新。"
        "换 CUDA 更新的 wheel。",
        "This PyTorch has no code for the GPU, because the GPU is newer than "
        "all architectures compiled in. Install a build for a newer CUDA.",
    ),
    "gpu-older-than-build": (
        "这个 PyTorch 里没有这块 GPU 的代码，因为 GPU 比编译进去的架构都旧。"
        "换仍然支持它的 wheel。",
        "This PyTorch has no code for the GPU, because the GPU is older than "
        "all architectures compiled in. Install a build that still has it.",
    ),
    "gpu-not-in-build": (
        "这个 PyTorch 里没有这块 GPU 的代码，虽然有更旧和更新的架构。"
        "换一个支持它的 wheel。",
        "This PyTorch has no code for the GPU, although it has code for older "
        "and for newer ones. Install a build that supports it.",
    ),
    "mixed-gpus": (
        "有的 GPU 正常，有的太旧或太新，这个 PyTorch 里没有它们的代码。"
        "不用重装，用下面的变量只让程序看到正常的 GPU。",
        "Some GPUs compute, but this PyTorch has no code for the others, "
        "which are too old or too new. You need not reinstall anything: the "
        "variable below shows programs only the GPUs that compute.",
    ),
    "cuda-unknown-error": (
        "CUDA 启动时出了未知错误。电脑睡眠之后常常这样，这时重新载入 "
        "nvidia_uvm 模块就好，否则重启。",
        "CUDA failed to start with an unknown error. This often happens after "
        "the computer was suspended. Loading the module nvidia_uvm anew then "
        "helps, otherwise a restart.",
    ),
    "cuda-init-error": (
        "CUDA 启动失败，原因在下面的报错里。如果升级驱动之后没有重启，"
        "就先重启；否则带着下面命令的输出求助。",
        "CUDA failed to start, for the reason in the error below. If the "
        "driver was updated and the machine not restarted, restart it. "
        "Otherwise ask for help with what the command below prints.",
    ),
    "computation-failed": (
        "PyTorch 看得到 GPU，但是在上面计算时失败了，原因在下面的报错里。",
        "PyTorch sees the GPU, but computing on it failed, for the reason in "
        "the error below.",
    ),
    "other-backend": (
        "这个 PyTorch 不是给 CUDA 用的，而是 ROCm、XPU 或 Mac 的 wheel。"
        "它没有坏，但是没有找到那一家的 GPU，所以检查那一家的驱动。",
        "This PyTorch is not for CUDA but a build for ROCm, XPU or a Mac. It "
        "is not broken, but found no GPU of that vendor. So check that "
        "vendor's driver.",
    ),
    "packages-mismatched": (
        "GPU 正常，但是 torchvision 或 torchaudio 是给另一个 torch 的，依据"
        "里写着是哪一个。导入或使用它时会报错，例如 operator "
        "torchvision::nms does not exist。下面的命令保留 torch，只换掉它"
        "们。",
        "The GPU works, but torchvision or torchaudio is for another "
        "torch. The evidence names which. Importing or using it raises an "
        "error, such as operator torchvision::nms does not exist. The "
        "commands below keep torch and replace only those.",
    ),
    "several-torches": (
        "这个 Python 里有不止一个 PyTorch，依据里列出了它们的版本。导入的不"
        "是你要的那一个，或者几个混在了一起。这样的环境修不好，所以下面建一"
        "个新的。",
        "This Python has more than one PyTorch. The evidence lists their "
        "versions. What is imported is not the one that you want, or a "
        "mixture of them. Such an environment cannot be repaired reliably, "
        "so the commands below create a new one.",
    ),
    "conda-mixed": (
        "conda 和 pip 在同一个环境里各装了一个 PyTorch，文件互相覆盖了。下"
        "面的命令建一个新环境，里面只用 pip 装 torch。",
        "conda and pip each installed a PyTorch into the same environment "
        "and overwrote each other's files. The commands below create a new "
        "environment, in which only pip installs torch.",
    ),
    "wrong-vendor-build": (
        "有一块能用的 NVIDIA GPU，但是这个 PyTorch 是给 AMD（ROCm）或 "
        "Intel（XPU）的 GPU 编译的。换成 CUDA 版。",
        "There is an NVIDIA GPU that works, but this PyTorch was built for "
        "GPUs of AMD (ROCm) or Intel (XPU). Install a CUDA build.",
    ),
    "nouveau": (
        "显卡现在由开源驱动 nouveau 控制，它没有 CUDA，NVIDIA 的驱动也因此"
        "载入不了。安装 NVIDIA 的驱动，它会停用 nouveau，然后重启。",
        "The open driver nouveau controls the GPU now. It has no CUDA, and "
        "it keeps NVIDIA's driver from loading. Install NVIDIA's driver, "
        "which disables nouveau, and restart.",
    ),
    "secure-boot": (
        "安全启动（Secure Boot）开着，nvidia 内核模块没有载入，因为内核只载"
        "入带有可信签名的模块。如果下面第一条命令报 Key was rejected by "
        "service 或 Required key not available，就用第二条登记签名用的密"
        "钥，然后重启，在蓝色的 MOK 界面里确认。",
        "Secure Boot is on and the kernel module nvidia is not loaded, "
        "because the kernel loads only modules with a signature that it "
        "trusts. If the first command below prints Key was rejected by "
        "service or Required key not available, enroll the signing key "
        "with the second one. Then restart and confirm on the blue MOK "
        "screen.",
    ),
    "wsl-linux-driver": (
        "WSL 里装了 Linux 的 NVIDIA 驱动，它的 libcuda.so.1 挡住了 Windows "
        "驱动提供的那一份。WSL 只用 Windows 的驱动，所以把里面这个卸载，再"
        "重启 WSL。",
        "A Linux driver of NVIDIA is installed inside WSL, and its "
        "libcuda.so.1 comes before the one that the Windows driver "
        "provides. WSL uses the driver of Windows only. So remove the one "
        "inside, and restart WSL.",
    ),
    "job-without-gpu": (
        "作业调度器没有给这个作业分配 GPU。不要去掉 CUDA_VISIBLE_DEVICES，"
        "那样会占用别人的 GPU；提交作业时申请一块。下面的命令显示作业分到了"
        "什么。",
        "The job scheduler gave this job no GPU. Do not unset "
        "CUDA_VISIBLE_DEVICES, because that would take a GPU from somebody "
        "else. Request one when you submit the job. The command below "
        "shows what the job was given.",
    ),
    "no-permission": (
        "驱动在运行，但是你没有权限读写它的设备文件，依据里写着是哪些。下面"
        "的命令显示权限；如果有一个组可以用，就把自己加进去，重新登录之后生"
        "效。",
        "The driver is running, but you may not read and write its device "
        "files, which the evidence lists. The commands below show their "
        "permissions. If there is a group that may use them, add yourself "
        "to it, which takes effect when you log in again.",
    ),
    "leftover-processes": (
        "GPU 被你自己的其他进程占用了，多半是以前运行的程序没有退出，例如 "
        "Jupyter 的内核。下面第一条命令显示它们是什么，确定不再需要，再用第"
        "二条结束它们。",
        "Other processes of yours use the GPU. They are usually programs "
        "that never ended, such as a Jupyter kernel. The first command "
        "below shows what they are. Once you are sure that you don't need "
        "them, end them with the second.",
    ),
    "integrated-graphics": (
        "这台笔记本设成了只用集成显卡，NVIDIA GPU 被关掉了，所以驱动载入不"
        "了。下面的命令让驱动重新载入，屏幕仍然由集成显卡显示，重启之后生"
        "效。如果想让 NVIDIA GPU 也负责显示，就把 on-demand 换成 nvidia。",
        "This laptop is set to use only its integrated graphics. That "
        "turns the NVIDIA GPU off, so its driver does not load. The "
        "commands below load it again after a restart, and leave the screen "
        "to the integrated graphics. If the NVIDIA GPU should draw the "
        "screen as well, write nvidia instead of on-demand.",
    ),
    "no-nvidia-card": (
        "系统里没有 NVIDIA GPU，只有集成显卡或者其他厂商的显卡，所以 CUDA "
        "用不了。这里 CPU 版就是对的。AMD 的显卡可以试 ROCm 版，Intel 的可"
        "以试 XPU 版。",
        "This system has no NVIDIA GPU, only integrated graphics or a card "
        "of another vendor, so CUDA cannot work. The CPU-only build is "
        "right here. For a card of AMD you can try a ROCm build, for one "
        "of Intel an XPU build.",
    ),
    "ascend-without-npu": (
        "装了昇腾的 torch_npu，但是没有找到 NPU。torch 用的是 CPU 版，这没"
        "有错，因为 NPU 由 torch_npu 提供。先让 npu-smi 显示出 NPU，再核对 "
        "torch_npu、torch 和 CANN 的版本是否配套。",
        "torch_npu for Ascend is installed, but no NPU was found. That "
        "torch itself is a CPU-only build is right, because torch_npu "
        "provides the NPU. First make npu-smi list the NPU, then check "
        "that torch_npu, torch and CANN fit each other.",
    ),
    "unknown": (
        "这些事实不足以判断。求助时，把下面命令的输出一起贴出来。",
        "These facts do not decide it. When you ask for help, post what the "
        "command below prints as well.",
    ),
}
ADVICE = {
    "driver": (
        "把驱动升级到 {driver} 或更新。",
        "Update the driver to {driver} or newer.",
    ),
    "python": (
        "换用 Python {python}，因为现在的 Python 没有适合这块 GPU 和这个驱动"
        "的 wheel。",
        "Use Python {python}, because there is no wheel for the present "
        "Python that fits this GPU and driver.",
    ),
    "driver-python": (
        "把驱动升级到 {driver} 或更新，并换用 Python {python}。",
        "Update the driver to {driver} or newer, and use Python {python}.",
    ),
    "last-driver": (
        "R{last} 是最后一个支持这块显卡的驱动系列，不要装更新的。",
        "R{last} is the last series of drivers that supports this GPU, so "
        "do not install a newer one.",
    ),
    "or": ("任选一种办法：", "Either of these will do:"),
    "without": (
        "没有一个 wheel 同时支持所有显卡，所以下面的 wheel 不支持计算能力为 "
        "{cards} 的显卡。",
        "No build supports all cards at once, so the build below leaves out "
        "those with compute capability {cards}.",
    ),
    "no-torchaudio": (
        "没有和它配套的 torchaudio，所以不装。",
        "There is no torchaudio for it, so none is installed.",
    ),
    "no-build": (
        "没有一个现有的 wheel 支持这块 GPU。",
        "None of the present builds supports this GPU.",
    ),
    "no-driver": (
        "先装好显卡的驱动，再运行一次本脚本，它会给出合适的 wheel。如果没有 "
        "NVIDIA 显卡，就用 CPU 版：{cpu}",
        "Install the driver of the GPU first and run this script again: it "
        "will name the build that fits. If there is no NVIDIA GPU, the "
        "CPU-only build is the one to use: {cpu}",
    ),
    "no-driver-seen": (
        "如果有 NVIDIA 显卡，先装好它的驱动，再运行一次本脚本，它会给出合适的 "
        "wheel。如果没有，CPU 版就是对的，不用换。",
        "If there is an NVIDIA GPU, install its driver first and run this "
        "script again: it will name the build that fits. If there is none, "
        "the CPU-only build is right, and nothing has to change.",
    ),
    "driver-mismatch": TEXTS["driver-mismatch"],
    "gpu-lost": TEXTS["gpu-lost"],
    "again": (
        "然后再运行一次本脚本，它会给出合适的 wheel。",
        "Then run this script again: it will name the build that fits.",
    ),
    "no-libcuda": (
        "nvidia-smi 在 CUDA Version 一栏显示 N/A，因为它没有找到驱动的 CUDA 库"
        " libcuda.so.1。没有这个库，装了哪个 wheel 都用不了 GPU，所以先找到它。"
        "在容器里，缺它是因为 NVIDIA_DRIVER_CAPABILITIES 没有包含 compute。",
        "nvidia-smi shows N/A as the CUDA Version because it did not find the "
        "driver's CUDA library, libcuda.so.1. Without it no build can use the "
        "GPU, so look for it first. In a container it is missing where "
        "NVIDIA_DRIVER_CAPABILITIES does not include compute.",
    ),
    "jetson": (
        "Jetson 用的不是台式机的 wheel，而是 NVIDIA 为各版 JetPack 提供的。"
        "下面的命令显示 JetPack 的版本，然后到 "
        "https://docs.nvidia.com/deeplearning/frameworks/"
        "install-pytorch-jetson-platform 查找。",
        "A Jetson does not use the wheels for desktops but those that NVIDIA "
        "offers for each JetPack. The command below shows the version. Then "
        "look it up on https://docs.nvidia.com/deeplearning/frameworks/"
        "install-pytorch-jetson-platform.",
    ),
    "32-bit": (
        "这是 32 位的 Python，而 PyTorch 只有 64 位的 wheel。"
        "安装 64 位的 Python。",
        "This is a 32-bit Python, and PyTorch has wheels for 64 bits only. "
        "Install a 64-bit Python.",
    ),
    "mac": (
        "Mac 的 wheel 用的是 MPS，不是 CUDA。",
        "The wheel for Macs uses MPS, not CUDA.",
    ),
    "intel-mac": (
        "PyTorch 2.2 之后不再有 Intel Mac 的 wheel。",
        "PyTorch has had no wheels for Intel Macs since version 2.2.",
    ),
    "musl": (
        "这个系统用的 C 库不是 glibc（例如 Alpine），PyTorch 没有它的 wheel。"
        "换用 Debian 或 Ubuntu 的镜像。",
        "The C library of this system is not glibc (Alpine, for example), and "
        "PyTorch has no wheels for it. Use an image of Debian or Ubuntu.",
    ),
    "old-glibc": (
        "这个系统的 glibc 比 2.28 旧，现在的 wheel 装不上。换用更新的系统，"
        "或者用容器。",
        "The glibc of this system is older than 2.28, so the present wheels "
        "cannot be installed. Use a newer system, or a container.",
    ),
    "system": (
        "PyTorch 没有这种系统和处理器的 CUDA 版 wheel。",
        "PyTorch has no CUDA wheels for this system and processor.",
    ),
    "managed": (
        "系统自带的 Python 不让 pip 安装，所以先建一个虚拟环境。",
        "The system's own Python does not let pip install anything, so a "
        "virtual environment is created first.",
    ),
}


def advice(facts: dict, code: str, found: dict) -> list:
    """What stands in the way of the right build: keys of ADVICE, and values."""
    if code not in CHANGES_BUILD:
        return []
    said = []
    if found["cuda"]:
        if lacks_libcuda(facts):
            said.append({"key": "no-libcuda"})
        if found["without"]:
            cards = ", ".join(found["without"])
            said.append({"key": "without", "cards": cards})
        if "torchaudio" in facts["packages"] and not found["audio"]:
            said.append({"key": "no-torchaudio"})
    elif found["reason"] == "needs":
        if len(found["needs"]) > 1:
            said.append({"key": "or"})
        said += [
            dict(need, key="-".join(sorted(need))) for need in found["needs"]
        ]
        cards = [gpu["capability"] for gpu in facts["driver"]["gpus"]]
        last = [LAST_DRIVERS[card] for card in cards if card in LAST_DRIVERS]
        if last and any("driver" in need for need in found["needs"]):
            said.append({"key": "last-driver", "last": min(last)})
    else:
        key = found["reason"]
        if key == "no-driver" and code == "cpu-only-build":
            key = "no-driver-seen"
        index = " --index-url " + WHEELS + "cpu"
        cpu = facts["command"] + " -m pip install torch"
        cpu += "" if facts["os"] == "Windows" else index
        said.append({"key": key, "cpu": cpu})
        if key in REPAIRED:
            said.append({"key": "again"})
    if facts["managed"] and code == "torch-missing" and found["cuda"]:
        said.append({"key": "managed"})
    return said


# zh: ==== 报告：给人看的几行，或者给程序看的 JSON。
# en: ==== Report: lines for people, or JSON for programs.


def report(facts: dict, found: dict, zh: bool) -> list:
    """The lines that a reader sees."""
    facts, word = complete(facts, FACTS), 0 if zh else 1
    torch, driver = facts["torch"], facts["driver"]
    cuda = driver["cuda"] and f"CUDA <= {driver['cuda']}"
    shown = str(cuda or driver["error"] or driver["state"])
    lines = [
        f"Python   {facts['python']}  {facts['interpreter']}",
        f"PyTorch  {torch['version'] or torch['state']}",
        f"Driver   {driver['version'] or 'nvidia-smi: ' + shown}",
    ]
    for gpu in driver["gpus"]:
        cells = [gpu["name"], gpu["memory"], str(gpu["capability"] or "")]
        lines.append("GPU      " + "  ".join(cells))
    lines += ["", ("诊断：" if zh else "Diagnosis: ") + found["code"]]
    lines += [TEXTS[found["code"]][word]]
    for item in found["advice"]:
        lines.append(ADVICE[item["key"]][word].format(**item))
    lines += ["", "依据：" if zh else "Why:"]
    lines += ["  " + line for line in found["why"]]
    if found["next"]:
        lines += ["", "下一步：" if zh else "Next:"]
        lines += ["  " + line for line in found["next"]]
    return lines


def age() -> int:
    """How many days ago the data were read."""
    return max(
        0,
        (
            datetime.date.today() - datetime.date(*map(int, READ.split("-")))
        ).days,
    )


def data_line(zh: bool) -> str:
    """Which version of the data this copy carries, and how old it is."""
    days = age()
    if zh:
        old = "过了很久，重新下载本脚本再看。" if days > 90 else ""
        ago = f"{days} 天前" if days else "就是今天"
        return f"数据：{READ} 读取的 wheel 列表，{ago}。{old}"
    old = " That is long: download this script again." if days > 90 else ""
    ago = {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")
    return f"Data: the list of wheels as of {READ}, {ago}.{old}"


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
    steps = {"torch": step_torch, "count": step_count}
    parser.add_argument("--step", choices=steps, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        steps[options.step]()
        return 0
    zh = wants_chinese(options.lang)
    facts = collect()
    found = diagnose(facts)
    lines = [*report(facts, found, zh), "", data_line(zh)]
    if options.json:
        del facts["interpreter"], facts["command"]
        data = {"read": READ, "days": age()}
        everything = {"facts": facts, "diagnosis": found, "data": data}
        lines = [json.dumps(without_user_names(everything), indent=2)]
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(line.encode(encoding, "backslashreplace").decode(encoding))
    if found["code"] == "unknown":
        return 2
    return 0 if found["healthy"] else 1


if __name__ == "__main__":
    sys.exit(main())
