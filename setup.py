"""Chooses what the wheel holds; all else about the package is in pyproject.toml.

The wheel is for readers: of `gpu_guide` it has the modules that `gpu_guide.tool` imports, and below
`gpu_guide/guide` the files that they read, in the places that these have in a clone. An editable
installation, which contributors use, is the clone itself.
"""

import ast
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
PACKAGE = "gpu_guide"
BEGIN = (
    "gpu_guide.tool",
    "gpu_guide.simulate",
    "gpu_guide.stand_in",
    "gpu_guide.dry_run.observer",
    "gpu_guide.exercises.observer",
)
"""Besides what readers call, packages of which modules are loaded by their path."""
READ = (
    "mkdocs*.yml",  # which languages there are
    "snippets/check/doctor.py",
    "data/cards.yml",
    "data/diagnosis.yml",
    "data/errors/*",
    "data/fit_words.yml",
    "data/gpus.yml",
    "data/models.yml",
    "data/wheels.yml",
    "exercises/*.yml",
    "exercises/*/*/*",
)


def modules():
    """By name, the file of each module that the wheel has."""
    files = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    waiting = [name for name in files if name.startswith(BEGIN)]
    found = {}
    while waiting:
        name = waiting.pop()
        while name not in files and name:  # a name in a module
            name = name.rpartition(".")[0]
        if name in found or not name:
            continue
        found[name] = files[name]
        waiting.append(name.rpartition(".")[0])  # the package that it is in
        tree = ast.parse(files[name].read_text(encoding="utf-8"))
        # What a package imports within its functions is for those who call it, not its modules.
        late = files[name].name != "__init__.py"
        for node in ast.walk(tree) if late else tree.body:
            if isinstance(node, ast.Import):
                waiting += [one.name for one in node.names if one.name.startswith(PACKAGE)]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                waiting += [f"{node.module}.{one.name}" for one in node.names]
    return found


class Build(build_py):
    """Leaves out modules that readers do not need, and adds the data."""

    def find_package_modules(self, package, package_dir):
        wanted = {path.resolve() for path in modules().values()}
        every = super().find_package_modules(package, package_dir)
        return [one for one in every if Path(one[2]).resolve() in wanted]

    def run(self):
        super().run()
        if not self.editable_mode:
            for pattern in READ:
                for path in ROOT.glob(pattern):
                    place = Path(self.build_lib, PACKAGE, "guide", path.relative_to(ROOT))
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, place)


setup(cmdclass={"build_py": Build})
