"""The model `transformer`: a pretrained encoder over chunks, and label-wise cross-attention.

The head is that of PLM-CA (Edin et al. 2024): a query for each code, keys and values of all the
chunks of a chart together, layer norm. Its output layer is each code's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt
import torch
from pydantic import Field
from torch import Tensor, nn

from auscult.core import AuscultError, OptionError
from auscult.learning.devices import available_or_auto, isolated_random_state, seed_torch, threads
from auscult.learning.step_times import lap
from auscult.learning.weights import load_weights, save_weights
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import Scores
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example
from auscult.models.neural import pretrained
from auscult.models.neural.configuration import EvidenceConfiguration
from auscult.models.neural.encoder_source import MINILM, EncoderOrigin
from auscult.models.neural.evidence import CodePairs, evidence_layer
from auscult.models.neural.freezing import freeze_lower
from auscult.models.neural.initialization import start_from_shares
from auscult.models.neural.label_attention import attend, log_attention
from auscult.models.neural.layout import PieceBatch, PieceItem, collate_pieces
from auscult.models.neural.losses import code_loss
from auscult.models.neural.network import Encoded
from auscult.models.neural.neural_scorer import NeuralScorer
from auscult.models.neural.subwords import Subwords, read_tokenizer


class TransformerConfiguration(EvidenceConfiguration):
    """The encoder, its chunks, and fine-tuning."""

    encoder: str = Field(
        MINILM,
        description="Pretrained encoder: a directory, a name on the Hugging Face hub such as "
        "emilyalsentzer/Bio_ClinicalBERT, or minilm, whose weights come with the extra minilm.",
        min_length=1,
    )
    chunk_size: int | None = Field(
        None, ge=4, description="Length of a chunk, in tokens; default: the encoder's maximum."
    )
    chunk_overlap: int | None = Field(
        None,
        ge=0,
        description="Overlap of neighboring chunks, in tokens; default: an eighth of a chunk.",
    )
    chunk_batch_size: int = Field(
        16, ge=1, description="Number of chunks in one pass of the encoder."
    )
    gradient_checkpointing: bool = Field(
        False, description="Use gradient checkpointing: much less memory, a third more time."
    )
    freeze_layers: int = Field(
        0,
        ge=0,
        description="Number of lower layers of the encoder that are not trained, nor then its "
        "embeddings: less time and memory. 0 trains everything.",
    )
    torch_compile: bool = Field(
        False, description="Compile the encoder with torch.compile; on a GPU only, untested."
    )
    learning_rate: float = Field(
        5e-5, gt=0, description="Peak learning rate; it warms up linearly and decays as a cosine."
    )


class TransformerNetwork(nn.Module):
    """An encoder of chunks under label-wise cross-attention over the pieces of a whole chart."""

    encoder: Any
    specials: Tensor
    share: Tensor | None
    """Of the training charts that have each code, (L,), where the loss is balanced by it."""

    def __init__(
        self, encoder: Any, subwords: Subwords, labels: int, config: TransformerConfiguration
    ):
        super().__init__()
        self.config = config
        self.register_buffer("share", None, persistent=False)
        self.encoder = encoder
        size = int(encoder.config.hidden_size)
        self.to_keys = nn.Linear(size, size, bias=False)
        self.to_values = nn.Linear(size, size)
        self.codes = nn.Parameter(torch.empty(labels, size))  # (L, D)
        self.norm = nn.LayerNorm(size)
        self.output = nn.Linear(size, labels)
        self.pointer = evidence_layer(config.evidence, size, size, config.tagger_hidden_size)
        for weight in (self.to_keys.weight, self.to_values.weight, self.codes, self.output.weight):
            nn.init.normal_(weight, std=size**-0.5)
        specials = torch.tensor(subwords.before + subwords.after, dtype=torch.int64)
        self.register_buffer("specials", specials, persistent=False)
        freeze_lower(encoder, config.freeze_layers)
        if config.gradient_checkpointing:
            if not encoder.supports_gradient_checkpointing:
                raise OptionError(
                    f"The encoder {config.encoder} does not support gradient checkpointing. Turn "
                    "gradient_checkpointing off, and lower batch_size to save memory."
                )
            encoder.gradient_checkpointing_enable({"use_reentrant": False})

    def forward(self, batch: PieceBatch) -> Tensor:
        """The loss of a batch."""
        encoded = self.encode(batch, self.embed(batch.words))
        logits = self.logits(encoded)
        lap("forward")
        loss = code_loss(logits, batch.gold, self.config.focal_gamma, self.share)
        if self.config.weight and len(batch.rows):
            pairs = self.pairs(encoded, batch.rows, batch.codes)
            loss = loss + self.config.weight * self.pointer.loss(pairs, batch.evidence)
        return loss

    def embed(self, pieces: Tensor) -> Tensor:
        """The embeddings of pieces before the encoder adds their position, (B, T) → (B, T, E)."""
        return cast(Tensor, self.encoder.get_input_embeddings()(pieces))

    def encode(self, batch: PieceBatch, embedded: Tensor) -> Encoded:
        """Embeddings (B, T, E) encoded chunk by chunk, and put together again."""
        layout, mask = batch.layout, batch.mask
        flat = torch.cat([self.embed(self.specials), embedded.flatten(0, 1)])  # (S + BT, E)
        made = [
            self.encoder(
                inputs_embeds=flat[group.source], attention_mask=group.mask.long()
            ).last_hidden_state.flatten(0, 1)  # (KC, H)
            for group in layout.groups
        ]
        hidden = torch.cat(made)[layout.places] * mask[..., None]  # (B, T, H)
        return self.encoded(hidden, mask)

    def encoded(self, hidden: Tensor, mask: Tensor) -> Encoded:
        """The encoder's output for whole charts, (B, T, H), 0 where there is no token."""
        return Encoded(self.to_keys(hidden), hidden, mask)

    def encode_chunks(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The encoder's output for single chunks, (K, C) → (K, C, H)."""
        made = self.encoder(inputs_embeds=self.embed(ids), attention_mask=mask.long())
        return cast(Tensor, made.last_hidden_state)

    def logits(self, encoded: Encoded, codes: Tensor | None = None) -> Tensor:
        """The scores before the sigmoid, (B, L), or those of some codes only."""
        chosen = slice(None) if codes is None else codes
        values = self.to_values(encoded.hidden)
        read = self.norm(attend(self.codes[chosen], encoded.keys, encoded.mask, values))
        weight, bias = self.output.weight[chosen], self.output.bias[chosen]
        return torch.einsum("bld,ld->bl", read, weight.to(read.dtype)) + bias

    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs:
        """The pairs of chart (sorted) and code, (P,) each, with their explicit attention."""
        attention = log_attention(self.codes, encoded.keys, encoded.mask, rows, codes)
        return CodePairs(attention, encoded.hidden, rows, self.codes[codes], encoded.mask[rows])

    def weights(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> Tensor:
        """The weight of each piece for the code, for pairs of chart (sorted) and code: (P, T)."""
        return self.pointer.weights(self.pairs(encoded, rows, codes))


class Transformer(NeuralScorer[PieceItem, PieceBatch]):
    """The model `transformer`."""

    config_type: ClassVar[type[TransformerConfiguration]] = TransformerConfiguration
    config: TransformerConfiguration
    network: TransformerNetwork

    def __init__(
        self,
        network: TransformerNetwork,
        subwords: Subwords,
        config: TransformerConfiguration,
        origin: EncoderOrigin | None = None,
    ):
        super().__init__(network, len(network.codes), config)
        self.subwords = subwords
        self.origin = origin
        if config.torch_compile and self.device.type == "cuda":
            network.encoder.compile(dynamic=True)  # in place: weights keep their names

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: TransformerConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Fine-tune on examples, with early stopping on dev if there is one."""
        train_on, dev, labels = data.train, data.dev, data.labels
        with threads(config.threads), isolated_random_state(torch.device("cpu")):
            seed_torch(seed, "start")
            encoder, tokenizer = pretrained.fetch(config.encoder)
            origin = EncoderOrigin.of(config.encoder, encoder)
            subwords = Subwords.of(tokenizer, _chunk(encoder, config), config.chunk_overlap)
            made = [_item(one, subwords) for one in train_on]
            items = [one for one in made if len(one.words)]
            if not items:
                raise AuscultError(
                    f"The tokenizer of {config.encoder} finds no token in any training chart. "
                    "Choose an encoder for the language of the notes."
                )
            network = TransformerNetwork(encoder, subwords, len(labels), config)
            start_from_shares(network.output.bias, items)
        fitted = cls(network, subwords, config, origin)
        fitted.train_network(items, dev, seed=seed, known=labels.codes, directory=directory)
        return fitted

    def save(self, directory: Path) -> None:
        """Write weights, tokenizer, what the encoder is built like and where it comes from."""
        save_weights(self.network, directory)
        self.subwords.write(directory)
        pretrained.keep(self.network.encoder, directory)
        if self.origin is not None:
            self.origin.write(directory)

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: TransformerConfiguration) -> Self:
        """What `save` wrote, on whatever device there is now. The original is not needed."""
        labels = resources.labels
        with isolated_random_state(torch.device("cpu")):
            encoder = pretrained.build(directory)
            subwords = Subwords.of(
                read_tokenizer(directory), _chunk(encoder, config), config.chunk_overlap
            )
            network = TransformerNetwork(encoder, subwords, len(labels), config)
        load_weights(network, directory)
        settings = config.model_copy(update={"device": available_or_auto(config.device)})
        return cls(network, subwords, settings, EncoderOrigin.read(directory))

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is made of pieces that the encoder has seen."""
        tokenizer = self.subwords.tokenizer
        unknown = {tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")} - {None}
        every = (tokenizer.encode(word, add_special_tokens=False).ids for word in words)
        return [bool(ids) and not unknown & set(ids) for ids in every]

    def key(self, item: PieceItem) -> bytes:
        return item.words.tobytes() + repr(item.pieces.chunks).encode()

    @torch.inference_mode()
    def score(self, items: Sequence[PieceItem], code: int) -> list[float]:
        """The score of one code; chunks that charts have in common are encoded once."""
        shared = Counter(key for one in items for key in _chunk_keys(one))
        known: dict[bytes, Tensor] = {}
        found: list[float] = []
        asked = torch.tensor([code], device=self.device)
        with threads(self.config.threads), self._precision():
            for begin in range(0, len(items), self.config.batch_size):
                some = items[begin : begin + self.config.batch_size]
                self._encode_chunks(some, known)
                full = [one for one in some if len(one.words)]
                given = iter(self._logits(full, known, asked).sigmoid().tolist() if full else [])
                found += [next(given) if len(one.words) else 0.0 for one in some]
                for one in some:
                    for key in _chunk_keys(one):
                        shared[key] -= 1
                        if not shared[key]:
                            known.pop(key, None)
        return found

    def _encode_chunks(self, items: Sequence[PieceItem], known: dict[bytes, Tensor]) -> None:
        """Encode what is not known yet, chunks of similar length together."""
        new: dict[bytes, npt.NDArray[np.int64]] = {}
        for one in items:
            for key, chunk in zip(_chunk_keys(one), one.pieces.chunks, strict=True):
                if key not in known:
                    new[key] = one.words[chunk.begin : chunk.end]
        before, after = self.subwords.before, self.subwords.after
        order = sorted(new, key=lambda key: len(new[key]))
        for begin in range(0, len(order), self.config.chunk_batch_size):
            some = order[begin : begin + self.config.chunk_batch_size]
            rows = [torch.tensor([*before, *new[key].tolist(), *after]) for key in some]
            ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
            sizes = torch.tensor([len(row) for row in rows])
            mask = torch.arange(ids.shape[1]) < sizes[:, None]
            hidden = self.network.encode_chunks(ids.to(self.device), mask.to(self.device))
            for row, key in enumerate(some):
                known[key] = hidden[row, len(before) : len(before) + len(new[key])]

    def _logits(
        self, items: Sequence[PieceItem], known: Mapping[bytes, Tensor], asked: Tensor
    ) -> Tensor:
        charts = []
        for one in items:
            parts = zip(_chunk_keys(one), one.pieces.chunks, strict=True)
            charts.append(
                torch.cat([known[key][c.first - c.begin : c.last - c.begin] for key, c in parts])
            )
        hidden = nn.utils.rnn.pad_sequence(charts, batch_first=True)  # (B, T, H)
        sizes = torch.tensor([len(chart) for chart in charts], device=self.device)
        mask = torch.arange(hidden.shape[1], device=self.device) < sizes[:, None]
        return self.network.logits(self.network.encoded(hidden, mask), asked)[:, 0].float().cpu()

    def item(self, text: ChartText) -> PieceItem:
        pieces = self.subwords.pieces(text)
        return PieceItem(pieces.ids, np.zeros(0, np.int64), pieces=pieces)

    def collate(self, items: Sequence[PieceItem]) -> PieceBatch:
        return collate_pieces(items, self.labels, self.subwords, self.config.chunk_batch_size)

    def embed(self, batch: PieceBatch) -> Tensor:
        return self.network.embed(batch.words)

    def encode(self, batch: PieceBatch, embedded: Tensor) -> Encoded:
        return self.network.encode(batch, embedded)

    def baseline(self) -> Tensor:
        padding = getattr(self.network.encoder.config, "pad_token_id", None) or 0
        return self.network.embed(torch.tensor(padding, device=self.device))

    def by_word(self, item: PieceItem, weights: Scores, text: ChartText) -> Scores:
        # Attention is divided among pieces; taggers ask each piece whether it is evidence.
        is_tagger = self.config.evidence.endswith("tagger") and self.config.explainer == "none"
        gather = item.pieces.largest if is_tagger else item.pieces.summed
        return gather(weights, len(text))


def _chunk_keys(item: PieceItem) -> list[bytes]:
    """The same for two chunks of the same pieces, whatever chart they are of."""
    return [item.words[chunk.begin : chunk.end].tobytes() for chunk in item.pieces.chunks]


def _item(one: Example, subwords: Subwords) -> PieceItem:
    """An example as numbers. A code whose evidence has no pieces is a code without any."""
    pieces = subwords.pieces(one.text)
    evidence = []
    for code, ranges in sorted(one.evidence.items()):
        found = [pieces.of_words(begin, end) for begin, end in ranges]
        every = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
        if len(every):
            evidence.append((code, every))
    return PieceItem(pieces.ids, one.codes, tuple(evidence), pieces=pieces)


def _chunk(encoder: nn.Module, config: TransformerConfiguration) -> int:
    most = pretrained.longest_chunk(encoder)
    if config.chunk_size is not None and config.chunk_size > most:
        raise OptionError(
            f"The encoder {config.encoder} takes at most {most} tokens at once, and "
            f"chunk_size is {config.chunk_size}. Lower chunk_size."
        )
    return config.chunk_size or most
