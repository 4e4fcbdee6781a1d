"""Training one coder, or the same coder with several seeds, into a directory."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auscult.coders.coder import Coder
from auscult.coders.fitting import configure, fit
from auscult.coders.stored import check_target
from auscult.core import OptionError
from auscult.core.counts import Counts
from auscult.corpus.corpus import Corpus
from auscult.learning.source import checkpointed, corpus_digest


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
) -> Coder:
    """Learn a coder and save it to `out`.

    What long training needs to go on after an interruption is kept beside `out` until the coder
    is saved. It is found again by the same corpus, configuration, splits and seed, and by nothing
    else.
    """
    check_target(out, overwrite)
    chosen = configure(kind, config or {})
    asked = [kind, chosen.model_dump(mode="json"), seed, train, dev, corpus_digest(corpus)]
    with checkpointed(out, asked) as directory:
        coder = fit(corpus, kind, config, seed=seed, train=train, dev=dev, directory=directory)
        coder.save(out)
    return coder


def train_runs(
    corpus: Corpus, out: Path, kind: str, config: Mapping[str, Any] | None = None,
    *, seeds: Sequence[int], overwrite: bool = False, **splits: Any,
) -> Iterator[Coder]:  # fmt: skip
    """Learn the same coder with each seed, into `out`/seed-N. A run that is there is not redone."""
    for seed in seeds:
        place = out / f"seed-{seed}"
        if place.exists() and not overwrite:
            yield _done(place, corpus, kind, config, seed, **splits)
        else:
            out.mkdir(parents=True, exist_ok=True)
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
            yield share, _done(place, corpus, kind, less, **chosen)
        else:
            out.mkdir(parents=True, exist_ok=True)
            yield share, train(corpus, place, kind, less, overwrite=overwrite, **chosen)


def _done(
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
    return None if found is None else Counts(**found["counts"])


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean of several runs and their sample standard deviation, which one run has not.

    >>> mean_and_deviation([1.0, 2.0, 3.0])
    (2.0, 1.0)
    """
    spread = statistics.stdev(values) if len(values) > 1 else None
    return statistics.mean(values), spread
