"""The formulas of memory/fit, held against modules and bytes that PyTorch counts on the CPU."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from fit_network import Network, block_of, kept, network, one_of, optimizer_of, split_tensors
from torch.distributed.tensor import DTensor

from gpu_guide.data.models import load_models, load_peaks, load_published
from gpu_guide.fit.model import Model
from gpu_guide.fit.terms import TERMS, Setting, block, four_bit, fullest, moments
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project

MODELS = load_models(HERE)
VECTORS = json.loads((HERE.tests / "data/fit_vectors.json").read_text(encoding="utf-8"))
SMALL = Model(3, 64, 8, 2, 8, 160, 96)
PLAIN = replace(SMALL, key_heads=8, gated=False, bias=True, attention_bias=True, positions=32)


@pytest.mark.parametrize("name", MODELS)
def test_parameters_are_those_of_the_module(name: str) -> None:
    model = MODELS[name].model
    with torch.device("meta"):
        assert sum(p.numel() for p in Network(model).parameters()) == model.parameters


PUBLISHED = {"gpt2": 124439808, "qwen2.5-7b": 7615616512, "llama-3.1-8b": 8030261248}
"""As the files of these models have them: their index names the total."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_are_those_that_were_published(name: str) -> None:
    assert MODELS[name].model.parameters == PUBLISHED[name]


@pytest.mark.parametrize("optimizer", ["adamw", "momentum", "sgd"])
@pytest.mark.parametrize("task", ["full", "lora"])
@pytest.mark.parametrize("precision", ["float32", "mixed", "bfloat16"])
def test_weights_gradients_and_state_are_exact(optimizer: str, task: str, precision: str) -> None:
    on = Setting(task, precision, optimizer, sequence=8, everywhere=False, rank=4)
    net = network(replace(SMALL, tied=True), on)
    update = optimizer_of(net, on)
    with torch.autocast("cpu", torch.bfloat16, enabled=on.auto):
        loss = net(torch.zeros(1, 8, dtype=torch.long), None).float().sum()
    loss.backward()
    update.step()
    parameters = [*net.parameters()]
    states = [t for s in update.state.values() for n, t in s.items() if n != "step"]
    found = moments(replace(SMALL, tied=True), on)["step"]
    assert found["weights"] == sum(p.nbytes for p in parameters)
    assert found["gradients"] == sum(p.grad.nbytes for p in parameters if p.grad is not None)
    assert found["optimizer"] == sum(t.nbytes for t in states if t is not None)


@pytest.mark.parametrize("model", [SMALL, PLAIN], ids=["gated", "plain"])
@pytest.mark.parametrize("fused", [True, False])
def test_a_block_keeps_what_the_formula_says(model: Model, fused: bool) -> None:
    """On the CPU with LayerNorm, whose kernel there keeps what CUDA's keeps. CUDA's own, RMSNorm,
    autocast and adapters are counted on a stand-in GPU."""
    model = replace(model, layer_norm=True)
    on = Setting(precision="float32", batch=2, sequence=32, fused_attention=fused)
    x = torch.rand(2, 32, 64, requires_grad=True)
    kernel = torch.nn.attention.SDPBackend.FLASH_ATTENTION if fused else None
    backends = [kernel] if kernel else [torch.nn.attention.SDPBackend.MATH]
    with torch.nn.attention.sdpa_kernel(backends):
        tensors = kept(block_of(model), x)
    # The CPU has a fused kernel for fewer key heads in float32, and CUDA has none.
    alike = replace(on, precision="bfloat16") if fused else on
    said = block(model, alike)
    if fused:
        numbers = said - 2 * 8 * on.tokens - 4 * on.tokens * model.heads
        said = 2 * numbers + 2 * 8 * on.tokens + 4 * on.tokens * model.heads
    assert said == sum(t.untyped_storage().nbytes() for t in tensors)


def test_four_bits_are_about_half_a_byte() -> None:
    """QLoRA's paper: 0.127 bits per parameter for the scales."""
    size = 64 * 256 * 1000
    assert 8 * four_bit(size) / size == pytest.approx(4 + 0.127, abs=1e-3)


def test_32k_tokens_of_128k_words_take_what_the_page_says() -> None:
    model = replace(SMALL, vocabulary=131072)
    logits = moments(model, Setting(sequence=32768))["loss"]["logits"]
    assert logits == 3 * 16 * 2**30


def test_vectors_are_those_of_the_formulas() -> None:
    assert len(VECTORS) > 80
    for vector in VECTORS:
        model, on = Model(**vector["model"]), Setting(**vector["setting"])
        name, terms = fullest(model, on)
        assert [name, list(terms.values())] == [vector["moment"], vector["bytes"]], vector
        assert model.parameters == vector["parameters"]


def test_the_first_step_has_no_state_before_its_update() -> None:
    model = MODELS["qwen3-1.7b"].model
    later, first = moments(model, Setting()), moments(model, Setting(first_step=True))
    assert list(later) == ["start", "forward", "loss", "last", "first", "end", "step"]
    state = 8 * model.parameters
    for name, terms in later.items():
        assert terms["optimizer"] == state
        less = {"start": 64, "forward": 32, "loss": 32}.get(name, 0) * 2**20
        changed = {"optimizer": state if name == "step" else 0}
        changed["temporary"] = terms["temporary"] - less
        assert first[name] == terms | changed
    assert later["start"]["activations"] == 16 * 1024 and later["start"]["gradients"] == 0


def test_vectors_try_every_choice() -> None:
    tried = {(name, value) for one in VECTORS for name, value in one["setting"].items()}
    for name, values in CHOICES.items():
        assert {(name, value) for value in values} <= tried, name
    assert {one["moment"] for one in VECTORS} >= {"loss", "last", "first", "end", "step", "read"}


CHOICES = {
    "task": ["full", "lora", "qlora", "predict"],
    "precision": ["float32", "mixed", "bfloat16", "int8", "int4"],
    "optimizer": ["adamw", "momentum", "sgd"],
    "fused": [True, False],
    "accumulate": [True, False],
    "fused_attention": [True, False],
    "checkpoint": [True, False],
    "pieces": [1, 8],
    "offload": ["none", "activations", "state"],
    "split": ["ddp", "fsdp", "tensor"],
    "gpus": [1, 2, 8],
    "reshard": [0, 1, 4],
    "everywhere": [True, False],
}


@pytest.mark.parametrize("gpus", [2, 4, 8])
@pytest.mark.parametrize("name", ["qwen2.5-0.5b", "qwen3-8b", "llama-3.1-8b", "mistral-7b"])
def test_tensor_parallelism_leaves_each_gpu_the_weights_of_the_formula(
    name: str, gpus: int
) -> None:
    """The bytes of the shards that PyTorch makes: of a rank's weights, nothing is computed here."""
    model = MODELS[name].model
    on = Setting(precision="bfloat16", gpus=gpus, split="tensor")
    with one_of(gpus):
        with torch.device("meta"):
            net = network(model, on)
        split_tensors(net, gpus)
        ours = {id(one): one for one in net.parameters()}.values()
        size = sum(
            one.to_local().nbytes if isinstance(one, DTensor) else one.nbytes for one in ours
        )
    if model.tied:
        # Each of both layers has made a shard of the one weight.
        size -= net.head.weight.to_local().nbytes
    said = fullest(model, on)[1]["weights"]
    # Biases of q, k and v are small; the formula has them whole.
    assert 0 <= said - size <= said / 1000


@pytest.mark.parametrize("gpus", [2, 3, 8])
def test_nothing_is_summed_over_gpus(gpus: int) -> None:
    model = MODELS["qwen3-1.7b"].model
    one = sum(fullest(model, Setting())[1].values())
    shared = sum(fullest(model, Setting(gpus=gpus, split="fsdp"))[1].values())
    same = fullest(model, Setting(gpus=gpus))[1]
    assert shared < one
    assert sum(same.values()) - same["buckets"] == one


def test_peaks_were_measured_and_the_formulas_come_near() -> None:
    peaks = load_peaks(HERE)
    assert len(peaks) >= 12 and all(one.bytes for one in peaks)
    assert {one.setting.task for one in peaks} == set(CHOICES["task"])
    for one in peaks:
        said = sum(fullest(one.named.model, one.setting)[1].values())
        assert said == pytest.approx(one.bytes, rel=0.05), one


def test_published_figures_are_of_several_sources_and_their_differences_are_known() -> None:
    """The page explains these differences: what changes them has to change what it says."""
    off: dict[str, list[float]] = {}
    for by in load_published(HERE):
        for one in by.figures:
            said = sum(fullest(one.named.model, one.setting)[1].values())
            off.setdefault(f"{by.id} {one.setting.task}", []).append(said / one.bytes - 1)
    assert sum(map(len, off.values())) >= 10
    for few, least, most in (
        (off["litgpt lora"], -0.07, -0.02),
        (off["litgpt qlora"], -0.38, -0.32),
        (off["qwen predict"], -0.06, 0.06),
        (off["torchtune lora"], 0.04, 0.06),
        (off["torchtune qlora"], 0.00, 0.02),
        (off["torchtitan full"], -0.19, -0.17),
    ):
        assert least <= min(few) and max(few) <= most


def test_without_pieces_of_the_loss_the_formulas_would_be_far_off() -> None:
    """torchtune's figures: the page says by how much."""
    (torchtune,) = (by for by in load_published(HERE) if by.id == "torchtune")
    off = [
        sum(fullest(one.named.model, replace(one.setting, pieces=1))[1].values()) / one.bytes - 1
        for one in torchtune.figures
    ]
    assert [round(100 * one) for one in off] == [36, 67]


def test_the_65b_of_qlora_s_paper_fits_with_adapters_in_bfloat16() -> None:
    """What the page says of it: 48 GB, with rank 64 at all linear layers."""
    model = Model(80, 8192, 64, 64, 128, 22016, 32000)
    on = Setting("qlora", sequence=512, rank=64, checkpoint=True)
    sizes = [
        round(sum(fullest(model, replace(on, precision=precision))[1].values()) / 1e9, 1)
        for precision in ("mixed", "bfloat16")
    ]
    assert sizes == [50.5, 42.5]


def test_pieces_of_the_loss_leave_one_piece_of_the_logits() -> None:
    model = MODELS["llama-3.1-8b"].model
    on = Setting("lora", sequence=2048, checkpoint=True)
    whole, cut = (moments(model, replace(on, pieces=pieces)) for pieces in (1, 8))
    for moment in ("forward", "loss"):
        assert cut[moment]["logits"] * 8 == whole[moment]["logits"]
    # A number that does not divide the tokens leaves a last piece that is smaller.
    assert moments(model, replace(on, pieces=3))["loss"]["logits"] == 3 * 4 * 683 * 128256


@pytest.mark.parametrize("text", ["memory: 12", "memory: 12 MB", "model: gpt3, memory: 1 GB"])
def test_a_malformed_published_figure_is_refused(tmp_path: Path, text: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "models.yml").write_text((HERE.data / "models.yml").read_text("utf-8"), "utf-8")
    entry = f"[{{id: a, source: s, title: t, read: 2026-01-01, figures: [{{{text}}}]}}]"
    (data / "fit_published.yml").write_text(entry, "utf-8")
    with pytest.raises(GuideError, match=r"fit_published\.yml:1: m"):
        load_published(Project(tmp_path))


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("fit_peaks.yml", "- {model: gpt3}", "'gpt3' is unknown"),
        ("fit_peaks.yml", "- {model: gpt2, batch: many}", "batch: 'many'"),
        ("fit_peaks.yml", "- {model: gpt2, bytes: -1}", "bytes: -1"),
        ("models.yml", "- {id: gpt2}", "name: missing"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, file: str, text: str, told: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("models.yml", "fit_peaks.yml"):
        (data / name).write_text((HERE.data / name).read_text(encoding="utf-8"), encoding="utf-8")
    (data / file).write_text(text, encoding="utf-8")
    with pytest.raises(GuideError, match=told):
        load_peaks(Project(tmp_path))


def write_vectors() -> None:
    """After a change of formulas: `PYTHONPATH=. .venv/bin/python tests/fit/test_fit.py`."""
    import random

    draw = random.Random(15)
    found = []
    names = [*MODELS]
    for number in range(100):
        model = MODELS[names[number % len(names)]].model
        given = {name: draw.choice(values) for name, values in CHOICES.items()}
        if given["task"] == "predict":
            given["precision"] = draw.choice(["float32", "bfloat16", "int8", "int4"])
        elif given["precision"] in ("int8", "int4"):
            given["precision"] = "mixed"
        given |= {"batch": draw.choice([1, 3, 16]), "sequence": draw.choice([128, 1000, 8192])}
        given |= {"rank": draw.choice([8, 64]), "context": draw.choice([0, 700 * 2**20])}
        on = Setting(**given)
        name, terms = fullest(model, on)
        found.append(
            {
                "model": asdict(model),
                "setting": given,
                "parameters": model.parameters,
                "moment": name,
                "bytes": [terms[term] for term in TERMS],
            }
        )
    path = HERE.tests / "data/fit_vectors.json"
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in found)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write_vectors()
