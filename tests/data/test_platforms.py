"""The pages of platforms: what their files say is accepted, and agrees with the other data."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from malformed_data import TEXTS
from rendering import rendered
from small_guides import begin

from gpu_guide import ROOT
from gpu_guide.data.platforms import load_platforms
from gpu_guide.data.wheels import load_wheels
from gpu_guide.pages.chinese import check_yaml
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.render.platform_table import clouds
from gpu_guide.render.words import Words

DATA = load_platforms(HERE)
WHEELS = load_wheels(HERE)


def fences(page: str, language: str, lang: str) -> list[str]:
    text = (ROOT / "docs" / lang / f"platforms/{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_table_shows_the_places_of_its_readers(lang: str) -> None:
    html = rendered("```table\nplatforms/clouds\n```", lang)
    say = Words(lang)
    assert clouds(DATA, say).html(say) in html and "`" not in html
    assert "Colab" in html and ("AutoDL" in html) == (lang == "zh")
    shown = [cloud for cloud in DATA.clouds if lang in cloud.texts]
    for source in (source for cloud in shown for source in cloud.source):
        assert next(one.url for one in DATA.sources if one.id == source) in html


def test_every_source_is_used() -> None:
    used = {source for cloud in DATA.clouds for source in cloud.source}
    assert used == {source.id for source in DATA.sources}


def test_the_chinese_is_good() -> None:
    assert not check_yaml(HERE.platforms.read_text(encoding="utf-8"))


def test_the_p100_and_kaggles_build() -> None:
    """The page says that cu128 has no code for a P100, and that CUDA 12.8 has the RTX 50."""
    builds = [build for build in WHEELS.builds if build.tag == "cu128" and build.x86_64]
    assert builds and not any(WHEELS.covers(build, "6.0") for build in builds)
    assert all(WHEELS.covers(build, "12.0") for build in builds)


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_job_script_and_the_commands_are_bash(lang: str) -> None:
    scripts = [
        text for page in ("slurm", "cloud", "containers") for text in fences(page, "bash", lang)
    ]
    assert any(text.startswith("#!/bin/bash\n#SBATCH") for text in scripts)
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_compose_file_and_the_image(lang: str) -> None:
    (compose,) = fences("containers", "yaml", lang)
    service = yaml.safe_load(compose)["services"]["train"]
    (device,) = service["deploy"]["resources"]["reservations"]["devices"]
    assert device["capabilities"] == ["gpu"] and device["driver"] == "nvidia"
    assert all(isinstance(id, str) for id in device["device_ids"])
    image, extension = fences("containers", "dockerfile", lang)
    index = re.search(r"--index-url (\S+)", image)[1]
    assert index in {build.index for build in WHEELS.builds if build.published}
    assert "NVIDIA_DRIVER_CAPABILITIES=compute,utility" in image
    architectures = re.search(r'TORCH_CUDA_ARCH_LIST="(.+?)"', extension)[1].split(";")
    builds = [build for build in WHEELS.builds if build.index == index and build.x86_64]
    assert all(WHEELS.covers(build, each) for build in builds for each in architectures)


def test_a_place_for_readers_of_one_language(tmp_path: Path) -> None:
    text = TEXTS["platforms"].partition("  en:\n    gpus")[0]
    project = begin(tmp_path, files={"data/platforms.yml": text})
    assert set(load_platforms(project).clouds[0].texts) == {"zh"}
    project = begin(tmp_path / "b", files={"data/platforms.yml": text[: text.index("  zh:\n")]})
    with pytest.raises(GuideError, match="no texts"):
        load_platforms(project)
