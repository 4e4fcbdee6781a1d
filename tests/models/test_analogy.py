"""Terms by analogy: exchanges of words that go with the same change of the code."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus
from auscult.models.chart_text import read_chart
from auscult.models.examples import Example
from auscult.models.fitting import fit
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.analogy import CodeChange, DerivedTerm, derive
from auscult.models.lexicon.counts import CodeCounts
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.strings import NumberedStrings
from auscult.models.lexicon.term_index import TermIndex
from auscult.models.lexicon.terms import TermTable
from auscult.models.model import Model

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
            LABELS.index[scan("mri", "knee")]: DerivedTerm(
                1.0, contexts=2, charts=2, is_synonym=False
            )
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


def test_a_word_that_is_there_already_is_not_put_in_again() -> None:
    known_terms = known(("ct", "head"), ("mri", "head"), ("ct", "neck"), ("mri", "neck"))
    assert derive({**known_terms, ("ct", "knee", "mri"): {0: 1}}, LABELS) == {}


def test_words_that_never_change_the_code_are_synonyms_of_any_length() -> None:
    terms = {
        ("ct", "head"): {0: 1},
        ("comput", "head", "tomogr"): {0: 1},
        ("ct", "neck"): {1: 1},
        ("comput", "neck", "tomogr"): {1: 1},
        ("ct", "knee"): {2: 3},
    }
    way = DerivedTerm(1.0, contexts=2, charts=3, is_synonym=True)
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
    assert CodeChange.between(Code("ICD-10-CM", one), Code("ICD-10-CM", other)) is None


def test_a_change_is_of_its_chapter_and_system() -> None:
    right = CodeChange.between(Code("ICD-10-CM", "M25.551"), Code("ICD-10-CM", "M25.552"))
    assert right is not None
    assert right.of(Code("ICD-10-CM", "M79.601")) == Code("ICD-10-CM", "M79.602")
    assert right.of(Code("ICD-10-CM", "S79.601")) is None
    assert right.of(Code("ICD-10-PCS", "M79.601")) is None
    assert right.of(Code("ICD-10-CM", "M79.60")) is None
    assert right.of(Code("ICD-10-CM", "M79.609")) is None


def test_what_a_fold_taught_gives_it_no_analogy() -> None:
    terms = TermTable()
    for fold, (kind, place) in enumerate(product(SCANS, PLACES)):
        if (kind, place) != ("mri", "knee"):
            key = tuple(sorted((kind, place)))
            terms.add(key, key, LABELS.index[scan(kind, place)], {fold: 1})
    terms.derive(LABELS)
    found = LABELS.index[scan("mri", "knee")]
    assert found in terms.derived[None]["knee", "mri"]
    assert found in terms.derived[9]["knee", "mri"]
    assert ("knee", "mri") not in terms.derived[0]
    assert ("knee", "mri") in terms.all_keys()
    keys = sorted(terms.all_keys())
    index = TermIndex(terms, keys, len(LABELS), NumberedStrings())
    _, codes = index.all_codes(np.array([keys.index(("knee", "mri"))], np.int32))
    assert found in codes


def learned(**config: bool) -> Model:
    """Learned where scans are taken or refused, by two words, but the knee only by one of them."""
    notes, annotations = [], []
    for chart in range(120):
        place = list(PLACES)[chart % 3]
        word = "xray" if place == "knee" or chart % 2 else "radiograph"
        is_taken = chart % 4 != 3
        done = "was taken today" if is_taken else "was refused by her"
        text = f"Seen on day {chart % 7}. A {word} of the {place} {done}. Went home."
        name = f"c{chart}"
        notes.append(Note(f"n{chart}", name, name, text=text, read_by=("a",)))
        if is_taken:
            span = Span(text.index(word), text.index(place) + len(place))
            annotations.append(Annotation("a", scan("ct", place), name, f"n{chart}", (span,)))
    with pytest.warns(UserWarning, match="no splits"):
        return fit(Corpus.of(notes, annotations), "lexicon", config, dev_split="none")


@pytest.fixture(scope="module")
def model() -> Model:
    return learned()


TAKEN = "Seen on day 3. A radiograph of the knee was taken today. Went home."
REFUSED = "Seen on day 3. A radiograph of the knee was refused by her. Went home."


def test_a_wording_never_seen_is_given_its_code_unless_it_is_denied(model: Model) -> None:
    found = list(model.predict([Note("new", "new", text=TAKEN)]))
    assert {one.code for one in found} == {scan("ct", "knee")}
    assert "radiograph of the knee" in [span.of(TAKEN) for one in found for span in one.spans]
    assert list(model.predict([Note("new", "new", text=REFUSED)])) == []


def test_without_analogies_only_what_was_seen_is_found() -> None:
    without = learned(analogies=False)
    ranked = without.predict([Note("new", "new", text=TAKEN)], ranked=3)
    assert {one.score for one in ranked} == {0.0}
    seen = TAKEN.replace("radiograph", "xray")
    assert {one.code for one in without.predict([Note("new", "new", text=seen)])} == {
        scan("ct", "knee")
    }


def test_a_saved_lexicon_knows_its_analogies(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    notes = [Note("a", "a", text=TAKEN), Note("b", "b", text=REFUSED)]
    found = list(model.predict(notes, ranked=3))
    assert scan("ct", "knee") in {one.code for one in found}
    assert list(again.predict(notes, ranked=3)) == found


def test_a_code_that_only_its_own_fold_has_is_no_candidate() -> None:
    """By analogy or by its name it could be, and would be right: the label space gives it away."""
    made = [
        Example(read_chart(name, [Note(name, name, text="words")]), np.array([at % 2], np.int64))
        for at, name in enumerate("abc")
    ]
    counts = CodeCounts.of(LABELS, GoldEvidence.of_all(made))

    def known(code: int) -> list[bool]:
        return list(map(bool, counts.is_known(np.full(4, code), np.arange(4))))

    assert [known(code)[0] for code in range(3)] == [True, True, False]
    assert known(0) == [True, True, True, True]
    assert known(1) == [True, True, False, True]
