"""Whatever evaluates gives a result: a table, a screen in a terminal, HTML in a notebook."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from tests.audit.test_sensitivity import Becomes

from auscult.agreement.agree import agree
from auscult.agreement.majority import Majority, majority
from auscult.audit.alignment import Alignment, align
from auscult.audit.discrimination import Discrimination
from auscult.audit.predictor import TextPredictor
from auscult.audit.ratings import ClinicianRatings
from auscult.audit.run import Audit
from auscult.audit.sensitivity import sensitivity
from auscult.core import Annotation, Code, Metric, Note, Span
from auscult.core.counts import Counts
from auscult.core.results import COLUMNS, Result
from auscult.corpus import Corpus
from auscult.evaluate import code_metrics, evidence_metrics, pair
from auscult.evaluate.codes import compare_codes
from auscult.evaluate.deid import evaluate_deid
from auscult.evaluate.entities import evaluate_entities
from auscult.evaluate.faithfulness import Faithfulness
from auscult.evaluate.sides import Sides
from auscult.evaluate.system_ranking import analyze, rank_systems
from auscult.evaluate.text.result import evaluate_texts
from auscult.evaluate.text.synthetic import evaluate_synthetic
from auscult.experiment.assessing import assess_predictions
from auscult.experiment.classifier_gap import Gap, GapByValue
from auscult.statistics.anova import two_factor_anova

_TEXT = "SECRET renal failure and cough. "
_CODES = [Code("ICD-10-CM", value) for value in ("I10", "J18.9", "N17.9", "R05")]
_ONE, _OTHER = (Metric(name, "one of two", 0.5, (0.4, 0.6), 2) for name in ("one", "other"))


def said(who: str, seed: int, codes: list[Code] = _CODES) -> Corpus:
    draw = random.Random(seed)
    notes = [Note(f"n{at}", f"c{at}", category="Nursing", text=_TEXT) for at in range(12)]
    marks = [
        Annotation(who, code, note.chart_id, note.note_id, (Span(7, 12),), 0.5)
        for note in notes
        for code in codes
        if draw.random() < 0.7
    ]
    return Corpus.of(notes, marks)


def sides(codes: list[Code] = _CODES) -> Sides:
    return pair(said("gold", 0, codes), said("model", 1, codes))


def _answers(seed: int) -> dict[str, frozenset[Code]]:
    found: dict[str, set[Code]] = {f"c{at}": set() for at in range(12)}
    for one in said("x", seed).iter_annotations():
        found[one.chart_id].add(one.code)
    return {chart: frozenset(codes) for chart, codes in found.items()}


def _ranking() -> Result:
    return rank_systems(_answers(0), {"ours": _answers(1), "theirs": _answers(2)}, times=20)


def _compared() -> Result:
    one = code_metrics(sides(), times=0)
    return compare_codes(one, one, times=20)[0]


def _synthetic() -> Result:
    def written(texts: list[str]) -> Corpus:
        ids = [f"r{at}" for at in range(len(texts))]
        notes = [Note(i, i, text=t, split="test") for i, t in zip(ids, texts, strict=True)]
        table = {"record_id": ids, "chart_id": ids, "sex": ["F", "M"] * (len(ids) // 2)}
        return Corpus.of(notes, records=pl.DataFrame(table))

    texts = ["secret pain left", "fever cough", "secret fall", "fever"] * 3
    with pytest.warns(UserWarning, match="memorization is not measured"):
        return evaluate_synthetic(written(texts), written(texts[::-1]), bootstrap=20)


def _audit() -> Audit:
    """Of a model that goes by one word, which is of the notes and must not show in a terminal."""
    charts = list(Corpus.of(said("a", 0).iter_notes()).charts())
    predictor = TextPredictor(lambda text: 0.9 if "SECRET" in text else 0.1)
    found = sensitivity(
        predictor, charts, Code("outcome", "x"), ["SECRET", "renal", "absent"], [Becomes(["pain"])],
        times=20, case=True,
    )  # fmt: skip
    ratings = ClinicianRatings({"SECRET": 1.0, "renal": 2.0})
    return Audit(found, align(found, ratings), found, align(found, ratings), _ONE)


def _both() -> Corpus:
    """Two annotators of the same notes."""
    given = [*said("a", 0).iter_annotations(), *said("b", 1).iter_annotations()]
    return Corpus.of(said("a", 0).iter_notes(), given)


def _gap() -> Result:
    sides = {"accuracy": _ONE, "macro_f1": _OTHER}
    rows = (
        GapByValue("burn", 3, Counts(2, 1, 1), Counts(0, 0, 3)),
        GapByValue("fall", 2, Counts(1, 1, 1), Counts(1, 0, 1)),
    )
    return Gap("diagnosis", sides, sides, sides, rows)


_MADE: dict[str, Callable[[], Result]] = {
    "codes": lambda: code_metrics(sides(), seen={_CODES[0]: 3}, times=20),
    "matching": lambda: code_metrics(sides(), times=20).micro,
    "evidence": lambda: evidence_metrics(sides(), times=20),
    "deid": lambda: evaluate_deid(sides([Code("PHI", "NAME"), Code("PHI", "DATE")]), times=20),
    "faithfulness": lambda: Faithfulness(_ONE, _OTHER, ()),
    "ranking": _ranking,
    "comparison": _compared,
    "anova": lambda: two_factor_anova(np.array([[0.9, 0.8, 0.4], [0.7, 0.7, 0.1]])),
    "texts": lambda: evaluate_texts([tuple("abcd")] * 3, [tuple("abed")] * 3, times=20),
    "synthetic": _synthetic,
    "majority": lambda: majority(_both()),
    "assessment": lambda: assess_predictions(said("gold", 0), said("model", 1), times=20),
    "gap": _gap,
    "agreement": lambda: agree(
        _both(),
        ["a", "b"],
        times=20,
    ),
    "entities": lambda: evaluate_entities(
        said("gold", 0), {"ours": said("ours", 1), "theirs": said("theirs", 2)}, times=20
    ),
    "sensitivity": lambda: _audit().found,
    "audit": lambda: _audit(),
    "alignment": lambda: Alignment(_ONE, _OTHER, ()),
    "discrimination": lambda: Discrimination(9, 3, _ONE, _OTHER),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", _MADE)
def test_every_result_is_a_table_and_shows_itself(name: str) -> None:
    result = _MADE[name]()
    table = result.to_polars()
    assert tuple(table.columns[-len(COLUMNS) :]) == COLUMNS
    assert table.height
    # Every metric has a value or says why not, and a row is told apart from the others.
    assert (table["value"].is_null() == table["undefined"].is_not_null()).all()
    assert table.drop("value", "low", "high", "n", "definition", "undefined").is_unique().all()
    assert len(result.to_pandas()) == table.height
    shown = repr(result).splitlines()
    assert len(shown) <= 24
    assert max(map(len, shown)) <= 80
    assert "…" not in repr(result)
    assert shown[0].startswith(type(result).__name__)
    html = result._repr_html_()
    assert html.startswith("<p><b>")
    assert "secret" not in repr(result).lower()
    assert ("secret" in html.lower()) == ("quotes text of clinical notes" in html)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_assessment_shows_codes_and_evidence() -> None:
    shown = repr(_MADE["assessment"]())
    head, *lines = shown.splitlines()
    assert head == "Assessment: model against gold, 11 charts, 4 codes"
    assert any(line.startswith("  codes · micro_f1") for line in lines)
    assert any(line.startswith("  evidence · end_to_end · token · f1") for line in lines)


def test_a_majority_counts_what_it_decided() -> None:
    found = majority(_both())
    table = found.to_polars()
    row = table.row(by_predicate=pl.col("name") == "with_majority", named=True)
    assert row["value"] == (found.units - len(found.empty)) / found.units
    assert row["n"] == found.units == 12
    codes = table.filter(pl.col("name") == "with_code")
    assert round(sum(codes["value"]) * found.units) == len(found.annotations)
    assert repr(found).startswith(f"Majority: {len(found.annotations)} annotations on 12 notes, ")
    nothing = Majority((), 0, (), (), None)
    assert nothing.to_polars()["undefined"].to_list() == ["no annotator annotated anything"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_are_those_of_the_metrics() -> None:
    result = code_metrics(sides(), times=20)
    table = result.to_polars()
    row = table.row(by_predicate=pl.col("name") == "micro_f1", named=True)
    metric = result.metrics["micro_f1"]
    assert (row["value"], (row["low"], row["high"])) == (metric.value, metric.interval)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_ranking_and_its_analysis_name_the_systems() -> None:
    ranking = rank_systems(_answers(0), {"ours": _answers(1), "theirs": _answers(2)}, times=20)
    table = ranking.to_polars()
    assert set(table["system"]) == {"ours", "theirs"}
    assert set(table["rank"]) <= {1, 2}
    analysis = analyze(ranking)
    found = analysis.to_polars()
    assert set(found["name"]) >= {"difference", "p_value", "p_value_corrected", "f_ratio"}
    assert "ours" in repr(analysis)
