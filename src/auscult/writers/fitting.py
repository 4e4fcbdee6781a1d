"""Making a writer from a corpus: pairs of record and text, splits, encoder, learning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auscult.core import AuscultError
from auscult.core.version import __version__
from auscult.core.words import counted
from auscult.corpus.corpus import Corpus
from auscult.corpus.records import Cleaning, Pairs, RecordEncoder, pairs_of
from auscult.learning.settings import configured
from auscult.learning.source import checkpointed, corpus_digest, training_of
from auscult.learning.splits import NONE, TRAIN, held_out_patients, judging_split
from auscult.writers import pen as pen_of
from auscult.writers.contract import Examples, WriterConfiguration
from auscult.writers.writer import KEPT, About, Source, Writer


def train(
    corpus: Corpus,
    out: Path,
    kind: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train: str = TRAIN,
    dev: str | None = None,
    overwrite: bool = False,
) -> Writer:
    """Learn a writer and save it to `out`; interrupted, the same call goes on where it stopped."""
    KEPT.check_target(out, overwrite)
    asked = training_of(kind, configure(kind, config or {}), seed, train, dev, corpus)
    with checkpointed(out, asked) as directory:
        writer = fit(corpus, kind, config, seed=seed, train=train, dev=dev, directory=directory)
        writer.save(out, overwrite=overwrite)
    return writer


def fit(
    corpus: Corpus,
    kind: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train: str = TRAIN,
    dev: str | None = None,
    directory: Path | None = None,
) -> Writer:
    """Learn a writer of a kind from the records of the training split and their texts.

    `dev` names the split that decides when to stop; by default the one there is (dev, val…), and
    otherwise the records of a tenth of the training patients. No other split is looked at.
    """
    learner = pen_of(kind)
    chosen = configure(kind, config or {})
    every = pairs_of(corpus, category=chosen.category)
    learning, tuning, dev = _divided(every, train, dev, seed)
    encoder = RecordEncoder.fit(
        learning.records,
        variables=chosen.variables,
        leave_out=chosen.leave_out,
        least=chosen.least_records,
    )
    learning, examples = _examples(learning, encoder, chosen.cleaning)
    tuning, judged = _examples(tuning, encoder, chosen.cleaning)
    if not len(examples) or not len(judged):
        raise AuscultError(
            "No text is left to learn from, or none to decide when to stop: cleaning left no "
            "words. See the setting cleaning."
        )
    pen = learner.fit(examples, judged, encoder, chosen, seed=seed, directory=directory)
    about = About(
        made_by=f"auscult {__version__}",
        kind=kind,
        seed=seed,
        configuration=chosen.model_dump(mode="json"),
        source=Source(
            name=corpus.manifest.name,
            digest=corpus_digest(corpus),
            train=train if any(every.splits) else NONE,
            dev=dev,
            records=len(examples),
            dev_records=len(judged),
            without_text=every.without,
        ),
        encoder=encoder,
    )
    return Writer(about, chosen, pen)


def configure(kind: str, given: Mapping[str, Any]) -> WriterConfiguration:
    """The configuration of a kind of writer, from the fields that are given."""
    return configured(pen_of(kind).config_type, f"writer {kind}", given)


def _divided(every: Pairs, train: str, dev: str | None, seed: int) -> tuple[Pairs, Pairs, str]:
    """The pairs to learn from, those to decide when to stop, and the name of their split."""
    there = sorted({split for split in every.splits if split is not None})
    dev = judging_split(there, train, dev, of="records")
    learning = every.of_split(train) if there else every
    if dev == NONE:
        return *_held_out(learning, seed), NONE
    return learning, every.of_split(dev), dev


def _held_out(pairs: Pairs, seed: int) -> tuple[Pairs, Pairs]:
    kept = held_out_patients(pairs.subjects, seed, of="records")
    places: tuple[list[int], list[int]] = ([], [])
    for at, subject in enumerate(pairs.subjects):
        places[subject in kept].append(at)
    return pairs.at(places[0]), pairs.at(places[1])


def _examples(
    pairs: Pairs, encoder: RecordEncoder, cleaning: Cleaning
) -> tuple[Pairs, Examples]:  # fmt: skip
    """The pairs whose text has words after cleaning, and the same as numbers."""
    words = [cleaning.words(text) for text in pairs.texts]
    kept = [at for at, found in enumerate(words) if found]
    if len(kept) < len(words):
        warnings.warn(
            f"{counted(len(words) - len(kept), 'text')} without a word after cleaning left out, "
            "each with its record.",
            stacklevel=3,
        )
    pairs = pairs.at(kept)
    vectors = encoder.encode(pairs.records)
    return pairs, Examples(vectors, [words[at] for at in kept], pairs.subjects)
