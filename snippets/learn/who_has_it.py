"""Two messages from cards with 24 GiB: who has the memory?

两条报错，显卡都是 24 GiB：显存在谁手里？
"""

messages = {
    "A": {"tried": 2.0, "free": 0.5, "process": 4.0, "shelf": 1.0},
    "B": {"tried": 2.0, "free": 0.5, "process": 23.0, "shelf": 1.0},
}

for name, m in messages.items():
    print(name, "other processes:", 24 - m["free"] - m["process"], "GiB")
    #> A other processes: 19.5 GiB
    #> B other processes: 0.5 GiB
