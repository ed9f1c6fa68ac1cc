"""Which of six expressions read a number from the device?

六个表达式，哪些会从设备上读一个数？
"""

import torch
from torch.profiler import ProfilerActivity, profile

loss = torch.ones(())
expressions = {
    "loss.item()": lambda: loss.item(),
    "float(loss)": lambda: float(loss),
    "if loss > 0: …": lambda: bool(loss > 0),
    'f"{loss:.2f}"': lambda: f"{loss:.2f}",
    "loss * 2": lambda: loss * 2,
    "loss.detach()": lambda: loss.detach(),
}

for text, evaluate in expressions.items():
    with profile(activities=[ProfilerActivity.CPU]) as p:
        evaluate()
    # zh: 取出一个数，最后都要经过这个算子。
    # en: Whatever fetches a number calls this operator in the end.
    reads = any("_local_scalar_dense" in row.key for row in p.key_averages())
    print(f"{text:15} {'reads' if reads else 'does not'}")
    #> loss.item()     reads
    #> float(loss)     reads
    #> if loss > 0: …  reads
    #> f"{loss:.2f}"   reads
    #> loss * 2        does not
    #> loss.detach()   does not
