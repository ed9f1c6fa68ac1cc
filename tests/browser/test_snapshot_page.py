"""The snapshot viewer in a browser: the numbers of the model, and what it refuses to read."""

from __future__ import annotations

import base64
import json
import pickle
import pickletools
import struct
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import (
    SEEN_RULES,
    SIZES_AND_SCHEMES,
    axe,
    computed,
    load_axe,
    location,
    resize,
    too_wide,
    use_scheme,
)
from built_site import LANGUAGES, built_site
from playwright.sync_api import Browser, Page, expect
from snapshot_files import random_snapshot, write_large

from gpu_guide.project import HERE
from gpu_guide.tool.snapshot_counts import ALLOWED, growth, refused, summary

pytestmark = pytest.mark.browser


PATH = "memory/snapshot-viewer/"

# Reads files that come as base64, a slice of some bytes at a time, as the worker does.
READ = """([files, slice, options]) => {
  const { readSnapshot, summary, growth } = document.querySelector('.snapshot').engine;
  try {
    const read = files.map(text => {
      const bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
      return readSnapshot(bytes.length, (start, end) => bytes.slice(start, end), () => {}, slice);
    });
    return [...read.map(one => summary(one, options)), read[1] ? growth(...read, options) : null];
  } catch (error) {
    if (!error.details) throw error;
    return error.details;
  }
}"""


def engine(
    page: Page, *files: bytes, by: str = "line", device: int | None = None, slice: int = 97
) -> Any:
    """What the page's own code makes of the bytes of one file or two, or why it reads them not."""
    sent = [base64.b64encode(one).decode() for one in files]
    return computed(page, READ, [sent, slice, {"by": by, "device": device}])


def pickled(snapshot: Any, protocol: int) -> bytes:
    """Protocol 2 has no bytes: Python writes a call of a function in their place."""
    if protocol == 2 and isinstance(snapshot, dict):
        snapshot["allocator_settings"].pop("raw", None)
    return pickle.dumps(snapshot, protocol)


def choose(page: Page, slot: int, name: str, data: bytes) -> None:
    """Hand a file to the page; returns when it has been read or refused."""
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator(".snapshot input").nth(slot).set_input_files(file)
    expect(page.locator(".snapshot__status")).to_contain_text(name)
    expect(page.locator(".snapshot__busy")).to_be_hidden()


def some(seed: int) -> dict[str, Any]:
    """A snapshot that fills every table, of two devices at the least."""
    snapshot = random_snapshot(seed)
    while len(snapshot["device_traces"]) < 2 or len(snapshot["segments"]) < 9:
        seed += 1000
        snapshot = random_snapshot(seed)
    return snapshot


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_random_snapshots_give_the_models_numbers(page: Page, address: str, protocol: int) -> None:
    page.goto(f"{address}en/{PATH}")
    for seed in range(40 * protocol, 40 * protocol + 12):
        pair = [random_snapshot(seed), random_snapshot(seed + 20)]
        files = [pickled(one, protocol) for one in pair]
        by, device = ["line", "inner", "all"][seed % 3], [None, None, 0, 1][seed % 4]
        wanted = [*(summary(one, by, device) for one in pair), growth(*pair, by, device)]
        seen = engine(
            page, *files, by=by, device=device, slice=[1, 13, 97, 10_000, 10**7][seed % 5]
        )
        assert seen == json.loads(json.dumps(wanted)), seed


def test_a_file_that_pytorch_wrote_gives_the_models_numbers(page: Page, address: str) -> None:
    """On a stand-in GPU: tests/stand_in/test_snapshot_files.py says how."""
    page.goto(f"{address}en/{PATH}")
    data = base64.b64decode((HERE.tests / "data/snapshot_by_pytorch.b64").read_bytes())
    snapshot = pickle.loads(data)
    wanted = [summary(snapshot, "line", None), None]
    assert engine(page, data) == json.loads(json.dumps(wanted))
    assert any(row["label"].startswith("keep (") for row in wanted[0]["places"]["rows"])


def test_the_tables_show_what_was_counted(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}?by=all")
    pair = [some(1), some(2)]
    choose(page, 0, "one.pickle", pickled(pair[0], 4))
    choose(page, 1, "two.pickle", pickled(pair[1], 5))
    expect(page.locator(".snapshot__results")).to_have_attribute("data-shown", "0 1")
    rows = page.locator(".snapshot__table").first.locator("tbody tr")
    shown = rows.evaluate_all(
        "all => all.map(row => [row.querySelector('code')?.textContent ?? '',"
        " ...[...row.querySelectorAll('data')].map(one => Number(one.value))])"
    )
    wanted = growth(*pair, "all", None)["rows"]
    assert shown == [[row["label"], row["before"], row["after"], row["grown"]] for row in wanted]
    devices = page.locator(".snapshot__table").nth(1).locator("tbody tr")
    counted = [summary(one, "all", None)["devices"] for one in pair]
    assert devices.count() == sum(map(len, counted))
    reserved = devices.evaluate_all("all => all.map(row => +row.querySelector('data').value)")
    assert reserved == [one["reserved"] for file in counted for one in file]


def test_the_address_keeps_how_one_looks_at_it(page: Page, address: str) -> None:
    snapshot = some(3)
    page.goto(f"{address}en/{PATH}?device=1")
    choose(page, 0, "one.pickle", pickled(snapshot, 4))
    selects = page.locator(".snapshot__choice select")
    expect(selects.nth(1)).to_have_value("1")
    selects.nth(0).select_option("inner")
    page.wait_for_function("document.querySelector('.snapshot').shown().options.by === 'inner'")
    shown = page.evaluate("document.querySelector('.snapshot').shown().shown[0]")
    assert shown == json.loads(json.dumps(summary(snapshot, "inner", 1)))
    assert urlsplit(location(page)).query == "device=1&by=inner"
    selects.nth(1).select_option("")
    expect(page.locator(".snapshot__table").first.locator("tbody tr")).to_have_count(
        len(summary(snapshot, "inner", None)["devices"])
    )
    assert urlsplit(location(page)).query == "by=inner"


class Trap:
    """Runs a function when Python opens its pickle."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("opened",))


class Plain:
    """An object with a state of its own."""

    def __init__(self) -> None:
        self.seen = 1


PLANTED = {
    "a call": (Trap(), [0, 1, 2, 3, 4, 5]),
    "a function": (len, [2, 4]),
    "an object": (Plain(), [2, 3, 4, 5]),
    "a set": ({1}, [2, 4, 5]),
    "a frozen set": (frozenset({1}), [4]),
    "a complex number": (1j, [2, 4]),
    "a bytearray": (bytearray(b"ab"), [2, 5]),
    "a huge number": (1 << 3000, [2, 5]),
}


@pytest.mark.parametrize("what", PLANTED)
def test_whatever_no_snapshot_has_is_refused_by_name_and_byte(
    page: Page, address: str, what: str
) -> None:
    page.goto(f"{address}en/{PATH}")
    value, protocols = PLANTED[what]
    for protocol in protocols:
        for inside in ("segments", "allocator_settings", "first"):
            snapshot: dict[str, Any] = {"segments": [], "device_traces": [[]]}
            data = pickle.dumps({inside: [value]} | snapshot | {inside: [value]}, protocol)
            if protocol < 2:
                assert engine(page, data) == {"kind": "other", "byte": 0}
                continue
            found = refused(data)
            assert found and found[0] not in ALLOWED
            said = engine(page, data)
            assert (said["kind"], said["name"], said["byte"]) == ("opcode", *found), protocol


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_is_a_sentence_and_the_page_goes_on(
    page: Page, address: str, language: str
) -> None:
    page.goto(f"{address}{language}/{PATH}")
    data = pickle.dumps({"segments": [Trap()]}, 4)
    choose(page, 0, "trap.pickle", data)
    found = refused(data)
    assert found
    status = page.locator(".snapshot__status")
    expect(status).to_contain_text(found[0])
    expect(status).to_contain_text(str(found[1]))
    assert page.locator(".snapshot__table").count() == 0
    choose(page, 0, "good.pickle", pickled(some(4), 4))
    expect(page.locator(".snapshot__table").first).to_be_visible()


def test_every_other_byte_is_refused_as_an_opcode(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}")
    known = {ord(one.code): one.name for one in pickletools.opcodes}
    for code in range(256):
        said = engine(page, b"\x80\x04}" + bytes([code]) + bytes(300))
        if known.get(code) in ALLOWED - {"PROTO"}:  # which stands at the beginning alone
            assert (said["kind"], said.get("byte")) != ("opcode", 3), (code, said)
        else:
            wanted = {"kind": "opcode", "byte": 3, "name": known.get(code, ""), "code": code}
            assert said == wanted


def test_cut_damaged_and_other_files_are_told_apart(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}")
    data = pickled(some(5), 4)
    for length in (2, 5, 100, len(data) // 2, len(data) - 1):
        assert engine(page, data[:length]) == {"kind": "short", "byte": length}
    assert engine(page, b"PK\x03\x04")["kind"] == "zip"
    assert engine(page, b"")["kind"] == engine(page, b"{}")["kind"] == "other"
    assert engine(page, b"\x80\x09N.") == {"kind": "protocol", "byte": 1, "protocol": 9}
    for broken in (
        b"\x80\x04.",
        b"\x80\x04e",
        b"\x80\x04h\x07.",
        b"\x80\x04K\x01K\x02a.",
        b"\x80\x04]r\xff\0\0\0.",
    ):
        assert engine(page, broken)["kind"] == "damaged", broken
    # A text that says it is longer than the file is no reason to ask for that much memory.
    assert engine(page, b"\x80\x04\x8d" + struct.pack("<Q", 2**50) + b"a.")["kind"] == "short"


def test_a_pickle_that_is_no_snapshot_is_told_what_is_wrong(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}")
    block = {"size": 512, "state": "inactive"}
    cases: list[tuple[Any, str]] = [
        ([1, 2], ""),
        ({"weights": [1.5]}, "segments"),
        ({"segments": 3}, "segments"),
        ({"segments": [4]}, "segments[0]"),
        ({"segments": [{"total_size": 1}]}, "segments[0].blocks"),
        ({"segments": [{"total_size": -1, "blocks": []}]}, "segments[0].total_size"),
        ({"segments": [{"total_size": 2**60, "blocks": []}]}, "segments[0].total_size"),
        (
            {"segments": [{"total_size": 512, "blocks": [block | {"size": "x"}]}]},
            "segments[0].blocks[0].size",
        ),
        (
            {"segments": [{"total_size": 512, "blocks": [block | {"frames": [3]}]}]},
            "segments[0].blocks[0].frames",
        ),
        (
            {"segments": [], "device_traces": [[], [{"action": "alloc", "size": 0.5}]]},
            "device_traces[1][0].size",
        ),
    ]
    for value, path in cases:
        for protocol in (2, 4):
            said = engine(page, pickle.dumps(value, protocol))
            assert said == {"kind": "shape", "path": path}
    event = {"action": "alloc", "size": 512}
    twice = pickle.dumps({"segments": [], "device_traces": [[event], [event]]}, 4)
    assert engine(page, twice)["kind"] == "again"
    loop: dict[str, Any] = {"segments": []}
    loop["allocator_settings"] = loop
    assert engine(page, pickle.dumps(loop, 4))[0]["devices"] == []


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A file of 100 MB, and how many events are in it."""
    path = tmp_path_factory.mktemp("large") / "large.pickle"
    return path, write_large(path, 100_000_000)


def test_a_large_file_is_read_while_the_page_answers(
    page: Page, address: str, large: tuple[Path, int]
) -> None:
    """How long the page is kept waiting is measured by hand, and nothing here looks at a clock."""
    page.goto(f"{address}en/{PATH}")
    file, events = large
    page.set_default_timeout(300_000)
    page.locator(".snapshot input").first.set_input_files(file)
    page.locator(".snapshot input").nth(1).focus()  # the page takes orders meanwhile
    expect(page.locator(".snapshot__results")).to_have_attribute("data-shown", "0", timeout=300_000)
    seen = page.evaluate("document.querySelector('.snapshot').shown().shown[0]")
    assert sum(row["times"] for row in seen["actions"]) == seen["timeline"]["events"] == events
    page.set_default_timeout(30_000)


def test_reading_can_be_stopped(page: Page, address: str, large: tuple[Path, int]) -> None:
    page.goto(f"{address}en/{PATH}")
    choose(page, 1, "small.pickle", pickled(some(6), 4))
    page.locator(".snapshot input").first.set_input_files(large[0])
    page.get_by_role("button", name="Stop").press("Enter")
    expect(page.locator(".snapshot__busy")).to_be_hidden()
    expect(page.locator(".snapshot__results")).to_have_attribute("data-shown", "1")
    assert page.locator(".snapshot__table").count() > 2


def test_files_can_be_dropped(page: Page, address: str) -> None:
    page.goto(f"{address}en/{PATH}")
    files = [base64.b64encode(pickled(some(seed), 4)).decode() for seed in (7, 8)]
    page.evaluate(
        """files => {
          const data = new DataTransfer();
          files.forEach((text, index) => data.items.add(new File(
            [Uint8Array.from(atob(text), one => one.charCodeAt(0))], `${index}.pickle`)));
          document.querySelector('.snapshot').dispatchEvent(
            new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        files,
    )
    expect(page.locator(".snapshot__results")).to_have_attribute("data-shown", "0 1")
    expect(page.locator(".snapshot__status")).to_contain_text("0.pickle, 1.pickle")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_works_from_a_folder_without_a_server(browser: Browser, language: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((built_site() / language / PATH / "index.html").as_uri())
    choose(page, 0, "one.pickle", pickled(some(9), 4))
    expect(page.locator(".snapshot__table").first).to_be_visible()
    assert {url.partition(":")[0] for url in asked} == {"file", "blob"}
    page.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_that_axe_finds_in_any_state(page: Page, address: str, language: str) -> None:
    page.goto(f"{address}{language}/{PATH}")
    load_axe(page)
    problems = axe(page, where=".snapshot")
    pair = [some(10), some(11)]
    for slot, snapshot in enumerate(pair):
        snapshot["segments"] = snapshot["segments"][:4]  # axe takes its time for each cell
        choose(page, slot, f"{slot}.pickle", pickled(snapshot, 4))
    expect(page.locator(".snapshot__results")).to_have_attribute("data-shown", "0 1")
    problems += axe(page, where=".snapshot")
    for size, scheme in SIZES_AND_SCHEMES:
        resize(page, size)
        use_scheme(page, scheme)
        found = [*axe(page, SEEN_RULES, ".snapshot"), *too_wide(page)]
        problems += [f"{size} {scheme}: {one}" for one in found]
    choose(page, 0, "no.pickle", b"no")
    problems += axe(page, where=".snapshot")
    assert problems == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_javascript_there_is_another_way(plain: Page, address: str, language: str) -> None:
    plain.goto(f"{address}{language}/{PATH}")
    expect(plain.locator(".snapshot")).to_contain_text("torch.cuda._memory_viz")
    assert plain.locator(".snapshot input").count() == 0
