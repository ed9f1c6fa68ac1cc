"""A snapshot file is a pickled dictionary: reading it needs no GPU.

快照文件是一个用 pickle 保存的字典，不用 GPU 也能读。
"""

import pickle
import tempfile
from collections import Counter
from pathlib import Path


def bytes_by_function(file):
    segments = pickle.loads(file.read_bytes())["segments"]
    found = Counter()
    for block in (b for segment in segments for b in segment["blocks"]):
        frames = block.get("frames") or [{"name": "(unknown)"}]
        if block["state"] == "active_allocated":
            found[frames[0]["name"]] += block["size"]
    return found.most_common()


def block(size, name, state="active_allocated"):
    return {"size": size, "state": state, "frames": [{"name": name}]}


# zh: 这里自己写一个小快照；换成你的文件也一样。
# en: A small snapshot made up here; yours is read in the same way.
blocks = [block(1024, "forward"), block(512, "load"), block(512, "forward")]
blocks.append(block(4096, "forward", state="inactive"))
snapshot = {"segments": [{"blocks": blocks}]}

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "snapshot.pickle")
    file.write_bytes(pickle.dumps(snapshot))
    for name, size in bytes_by_function(file):
        print(name, size)
        #> forward 1536
        #> load 512
