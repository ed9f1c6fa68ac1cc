"""A dry run asks for no network where its environment is there; making one downloads it."""

from __future__ import annotations

from no_network import CALL, REFUSING, ran

LINEAR = "import torch; torch.nn.Linear(2, 2, device='cuda')(torch.ones(1, 2, device='cuda'))"


def test_nothing_is_sent(tmp_path, environment):
    # The script refuses by itself, because the stand-in has a sitecustomize of its own.
    code = f"{REFUSING}\nprint('refused')\n{LINEAR}"
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text(REFUSING, encoding="utf-8")
    given = ["dry-run", "--python", str(environment.python), "--card", "t4", "--json", "--"]
    out, sent = ran(tmp_path, *CALL, *given, "python", "train.py")
    assert "refused" in out and '"reserved"' in out and sent == "", out
