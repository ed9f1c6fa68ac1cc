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

found = {}
part = ""
for line in report.strip().splitlines():
    name, colon, value = line.partition(" : ")
    if not colon:
        part = name.strip()
    else:
        found[part, name.strip()] = value

rows = "Remapped Rows"
if found[rows, "Remapping Failure Occurred"] == "Yes":
    print("remapping has failed: have the GPU replaced")
elif found[rows, "Pending"] == "Yes":
    print("a row waits to be remapped: reset the GPU when it is free")
    #> a row waits to be remapped: reset the GPU when it is free
uncorrectable = int(found["Volatile", "DRAM Uncorrectable"])
print("uncorrectable since the driver was loaded:", uncorrectable)
#> uncorrectable since the driver was loaded: 1
