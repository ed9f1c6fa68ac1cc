"""The snippet that reads an out-of-memory message, on messages with other numbers in them."""

from __future__ import annotations

import runpy

from gpu_guide.project import HERE


def test_numbers_are_found_by_their_words(tmp_path, capsys) -> None:
    """Other processes and private pools are named between those numbers that the snippet reads."""
    text = (HERE.snippets / "memory/read_oom_message.py").read_text(encoding="utf-8")
    more = text.replace("is free.", "is free. Process 4711 has 10.00 GiB memory in use.")
    pools = "allocated by PyTorch, with 1.00 GiB allocated in private pools (e.g., CUDA Graphs),"
    more = more.replace("allocated by PyTorch,", pools)
    printed = []
    for one in (text, more):
        path = tmp_path / "x.py"
        path.write_text(one, encoding="utf-8")
        runpy.run_path(str(path))
        printed.append(capsys.readouterr().out)
    assert more != text and printed[0] == printed[1] != ""
