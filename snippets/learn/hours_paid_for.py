"""What a training run costs: hours to wait, and hours of GPUs to pay.

一次训练花多少：要等几小时，要付几小时的 GPU。
"""

alone = 10
for gpus, faster in ((1, 1.0), (2, 1.6), (8, 4.0)):
    waited = alone / faster
    print(f"GPUs: {gpus}  wait {waited:5.2f} h, pay for {gpus * waited:5.2f} h")
    #> GPUs: 1  wait 10.00 h, pay for 10.00 h
    #> GPUs: 2  wait  6.25 h, pay for 12.50 h
    #> GPUs: 8  wait  2.50 h, pay for 20.00 h
