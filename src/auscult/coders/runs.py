"""Training one coder, or the same coder with several seeds, into a directory."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auscult.coders import scorer
from auscult.coders.coder import Coder
from auscult.coders.fitting import configure, fit
from auscult.coders.stored import check_target
from auscult.core import CorpusError, OptionError
from auscult.core.counts import Counts
from auscult.corpus.corpus import Corpus
from auscult.engine import Engine, Local
from auscult.learning.source import checkpointed, corpus_digest, training_of


def train(
    corpus: Corpus,
    out: Path,
    kind: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train: str = "train",
    dev: str | None = None,
    overwrite: bool = False,
    replicas: int = 1,
    engine: Engine | None = None,
) -> Coder:
    """Learn a coder and save it to `out`.

    What long training needs to go on after an interruption is kept beside `out` until the coder
    is saved. It is found again by the same corpus, configuration, splits and seed, and by nothing
    else. With `replicas`, so many processes train a neural coder together, wherever the engine has
    them; the corpus is then one on disk.
    """
    check_target(out, overwrite)
    asked = training_of(kind, configure(kind, config or {}), seed, train, dev, corpus)
    if replicas > 1:
        asked.append(replicas)
    with checkpointed(out, asked) as directory:
        learning = _Learning(kind, dict(config or {}), seed, train, dev, directory, replicas)
        if replicas == 1:
            coder = learning.coder(corpus)
            coder.save(out, overwrite=overwrite)
        else:
            _train_together(corpus, out, learning, engine or Local())
            coder = Coder.load(out)
    return coder


@dataclass(frozen=True, slots=True)
class _Learning:
    """What makes a training what it is, besides the corpus."""

    kind: str
    config: dict[str, Any]
    seed: int
    train: str
    dev: str | None
    directory: Path
    replicas: int

    def coder(self, corpus: Corpus) -> Coder:
        return fit(
            corpus, self.kind, self.config,
            seed=self.seed, train=self.train, dev=self.dev, directory=self.directory,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Replica:
    """The work of one of several processes that train together."""

    learning: _Learning
    corpus: Path
    digest: str | None
    out: Path

    def begin(self) -> Callable[[None], None]:
        def do(_: None) -> None:
            from auscult.learning.replicas import standing

            opened = Corpus.open(self.corpus)
            if corpus_digest(opened) != self.digest:
                raise CorpusError(
                    f"The corpus {self.corpus} changed while it was read. Give the command again."
                )
            coder = self.learning.coder(opened)
            about = coder.about.model_copy(update={"replicas": self.learning.replicas})
            if standing()[0] == 0:
                # One of these may have saved it and died before the others were done.
                replace(coder, about=about).save(self.out)

        return do


def _train_together(corpus: Corpus, out: Path, learning: _Learning, engine: Engine) -> None:
    if "checkpoint_seconds" not in scorer(learning.kind).config_type.model_fields:
        raise OptionError(
            f"The coder {learning.kind} is not trained in steps, so replicas cannot share them: "
            "leave --replicas out."
        )
    if corpus.path is None:
        raise OptionError("Replicas read the corpus themselves, so it must be one on disk.")
    from auscult.learning.gang import together

    learning.directory.mkdir(parents=True, exist_ok=True)
    absolute = replace(learning, directory=learning.directory.absolute())
    work = _Replica(absolute, corpus.path.absolute(), corpus_digest(corpus), out.absolute())
    together(work, learning.replicas, engine, absolute.directory)


def train_runs(
    corpus: Corpus, out: Path, kind: str, config: Mapping[str, Any] | None = None,
    *, seeds: Sequence[int], overwrite: bool = False, **splits: Any,
) -> Iterator[Coder]:  # fmt: skip
    """Learn the same coder with each seed, into `out`/seed-N. A run that is there is not redone."""
    for seed in seeds:
        place = out / f"seed-{seed}"
        if place.exists() and not overwrite:
            yield done(place, corpus, kind, config, seed, **splits)
        else:
            yield train(corpus, place, kind, config, seed=seed, overwrite=overwrite, **splits)


def learning_curve(
    corpus: Corpus, out: Path, kind: str, config: Mapping[str, Any] | None = None,
    *, shares: Sequence[float], overwrite: bool = False, **chosen: Any,
) -> Iterator[tuple[float, Coder]]:  # fmt: skip
    """Learn with the evidence of ever more training charts, into `out`/share-S (MDACE, Table 7).

    The charts of a smaller share are among those of a larger one. A share that is there is not
    learnt again.
    """
    for share in shares:
        place = out / f"share-{share:g}"
        less = {**(config or {}), "evidence_share": share}
        if place.exists() and not overwrite:
            yield share, done(place, corpus, kind, less, **chosen)
        else:
            yield share, train(corpus, place, kind, less, overwrite=overwrite, **chosen)


def done(
    place: Path, corpus: Corpus, kind: str, config: Mapping[str, Any] | None,
    seed: int = 0, train: str = "train", dev: str | None = None,
) -> Coder:  # fmt: skip
    """The coder that is there, if it is the one that was asked for."""
    coder = Coder.load(place)
    about = coder.about
    asked = {
        "coder": (about.kind, kind),
        "configuration": (coder.config, configure(kind, config or {})),
        "seed": (about.seed, seed),
        "corpus": (about.source.digest, corpus_digest(corpus)),
        "training split": (about.source.train, train),
        "dev split": (about.source.dev, dev or about.source.dev),
    }
    other = [what for what, (there, wanted) in asked.items() if there != wanted]
    if other:
        raise OptionError(
            f"{place} was learnt with another {', '.join(other)}. Choose another directory, or "
            "pass --overwrite."
        )
    return coder


def tuned(coder: Coder, what: str) -> Counts | None:
    """The counts of codes or of evidence at the threshold, on the charts it was tuned on."""
    found = coder.about.tuning.get(what)
    if found is None or coder.about.tuning.get("undefined") is not None:
        return None
    return Counts(**found["counts"])


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean of several runs and their sample standard deviation, which one run has not.

    >>> mean_and_deviation([1.0, 2.0, 3.0])
    (2.0, 1.0)
    """
    spread = statistics.stdev(values) if len(values) > 1 else None
    return statistics.mean(values), spread
