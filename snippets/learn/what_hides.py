"""What of the sending hides behind the backward pass of four layers.

四层的反向传播，能掩盖多少通信。
"""

LAYERS, BACKWARD = 4, 10


def waiting(send):
    """Milliseconds after the backward pass, until the last message is sent."""
    # zh: 反向传播结束之后，还要多少毫秒才传完。
    free = 0
    for layer in range(1, LAYERS + 1):
        ready = layer * BACKWARD
        free = max(free, ready) + send
    return free - LAYERS * BACKWARD


for send in (5, 10, 20):
    all_layers = LAYERS * send
    print(f"{all_layers} ms of sending, {waiting(send)} ms not hidden")
    #> 20 ms of sending, 5 ms not hidden
    #> 40 ms of sending, 10 ms not hidden
    #> 80 ms of sending, 50 ms not hidden
