"""Terms by analogy: exchanges of words that go with the same change of the code."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from auscult.coders.fitting import fit
from auscult.coders.labels import LabelSpace
from auscult.coders.lexicon.analogy import Change, Derived, derive
from auscult.coders.lexicon.terms import Terms
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus

PLACES = {"head": "BW2", "neck": "BW3", "knee": "BW4"}
SCANS = {"ct": "0", "mri": "1"}


def scan(kind: str, place: str) -> Code:
    """The code of a scan: its place, and its kind in the last character."""
    return Code("ICD-10-PCS", PLACES[place] + SCANS[kind])


EVERY = sorted(scan(kind, place) for kind, place in product(SCANS, PLACES))
LABELS = LabelSpace(tuple(EVERY), tuple(1 for _ in EVERY))


def known(*scans: tuple[str, str]) -> Mapping[tuple[str, ...], Mapping[int, int]]:
    return {tuple(sorted(one)): {LABELS.index[scan(*one)]: 2} for one in scans}


def test_two_pairs_alike_give_the_fourth_term() -> None:
    terms = known(("ct", "head"), ("mri", "head"), ("ct", "neck"), ("mri", "neck"), ("ct", "knee"))
    assert derive(terms, LABELS) == {
        ("knee", "mri"): {
            LABELS.index[scan("mri", "knee")]: Derived(1.0, contexts=2, charts=2, is_synonym=False)
        }
    }


def test_one_pair_is_chance() -> None:
    assert derive(known(("ct", "head"), ("mri", "head"), ("ct", "knee")), LABELS) == {}


def test_a_code_outside_the_label_space_is_not_made_up() -> None:
    terms = known(("ct", "head"), ("mri", "head"), ("ct", "neck"), ("mri", "neck"), ("ct", "knee"))
    fewer = LabelSpace(tuple(c for c in EVERY if c != scan("mri", "knee")), (1,) * (len(EVERY) - 1))
    moved = {
        key: {fewer.index[LABELS.codes[at]]: charts for at, charts in codes.items()}
        for key, codes in terms.items()
    }
    assert derive(moved, fewer) == {}


def test_words_that_never_change_the_code_are_synonyms_of_any_length() -> None:
    terms = {
        ("ct", "head"): {0: 1},
        ("comput", "head", "tomogr"): {0: 1},
        ("ct", "neck"): {1: 1},
        ("comput", "neck", "tomogr"): {1: 1},
        ("ct", "knee"): {2: 3},
    }
    way = Derived(1.0, contexts=2, charts=3, is_synonym=True)
    assert derive(terms, LABELS) == {("comput", "knee", "tomogr"): {2: way}}


def test_a_rule_that_often_fails_says_so() -> None:
    terms: dict[tuple[str, ...], dict[int, int]] = {
        ("acute", "head"): {0: 1},
        ("chronic", "head"): {0: 1},
        ("acute", "neck"): {1: 1},
        ("chronic", "neck"): {1: 1},
        ("acute", "hip"): {2: 1},
        ("chronic", "hip"): {5: 1},
        ("acute", "knee"): {3: 1},
    }
    assert derive(terms, LABELS)["chronic", "knee"][3].share == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("one", "other"),
    [("M25.551", "M25.562"), ("M25.55", "M25.551"), ("M25.551", "M25.551")],
)
def test_codes_apart_by_other_than_one_character_are_no_change(one: str, other: str) -> None:
    assert Change.between(Code("ICD-10-CM", one), Code("ICD-10-CM", other)) is None


def test_a_change_is_of_its_chapter_and_system() -> None:
    right = Change.between(Code("ICD-10-CM", "M25.551"), Code("ICD-10-CM", "M25.552"))
    assert right is not None
    assert right.of(Code("ICD-10-CM", "M79.601")) == Code("ICD-10-CM", "M79.602")
    assert right.of(Code("ICD-10-CM", "S79.601")) is None
    assert right.of(Code("ICD-10-PCS", "M79.601")) is None
    assert right.of(Code("ICD-10-CM", "M79.60")) is None
    assert right.of(Code("ICD-10-CM", "M79.609")) is None


def test_what_a_fold_taught_gives_it_no_analogy() -> None:
    terms = Terms()
    for fold, (kind, place) in enumerate(product(SCANS, PLACES)):
        if (kind, place) != ("mri", "knee"):
            key = tuple(sorted((kind, place)))
            terms.add(key, key, LABELS.index[scan(kind, place)], chart=fold, fold=fold)
    terms.derive(LABELS)
    found = LABELS.index[scan("mri", "knee")]
    assert found in terms.derived_codes(("knee", "mri"), None)
    assert found in terms.derived_codes(("knee", "mri"), 9)
    assert not terms.derived_codes(("knee", "mri"), 0)
    assert found in terms.all_codes(("knee", "mri"))
    assert ("knee", "mri") in terms.all_keys()


def test_a_wording_never_seen_is_given_its_code() -> None:
    """Every place is "x-rayed" or "radiographed", but for the knee, which was only x-rayed."""
    codes = {place: Code("ICD-10-PCS", f"{stem}0") for place, stem in PLACES.items()}
    notes, annotations = [], []
    for chart in range(90):
        place = list(PLACES)[chart % 3]
        word = "xray" if place == "knee" or chart % 2 else "radiograph"
        text = f"Seen on day {chart % 7}. A {word} of the {place} was taken today. Went home."
        at = text.index(word)
        span = Span(at, text.index(place) + len(place))
        name = f"c{chart}"
        notes.append(Note(f"n{chart}", name, name, text=text))
        annotations.append(Annotation("a", codes[place], name, f"n{chart}", (span,)))
    with pytest.warns(UserWarning, match="no splits"):
        coder = fit(Corpus.of(notes, annotations), "lexicon", dev="none")
    text = "Seen on day 3. A radiograph of the knee was taken today. Went home."
    found = list(coder.code([Note("new", "new", text=text)]))
    assert {one.code for one in found} == {codes["knee"]}
    assert "radiograph of the knee" in [span.of(text) for one in found for span in one.spans]
