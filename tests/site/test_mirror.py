"""The mirror's script: the archive, a repository to push to, a bucket, and no secret in a log."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from gpu_guide import ROOT

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the scripts of the workflows are for Linux runners"
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A built site of two files."""
    site = tmp_path / "site"
    (site / "zh").mkdir(parents=True)
    (site / ".built-by-gpu-guide").touch()
    (site / "zh" / "index.html").write_text("首页\n", encoding="utf-8")
    return site


def mirror(site: Path, archive: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [str(ROOT / ".ci" / "mirror"), str(site), str(archive)]
    return subprocess.run(
        command, env=environment | settings, capture_output=True, text=True, check=False
    )


def test_the_archive_holds_the_site_and_is_the_same_each_time(site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "guide.tar.gz"
    assert mirror(site, archive).returncode == 0
    first = archive.read_bytes()
    with tarfile.open(archive) as packed:
        assert packed.extractfile("./zh/index.html").read().decode() == "首页\n"
    digest, name = archive.with_name("guide.tar.gz.sha256").read_text().split()
    assert (digest, name) == (hashlib.sha256(first).hexdigest(), archive.name)
    os.utime(site / "zh" / "index.html", (0, 0))
    assert mirror(site, archive).returncode == 0 and archive.read_bytes() == first


def test_the_branch_that_a_host_publishes_is_the_site_alone(site: Path, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    for text in ("首页\n", "新的首页\n"):
        (site / "zh" / "index.html").write_text(text, encoding="utf-8")
        run = mirror(site, tmp_path / "a.tar.gz", MIRROR_GIT=str(remote))
        assert run.returncode == 0, run.stderr
    git = ["git", "-C", str(remote)]
    shown = subprocess.run([*git, "show", "pages:zh/index.html"], capture_output=True, check=True)
    assert shown.stdout.decode() == "新的首页\n"
    count = [*git, "rev-list", "--count", "pages"]
    assert subprocess.run(count, capture_output=True, check=True).stdout.strip() == b"1"


def test_a_push_that_fails_says_so_without_the_token(site: Path, tmp_path: Path) -> None:
    address = f"file://{tmp_path}/nowhere-s3cret.git"
    run = mirror(site, tmp_path / "a.tar.gz", MIRROR_GIT=address)
    assert run.returncode == 1 and "the push to MIRROR_GIT failed" in run.stderr
    assert "s3cret" not in run.stdout + run.stderr


def test_a_bucket_gets_assets_before_pages(site: Path, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "rclone"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >>"{tmp_path}/asked"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    run = mirror(site, tmp_path / "a.tar.gz", MIRROR_REMOTE="mirror:bucket/guide", PATH=path)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "asked").read_text(encoding="utf-8").splitlines() == [
        f"copy --checksum --exclude *.html {site} mirror:bucket/guide",
        f"sync --checksum {site} mirror:bucket/guide",
    ]


def test_what_is_no_built_site_is_not_copied(tmp_path: Path) -> None:
    run = mirror(tmp_path, tmp_path / "a.tar.gz")
    assert run.returncode == 1 and "not a built site" in run.stderr
    assert not (tmp_path / "a.tar.gz").exists()
