"""Ten of 100 ms cannot be shared: how fast is a step on several GPUs?

100 毫秒里有 10 毫秒没法分摊：几块 GPU 一步要多久？
"""

alone, stays = 100, 10

for gpus in (1, 2, 8, 64):
    step = stays + (alone - stays) / gpus
    print(f"GPUs: {gpus:2}  {step:5.1f} ms, {alone / step:.1f} times as fast")
    #> GPUs:  1  100.0 ms, 1.0 times as fast
    #> GPUs:  2   55.0 ms, 1.8 times as fast
    #> GPUs:  8   21.2 ms, 4.7 times as fast
    #> GPUs: 64   11.4 ms, 8.8 times as fast
