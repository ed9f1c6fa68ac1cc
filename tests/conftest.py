"""What tests share: the machine and its records, pytest itself, the built site, and a browser that
shows it.

gpu_guide/pytest_plugin.py runs snippets.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built_site import SHARED, built_site
from small_guides import two_pages

from gpu_guide import pytest_plugin
from gpu_guide.records.store import Record
from gpu_guide.run.machine import Environment

if TYPE_CHECKING:
    from browser import Watch
    from playwright.sync_api import Browser, Page


def pytest_configure(config: pytest.Config) -> None:
    """A folder for what is made once a run, by whichever process needs it first."""
    if SHARED not in os.environ:
        folder = tempfile.mkdtemp(prefix="gpu-guide-tests-")
        os.environ[SHARED] = folder
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(SHARED), ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """The collector of garbage looks at none of what is there for the whole run: ten thousand tests
    and what they import cost it nearly half of the time in which they are collected."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def here(pytestconfig: pytest.Config) -> Environment:
    """The machine that the tests run on."""
    return pytest_plugin.machine(pytestconfig)


@pytest.fixture(scope="session")
def records(pytestconfig: pytest.Config) -> list[Record]:
    """Everything that other machines printed."""
    return pytest_plugin.records(pytestconfig)


@pytest.fixture
def own_pytest(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """What pytest says in a project, with the plug-in of this one: in this process, which has torch
    and the fork server."""

    def says(folder: Path, *arguments: str) -> str:
        monkeypatch.chdir(folder)
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
        # Another project's tests may be called as ones that this process has imported.
        aside = ("-p", "no:faulthandler", "--import-mode=importlib", "-n", "0")
        capfd.readouterr()
        pytest.main(["-p", "no:cacheprovider", "-q", "-rA", *aside, *arguments])
        return "".join(capfd.readouterr())

    return says


@pytest.fixture
def small_project(tmp_path: Path) -> Path:
    """A copy of the guide with two pages: where it is of no account what the pages say."""
    two_pages(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the site, built once a run."""
    return built_site()


# A browser a file: one that draws no more spoils no other file's tests. What these fixtures import
# is imported where they are used: most runs need no browser.


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from browser import launched

    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the site, as long as it is served."""
    from browser import served
    from built_site import SITE_URL

    with served(site, SITE_URL) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page as for a reader who comes for the first time; its test fails on any problem seen."""
    from browser import WINDOW, Watch

    context = browser.new_context(
        viewport=WINDOW, reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    watch = Watch(page, address)
    yield page
    assert watch.take() == []
    context.close()


@pytest.fixture(scope="module")
def tab(browser: Browser, address: str) -> tuple[Page, Watch, str]:
    """One page for many tests, what goes wrong on it, and the site's address: opening one costs
    more than most tests."""
    from browser import WINDOW, Watch

    page = browser.new_page(viewport=WINDOW, reduced_motion="reduce")
    page.set_default_timeout(20_000)
    return page, Watch(page, address), address


@pytest.fixture(params=["zh", "en"])
def opened(tab: tuple[Page, Watch, str], request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page at PATH of the test's file, in each language; its test fails on any problem seen."""
    page, watch, address = tab
    page.goto(f"{address}{request.param}/{request.module.PATH}")
    yield page
    assert watch.take() == []


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """A page in a browser without JavaScript."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()
