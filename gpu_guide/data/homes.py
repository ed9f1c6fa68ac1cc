"""Typed access to `data/homes.yml`: the sections to which names lead, where they are stated."""

from __future__ import annotations

import yaml

from gpu_guide import fast_yaml
from gpu_guide.problems import fault
from gpu_guide.project import Project


def load_homes(project: Project) -> dict[str, str]:
    """By name, its home: `to/index#short-forms`. Raises GuideError."""
    path = project.homes
    if not path.is_file():
        return {}
    try:
        content = fast_yaml.load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise fault(path, None, f"not YAML: {error}", "correct the syntax") from None
    remedy = "write lines such as 'to/index#short-forms: [.cuda(), .cpu()]'"
    if not isinstance(content, dict) or not all(isinstance(n, list) for n in content.values()):
        raise fault(path, None, "not places with their names", remedy)
    found: dict[str, str] = {}
    for place, names in content.items():
        for name in map(str, names):
            if name in found:
                raise fault(path, None, f"{name!r} has two homes", "keep one of them")
            found[name] = str(place)
    return found
