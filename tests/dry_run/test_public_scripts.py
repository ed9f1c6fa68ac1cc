"""Scripts that others published: their file, what is made for them, and what was recorded."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import wave
import zlib
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.dry_run import made_data
from gpu_guide.dry_run.public import (
    KINDS,
    LOOPS,
    Ran,
    Script,
    compared,
    load_scripts,
)
from gpu_guide.environments import VARIABLE
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render.named_tables import named_tables
from gpu_guide.render.words import Words
from gpu_guide.repositories import MIRRORS, check_out, fetched, found

ENTRY = """- id: small
  zh: 小脚本
  en: small script
  kind: vision
  loop: PyTorch
  repository: https://github.com/somebody/small
  commit: 0123456789abcdef0123456789abcdef01234567
  license: MIT
  program: examples/train.py
  files: [examples/train.py]
  folder: examples
  arguments: --batch 8
  data: ["text at=data.txt words=20"]
  needs: {numpy: "2.0"}
  card: t4
"""


@pytest.fixture
def guide(tmp_path: Path) -> Callable[[str], Project]:
    """A guide with one public script."""

    def make(data: str = ENTRY) -> Project:
        return begin(tmp_path, files={"data/public_scripts.yml": data})

    return make


def test_there_are_fifteen_of_every_kind_and_loop_and_all_made_their_steps() -> None:
    pairs = compared(HERE)
    assert len(pairs) >= 15
    assert {script.kind for script, _ in pairs} == set(KINDS)
    assert {script.loop for script, _ in pairs} == set(LOOPS)
    for script, ran in pairs:
        assert re.fullmatch(r"[0-9a-f]{40}", script.commit), script.id
        assert ran.steps == script.steps, script.id
        assert 0 < ran.allocated <= ran.reserved, script.id
        assert ran.packages | script.needs == ran.packages and ran.packages["torch"], script.id


def test_the_page_counts_them_and_its_table_has_a_row_for_each() -> None:
    pairs = compared(HERE)
    for language, words in (
        ("en", r"We took (\d+) training scripts"),
        ("zh", r"我们找来 (\d+) 个训练脚本"),
    ):
        page = (HERE.docs / language / "memory/dry-run-tried.md").read_text(encoding="utf-8")
        assert re.findall(words, page) == [str(len(pairs))], language
    html = str(named_tables(HERE, Words("en"))["dry-run/public"]())
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)[1:]
    for (script, ran), row in zip(pairs, rows, strict=True):
        assert script.name["en"] in row and f"{ran.reserved / 2**30:.2f} GiB" in row
        assert f'<a href="{script.address}">' in html


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kind: vision", "kind: poetry", r":1: kind: 'poetry' — it is one of language"),
        ("loop: PyTorch", "loop: Keras", r":1: loop: 'Keras' — it is one of PyTorch"),
        ('"text at', '"verse at', r":1: data: 'verse' makes nothing; known are tokens"),
        ("words=20", "lines=20", r":1: data: text: missing a required argument: 'words'"),
        ("  license: MIT\n", "", r":1: license: missing"),
    ],
)
def test_a_malformed_file_is_refused(
    guide: Callable[[str], Project], old: str, new: str, says: str
) -> None:
    with pytest.raises(GuideError, match=rf"public_scripts\.yml{says}"):
        load_scripts(guide(ENTRY.replace(old, new)))


def test_an_entry_that_has_changed_is_told_with_the_command(
    guide: Callable[[str], Project],
) -> None:
    project = guide(ENTRY)
    (script,) = load_scripts(project).values()
    again = re.escape("run `python -m gpu_guide dry-run --public small`")
    with pytest.raises(GuideError, match=f"small: not recorded — {again}"):
        compared(project)
    ran = Ran(script.asked, {}, "2026-11-28", 1, 2, 5, {"value": 3}, {}, False)
    file = project.dry_run_records / "public.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"small": asdict(ran)}), encoding="utf-8")
    assert compared(project) == [(script, ran)]
    guide(ENTRY.replace("small script", "another name"))
    assert [one.asked for one, _ in compared(project)] == [script.asked]
    guide(ENTRY.replace("--batch 8", "--batch 16"))
    with pytest.raises(GuideError, match=f"its entry has changed since — {again}"):
        compared(project)


def test_the_command_runs_in_its_folder() -> None:
    script = load_scripts(HERE)["fsdp2"]
    assert script.command == [
        "torchrun",
        "--nproc-per-node",
        "2",
        "example.py",
        "--mixed-precision",
    ]
    assert load_scripts(HERE)["olora"].command[1] == "examples/olora_finetuning/olora_finetuning.py"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """somebody/small.git with one commit, as a server has it, and a cache that is empty."""
    tree, bare = tmp_path / "tree", tmp_path / "mirrors" / "somebody" / "small.git"
    (tree / "examples").mkdir(parents=True)
    (tree / "examples" / "train.py").write_text("print(1)\n")
    (tree / "README.md").write_text("Small\n")
    _git(tree, "init", "--quiet")
    _git(tree, "add", ".")
    _git(tree, "commit", "--quiet", "-m", "x")
    _git(tree, "clone", "--quiet", "--bare", ".", str(bare))
    for setting in ("allowFilter", "allowAnySHA1InWant"):
        _git(bare, "config", f"uploadpack.{setting}", "true")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return bare


def _git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    command = ["git", *who, "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _laid_out(script: Script, source: Path, work: Path) -> list[str]:
    work.mkdir()
    check_out(source, script.commit, script.files, work)
    return [file.relative_to(work).as_posix() for file in work.rglob("*") if file.is_file()]


def test_a_commit_is_laid_out_from_a_mirror_which_stays_as_it_was(
    guide: Callable[[str], Project],
    published: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (script,) = load_scripts(guide(ENTRY)).values()
    there = replace(script, commit=_git(published, "rev-parse", "HEAD"))
    assert found(there.repository, there.commit) is None
    monkeypatch.setenv(MIRRORS, str(tmp_path / "mirrors"))
    assert found(script.repository, script.commit) is None  # that commit is not there
    assert found(there.repository, there.commit) == published
    before = sorted(published.rglob("*"))
    assert _laid_out(there, published, tmp_path / "work") == ["examples/train.py"]
    assert sorted(published.rglob("*")) == before


def test_without_a_mirror_it_is_fetched_once_and_of_its_files_what_is_needed(
    guide: Callable[[str], Project], published: Path, tmp_path: Path
) -> None:
    (script,) = load_scripts(guide(ENTRY)).values()
    commit = _git(published, "rev-parse", "HEAD")
    there = replace(script, commit=commit, repository=published.with_suffix("").as_uri())
    served = published.with_suffix("")
    published.rename(served)
    cached = fetched(there.repository, there.commit)
    assert cached.is_relative_to(tmp_path / "cache")
    missing = _git(cached, "rev-list", "--objects", "--missing=print", commit).count("?")
    assert missing == 2
    assert _laid_out(there, cached, tmp_path / "work") == ["examples/train.py"]
    served.rename(published)  # nobody serves it any more
    assert fetched(there.repository, there.commit) == cached
    with pytest.raises(GuideError, match="fetching file:"):
        fetched(there.repository, script.commit)


def test_what_is_made_can_be_read_and_is_the_same_each_time(tmp_path: Path) -> None:
    said = [
        "tokens at=a.bin count=100 most=50",
        "text at=a.txt words=30",
        "images at=a count=2 width=5 height=4 name=c{}/x.png",
        "digits at=m count=10",
        "boxes at=b count=2 width=60 height=40",
        "graphs at=g name=G count=3 nodes=4",
        "voices at=v count=2 seconds=1 rate=8000",
        'lines at=l.jsonl count=2 row="{\\"a\\": 1}"',
    ]
    for folder in (tmp_path / "one", tmp_path / "two"):
        for one in said:
            made_data.make(one, folder, Path(sys.executable))
    one, two = (
        {f.relative_to(d): f.read_bytes() for f in d.rglob("*") if f.is_file()}
        for d in sorted(tmp_path.iterdir())
    )
    assert one == two
    read = {path.as_posix(): content for path, content in one.items()}
    tokens = struct.unpack("100H", read["a.bin"])
    assert max(tokens) < 50
    assert len(read["a.txt"].split()) == 30
    assert {"a/c0/x.png", "a/c1/x.png"} <= read.keys()
    assert _pixels(read["a/c1/x.png"]) == (5, 4, 4 * (1 + 3 * 5))
    assert len(read["m/train-images-idx3-ubyte"]) == 16 + 10 * 784
    boxes = json.loads(read["b/annotations/instances_val2017.json"])
    assert {box["image_id"] for box in boxes["annotations"]} == {0, 1}
    for box in boxes["annotations"]:
        x, y, width, height = box["bbox"]
        assert x + width <= 60 and y + height <= 40
    ends = [
        int(end)
        for line in read["g/G/raw/G_A.txt"].decode().splitlines()
        for end in line.split(",")
    ]
    assert (
        set(ends) <= set(range(1, 13)) and len(read["g/G/raw/G_graph_indicator.txt"].split()) == 12
    )
    with wave.open(str(tmp_path / "one" / "v" / "1.wav")) as sound:
        assert (sound.getframerate(), sound.getnframes()) == (8000, 8000)
    assert read["v.txt"] == b"0\n1\n" and read["l.jsonl"] == b'{"a": 1}\n{"a": 1}\n'


def _pixels(png: bytes) -> tuple[int, int, int]:
    width, height = struct.unpack(">2I", png[16:24])
    length = struct.unpack(">I", png[33:37])[0]
    return width, height, len(zlib.decompress(png[41 : 41 + length]))
