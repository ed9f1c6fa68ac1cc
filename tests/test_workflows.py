"""The workflows: two linters find nothing, and each says and runs what the project has.

GitHub alone can run them, so this reads them. zizmor looks for what an outsider could use, and
jactionlint, the successor of actionlint that PyPI has as a program, for what would not run; it
hands the scripts to shellcheck.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from small_guides import edit

from gpu_guide import ROOT
from gpu_guide.cli import commands

WORKFLOWS = ROOT / ".github" / "workflows"
SCRIPTS = [path for path in sorted((ROOT / ".ci").rglob("*")) if path.is_file()]
SYSTEMS = {"ubuntu-latest", "windows-latest", "macos-latest"}
_USES = re.compile(r"uses: (?P<action>[^\s@]+)(?:@(?P<at>\S+))?(?P<after>.*)")
_COMMAND = re.compile(r"python3? -m gpu_guide (?:--\S+ )*(?P<name>[a-z-]+)")
_SCRIPT = re.compile(r"(?<![\w/])\.ci/[\w./-]+")


def program(name: str) -> str:
    """The linter that lies beside this Python."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    assert found, f"{name} is missing: {sys.executable} -m pip install -e '.[test]'"
    return found


def lint(root: Path) -> str:
    """What the two linters say of the workflows below `root`; "" where they find nothing."""
    files = [str(path) for path in sorted((root / ".github" / "workflows").glob("*.yml"))]
    commands = (
        [program("zizmor"), "--offline", "--no-progress", "--quiet", "."],
        [program("jactionlint"), "--no-color", "--shellcheck", program("shellcheck"), *files],
    )
    said = ""
    for command in commands:
        run = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)
        said += run.stdout + run.stderr if run.returncode else ""
    return said


def workflows(root: Path) -> dict[str, dict]:
    """By file, what a workflow says; `on:` is the key True, as YAML 1.1 has it."""
    files = sorted((root / ".github" / "workflows").glob("*.yml"))
    return {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in files}


def faults(root: Path) -> Iterator[str]:
    """What no linter knows of: this project's own rules."""
    for name, workflow in workflows(root).items():
        text = (root / ".github" / "workflows" / name).read_text(encoding="utf-8")
        for uses in _USES.finditer(text):
            ours = uses["action"].startswith("$/")
            if not ours and not re.fullmatch(r"[0-9a-f]{40}", uses["at"] or ""):
                yield f"{name}: {uses['action']} is not pinned by its commit"
            elif not ours and not re.fullmatch(r" # v\d+\.\d+\.\d+", uses["after"]):
                yield f"{name}: {uses['action']} does not say its version"
        if workflow["permissions"] != {"contents": "read"}:
            yield f"{name}: the token may do more than read"
        for command in _COMMAND.finditer(text):
            if command["name"] not in commands():
                yield f"{name}: no command {command['name']!r}"
        for script in _SCRIPT.findall(text):
            if not (ROOT / script).exists():
                yield f"{name}: no {script}"
        for job, content in workflow["jobs"].items():
            if "uses" not in content and "timeout-minutes" not in content:
                yield f"{name}: {job} may hang for six hours"
            writes = "write" in (content.get("permissions") or {}).values()
            runs = " ".join(step.get("run", "") for step in content.get("steps", ()))
            if writes and re.search(r"gpu_guide|\bmake\b|pip|\.ci/(install|weekly)", runs):
                yield f"{name}: {job} runs code where the token may write"
            if "self-hosted" in content.get("runs-on", ()):
                guard = " ".join(str(content.get("if", "")).split())
                if not guard.startswith("vars.GPU_RUNNER == 'true' && (") or (
                    "head.repo.full_name == github.repository" not in guard
                ):
                    yield f"{name}: {job} would run code of forks"


def test_the_linters_find_nothing() -> None:
    assert not (said := lint(ROOT)), said


def test_the_projects_own_rules_hold() -> None:
    assert not (found := list(faults(ROOT))), "\n".join(found)


PLANTED = {
    "an action by its tag": (
        "tests.yml",
        "@3d3c42e5aac5ba805825da76410c181273ba90b1",
        "@v7",
        "pin",
    ),
    "no version": ("tests.yml", "90b1 # v7.0.1", "90b1", "does not say its version"),
    "a token that writes": ("tests.yml", "contents: read", "contents: write", "more than read"),
    "an input in a script": (
        "nightly.yml",
        ".ci/install torch ",
        "echo ${{ github.head_ref }}; .ci/install torch ",
        "template-injection",
    ),
    "a key that does not exist": ("weekly.yml", "fail-fast", "failfast", "failfast"),
    "a job that is not there": ("nightly.yml", "needs: [test,", "needs: [tests,", "needs"),
    "a script with an unquoted word": ("weekly.yml", '"$LOOK.md"', "$LOOK.md", "SC2086"),
    "a command that is not there": ("tests.yml", "gpu_guide check", "gpu_guide chekc", "'chekc'"),
    "a script that is not there": ("nightly.yml", ".ci/issue", ".ci/isue", "no .ci/isue"),
    "a job without an end": ("gpu.yml", "timeout-minutes: 120", "name: x", "six hours"),
    "code of forks on our GPU": (
        "gpu.yml",
        "head.repo.full_name == github.repository",
        "draft == false",
        "code of forks",
    ),
    "tests where the token writes": (
        "nightly.yml",
        "- run: .ci/issue",
        "- run: make test\n      - run: .ci/issue",
        "where the token may write",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str, tmp_path: Path) -> None:
    file, old, new, says = PLANTED[name]
    shutil.copytree(WORKFLOWS, tmp_path / ".github" / "workflows")
    edit(tmp_path / ".github" / "workflows" / file, old, new)
    told = "\n".join(faults(tmp_path))
    assert says in (told if says in told else lint(tmp_path))


def test_each_system_and_each_python_is_tried_without_make_or_plain_paths() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    quick = workflows(ROOT)["tests.yml"]["jobs"]["quick"]
    matrix = quick["strategy"]["matrix"]
    assert set(matrix["system"]) == SYSTEMS
    assert matrix["python"][0] == settings["tool"]["gpu-guide"]["python"].removeprefix(">=")
    assert [f"3.{minor}" for minor in range(11, 15)] == matrix["python"]
    folder = quick["defaults"]["run"]["working-directory"]
    assert " " in folder and not folder.isascii()
    assert not any(re.search(r"\bmake\b", step.get("run", "")) for step in quick["steps"])


def test_the_oldest_torch_is_the_oldest_supported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (least,) = [n for n in project["optional-dependencies"]["test"] if n.startswith("torch>")]
    jobs = workflows(ROOT)["tests.yml"]["jobs"]["torch"]["strategy"]["matrix"]["include"]
    assert {job["name"]: job["version"] for job in jobs} == {
        "oldest": least.replace("torch>=", "==") + ".*",
        "newest": "",
    }


def test_what_pages_link_to_is_made_before_the_site_is_uploaded() -> None:
    steps = workflows(ROOT)["site.yml"]["jobs"]["build"]["steps"]
    build = next(step for step in steps if "gpu_guide build" in step.get("run", ""))
    assert '--site site --out "site/$OFFLINE_ZIP"' in build["run"]
    assert build["env"]["OFFLINE_ZIP"].endswith(".zip")
    printed = next(step for step in steps if "gpu_guide pdf" in step.get("run", ""))
    upload = next(step for step in steps if "upload-pages-artifact" in step.get("uses", ""))
    # The folder is named, and filled, on the same runs: a link would lead nowhere otherwise.
    folder = re.fullmatch(r"\$\{\{ (.*) && '(\w+)/' \|\| '' \}\}", build["env"]["PDF_FOLDER"])
    assert folder and folder[1] == printed["if"] == upload["if"]
    assert f"pdf --site {upload['with']['path']} --out site/{folder[2]}\n" in printed["run"]
    assert steps.index(build) < steps.index(printed) < steps.index(upload)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_scripts_are_programs_that_shellcheck_accepts(script: Path) -> None:
    listed = ["git", "ls-files", "--stage", script.relative_to(ROOT).as_posix()]
    run = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not run.stdout or run.stdout.startswith("100755"), "git has it as no program: chmod +x"
    checked = [program("shellcheck"), "--shell", "bash", str(script)]
    run = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert not run.returncode, run.stdout


GH = """#!/usr/bin/env bash
# Instead of GitHub's program: notes what it is asked, and answers what a file says.
printf '%s\\n' "$*" >>"$ASKED"
[ "$1 $2" != "issue list" ] || cat "$ANSWER"
"""


@pytest.fixture
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A call of .ci/issue, with the number of the open issue, that gives what GitHub was asked."""
    if sys.platform == "win32":
        pytest.skip("the scripts of the workflows are for Linux runners")
    asked, answer = tmp_path / "asked", tmp_path / "answer"
    (tmp_path / "gh").write_text(GH, encoding="utf-8")
    (tmp_path / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("ASKED", str(asked))
    monkeypatch.setenv("ANSWER", str(answer))
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/name")

    def issue(number: str, body: str) -> list[str]:
        answer.write_text(number, encoding="utf-8")
        (tmp_path / "body.md").write_text(body, encoding="utf-8")
        asked.write_text("", encoding="utf-8")
        command = [str(ROOT / ".ci" / "issue"), "nightly", "It breaks", str(tmp_path / "body.md")]
        subprocess.run(command, check=True, capture_output=True)
        return [" ".join(line.split()[:3]) for line in asked.read_text("utf-8").splitlines()]

    return issue


def test_one_issue_is_opened_then_rewritten_then_closed(gh) -> None:
    assert gh("", "broken") == [
        "issue list --label",
        "label create nightly",
        "issue create --title",
    ]
    assert gh("7", "broken otherwise") == ["issue list --label", "issue edit 7"]
    assert gh("7", "") == ["issue list --label", "issue close 7"]
    assert gh("", "") == ["issue list --label"]


@pytest.mark.skipif(sys.platform == "win32", reason="the scripts of the workflows are for Linux")
def test_a_report_holds_what_failed_and_is_empty_where_nothing_did(tmp_path: Path) -> None:
    def report(script: str) -> str:
        (tmp_path / "script").write_text(script, encoding="utf-8")
        command = [str(ROOT / ".ci" / "report"), "r.md", "bash", "script"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        return (tmp_path / "r.md").read_text(encoding="utf-8")

    assert report("echo fine") == ""
    told = report("echo much else; echo 'FAILED tests/x.py::y - ``` z'; exit 1")
    assert "FAILED tests/x.py::y - ''' z" in told and "much else" not in told
    assert told.count("```") == 2
    assert "the last words" in report("echo the last words; exit 1")
