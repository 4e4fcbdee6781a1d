"""What holds of concepts whatever the note, worked by hand on a vocabulary of two sources."""

from __future__ import annotations

import math

import pytest

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.models.entities.gold_mentions import GoldMention, MarkedNote, marks_on
from auscult.models.entities.linker.candidates import CandidateFinder, NameSearch
from auscult.models.entities.linker.concept_facts import ConceptFacts
from auscult.models.entities.mention_statistics import MentionStatistics
from auscult.models.entities.name_index import NameIndex

OLD, NEW = "first release", "supplement"
NOTHING = Code("X", "CUI-less")


def code(value: str) -> Code:
    return Code("X", value)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> NameIndex:
    concepts = [
        Concept(code(f"C1{at:04}"), f"old disease {at}", (Synonym(f"old disease {at}", OLD),))
        for at in range(30)
    ]
    concepts += [
        Concept(
            code(f"C9{at:04}"),
            f"new disease {at}",
            (Synonym(f"new disease {at}", NEW), Synonym(f"novel disease {at}", NEW)),
            parents=("C10000",),
        )
        for at in range(30)
    ]
    return NameIndex.of(Vocabulary.build(concepts, tmp_path_factory.mktemp("f") / "two"), ())


def test_names_and_parents(names: NameIndex) -> None:
    facts = ConceptFacts(names)
    assert facts.size(code("C10001")) == 1
    assert facts.size(code("C90001")) == 2
    assert facts.parents(code("C90001")) == (code("C10000"),)
    assert facts.parents(code("C10000")) == ()
    assert (facts.size(code("C0")), facts.parents(code("C0"))) == (0, ())


def test_odds_of_sources_and_blocks(names: NameIndex) -> None:
    odds = ConceptFacts(names).odds([code("C10001"), code("C10002"), code("C10003")])
    usual = 4 / 61
    of_old, of_new = (3 + 20 * usual) / 50, (0 + 20 * usual) / 50
    by_source, by_block = odds.of(code("C10009"))
    assert by_source == pytest.approx(math.log(of_old / usual))
    assert by_block == pytest.approx(math.log((3 + 20 * of_old) / 50 / usual))
    by_source, by_block = odds.of(code("C90009"))
    assert by_source == pytest.approx(math.log(of_new / usual))
    assert by_source < 0 < odds.of(code("C10009"))[0]
    assert by_block < by_source
    assert odds.of(code("elsewhere")) == (0.0, 0.0)


def test_what_is_above_a_name_is_a_candidate_too(names: NameIndex) -> None:
    text = "A new disease 7 was seen."
    note = MarkedNote(Note("n", "c", text=text), marks_on(text, [(Span(2, 15),)]))
    finder = CandidateFinder(NameSearch(names), MentionStatistics.fit([]), nothing=NOTHING)
    (found,) = finder.find(note)
    assert isinstance(found.mark, GoldMention)
    assert found.codes[:2] == (NOTHING, code("C90007"))
    assert code("C10000") in found.codes


@pytest.mark.parametrize("spelled", ["New disease 7", "Newer disease 7"])  # a name, and near one
def test_a_short_form_is_what_its_note_spells_out(names: NameIndex, spelled: str) -> None:
    usual = "ND7 was seen."
    learned = [
        MarkedNote(
            Note(f"n{at}", f"c{at}", text=usual),
            marks_on(usual, {(Span(0, 3),): [code("C10005")]}),
        )
        for at in range(5)
    ]
    finder = CandidateFinder(NameSearch(names), MentionStatistics.fit(learned), nothing=NOTHING)
    for text, meant in ((usual, "C10005"), (f"{spelled} (ND7). ND7 was seen.", "C90007")):
        at = text.rindex("ND7")
        (found,) = finder.find(
            MarkedNote(Note("n", "c", text=text), marks_on(text, [(Span(at, at + 3),)]))
        )
        assert found.codes[1] == code(meant)
