"""The same False on two machines, and what tells them apart.

两台机器上同样是 False，靠什么分清。
"""


def next_step(available, built_for):
    if available:
        return "use the GPU"
    if built_for is None:
        return "install a CUDA build"
    return "the build is right: look at the driver"


# zh: 每台机器的 is_available() 和 torch.version.cuda。
# en: What is_available() and torch.version.cuda are on each.
machines = {
    "laptop": (False, None),
    "server": (False, "13.2"),
    "workstation": (True, "13.2"),
}
for name, (available, built_for) in machines.items():
    print(f"{name}: {next_step(available, built_for)}")
    #> laptop: install a CUDA build
    #> server: the build is right: look at the driver
    #> workstation: use the GPU
