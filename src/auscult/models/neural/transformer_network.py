"""The network of the model `transformer`: an encoder of chunks under a head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from auscult.core import OptionError
from auscult.learning.step_times import lap
from auscult.models.neural.evidence import CodePairs, evidence_layer
from auscult.models.neural.freezing import freeze_lower
from auscult.models.neural.heads.cross_attention import CrossAttention
from auscult.models.neural.heads.head import Head
from auscult.models.neural.heads.label_aware_attention import LabelAwareAttention
from auscult.models.neural.heads.sequence import SequenceClassifier
from auscult.models.neural.layout import PieceBatch
from auscult.models.neural.network import Encoded
from auscult.models.neural.pretrained import take_pooler
from auscult.models.neural.subwords import Subwords
from auscult.models.neural.transformer_configuration import TransformerConfiguration

_DROPOUT = 0.1
"""Dropout of the classifier if the encoder's configuration specifies none."""
_FORMERLY = {"codes": "head.queries", **{
    f"{layer}.{part}": f"head.{layer}.{part}"
    for layer in ("to_keys", "to_values", "norm", "output")
    for part in ("weight", "bias")
}}  # fmt: skip
"""The former names of the head's weights."""


class TransformerNetwork(nn.Module):
    """An encoder of chunks, and a head over the tokens of a whole chart."""

    encoder: Any
    specials: Tensor
    share: Tensor | None
    """Share of training charts with each code, (L,), if the loss is balanced by it."""

    def __init__(
        self, encoder: Any, subwords: Subwords, labels: int, config: TransformerConfiguration
    ):
        super().__init__()
        self.config, self.labels = config, labels
        self.register_buffer("share", None, persistent=False)
        pooler = take_pooler(encoder)
        self.encoder = encoder
        size = int(encoder.config.hidden_size)
        self.head = _head(size, labels, pooler, encoder.config, config)
        self.pointer = evidence_layer(
            config.evidence,
            size,
            self.head.code_size,
            config.tagger_hidden_size,
            config.tagger_loss,
        )
        self.head.draw()
        specials = torch.tensor(subwords.before + subwords.after, dtype=torch.int64)
        self.register_buffer("specials", specials, persistent=False)
        freeze_lower(encoder, config.freeze_layers)
        if config.gradient_checkpointing:
            if not encoder.supports_gradient_checkpointing:
                raise OptionError(
                    f"The encoder {config.encoder} does not support gradient checkpointing. Turn "
                    "off gradient_checkpointing, and lower batch_size to save memory."
                )
            encoder.gradient_checkpointing_enable({"use_reentrant": False})

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Load weights, including those saved under their former names."""
        named = {_FORMERLY.get(name, name): value for name, value in state_dict.items()}
        return super().load_state_dict(named, strict, assign)

    def forward(self, batch: PieceBatch) -> Tensor:
        """The loss of a batch."""
        encoded = self.encode(batch, self.embed(batch.words))
        lap("forward")
        loss = self.head.loss(encoded, batch.gold, self.config.focal_gamma, self.share)
        if self.config.weight and len(batch.rows):
            pairs = self.pairs(encoded, batch.rows, batch.codes)
            loss = loss + self.config.weight * self.pointer.loss(pairs, batch.evidence)
        return loss

    def embed(self, pieces: Tensor) -> Tensor:
        """The embeddings of pieces before the encoder adds their position, (B, T) → (B, T, E)."""
        return cast(Tensor, self.encoder.get_input_embeddings()(pieces))

    def encode(self, batch: PieceBatch, embedded: Tensor) -> Encoded:
        """Encode embeddings (B, T, E) chunk by chunk, and join the outputs."""
        layout, mask = batch.layout, batch.mask
        flat = torch.cat([self.embed(self.specials), embedded.flatten(0, 1)])  # (S + BT, E)
        made = torch.cat([
            self.encoder(
                inputs_embeds=flat[group.source], attention_mask=group.mask.long()
            ).last_hidden_state.flatten(0, 1)  # (KC, H)
            for group in layout.groups
        ])  # fmt: skip
        hidden = made[layout.places] * mask[..., None]  # (B, T, H)
        return self.head.encoded(hidden, mask, made[layout.firsts], layout.charts)

    def encode_chunks(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The encoder's output for single chunks, (K, C) → (K, C, H)."""
        made = self.encoder(inputs_embeds=self.embed(ids), attention_mask=mask.long())
        return cast(Tensor, made.last_hidden_state)

    def logits(self, encoded: Encoded, codes: Tensor | None = None) -> Tensor:
        """The scores before the sigmoid, (B, L), or those of some codes only."""
        return self.head.logits(encoded, slice(None) if codes is None else codes)

    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs:
        """The pairs of chart (sorted) and code, (P,) each, with their explicit attention."""
        return self.head.pairs(encoded, rows, codes)

    def weights(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> Tensor:
        """The weight of each piece for the code, for pairs of chart (sorted) and code: (P, T)."""
        return self.pointer.weights(self.pairs(encoded, rows, codes))


def _head(
    size: int, labels: int, pooler: Any, encoder: Any, config: TransformerConfiguration
) -> Head:
    if config.head == "plm-icd":
        return LabelAwareAttention(size, labels)
    if config.head == "sequence":
        named = ("classifier_dropout", "seq_classif_dropout", "hidden_dropout_prob", "dropout")
        given = (getattr(encoder, name, None) for name in named)
        dropout = next((one for one in given if isinstance(one, float)), _DROPOUT)
        return SequenceClassifier(size, labels, pooler, dropout)
    return CrossAttention(size, labels, is_shared=config.head == "plm-ca")
