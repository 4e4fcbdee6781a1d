"""The part of the demo about models: train two on the same charts, evaluate and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auscult.cli.demo_part import DemoPart, missing
from auscult.corpus import Corpus
from auscult.experiment import Assessment, SystemComparison, assess, compare
from auscult.models.fitting import DEFAULT
from auscult.models.loading import load_model
from auscult.models.model import Model
from auscult.models.training import train
from auscult.report.comparison_report import ComparedModel, comparison_report
from auscult.report.model_report import model_report
from auscult.report.page import PageLink

_FIRST = ComparedModel(DEFAULT, "model.html")
_SECOND = ComparedModel("effectivecan", "effectivecan.html")
_COMPARED = "comparison.html"
_ANNOTATOR = "inpatient"
_CATEGORY = "Discharge summary"
_RESAMPLES = 500
# Small, so that the demo takes minutes on two cores. EffectiveCAN's size was chosen on the demo's
# dev split: with 2 blocks and batches of 2, micro-F1 of codes is 0.507, F1 of evidence tokens 0.284
# and the loss 0.078; with the default 4 blocks and batches of 4, they are 0.423, 0.271 and 0.087,
# and training takes longer.
_SETTINGS: dict[str, dict[str, Any]] = {
    _FIRST.name: {"folds": 2},
    _SECOND.name: {"evidence": "supervised", "num_blocks": 2, "batch_size": 2, "threads": 1},
}
_TITLES = {
    _FIRST.name: "The default model",
    _SECOND.name: "EffectiveCAN, supervised attention",
}


def train_default(corpus: Corpus, out: Path, *, seed: int) -> None:
    """Train the default model; leaves it in `out` as `model`."""
    _train(corpus, out / "model", _FIRST.name, seed)


def train_effectivecan(corpus: Corpus, out: Path, *, seed: int) -> None:
    """Train EffectiveCAN, with attention supervised by the coders' evidence (MDACE).

    Leaves it in `out` as `effectivecan`; without the libraries, leaves nothing.
    """
    if _missing() is None:
        _train(corpus, out / "effectivecan", _SECOND.name, seed)


def show_models(corpus: Corpus, out: Path, *, shows_text: str) -> DemoPart:
    """Evaluate the models on the test charts, and write a page about each and about both.

    Leaves the predictions (`predicted`, `predicted-effectivecan`) in `out`.
    """
    default = load_model(out / "model")
    test = corpus.select(splits=["test"], annotators=[_ANNOTATOR], categories=[_CATEGORY])

    def show(which: ComparedModel, model: Model, found: Assessment) -> PageLink:
        model_report(
            found,
            out / "report" / which.page,
            about=_about(model),
            title=f"{_TITLES[which.name]}: {which.name}",
            shows_text=shows_text,
            remark=_remark(model),
            home="index.html",
        )
        return _page(which, model, found)

    if why := _missing():
        found = assess(default, test, annotator=_ANNOTATOR, times=_RESAMPLES)
        found.predicted.write(out / "predicted")
        what = "EffectiveCAN with supervised attention, compared with the default model"
        return DemoPart((show(_FIRST, default, found),), (f"{what}. {why}",))
    other = load_model(out / "effectivecan")
    both = compare(test, default, other, annotator=_ANNOTATOR, bootstrap=_RESAMPLES)
    both.first.predicted.write(out / "predicted")
    both.second.predicted.write(out / "predicted-effectivecan")
    comparison_report(
        both,
        out / "report" / _COMPARED,
        first=_FIRST,
        second=_SECOND,
        about={**_about(default), "model": f"{_about(default)['model']}; {_about(other)['model']}"},
        title="Two models compared",
        remark=_remark(other),
        home="index.html",
    )
    return DemoPart(
        (
            show(_FIRST, default, both.first),
            show(_SECOND, other, both.second),
            PageLink(_COMPARED, "Two models compared", _said(both)),
        )
    )


def _missing() -> str | None:
    return missing("The model effectivecan", "neural")


def _train(corpus: Corpus, out: Path, kind: str, seed: int) -> None:
    config = {"annotators": (_ANNOTATOR,), "categories": (_CATEGORY,), **_SETTINGS[kind]}
    train(corpus, out, kind, config, seed=seed)


def _about(model: Model) -> dict[str, str]:
    about = model.about
    return {
        "model": f"{about.kind}, seed {about.seed}",
        "corpus": about.source.name,
        "split": "test",
    }


def _remark(model: Model) -> str:
    return (
        f"This is a demo: a small model, trained on only {model.about.source.charts:,} synthetic "
        "charts so that it takes a minute. The numbers show what is measured, not what the model "
        "reaches on a real corpus."
    )


def _page(which: ComparedModel, model: Model, found: Assessment) -> PageLink:
    f1 = found.codes.metrics["micro_f1"].value or 0.0
    token = found.evidence.oracle["token"].f1.value or 0.0
    return PageLink(
        which.page,
        _TITLES[which.name],
        f"{which.name}, trained on {model.about.source.charts:,} charts. On the "
        f"{found.codes.outcomes.charts:,} test charts: code micro-F1 {f1:.2f}, evidence token F1 "
        f"{token:.2f}",
    )


def _said(found: SystemComparison) -> str:
    every = [*found.codes, *found.evidence]
    differ = sum(one.p_value.value is not None and one.p_value.value < 0.05 for one in every)
    return (
        f"Every metric of both models on the same charts, with paired tests: {differ} of "
        f"{len(every)} differ significantly (p < 0.05)"
    )
