"""Read `nvidia-smi -q -d ECC,ROW_REMAPPER`: is there something to do?

读 `nvidia-smi -q -d ECC,ROW_REMAPPER`：要不要处理。
"""

report = """
GPU 00000000:86:00.0
    ECC Errors
        Volatile
            DRAM Correctable              : 12
            DRAM Uncorrectable            : 1
        Aggregate
            DRAM Correctable              : 177
            DRAM Uncorrectable            : 1
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 1
        Pending                           : Yes
        Remapping Failure Occurred        : No
"""

# zh: 每块 GPU 有自己的一段，以 GPU 的地址开头。
# en: Each GPU has a part of its own, which begins with its address.
found = {}
gpu = part = ""
for line in report.strip().splitlines():
    name, colon, value = line.partition(" : ")
    if line.startswith("GPU "):
        gpu = line.split()[1]
        found[gpu] = {}
    elif not colon:
        part = name.strip()
    elif gpu:
        found[gpu][part, name.strip()] = value

rows = "Remapped Rows"
for gpu, facts in found.items():
    print(gpu)
    #> 00000000:86:00.0
    if facts.get((rows, "Remapping Failure Occurred")) == "Yes":
        print("remapping has failed: have the GPU replaced")
    elif facts.get((rows, "Pending")) == "Yes":
        print("a row waits to be remapped: reset the GPU when it is free")
        #> a row waits to be remapped: reset the GPU when it is free
    # zh: 没有 ECC 的卡，这里是 N/A。
    # en: On a card without ECC this is N/A.
    uncorrectable = facts.get(("Volatile", "DRAM Uncorrectable"), "N/A")
    print("uncorrectable since the driver was loaded:", uncorrectable)
    #> uncorrectable since the driver was loaded: 1
