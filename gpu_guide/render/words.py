"""Every word that the renderer itself shows to readers: a table a language, with the same keys.

Another language is another table in `WORDS`. `make check` names each word that a language of the
project lacks; a page that needs one is not built. What stands in data/*.yml is translated there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from gpu_guide.problems import GuideError, Problem
from gpu_guide.snippets.model import Language

WORDS: dict[Language, dict[str, str | tuple[str, ...]]] = {
    "zh": {
        # Between the parts of a claim, the members of a list, and the links to sources.
        "comma": "，",
        "list_comma": "、",
        "full_stop": "。",
        "semicolon": "；",
        # A snippet.
        "download": "下载 {file}",
        "run": "运行：",
        "how_to_run": "如何运行",
        "how_to_run_file": "如何运行 {file}",
        "run_in_wsl": "在 WSL2 里，用和 Linux 一样的命令",
        "run_installed": "环境里已经装好了它用的包：",
        "run_more": "文件存在哪里，uv 做什么",
        "frame": "开头 7 行：选设备和后端",
        "guess": "先猜一猜，再看它打印什么",
        # Where an output comes from: the label of its tab, and what the evidence line says.
        "simulated": "模拟",
        "simulated_one": "模拟 {count} 块 GPU：只核对了张量的位置",
        "simulated_many": "模拟 {count} 块 GPU：只核对了张量的位置",
        "not_recorded": "需要 GPU：还没有记录，输出不显示",
        "stand_in": "替身 GPU，没有硬件（PyTorch {torch}）",
        "stand_in_claim": "PyTorch {torch} 自己的代码，{gpu}，没有硬件",
        "stand_in_gpu": "替身 GPU",
        "processes": "{count} 个进程（{backend}）",
        "cuda_build": "CUDA 版，没有 GPU",
        "on_system": "{name}（{system}）",
        "driver": "驱动 {version}",
        "snippet_stale": "{gpu}（{date}）跑过，之后代码改过：那次的输出不再显示",
        "also_needs": "还需要{needs}",
        "needs_capability": "计算能力不低于 {version}",
        "needs_triton": "Triton 和 C 编译器",
        "needs_no_wddm": "Windows 和 WSL2 以外的系统",
        "needs_linux": "Linux",
        "needs_torch": "PyTorch {version} 或更新的版本",
        # A page as Markdown.
        "colon": "：",
        "text_ran": "运行记录：{where}",
        "text_picture": "图“{title}”：{text}",
        "text_drawn": "图：{text}",
        "text_from": "原页：{address}",
        "text_whole": "所有页面，一个文件",
        # A lab.
        "notebook": "下载 notebook",
        "colab": "在 Colab 里打开",
        "kaggle": "在 Kaggle 里打开",
        "how": "如何打开",
        "output": "输出 {number}",
        "ran": "输出来自：",
        "one_thread": "1 个线程",
        "your_code": "在这里写你的代码",
        "solution": "参考答案",
        "prints": "它打印：",
        "lab_stale": "{gpu}（{date}）跑过，之后代码改过：那次的输出不再显示",
        # The zip for reading without a network.
        "offline_title": "PyTorch GPU 指南，离线版，{version}（{date}）",
        "offline_how": "如何打开：先把整个压缩包解压，再双击文件夹里的 index.html，"
        "浏览器就会打开它。不要在压缩包里直接双击，因为那样浏览器找不到其他文件。",
        "offline_what": "不联网也能用的有：中英文两个站的全部页面、搜索、诊断等小工具、"
        "可以下载的代码（snippets 文件夹）和实验的 notebook。指向其他网站的链接需要联网。",
        "offline_licence": "文字以 CC BY 4.0 许可，代码以 MIT-0 许可。",
        # A PDF of a section.
        "pdf_guide": "PyTorch GPU 指南",
        "pdf_edition": "版本 {version}，{date}",
        # A plot.
        "no_plot_gpu": "还没有记录，所以没有图。"
        "有 GPU 的人运行上面的代码，就能看到自己机器上的数字。",
        "no_plot": "还没有记录，所以没有图。运行上面的代码，就能看到自己机器上的数字。",
        "figures": "图里的数字",
        "spread": "数值是中位数，细线两端和括号里是四分位数：一半的测量落在这之间",
        "peak": "{gpu} 的峰值（TFLOPS，稠密）：{peaks}",
        # Below a table.
        "sources": "来源（{day} 读取）：",
        # The tables of wheels.
        "unchecked": "未核实",
        "second_hand": "{text}（未核实）",
        # A message on the pages of reference/errors.
        "sentence_space": "",
        "error_also": "也可能写作：{wordings}",
        "error_confirm": "**如何确认**：{how}",
        "error_unlike": "**容易混淆的**：{others}。{apart}",
        "errors_elsewhere": "现在在另一页上的报错",
        "error_more": "详细说明：[{title}]({address})",
        "error_in_torch": "文字见 torch {releases} 的 {file}",
        "error_from": "出处：{source}",
        # The page of a single message.
        "message_own_page": "这条报错单独的页面",
        "message_fix": "如何解决",
        "message_more": "详细说明：",
        "message_confirm": "如何确认是这个原因",
        "message_unlike": "看起来相似的报错",
        "message_wordings": "报错原文",
        "message_varies": "“…”代表每次不同的部分，例如数字或文件名。",
        "message_met": "这条报错出现在：{places}。",
        "message_in_torch": "在 torch {releases} 的 {file} 里可以找到原文。",
        "message_from": "出处：{source}。",
        "message_snippet": "下面的代码会引发这条报错：",
        "message_shown": "，所在页面是",
        "message_others": "如果不是这一条",
        "message_group": "同一类的其他报错：",
        "message_whole_log": "如果手上有整段日志，就把它粘贴到",
        "message_box": "诊断框",
        # The page that diagnoses.
        "diagnose_needs_javascript": "诊断框需要 JavaScript。没有它，就在下面的表里找。",
        "diagnose_label": "粘贴报错、日志，或者 nvidia-smi、collect_env、dmesg、doctor.py 的输出",
        "diagnose_privacy": "文字只在你的浏览器里分析，不会发送到任何地方。",
        "diagnose_clear": "清空",
        "diagnose_link": "复制带这段文字的链接",
        "diagnose_text": "文字里有",
        "diagnose_means": "意思",
        "diagnose_more": "详细说明",
        # Its verdicts: the rules bring these words.
        "verdict_cut": "文字太长，只看了开头和结尾各 10 万个字符。",
        "verdict_fault": "原因",
        "verdict_healthy": "没有看到问题",
        "verdict_remark": "只是提示，程序会继续运行",
        "verdict_unknown": "我不知道",
        "verdict_unsure": "这段文字里没有能确定原因的内容。请把报错从头到尾完整地贴进来，"
        "或者运行下面的命令，把输出贴进来。",
        "verdict_lines": "依据这几行",
        "verdict_todo": "怎么办",
        "verdict_next": "接下来运行",
        "verdict_more": "详细说明：",
        "verdict_also": "文字里还有",
        "verdict_notes": "值得知道",
        "verdict_doctor": "doctor.py 的诊断",
        "verdict_get": "下载 doctor.py：",
        "verdict_table": "逐栏解释这张 nvidia-smi 表",
        "verdict_head": "第一行",
        "verdict_field": "栏",
        "verdict_value": "值",
        "verdict_means": "意思",
        "verdict_instance": "MIG 实例",
        "verdict_processes": "进程",
        "verdict_none": "没有列出进程。容器里看不到进程，所以不表示没有程序在用。",
        "verdict_copy": "复制",
        "verdict_copied": "已复制",
        "verdict_linked": "链接已复制。打开它的人会看到这段文字。",
        # The page reference/verified.
        "verified_snippet": "代码片段",
        "verified_place": "在哪里",
        "verified_share": "占多少",
        "verified_count": "{passed} / {meant}",
        "verified_count_stale": "，{stale} 段过期",
        "verified_cpu": "CPU",
        "verified_simulated": "模拟",
        "verified_stand_in": "替身 {torch}",
        "verified_build": "CUDA 版 {torch}，无 GPU",
        "verified_gpu": "GPU",
        "verified_passed": "通过",
        "verified_other": "–",
        "verified_not_run": "未运行",
        "verified_stale": "过期",
        # The page reference/apis.
        "apis_more": "还有 {count} 个代码片段",
        "apis_unused": "torch {torch} 的 {of} 个名字里，没有用到的有 {count} 个：",
        "apis_deprecated": "torch {torch} 的警告原文：“{text}”",
        "apis_shown": "见代码片段 {snippets}",
        "on_linux": "Linux",
        "on_windows": "Windows",
        "on_wsl": "WSL",
        "on_mac": "Mac",
        "on_container": "容器",
        "on_notebook": "notebook",
        "cpu": "CPU 版",
        "mps": "CPU 和 MPS",
        "none": "没有 wheel",
        "cuda": "CUDA {version}",
        "not_published": "{tag}（不再发布）",
        "nightly": "{tag}（只有每夜版）",
        "and_newer": "≥ {version}",
        "branch_and_newer": "驱动 ≥ {branch}",
        "branches": "驱动 {first}–{last}",
        "of_torch": "{tag}，torch {torch}",
        "nothing": "没有",
        "card_driver": "≥ {version}（{gpu} ≥ {least}）",
        "heads_compatibility": ("索引", "torch", "Linux 驱动", "Windows 驱动", "GPU 架构"),
        "heads_choice": ("GPU 架构", "例如"),
        "heads_commands": ("系统", "GPU 架构，例如", "驱动", "命令"),
        "such_as": "{name}（{card}）",
        "first_to_last": "{first}到 {last}",
        "drivers_of_both": "Linux ≥ {linux}，Windows ≥ {windows}",
        "heads_generations": ("GPU 架构", "计算能力", "例如", "能用的索引和 torch"),
        "heads_pip": ("torch", "Linux x86-64", "Linux Arm", "Windows", "Mac（Apple 芯片）"),
        "heads_releases": ("torch", "最新补丁", "CUDA 版的索引", "Python"),
        "heads_arm": ("索引", "torch", "编译进去的架构"),
        "heads_drivers": ("`torch.version.cuda`", "Linux 驱动", "Windows 驱动"),
        # The calculator of multi-gpu/.
        "calculator_method": "方法",
        "calculator_sent": "每块卡每步发送",
        "calculator_token": "平均每个 token",
        "calculator_time": "环形算法至少要",
        "calculator_ddp": "DDP",
        "calculator_fsdp": "FSDP2",
        "calculator_split": "张量并行",
        # The wheel chooser of install/index.
        "chooser_fallback": "这里的选择器要用 JavaScript。如果浏览器不运行它，就在下表里"
        "从上往下找，第一行系统、GPU 和驱动都符合的就是你的命令，请在虚拟环境里运行。",
        "chooser_system": "系统",
        "chooser_tool": "安装工具",
        "chooser_gpu": "GPU",
        "chooser_driver": "驱动版本，没有就留空",
        "chooser_python": "Python",
        "chooser_torch": "torch 版本",
        "chooser_with_torchvision": "也装 torchvision",
        "chooser_with_torchaudio": "也装 torchaudio",
        "chooser_china": "用国内镜像站",
        "chooser_system_linux": "Linux（x86-64）",
        "chooser_system_wsl": "WSL2",
        "chooser_system_linux-arm": "Linux（Arm）",
        "chooser_system_windows": "Windows",
        "chooser_system_mac": "Mac（Apple 芯片）",
        "chooser_system_mac-intel": "Mac（Intel 芯片）",
        "chooser_tool_pip": "pip",
        "chooser_tool_uv": "uv",
        "chooser_tool_conda": "conda-forge",
        "chooser_gpu_none": "没有 NVIDIA GPU",
        "chooser_gpu_amd": "AMD 的 GPU",
        "chooser_gpu_intel": "Intel 的 GPU",
        "chooser_newest": "能用的最新版本",
        "chooser_paste": "不清楚驱动和 GPU？粘贴 nvidia-smi 的输出",
        "chooser_paste_hint": "只在你的浏览器里读取，不会发送出去",
        "chooser_read": "读到了：{seen}",
        "chooser_not_read": "没有认出全部型号或驱动，剩下的请在上面自己选。",
        "chooser_why": "为什么：",
        "chooser_after": "装完以后运行：",
        "chooser_comma": "、",
        "chooser_and": "，",
        "chooser_change_driver": "驱动不低于 {value}",
        "chooser_change_python": "换用 Python {value}",
        "chooser_change_torch": "换用 torch {value}",
        "chooser_need": "如果{changes}，就有能用的 wheel。",
        "chooser_none_now": "没有这样的命令，因为没有一个 wheel 同时适合这里选的驱动、GPU、Python "
        "和 torch。",
        "chooser_none_no_driver": "现在还没有，因为没有驱动，CUDA 版就用不了 GPU。先装驱动。",
        "chooser_none_intel_mac": "没有，因为 torch 2.2.2 之后不再有 Intel Mac 的 wheel。",
        "chooser_none_jetson": "没有，因为 Jetson 的驱动跟着 JetPack 走，这些 wheel 里没有能在它上"
        "面运行的代码。各版 JetPack 装哪个 wheel，见 "
        "[Jetson](%PAGES%/install/compatibility/#jetson)。",
        "chooser_none_amd": "没有，因为 AMD 的 GPU 要装 ROCm 版，这里只有 CUDA 版。怎么装见 "
        "[AMD：ROCm](%PAGES%/platforms/other-accelerators/#amd)。",
        "chooser_none_intel": "没有，因为 Intel 的 GPU 要装 XPU 版，这里只有 CUDA 版。怎么装见 "
        "[Intel：XPU](%PAGES%/platforms/other-accelerators/#intel)。",
        "chooser_none_build": "没有，因为现有的 wheel 里都没有计算能力 {gpus} 的代码。",
        "chooser_none_conda": "没有，因为 conda-forge 给这个系统的包，我们没有查到资料。请选 pip，"
        "它在 conda 环境里也能用。",
        "chooser_none_conda_threads": "没有，因为自由线程的 Python 在 conda-forge 上怎么装，我们没"
        "有查到资料。请选 uv 或 pip。",
        "chooser_none_conda_torch": "没有，因为 conda-forge 上有哪些 torch 版本，不在本站的数据"
        "里。请选能用的最新版本，或者选 pip。",
        "chooser_none_conda_gpu": "没有，因为 conda-forge 的包是否支持计算能力低于 {gpu} 的 GPU "
        "和 Jetson，不在本站的数据里。请选 pip，它在 conda 环境里也能用。",
        "chooser_why_build": "CUDA {cuda} 版要求不低于 {driver} 的驱动，里面有计算能力 {gpus} "
        "的代码。最新的 torch 是 {torch}。",
        "chooser_why_below": "索引 `{tag}` 上从 torch {torch} 起的版本没有这块 GPU 的代码，所以用 "
        "`<{torch}` 挡住它们。",
        "chooser_why_without": "没有一个 wheel 支持所有这些 GPU，所以这个 wheel 不支持计算能力 "
        "{gpus} 的那些。",
        "chooser_why_last_driver": "R{driver} 是最后一个支持这块 GPU 的驱动系列，不要装更新的。",
        "chooser_why_windows": "PyPI 上的 Windows 版是 CPU 版，所以命令里要写明索引。",
        "chooser_why_wsl": "WSL2 用的是 Windows 的驱动，不要在 Linux 里再装一个。",
        "chooser_why_mac": "Mac 的 wheel 用 Mac 自己的 GPU，设备名是 `mps`。Mac 上没有 CUDA。",
        "chooser_why_cpu": "没有 NVIDIA GPU，CUDA 版就没有用处，CPU 版下载要小得多。AMD 和 Intel "
        "的 GPU 要用[其他 wheel](%PAGES%/platforms/other-accelerators/)。",
        "chooser_why_audio": "torchaudio 单独装，并且写明版本，因为 2.11.0 的元数据里没有写它要哪"
        "个 torch，pip 不会替你配对。",
        "chooser_why_no_audio": "不装 torchaudio，因为和它配套的 {audio} 没有这个 CUDA 版本或 "
        "Python {python} 的 wheel。",
        "chooser_why_pypi_mirror": "PyPI 上这个系统的 torch {torch} 就是 CUDA {cuda} 版，所以任何"
        "一个 PyPI 镜像站都有。镜像站我们没有试过。",
        "chooser_why_pypi_mirror_plain": "这个 wheel 在 PyPI 上，所以任何一个 PyPI 镜像站都有。镜"
        "像站我们没有试过。",
        "chooser_why_wheel_mirror": "通用镜像站没有名字里带 `{local}` 的 wheel，所以用 PyTorch "
        "wheel 的专用镜像，版本号要写全。镜像站我们没有试过，如果装不上，就不用镜像。",
        "chooser_why_uv_mirror": "加上 `--index-strategy unsafe-best-match`，uv 才会像 pip 那样比"
        "较两个索引里的版本。",
        "chooser_why_conda": "conda 自己读取驱动支持的 CUDA，所以不用选 CUDA 版本。写上 `cuda*`，"
        "装不到 CUDA 版时它会报错，而不是改装 CPU 版。",
        "chooser_why_conda_plain": "conda-forge 的包是它自己编译的，和 pip 装的不是同一份。",
        "chooser_why_conda_mirror": "`--override-channels` 让 conda 只用写出来的镜像。镜像站我们没"
        "有试过，如果装不上，就不用镜像。",
        "chooser_expect_cuda": "应该打印 torch 的版本、`{cuda}` 和 `True`。",
        "chooser_expect_conda": "应该打印 torch 的版本、CUDA 的版本和 `True`。",
        "chooser_expect_mac": "应该打印 torch 的版本和 `True`。",
        "chooser_expect_cpu": "应该打印 torch 的版本和 `None`。",
        # The table of NCCL backends.
        # The tables of mirrors and of clouds.
        "heads_mirrors": ("地址", "有什么", "最近一次知道它可用"),
        "mirror_known": "{day}：{known}",
        "heads_clouds": ("平台", "有什么 GPU", "如何打开", "什么会丢"),
        # The tables of GPUs.
        "cycles": "{cycles} 个周期，{ns} ns",
        "per_sm": "每个 SM {size}",
        "level_registers": "寄存器",
        "level_shared": "L1 和共享内存",
        "level_l2": "L2 缓存",
        "level_memory": "显存",
        "level_nvlink": "其他 GPU 的显存，经 NVLink",
        "level_bus": "内存，经总线",
        "heads_levels": ("{gpu}", "大小", "每秒搬多少", "读一次等多久"),
        "about": "≈ {value}",
        "yes": "有",
        "no": "没有",
        "heads_gpus": (
            "GPU",
            "计算能力",
            "显存 GB",
            "带宽 GB/s",
            "FP32",
            "FP16 / bf16",
            "FP8",
        ),
        "gpus_nvlink": "NVLink GB/s",
        "heads_gpus_laptop": ("GPU", "计算能力", "SM 数", "显存 GB", "带宽 GB/s"),
        "heads_gpus_needs": (
            "计算能力",
            "架构",
            "bf16",
            "FP8",
            "索引和它的最新 torch",
            "Linux 驱动",
        ),
        "heads_backends": ("不同之处", "{since} 之前", "从 {since} 起"),
    },
    "en": {
        "comma": ", ",
        "list_comma": ", ",
        "full_stop": ".",
        "semicolon": "; ",
        "download": "Download {file}",
        "run": "Run: ",
        "how_to_run": "How to run",
        "how_to_run_file": "How to run {file}",
        "run_in_wsl": "in WSL2, with the command for Linux",
        "run_installed": "Where the packages that it uses are installed: ",
        "run_more": "Where the file is, and what uv does",
        "frame": "the first 7 lines: device and backend",
        "guess": "Guess first, then see what it prints",
        "simulated": "Simulated",
        "simulated_one": "Simulated, {count} GPU: placement only",
        "simulated_many": "Simulated, {count} GPUs: placement only",
        "not_recorded": "Needs a GPU: not recorded yet, so no output is shown",
        "stand_in": "Stand-in GPU, no hardware (PyTorch {torch})",
        "stand_in_claim": "PyTorch {torch}'s own code on a {gpu}, no hardware",
        "stand_in_gpu": "stand-in GPU",
        "processes": "{count} processes ({backend})",
        "cuda_build": "CUDA build, no GPU",
        "on_system": "{name} ({system})",
        "driver": "driver {version}",
        "snippet_stale": "{gpu} ran older code ({date}): its output is not shown",
        "also_needs": "Also needs {needs}",
        "needs_capability": "compute capability {version} or higher",
        "needs_triton": "Triton and a C compiler",
        "needs_no_wddm": "a system other than Windows and WSL2",
        "needs_linux": "Linux",
        "needs_torch": "PyTorch {version} or newer",
        "colon": ": ",
        "text_ran": "Evidence: {where}",
        "text_picture": "Picture “{title}”: {text}",
        "text_drawn": "Picture: {text}",
        "text_from": "This page: {address}",
        "text_whole": "All pages in one file",
        "notebook": "Download the notebook",
        "colab": "Open in Colab",
        "kaggle": "Open in Kaggle",
        "how": "How to open it",
        "output": "Output {number}",
        "ran": "Outputs from: ",
        "one_thread": "1 thread",
        "your_code": "your code here",
        "solution": "Solution",
        "prints": "It prints:",
        "lab_stale": "{gpu} ran older code ({date}): its outputs are not shown",
        "offline_title": "PyTorch GPU Guide, offline edition, {version} ({date})",
        "offline_how": "How to open it: unpack the whole zip first, then double-click index.html "
        "in the folder, and your browser shows the guide. A double-click inside the zip does not "
        "work, because the browser cannot find the other files from there.",
        "offline_what": "These work without a network: all pages in Chinese and English, the "
        "search, the tools such as the diagnosis, the code for download (in the folder snippets), "
        "and the notebooks of the labs. Links to other sites need a network.",
        "offline_licence": "The text is under CC BY 4.0, the code under MIT-0.",
        "pdf_guide": "PyTorch GPU Guide",
        "pdf_edition": "Version {version} of {date}",
        "no_plot_gpu": "No record yet, so there is no plot. "
        "On a GPU, the code above prints your figures.",
        "no_plot": "No record yet, so there is no plot. The code above prints your figures.",
        "figures": "The figures of the plot",
        "spread": "medians; thin lines and brackets: quartiles, between which half of the "
        "measurements are",
        "peak": "peak of the {gpu} (TFLOPS, dense): {peaks}",
        "sources": "Sources, read {day}: ",
        "unchecked": "not checked",
        "second_hand": "{text} (not checked)",
        "sentence_space": " ",
        "error_also": "Also written as {wordings}",
        "error_confirm": "**To confirm:** {how}",
        "error_unlike": "**Not to be confused with** {others}. {apart}",
        "errors_elsewhere": "Messages that stand on another page now",
        "error_more": "Explained in [{title}]({address})",
        "error_in_torch": "text in {file} of torch {releases}",
        "error_from": "printed by {source}",
        # The page of a single message.
        "message_own_page": "The page of this message",
        "message_fix": "How to fix it",
        "message_more": "Explained in ",
        "message_confirm": "How to confirm that this is the cause",
        "message_unlike": "Messages that look similar",
        "message_wordings": "How the message reads",
        "message_varies": "Each … stands for what varies, such as a number or a file name.",
        "message_met": "People meet the message on {places}.",
        "message_in_torch": "Its text is in {file} of torch {releases}.",
        "message_from": "It is printed by {source}.",
        "message_snippet": "This code raises it: ",
        "message_shown": ", which is shown in ",
        "message_others": "If it is another message",
        "message_group": "The other messages of this kind: ",
        "message_whole_log": "If you have a whole log, paste it into ",
        "message_box": "the box that diagnoses",
        # The page that diagnoses.
        "diagnose_needs_javascript": "The box needs JavaScript. Without it, use the table below.",
        "diagnose_label": "Paste an error, a log, or the output of nvidia-smi, collect_env, dmesg "
        "or doctor.py",
        "diagnose_privacy": "The text is looked at in your browser only and is not sent anywhere.",
        "diagnose_clear": "Clear",
        "diagnose_link": "Copy a link with this text",
        "diagnose_text": "what stands in the text",
        "diagnose_means": "what it means",
        "diagnose_more": "explained in",
        # Its verdicts: the rules bring these words.
        "verdict_cut": "The text is long: only its first and last 100,000 characters "
        "were looked at.",
        "verdict_fault": "Cause",
        "verdict_healthy": "No fault is visible",
        "verdict_remark": "A warning: the program goes on",
        "verdict_unknown": "I don't know",
        "verdict_unsure": "Nothing in this text decides the cause. Paste the whole error from its "
        "first line on, or run the command below and paste what it prints.",
        "verdict_lines": "These lines say so",
        "verdict_todo": "What to do",
        "verdict_next": "Run next",
        "verdict_more": "Explained in ",
        "verdict_also": "The text also has",
        "verdict_notes": "Worth knowing",
        "verdict_doctor": "doctor.py's diagnosis",
        "verdict_get": "Download doctor.py: ",
        "verdict_table": "This table of nvidia-smi, field by field",
        "verdict_head": "First line",
        "verdict_field": "field",
        "verdict_value": "value",
        "verdict_means": "what it means",
        "verdict_instance": "MIG instance",
        "verdict_processes": "Processes",
        "verdict_none": "No process is listed. In a container none is visible, so a program may "
        "use the GPU all the same.",
        "verdict_copy": "Copy",
        "verdict_copied": "Copied",
        "verdict_linked": "Copied. Whoever opens the link sees the text.",
        "verified_snippet": "snippet",
        "verified_place": "where",
        "verified_share": "share",
        "verified_count": "{passed} of {meant}",
        "verified_count_stale": ", {stale} stale",
        "verified_cpu": "CPU",
        "verified_simulated": "simulated",
        "verified_stand_in": "stand-in {torch}",
        "verified_build": "CUDA build {torch}, no GPU",
        "verified_gpu": "GPU",
        "verified_passed": "passed",
        "verified_other": "–",
        "verified_not_run": "not run",
        "verified_stale": "stale",
        "apis_more": "and {count} more snippets",
        "apis_unused": "Of {of} names in torch {torch}, {count} are not used:",
        "apis_deprecated": 'torch {torch} warns, "{text}."',
        "apis_shown": "Shown in {snippets}",
        "on_linux": "Linux",
        "on_windows": "Windows",
        "on_wsl": "WSL",
        "on_mac": "Mac",
        "on_container": "containers",
        "on_notebook": "notebooks",
        "cpu": "CPU-only",
        "mps": "CPU and MPS",
        "none": "no wheel",
        "cuda": "CUDA {version}",
        "not_published": "{tag} (no longer published)",
        "nightly": "{tag} (nightly only)",
        "and_newer": "≥ {version}",
        "branch_and_newer": "driver ≥ {branch}",
        "branches": "driver {first}–{last}",
        "of_torch": "{tag}, torch {torch}",
        "nothing": "none",
        "card_driver": "≥ {version} ({gpu} ≥ {least})",
        "heads_compatibility": (
            "index",
            "torch",
            "Linux driver",
            "Windows driver",
            "GPU generations",
        ),
        "heads_choice": ("GPU generation", "such as"),
        "heads_commands": ("System", "GPU generation, such as", "Driver", "Command"),
        "such_as": "{name} ({card})",
        "first_to_last": "{first} to {last}",
        "drivers_of_both": "Linux ≥ {linux}, Windows ≥ {windows}",
        "heads_generations": (
            "GPU generation",
            "compute capability",
            "such as",
            "indexes and torch",
        ),
        "heads_pip": ("torch", "Linux x86-64", "Linux Arm", "Windows", "Mac (Apple silicon)"),
        "heads_releases": ("torch", "newest patch", "indexes of its CUDA builds", "Python"),
        "heads_arm": ("index", "torch", "architectures compiled in"),
        "heads_drivers": ("`torch.version.cuda`", "Linux driver", "Windows driver"),
        "heads_mirrors": ("address", "has", "last known to work"),
        "mirror_known": "{day}: {known}",
        "heads_clouds": ("place", "GPUs", "how to switch it on", "what is lost"),
        "cycles": "{cycles} cycles, {ns} ns",
        "per_sm": "{size} per SM",
        "level_registers": "registers",
        "level_shared": "L1 and shared memory",
        "level_l2": "L2 cache",
        "level_memory": "GPU memory",
        "level_nvlink": "another GPU's memory, over NVLink",
        "level_bus": "host memory, over the bus",
        "heads_levels": ("{gpu}", "size", "moved per second", "a read waits for"),
        "about": "≈ {value}",
        "yes": "yes",
        "no": "no",
        "heads_gpus": (
            "GPU",
            "compute capability",
            "memory, GB",
            "bandwidth, GB/s",
            "FP32",
            "FP16 / bf16",
            "FP8",
        ),
        "gpus_nvlink": "NVLink, GB/s",
        "heads_gpus_laptop": (
            "GPU",
            "compute capability",
            "SMs",
            "memory, GB",
            "bandwidth, GB/s",
        ),
        "heads_gpus_needs": (
            "compute capability",
            "generation",
            "bf16",
            "FP8",
            "index and its newest torch",
            "Linux driver",
        ),
        # The calculator of multi-gpu/.
        "calculator_method": "method",
        "calculator_sent": "sent by each GPU in a step",
        "calculator_token": "for each token",
        "calculator_time": "a ring needs at least",
        "calculator_ddp": "DDP",
        "calculator_fsdp": "FSDP2",
        "calculator_split": "tensor parallelism",
        "chooser_fallback": "This chooser needs JavaScript. Without it, go down this table to the "
        "first row that fits your system, GPU and driver, and run its command in a virtual "
        "environment.",
        "chooser_system": "System",
        "chooser_tool": "Package tool",
        "chooser_gpu": "GPU",
        "chooser_driver": "Driver version, empty if none",
        "chooser_python": "Python",
        "chooser_torch": "torch release",
        "chooser_with_torchvision": "torchvision, too",
        "chooser_with_torchaudio": "torchaudio, too",
        "chooser_china": "mirrors in mainland China",
        "chooser_system_linux": "Linux (x86-64)",
        "chooser_system_wsl": "WSL2",
        "chooser_system_linux-arm": "Linux (Arm)",
        "chooser_system_windows": "Windows",
        "chooser_system_mac": "Mac (Apple silicon)",
        "chooser_system_mac-intel": "Mac (Intel)",
        "chooser_tool_pip": "pip",
        "chooser_tool_uv": "uv",
        "chooser_tool_conda": "conda-forge",
        "chooser_gpu_none": "no NVIDIA GPU",
        "chooser_gpu_amd": "an AMD GPU",
        "chooser_gpu_intel": "an Intel GPU",
        "chooser_newest": "the newest that fits",
        "chooser_paste": "Not sure about driver and GPU? Paste what nvidia-smi prints",
        "chooser_paste_hint": "It is read in your browser only and sent nowhere",
        "chooser_read": "Found: {seen}",
        "chooser_not_read": "The driver or the model of a GPU was not recognized. Choose the rest "
        "above.",
        "chooser_why": "Why:",
        "chooser_after": "Afterwards, run this:",
        "chooser_comma": ", ",
        "chooser_and": " and ",
        "chooser_change_driver": "driver {value} or newer",
        "chooser_change_python": "Python {value}",
        "chooser_change_torch": "torch {value}",
        "chooser_need": "There is a build that runs with {changes}.",
        "chooser_none_now": "There is no such command, because no build fits this driver, GPU, "
        "Python and torch at the same time.",
        "chooser_none_no_driver": "There is none yet, because a CUDA build cannot use the GPU "
        "without a driver. Install the driver first.",
        "chooser_none_intel_mac": "There is none, because PyTorch has had no wheels for Intel "
        "Macs since torch 2.2.2.",
        "chooser_none_jetson": "There is none, because a Jetson's driver comes with its JetPack, "
        "and these wheels have no code that runs on it. Find the wheel for your JetPack under "
        "[Jetson](%PAGES%/install/compatibility/#jetson).",
        "chooser_none_amd": "There is none here, because an AMD GPU needs a ROCm build, and this "
        "chooser has CUDA builds only. See "
        "[AMD: ROCm](%PAGES%/platforms/other-accelerators/#amd).",
        "chooser_none_intel": "There is none here, because an Intel GPU needs an XPU build, and "
        "this chooser has CUDA builds only. See "
        "[Intel: XPU](%PAGES%/platforms/other-accelerators/#intel).",
        "chooser_none_build": "There is none, because no present build has code for compute "
        "capability {gpus}.",
        "chooser_none_conda": "There is none, because we found nothing about conda-forge's builds "
        "for this system. Choose pip, which works inside a conda environment as well.",
        "chooser_none_conda_threads": "There is none, because we found nothing about "
        "free-threaded Python on conda-forge. Choose uv or pip.",
        "chooser_none_conda_torch": "There is none, because our data do not say which releases "
        "conda-forge has. Choose the newest that fits, or pip.",
        "chooser_none_conda_gpu": "There is none, because our data do not say whether "
        "conda-forge's builds run on a Jetson or below compute capability {gpu}. Choose pip, "
        "which works inside a conda environment as well.",
        "chooser_why_build": "The build for CUDA {cuda} needs driver {driver} or newer, and has "
        "code for compute capability {gpus}. Its newest torch is {torch}.",
        "chooser_why_below": "On the index `{tag}`, torch {torch} and newer releases have no code "
        "for this GPU, so `<{torch}` keeps them out.",
        "chooser_why_without": "No build runs on all of these GPUs, so this one leaves out "
        "compute capability {gpus}.",
        "chooser_why_last_driver": "R{driver} is the last series of drivers that supports this "
        "GPU, so do not install a newer one.",
        "chooser_why_windows": "PyPI has only the CPU-only build for Windows, so the command has "
        "to name an index.",
        "chooser_why_wsl": "WSL2 uses the driver of Windows, so do not install another one inside "
        "Linux.",
        "chooser_why_mac": "The wheel for macOS uses the Mac's own GPU as the device `mps`. There "
        "is no CUDA on a Mac.",
        "chooser_why_cpu": "A CUDA build is of no use without an NVIDIA GPU, and the CPU-only "
        "build is a much smaller download. GPUs of AMD and Intel need "
        "[other builds](%PAGES%/platforms/other-accelerators/).",
        "chooser_why_audio": "torchaudio is installed by itself and with its version, because the "
        "metadata of 2.11.0 name no torch, so pip would not match the two for you.",
        "chooser_why_no_audio": "torchaudio is left out, because the one that fits, {audio}, has "
        "no wheel for this CUDA version or for Python {python}.",
        "chooser_why_pypi_mirror": "PyPI's wheel of torch {torch} for this system is the build "
        "for CUDA {cuda}, so every mirror of PyPI has it. We have not tried the mirrors.",
        "chooser_why_pypi_mirror_plain": "This wheel is on PyPI, so every mirror of PyPI has it. "
        "We have not tried the mirrors.",
        "chooser_why_wheel_mirror": "General mirrors have no wheels with `{local}` in their "
        "names. So the command uses a mirror of PyTorch's own wheels, which needs the whole "
        "version. We have not tried the mirrors; if it fails, leave the mirror out.",
        "chooser_why_uv_mirror": "With `--index-strategy unsafe-best-match`, uv compares the "
        "versions on both indexes, as pip does.",
        "chooser_why_conda": "conda reads from the driver which CUDA it supports, so you choose "
        "no CUDA version. Because of `cuda*`, it stops with an error instead of installing a "
        "CPU-only build.",
        "chooser_why_conda_plain": "conda-forge compiles its own builds, which are not those that "
        "pip installs.",
        "chooser_why_conda_mirror": "With `--override-channels`, conda uses only the mirror that "
        "is named. We have not tried the mirrors; if it fails, leave the mirror out.",
        "chooser_expect_cuda": "It should print the version of torch, `{cuda}` and `True`.",
        "chooser_expect_conda": "It should print the version of torch, a CUDA version and `True`.",
        "chooser_expect_mac": "It should print the version of torch and `True`.",
        "chooser_expect_cpu": "It should print the version of torch and `None`.",
        "heads_backends": ("what differs", "before {since}", "since {since}"),
    },
}


@dataclass(frozen=True)
class Words:
    """The words of one language: `say = Words(language)`, then `say("download", file="a.py")`.

    Raises GuideError that names this file, the language and the key where it lacks a word.
    """

    language: Language

    def __call__(self, key: str, **values: Any) -> str:
        """The words of `key` around the `values`; with HTML among these, HTML."""
        return self._filled(self._of(key), values)

    def counted(self, key: str, count: int) -> str:
        """The words of `key` for so many things: `simulated_one` or `simulated_many`."""
        return self(f"{key}_{'one' if count == 1 else 'many'}", count=count)

    def beginning(self, start: str) -> dict[str, str]:
        """The words whose keys begin so, by the rest of the key: what a page's program shows."""
        known = {key for table in WORDS.values() for key in table if key.startswith(start)}
        return {key.removeprefix(start): self._of(key) for key in sorted(known)}

    def heads(self, key: str, **values: Any) -> list[str]:
        """The heads of a table's columns."""
        return [self._filled(text, values) for text in self._of(f"heads_{key}")]

    def listed(self, parts: Sequence[str], comma: str = "list_comma") -> str:
        """The parts with the language's comma between them; with HTML among these, HTML."""
        between = self(comma)
        return (escape(between) if _has_html(parts) else between).join(parts)

    def _filled(self, text: str, values: dict[str, Any]) -> str:
        return (escape(text) if _has_html(values.values()) else text).format(**values)

    def _of(self, key: str) -> Any:
        table = WORDS.get(self.language, {})
        if key not in table:
            raise GuideError(_missing(self.language, key))
        return table[key]


def missing(languages: Sequence[Language]) -> Iterator[Problem]:
    """A problem for each word that one of the languages lacks."""
    keys = dict.fromkeys(key for table in WORDS.values() for key in table)
    for language in languages:
        yield from (_missing(language, key) for key in keys if key not in WORDS.get(language, {}))


def _missing(language: Language, key: str) -> Problem:
    there = " and ".join(one for one, table in WORDS.items() if key in table)
    remedy = f"add it to WORDS[{language!r}]" + (f", as for {there}" if there else "")
    return Problem(Path(__file__), None, f"no word {key!r} in {language!r}", remedy)


def _has_html(values: Any) -> bool:
    return any(isinstance(value, Markup) for value in values)
