"""Which names of torch the snippets use, and the page that lists them."""

from __future__ import annotations

import importlib
import re
import warnings
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.cuda.memory
from markdown import Markdown

from gpu_guide.data.apis import Module, deprecation, load_modules, public_names
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.render.api_names import users_of_names
from gpu_guide.snippets.apis import used

MODULES = load_modules(HERE)
USERS = users_of_names(HERE)
LISTED = [module for module in MODULES.values() if module.names]
RELEASE = torch.__version__.partition("+")[0]
OF_THIS_TORCH = [module for module in LISTED if module.torch == RELEASE]
"""Names are held against the torch that is installed, if they are of that release."""


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import torch\ntorch.cuda.Stream()", {"torch.cuda.Stream"}),
        ("import torch.distributed as dist\ndist.all_reduce(x)", {"torch.distributed.all_reduce"}),
        ("from torch import nn\nnn.Linear(1, 1)", {"torch.nn.Linear"}),
        ("from torch.nn import functional as F\nF.relu(x)", {"torch.nn.functional.relu"}),
        ("import torch\ntorch.version.cuda.split('.')", {"torch.version.cuda"}),
        ("import torch\nx.to('cuda').cuda.memory", set()),
        ("import numpy as torch_like\ntorch_like.cuda.Stream()", set()),
        ("import torch\ntorch.cuda.set_device(0).x", {"torch.cuda.set_device"}),
    ],
)
def test_names_are_found_in_the_tree_under_whatever_they_are_called(
    code: str, names: set[str]
) -> None:
    assert used(code, MODULES) == names


def test_each_name_that_is_used_is_there_and_no_module() -> None:
    for module, _, last in (name.rpartition(".") for name in USERS if OF_THIS_TORCH):
        assert not isinstance(getattr(there(module), last), ModuleType), (module, last)


def there(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:  # an object that is like a module, such as torch.backends.cuda.matmul
        above, _, last = name.rpartition(".")
        return getattr(there(above), last)


def test_names_that_a_snippet_shows_to_be_absent_are() -> None:
    absent = [(one.module, name) for one in MODULES.values() for name in one.absent]
    assert absent and not [pair for pair in absent if hasattr(there(pair[0]), pair[1])]


@pytest.mark.parametrize("module", OF_THIS_TORCH, ids=lambda module: module.module)
def test_public_names_and_deprecations_are_those_of_torch(module: Module) -> None:
    here = importlib.import_module(module.module)
    assert list(module.names) == public_names(here), "run `python -m gpu_guide apis`"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = {name: deprecation(getattr(here, name)) for name in module.names}
    assert dict(module.deprecated) == {name: text for name, text in said.items() if text}


def test_a_name_that_only_has_a_deprecated_second_one_is_not_deprecated() -> None:
    assert deprecation(torch.accelerator.current_device_index) == ""
    assert "current_device_index" in deprecation(torch.accelerator.current_device_idx)
    assert "torch.amp.autocast" in deprecation(torch.cuda.amp.autocast)


def test_names_of_cuda_memory_need_no_list_of_their_own() -> None:
    assert set(torch.cuda.memory.__all__) <= set(MODULES["torch.cuda"].names)


def shown(language: str) -> str:
    page = HERE.docs / language / "reference/apis.md"
    return Markdown(
        extensions=["attr_list", "def_list", "gpu_guide.render"],
        extension_configs={"gpu_guide.render": {"language": language}},
    ).convert(page.read_text("utf-8").partition("\n---\n")[2])


@pytest.mark.parametrize("language", HERE.languages)
def test_the_page_lists_every_name_once(language: str) -> None:
    html = shown(language)
    html, _, rest = html.partition('id="deprecated"')
    assert not [
        name for name in USERS if len(re.findall(rf"<code>{name}</code>(?:</a>)?</dt>", html)) != 1
    ]
    unused = rest.partition('id="unused-gpus"')[2].partition("<h3")[0]
    for module in LISTED[:1]:
        for name in module.names:
            listed = f"<code>{name}</code>" in unused
            assert listed is (f"{module.module}.{name}" not in USERS), name


@pytest.mark.parametrize("language", HERE.languages)
def test_a_name_leads_to_its_documentation_and_to_the_section_that_uses_it(language: str) -> None:
    entry = shown(language).partition('<dt id="torch.cuda.device_of">')[2].partition("</dd>")[0]
    assert entry.startswith('<a href="https://docs.pytorch.org/docs/stable/cuda.html">')
    home, snippet = re.findall('<a href="([^"]+)"', entry.partition("<dd>")[2])
    assert home == snippet == "../current-device/index.md#device-of"
    assert f"<code>{USERS['torch.cuda.device_of'][0]}</code></a>" in entry


def test_a_list_that_is_not_there_is_told() -> None:
    extensions = ["gpu_guide.render"]
    config = {"gpu_guide.render": {"language": "en"}}
    with pytest.raises(GuideError, match=r"no list.*did you mean 'used torch.cuda'"):
        Markdown(extensions=extensions, extension_configs=config).convert(
            "```apis\nused torch.cud\n```\n"
        )
