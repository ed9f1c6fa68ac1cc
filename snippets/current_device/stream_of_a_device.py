"""Each device has its own current stream; a stream brings its device along.

每个设备各有当前流；选了一个流，它的设备也成了当前设备。
"""
# needs: cuda:2
# simulated: no

import torch

side = torch.cuda.Stream(device="cuda:1")
default = torch.cuda.default_stream("cuda:0")

with torch.cuda.stream(side):
    print("current device:", torch.cuda.current_device())
    print("cuda:1 on side:", torch.cuda.current_stream("cuda:1") == side)
    print("cuda:0 on default:", torch.cuda.current_stream("cuda:0") == default)

print("current device:", torch.cuda.current_device())

# zh: 只换当前设备，不会换流。
# en: Changing the device alone changes no stream.
with torch.cuda.device(1):
    print("cuda:1 on side:", torch.cuda.current_stream() == side)
