"""Bytes at the fullest moment of our program, for smaller and smaller batches.

我们的程序最满的时刻有多少字节：batch 一次次减半。
"""

WEIGHTS = 18_188
ADAM = 2 * WEIGHTS
KEPT_FOR_EACH_SAMPLE = 540

for batch in (400, 200, 100, 50, 25):
    total = WEIGHTS + ADAM + KEPT_FOR_EACH_SAMPLE * batch
    print(f"batch {batch:3}: {total:6} bytes")
    #> batch 400: 270564 bytes
    #> batch 200: 162564 bytes
    #> batch 100: 108564 bytes
    #> batch  50:  81564 bytes
    #> batch  25:  68064 bytes
