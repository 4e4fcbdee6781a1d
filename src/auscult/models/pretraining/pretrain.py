"""Further pretraining of an encoder on notes (Gururangan et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auscult.core.errors import MissingExtraError
from auscult.core.storage import check_target, publish
from auscult.core.version import __version__
from auscult.corpus.corpus import Corpus
from auscult.corpus.provenance import training_of
from auscult.learning.settings import configured
from auscult.learning.splits import TRAIN
from auscult.models.pretraining.card import PretrainingCard
from auscult.models.pretraining.configuration import PretrainingConfiguration
from auscult.models.pretraining.notes import PretrainingNotes

if TYPE_CHECKING:
    from auscult.learning.training_estimate import TrainingEstimate

FILE = "pretraining.json"
"""The card. Trained models have an `encoder.json` of their own, so it is not called that."""


@dataclass(frozen=True, slots=True)
class PretrainedEncoder:
    """A pretrained encoder: its path and its model card."""

    path: Path
    card: PretrainingCard

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"encoder": str(self.path), **self.card.model_dump(mode="json")}


def pretrain(
    corpus: Corpus,
    out: Path | str,
    encoder: str = "minilm",
    config: Mapping[str, Any] | None = None,
    *,
    categories: Sequence[str] | None = None,
    seed: int = 0,
    train_split: str = TRAIN,
    dev_split: str | None = None,
    overwrite: bool = False,
) -> PretrainedEncoder:
    """Continue pretraining an encoder on the training split, as a masked language model.

    `encoder` is minilm, a directory, or a name on the Hugging Face hub. `out` becomes a directory
    that Transformers can load. It serves as an encoder for the model transformer, and as the
    language model of an audit's context filter. Perplexity is measured on the dev split or, without
    one, on a held-out tenth of the patients. Checkpoints are kept next to `out` until the end:
    after an interruption, the same call resumes.
    """
    from auscult.learning.checkpoint_directory import checkpointed

    out = Path(out)
    check_target(out, FILE, "pretrained encoder", overwrite=overwrite)
    settings = _configured(config)
    notes = PretrainingNotes.of(corpus, categories, train_split, dev_split, seed)
    with _needed_libraries():
        from auscult.models.pretraining.run import PretrainingRun, fetch

    started = fetch(encoder, seed)
    asked = training_of("pretraining", settings, seed, train_split, dev_split, corpus)
    asked += [encoder, started.origin.source.digest, list(categories or ()), __version__]
    with checkpointed(out, asked) as directory:
        run = PretrainingRun.prepare(started, notes, settings, seed, directory)
        card = run.train(repr(asked), directory)

        def fill(draft: Path) -> None:
            started.save(draft)
            (draft / FILE).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
            (draft / "README.md").write_text(card.readme(), encoding="utf-8")

        publish(out, fill, overwrite=overwrite)
    return PretrainedEncoder(out, card)


def estimate_pretraining(
    corpus: Corpus,
    encoder: str = "minilm",
    config: Mapping[str, Any] | None = None,
    *,
    categories: Sequence[str] | None = None,
    seed: int = 0,
    train_split: str = TRAIN,
    dev_split: str | None = None,
) -> TrainingEstimate:
    """Estimate epochs, steps and seconds of a pretraining by running a few of its steps.

    At most 500 charts are tokenized, in memory; nothing is written.
    """
    settings = _configured(config)
    notes = PretrainingNotes.of(corpus, categories, train_split, dev_split, seed)
    with _needed_libraries():
        from auscult.models.pretraining.estimating import estimate
        from auscult.models.pretraining.run import fetch

    return estimate(fetch(encoder, seed), notes, settings, seed)


@contextmanager
def _needed_libraries() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError("Pretraining", "minilm") from error


def _configured(given: Mapping[str, Any] | None) -> PretrainingConfiguration:
    return configured(PretrainingConfiguration, "pretraining", given or {})
