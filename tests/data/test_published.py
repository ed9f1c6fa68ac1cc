"""What is published against data/wheels.yml, with indexes made of that file itself."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator

import pytest

from gpu_guide.data.published import PYPI, PYPI_OF, differences, fetched
from gpu_guide.data.wheels import INDEX, load_wheels
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

WHEELS = load_wheels(HERE)


def world(
    without: str = "", more: str = "", newest: str = "", companion: str = "", needs: str = ""
) -> Callable[[str], str]:
    """Indexes that hold what the file says, but one wheel less or more, and one release more."""

    def ask(url: str) -> str:
        if url == PYPI:
            releases = [release.latest for release in WHEELS.releases]
            releases += ["2.0.0", "2.15.0rc1", *([newest] if newest else [])]
            return json.dumps({"releases": {release: [] for release in releases}})
        for package, address in PYPI_OF.items():
            versions = [c.version for c in WHEELS.companions if c.package == package]
            if url == address:
                name, _, added = companion.partition(" ")
                versions += [added] if name == package else []
                info = {"requires_dist": ["numpy", needs] if needs else None}
                return json.dumps({"releases": {one: [] for one in versions}, "info": info})
            if url.endswith(f"/{package}/"):
                tag = url.removeprefix(INDEX).removesuffix(f"/{package}/")
                tail = f"+{tag}-cp313-cp313-win_amd64.whl"
                versions = [v for v in versions if f"{package} {v} {tag}" != without]
                return "".join(f'<a href="x">{package}-{v}{tail}</a>' for v in versions)
        tag = url.removeprefix(INDEX).removesuffix("/torch/")
        there = {build.torch for build in WHEELS.builds if build.tag == tag and build.published}
        there = {torch for torch in there if f"{torch} {tag}" != without}
        there |= {more.split()[0]} if more.endswith(tag) else set()
        tail = f"+{tag}-cp313-cp313-manylinux_2_28_x86_64.whl"
        return "".join(f'<a href="x">torch-{torch}.0{tail}</a><br/>\n' for torch in there)

    return ask


def test_nothing_is_told_where_the_file_is_right() -> None:
    assert differences(HERE, world()) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"without": "2.13 cu130"}, "the index cu130 has no torch 2.13"),
        ({"more": "2.15 cu126"}, "the index cu126 has torch 2.15, and the file says it is not"),
        ({"newest": "2.15.1"}, "PyPI's newest torch 2.15 is 2.15.1, in the file it is 2.15.0"),
        ({"newest": "2.16.0"}, "PyPI's newest torch 2.16 is 2.16.0, in the file it is None"),
        (
            {"companion": "torchvision 0.30.0", "needs": "torch (>=2.15.0)"},
            "PyPI's newest torchvision is 0.30.0, in the file it is 0.29.2: it requires torch (>=",
        ),
        (
            {"companion": "torchaudio 2.12.0"},
            "torchaudio is 2.12.0, in the file it is 2.11.0: it na",
        ),
        ({"needs": "torch==2.15.0"}, "torchvision 0.29.2: it requires torch==2.15.0, and the file"),
        ({"without": "torchvision 0.28.0 cu130"}, "the index cu130 has no torchvision 0.28.0"),
    ],
)
def test_each_difference_is_told(changed: dict[str, str], told: str) -> None:
    problem, *others = differences(HERE, world(**changed))
    assert not others or "needs" in changed  # what one package requires, both do here
    assert told in problem.what and "data/wheels.yml" in str(problem)


@pytest.fixture
def server() -> Iterator[str]:
    """A server that has one page, and refuses or breaks at others."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code = {"/there/": 200, "/refused/": 403, "/gone/": 404}.get(self.path, 500)
            self.send_response(code)
            self.end_headers()
            self.wfile.write(b"a page")

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()


def test_an_index_that_does_not_exist_is_empty_and_a_broken_one_an_error(server: str) -> None:
    assert fetched(f"{server}/there/") == "a page"
    assert fetched(f"{server}/refused/") == "" == fetched(f"{server}/gone/")
    with pytest.raises(GuideError, match="500"):
        fetched(f"{server}/broken/")
