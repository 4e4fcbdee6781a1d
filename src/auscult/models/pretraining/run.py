"""A pretraining run: an encoder, and its notes as tokens on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from auscult.core import AuscultError, OptionError
from auscult.core.option_names import option
from auscult.core.version import __version__
from auscult.corpus.provenance import corpus_digest, files_digest
from auscult.learning.card import TrainingSource
from auscult.learning.checkpoint import FILE, Checkpoint
from auscult.learning.devices import isolated_random_state, seed_torch
from auscult.learning.splits import NONE
from auscult.learning.step_times import StepTimes
from auscult.models.neural.subwords import Subwords
from auscult.models.pretraining.card import PretrainingCard, StartingPoint
from auscult.models.pretraining.configuration import PretrainingConfiguration
from auscult.models.pretraining.masked_encoder import MaskedEncoder
from auscult.models.pretraining.masked_training import MaskedTraining
from auscult.models.pretraining.masking import WordMasking
from auscult.models.pretraining.notes import PretrainingNotes
from auscult.models.pretraining.token_store import TokenStore, write_tokens


def fetch(name: str, seed: int) -> MaskedEncoder:
    """The encoder with a name; a new head is initialized from the seed."""
    with isolated_random_state(torch.device("cpu")):
        seed_torch(seed, "start")
        return MaskedEncoder.fetch(name)


@dataclass(frozen=True, slots=True, eq=False)
class PretrainingRun:
    """An encoder, the notes, and their tokens: those to train on, and those held out."""

    encoder: MaskedEncoder
    notes: PretrainingNotes
    config: PretrainingConfiguration
    seed: int
    subwords: Subwords
    masking: WordMasking
    training: TokenStore
    tuning: TokenStore

    @classmethod
    def prepare(
        cls,
        encoder: MaskedEncoder,
        notes: PretrainingNotes,
        config: PretrainingConfiguration,
        seed: int,
        directory: Path,
    ) -> PretrainingRun:
        """Tokenize the notes into a directory, unless an interrupted run has done so."""
        subwords = encoder.subwords(config.chunk_size)
        masking = encoder.masking(subwords, config.mlm_probability)
        directory.mkdir(parents=True, exist_ok=True)
        stores = []
        for name, charts in (("training", notes.training()), ("dev", notes.tuning())):
            if not (directory / name).exists():
                write_tokens(
                    charts,
                    subwords.tokenizer,
                    directory / name,
                    room=subwords.room,
                    separator=encoder.tokenizer.sep_token_id,
                    special=masking.special.numpy(),
                )
            stores.append(TokenStore.open(directory / name))
        require_text(stores[0], stores[1], notes)
        return cls(encoder, notes, config, seed, subwords, masking, stores[0], stores[1])

    def train(self, fingerprint: str, directory: Path) -> PretrainingCard:
        """Train, and return the model card."""
        training = MaskedTraining(
            self.encoder.model, self.masking, self.training, self.config, self.seed,
            self.tuning, self.config.max_dev_chunks,
        )  # fmt: skip
        before = training.perplexity("perplexity before")
        checkpoint = Checkpoint(directory / FILE, fingerprint)
        times = training.train(range(len(self.training)), checkpoint)
        return self._card(times, before, training.perplexity("perplexity after"))

    def _card(self, times: StepTimes, before: float | None, after: float | None) -> PretrainingCard:
        corpus, config = self.notes.corpus, self.config
        return PretrainingCard(
            made_by=f"auscult {__version__}",
            started_from=StartingPoint(**self.encoder.origin.source.model_dump()),
            new_head=self.encoder.has_new_head,
            corpus=TrainingSource(
                name=corpus.manifest.name,
                digest=corpus_digest(self.notes.whole),
                files=files_digest(self.notes.whole),
                train=self.notes.train,
                dev=self.notes.dev,
            ),
            corpus_license=corpus.manifest.license,
            categories=self.notes.categories,
            seed=self.seed,
            configuration=config.model_dump(mode="json"),
            chunk_size=len(self.subwords.before) + self.subwords.room + len(self.subwords.after),
            charts=self.training.charts,
            tokens=int(self.training.edges[-1]),
            dev_charts=self.tuning.charts,
            epochs=config.epochs,
            steps=config.steps_of(len(self.training)),
            seconds=times.training_seconds,
            perplexity_before=before,
            perplexity_after=after,
        )


def require_text(training: TokenStore, tuning: TokenStore, notes: PretrainingNotes) -> None:
    """An error when there is nothing to train on, or nothing where something was to be held out."""
    if not len(training):
        raise AuscultError(
            "There is no text to pretrain on: the chosen notes are empty. Check "
            f"{option('--train-split')} and {option('--category', 'categories')}."
        )
    if not len(tuning) and notes.dev != NONE:
        raise OptionError(
            f"There is no text to measure the perplexity on (dev: {notes.dev}). Choose "
            f"another dev split, or pass {option('--dev-split none')}."
        )
