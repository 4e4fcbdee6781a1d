"""Splits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Note, OptionError
from auscult.corpus import Corpus
from auscult.corpus.split import split_at_random, split_by_list

SHARES = {"train": 0.7, "dev": 0.15, "test": 0.15}


def placed(corpus: Corpus) -> dict[str, str | None]:
    return {note.note_id: note.split for note in corpus.iter_notes()}


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), min_size=1, max_size=60),
    st.integers(0, 99),
)
def test_a_patient_stays_together_and_order_does_not_matter(
    owners: list[tuple[int, int]], seed: int
) -> None:
    notes = [Note(f"n{i}", f"c{p}.{c}", f"p{p}") for i, (p, c) in enumerate(owners)]
    made = split_at_random(Corpus.of(notes), SHARES, seed=seed)
    splits: dict[str | None, set[str | None]] = {}
    for note in made.iter_notes():
        splits.setdefault(note.subject_id, set()).add(note.split)
    assert all(len(names) == 1 and None not in names for names in splits.values())
    again = split_at_random(Corpus.of(notes[::-1]), SHARES, seed=seed)
    assert placed(again) == placed(made)


def test_a_chart_stays_together_when_only_some_of_its_notes_name_the_patient() -> None:
    """As after a merge of notes with evidence that came without the patients."""
    notes = [
        Note(f"{chart}-{at}", str(chart), subject_id=f"p{chart // 2}" if at == 1 else None)
        for chart in range(40)
        for at in range(3)
    ]
    made = split_at_random(Corpus.of(notes), {"train": 0.5, "test": 0.5})
    splits = {(int(note.chart_id) // 2, note.split) for note in made.iter_notes()}
    assert len(splits) == 20
    assert {split for _, split in splits} == {"train", "test"}


def test_shares_are_kept_and_seeds_differ() -> None:
    corpus = Corpus.of([Note(f"n{i}", f"c{i}", f"p{i}") for i in range(200)])
    made = placed(split_at_random(corpus, SHARES, seed=1))
    assert [sum(s == name for s in made.values()) for name in SHARES] == [140, 30, 30]
    assert placed(split_at_random(corpus, SHARES, seed=2)) != made


def test_by_list() -> None:
    corpus = Corpus.of([Note("n1", "c1"), Note("n2", "c2"), Note("n3", "c3")])
    made = split_by_list(corpus, {"train": ["c1", "elsewhere"], "test": ["c3"]})
    assert placed(made) == {"n1": "train", "n2": None, "n3": "test"}


def test_what_cannot_be_is_said() -> None:
    corpus = Corpus.of([Note("n1", "c1")])
    with pytest.raises(OptionError, match=r"sum to 1; got train=0\.5"):
        split_at_random(corpus, {"train": 0.5})
    with pytest.raises(OptionError, match="c1 is in the lists of a and b"):
        split_by_list(corpus, {"a": ["c1"], "b": ["c1"]})
    with pytest.raises(OptionError, match="None of the 1 ids"):
        split_by_list(corpus, {"a": ["p1"]})


@pytest.mark.parametrize("share", [float("nan"), float("inf"), 0.0, -1.0, 2.0])
def test_a_share_that_is_none(share: float) -> None:
    corpus = Corpus.of([Note("n", "c")])
    with pytest.raises(OptionError, match="positive and sum to 1"):
        split_at_random(corpus, {"train": share})


def test_without_notes_there_is_nothing_to_split() -> None:
    with pytest.raises(OptionError, match="has no notes"):
        split_at_random(Corpus.of(), {"train": 1.0})
    with pytest.raises(OptionError, match="has no notes"):
        split_by_list(Corpus.of(), {"train": ["c"]})
