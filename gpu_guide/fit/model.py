"""A decoder-only transformer by the numbers of its configuration, and its parameters counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """What a `config.json` says of a model; all widths are numbers of elements.

    Every block has attention (`q`, `k`, `v`, `o`), a feed-forward part (`gate`, `up`, `down`, or
    without `gate`) and two norms.
    """

    layers: int
    hidden: int
    heads: int
    key_heads: int
    head_size: int
    middle: int
    """The width of the feed-forward part."""
    vocabulary: int
    positions: int = 0
    """Rows of a table of learned positions; 0: the positions are rotated in, without parameters."""
    gated: bool = True
    tied: bool = False
    """Whether the output layer uses the weight of the embedding."""
    attention_bias: bool = False
    """Whether q, k and v have a bias."""
    bias: bool = False
    """Whether o and the feed-forward layers have one."""
    head_norms: bool = False
    """Whether q and k are normalized in each head."""
    layer_norm: bool = False
    """LayerNorm, which has a bias, in place of RMSNorm."""

    @property
    def query(self) -> int:
        """The width of q."""
        return self.heads * self.head_size

    @property
    def keys(self) -> int:
        """The width of k, and of v."""
        return self.key_heads * self.head_size

    @property
    def attention_weights(self) -> int:
        """Weights of q, k, v and o of one block, without biases."""
        return self.hidden * (2 * self.query + 2 * self.keys)

    @property
    def middle_weights(self) -> int:
        """Weights of the feed-forward layers of one block, without biases."""
        return (3 if self.gated else 2) * self.hidden * self.middle

    @property
    def linear(self) -> int:
        """Weights of all linear layers of one block, without biases."""
        return self.attention_weights + self.middle_weights

    @property
    def norm(self) -> int:
        """Parameters of one norm."""
        return self.hidden * (2 if self.layer_norm else 1)

    @property
    def block(self) -> int:
        """Parameters of one block."""
        rest = 2 * self.norm
        if self.attention_bias:
            rest += self.query + 2 * self.keys
        if self.bias:
            rest += 2 * self.hidden + self.middle * (2 if self.gated else 1)
        if self.head_norms:
            rest += 2 * self.head_size
        return self.linear + rest

    @property
    def table(self) -> int:
        """Parameters of the embedding, and of the output layer."""
        return self.vocabulary * self.hidden

    @property
    def outside(self) -> int:
        """Parameters outside the blocks: embedding, positions, last norm, output layer."""
        tables = 1 if self.tied else 2
        return tables * self.table + self.positions * self.hidden + self.norm

    @property
    def parameters(self) -> int:
        """All parameters; a tied weight counts once."""
        return self.layers * self.block + self.outside

    def adapters(self, rank: int, everywhere: bool) -> int:
        """Parameters of LoRA's two matrices in all blocks: at every linear layer, or at q and v."""
        widths = 2 * self.hidden + self.query + self.keys
        if everywhere:
            widths = 4 * self.hidden + 2 * self.query + 2 * self.keys
            widths += (3 if self.gated else 2) * (self.hidden + self.middle)
        return self.layers * rank * widths
