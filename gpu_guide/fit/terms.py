"""Bytes on one GPU at each moment of a training step, or while a model predicts.

The moments of a training step, any of which may be the fullest:

start     the batch lies there, and the forward pass has not begun
forward   the loss has been computed
loss      its backward pass is at the widest: three float32 copies of the logits, of all tokens or
          of one piece of them
last      the backward pass is in the last block, and all activations are still there
first     it is in the first block, and all other gradients are there
end       the backward pass is over
step      the optimizer updates

Every number is of one GPU. Nothing here is fitted to a measurement, and
tests/stand_in/test_fit_peaks.py holds it against what PyTorch's allocator counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu_guide.fit.model import Model

TERMS = (
    "weights",
    "gradients",
    "optimizer",
    "activations",
    "logits",
    "cache",
    "units",
    "buckets",
    "temporary",
    "context",
)
"""What a moment consists of, in the order of the bar. `units` are copies of weights that PyTorch
makes to compute: those in bfloat16 under autocast, and those that FSDP2 gathers."""

STATES = {"adamw": 2, "momentum": 1, "sgd": 0}
"""How many numbers an optimizer keeps per parameter."""

WORKSPACE = 2 * 32 * 2**20
"""Workspaces of cuBLAS from compute capability 9.0 on: one for the thread that runs the forward
pass, and one for that of the backward pass."""


@dataclass(frozen=True)
class Setting:
    """How a model is used, on each of `gpus`. `batch` and `sequence` are those of one GPU."""

    task: str = "full"
    """full, lora, qlora or predict"""
    precision: str = "mixed"
    """float32, mixed (bfloat16 from float32 weights) or bfloat16; predict: also int8 and int4. The
    base of LoRA is in bfloat16 for all but float32, and "mixed" has its adapters in float32."""
    optimizer: str = "adamw"
    fused: bool = False
    """An optimizer that updates in place, without a second copy of the state."""
    batch: int = 1
    sequence: int = 1024
    accumulate: bool = False
    """Whether gradients of an earlier micro-batch are there during the forward pass."""
    first_step: bool = False
    """Whether it is the first step of the process: the optimizer makes its state in its update, and
    cuBLAS its workspaces at the first products."""
    fused_attention: bool = True
    checkpoint: bool = False
    """Keep the input of each block, and compute the block again in the backward pass."""
    pieces: int = 1
    """In how many pieces of the tokens the loss is computed, as snippets/memory/loss_in_chunks.py
    does: the backward pass computes the logits of each piece again. 1: all at once."""
    offload: str = "none"
    """none, activations (to host memory) or state (FSDP2's weights, gradients, optimizer)"""
    split: str = "ddp"
    """ddp, fsdp or tensor; without a meaning on one GPU"""
    gpus: int = 1
    reshard: int = 1
    """FSDP2 after the forward pass of a block: 1 frees its weights, 0 keeps them, n > 1 keeps an
    n-th of them."""
    rank: int = 16
    everywhere: bool = True
    """LoRA at all linear layers of a block, or at q and v."""
    context: int = 0
    """What the driver takes for the process, which PyTorch's allocator does not count."""

    @property
    def tokens(self) -> int:
        """Of one micro-batch on one GPU."""
        return self.batch * self.sequence

    @property
    def of_a_piece(self) -> int:
        """Tokens whose logits are there at a time."""
        return part(self.tokens, self.pieces)

    @property
    def low(self) -> bool:
        """Whether layers compute in 2 bytes."""
        return self.precision != "float32"

    @property
    def auto(self) -> bool:
        """Whether autocast is on; FSDP2 casts by a policy of its own."""
        return self.precision == "mixed" and not (self.split == "fsdp" and self.gpus > 1)

    @property
    def norm_width(self) -> int:
        """Bytes of a number that a norm keeps."""
        return 4 if self.auto or not self.low else 2

    @property
    def width(self) -> int:
        """Bytes of a number between two blocks."""
        return 4 if not self.low or (self.full and self.auto) else 2

    @property
    def full(self) -> bool:
        """Whether all weights are trained."""
        return self.task == "full"


def part(size: int, of: int) -> int:
    """The largest of `of` shares."""
    return -(-size // of)


def four_bit(weights: int) -> int:
    """Bytes of weights in 4 bits as QLoRA stores them: a scale in 8 bits for each 64 weights, and
    one in 32 bits for each 256 of those."""
    return part(weights, 2) + part(weights, 64) + 4 * part(weights, 64 * 256)


def scores(model: Model, on: Setting) -> int:
    """Bytes of one block's attention scores, which fused kernels never store."""
    heads = part(model.heads, on.gpus) if on.split == "tensor" else model.heads
    return 4 * on.tokens * on.sequence * heads


def writes_scores(model: Model, on: Setting) -> bool:
    """Whether `scaled_dot_product_attention` stores the scores: when it is told to, and in float32
    with fewer key heads, for which torch 2.13 has no fused kernel."""
    grouped = model.key_heads != model.heads
    return not on.fused_attention or (not on.low and grouped)


def block(model: Model, on: Setting) -> int:
    """Bytes that one block keeps for its backward pass."""
    t, e = on.tokens, 2 if on.low else 4
    shards = on.gpus if on.split == "tensor" else 1
    query, keys, middle = (part(n, shards) for n in (model.query, model.keys, model.middle))
    heads, key_heads = part(model.heads, shards), part(model.key_heads, shards)
    norms = 2 * (t * model.hidden * on.norm_width + (8 if model.layer_norm else 4) * t)
    if model.head_norms:
        norms += t * (query + keys) * on.norm_width + 4 * t * (heads + key_heads)
    inputs = sum(linear_inputs(model, on)) * t * model.hidden * e
    if writes_scores(model, on):
        # q, k and v, as many heads of each, in float32; the scores; and what o is given.
        attention = 3 * t * query * 4 + scores(model, on) + t * query * e
    else:
        attention = t * (2 * query + 2 * keys) * e + 4 * t * heads
        # Its result has the layout of q, which the norm of each head changes: o is given a copy.
        attention += t * query * e if model.head_norms else 0
    feed = (4 if model.gated else 2) * t * middle * e
    kept = norms + inputs + attention + feed
    if on.task in ("lora", "qlora"):
        if not on.everywhere:
            # A frozen layer without an adapter does not need its input.
            kept -= t * middle * e
            kept -= t * query * e if writes_scores(model, on) or model.head_norms else 0
        adapted = (7 if model.gated else 6) if on.everywhere else 2
        kept += adapted * t * on.rank * e
    return kept


def linear_inputs(model: Model, on: Setting) -> tuple[int, int]:
    """How many copies of what the two norms give are kept: autocast computes norms in float32, and
    each linear layer behind one then casts its input for itself."""
    first, second = 3, 2 if model.gated else 1
    if on.task in ("lora", "qlora") and not on.everywhere:
        first, second = 2, 0
    return (first, second) if on.auto else (1, min(second, 1))


def training(model: Model, on: Setting) -> dict[str, dict[str, int]]:
    """By moment, the bytes of each term."""
    t, h = on.tokens, model.hidden
    e = 2 if on.low else 4
    many = on.gpus > 1
    sharded, tensor = many and on.split == "fsdp", many and on.split == "tensor"
    shards = on.gpus if tensor else 1
    weight = 4 if on.precision == "float32" or (on.full and on.precision == "mixed") else 2

    # Parameters on this GPU before FSDP2 cuts them: of a block, and outside the blocks.
    table = part(model.table, shards)
    linear = part(model.linear, shards)
    one_block = model.block - model.linear + linear
    outside = model.outside - (1 if model.tied else 2) * (model.table - table)
    held = (model.layers * one_block + outside) * weight
    trained_block, trained_outside, trained_head, each = one_block, outside, table, weight
    if not on.full:
        trained_block = model.adapters(on.rank, on.everywhere) // model.layers
        trained_outside = trained_head = 0
        each = 2 if on.precision == "bfloat16" else 4
        if on.task == "qlora":
            held += model.layers * (four_bit(linear) - linear * weight)
        held += model.layers * trained_block * each
    trained = model.layers * trained_block + trained_outside
    gradients, state = trained * each, STATES[on.optimizer] * trained * each
    update = 0 if on.fused or on.optimizer != "adamw" else trained * each
    early = gradients - trained_block * each - (0 if model.tied else trained_head * each)
    head = trained_head * each

    # Copies of weights to compute with: autocast makes them of what is trained in float32.
    copies = head_copy = 0
    if on.auto:
        copies = 2 * (linear if on.full else trained_block) * model.layers
        head_copy = 2 * trained_head
    of_a_block = copies // model.layers
    units = {
        "start": 0,
        "forward": copies + head_copy,
        "loss": (0 if on.checkpoint else copies) + head_copy,
        "last": of_a_block if on.checkpoint else copies,
        "first": of_a_block,
        "end": 0,
        "step": 0,
    }
    if on.offload == "activations":
        units |= {"loss": 0, "last": of_a_block, "first": of_a_block}
    if sharded:
        # What it gathers, and the gradients of whole units, which are then summed in float32.
        kept = {1: 0, 0: e * one_block * model.layers}.get(on.reshard)
        if kept is None:
            kept = part(e * one_block * model.layers, on.reshard)
        root, root_gradients = e * outside, e * trained_head
        ahead = e * one_block if on.reshard else 0
        summed = e * trained_block
        both = 2 * e * table if model.tied and trained_outside else 0
        units = {
            "start": 0,
            "forward": root + kept,
            "loss": root + kept + (root_gradients if on.pieces > 1 else 0),
            "last": root + root_gradients + kept + 2 * ahead + summed,
            "first": root + root_gradients + e * one_block + summed + 4 * trained_block,
            "end": max(root + e * trained_outside + both, (e + 4) * trained_outside),
            "step": 0,
        }
        head, early = 0, part(early, on.gpus)
        held, gradients, state, update = (
            part(size, on.gpus) for size in (held, gradients, state, update)
        )
        if on.offload == "state":
            held = gradients = state = update = early = 0

    # Activations: all blocks, or their inputs and one block again; then the last norm and the head.
    one, inputs = block(model, on), t * h * on.width
    last = t * h * on.norm_width + (8 if model.layer_norm else 4) * t
    # The output layer keeps its input; in pieces that is what the norm gave, in the norm's type.
    last += t * h * (on.norm_width if on.pieces > 1 else e if on.full else 0)
    blocks, again = model.layers * one, 0
    if on.checkpoint:
        blocks, again = model.layers * inputs, one
    if on.offload == "activations":
        blocks, again, last = 0, one, 0
    tokens = 16 * t
    logits = 4 * on.of_a_piece * part(model.vocabulary, shards)
    activations = {
        "start": 0,
        "forward": blocks + last,
        "loss": blocks + last,
        "last": blocks + again,
        "first": (inputs if on.checkpoint else 0) + (again or one),
        "end": 0,
        "step": 0,
    }

    # Gradients of activations in the feed-forward part, or in attention that stores its scores.
    feed = t * part(model.middle, shards) * e
    inside = (2 if model.gated else 1) * feed + inputs
    if writes_scores(model, on):
        # By then what the feed-forward part kept is gone, and its gradients are there.
        done = part(model.middle_weights, shards) * weight if on.full and not sharded else 0
        gone = (4 if model.gated else 2) * feed
        inside = max(inside, 3 * scores(model, on) - gone + inputs + done)
    if on.task == "qlora":
        inside += 2 * h * part(model.middle, shards)

    earlier = gradients if on.accumulate else 0
    lost, product, whole = 3 * logits, 0, earlier
    if on.pieces > 1 and on.full:
        # The gradients of the output layer are summed piece by piece, beside those of earlier
        # micro-batches. That of one piece comes when its logits are gone but for their gradient.
        whole += head
        made = head + (head // 2 if on.auto else 0)
        given = e * on.of_a_piece * part(model.vocabulary, shards)
        if given + made > lost:
            lost, product = given, made
    twice = (1 if on.auto else 2) * head if model.tied else 0
    found = {
        "start": {"gradients": earlier, "logits": 0, "temporary": 0},
        "forward": {"gradients": earlier, "logits": 2 * logits, "temporary": 0},
        "loss": {"gradients": whole, "logits": lost, "temporary": product},
        "last": {"gradients": max(earlier, head), "logits": 0, "temporary": inside},
        "first": {"gradients": max(earlier, early), "logits": 0, "temporary": inside},
        "end": {"gradients": gradients, "logits": 0, "temporary": twice},
        "step": {"gradients": gradients, "logits": 0, "temporary": update},
    }
    always = {
        "weights": held,
        "optimizer": state,
        "cache": 0,
        "buckets": gradients if many and on.split == "ddp" else 0,
        "context": on.context,
    }
    for name, terms in found.items():
        terms["temporary"] += WORKSPACE
        terms["activations"] = activations[name] + tokens
        terms["units"] = units[name]
        if on.first_step:
            # Nor are the workspaces, which the first products make: of the forward pass, and then
            # of the backward pass.
            missing = {"start": WORKSPACE, "forward": WORKSPACE // 2, "loss": WORKSPACE // 2}
            terms["temporary"] -= missing.get(name, 0)
            terms["optimizer"] = state if name == "step" else 0
    return {name: _ordered(always | terms) for name, terms in found.items()}


def predicting(model: Model, on: Setting) -> dict[str, dict[str, int]]:
    """The bytes while a prompt of `sequence` tokens is read, and while its last token is made."""
    shards = on.gpus if on.gpus > 1 and on.split == "tensor" else 1
    weight = 4 if on.precision == "float32" else 2
    linear = model.layers * part(model.linear, shards)
    rest = model.parameters - model.layers * model.linear
    if shards > 1:
        rest -= (1 if model.tied else 2) * (model.table - part(model.table, shards))
    held = (linear + rest) * weight
    if on.precision == "int8":
        held = linear + rest * weight
    if on.precision == "int4":
        held = four_bit(linear) + rest * weight
    keys = part(model.keys, shards)
    cache = 2 * model.layers * on.tokens * keys * weight
    middle, t = part(model.middle, shards), on.tokens
    read = t * weight * (2 * model.hidden + max((3 if model.gated else 2) * middle, 0))
    if writes_scores(model, on):
        query = part(model.query, shards)
        read = max(read, 2 * scores(model, on) + t * weight * (2 * model.hidden + 6 * query))
    one = on.batch * part(model.vocabulary, shards) * (weight + 4)
    base = {"weights": held, "gradients": 0, "optimizer": 0, "cache": cache, "units": 0}
    base |= {"buckets": 0, "context": on.context}
    made = on.batch * weight * (2 * model.hidden + 3 * middle)
    moments = {
        "read": {"activations": read, "logits": one, "temporary": WORKSPACE},
        "write": {"activations": made, "logits": one, "temporary": WORKSPACE},
    }
    return {name: _ordered(base | terms) for name, terms in moments.items()}


def moments(model: Model, on: Setting) -> dict[str, dict[str, int]]:
    """By moment, the bytes of each term, on one GPU."""
    return predicting(model, on) if on.task == "predict" else training(model, on)


def fullest(model: Model, on: Setting) -> tuple[str, dict[str, int]]:
    """The moment with the most bytes, and its terms."""
    found = moments(model, on)
    name = max(found, key=lambda one: sum(found[one].values()))
    return name, found[name]


def _ordered(terms: dict[str, int]) -> dict[str, int]:
    return {name: terms[name] for name in TERMS}
