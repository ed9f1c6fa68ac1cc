"""What is said below a program to mend: on the page without terms in it, and as plain Markdown."""

from gpu_guide.project import HERE
from gpu_guide.render.as_text import PageText

FENCE = "```exercises\nexercises/several-gpus\n```\n"


def test_the_download_is_a_link_in_the_copy_of_a_page() -> None:
    text = PageText(HERE, "en", "https://guide.example/")(FENCE, "exercises/several-gpus.md")
    address = "https://guide.example/exercises/en/ddp/different_samples.py"
    assert f"[`ddp/different_samples.py`]({address})" in text
    assert "`gpu-guide learn check different_samples.py`" in text
    assert "several-gpus.ipynb" in text
