"""Other projects' own tests on simulated GPUs: how many run, and which planted faults they find."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sysconfig
import tempfile
import xml.etree.ElementTree as Xml
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gpu_guide.data.simulated_projects import Found, OtherProject, load_found, load_tested
from gpu_guide.environments import is_made, making, pip, root
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.repositories import check_out, fetched
from gpu_guide.tool.pytest_plugin import NEEDS_GPU

DEVICES = 2
_PACKAGES = Path(__file__).parents[2]
"""Where this package is: the plug-in."""
_TIME_LIMIT = 1200
_NEEDED_BYTES = 10**9


def record(ids: Sequence[str], project: Project, tell: Callable[[str], None] = print) -> None:
    """Run the tests of `ids`, or of what has no record or an old one. Raises GuideError."""
    tested, found = load_tested(project), load_found(project)
    for id in ids:
        if id not in tested:
            raise fault(project.simulated_projects, None, f"no project {id!r}", "name another")
    old = [id for id, one in tested.items() if id not in found or found[id].asked != one.asked]
    for id in ids or old:
        one = run(tested[id], find_or_make(tested[id].needs))
        found = load_found(project) | {id: one}  # others may record at the same time
        kept = {id: asdict(found[id]) for id in tested if id in found}
        text = json.dumps(kept, indent=1) + "\n"
        project.simulated_projects_record.parent.mkdir(exist_ok=True)
        project.simulated_projects_record.write_text(text, encoding="utf-8")
        caught = sum(bool(one["simulated"]) for one in one.faults)
        tell(f"{id}: {one.simulated}, {caught} of {len(one.faults)} faults found")


def find_or_make(needs: Sequence[str]) -> Path:
    """A Python with the packages of a project, and with this one's, torch among them."""
    name = hashlib.sha256(" ".join(sorted(needs)).encode()).hexdigest()[:12]
    folder = root() / f"simulated-project-{name}"
    if not is_made(folder):
        with making(folder, _NEEDED_BYTES, "the packages of a project"):
            (packages,) = (folder / "lib").glob("python*/site-packages")
            here = sysconfig.get_path("purelib")
            (packages / "guide.pth").write_text(here + "\n", encoding="utf-8")
            pinned = folder / "torch.txt"
            pinned.write_text(f"torch=={version('torch').partition('+')[0]}\n", encoding="utf-8")
            pip(folder, tuple(needs), "--constraint", str(pinned))
    return folder / "bin" / "python"


def run(one: OtherProject, python: Path) -> Found:
    """What its tests say without the plug-in and with it, and of each fault."""
    with tempfile.TemporaryDirectory(prefix="simulated-project-") as folder:
        work = Path(folder)
        source = fetched(one.repository, one.commit)
        check_out(source, one.commit, one.files, work)
        without, _ = _tests(one, python, work, simulated=False)
        simulated, reasons = _tests(one, python, work, simulated=True)
        faults = []
        for planted in one.faults:
            path = work / planted.file
            whole = path.read_text(encoding="utf-8")
            if whole.count(planted.old) != 1:
                said = f"{one.id}: {planted.old!r} is not there once"
                raise fault(Path(planted.file), None, said, "give more of the text")
            path.write_text(whole.replace(planted.old, planted.new), encoding="utf-8")
            notes = {}
            for key, before in (("without", without), ("simulated", simulated)):
                first = 1 + sum(came == "failed" for came in before.values())
                stop = f"--maxfail={first}"
                after, _ = _tests(one, python, work, stop, simulated=key == "simulated")
                new = [t for t, came in after.items() if came == "failed" != before.get(t)]
                notes[key] = new[0] if new else ""
            faults.append(notes)
            path.write_text(whole, encoding="utf-8")
    ran = {name for name, came in without.items() if came in ("passed", "failed")}
    counts = _counts(simulated)
    both = [name for name, came in simulated.items() if came in ("passed", "failed")]
    counts["new"] = sum(name not in ran for name in both)
    failed = sorted(name for name, came in simulated.items() if came == "failed")
    today, torch = date.today().isoformat(), version("torch").partition("+")[0]
    return Found(one.asked, today, torch, _counts(without), counts, failed, dict(reasons), faults)


def _counts(outcomes: Mapping[str, str]) -> dict[str, int]:
    kinds = ("passed", "failed", "skipped", "refused")
    return {kind: sum(came == kind for came in outcomes.values()) for kind in kinds}


def _tests(
    one: OtherProject, python: Path, work: Path, *more: str, simulated: bool
) -> tuple[dict[str, str], dict[str, int]]:
    """What came of each test, and what was refused in how many of them. Raises GuideError."""
    paths = [str(_PACKAGES), *(str(work / folder) for folder in one.source)]
    given = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        **(one.variables if simulated else one.without),
    }
    report = work / "outcomes.xml"
    report.unlink(missing_ok=True)
    plugins = ["gpu_guide.tool.pytest_plugin"]
    plugins += ["pytest_mock"] if "pytest-mock" in one.needs else []
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
    command += [word for name in plugins for word in ("-p", name)]
    command += [f"--junitxml={report}", f"--rootdir={work}", *more, *one.tests]
    command += [f"--simulate-gpus={DEVICES}", *one.simulated] if simulated else []
    said = ""
    try:
        done = subprocess.run(
            command,
            cwd=work,
            env=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIME_LIMIT,
        )
        said = (done.stdout + done.stderr)[-2000:]
    except subprocess.TimeoutExpired:
        said = f"no end after {_TIME_LIMIT} s"
    if not report.is_file():
        raise fault(None, None, f"{one.id}: its tests did not run", said)
    return outcomes(Xml.parse(report).getroot())


def outcomes(report: Xml.Element) -> tuple[dict[str, str], dict[str, int]]:
    """What came of each test in JUnit's file, where an expected failure counts as passed."""
    came: dict[str, str] = {}
    reasons: dict[str, int] = {}
    for case in report.iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        skipped: Any = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            came[name] = "failed"
        elif came.get(name) == "failed":  # one of its subtests
            continue
        elif skipped is None or skipped.get("type") == "pytest.xfail":
            came[name] = "passed"
        elif (said := skipped.get("message") or "").endswith(NEEDS_GPU):
            came[name] = "refused"
            what = said.removeprefix("Skipped: ").partition(" is not simulated")[0]
            reasons[what] = reasons.get(what, 0) + 1
        else:
            came[name] = "skipped"
    return came, reasons
