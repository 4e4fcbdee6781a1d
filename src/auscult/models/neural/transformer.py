"""The model `transformer`: a pretrained encoder over chunks of a chart, and a head (`heads`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from auscult.core import AuscultError, OptionError
from auscult.core.progress import track
from auscult.learning.devices import available_or_auto, isolated_random_state, seed_torch, threads
from auscult.learning.padded_rows import padded
from auscult.learning.weights import load_weights, save_weights
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import Scores
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example, count_codes
from auscult.models.label_space import LabelSpace
from auscult.models.neural import pretrained
from auscult.models.neural.description_embeddings import start_from_descriptions
from auscult.models.neural.encoder_source import EncoderOrigin
from auscult.models.neural.heads.label_attention_head import LabelAttentionHead
from auscult.models.neural.heads.sequence import SequenceClassifier
from auscult.models.neural.layout import PieceBatch, PieceItem, collate_pieces
from auscult.models.neural.network import Encoded
from auscult.models.neural.neural_scorer import NeuralScorer
from auscult.models.neural.subwords import Subwords, read_tokenizer, whole_words
from auscult.models.neural.transformer_configuration import TransformerConfiguration
from auscult.models.neural.transformer_network import TransformerNetwork

__all__ = ["Transformer", "TransformerConfiguration", "TransformerNetwork"]


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
        super().__init__(network, network.labels, config)
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
            encoder, tokenizer = pretrained.fetch(
                config.encoder, has_pooler=config.head == "sequence"
            )
            subwords = Subwords.of(tokenizer, _chunk(encoder, config), config.chunk_overlap)
            made = [_item(one, subwords) for one in track(train_on, "tokenizing", len(train_on))]
            items = [one for one in made if len(one.words)]
            if not items:
                raise AuscultError(
                    f"The tokenizer of {config.encoder} finds no token in any training chart. "
                    "Choose an encoder for the language of the notes."
                )
            network = TransformerNetwork(encoder, subwords, len(labels), config)
            origin = EncoderOrigin.of(config.encoder, network.encoder)
            _start(network, labels, items)
        fitted = cls(network, subwords, config, origin)
        if config.label_initialization == "description":
            assert isinstance(network.head, LabelAttentionHead)  # the settings see to it
            with threads(config.threads):
                start_from_descriptions(network, network.head, subwords, labels)
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
            encoder = pretrained.build(directory, has_pooler=config.head == "sequence")
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

    def encoder_words(self) -> list[str]:
        """The whole words among the encoder's tokens, in their order."""
        tokenizer = self.subwords.tokenizer
        pieces = [tokenizer.id_to_token(at) or "" for at in range(tokenizer.get_vocab_size())]
        return list(dict.fromkeys(filter(None, whole_words(pieces))))

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
        new: dict[bytes, npt.NDArray[np.integer]] = {}
        for one in items:
            for key, chunk in zip(_chunk_keys(one), one.pieces.chunks, strict=True):
                if key not in known:
                    new[key] = one.words[chunk.begin : chunk.end]
        before, after = self.subwords.before, self.subwords.after
        order = sorted(new, key=lambda key: len(new[key]))
        for begin in range(0, len(order), self.config.chunk_batch_size):
            some = order[begin : begin + self.config.chunk_batch_size]
            ids, mask = padded([[*before, *new[key].tolist(), *after] for key in some])
            hidden = self.network.encode_chunks(ids.to(self.device), mask.to(self.device))
            for row, key in enumerate(some):
                if isinstance(self.network.head, SequenceClassifier):
                    known[key] = hidden[row, :1]
                else:
                    known[key] = hidden[row, len(before) : len(before) + len(new[key])]

    def _logits(
        self, items: Sequence[PieceItem], known: Mapping[bytes, Tensor], asked: Tensor
    ) -> Tensor:
        if isinstance(self.network.head, SequenceClassifier):
            keys = [(row, key) for row, one in enumerate(items) for key in _chunk_keys(one)]
            firsts = torch.cat([known[key] for _, key in keys])  # (N, H)
            of = torch.tensor([row for row, _ in keys], device=self.device)
            nothing = torch.ones(len(items), 0, dtype=torch.bool, device=self.device)
            unread = firsts.new_zeros(len(items), 0, firsts.shape[1])
            encoded = self.network.head.encoded(unread, nothing, firsts, of)
            return self.network.logits(encoded, asked)[:, 0].float().cpu()
        charts = []
        for one in items:
            parts = zip(_chunk_keys(one), one.pieces.chunks, strict=True)
            charts.append(
                torch.cat([known[key][c.first - c.begin : c.last - c.begin] for key, c in parts])
            )
        hidden = nn.utils.rnn.pad_sequence(charts, batch_first=True)  # (B, T, H)
        sizes = torch.tensor([len(chart) for chart in charts], device=self.device)
        mask = torch.arange(hidden.shape[1], device=self.device) < sizes[:, None]
        encoded = self.network.head.encoded(hidden, mask, None, None)
        return self.network.logits(encoded, asked)[:, 0].float().cpu()

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


def _start(network: TransformerNetwork, labels: LabelSpace, items: Sequence[PieceItem]) -> None:
    """Initialize the head from the codes' frequencies."""
    head = network.head
    if isinstance(head, SequenceClassifier):
        asked = network.config.single_label
        is_single = len(labels) > 1 and all(len(one.codes) == 1 for one in items)
        if asked and not is_single:
            raise OptionError(
                "single_label=true needs at least two codes and training charts with exactly one "
                "code each. These charts do not fit; leave out single_label."
            )
        head.single_label.fill_(is_single if asked is None else asked)
    counts = torch.from_numpy(count_codes(items, len(labels)))
    head.start((counts + 0.5) / (len(items) + 1))


def _chunk_keys(item: PieceItem) -> list[bytes]:
    """The same for two chunks of the same pieces, whatever chart they are of."""
    return [item.words[chunk.begin : chunk.end].tobytes() for chunk in item.pieces.chunks]


def _item(one: Example, subwords: Subwords) -> PieceItem:
    """An example as numbers. A code whose evidence has no pieces is a code without any."""
    pieces = subwords.pieces(one.text)
    evidence = []
    for code, ranges in sorted(one.evidence.items()):
        found = [pieces.of_words(begin, end) for begin, end in ranges]
        every = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int32)
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
