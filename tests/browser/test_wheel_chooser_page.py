"""The wheel chooser of install/ in a browser: the answers of gpu_guide/data/wheel_chooser.py."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict

import pytest
from browser import SCHEMES, Watch, axe, computed, load_axe, location, resize, too_wide, use_scheme
from built_site import built_site
from doctor_machines import MACHINES
from playwright.sync_api import Page, expect
from wheel_questions import DRIVERS, FORMS, GPUS, PLATFORMS, PYTHONS, TORCHES, WHEELS
from wheel_questions import remembered as remembered

from gpu_guide.data.wheel_chooser import Answer, answer
from gpu_guide.data.wheel_commands import rows
from gpu_guide.data.wheel_search import Wish

pytestmark = pytest.mark.browser

ANSWERS = """wishes => {
  const box = document.querySelector('.wheel-chooser');
  return wishes.map(wish => {
    const found = box.answer(wish);
    return {...found, texts: [...found.why, ...found.expect].map(box.worded)};
  });
}"""
READ = "text => document.querySelector('.wheel-chooser').readSmi(text)"


@pytest.fixture(params=["zh", "en"])
def page(tab: tuple[Page, Watch, str], request: pytest.FixtureRequest) -> Iterator[Page]:
    page, watch, address = tab
    page.goto(f"{address}{request.param}/install/")
    yield page
    assert watch.take() == []


def wishes() -> Iterator[Wish]:
    """All machines in the plainest form, and every form on a few machines."""
    for system in ("linux", "wsl", "linux-arm", "windows"):
        for n, (gpus, driver, python, torch) in enumerate(
            itertools.product(GPUS, DRIVERS, PYTHONS, TORCHES)
        ):
            if n % 17 == 0:  # no divisor of how many there are of each: no value is left out
                yield Wish(system, "pip", gpus, driver, python, torch)
    cards = [(), ("6.1",), ("8.9",), ("8.7",), ("7.0", "12.0"), ("amd",), ("intel",)]
    for system in (*PLATFORMS, "mac-intel"):
        for gpus, driver, python, torch, form in itertools.product(
            cards, ("", "580.65"), ("3.13", "3.14t", "3.15"), ("", "2.10"), FORMS
        ):
            yield Wish(system, gpus=gpus, driver=driver, python=python, torch=torch, **form)


def plain(found: Answer) -> dict[str, object]:
    """The answer as JSON has it."""
    values = [[key, {k: listed(v) for k, v in said.items()}] for key, said in found.why]
    return {
        "prepare": found.prepare,
        "install": found.install,
        "why": values,
        "check": found.check,
        "expect": [list(said) for said in found.expect],
    }


def listed(value: object) -> object:
    return [listed(one) for one in value] if isinstance(value, (list, tuple)) else value


def test_the_page_gives_the_answers_of_python(page: Page, remembered: None) -> None:
    """In one language all; in the other, whose words alone are others, every seventh."""
    asked = list(wishes())
    assert len(asked) > 9_000
    asked = asked[:: 1 if "/zh/" in location(page) else 7]
    seen = computed(page, ANSWERS, [asdict(wish) for wish in asked])
    assert len(seen) == len(asked)
    texts = set()
    for wish, found in zip(asked, seen, strict=True):
        texts |= set(found.pop("texts"))
        assert found == plain(answer(WHEELS, wish)), wish
    assert not [text for text in texts if "{" in text or "undefined" in text]


def test_nvidia_smi_is_read_like_the_doctor_reads_it(page: Page) -> None:
    """Driver and models of each layout; a model that the table cuts off is left to the reader."""
    known = {"NVIDIA GeForce RTX 5090": "12.0", "NVIDIA A100-SXM4-80GB": "8.0", "NVIDIA L4": "8.9"}
    known |= {"NVIDIA GeForce GTX 1060": "6.1", "NVIDIA GeForce RTX 5070": "12.0"}
    found = 0
    for machine in MACHINES.values():
        smi = machine.get("smi", "")
        read = page.evaluate(READ, smi)
        for name, capability in known.items():
            if f" {name} " in smi:
                found += 1
                assert capability in read["gpus"] and read["driver"] in smi
        if "GeForce RT " in smi:
            assert read["unknown"] and not read["gpus"]
    assert found > 5
    csv = "name, driver_version, compute_cap\nTesla T4, 580.95.05, 7.5\nNVIDIA L4, 580.95.05, 8.9"
    assert page.evaluate(READ, csv) == {
        "driver": "580.95.05",
        "gpus": ["7.5", "8.9"],
        "unknown": False,
    }
    for text, gpu in (
        ("|   0  P106-100                 Off |   00000000:01:00.0 Off |  N/A |", "6.1"),
        ("|   0  NVIDIA CMP 170HX         Off |   00000000:01:00.0 Off |    0 |", "8.0"),
        ("|   0  Orin (nvgpu)             N/A |   N/A              N/A |  N/A |", "8.7"),
        ("03:00.0 VGA compatible controller: AMD/ATI Navi 31 [Radeon RX 7900 XT/XTX]", "amd"),
        ("RX 7900 XTX", "amd"),
        ("Intel(R) Arc(TM) A770 Graphics", "intel"),
    ):
        assert page.evaluate(READ, text) == {"driver": "", "gpus": [gpu], "unknown": False}
    for text in ("", "bash: nvidia-smi: command not found", "|" * 5000, "1,2,3\n" * 2000):
        read = page.evaluate(READ, text)
        assert read == {"driver": "", "gpus": [], "unknown": True}


def test_pasting_fills_the_fields_and_the_address_keeps_them(page: Page) -> None:
    page.select_option(".wheel-chooser [name=system]", "windows")
    page.click(".wheel-chooser summary")
    text = MACHINES["no torch, Windows, RTX 5070 with R572"]["smi"]
    page.fill(".wheel-chooser textarea", text)
    command = page.locator(".wheel-chooser pre").first
    expect(command).to_contain_text("python -m pip install torch --index-url")
    expect(command).to_contain_text("whl/cu128")
    expect(page.locator(".wheel-chooser [name=driver]")).to_have_value("572.16")
    page.check(".wheel-chooser [name=torchvision]")
    shown = command.inner_text()
    page.goto(location(page))
    expect(command).to_have_text(shown, use_inner_text=True)
    assert "torchvision" in shown and "gpu=12.0" in location(page)
    page.fill(".wheel-chooser [name=driver]", "440")
    expect(command).to_be_hidden()
    expect(page.locator(".wheel-chooser__result li").first).not_to_be_empty()


def test_a_gpu_of_another_maker_is_answered_with_a_link(page: Page, address: str) -> None:
    page.click(".wheel-chooser summary")
    page.fill(".wheel-chooser textarea", "AMD Radeon RX 7900 XTX")
    link = page.locator(".wheel-chooser__result li a")
    language = "zh" if "/zh/" in location(page) else "en"
    href = f"{address}{language}/platforms/other-accelerators/#amd"
    assert link.evaluate("link => link.href") == href
    expect(page.locator(".wheel-chooser pre").first).to_be_hidden()
    page.goto(location(page))
    assert link.evaluate("link => link.href") == href
    page.select_option(".wheel-chooser [name=gpu]", "8.7")
    assert link.evaluate("link => link.hash") == "#jetson"


def test_an_address_with_nonsense_is_taken_for_none(tab: tuple[Page, Watch, str]) -> None:
    page, watch, address = tab
    page.goto(f"{address}en/install/?system=beos&gpu=<b>&python=2&driver=%00x&torch=9&x=1&tool=")
    expect(page.locator(".wheel-chooser[data-ready]")).to_be_visible()
    expect(page.locator(".wheel-chooser__result li").first).not_to_be_empty()
    assert watch.take() == []


def test_it_fits_a_phone_and_can_be_read_by_everyone(page: Page) -> None:
    load_axe(page)
    page.click(".wheel-chooser summary")
    for width in (1280, 360):
        resize(page, {"width": width, "height": 740})
        for scheme, rules in SCHEMES.items():
            use_scheme(page, scheme)
            assert [*axe(page, rules, ".wheel-chooser"), *too_wide(page)] == []
    resize(page, {"width": 1280, "height": 800})


def test_with_javascript_the_chooser_stands_in_place_of_the_table(
    tab: tuple[Page, Watch, str],
) -> None:
    page, _, address = tab
    page.goto(f"{address}en/install/")
    page.locator(".wheel-chooser__result").wait_for()
    assert page.locator(".wheel-chooser table").count() == 0


def test_it_works_from_a_file_and_by_keyboard(tab: tuple[Page, Watch, str]) -> None:
    page = tab[0].context.browser.new_page()
    page.goto((built_site() / "en/install/index.html").as_uri())
    command = page.locator(".wheel-chooser__result pre").first
    before = command.inner_text()
    page.focus(".wheel-chooser [name=system]")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "tool"
    page.keyboard.press("ArrowDown")
    assert "uv" in command.inner_text() and command.inner_text() != before
    page.close()


def test_without_javascript_a_table_has_the_commands(plain: Page, address: str) -> None:
    plain.goto(f"{address}en/install/")
    assert "JavaScript" in plain.locator(".wheel-chooser > p").inner_text()
    for row in rows(WHEELS):
        assert plain.locator(".wheel-chooser tr", has_text=row.command).first.is_visible()
