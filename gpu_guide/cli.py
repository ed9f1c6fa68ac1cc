"""The commands: `python -m gpu_guide serve|build|test|check|record|…`; `--help` names them all.

Thin: each command imports the module that does the work. Where modules are missing, the command is
run again by the Python of `.venv`, which is set up for it.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from gpu_guide.problems import GuideError, did_you_mean, fault
from gpu_guide.project import HERE
from gpu_guide.venv import python_with

DEFAULT_PORT = 8000
DEFAULT_CUDA_TORCH = "2.13.0"
CUDA_TORCHES = ("2.13.0", "2.15.0")
"""The versions whose messages the pages quote: the pinned one, and the newest."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    # What stands behind "--" is a command of its own.
    behind = arguments.index("--") if "--" in arguments else len(arguments)
    options, rest = _parser().parse_known_args(arguments[:behind])
    options.program = arguments[behind + 1 :]
    if rest and options.command != "test":
        _parser().error(f"unknown arguments: {' '.join(rest)}")
    options.rest = rest
    if options.needs:
        python = python_with(options.needs, this_one=options.this_python)
        if python.absolute() != Path(sys.executable).absolute():
            environment = os.environ | {"PYTHONUTF8": "1"}
            command = [str(python), "-m", "gpu_guide", *arguments]
            try:
                return subprocess.run(
                    command, cwd=HERE.root, env=environment, check=False
                ).returncode
            except KeyboardInterrupt:
                return 130
    try:
        return options.run(options)
    except GuideError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gpu_guide", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--this-python",
        action="store_true",
        help="fail rather than use the Python of .venv where modules are missing",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def add(
        name: str, run: Callable[[argparse.Namespace], int], needs: str, text: str
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run, needs=needs)
        return command

    serve = add("serve", _serve, "site", "build both languages, serve them, rebuild on save")
    serve.add_argument("--port", type=int, default=DEFAULT_PORT)
    build = add("build", _build, "site", "build the whole site into a folder")
    build.add_argument("--out", type=Path, default=HERE.root / "site")
    build.add_argument("--site-url", help="address of the folder that will hold zh/ and en/")
    build.add_argument("--builder", choices=("mkdocs", "zensical"), default="mkdocs")
    build.add_argument("--against", type=Path, help="a site built already: say what differs")
    offline = add("offline", _offline, "site", "build a zip that is read without a network")
    offline.add_argument("--out", type=Path, default=HERE.root / "pytorch-gpu-guide-offline.zip")
    offline.add_argument("--site", type=Path, help="a site that is built already")
    pdf = add("pdf", _pdf, "browser", "print a PDF of each section and language")
    pdf.add_argument("names", nargs="*", metavar="name", help="for example memory; or all")
    pdf.add_argument("--language", choices=HERE.languages, action="append", default=[])
    pdf.add_argument("--out", type=Path, default=HERE.root / "build" / "pdf")
    pdf.add_argument("--site", type=Path, help="a site that is built already")
    audit = add("audit", _audit, "browser", "measure ten kinds of pages by Lighthouse")
    audit.add_argument("kinds", nargs="*", metavar="kind", help="for example home; or all")
    audit.add_argument("--site", type=Path, help="a site that is built already")
    audit.add_argument("--runs", type=int, default=3, help="of each page (default: 3)")
    test = add("test", _test, "test", "run the quick tests; further arguments go to pytest")
    test.add_argument("--all", action="store_true", help="also the slow ones, as CI does")
    test.add_argument("--since", help="leave out snippets that are as at this commit of git")
    add("check", _check, "check", "check pages and snippets without running any code")
    diagnose = add(
        "diagnose", _diagnose, "diagnose", "name the cause in a pasted error, log or table"
    )
    diagnose.add_argument("file", nargs="?", default="-", help="the text; - or nothing: stdin")
    diagnose.add_argument("--language", choices=HERE.languages, default=HERE.languages[-1])
    learn = add("learn", _learn, "test", "the next of forty programs to mend, checked on save")
    learn.add_argument("arguments", nargs=argparse.REMAINDER, help="as of `gpu-guide learn`")
    record = add("record", _record, "", "run snippets here and write records/<environment>.json")
    record.add_argument(
        "names", nargs="*", metavar="name", help="check/devices, or a topic; or all"
    )
    record.add_argument("--again", action="store_true", help="also what is recorded of this code")
    record.add_argument("--jobs", type=int, default=1, help="so many at a time (default: 1)")
    record.add_argument(
        "--minutes",
        type=float,
        help="no longer; without names also all else that a GPU can prove, into --out",
    )
    record.add_argument(
        "--out",
        type=Path,
        default=HERE.root / "build" / "campaign",
        help="where that goes (default: build/campaign)",
    )
    adopt = add("adopt", _adopt, "test", "take over what `record --minutes` brought home")
    adopt.add_argument("folder", type=Path, nargs="?", default=HERE.root / "build" / "campaign")
    adopt.add_argument("--look", action="store_true", help="only say what would change")
    pack = add("pack", _pack, "", "download what `record --minutes` needs without a network")
    pack.add_argument("--python", default="3.12", help="of that machine (default: 3.12)")
    stand_in = add("stand-in", _stand_in, "site", "run a command, or the tests, on stand-in GPUs")
    stand_in.usage = "%(prog)s [options] [-- python FILE]"
    stand_in.add_argument("--card", default="h100", help="one of data/cards.yml")
    stand_in.add_argument("--count", type=int, default=2, help="how many of them (default: 2)")
    stand_in.add_argument("--torch", default=DEFAULT_CUDA_TORCH, help="the version of PyTorch")
    stand_in.add_argument("--machine", help="one of data/broken_machines.yml")
    stand_in.add_argument("--values", action=argparse.BooleanOptionalAction, default=True,
                          help="compute what kernels would have, on the CPU")  # fmt: skip
    stand_in.add_argument("--all", action="store_true", help="also what passed and has not changed")
    stand_in.add_argument("--since", help="leave out tests of what is as at this commit of git")
    dry = add(
        "dry-run", _dry_run, "diagnose", "say whether a training script fits on a card, without one"
    )
    dry.usage = "%(prog)s [options] -- python train.py --batch-size 8"
    dry.add_argument("--card", default="rtx-4060", help="for example rtx-3060-12gb, t4, h100")
    dry.add_argument("--count", type=int, default=1, help="how many of them (default: 1)")
    dry.add_argument("--steps", type=int, default=5, help="stop after so many; 0: never")
    dry.add_argument("--assume", type=float, default=0.0, help="what an uncomputed value is")
    dry.add_argument("--compile", action="store_true", help="let torch.compile compile")
    dry.add_argument("--mask-share", type=float, default=1.0, help="how much of a mask is true")
    dry.add_argument("--try", action="store_true", dest="tries", help="also run what may help")
    dry.add_argument("--largest-batch", action="store_true", help="search for it, run by run")
    dry.add_argument("--json", action="store_true", help="the report for programs")
    dry.add_argument("--snapshot", type=Path, metavar="FILE", help="what the viewer opens")
    dry.add_argument("--python", type=Path, help="the Python that the script needs (default: ours)")
    dry.add_argument("--torch", default=DEFAULT_CUDA_TORCH, help="the version of PyTorch")
    dry.add_argument("--record", nargs="*", metavar="id", help="those that pages show; or all")
    dry.add_argument("--published", nargs="*", metavar="script", help="compare with others' peaks")
    dry.add_argument("--public", nargs="*", metavar="id", help="run scripts of other repositories")
    dry.add_argument("--measured", action="store_true", help="compare with what a GPU showed")
    dry.add_argument("--language", choices=HERE.languages, help="(default: the system's)")
    symptoms = add(
        "symptoms", _symptoms, "site", "write what PyTorch says on machines on which CUDA fails"
    )
    symptoms.add_argument(
        "--torch", nargs="+", default=CUDA_TORCHES, help="the versions of PyTorch"
    )
    symptoms.add_argument(
        "--again", nargs="*", default=(), metavar="id", help="also these, or all if none is named"
    )
    lab = add("lab", _lab, "test", "run labs and write their notebooks")
    lab.add_argument("names", nargs="*", metavar="name", help="for example first-training; or all")
    lab.add_argument("--again", action="store_true", help="run them even if no code changed")
    lab.add_argument("--record", action="store_true", help="record what this machine's GPU shows")
    bench = add("bench", _bench, "test", "what snippets, a build and 1,000 pages a language cost")
    bench.add_argument("parts", nargs="*", metavar="part", help="snippets, build, large; or all")
    watch = add("watch", _watch, "test", "run the tests of one snippet whenever it is saved")
    watch.add_argument("name", help="the snippet, for example check/devices")
    faults = add("faults", _faults, "test", "plant faults, and count what is noticed of them")
    faults.add_argument("kinds", nargs="*", metavar="kind", help="for example device; or all")
    faults.add_argument("--count", type=int, default=80, help="faults in snippets (default: 80)")
    faults.add_argument("--pages", type=int, default=40, help="faults in pages (default: 40)")
    faults.add_argument("--seed", type=int, help="of an earlier sample, to have the same again")
    faults.add_argument("--write", action="store_true", help="write the figure into the READMEs")
    tested = add("simulated-projects", _simulated_projects, "test", "run others' tests, simulated")
    tested.add_argument("ids", nargs="*", metavar="id", help="of data/simulated_projects.yml")
    add("wheels", _wheels, "site", "compare data/wheels.yml with what is published today")
    add("apis", _apis, "test", "write the public names of the installed torch to data/apis.yml")
    twin = add("twin", _twin, "site", "say that both languages of a page are in line")
    twin.add_argument("name", help="the page, for example check/devices")
    style = add("style", _style, "site", "how often pages say what a native seldom says")
    style.add_argument("names", nargs="*", metavar="page", help="for example check/devices; or all")
    new = add("new", _new, "site", "begin a page or an answer, in both languages, or a snippet")
    new.add_argument("kind", choices=("page", "answer", "snippet", "lab"))
    new.add_argument("name", help="its topic and name, for example check/devices")
    return parser


def commands() -> frozenset[str]:
    """The names of all commands."""
    return frozenset(
        next(action.choices for action in _parser()._actions if action.dest == "command")
    )


def _serve(options: argparse.Namespace) -> int:
    from gpu_guide.site.serve import serve

    serve(HERE, port=options.port)
    return 0


def _build(options: argparse.Namespace) -> int:
    from gpu_guide.site.build import Workers, build, for_one_build

    if options.builder == "zensical":
        from gpu_guide.site.zensical import build_language

        workers = Workers(build_language)
    else:
        workers = for_one_build(HERE)
    with workers:
        build(HERE, options.out, options.site_url, workers=workers)
    return _compare(options.against, options.out) if options.against else 0


def _compare(first: Path, second: Path) -> int:
    """Print what differs between two built sites; 1 where the second lacks something."""
    from gpu_guide.site.compare_builds import differences, lost, table

    found = {lang: differences(first / lang, second / lang) for lang in HERE.languages}
    for language, differs in found.items():
        print(f"## {language}\n\n{table(differs, first.name, second.name)}")
    return int(any(map(lost, found.values())))


def _offline(options: argparse.Namespace) -> int:
    from gpu_guide.site.offline import offline

    size = offline(HERE, options.out, options.site)
    print(f"{options.out}: {size / 1e6:.1f} MB")
    return 0


def _pdf(options: argparse.Namespace) -> int:
    from gpu_guide.site.pdf import pdf

    for path in pdf(HERE, options.out, options.site, options.names, options.language):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def _audit(options: argparse.Namespace) -> int:
    from gpu_guide.site.audit import audit

    return audit(HERE, options.site, options.kinds, options.runs)


def _test(options: argparse.Namespace) -> int:
    environment = os.environ | {"PYTHONUTF8": "1"}
    # Where it is set, as in some containers, each process would compile the guide's code again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found = f"Python {platform.python_version()}, torch {version('torch')}"
    print(f"{sys.executable}: {found}", flush=True)
    since = ["--since", options.since] if options.since else []
    # Who asks for something has all of it run.
    some = ["-p", "gpu_guide.only_changed"] if since or not (options.all or options.rest) else []
    command = [sys.executable, "-m", "pytest", *some, *since, *_chosen(options.all, options.rest)]
    return subprocess.run(command, cwd=HERE.root, env=environment, check=False).returncode


SLOW = (
    "browser",
    "build",
    "distributed",
    "extras",
    "lab",
    "repeat",
    "slow",
    "stand_in",
)
"""Marks of tests that `make test` leaves to `make test-all`: see pyproject.toml."""
_QUICK = " and ".join(f"not {kind}" for kind in SLOW)


MOST_PROCESSES = 4
"""Each of them needs a gigabyte: it has torch imported, and so have its two fork servers."""

SIDE_BY_SIDE = ("-n", "auto", "--maxprocesses", str(MOST_PROCESSES), "--dist", "worksteal")
_ALONE = ("-n", "--numprocesses", "--dist", "-s", "--capture", "--pdb", "--trace", "--update")
"""How options begin that say themselves where tests run, or that need the terminal or the files."""


def _chosen(everything: bool, arguments: Sequence[str]) -> list[str]:
    """The arguments of pytest: without slow tests, unless all are asked for, or some by name; and
    on all cores, unless files are named, which are done before other processes have started."""
    named = any("/" in word or ".py" in word for word in arguments if word[:1] != "-")
    marks = [] if everything or named or "-m" in arguments else ["-m", _QUICK]
    alone = any(".py" in word or word.startswith(_ALONE) for word in arguments)
    return [*marks, *([] if alone else SIDE_BY_SIDE), *arguments]


def _check(options: argparse.Namespace) -> int:
    from gpu_guide.checks import check

    gc.disable()  # almost all that is read stays to the end: looking for garbage finds none
    report = check(HERE)
    print("\n".join(report.problems) or "No problems found.")
    if report.notices:
        print("\n".join(["", "To be known:", *report.notices]))
    return 1 if report.problems else 0


def _diagnose(options: argparse.Namespace) -> int:
    from gpu_guide.data.diagnosis import load_diagnosis
    from gpu_guide.data.errors import load_errors
    from gpu_guide.diagnosis.engine import diagnose
    from gpu_guide.diagnosis.report import report

    if options.file == "-":
        content = sys.stdin.buffer.read()
    else:
        try:
            content = Path(options.file).read_bytes()
        except OSError as error:
            print(f"{options.file}: {error.strerror}", file=sys.stderr)
            return 2
    known, messages = load_diagnosis(HERE), load_errors(HERE)
    verdict = diagnose(content.decode("utf-8", "replace"), known, messages)
    print("\n".join(report(verdict, known, messages, options.language)))
    return {"healthy": 0, "fault": 1, "remark": 2, "unknown": 2}[verdict.kind]


def _learn(options: argparse.Namespace) -> int:
    from gpu_guide.tool.main import main as of_readers

    return of_readers(["learn", *options.arguments])


def _record(options: argparse.Namespace) -> int:
    try:
        from gpu_guide.records.recorder import record
    except ModuleNotFoundError as error:
        print(
            f"{error}: `record` runs in the environment that it records. Install torch, numpy and "
            f"pytest-examples for {sys.executable}, or call it with the Python that has them.",
            file=sys.stderr,
        )
        return 2

    try:
        if options.minutes and not options.names:
            from gpu_guide.campaign.command import campaign

            return campaign(HERE, options.out, jobs=options.jobs, minutes=options.minutes)
        until = time.monotonic() + options.minutes * 60 if options.minutes else None
        more = {"again": options.again, "jobs": options.jobs, "until": until}
        return record(options.names, project=HERE, **more)
    except KeyboardInterrupt:
        print("\nWhat was recorded is kept: the same command goes on from here.", file=sys.stderr)
        return 130


def _adopt(options: argparse.Namespace) -> int:
    from gpu_guide.campaign.adopt import adopt

    return adopt(HERE, options.folder, look=options.look)


def _pack(options: argparse.Namespace) -> int:
    from gpu_guide.campaign.wheels import pack

    found = pack(HERE, options.python)
    size = sum(path.stat().st_size for path in found)
    print(f"{found[0].parent}: {len(found)} wheels, {size / 1e6:.0f} MB")
    return 0


def _stand_in(options: argparse.Namespace) -> int:
    from gpu_guide.data.broken_machines import broken_machine
    from gpu_guide.data.cards import card
    from gpu_guide.project import HERE
    from gpu_guide.stand_in.environments import find_or_make
    from gpu_guide.stand_in.machine import StandIn
    from gpu_guide.stand_in.process import run

    settings = broken_machine(options.machine, HERE).settings if options.machine else {}
    machine = StandIn.of(card(options.card, HERE), count=options.count, settings=settings)
    if not options.program and (why := _no_stand_in()):
        print(f"Skipped: {why}")
        return 1 if os.environ.get("CI") else 0
    environment = find_or_make(options.torch)
    changed = ["-p", "gpu_guide.only_changed", *(["--run-passed"] if options.all else [])]
    changed += ["--since", options.since] if options.since else []
    tests = ["python", "-m", "pytest", "-q", *changed, *SIDE_BY_SIDE, "snippets", "tests/stand_in"]
    return run(environment, machine, options.program or tests, values=options.values)


def _dry_run(options: argparse.Namespace) -> int:
    from gpu_guide.dry_run import measured, public, published
    from gpu_guide.dry_run.samples import record
    from gpu_guide.dry_run.words import system_language
    from gpu_guide.stand_in.environments import at, find_or_make, impossible
    from gpu_guide.tool.dry_run import run_in
    from gpu_guide.tool.words import explained, in_language

    language = options.language or system_language(HERE.languages)
    if why := impossible():
        raise GuideError(in_language(why, language))
    environment = at(options.python) if options.python else find_or_make(options.torch)
    if options.record is not None:
        record(options.record, HERE, environment)
        return 0
    if options.published is not None:
        published.record(options.published, HERE, environment)
        return 0
    if options.public is not None:
        public.record(options.public, HERE, environment)
        return 0
    if options.measured:
        measured.run_dry(HERE, environment)
        return 0
    try:
        return run_in(environment, options, language)
    except GuideError as error:
        raise GuideError(explained(error, language)) from None


def _no_stand_in() -> str:
    """Return why this machine cannot run the tests on a stand-in; "" if it can."""
    from gpu_guide.stand_in.build import compiler
    from gpu_guide.stand_in.environments import impossible

    try:
        compiler()
    except GuideError as error:
        return str(error)
    return impossible()


def _symptoms(options: argparse.Namespace) -> int:
    from gpu_guide.data.broken_machines import as_stand_ins, broken_machine
    from gpu_guide.project import HERE
    from gpu_guide.records.error_texts import record
    from gpu_guide.stand_in.environments import find_or_make

    machines = as_stand_ins(HERE)
    again = [] if options.again == () else [*options.again] or [*machines]
    for id in again:
        broken_machine(id, HERE)
    for torch in options.torch:
        record(machines, find_or_make(torch), HERE.broken_records, again=again)
    return 0


def _lab(options: argparse.Namespace) -> int:
    from gpu_guide.labs.command import lab, record
    from gpu_guide.render.words import Words

    if options.record:
        return record(options.names, project=HERE, again=options.again)
    return lab(options.names, project=HERE, words=Words, again=options.again)


def _bench(options: argparse.Namespace) -> int:
    from gpu_guide.bench import PARTS, bench

    for part in options.parts:
        if part not in PARTS:
            raise fault(None, None, f"no part {part!r}", did_you_mean(part, PARTS, ""))
    return bench(HERE, options.parts)


def _watch(options: argparse.Namespace) -> int:
    from gpu_guide.watch import watch

    return watch(options.name, HERE)


def _faults(options: argparse.Namespace) -> int:
    from gpu_guide.faults.command import faults

    chosen = options.count, options.pages, options.seed, options.kinds
    return faults(HERE, *chosen, write=options.write)


def _simulated_projects(options: argparse.Namespace) -> int:
    from gpu_guide.faults.projects import record

    record(options.ids, HERE)
    return 0


def _wheels(options: argparse.Namespace) -> int:
    from gpu_guide.data.published import differences

    found = differences(HERE)
    print("\n".join(map(str, found)) or "data/wheels.yml is what is published.")
    return 1 if found else 0


def _apis(options: argparse.Namespace) -> int:
    from gpu_guide.data.apis import write_names

    write_names(HERE)
    return 0


def _twin(options: argparse.Namespace) -> int:
    from gpu_guide.pages.translations import mark_in_line

    mark_in_line(HERE, f"{options.name}.md")
    return 0


def _style(options: argparse.Namespace) -> int:
    from gpu_guide.pages.style import rates

    for language in HERE.languages:
        print(language, *rates(HERE, language, options.names), sep="\n")
    return 0


def _new(options: argparse.Namespace) -> int:
    from gpu_guide.scaffold import NEW

    NEW[options.kind](options.name, HERE)
    return 0
