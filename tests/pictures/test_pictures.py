"""Pictures: their models are right, they fit, and each mistake in data/pictures.yml is told."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import torch
from ring_model import shares
from small_guides import begin

from gpu_guide.data.pictures import load_pictures
from gpu_guide.pictures import boxes, moved, number_formats, ring, split_products, timeline
from gpu_guide.pictures.canvas import WIDTH, Arrow, Box, Text, wrapped
from gpu_guide.pictures.timeline import Task, schedule
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.render.picture import canvas_of, figure
from gpu_guide.render.words import Words
from gpu_guide.simulate import SimulatedCuda

PICTURES = load_pictures(HERE)
TIMELINES = [one.name for one in PICTURES.values() if one.kind == "timeline"]
ENTRY = """
- name: a/b
  kind: timeline
  zh: {title: 题目, text: 说明}
  en: {title: title, text: text}
  content:
    - {zh: 部分, en: part, tasks: [{lane: cpu, do: A, takes: 1}]}
"""


def spans(name: str) -> list[list[timeline.Span]]:
    parts = timeline.parts_of(PICTURES[name].content, HERE.languages[0])
    return [schedule(part.tasks) for part in parts]


def ends(name: str) -> list[float]:
    """When each part of a timeline ends."""
    return [max(span.end for span in part) for part in spans(name)]


@pytest.mark.parametrize("name", TIMELINES)
def test_a_lane_does_one_thing_at_a_time_and_waits_for_what_it_needs(name: str) -> None:
    for part in spans(name):
        by_id = {span.task.id: span for span in part}
        for lane in {span.task.lane for span in part}:
            on_lane = sorted((s for s in part if s.task.lane == lane), key=lambda s: s.start)
            assert all(first.end <= second.start for first, second in pairwise(on_lane))
        for span in part:
            assert span.start < span.end
            assert all(by_id[one].end <= span.start for one in span.task.after)
            assert all(by_id[one].start <= span.start for one in span.task.along)
            assert all(by_id[one].end <= span.end for one in span.task.until)


def test_a_task_begins_as_soon_as_it_may() -> None:
    found = schedule(
        [
            Task("cpu", "A", 1),
            Task("cpu", "read", until=("gpu A",)),
            Task("cpu", "B", 1),
            Task("gpu", "A", 3, after=("cpu A",)),
            Task("memory", "a", along=("gpu A",), until=("cpu B",)),
        ]
    )
    assert [(one.start, one.end) for one in found] == [(0, 1), (1, 4), (4, 5), (1, 4), (1, 5)]


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([Task("a", "x", 1), Task("a", "x", 1)], "two tasks are called 'a x'"),
        ([Task("a", "x", 1, after=("b y",))], "waits for 'b y', which does not exist"),
        ([Task("a", "x", 1, after=("a y",)), Task("a", "y", 1)], "'a x' waits for itself"),
    ],
)
def test_a_plan_that_cannot_be_is_told(tasks: list[Task], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        schedule(tasks)


def test_what_the_sentences_beside_the_timelines_say() -> None:
    """The texts of the pages, in numbers."""
    free, waiting = spans("speed/item-waits")
    gpu = [[span for span in part if span.task.lane == "gpu"] for part in (free, waiting)]
    gaps = [sum(b.start - a.end for a, b in pairwise(part)) for part in gpu]
    assert gaps[0] == 0 < gaps[1]
    assert ends("speed/item-waits")[0] < ends("speed/item-waits")[1]
    for name in ("speed/copy-beside-compute", "speed/one-launch", "multi-gpu/buckets"):
        first, second = ends(name)
        assert second < first, name
    one, two = spans("speed/workers-ahead")
    trained = [sum(s.task.do.startswith("t") for s in part) for part in (one, two)]
    rates = [count / end for count, end in zip(trained, ends("speed/workers-ahead"), strict=True)]
    assert rates[1] > 1.5 * rates[0]
    pageable, pinned = spans("to/two-paths")
    busy = [
        next(s.end for s in reversed(part) if s.task.lane == "cpu" and s.task.do != "other")
        for part in (pageable, pinned)
    ]
    assert busy[0] > 2 * busy[1]
    moments = [span.start for span in spans("multi-gpu/gathered-and-freed")[0]]
    whole = [s for s in spans("multi-gpu/gathered-and-freed")[0] if s.task.lane.startswith("m")]
    assert max(sum(s.start <= at < s.end for s in whole) for at in moments) == 2


@pytest.mark.parametrize("ranks", range(2, 7))
def test_the_ring_ends_with_all_sums_and_sends_what_it_should(ranks: int) -> None:
    steps = ring.all_reduce(ranks)
    assert all(part == frozenset(range(ranks)) for held in steps[-1].held for part in held)
    scattered = steps[ranks - 1].held
    assert [sum(len(part) == ranks for part in held) for held in scattered] == [1] * ranks
    sent = sum(len(step.arrived) for step in steps) / ranks / ranks
    assert sent == pytest.approx(shares(ranks)["allreduce"])


def test_formats_are_those_of_torch() -> None:
    formats = {
        one["name"]: number_formats.Format(**one)
        for one in PICTURES["speed/number-formats"].content
    }
    dtypes = {
        "float32": torch.float32,
        "bfloat16": torch.bfloat16,
        "float16": torch.float16,
        "float8_e5m2": torch.float8_e5m2,
    }
    for name, dtype in dtypes.items():
        info = torch.finfo(dtype)
        assert formats[name].bits == info.bits
        assert 2.0 ** -formats[name].fraction == info.eps
        assert formats[name].top == info.max
    fp8 = torch.finfo(torch.float8_e4m3fn)
    assert formats["float8_e4m3"].bits == fp8.bits and fp8.max == 448
    assert 2.0 ** -formats["float8_e4m3"].fraction == fp8.eps
    for name, dtype in (dtypes | {"float8_e4m3": torch.float8_e4m3fn}).items():
        digits = formats[name].largest.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
        number = float(digits.replace(" × 10", "e"))
        assert number == pytest.approx(torch.finfo(dtype).max, rel=0.02)
    assert formats["TF32"].exponent == formats["float32"].exponent
    assert formats["TF32"].fraction == formats["float16"].fraction


@pytest.mark.parametrize("call", PICTURES["to/same-or-new"].content, ids=lambda call: call["code"])
def test_calls_return_what_the_picture_says(call: dict) -> None:
    call = moved.Call(**call)
    with SimulatedCuda(1):
        x = torch.ones(2)
        result = eval(call.code, {"torch": torch, "x": x})
        assert (result is x) == call.same
        assert result.device.type == call.where


@pytest.mark.parametrize("split", PICTURES["multi-gpu/column-and-row"].content)
def test_pieces_of_a_product_make_the_whole(split: str) -> None:
    x, weight, y = (one for one in split_products.product(split))
    torch.manual_seed(0)
    values = {
        one.name: torch.randn(one.rows, one.columns, dtype=torch.float64) for one in (x, weight)
    }

    def piece(matrix: split_products.Matrix, rank: int) -> torch.Tensor:
        pieces = matrix.pieces()
        row, column, rows, columns = pieces[rank if len(pieces) > 1 else 0]
        return values[matrix.name][row : row + rows, column : column + columns]

    parts = [piece(x, rank) @ piece(weight, rank) for rank in range(2)]
    whole = torch.cat(parts, dim=1) if y.split == "columns" else parts[0] + parts[1]
    assert torch.allclose(whole, values["x"] @ values["W"])


@pytest.mark.parametrize("language", HERE.languages)
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_fits_and_is_told_in_words(name: str, language: str) -> None:
    canvas = canvas_of(PICTURES[name], HERE, Words(language))
    for mark in canvas.marks:
        if isinstance(mark, Box):
            assert mark.width > 0 <= mark.x and mark.x + mark.width <= WIDTH
        assert not isinstance(mark, Text) or mark.text.strip()
    html = figure(PICTURES[name], HERE, Words(language), 3)
    root = ElementTree.fromstring(str(html))
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    svg = root.find("{http://www.w3.org/2000/svg}svg")
    assert set(svg.get("aria-labelledby").split()) == ids == {"picture-3-title", "picture-3-text"}
    assert len(PICTURES[name].texts[language]["text"]) > 40


def test_lines_break_at_blanks_and_never_before_a_comma() -> None:
    assert wrapped("one two three four", 60) == ["one two", "three", "four"]
    for width in range(40, 160):
        lines = wrapped("每块 GPU 得到一半，不用通信", width)
        assert "".join(lines).replace(" ", "") == "每块GPU得到一半，不用通信"
        assert len(lines) > 1 and not any(line.startswith("，") for line in lines)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind: timeline", "kind: timelime", "did you mean 'timeline'"),
        ("text: text", "txt: text", "en: not title and text"),
        ("title: 题目", "title: ''", "zh: not title and text"),
        ("  content:", "  colour: red\n  content:", "unknown key 'colour'"),
        ("name: a/b", "name: 3", "name: 3"),
        ("  content:", "  words: {cpu: {zh: 处理器}}\n  content:", "words: cpu"),
        ("takes: 1", "after: [gpu B]", "'gpu B', which does not exist"),
        ("lane: cpu", "on: cpu", "a task has lane"),
        ("do: A", f"do: {'A' * 60}", "does not fit"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(tmp_path, old: str, new: str, said: str) -> None:
    project = begin(tmp_path, files={"data/pictures.yml": ENTRY.replace(old, new, 1)})
    with pytest.raises(GuideError, match=re.escape(said)) as raised:
        for picture in load_pictures(project).values():
            figure(picture, project, Words("en"), 1)
    assert "pictures.yml:2" in str(raised.value)


def test_one_name_is_one_picture(tmp_path) -> None:
    project = begin(tmp_path, files={"data/pictures.yml": ENTRY + ENTRY})
    with pytest.raises(GuideError, match="'a/b' again"):
        load_pictures(project)


# --- boxes ---------------------------------------------------------------------------------------

ROWS = [
    boxes.Row([boxes.Item("a", "one", "cpu"), boxes.Item("b", "two", "gpu", 3)], "above"),
    boxes.Row([boxes.Item("c", "three")]),
]


def test_boxes_share_their_row_and_arrows_lead_from_one_to_the_next() -> None:
    canvas = boxes.draw(ROWS, [boxes.Step("a", "c"), boxes.Step("c", "b", "back")])
    found = {mark.look: mark for mark in canvas.marks if isinstance(mark, Box)}
    assert found["gpu"].width == pytest.approx(3 * found["cpu"].width)
    assert found["cpu"].x + found["cpu"].width < found["gpu"].x
    assert found["box"].y < found["cpu"].y and found["other"].y > found["box"].y
    down, up = (mark for mark in canvas.marks if isinstance(mark, Arrow))
    assert found["cpu"].x < down.x < found["cpu"].x + found["cpu"].width
    assert (down.y, down.to_y) == (found["cpu"].y + found["cpu"].height, found["other"].y)
    assert (up.y, up.to_y) == (found["other"].y, found["gpu"].y + found["gpu"].height)
    assert {mark.text for mark in canvas.marks if isinstance(mark, Text)} == {
        *("above", "one", "two", "three", "back")
    }


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ([boxes.Step("a", "z")], "'z', which is no box"),
        ([boxes.Step("a", "b")], "not in the next row"),
    ],
)
def test_an_arrow_that_leads_nowhere_is_told(steps, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        boxes.draw(ROWS, steps)


def test_a_box_has_one_of_the_roles_and_words_that_fit() -> None:
    content = {"rows": [{"boxes": [{"name": "a", "look": "red"}]}]}
    with pytest.raises(ValueError, match="look 'red' is none of copy, cpu, free, gpu, other"):
        boxes.read(content, "en")
    with pytest.raises(ValueError, match="does not fit"):
        boxes.draw([boxes.Row([boxes.Item("a", "w" * 30), boxes.Item("b", "")] * 2)], [])
