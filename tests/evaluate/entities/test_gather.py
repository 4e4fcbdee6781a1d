"""What cannot be compared: an error that says why, or something that is left out and counted."""

from __future__ import annotations

import warnings
from pathlib import Path

import polars as pl
import pytest
from tests.evaluate.entities.hand import Said, corpus

from auscult.codes.concept import Concept
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, CorpusError, Note, OptionError, Span, Status
from auscult.corpus import Corpus
from auscult.corpus.schema import NOTES
from auscult.evaluate.entities import (
    EntitiesResult,
    as_one,
    evaluate_entities,
    systems_in,
    training_in,
)
from auscult.evaluate.sides import CountedCharts

TEXTS = {"n1": "asthma", "n2": "cold and wet"}
GOLD = corpus("gold", [Said("C1", 0, 6), Said("C2", 0, 4, "n2")], TEXTS)


def remarks(found: EntitiesResult, side: str) -> dict[str, int]:
    return {one.reason: one.count for one in found.remarks[side]}


def quietly(gold: Corpus, system: Corpus, **options: object) -> EntitiesResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_entities(gold, {"s": system}, times=0, **options)  # type: ignore[arg-type]  # passed on


def test_annotations_that_do_not_count_are_counted() -> None:
    rows = [
        Annotation("s", Code("UMLS", "C1"), "chart n1"),
        Annotation("s", Code("UMLS", "C1"), "chart n1", "n1"),
        Annotation("s", Code("UMLS", "C1"), "chart n1", "n1", (Span(2, 2),)),
        Annotation("s", Code("UMLS", "C1"), "chart n1", "n1", (Span(2, 2), Span(3, 3))),
        Annotation("s", Code("UMLS", "C1"), "chart n1", "n1", (Span(0, 6),)),
        Annotation("s", Code("UMLS", "C1"), "chart n1", "n1", (Span(0, 6),)),
        Annotation("s", Code("UMLS", "C1"), "chart n1", "n1", (Span(0, 6),), status=Status.RANKED),
        Annotation("s", Code("UMLS", "C1"), "chart n1", "other", (Span(0, 1),)),
    ]
    system = Corpus.of([Note("other", "chart n1", text="x")], rows)
    found = quietly(GOLD, system)
    assert remarks(found, "s") == {
        "annotations without a span": 2,
        "annotations on notes that are not asked about": 1,
        "annotations whose span has no characters": 2,
        "annotations that repeat a span with the same concept": 1,
    }
    assert found.systems["s"].panel["strict"].counts == (1, 2, 1, 1)
    with pytest.warns(UserWarning, match="s: annotations without a span: 2"):
        evaluate_entities(GOLD, {"s": system}, times=0)


def test_concepts_that_the_vocabulary_does_not_have(tmp_path: Path) -> None:
    vocabulary = Vocabulary.build([Concept(Code("UMLS", "C1"), "Asthma")], tmp_path / "v")
    system = corpus("s", [Said("C77", 0, 6), Said("C78", 0, 4, "n2"), Said("C77", 5, 6)], TEXTS)
    with pytest.warns(
        UserWarning, match=r"s: concepts that the vocabulary does not have: 2 \(UMLS"
    ):
        found = evaluate_entities(GOLD, {"s": system}, vocabulary=vocabulary, times=0)
    assert remarks(found, "GOLD") == {"concepts that the vocabulary does not have": 1}


def test_gold_without_spans_is_an_error() -> None:
    bare = Corpus.of(GOLD.iter_notes(), [Annotation("gold", Code("UMLS", "C1"), "chart n1")])
    with pytest.raises(OptionError, match="GOLD has no annotation with a span"):
        quietly(bare, GOLD)
    with pytest.raises(OptionError, match="The training corpus has no annotation with a span"):
        quietly(GOLD, GOLD, train=bare)


def test_a_span_past_the_text_is_an_error_that_quotes_nothing() -> None:
    system = corpus("s", [Said("C1", 0, 60), Said("C1", 2, 61)], TEXTS)
    with pytest.raises(CorpusError) as error:
        quietly(GOLD, system)
    said = str(error.value)
    assert said.startswith("s: span 0–60 of note 'n1' is past the note's 6 characters (2 spans")
    assert "asthma" not in said


def test_errors_name_the_system() -> None:
    elsewhere = corpus("s", [Said("C1", 0, 1, "far")], {"far": "x"})
    with pytest.raises(OptionError, match="s: None of the 1 charts in SYSTEM"):
        quietly(GOLD, elsewhere)
    other = corpus("s", [Said("C1", 0, 1)], {"n1": "another text"})
    with pytest.raises(CorpusError, match="s: Note n1 has one text in GOLD and another"):
        quietly(GOLD, other)
    two = Corpus.of([], [*GOLD.iter_annotations(), *other.iter_annotations()])
    with pytest.raises(OptionError, match="s has annotations by 2 annotators: gold, s"):
        quietly(GOLD, two)
    with pytest.raises(OptionError, match="no system"):
        evaluate_entities(GOLD, {})


def test_codes_of_another_system_are_said() -> None:
    rows = [Annotation("s", Code("SNOMED", "1"), "chart n1", "n1", (Span(0, 6),))]
    with pytest.warns(UserWarning, match="s has codes of SNOMED and GOLD has codes of UMLS"):
        evaluate_entities(GOLD, {"s": Corpus.of([], rows)}, times=0)


def test_training_on_the_test_notes_is_said() -> None:
    with pytest.warns(UserWarning, match="2 of the 2 notes are in the training corpus too"):
        evaluate_entities(GOLD, {"s": GOLD}, train=GOLD, times=0)


def test_notes_that_count() -> None:
    """A note without gold counts against precision if it was read, or if all notes are to count."""
    gold = corpus("gold", [Said("C1", 0, 6)], TEXTS)
    system = corpus("s", [Said("C1", 0, 6), Said("C2", 0, 4, "n2")], TEXTS)
    assert quietly(gold, system).systems["s"].panel["strict"].counts == (1, 1, 1, 2)
    unread = Corpus(
        gold.lazy_notes.with_columns(pl.lit(None, NOTES["read_by"]).alias("read_by")),
        gold.lazy_all_annotations,
    )
    everything = quietly(unread, system, charts=CountedCharts.ALL)
    assert everything.systems["s"].panel["strict"].counts == (1, 1, 1, 2)
    annotated = quietly(unread, system)
    assert annotated.systems["s"].panel["strict"].counts == (1, 1, 1, 1)
    assert annotated.notes == 1


def test_the_text_of_a_system_serves_gold() -> None:
    bare = corpus("gold", [Said("C2", 0, 12, "n2")], {"n1": None, "n2": None})
    assert quietly(bare, bare).subsets["multi_word"].undefined is not None
    system = corpus("s", [], TEXTS)
    assert quietly(bare, system).subsets["multi_word"].n == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluate_entities(bare, {"a": bare, "b": system}, times=0)
    assert found.subsets["multi_word"].n == 1


def test_gold_of_two_annotators_is_their_union() -> None:
    both = Corpus.of(
        GOLD.iter_notes(),
        [
            Annotation("a", Code("UMLS", "C1"), "chart n1", "n1", (Span(0, 6),)),
            Annotation("b", Code("UMLS", "C9"), "chart n1", "n1", (Span(0, 6),)),
            Annotation("b", Code("UMLS", "C2"), "chart n2", "n2", (Span(0, 4),)),
        ],
    )
    found = quietly(as_one(both, ["a", "b"]), corpus("s", [Said("C9", 0, 6)], TEXTS))
    assert (found.spans, found.several) == (2, 1)
    assert found.rules["any"].systems["s"].value == 1 / 2


def test_cui_less_is_one_in_all_code_systems() -> None:
    gold = corpus("gold", [Said("CUI-less", 0, 6)], TEXTS)
    for code in (Code("MeSH", "CUI-less"), Code("UMLS", "cui-less"), Code("UMLS", "CUI-LESS")):
        rows = [Annotation("s", code, "chart n1", "n1", (Span(0, 6),))]
        found = quietly(gold, Corpus.of([], rows))
        assert found.rules["any"].systems["s"].value == 1
        assert found.systems["s"].cui_less.f1.value == 1


def test_notes_that_gold_says_nothing_of_are_said() -> None:
    read = corpus("gold", [Said("C1", 0, 6)], TEXTS)
    nobody = pl.lit(None, NOTES["read_by"]).alias("read_by")
    gold = Corpus(read.lazy_notes.with_columns(nobody), read.lazy_all_annotations)
    with pytest.warns(
        UserWarning, match="1 of 2 notes have no gold annotation: every prediction on them"
    ):
        evaluate_entities(gold, {"s": GOLD}, times=0, charts=CountedCharts.ALL)
    with pytest.warns(UserWarning, match=r"^Only 1 of 2 charts were read by gold; .*charts='all'"):
        evaluate_entities(gold, {"s": gold}, times=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate_entities(GOLD, {"s": GOLD}, times=0)


def test_a_result_says_what_it_was_made_from(tmp_path: Path) -> None:
    gold = GOLD.write(tmp_path / "gold")
    found = quietly(gold, gold, train=GOLD, seed=3)
    about = found.to_dict()["about"]
    assert isinstance(about, dict)
    assert about["annotator"] == "gold"
    assert (about["bootstrap"], about["seed"], about["notes"]) == (0, 3, "annotated")
    assert len(about["gold"]["digest"]) == 64
    assert about["gold"] == about["systems"]["s"]
    assert len(about["train"]["digest"]) == 64  # of its content: it was never written
    assert about["vocabulary"] is None


def said(*who: str) -> Corpus:
    """A corpus in which each says something."""
    return Corpus.of([], [Annotation(one, Code("UMLS", "C1"), "c") for one in who])


def test_who_annotated_gold_is_no_system() -> None:
    gold = said("gold", "second")
    with pytest.warns(UserWarning, match="with-q: second also annotated GOLD"):
        found = systems_in(said("gold", "second", "q"), gold, ["gold"], called="with-q")
    assert list(found) == ["q"]
    assert found["q"].annotations["annotator"].to_list() == ["q"]
    assert list(systems_in(gold, gold, ["gold"])) == ["second"]
    assert list(systems_in(said("gold"), gold, ["gold"])) == ["gold"]
    every = said("gold", "second", "q")
    assert list(systems_in(every, gold, ["gold"], only=["second"])) == ["second"]
    with pytest.raises(OptionError, match="has no annotations of bob"):
        systems_in(every, gold, ["gold"], only=["bob"])


def test_the_split_that_was_learned_from() -> None:
    notes = [Note(s, s, text="asthma", split=s) for s in ("train", "more", "test")]
    rows = [Annotation("gold", Code("UMLS", "C1"), s, s, (Span(0, 6),)) for s in ("train", "more")]
    corpus = Corpus.of(notes, rows)

    def learned(split: str | None, train_split: str | None = None) -> list[str] | None:
        part = training_in(corpus, "gold", split, train_split)
        return None if part is None else part.chart_ids()

    assert learned("test") == ["train"]
    assert learned("test", "more") == ["more"]
    assert learned("more") == ["train"]
    assert learned(None) is None
    assert learned("train") is None
    assert learned("more", "test") is None  # nothing is annotated there
    with pytest.raises(OptionError, match="which is evaluated too"):
        learned("more", "more")
    with pytest.raises(OptionError, match="no split 'dev'"):
        learned("test", "dev")


def test_a_rule_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="There is no rule 'exactly'"):
        evaluate_entities(GOLD, {"s": GOLD}, rule="exactly")


def test_names_that_mean_something_else() -> None:
    for name in ("GOLD", "average", "pooled", "max"):
        with pytest.raises(OptionError, match=f"No system can be called {name}"):
            evaluate_entities(GOLD, {name: GOLD}, times=0)
