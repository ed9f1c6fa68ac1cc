"""With --extra-index-url the highest version wins, from whichever index.

用 --extra-index-url 时，版本号最大的胜出，不管它在哪个索引。
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


# zh: 一个只有一个 wheel 的索引，代替真正的索引。
# en: An index with a single wheel, in place of a real one.
def index(folder: Path, version: str) -> str:
    page = folder / "demo"
    page.mkdir(parents=True)
    name = f"demo-{version}-py3-none-any.whl"
    facts = f"Name: demo\nVersion: {version}\nWheel-Version: 1.0"
    with zipfile.ZipFile(page / name, "w") as wheel:
        for file in ("METADATA", "WHEEL"):
            wheel.writestr(f"demo-{version}.dist-info/{file}", facts)
    Path(page, "index.html").write_text(f'<a href="{name}">{name}</a>')
    return folder.as_uri()


with tempfile.TemporaryDirectory() as folder:
    cuda = index(Path(folder, "cuda"), "2.14.1+cu126")
    pypi = index(Path(folder, "pypi"), "2.15.0")
    env = {**os.environ, "PIP_CONFIG_FILE": os.devnull}
    pip = [sys.executable, "-m", "pip", "--isolated", "install", "--dry-run"]
    extra = ["demo", "--extra-index-url", pypi]
    for wanted in (["demo"], extra, ["demo==2.14.1+cu126", *extra]):
        command = [*pip, *wanted, "--index-url", cuda]
        done = subprocess.check_output(command, env=env, text=True)
        print(done.splitlines()[-1])
        #> Would install demo-2.14.1+cu126
        #> Would install demo-2.15.0
        #> Would install demo-2.14.1+cu126
