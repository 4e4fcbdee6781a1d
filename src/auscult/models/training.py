"""Training one model, or the same model with several seeds, into a directory."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auscult.core import CorpusError, OptionError
from auscult.core.counts import Counts
from auscult.core.option_names import option
from auscult.core.version import __version__
from auscult.corpus.corpus import Corpus
from auscult.corpus.provenance import corpus_digest, training_of
from auscult.engine import Engine, Local
from auscult.learning.checkpoint_directory import checkpointed
from auscult.models import config_type_of, model_class, model_name
from auscult.models.architecture import Architecture
from auscult.models.configuring import configure
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.saved import check_target


def train(
    corpus: Corpus,
    out: Path | str,
    model: str | type[Architecture] | None = None,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train_split: str = "train",
    dev_split: str | None = None,
    overwrite: bool = False,
    replicas: int = 1,
    engine: Engine | None = None,
) -> Model:
    """Train a model and save it to `out`.

    Without a model, one is chosen for the corpus. Checkpoints of long training are kept beside
    `out` until the model is saved; the same corpus, settings, splits and seed find them again. With
    `replicas`, so many processes train a neural model together, wherever the engine starts them;
    the corpus must then be on disk.
    """
    out = Path(out)
    check_target(out, overwrite)
    if model is None:
        from auscult.models.choosing import choice_file, model_for

        model, config = model_for(
            corpus, config, seed, train_split, dev_split, kept=choice_file(out)
        )
    asked = training_of(
        model_name(model), configure(model, config or {}), seed, train_split, dev_split, corpus
    )
    asked.append(__version__)
    if replicas > 1:
        asked.append(replicas)
    with checkpointed(out, asked) as directory:
        run = _TrainingRun(
            model, dict(config or {}), seed, train_split, dev_split, directory, replicas
        )
        if replicas == 1:
            made = run.model(corpus)
            made.save(out, overwrite=overwrite)
        else:
            _train_together(corpus, out, run, engine or Local())
            made = Model.load(out, None if isinstance(model, str) else model)
    return made


@dataclass(frozen=True, slots=True)
class _TrainingRun:
    """What identifies a training run, besides the corpus."""

    kind: str | type[Architecture]
    config: dict[str, Any]
    seed: int
    train_split: str
    dev_split: str | None
    directory: Path
    replicas: int

    def model(self, corpus: Corpus) -> Model:
        return fit(
            corpus, self.kind, self.config,
            seed=self.seed, train_split=self.train_split, dev_split=self.dev_split,
            directory=self.directory,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Replica:
    """The work of one of several processes that train together."""

    run: _TrainingRun
    corpus: Path
    digest: str
    out: Path

    def begin(self) -> Callable[[None], None]:
        def do(_: None) -> None:
            from auscult.learning.replicas import rank_and_size

            opened = Corpus.open(self.corpus)
            if corpus_digest(opened) != self.digest:
                raise CorpusError(
                    f"The corpus {self.corpus} changed during the run. Run the command again."
                )
            model = self.run.model(opened)
            about = model.about.model_copy(update={"replicas": self.run.replicas})
            if rank_and_size()[0] == 0:
                # One of these may have saved it and died before the others were done.
                replace(model, about=about).save(self.out)

        return do


def _train_together(corpus: Corpus, out: Path, run: _TrainingRun, engine: Engine) -> None:
    if "checkpoint_seconds" not in config_type_of(model_class(run.kind)).model_fields:
        raise OptionError(
            f"The model {model_name(run.kind)} is not trained by gradient steps, so "
            f"replicas cannot share the work. Leave {option('--replicas')} out."
        )
    if corpus.path is None:
        raise OptionError(
            "Training with replicas needs a corpus on disk; this one is in memory. Save it first."
        )
    from auscult.engine.launching import run_replicas

    run.directory.mkdir(parents=True, exist_ok=True)
    absolute = replace(run, directory=run.directory.absolute())
    work = _Replica(absolute, corpus.path.absolute(), corpus_digest(corpus), out.absolute())
    run_replicas(work, run.replicas, engine, absolute.directory)


def train_runs(
    corpus: Corpus,
    out: Path | str,
    model: str,
    config: Mapping[str, Any] | None = None,
    *,
    seeds: Sequence[int],
    train_split: str = "train",
    dev_split: str | None = None,
    overwrite: bool = False,
) -> Iterator[Model]:
    """Train the same model with each seed, into `out`/seed-N. Finished runs are not repeated.

    This is an iterator: each model is trained when it is asked for. `list(train_runs(…))` trains
    them all.
    """
    if again := [seed for at, seed in enumerate(seeds) if seed in seeds[:at]]:
        raise OptionError(f"The seed {again[0]} is given twice. Give every run a seed of its own.")
    for seed in seeds:
        place = Path(out) / f"seed-{seed}"
        if place.exists() and not overwrite:
            yield done(place, corpus, model, config, seed, train_split, dev_split)
        else:
            yield train(
                corpus, place, model, config, seed=seed, train_split=train_split,
                dev_split=dev_split, overwrite=overwrite,
            )  # fmt: skip


def done(
    place: Path, corpus: Corpus, kind: str, config: Mapping[str, Any] | None,
    seed: int = 0, train_split: str = "train", dev_split: str | None = None,
) -> Model:  # fmt: skip
    """The saved model, if it is the one that was asked for."""
    model = Model.load(place)
    about = model.about
    asked = {
        "model": (about.kind, kind),
        "configuration": (model.config, configure(kind, config or {})),
        "seed": (about.seed, seed),
        "corpus": (about.source.digest, corpus_digest(corpus)),
        "training split": (about.source.train, train_split),
        "dev split": (about.source.dev, dev_split or about.source.dev),
    }
    other = [what for what, (there, asked_for) in asked.items() if there != asked_for]
    if other:
        raise OptionError(
            f"The model in {place} was trained with another {', '.join(other)}. Choose "
            f"another directory, or pass {option('--overwrite', 'overwrite=True')}."
        )
    return model


def tuned(model: Model, what: str) -> Counts | None:
    """The counts of codes or of evidence at the threshold, on the charts it was tuned on."""
    found = model.about.tuning.get(what)
    if found is None or model.about.tuning.get("undefined") is not None:
        return None
    return Counts(**found["counts"])


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean of several runs and their sample standard deviation (None for one run).

    >>> mean_and_deviation([1.0, 2.0, 3.0])
    (2.0, 1.0)
    """
    spread = statistics.stdev(values) if len(values) > 1 else None
    return statistics.mean(values), spread
