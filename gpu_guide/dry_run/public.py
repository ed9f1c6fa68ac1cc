"""Training scripts that others published, run dry as they are: nothing of them is kept here."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from gpu_guide.data.entries import entries, only_once, typed
from gpu_guide.dry_run import made_data
from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.published import keep, packages_of
from gpu_guide.dry_run.report import in_a_line, merged
from gpu_guide.dry_run.run import Outcome, Settings, run
from gpu_guide.problems import GuideError, fault
from gpu_guide.project import Project
from gpu_guide.repositories import check_out, fetched
from gpu_guide.snippets.model import Language
from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn
from gpu_guide.stand_in.process import VALUES

KINDS = ("language", "vision", "detection", "diffusion", "speech", "graph", "reinforcement")
LOOPS = ("PyTorch", "Lightning", "Accelerate", "Trainer", "FSDP2")
COLUMNS = (
    "public_script",
    "public_loop",
    "public_card",
    "public_reserved",
    "public_steps",
    "public_assumed",
)
"""The keys of the columns' heads."""


@dataclass(frozen=True)
class Script:
    """One script; data/public_scripts.yml says at its top what the keys mean."""

    id: str
    name: Mapping[Language, str]
    kind: str
    loop: str
    repository: str
    commit: str
    license: str
    program: str
    files: tuple[str, ...]
    card: str
    folder: str = ""
    arguments: str = ""
    launcher: str = "python"
    data: tuple[str, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict)
    own_packages: bool = False
    count: int = 1
    steps: int = 5

    @property
    def address(self) -> str:
        """The page on which the script can be read as it ran."""
        return f"{self.repository}/blob/{self.commit}/{self.program}"

    @property
    def command(self) -> list[str]:
        """What runs, in its folder."""
        program = os.path.relpath(self.program, self.folder or ".")
        return [*self.launcher.split(), program, *self.arguments.split()]

    @property
    def asked(self) -> str:
        """A hash of all that decides what runs."""
        words = {key: value for key, value in asdict(self).items() if key not in _SAID}
        return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:32]


_SAID = ("id", "name", "kind", "loop", "license")
"""What only names a script."""


@dataclass(frozen=True)
class Ran:
    """What a dry run said of a script."""

    asked: str
    packages: dict[str, str]
    date: str
    allocated: int
    reserved: int
    steps: int
    assumed: dict[str, int]
    """How often what no kernel computed was read: value, size or copy."""
    shapes_only: dict[str, int]
    """The operators of which only shapes are known, and how often they ran."""
    compiled: bool


def load_scripts(project: Project) -> dict[str, Script]:
    """The scripts by id, in the order of data/public_scripts.yml. Raises GuideError."""
    path = project.public_scripts
    found: dict[str, Script] = {}
    for line, entry in entries(path):
        script = typed(path, line, Script, entry, project.languages)
        only_once(path, line, "id", script.id, found)
        for key, known in (("kind", KINDS), ("loop", LOOPS)):
            if (value := getattr(script, key)) not in known:
                raise fault(path, line, f"{key}: {value!r}", f"it is one of {', '.join(known)}")
        for said in script.data:
            try:
                made_data.check(said)
            except ValueError as error:
                raise fault(path, line, f"data: {error}", "write it as others are") from None
        found[script.id] = script
    return found


def load_ran(project: Project) -> dict[str, Ran]:
    """What was recorded, by id."""
    path = _file(project)
    if not path.is_file():
        return {}
    return {id: Ran(**one) for id, one in json.loads(path.read_text(encoding="utf-8")).items()}


def compared(project: Project) -> list[tuple[Script, Ran]]:
    """Each script and what was recorded of it. Raises GuideError where that is missing, or old."""
    ran = load_ran(project)
    pairs = []
    for script in load_scripts(project).values():
        one = ran.get(script.id)
        if not one or one.asked != script.asked:
            why = f"{script.id}: {'its entry has changed since' if one else 'not recorded'}"
            again = f"run `python -m gpu_guide dry-run --public {script.id}`"
            raise fault(_file(project), None, why, again)
        pairs.append((script, one))
    return pairs


def record(
    ids: list[str],
    project: Project,
    environment: CudaEnvironment,
    tell: Callable[[str], None] = print,
) -> None:
    """Run the scripts `ids`, or what has no record or an old one, and tell which could not be.

    Raises GuideError for malformed data, and for an id that is none.
    """
    scripts, ran = load_scripts(project), load_ran(project)
    for id in ids:
        if id not in scripts:
            raise fault(project.public_scripts, None, f"no script {id!r}", "name another")
    old = [id for id, one in scripts.items() if id not in ran or ran[id].asked != one.asked]
    for id in ids or old:
        try:
            script = scripts[id]
            source = fetched(script.repository, script.commit)
            found = dry(script, project, environment, source)
        except GuideError as error:  # what one lacks costs this one only
            tell(str(error))
            continue
        keep(_file(project), id, asdict(found), scripts)
        tell(f"{found.reserved / 2**30:7.2f} GiB, {found.steps} steps  {id}")


def missing(script: Script, environment: CudaEnvironment) -> list[str]:
    """The packages that the script needs and its Python has not, or has in another version."""
    has = packages_of(environment, script.needs)
    return [f"{name}=={wanted}" for name, wanted in script.needs.items() if has[name] != wanted]


def dry(script: Script, project: Project, environment: CudaEnvironment, source: Path) -> Ran:
    """What a dry run says of a script, checked out from `source` with data made for it.

    Raises GuideError where it lacks a package, fails, or makes no step.
    """
    if lacks := missing(script, environment):
        install = f"run `{environment.python} -m pip install {' '.join(lacks)}`"
        raise fault(None, None, f"{script.id} needs {', '.join(lacks)}", install)
    machine = StandIn.of(chosen(script.card, project), count=script.count)
    with tempfile.TemporaryDirectory(prefix="public-script-") as made:
        work = Path(made)
        check_out(source, script.commit, script.files, work)
        for said in script.data:
            made_data.make(said, work, environment.python)
        inherited = os.environ.get("PYTHONPATH", "")
        paths = [str(VALUES), *([made] if script.own_packages else []), inherited]
        more = {
            "PYTHONPATH": ":".join(path for path in paths if path),
            "TORCH_HOME": str(work / ".torch"),
            "HF_HOME": str(work / ".hf"),
            "HF_HUB_OFFLINE": "1",
        }
        settings = Settings(script.steps, folder=work / script.folder, more=more)
        with tempfile.TemporaryFile() as errors:
            quiet = {"output": subprocess.DEVNULL, "errors": errors.fileno()}
            outcome = run(environment, machine, script.command, settings, **quiet)
            errors.seek(0)
            last = errors.read().decode("utf-8", "replace").strip().splitlines()[-8:]
    steps = max((len(one["steps"]) for one in outcome.ledgers), default=0)
    if outcome.status or outcome.errors or outcome.out_of_memory or not steps:
        raise fault(None, None, f"{script.id} did not run dry", "\n".join([_why(outcome), *last]))
    assumed: Counter[str] = Counter()
    for ledger in outcome.ledgers:
        for kind, _, times in ledger["assumed"]:
            assumed[kind] += times
    device = outcome.fullest
    return Ran(
        script.asked,
        packages_of(environment, ["torch", *script.needs]),
        date.today().isoformat(),
        device.allocated,
        device.reserved,
        steps,
        dict(sorted(assumed.items())),
        dict(sorted(merged(one["shapes_only"] for one in outcome.ledgers).items())),
        any(one["compiled"] for one in outcome.ledgers),
    )


def _why(outcome: Outcome) -> str:
    if outcome.errors:
        return in_a_line(outcome.errors[0])
    return f"it ended with status {outcome.status}, and made no step or had too little memory"


def _file(project: Project) -> Path:
    return project.dry_run_records / "public.json"
