"""The part of the demo about concepts in text: systems that find them, measured."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

from auscult.cli.demo_part import DemoPart
from auscult.codes.vocabulary import Vocabulary
from auscult.corpus import Corpus
from auscult.evaluate.entities import evaluate_entities
from auscult.models.training import train as train_model
from auscult.report.entities_report import entities_report
from auscult.report.page import PageLink

PAGE = "entities.html"
_KIND, _NAME = "dictionary", "dictionary matcher"
_SYSTEMS = {"second": "second annotator", "vocabulary": "names, as they are"}
_CHARTS = {"train": 12, "test": 5}
_ASKED = ("all", "unseen_text")
_RESAMPLES = 200


def show_entities(annotated: Corpus, out: Path, *, seed: int) -> DemoPart:
    """Learn a model of concepts from some charts, and write the page about it on others.

    `annotated` has the concepts of two annotators, and the terms that were found by their names.
    Leaves the model `finder` in `out`.
    """
    charts = annotated.chart_ids()
    # A hospital may be so small that one chart has concepts: the page is then about itself.
    halves = {"train": charts[::2], "test": charts[1::2] or charts}
    parts = {
        split: _as_split(annotated.select(charts=halves[split][:most]), split)
        for split, most in _CHARTS.items()
    }
    train, gold = (parts[split].select(annotators=["gold"]) for split in _CHARTS)
    config = {"vocabulary": str(out / "vocabulary")}
    model = train_model(train, out / "finder", _KIND, config, seed=seed)
    notes = list(gold.iter_notes())
    systems = {name: parts["test"].select(annotators=[who]) for who, name in _SYSTEMS.items()}
    with warnings.catch_warnings():
        # The second annotator tires: slips are planted, and the page lists them.
        warnings.simplefilter("ignore")
        found = evaluate_entities(
            gold,
            {**systems, _NAME: Corpus.of(notes, model.predict(notes))},
            train=train,
            vocabulary=Vocabulary.open(out / "vocabulary"),
            rule="lenient",
            times=_RESAMPLES,
            seed=seed,
        )
    entities_report(
        found,
        out / "report" / PAGE,
        name="the synthetic hospital",
        access="anyone: no real patient is in it",
        home="index.html",
    )
    every, unseen = (found.subsets[name].systems[_NAME].value or 0.0 for name in _ASKED)
    page = PageLink(
        PAGE,
        "Concepts in text",
        f"A model that learned from {len(list(train.iter_notes()))} notes finds {every:.0%} of "
        f"{found.spans:,} concepts, and {unseen:.0%} where the text is not in training",
    )
    return DemoPart((page,))


def _as_split(corpus: Corpus, split: str) -> Corpus:
    """The corpus with all its notes in one split."""
    notes = (replace(note, split=split) for note in corpus.iter_notes())
    return Corpus.of(notes, corpus.iter_annotations())
