"""Vocabularies: what goes in comes out, at once, and a build is whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.codes.concept import Concept, Synonym
from auscult.codes.exclusions import Exclusions
from auscult.codes.vocabulary import Vocabulary, VocabularyError
from auscult.core import AuscultError, Code, OptionError

ASTHMA = Concept(
    Code("UMLS", "C0004096"),
    "Asthma",
    (
        Synonym("Asthma", "SNOMEDCT_US", "PT"),
        Synonym("Bronchial asthma", "SNOMEDCT_US", "SY"),
        Synonym("Asthmatic disorder", "MSH", "ET", 3),
    ),
    ("Disease or Syndrome",),
    (Code("ICD-10-CM", "J45.909"), Code("MeSH", "D001249")),
    ("C0006266",),
)
FEVER = Concept(
    Code("UMLS", "C0015967"),
    "Fever",
    (Synonym("Pyrexia", "SNOMEDCT_US", "SY"), Synonym("Fièvre", "MSHFRE", "MH")),
    ("Sign or Symptom", "Finding"),
)


def synonyms(concept: Concept) -> set[Synonym]:
    return set(concept.synonyms)


def test_a_concept_comes_back_as_it_was(tmp_path: Path) -> None:
    vocabulary = Vocabulary.build([FEVER, ASTHMA], tmp_path / "v", name="small", source="by hand")
    assert len(vocabulary) == 2
    asthma = vocabulary.get("C0004096")
    assert asthma is not None
    assert (asthma.code, asthma.name, asthma.types) == (ASTHMA.code, ASTHMA.name, ASTHMA.types)
    assert (asthma.xrefs, asthma.parents) == (ASTHMA.xrefs, ASTHMA.parents)
    assert synonyms(asthma) == synonyms(ASTHMA)
    assert asthma.sources == ("SNOMEDCT_US", "MSH")
    fever = vocabulary.require("c0015967")
    assert synonyms(fever) == {*FEVER.synonyms, Synonym("Fever")}
    assert vocabulary.get("C0015967", system="MeSH") is None
    assert vocabulary.manifest.name == "small"
    with pytest.raises(OptionError, match="Did you mean C0015967"):
        vocabulary.require("C0015968")


@pytest.mark.parametrize("text", ["FEVER", " fever ", "fièvre", "Fievre", "pyrexia\n"])
def test_names_are_found_in_any_case_accent_and_spacing(tmp_path: Path, text: str) -> None:
    vocabulary = Vocabulary.build([FEVER, ASTHMA], tmp_path / "v")
    assert [concept.id for concept in vocabulary.called(text)] == ["C0015967"]
    assert vocabulary.called(text + " xyz") == []
    assert vocabulary.called("") == []


def test_a_hyphen_in_a_word_is_a_space_elsewhere_it_is_not(tmp_path: Path) -> None:
    names = ["Follow-up", "HIV-", "HIV"]
    concepts = [Concept(Code("x", name), name) for name in names]
    vocabulary = Vocabulary.build(concepts, tmp_path / "v")
    assert [c.id for c in vocabulary.called("follow up")] == ["Follow-up"]
    assert [c.id for c in vocabulary.called("hiv-")] == ["HIV-"]
    assert [c.id for c in vocabulary.called("hiv")] == ["HIV"]


def test_concepts_are_in_order_of_corpus_counts_then_synonyms_then_code(tmp_path: Path) -> None:
    def concept(value: str, texts: list[str], count: int = 0) -> Concept:
        return Concept(Code("x", value), texts[0], tuple(Synonym(t, "", "", count) for t in texts))

    vocabulary = Vocabulary.build(
        [
            concept("b", ["one"]),
            concept("a", ["two"]),
            concept("many", ["three", "four", "five"]),
            # The same string in other spellings is one synonym, not four.
            concept("few", ["six", "Six", "SIX", " six "]),
            concept("seen", ["seven"], count=2),
        ],
        tmp_path / "v",
    )
    assert [found.id for found in vocabulary] == ["seen", "many", "a", "b", "few"]


def test_what_several_sources_say_of_a_concept_is_put_together(tmp_path: Path) -> None:
    more = Concept(
        ASTHMA.code,
        "Asthma bronchiale",
        (Synonym("Asthma bronchiale", "MSHGER", "MH"),),
        ("Finding",),
        (Code("OMIM", "600807"),),
    )
    vocabulary = Vocabulary.build([ASTHMA, FEVER, more], tmp_path / "v")
    found = vocabulary.require("C0004096")
    assert found.name == "Asthma"
    assert found.types == ("Disease or Syndrome", "Finding")
    assert found.xrefs == (*ASTHMA.xrefs, Code("OMIM", "600807"))
    assert synonyms(found) == synonyms(ASTHMA) | synonyms(more)


def test_the_same_id_in_two_systems_is_two_concepts(tmp_path: Path) -> None:
    pair = [Concept(Code(system, "1"), system) for system in ("left", "right")]
    vocabulary = Vocabulary.build(pair, tmp_path / "v")
    for system in ("left", "right"):
        found = vocabulary.get("1", system)
        assert found is not None
        assert found.name == system
        assert vocabulary.number_of(Code(system, "1")) is not None
    assert vocabulary.number_of(Code("middle", "1")) is None


def test_what_cannot_be_taken_is_counted_and_listed(tmp_path: Path) -> None:
    concepts = [
        ASTHMA,
        Concept(Code("x", "bell"), "rings\x07", (Synonym("chimes"),)),
        Concept(Code("x", "blank"), "  ", (Synonym("\t"),)),
        Concept(Code("x", "half"), "half a \ud83d pair"),
    ]
    vocabulary = Vocabulary.build(concepts, tmp_path / "v")
    assert {c.id for c in vocabulary} == {"C0004096", "bell"}
    assert vocabulary.require("bell").name == "chimes"
    left_out = {e.reason: (e.count, e.places) for e in vocabulary.manifest.exclusions}
    assert left_out == {
        "synonyms with control characters": (2, ("x bell", "x half")),
        "synonyms without text": (2, ("x blank", "x blank")),
        "concepts without a usable name": (2, ("x blank", "x half")),
    }


def test_only_the_first_of_many_exclusions_are_listed() -> None:
    exclusions = Exclusions()
    for row in range(1000):
        exclusions.add("no id", f"row {row}")
    (found,) = exclusions.list()
    assert found.count == 1000
    assert found.places[:2] == ("row 0", "row 1")
    assert len(found.places) < 100


WORDS = st.sampled_from(["acute", "Crohn's", "type-2", "(NOS)", "β", "fever", "ﬁstula", "ß", "5%"])
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
CONCEPTS = st.lists(
    st.builds(
        lambda value, texts, kinds: Concept(
            Code("x", value),
            texts[0],
            tuple(Synonym(text, f"S{len(text) % 3}", "T") for text in texts),
            tuple(dict.fromkeys(kinds)),
        ),
        st.text("abc", min_size=1, max_size=3),
        st.lists(NAMES, min_size=1, max_size=4, unique=True),
        st.lists(st.sampled_from(["Finding", "Drug"]), max_size=2),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda concept: concept.code,
)


@settings(max_examples=40, deadline=None)
@given(CONCEPTS)
def test_any_vocabulary_comes_back(
    tmp_path_factory: pytest.TempPathFactory, concepts: list[Concept]
) -> None:
    folder = tmp_path_factory.mktemp("v")
    vocabulary = Vocabulary.build(concepts, folder / "v")
    again = {concept.code: concept for concept in vocabulary}
    assert set(again) == {concept.code for concept in concepts}
    for concept in concepts:
        found = again[concept.code]
        assert (found.name, found.types) == (concept.name, concept.types)
        assert synonyms(found) == synonyms(concept)
        for synonym in concept.synonyms:
            assert concept.code in {c.code for c in vocabulary.called(synonym.text.upper())}
    order = [len({s.text.casefold() for s in c.synonyms}) for c in vocabulary]
    assert order == sorted(order, reverse=True)
    assert Vocabulary.build(concepts, folder / "w").manifest.digest == vocabulary.manifest.digest


def test_a_build_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    def breaking() -> Iterator[Concept]:
        yield ASTHMA
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        Vocabulary.build(breaking(), tmp_path / "v")
    assert list(tmp_path.iterdir()) == []
    Vocabulary.build([FEVER], tmp_path / "v")
    with pytest.raises(OSError, match="gone"):
        Vocabulary.build(breaking(), tmp_path / "v", overwrite=True)
    assert [c.name for c in Vocabulary.open(tmp_path / "v")] == ["Fever"]
    with pytest.raises(OptionError, match="pass overwrite=True"):
        Vocabulary.build([ASTHMA], tmp_path / "v")
    open_before = Vocabulary.open(tmp_path / "v")
    Vocabulary.build([ASTHMA], tmp_path / "v", overwrite=True)
    assert [c.name for c in Vocabulary.open(tmp_path / "v")] == ["Asthma"]
    assert [c.name for c in open_before] == ["Fever"]


def test_nothing_else_is_overwritten_and_nothing_is_no_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").touch()
    with pytest.raises(OptionError, match="is not a vocabulary"):
        Vocabulary.build([ASTHMA], tmp_path / "letters", overwrite=True)
    with pytest.raises(AuscultError, match="No concept in the source has a name"):
        Vocabulary.build([], tmp_path / "v")
    with pytest.raises(OptionError, match="Did you mean english"):
        Vocabulary.build([ASTHMA], tmp_path / "v", language="englisch")
    assert not (tmp_path / "v").exists()


def test_a_killed_build_can_be_made_again(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from auscult.codes.concept import Concept\n"
        "from auscult.codes.vocabulary import Vocabulary\n"
        "from auscult.core import Code\n"
        "def concepts():\n"
        "    for n in range(10**9):\n"
        "        if n == 2000: print('going', flush=True)\n"
        "        yield Concept(Code('x', str(n)), f'name {n}')\n"
        "Vocabulary.build(concepts(), sys.argv[1])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "v")], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"going\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with pytest.raises(VocabularyError, match="no such directory"):
        Vocabulary.open(tmp_path / "v")
    assert len(Vocabulary.build([ASTHMA], tmp_path / "v")) == 1


def test_another_process_sees_the_same(tmp_path: Path) -> None:
    Vocabulary.build([ASTHMA, FEVER], tmp_path / "v")
    script = (
        "import sys\n"
        "from auscult.codes.vocabulary import Vocabulary\n"
        "print(*[c.id for c in Vocabulary.open(sys.argv[1]).called('bronchial asthma')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "v")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "C0004096\n"


def test_damage_is_named(tmp_path: Path) -> None:
    Vocabulary.build([ASTHMA], tmp_path / "v")
    with pytest.raises(VocabularyError, match="no such directory"):
        Vocabulary.open(tmp_path / "w")
    with pytest.raises(VocabularyError, match=r"has no vocabulary\.json"):
        Vocabulary.open(tmp_path)
    texts = tmp_path / "v" / "term_texts.npy"
    whole = texts.read_bytes()
    texts.write_bytes(whole[:-1])
    with pytest.raises(VocabularyError, match=r"term_texts\.npy has .* bytes instead of"):
        Vocabulary.open(tmp_path / "v")
    texts.unlink()
    with pytest.raises(VocabularyError, match=r"term_texts\.npy is missing"):
        Vocabulary.open(tmp_path / "v")
    texts.write_bytes(b"\0" * len(whole))
    with pytest.raises(VocabularyError, match="damaged"):
        Vocabulary.open(tmp_path / "v")
    manifest = tmp_path / "v" / "vocabulary.json"
    said = json.loads(manifest.read_text())
    texts.write_bytes(whole)
    fewer = {name: size for name, size in said["files"].items() if name != "words.npy"}
    manifest.write_text(json.dumps({**said, "files": fewer}))
    with pytest.raises(VocabularyError, match="has no array words"):
        Vocabulary.open(tmp_path / "v")
    manifest.write_text(json.dumps({**said, "layout": 99}))
    with pytest.raises(VocabularyError, match="newer Auscult"):
        Vocabulary.open(tmp_path / "v")
    for broken in ("{", "[]", "{}", '{"layout": "x"}'):
        manifest.write_text(broken)
        with pytest.raises(VocabularyError, match="damaged"):
            Vocabulary.open(tmp_path / "v")


def test_a_hundred_thousand_terms_open_at_once(tmp_path: Path) -> None:
    concepts = (Concept(Code("x", f"{n:06}"), f"name {n} of {n % 977}") for n in range(100_000))
    Vocabulary.build(concepts, tmp_path / "v")
    started = time.perf_counter()
    vocabulary = Vocabulary.open(tmp_path / "v")
    assert vocabulary.called("name 77777 of 594")[0].id == "077777"
    assert time.perf_counter() - started < 1
