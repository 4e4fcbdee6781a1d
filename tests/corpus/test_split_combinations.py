"""Splitting each combination of codes between train and test."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Annotation, Code, Note, OptionError
from auscult.corpus import Corpus
from auscult.corpus.split_combinations import parts_of, split_by_combination

HALVES = {"train": 0.5, "test": 0.5}
THREE = {"train": 0.6, "dev": 0.1, "test": 0.3}
CHARTS = st.lists(st.tuples(st.sampled_from(["", "A", "B", "AB", "ABC", "C", "D"]),
                            st.integers(0, 12)), min_size=1, max_size=60)  # fmt: skip


def corpus(charts: list[tuple[str, int]]) -> Corpus:
    notes = [Note(f"n{i}", f"c{i}", f"p{patient}") for i, (_, patient) in enumerate(charts)]
    said = [
        Annotation("ann", Code("ICD-9-CM", letter), f"c{i}", f"n{i}")
        for i, (letters, _) in enumerate(charts)
        for letter in letters
    ]
    return Corpus.of(notes, said)


def placed(made: Corpus) -> dict[str, str | None]:
    return {note.note_id: note.split for note in made.iter_notes()}


@pytest.mark.filterwarnings("ignore:The requested shares")
@given(CHARTS, st.sampled_from([HALVES, THREE]), st.sampled_from(["chart", "subject"]))
def test_no_combination_is_tested_that_was_not_learned(
    charts: list[tuple[str, int]], shares: dict[str, float], by: str
) -> None:
    if not any(letters for letters, _ in charts):
        charts = [*charts, ("A", 0)]
    try:
        made = split_by_combination(corpus(charts), shares, "ann", by=by, seed=2)  # type: ignore[arg-type]
    except OptionError:
        if by == "chart" and shares is HALVES:
            assert max(Counter(letters for letters, _ in charts).values()) == 1
        return
    splits = placed(made)
    assert set(splits.values()) <= set(shares)
    learned = {letters for i, (letters, _) in enumerate(charts) if splits[f"n{i}"] == "train"}
    assert {letters for letters, _ in charts} == learned
    if by == "subject":
        of_patient: dict[int, set[str | None]] = {}
        for i, (_, patient) in enumerate(charts):
            of_patient.setdefault(patient, set()).add(splits[f"n{i}"])
        assert all(len(names) == 1 for names in of_patient.values())


@pytest.mark.filterwarnings("ignore:The requested shares")
@given(st.lists(st.sampled_from(["A", "B", "AB", "C"]), min_size=5, max_size=80))
def test_each_combination_is_halved(letters: list[str]) -> None:
    charts = [(one, i) for i, one in enumerate(letters)]
    splits = placed(split_by_combination(corpus(charts), HALVES, "ann", by="chart"))
    in_test = Counter(one for i, one in enumerate(letters) if splits[f"n{i}"] == "test")
    for one, number in Counter(letters).items():
        assert in_test[one] in (number // 2, (number + 1) // 2)
        if number == 1:
            assert in_test[one] == 0


def test_rare_combinations_are_not_all_left_to_train() -> None:
    """Of fifty pairs at four to one, some have one in test: about twenty documents."""
    charts = [
        (f"{chr(65 + n // 26)}{chr(97 + n % 26)}", 2 * n + k) for n in range(50) for k in (0, 1)
    ]
    shares = {"train": 0.8, "test": 0.2}
    splits = placed(split_by_combination(corpus(charts), shares, "ann", by="chart"))
    assert sum(name == "test" for name in splits.values()) == 20


def test_order_does_not_matter_and_seeds_do() -> None:
    charts = [("AB"[i % 2], i) for i in range(40)]
    made = corpus(charts)
    backwards = Corpus.of(list(made.iter_notes())[::-1], made.iter_annotations())
    one = placed(split_by_combination(made, HALVES, "ann", by="chart", seed=1))
    assert placed(split_by_combination(backwards, HALVES, "ann", by="chart", seed=1)) == one
    assert placed(split_by_combination(made, HALVES, "ann", by="chart", seed=2)) != one


def test_notes_by_their_own_codes() -> None:
    notes = [Note(f"n{i}", "chart") for i in range(4)]
    said = [Annotation("ann", Code("CPT", "1"), "chart", f"n{i}") for i in range(4)]
    splits = placed(split_by_combination(Corpus.of(notes, said), HALVES, "ann", by="note"))
    assert Counter(splits.values()) == {"train": 2, "test": 2}


def test_what_cannot_be_split_so() -> None:
    made = corpus([("A", 1), ("A", 2)])
    with pytest.raises(OptionError, match="Name one of them train"):
        split_by_combination(made, {"learn": 0.5, "test": 0.5}, "ann")
    with pytest.raises(OptionError, match="bob has no codes"):
        split_by_combination(made, HALVES, "bob")


def test_charts_that_all_differ_cannot_be_split_so() -> None:
    charts = [(letters, i) for i, letters in enumerate(("AB", "BC", "CD", "DE", "A"))]
    with pytest.raises(OptionError, match=r"left for test\. Of 5 documents 5 have a combination"):
        split_by_combination(corpus(charts), HALVES, "ann")


def test_shares_that_are_missed_are_said() -> None:
    """Two alike, of which one is tested, and eight that are not."""
    charts = [(letters, i) for i, letters in enumerate(("A", "A", *"BCDEFGHI"))]
    with pytest.warns(UserWarning, match="train 90% for 50%, test 10% for 50%. Of 10 documents 8"):
        made = split_by_combination(corpus(charts), HALVES, "ann")
    parts = {part.split: part for part in parts_of(made, "ann")}
    assert (parts["train"].documents, parts["train"].combinations) == (9, 9)
    assert (parts["test"].documents, parts["test"].combinations) == (1, 1)
    assert (parts["train"].only_here, parts["test"].only_here) == (8, 0)
