"""Sampling, and what each step leaves out."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Annotation, Code, Note, OptionError
from auscult.corpus import Corpus
from auscult.corpus.combinations import combinations
from auscult.corpus.sampling import SamplingPlan, Strata, sample


def corpus(*given_: str, categories: str = "", who: str = "majority") -> Corpus:
    """A chart of one note for each string, whose letters are its codes."""
    kinds = categories or "x" * len(given_)
    notes = [Note(f"n{i:03}", f"c{i:03}", category=kinds[i]) for i in range(len(given_))]
    said = [
        Annotation(who, Code("ICD-9-CM", letter), f"c{i:03}", f"n{i:03}")
        for i, letters in enumerate(given_)
        for letter in letters
    ]
    return Corpus.of(notes, said)


def steps(corpus: Corpus, **plan: object) -> list[tuple[int, int]]:
    found = sample(corpus, SamplingPlan(**plan))  # type: ignore[arg-type]  # fields by name
    return [(step.removed, step.left) for step in found.steps]


def test_the_funnel_of_the_paper() -> None:
    """Twelve of a category and two of another; half; two without majority; a code that is alone."""
    made = corpus("A", "A", "AB", "", "", "C", "A", "A", "A", "A", "A", "A", "D", "D",
                  categories="x" * 12 + "yy")  # fmt: skip
    whole = steps(made, minimum=3, share=1.0, annotator="majority", coded=True, code_minimum=2)
    assert whole == [(0, 14), (2, 12), (2, 10), (2, 8)]


def test_removing_a_code_may_make_another_rare() -> None:
    """AB goes, since B is alone; then C of CA..., which was in AC and BC, is alone too."""
    assert steps(corpus("A", "A", "B", "BC", "CD"), annotator="majority", code_minimum=2) == [
        (0, 5),
        (3, 2),
    ]


def test_combinations_that_occur_once() -> None:
    found = sample(
        corpus("AB", "AB", "A", "B", "B"), SamplingPlan(annotator="majority", combination_minimum=2)
    )
    left = Counter(combinations(found.corpus, "majority").values())
    assert {"".join(sorted(c.value for c in codes)): n for codes, n in left.items()} == {
        "AB": 2,
        "B": 2,
    }


@given(st.text("xyz", min_size=1, max_size=80), st.integers(1, 100), st.integers(0, 50))
def test_each_category_keeps_its_share_to_within_one(kinds: str, percent: int, seed: int) -> None:
    share = percent / 100
    made = corpus(*[""] * len(kinds), categories=kinds)
    try:
        found = sample(made, SamplingPlan(share=share, seed=seed))
    except OptionError:
        assert round(share * len(kinds)) == 0
        return
    left = Counter(note.category for note in found.corpus.iter_notes())
    for kind, number in Counter(kinds).items():
        assert abs(left[kind] - share * number) < 1 + 1e-9
    assert abs(sum(left.values()) - share * len(kinds)) <= 0.5 + 1e-9
    backwards = Corpus.of(list(made.iter_notes())[::-1])
    again = sample(backwards, SamplingPlan(share=share, seed=seed)).corpus
    assert {n.note_id for n in again.iter_notes()} == {n.note_id for n in found.corpus.iter_notes()}


def test_strata_of_codes_keep_the_proportions_of_combinations() -> None:
    made = corpus(*["A"] * 40, *["AB"] * 20, *["C"] * 10)
    found = sample(made, SamplingPlan(share=0.1, strata="codes", annotator="majority", seed=3))
    left = Counter(combinations(found.corpus, "majority").values())
    assert sorted(left.values()) == [1, 2, 4]


def test_notes_can_be_the_documents() -> None:
    notes = [Note("n1", "c"), Note("n2", "c"), Note("n3", "c")]
    said = [Annotation("ann", Code("CPT", "1"), "c", name) for name in ("n1", "n2")]
    found = sample(
        Corpus.of(notes, said), SamplingPlan(document="note", annotator="ann", coded=True)
    )
    assert [(step.removed, step.left) for step in found.steps] == [(0, 3), (1, 2)]
    assert found.corpus.chart_ids() == ["n1", "n2"]


def test_plans_that_cannot_be() -> None:
    with pytest.raises(OptionError, match="annotator whose codes"):
        sample(corpus("A"), SamplingPlan(coded=True))
    with pytest.raises(OptionError, match="share must be above 0"):
        SamplingPlan(share=0)
    with pytest.raises(OptionError, match="No document is left after: no code of majority"):
        sample(corpus("", "", who="majority"), SamplingPlan(annotator="majority", coded=True))
    made = corpus(*"AAAA", categories="wxyz")
    with pytest.raises(OptionError, match="left after: category of fewer than 2 documents"):
        sample(made, SamplingPlan(annotator="majority", coded=True, minimum=2, share=0.5))


@given(st.lists(st.sampled_from(["A", "B", "AB", "ABC", "C", "CD"]), min_size=1, max_size=40))
def test_nothing_rare_is_left_by_either_rule(letters: list[str]) -> None:
    """Without AB, which is alone, only one B is left: the two rules have to go on together."""
    plan = SamplingPlan(annotator="majority", code_minimum=2, combination_minimum=2)
    try:
        found = sample(corpus(*letters), plan)
    except OptionError:
        assert max(Counter(letters).values()) == 1
        return
    left = combinations(found.corpus, "majority").values()
    assert min(Counter(left).values()) >= 2
    assert min(Counter(code for codes in left for code in codes).values()) >= 2
    assert sum(step.removed for step in found.steps) == len(letters) - len(left)


def test_the_category_of_a_chart_is_that_of_most_of_its_notes() -> None:
    """Eight charts of a discharge summary and two to five nursing notes, and two of one film."""
    notes = [
        Note(f"{c}-{n}", f"c{c}", category="Nursing" if n else "Discharge summary")
        for c in range(8)
        for n in range(3 + c % 4)
    ]
    notes += [Note(f"film{n}", f"f{n}", category="Radiology") for n in range(2)]
    found = sample(Corpus.of(notes), SamplingPlan(minimum=3, share=0.5))
    assert [(step.removed, step.left) for step in found.steps] == [(0, 10), (2, 8), (4, 4)]


def _coded_several(seed: int) -> Corpus:
    """Notes of two categories with none to five codes, of which most are rare."""
    dice = random.Random(seed)
    letters = "ABCDEFGHIJKLMNOPQRST"
    notes, said = [], []
    for at in range(600):
        name = f"n{at:03}"
        notes.append(Note(name, name, category="chest" if dice.random() < 0.7 else "renal"))
        weights = [1 / (1 + rank) for rank in range(len(letters))]
        given_ = sorted(set(dice.choices(letters, weights, k=dice.randint(0, 5))))
        said += [Annotation("gold", Code("ICD-9-CM", one), name, name) for one in given_]
    return Corpus.of(notes, said)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_code_keeps_its_share_though_documents_have_several(seed: int) -> None:
    """Counted by hand for each code; a sample that only looks at the category is further off."""
    whole = _coded_several(seed)
    before = Counter(one.code for one in whole.iter_annotations())

    def furthest(strata: Strata) -> float:
        plan = SamplingPlan(share=0.2, strata=strata, annotator="gold", seed=seed)
        left = Counter(one.code for one in sample(whole, plan).corpus.iter_annotations())
        return max(abs(left[code] - 0.2 * number) for code, number in before.items())

    assert furthest("code") < 3 < furthest("category")
    assert furthest("category+code") < 4
    categories = {note.note_id: note.category for note in whole.iter_notes()}
    plan = SamplingPlan(share=0.2, strata="category+code", annotator="gold", seed=seed)
    kept = Counter(note.category for note in sample(whole, plan).corpus.iter_notes())
    for category, number in Counter(categories.values()).items():
        assert abs(kept[category] - 0.2 * number) < 4
    assert abs(sum(kept.values()) - 120) <= 6
