"""pip refuses --user inside a virtual environment.

在虚拟环境里，pip 拒绝 --user。
"""

import subprocess
import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    # zh: 建一个空的虚拟环境，用外面的 pip 管理它，这样快。
    # en: An empty environment, managed by the pip out here: that is quick.
    venv = [sys.executable, "-m", "venv", "--without-pip", folder]
    subprocess.run(venv, check=True)
    name = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(Path(folder, name))]

    done = subprocess.run(
        [*pip, "install", "--user", "--no-index", "torch"],
        capture_output=True,
        text=True,
    )

print(done.returncode)
#> 1
print(done.stderr.splitlines()[-1].split(". ")[0])
#> ERROR: Can not perform a '--user' install
