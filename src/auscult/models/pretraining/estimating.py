"""How long a pretraining should take, measured on some of its charts. Nothing is written."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace

from auscult.core.progress import track
from auscult.learning.training_estimate import TrainingEstimate, estimated
from auscult.models.pretraining.configuration import PretrainingConfiguration
from auscult.models.pretraining.masked_encoder import MaskedEncoder
from auscult.models.pretraining.masked_training import MaskedTraining
from auscult.models.pretraining.notes import PretrainingNotes
from auscult.models.pretraining.run import require_text
from auscult.models.pretraining.token_store import TokenStore, tokens_in_memory

_CHARTS = 500
"""Maximum number of charts that are tokenized, of those to train on and of those held out."""


@dataclass(frozen=True, slots=True)
class TextSample:
    """Some charts' texts, and how much of all text they are, by characters."""

    charts: list[list[str]]
    share: float

    @classmethod
    def of(cls, charts: Iterable[list[str]], most: int, seed: int) -> TextSample:
        """At most so many charts, each as likely as any other; all are read once."""
        dice = random.Random(seed)
        kept: list[list[str]] = []
        letters = 0
        for at, texts in enumerate(track(charts, "reading charts")):
            letters += sum(map(len, texts))
            if at < most:
                kept.append(texts)
            elif (place := int(dice.random() * (at + 1))) < most:
                kept[place] = texts
        return cls(kept, sum(len(text) for texts in kept for text in texts) / max(1, letters))


def estimate(
    encoder: MaskedEncoder, notes: PretrainingNotes, config: PretrainingConfiguration, seed: int
) -> TrainingEstimate:
    """Epochs, steps and seconds: the chunks of some charts, scaled to all of them."""
    subwords = encoder.subwords(config.chunk_size)
    masking = encoder.masking(subwords, config.mlm_probability)

    def tokenized(charts: Iterable[list[str]]) -> tuple[TokenStore, int]:
        some = TextSample.of(charts, _CHARTS, seed)
        store = tokens_in_memory(
            some.charts, subwords.tokenizer,
            room=subwords.room,
            separator=encoder.tokenizer.sep_token_id,
            special=masking.special.numpy(),
        )  # fmt: skip
        return store, round(len(store) / (some.share or 1.0))

    training, chunks = tokenized(notes.training())
    tuning, held = tokenized(notes.tuning())
    require_text(training, tuning, notes)
    most = config.max_dev_chunks
    masked = MaskedTraining(encoder.model, masking, training, config, seed, tuning, most)
    found = estimated(lambda: masked.train(range(len(training)), None))
    assert found is not None  # every pretraining takes steps
    return replace(
        found,
        steps=config.steps_of(chunks),
        dev_seconds=found.dev_seconds * min(most, held) / max(1, min(most, len(tuning))),
    )
