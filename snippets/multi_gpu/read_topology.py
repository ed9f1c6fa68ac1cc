"""Read `nvidia-smi topo -m`: how far each GPU is from each.

读 `nvidia-smi topo -m`：每两块卡之间隔着什么。
"""

text = """
        GPU0    GPU1    GPU2    GPU3    GPU4    CPU Affinity
GPU0     X      NV1     NV2     NV1     SYS     0-23,48-71
GPU1    NV1      X      NV1     NV2     SYS     0-23,48-71
GPU2    NV2     NV1      X      NV2     SYS     0-23,48-71
GPU3    NV1     NV2     NV2      X      NV1     0-23,48-71
GPU4    SYS     SYS     SYS     NV1      X      24-47,72-95
"""

# zh: 从近到远。NV 后面的数是几条 NVLink。
# en: From near to far. The number after NV counts the NVLinks.
ORDER = ("NV", "PIX", "PXB", "PHB", "NODE", "SYS")


def far(link):
    return ORDER.index(link.rstrip("0123456789"))


rows = [line.split() for line in text.splitlines() if line[:3] == "GPU"]
names = [row[0] for row in rows]
for name, *links in rows:
    others = dict(zip(names, links, strict=False))
    del others[name]
    worst = max(others.values(), key=far)
    near = [n for n, k in others.items() if k.startswith("NV")]
    print(f"{name}: NVLink to {' '.join(near)}; worst link {worst}")
    #> GPU0: NVLink to GPU1 GPU2 GPU3; worst link SYS
    #> GPU1: NVLink to GPU0 GPU2 GPU3; worst link SYS
    #> GPU2: NVLink to GPU0 GPU1 GPU3; worst link SYS
    #> GPU3: NVLink to GPU0 GPU1 GPU2 GPU4; worst link NV1
    #> GPU4: NVLink to GPU3; worst link SYS
