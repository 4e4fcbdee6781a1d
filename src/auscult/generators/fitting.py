"""Training a text generator on a corpus: pairs of record and text, splits, encoder, fitting."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auscult.core import AuscultError
from auscult.core.plurals import counted
from auscult.core.version import __version__
from auscult.corpus.corpus import Corpus
from auscult.corpus.provenance import corpus_digest, files_digest, training_of
from auscult.corpus.records import Cleaning, RecordEncoder, RecordTexts, pairs_of
from auscult.generators import architecture as architecture_of
from auscult.generators.contract import GeneratorConfiguration, TextExamples
from auscult.generators.generator import KEPT, GeneratorCard, GeneratorSource, TextGenerator
from auscult.learning.checkpoint_directory import checkpointed
from auscult.learning.settings import configured
from auscult.learning.splits import NONE, TRAIN, held_out_patients
from auscult.learning.splits import dev_split as chosen_dev_split


def train_generator(
    corpus: Corpus,
    out: Path,
    generator: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train_split: str = TRAIN,
    dev_split: str | None = None,
    overwrite: bool = False,
) -> TextGenerator:
    """Train a generator and save it to `out`; if interrupted, the same call resumes."""
    KEPT.check_target(out, overwrite)
    asked = training_of(
        generator, configure(generator, config or {}), seed, train_split, dev_split, corpus
    )
    with checkpointed(out, asked) as directory:
        made = fit_generator(
            corpus, generator, config, seed=seed, train_split=train_split, dev_split=dev_split,
            directory=directory,
        )  # fmt: skip
        made.save(out, overwrite=overwrite)
    return made


def fit_generator(
    corpus: Corpus,
    generator: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train_split: str = TRAIN,
    dev_split: str | None = None,
    directory: Path | None = None,
) -> TextGenerator:
    """Train a text generator on the records of the training split and their texts.

    `generator` is a name. `dev_split` names the split for early stopping; by default the one there
    is (dev, val…), and otherwise a tenth of the training patients is held out. No other split is
    used.
    """
    generator_type = architecture_of(generator)
    chosen = configure(generator, config or {})
    every = pairs_of(corpus, category=chosen.category)
    training, tuning, dev = _divided(every, train_split, dev_split, seed)
    encoder = RecordEncoder.fit(
        training.records,
        variables=chosen.variables,
        leave_out=chosen.exclude,
        least=chosen.min_frequency,
    )
    training, examples = _examples(training, encoder, chosen.cleaning)
    tuning, dev_examples = _examples(tuning, encoder, chosen.cleaning)
    if not len(examples) or not len(dev_examples):
        raise AuscultError(
            "No text is left for training or for early stopping: preprocessing removed "
            "every word. Change the setting cleaning."
        )
    architecture = generator_type.fit(
        examples, dev_examples, encoder, chosen, seed=seed, directory=directory
    )
    about = GeneratorCard(
        made_by=f"auscult {__version__}",
        kind=generator,
        seed=seed,
        configuration=chosen.model_dump(mode="json"),
        source=GeneratorSource(
            name=corpus.manifest.name,
            digest=corpus_digest(corpus),
            files=files_digest(corpus),
            train=train_split if any(every.splits) else NONE,
            dev=dev,
            records=len(examples),
            dev_records=len(dev_examples),
            without_text=every.without,
        ),
        encoder=encoder,
    )
    return TextGenerator(about, chosen, architecture)


def configure(generator: str, given: Mapping[str, Any]) -> GeneratorConfiguration:
    """The settings of a generator, checked, from those that are given."""
    return configured(architecture_of(generator).config_type, f"generator {generator}", given)


def _divided(
    every: RecordTexts, train: str, dev: str | None, seed: int
) -> tuple[RecordTexts, RecordTexts, str]:
    """The training pairs, the dev pairs, and the name of the dev split."""
    there = sorted({split for split in every.splits if split is not None})
    dev = chosen_dev_split(there, train, dev, of="records")
    training = every.of_split(train) if there else every
    if dev == NONE:
        return *_held_out(training, seed), NONE
    return training, every.of_split(dev), dev


def _held_out(pairs: RecordTexts, seed: int) -> tuple[RecordTexts, RecordTexts]:
    kept = held_out_patients(pairs.subjects, seed, of="records")
    places: tuple[list[int], list[int]] = ([], [])
    for at, subject in enumerate(pairs.subjects):
        places[subject in kept].append(at)
    return pairs.at(places[0]), pairs.at(places[1])


def _examples(
    pairs: RecordTexts, encoder: RecordEncoder, cleaning: Cleaning
) -> tuple[RecordTexts, TextExamples]:  # fmt: skip
    """The pairs whose text has words after preprocessing, and the same encoded."""
    words = [cleaning.words(text) for text in pairs.texts]
    kept = [at for at, found in enumerate(words) if found]
    if len(kept) < len(words):
        warnings.warn(
            f"{counted(len(words) - len(kept), 'text')} without a word after preprocessing "
            "left out, each with its record.",
            stacklevel=3,
        )
    pairs = pairs.at(kept)
    vectors = encoder.encode(pairs.records)
    return pairs, TextExamples(vectors, [words[at] for at in kept], pairs.subjects)
