"""Half of a step cannot be shared: the most that GPUs can gain.

一步里有一半没法分摊：加 GPU 最多快多少。
"""

alone, stays = 100, 50

for gpus in (2, 64):
    step = stays + (alone - stays) / gpus
    print(f"GPUs: {gpus:2}  {step:4.1f} ms, {alone / step:.2f} times as fast")
    #> GPUs:  2  75.0 ms, 1.33 times as fast
    #> GPUs: 64  50.8 ms, 1.97 times as fast
