"""The majority annotation, and each coder against it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from auscult.agreement.majority import Level, Majority, majority
from auscult.agreement.ratings import Ratings
from auscult.agreement.reference import against, scores
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.corpus import Corpus

TABLE = {
    "HOSPITAL": ["AB", "BC", "EF", "ABEF"],
    "COMPANY Y": ["BC", "ABD", "EF", "ACEF"],
    "COMPANY Z": ["AB", "CDE", "E", "CDEF"],
}
"""Table 1 of Pestian et al. 2007: four documents, and a majority of AB, BCD, EF and ACEF."""


def coded(table: dict[str, list[str]]) -> Corpus:
    number = len(next(iter(table.values())))
    notes = [Note(str(at), str(at)) for at in range(number)]
    return Corpus.of(
        notes,
        [
            Annotation(who, Code("ICD-9-CM", value), str(at), str(at))
            for who, rows in table.items()
            for at, row in enumerate(rows)
            for value in row
        ],
    )


def words(found: Majority) -> list[str]:
    rows: dict[str, str] = {}
    for annotation in found.annotations:
        rows[annotation.chart_id] = rows.get(annotation.chart_id, "") + annotation.code.value
    return [rows[key] for key in sorted(rows)]


def test_table_1_of_the_paper() -> None:
    found = majority(coded(TABLE), list(TABLE), votes=2)
    assert words(found) == ["AB", "BCD", "EF", "ACEF"]
    assert (found.units, found.empty, found.ties) == (4, (), ())
    first = found.annotations[0]
    assert (first.annotator, first.note_id) == ("majority", "0")
    assert first.meta == {"votes": "2 of 3", "voters": "HOSPITAL, COMPANY Z"}
    assert words(majority(coded(TABLE), list(TABLE))) == ["AB", "BCD", "EF", "ACEF"]
    assert words(majority(coded(TABLE), list(TABLE), votes=3)) == ["B", "E", "EF"]
    assert words(majority(coded(TABLE), list(TABLE), votes=1)) == ["ABC", "ABCDE", "EF", "ABCDEF"]


def test_ties_and_empty_majorities() -> None:
    corpus = coded({"a": ["A", "AB", "C"], "b": ["B", "AC", "C"]})
    found = majority(corpus, ["a", "b"])
    assert words(found) == ["A", "C"]
    assert [(one.chart_id, one.note_id) for one in found.empty] == [("0", "0")]
    assert [(one.chart_id, str(one.code), one.votes, one.annotators) for one in found.ties] == [
        ("0", "ICD-9-CM A", 1, 2),
        ("0", "ICD-9-CM B", 1, 2),
        ("1", "ICD-9-CM B", 1, 2),
        ("1", "ICD-9-CM C", 1, 2),
    ]
    kept = majority(corpus, ["a", "b"], keep_ties=True)
    assert words(kept) == ["AB", "ABC", "C"]
    assert kept.empty == ()


def test_so_many_votes_leave_no_ties() -> None:
    """Of four coders two are enough when two are asked for, and too few when three are."""
    corpus = coded({"a": ["AB"], "b": ["AB"], "c": ["AC"], "d": ["AC"]})
    names = ["a", "b", "c", "d"]
    assert [str(one.code) for one in majority(corpus, names).ties] == ["ICD-9-CM B", "ICD-9-CM C"]
    two = majority(corpus, names, votes=2)
    assert (words(two), two.ties) == (["ABC"], ())
    three = majority(corpus, names, votes=3)
    assert (words(three), three.ties) == (["A"], ())
    for votes in (2, 3):
        with pytest.raises(OptionError, match="no ties to keep"):
            majority(corpus, names, votes=votes, keep_ties=True)
    assert words(majority(corpus, names, keep_ties=True)) == ["ABC"]


@pytest.mark.filterwarnings("ignore:.*not read")
def test_votes_are_of_those_who_looked() -> None:
    """Chart 1 was seen by two of three, so one vote is half, and two are a majority."""
    corpus = coded({"a": ["A", "AB"], "b": ["A", "A"], "c": ["B", ""]})
    found = majority(corpus, ["a", "b", "c"])
    assert words(found) == ["A", "A"]
    assert [str(one.code) for one in found.ties] == ["ICD-9-CM B"]


def test_evidence_comes_along_when_it_has_the_votes() -> None:
    code = Code("ICD-10-CM", "I10")

    def mark(who: str, *edges: int) -> Annotation:
        return Annotation(who, code, "c", "n", (Span(*edges),))

    marks = [mark("a", 0, 5), mark("b", 0, 5), mark("c", 9, 14)]
    corpus = Corpus.of([Note("n", "c", text="x" * 20)], marks)
    for level in Level:
        [one] = majority(corpus, ["a", "b", "c"], unit=level).annotations
        assert one.spans == (Span(0, 5),)
    corpus = Corpus.of([], [mark("a", 0, 5), mark("b", 1, 5), mark("c", 9, 14)])
    [alone] = majority(corpus, ["a", "b", "c"]).annotations
    assert alone.spans == ()
    assert majority(corpus, ["a", "b", "c"], unit=Level.SPAN).annotations == ()


def test_mistakes() -> None:
    corpus = coded(TABLE)
    for votes in (0, 4):
        with pytest.raises(OptionError, match="from 1 to 3"):
            majority(corpus, list(TABLE), votes=votes)
    with pytest.raises(OptionError, match="already"):
        majority(corpus, list(TABLE), name="HOSPITAL")
    with pytest.raises(OptionError, match=r"no spans to vote on.*unit='note'"):
        majority(corpus, list(TABLE), unit=Level.SPAN)
    with pytest.raises(OptionError, match="Did you mean HOSPITAL"):
        majority(corpus, ["HOSPITL", "COMPANY Y"])


def test_scores_are_scikit_learns_and_the_papers() -> None:
    gold, given = ["AB", "BCD", "EF", "A", ""], ["AB", "BC", "E", "BF", ""]
    found = scores(Ratings.of(list(zip(gold, given, strict=True))))
    truth = [[letter in row for letter in "ABCDEF"] for row in gold]
    said = [[letter in row for letter in "ABCDEF"] for row in given]
    assert found["micro_f1"].value == pytest.approx(f1_score(truth, said, average="micro"))
    over_gold = "macro_f1_as_mean_of_code_f1_over_gold_codes"
    assert found[over_gold].value == pytest.approx(
        f1_score(truth, said, average="macro", zero_division=0)
    )
    # 1 − (0.33 missed + 1 too many) / either, note by note; nothing said by either costs nothing.
    notes = [1, 1 - 0.33 / 3, 1 - 0.33 / 2, 1 - (0.33 + 2) / 3, 1]
    assert found["cost_sensitive"].value == pytest.approx(sum(notes) / 5)


def by_hand(gold: list[str], given: list[str]) -> dict[str, float]:
    """The three numbers that are called macro-F1, by scikit-learn."""
    truth = [[letter in row for letter in "ABCDEF"] for row in gold]
    said = [[letter in row for letter in "ABCDEF"] for row in given]
    f1 = f1_score(truth, said, average=None, zero_division=0)
    precision = precision_score(truth, said, average=None, zero_division=np.nan)
    recall = recall_score(truth, said, average=None, zero_division=np.nan)
    in_gold = np.any(truth, axis=0)
    p, r = np.nanmean(precision[in_gold]), np.nanmean(recall[in_gold])
    return {
        "macro_f1_as_mean_of_code_f1_over_gold_codes": f1[in_gold].mean(),
        "macro_f1_as_mean_of_code_f1_over_all_codes": f1[in_gold | np.any(said, axis=0)].mean(),
        "macro_f1_from_macro_precision_and_recall_where_defined": 2 * p * r / (p + r),
    }


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(*[st.frozensets(st.sampled_from("ABCDEF"), min_size=1)] * 2),
        min_size=2,
        max_size=8,
    )
)
def test_macro_f1_of_any_rows(rows: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    gold, given = (["".join(row[at]) for row in rows] for at in (0, 1))
    if not any(set(one) & set(other) for one, other in rows):
        return
    found = scores(Ratings.of(rows), times=50)
    for name, expected in by_hand(gold, given).items():
        metric = found[name]
        assert metric.value == pytest.approx(expected), name
        assert metric.interval is not None
        assert 0 <= metric.interval[0] <= metric.interval[1] <= 1


def test_macro_f1_has_an_interval_of_charts() -> None:
    """One code that is right in 30 of 40 charts: the interval is that of its F1, and not more."""
    rows = [("A", "A")] * 30 + [("A", "")] * 10
    found = scores(Ratings.of(rows), times=1000)
    macro = found["macro_f1_as_mean_of_code_f1_over_gold_codes"]
    assert macro.value == found["micro_f1"].value
    assert macro.interval == pytest.approx(found["micro_f1"].interval)
    together = Ratings.of(rows * 10, charts=[at % 40 for at in range(400)])
    assert scores(together, times=1000)[macro.name].interval == pytest.approx(macro.interval)
    assert scores(together)[macro.name].interval is None


def test_a_unit_without_a_majority_counts_against_those_who_coded_it() -> None:
    corpus = coded({"a": ["A", "A", "A"], "b": ["B", "A", "A"], "c": ["C", "A", "B"]})
    names = ["a", "b", "c"]
    found = majority(corpus, names)
    assert len(found.empty) == 1
    scored = against(corpus.with_annotations(found.annotations), "majority", names, times=0)
    assert scored["a"]["micro_f1"].value == pytest.approx(2 * 2 / (3 + 2))
    assert scored["c"]["micro_f1"].value == pytest.approx(2 * 1 / (3 + 2))
    assert scored["a"]["cost_sensitive"].value == pytest.approx(2 / 3)
    for one, other in combinations(names, 2):
        assert scored[one].keys() == scored[other].keys()
