"""The networks of MDACE's experiments: trained once, kept, and measured on charts held back."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auscult.coders.coder import Coder
from auscult.coders.runs import mean_and_deviation, train
from auscult.core.dice import shuffled
from auscult.corpus import Corpus
from auscult.corpus.split import split_by_list
from auscult.evaluate import EvidenceResult
from auscult.learning.source import corpus_digest
from auscult.report.coder_report import assess
from auscult.reproduce.contract import Basis, Measured
from auscult.reproduce.mdace.files import SUMMARY, Charts, charts, smaller
from auscult.reproduce.work import Work

CODEABLE = (SUMMARY, "Physician", "Radiology")
_LONGER = 5000 / 3500
"""How much more is read where other notes than summaries are."""
NEEDS = (
    "MIMIC-III (PhysioNet, credentialed) and MDACE (open); a GPU, or days. The paper's own "
    "settings beyond those it prints are not known"
)
STAND_IN = (
    "charts of the synthetic hospital, fewer and shorter, with the codes that several of them "
    "have; small networks"
)


def summaries(work: Work) -> tuple[Charts, Corpus]:
    """Discharge summaries with inpatient evidence, at the scale of the work."""
    whole = charts(work, "Inpatient", categories=(SUMMARY,))
    return whole, kept_smaller(work, whole, "inpatient", (SUMMARY,))


def kept_smaller(work: Work, whole: Charts, annotator: str, categories: Sequence[str]) -> Corpus:
    """The corpus that networks learn from, on disk."""
    scale = work.scale
    about = {
        "of": [one.digest for one in whole.used], "annotator": annotator,
        "categories": list(categories), "charts": scale.charts, "least": scale.least,
    }  # fmt: skip
    place = work.kept(
        "learning",
        about,
        lambda out: smaller(
            whole.corpus.select(annotators=["billing", annotator]), work, of=annotator
        ).write(out),
    )
    return Corpus.open(place)


def dealt_again(work: Work, whole: Charts, corpus: Corpus) -> Corpus:
    """80% of the charts with evidence to learn from, 10% for dev and test each (Table 7)."""
    about = {"of": [one.digest for one in whole.used], "charts": work.scale.charts}

    def make(out: Path) -> None:
        lists = whole.files.lists("Inpatient", "ev")
        known = set(corpus.chart_ids())
        every = [one for ids in lists.values() for one in ids if one in known]
        order = shuffled(sorted(every), random.Random(0))
        tenth = max(1, round(len(order) / 10))
        parts = {"dev": order[:tenth], "test": order[tenth : 2 * tenth]}
        parts["train"] = order[2 * tenth :]
        moved = set(order)
        for split in ("train", "dev"):
            here = corpus.select(splits=[split]).chart_ids()
            parts[split] += [one for one in here if one not in moved]
        split_by_list(corpus, parts).write(out)

    return Corpus.open(work.kept("dealt-again", about, make))


def learnt(
    work: Work, corpus: Corpus, kind: str, settings: Mapping[str, Any], *, seed: int
) -> Coder:
    """A coder of the corpus; one that is there is not learnt again, and a killed one goes on."""
    config = {**_sized(work, kind), **settings}
    about = {"kind": kind, "config": config, "seed": seed, "corpus": _digest(corpus)}
    place = work.place(f"{kind}-{config.get('evidence', 'attention')}", about)
    if not place.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            train(corpus, place, kind, config, seed=seed)
    return Coder.load(place)


def on_test(work: Work, coder: Coder, corpus: Corpus, annotator: str) -> EvidenceResult:
    """The coder's evidence for gold's codes on the test charts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        part = corpus.select(splits=["test"])
        return assess(coder, part, annotator=annotator, times=work.scale.resamples).evidence


def longer(work: Work) -> int:
    """How many words are read where all code-able notes are."""
    return round(int(work.scale.network["longest"]) * _LONGER)


def averaged(values: Sequence[float | None], basis: Basis, *, first: Any = None) -> Measured:
    """The mean of several runs in per cent, with the interval of the first."""
    known = [100 * value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return Measured(None, basis, undefined="a run points at nothing, so it has no precision")
    mean, spread = mean_and_deviation(known)
    edges = None if first is None else first.interval
    interval = None if edges is None else (100 * edges[0], 100 * edges[1])
    return Measured(mean, basis, interval, spread, n=len(known))


def _sized(work: Work, kind: str) -> dict[str, Any]:
    chosen = dict(work.scale.network)
    narrow = chosen.pop("narrow", None)
    if narrow:
        chosen["channels"] = narrow
        if kind == "effectivecan":
            chosen["keys"] = narrow
    return chosen


def _digest(corpus: Corpus) -> str:
    return corpus_digest(corpus) or ""
