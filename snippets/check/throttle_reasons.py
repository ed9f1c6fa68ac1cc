"""What slows a GPU down: the bits of clocks_event_reasons.active.

GPU 为什么降频：clocks_event_reasons.active 的每一位。
"""

# zh: 名称和数值来自 nvidia-ml-py 13.615.71。
# en: Names and values as in nvidia-ml-py 13.615.71.
REASONS = {
    0x001: "idle",
    0x002: "clocks set by an application",
    0x004: "power limit",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "temperature, slowed by software",
    0x040: "temperature, slowed by hardware",
    0x080: "power brake",
    0x100: "display clock setting",
}
# zh: nvidia-smi 加上
#   --query-gpu=index,clocks_event_reasons.active --format=csv,noheader
#   打印出来就是这样。
# en: As nvidia-smi prints it with
#   --query-gpu=index,clocks_event_reasons.active --format=csv,noheader
table = """
0, 0x0000000000000000
1, 0x0000000000000001
2, 0x0000000000000004
3, 0x0000000000000048
"""

for row in table.strip().splitlines():
    index, bits = row.split(", ")
    active = [name for bit, name in REASONS.items() if int(bits, 16) & bit]
    print(f"GPU {index}: {'; '.join(active) or 'full speed'}")
    #> GPU 0: full speed
    #> GPU 1: idle
    #> GPU 2: power limit
    #> GPU 3: hardware slowdown; temperature, slowed by hardware
