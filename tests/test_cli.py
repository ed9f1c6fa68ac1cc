"""The commands: set-up, new pages and snippets, what is said when something is wrong."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from sysconfig import get_path
from venv import create

import pytest
import yaml
from small_guides import begin

from gpu_guide import ROOT, cli, scaffold
from gpu_guide import venv as install
from gpu_guide.cli import main
from gpu_guide.commands.tests import SLOW
from gpu_guide.labs.source import load_labs
from gpu_guide.labs.text import CellUse, cut, read
from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.snippets.model import parse

torch_version = version("torch")


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    said = capsys.readouterr().out
    for command in ("serve", "build", "test", "check", "record", "lab", "bench", "watch", "new"):
        assert command in said


def test_unknown_arguments_are_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["check", "--fast"])
    assert "--fast" in capsys.readouterr().err


def test_an_interpreter_that_has_everything_is_used_as_it_is(monkeypatch):
    monkeypatch.setattr(install, "_run", lambda command: pytest.fail(f"ran {command}"))
    assert str(install.python_with("test")) == sys.executable


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """An interpreter without our modules: what it would run is written down."""
    ran = []
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(install, "VENV", tmp_path / "venv")
    monkeypatch.setattr(install, "_gpu", lambda: False)

    def run(command):
        ran.append(command)
        (tmp_path / "venv").mkdir(exist_ok=True)

    monkeypatch.setattr(install, "_run", run)
    return ran


def test_another_interpreter_is_never_used_silently(bare, capsys):
    for _ in range(2):  # set up, and as it is
        python = install.python_with("site")
        said = capsys.readouterr().out
        assert f"{sys.executable} lacks yaml, mkdocs" in said
        assert str(python) in said or "setting up venv" in said


def test_an_interpreter_that_was_asked_for_is_used_or_refused(bare, capsys):
    with pytest.raises(SystemExit, match=r"lacks yaml.* -m pip install -e '\.\[site\]'"):
        main(["--this-python", "build"])
    assert bare == []


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(
    ("arguments", "environment", "asked"),
    [([], {}, False), (["PYTHON=mine"], {}, True), ([], {"PYTHON": "mine"}, True)],
)
def test_make_asks_for_the_python_that_it_is_given(arguments, environment, asked):
    # Below another make, which may have been given a Python: what CI and `make test` are.
    given = {"PYTHON", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"}
    clean = {name: value for name, value in os.environ.items() if name not in given}
    done = subprocess.run(
        ["make", "--dry-run", "test", *arguments],
        cwd=ROOT,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("--this-python test" in done.stdout) is asked
    assert done.stdout.startswith("mine -m " if asked else "python3 -m ")


def test_an_interpreter_without_the_plugin_that_mkdocs_loads_lacks_something(bare, monkeypatch):
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: name)
    assert str(install.python_with("site")) == sys.executable and bare == []
    monkeypatch.setattr(install, "entry_points", lambda **_: ())
    with pytest.raises(SystemExit, match=r"lacks this project.* pip install -e"):
        install.python_with("site", this_one=True)


def test_make_test_begins_with_the_interpreter_and_torch(capfd):
    assert main(["test", "--version"]) == 0
    first = capfd.readouterr().out.splitlines()[0]
    assert first == f"{sys.executable}: Python {platform.python_version()}, torch {torch_version}"


def test_a_diagnosis_needs_nothing_but_yaml(tmp_path):
    """By a Python that has PyYAML and no more, and that may set nothing up."""
    create(tmp_path, symlinks=os.name != "nt")
    python = tmp_path / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    folder = Path(get_path("purelib", "venv", {"base": str(tmp_path)}))
    shutil.copytree(Path(yaml.__file__).parent, folder / "yaml")
    done = subprocess.run(
        [python, "-m", "gpu_guide", "--this-python", "diagnose"],
        cwd=ROOT,
        env={name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
        input="RuntimeError: CUDA out of memory",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("fault: out-of-memory\n")


def test_what_is_set_up_for_more_is_enough_for_less(bare):
    python = install.python_with("check")
    first = len(bare)
    assert install.python_with("diagnose") == install.python_with("site") == python
    assert len(bare) == first
    install.python_with("browser")
    assert len(bare) > first


def test_reading_the_guide_installs_no_torch(bare):
    install.python_with("site")
    assert not any("torch" in word for command in bare for word in command)
    assert bare[-1][-1].endswith("[site]")


def test_the_set_up_is_done_once_and_again_when_its_files_change(bare, monkeypatch):
    python = install.python_with("site")
    first = len(bare)
    assert install.python_with("site") == python and len(bare) == first
    monkeypatch.setattr(install, "_fingerprint", lambda extra: "changed")
    install.python_with("site")
    assert len(bare) > first


def test_torch_comes_first_and_alone_from_the_index_for_this_machine(bare, monkeypatch):
    install.python_with("test")
    (torch,) = [command for command in bare if command[-1] == "torch"]
    assert torch[torch.index("--extra-index-url") + 1].endswith("/whl/cpu")
    assert "--no-deps" in torch and bare.index(torch) < len(bare) - 1
    assert all("--extra-index-url" not in command for command in bare if command is not torch)
    monkeypatch.setattr(install, "_gpu", lambda: True)
    monkeypatch.setattr(install, "_fingerprint", lambda extra: "changed")
    bare.clear()
    install.python_with("test")
    assert any(word.endswith("/whl/cu130") for command in bare for word in command)


def test_a_failed_set_up_says_what_to_do():
    with pytest.raises(SystemExit, match=r"The set-up stopped at[\s\S]*run the same command again"):
        install._run([sys.executable, "-c", "raise SystemExit(1)"])


def test_an_old_python_is_told_so(monkeypatch):
    monkeypatch.setattr(install.sys, "version_info", (3, 9, 7))
    with pytest.raises(SystemExit, match=r"3\.11 or newer is needed, this is 3\.9\.7"):
        install.python_with("site")


def test_a_new_lab_is_well_formed_and_in_both_languages(tmp_path):
    said = []
    guide = begin(tmp_path)
    scaffold.new_lab("batch-size", guide, said.append)
    lab = load_labs(guide)["batch-size"]
    assert [cell.id for cell in lab.cells] == ["setup"]
    for language in ("zh", "en"):
        parts = cut(read(guide, language, "batch-size"))
        assert [part.cell for part in parts if isinstance(part, CellUse)] == ["setup"]
    with pytest.raises(GuideError, match="without a topic"):
        scaffold.new_lab("memory/batch-size", guide)


@pytest.fixture
def navs(tmp_path):
    """Settings of both sites: a topic in a section, a page outside, comments in between."""
    for file, lang in (("mkdocs.yml", "zh"), ("mkdocs.en.yml", "en")):
        nav = "nav:\n  - Home: index.md # first\n  - Checks:\n      - check/index.md # more\n"
        text = f"docs_dir: docs/{lang}\n{nav}  - End: end.md\n\n# More.\nextra: {{}}\n"
        (tmp_path / file).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_new_snippet_is_well_formed(tmp_path):
    said = []
    guide = begin(tmp_path)
    scaffold.new_snippet("check/new_one", guide, said.append)
    snippet = parse(guide.snippets / "check" / "new_one.py", guide)
    assert snippet.name == "check/new_one"
    assert any("check/new_one" in line and "--update-examples" in line for line in said)


def test_a_new_page_comes_in_both_languages_and_never_over_another(navs):
    scaffold.new_page("check/new-one", Project(navs), lambda line: None)
    for lang in ("zh", "en"):
        page = navs / "docs" / lang / "check" / "new-one.md"
        assert page.read_text(encoding="utf-8").startswith("---\ntitle: ")
    zh = navs / "docs" / "zh" / "check" / "another.md"
    zh.write_text("mine", encoding="utf-8")
    with pytest.raises(GuideError, match="exists already"):
        scaffold.new_page("check/another", Project(navs), lambda line: None)
    assert zh.read_text(encoding="utf-8") == "mine"
    assert not (navs / "docs" / "en" / "check" / "another.md").exists()
    assert "another" not in (navs / "mkdocs.yml").read_text(encoding="utf-8")


def test_a_new_page_is_named_in_both_navs_and_their_comments_stay(navs):
    for file in ("mkdocs.yml", "mkdocs.en.yml"):
        before = (navs / file).read_text(encoding="utf-8")
        wanted = before.replace("index.md # more\n", "index.md # more\n      - check/new-one.md\n")
        (navs / f"{file}.wanted").write_text(wanted, encoding="utf-8")
    scaffold.new_page("check/new-one", Project(navs), lambda line: None)
    for file in ("mkdocs.yml", "mkdocs.en.yml"):
        assert (navs / file).read_text("utf-8") == (navs / f"{file}.wanted").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("chek/new", r"mkdocs\.yml: no page of the topic 'chek' in nav — did you mean 'check'"),
        ("elsewhere/new", "begin a section there"),
        ("check/index", r"mkdocs\.yml:5: 'check/index.md' is in nav already"),
    ],
)
def test_a_new_page_without_a_place_is_refused_before_anything_is_written(navs, name, says):
    with pytest.raises(GuideError, match=says):
        scaffold.new_page(name, Project(navs), lambda line: None)
    assert not (navs / "docs").exists()


@pytest.mark.parametrize("name", ["Check/x", "../x", "check/x.py", "check//x", ""])
def test_a_bad_name_is_refused(name, tmp_path, capsys):
    with pytest.raises(GuideError, match="not a name"):
        scaffold.new_snippet(name, Project(tmp_path), lambda line: None)
    assert list(tmp_path.iterdir()) == []
    assert main(["new", "page", name or "-"]) == 1
    assert "not a name" in capsys.readouterr().err


def test_lock_files_hold_no_registry_addresses():
    for name in ("constraints.txt", "pyproject.toml"):
        assert "://" not in (ROOT / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize(
    ("arguments", "quick"),
    [
        ([], True),
        (["-k", "memory"], True),
        (["--all"], False),
        (["snippets/check/memory.py::cpu"], False),
        (["-m", "lab"], False),
    ],
)
def test_slow_tests_run_when_all_are_asked_for_or_some_by_name(command_of_test, arguments, quick):
    assert ("not lab" in " ".join(command_of_test(arguments))) is quick


@pytest.mark.parametrize(
    ("arguments", "several"),
    [
        ([], True),
        (["--all"], True),
        (["-k", "memory", "-x"], True),
        (["snippets/check"], True),
        (["snippets/check/memory.py"], False),
        (["tests/test_cli.py::test_help_names_every_command", "-q"], False),
        (["--update-examples"], False),
        (["--pdb"], False),
        (["-s"], False),
        (["-n", "0"], False),
        (["-n3"], False),
    ],
)
def test_all_cores_are_used_unless_a_file_is_named(command_of_test, arguments, several):
    command = command_of_test(arguments)
    assert ("auto" in command) is several
    assert command[-len(arguments) :] == arguments or "--all" in arguments or not arguments


@pytest.mark.parametrize(
    ("arguments", "slow_too"),
    [
        ([], False),
        (["-x"], False),
        (["--junitxml=/tmp/report.xml"], False),
        (["snippets/check"], True),
        (["tests/test_cli.py"], True),
        (["--all"], True),
    ],
)
def test_slow_tests_run_where_they_are_asked_for(command_of_test, arguments, slow_too):
    """By name or all of them; an option's value with a slash names nothing."""
    assert ("-m" not in command_of_test(arguments)[3:]) is slow_too


@pytest.fixture
def command_of_test(monkeypatch):
    """The command that `make test` with some arguments would run."""

    def command_of(arguments):
        commands = []
        done = subprocess.CompletedProcess([], 0)
        monkeypatch.setattr(subprocess, "run", lambda word, **how: commands.append(word) or done)
        monkeypatch.setattr(cli, "python_with", lambda *needs, **how: Path(sys.executable))
        monkeypatch.chdir(ROOT)
        cli.main(["test", *arguments])
        return commands[0]

    return command_of


def test_since_a_commit_reaches_what_leaves_tests_out(command_of_test):
    command = command_of_test(["--all", "--since", "HEAD^1"])
    assert command[3:7] == ["-p", "gpu_guide.only_changed", "--since", "HEAD^1"]
    assert "gpu_guide.only_changed" not in command_of_test(["--all"])


def test_what_passed_is_left_out_where_nothing_is_asked_for(command_of_test):
    assert command_of_test([])[3:5] == ["-p", "gpu_guide.only_changed"]
    for asked in (["snippets/check"], ["-x"], ["-n", "auto"]):
        assert "gpu_guide.only_changed" not in command_of_test(asked)


def test_what_tests_start_finds_the_code_compiled(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environments = []
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(subprocess, "run", lambda _, env, **how: environments.append(env) or done)
    monkeypatch.setattr(cli, "python_with", lambda *needs, **how: Path(sys.executable))
    cli.main(["test"])
    assert "PYTHONDONTWRITEBYTECODE" not in environments[0]


def test_every_mark_of_the_project_is_of_a_kind_that_is_slow():
    marks = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = marks["tool"]["pytest"]["ini_options"]["markers"]
    assert {line.partition(":")[0] for line in listed} == set(SLOW)
