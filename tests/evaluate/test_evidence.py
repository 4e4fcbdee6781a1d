"""The four evidence metrics, against worked examples, a naive implementation, and properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.naive import evidence_counts

from auscult.core import Annotation, Code, CorpusError, Note, OptionError, Span, Status
from auscult.core.counts import Counts
from auscult.corpus import Corpus, formats
from auscult.corpus.schema import NOTES as SCHEMA
from auscult.evaluate import CountedCharts, EvidenceResult, evidence_metrics, pair
from auscult.evaluate.evidence_cleaning import merged, trimmed

MEASURES = ("token", "span", "token_pi", "span_pi")
HTN, AKI = Code("ICD-9-CM", "401.9"), Code("ICD-9-CM", "584.9")
TEXT = "Hypertension, acute renal failure. Renal failure resolved; BP 140/80."


def say(
    who: str, *said: tuple[Code, int, int], note: str = "n1", chart: str = "c1"
) -> list[Annotation]:
    return [Annotation(who, code, chart, note, (Span(b, e),)) for code, b, e in said]


def _names(annotations: Sequence[Annotation]) -> tuple[str, ...]:
    return tuple({annotation.annotator for annotation in annotations})


def corpus(annotations: list[Annotation], texts: dict[str, str | None] | None = None) -> Corpus:
    known: dict[str, str | None] = {"n1": TEXT} if texts is None else texts
    who = _names(annotations)
    notes = [Note(n, f"c{n[1:]}", text=text, read_by=who) for n, text in known.items()]
    return Corpus.of(notes, annotations)


def evaluated(gold: Corpus, predicted: Corpus, **options: object) -> EvidenceResult:
    return evidence_metrics(pair(gold, predicted), times=0, **options)  # type: ignore[arg-type]  # flags


def counts(found: EvidenceResult) -> dict[str, Counts | None]:
    return {name: found.metrics[name].counts for name in MEASURES}


def test_worked_example() -> None:
    """Gold "Hypertension" and "acute renal failure"; predicted "renal failure" twice, "acute"."""
    gold = corpus(say("gold", (HTN, 0, 12), (AKI, 14, 33)))
    predicted = corpus(say("model", (AKI, 20, 33), (AKI, 35, 48), (HTN, 14, 19)))
    assert counts(evaluated(gold, predicted)) == {
        # right: renal, failure; wrong: the second two, and acute, whose code is another's
        "token": Counts(2, 3, 2),
        "span": Counts(0, 3, 2),
        # both "renal failure" are the same two words
        "token_pi": Counts(2, 1, 2),
        "span_pi": Counts(0, 2, 2),
    }


def test_what_was_only_ranked_is_no_gold() -> None:
    given, ranked = say("model", (HTN, 0, 12), (AKI, 14, 33))
    said = corpus([given, replace(ranked, status=Status.RANKED)])
    assert counts(evaluated(said, said)) == dict.fromkeys(MEASURES, Counts(1, 0, 0))


def test_position_does_not_matter_where_it_should_not() -> None:
    gold, predicted = say("gold", (AKI, 20, 33)), say("model", (AKI, 35, 48))
    found = counts(evaluated(corpus(gold), corpus(predicted)))
    assert found["span"] == Counts(0, 1, 1)
    assert found["span_pi"] == Counts(1, 0, 0)  # "renal failure" and "Renal failure"
    assert found["token_pi"] == Counts(2, 0, 0)


def test_half_a_word_is_its_token_and_not_its_word() -> None:
    """As MDACE's evaluator has it: a token is where it begins."""
    found = counts(evaluated(corpus(say("gold", (HTN, 0, 12))), corpus(say("model", (HTN, 0, 5)))))
    assert found["token"] == Counts(1, 0, 0)
    assert found["token_pi"] == Counts(0, 1, 1)


def test_code_system_counts() -> None:
    other = Code("ICD-9-PCS", "401.9")
    found = counts(evaluated(corpus(say("g", (HTN, 0, 12))), corpus(say("p", (other, 0, 12)))))
    assert set(found.values()) == {Counts(0, 1, 1)}


def test_numbers_above_ten_are_no_tokens_and_superscripts_do_no_harm() -> None:
    text = "BMI 31 kg/m² 5² 7"
    gold = corpus(say("g", (HTN, 0, len(text))), {"n1": text})
    assert counts(evaluated(gold, corpus(say("p", (HTN, 0, 6)), {"n1": text})))["token"] == Counts(
        1,
        0,
        4,  # bmi; kg, m², 5², 7
    )


def test_saying_it_twice_changes_nothing() -> None:
    once, twice = say("p", (AKI, 14, 33)), say("p", (AKI, 14, 33), (AKI, 14, 33), (AKI, 20, 33))
    gold = corpus(say("g", (AKI, 14, 33)))
    assert counts(evaluated(gold, corpus(once)))["token"] == Counts(3, 0, 0)
    assert counts(evaluated(gold, corpus(twice)))["token"] == Counts(3, 0, 0)
    assert counts(evaluated(gold, corpus(twice)))["span"] == Counts(1, 1, 0)


def test_a_chart_without_predictions_is_all_missed() -> None:
    texts: dict[str, str | None] = {"n1": TEXT, "n2": TEXT}
    gold = corpus(say("g", (AKI, 14, 33)) + say("g", (HTN, 0, 12), note="n2", chart="c2"), texts)
    with pytest.warns(UserWarning, match="1 of 2 charts have no predictions"):
        sides = pair(gold, corpus(say("p", (AKI, 14, 33))))
    found = evidence_metrics(sides, times=0)
    assert counts(found)["token"] == Counts(3, 0, 1)
    assert found.per_chart()["token_fn"].to_list() == [0, 1]


def test_nothing_predicted_at_all() -> None:
    with pytest.warns(UserWarning, match="no predictions"):
        found = evaluated(corpus(say("g", (AKI, 14, 33))), corpus([]))
    span = found.metrics["span"]
    assert span.counts == Counts(0, 0, 1)
    assert (span.recall.value, span.f1.value) == (0.0, 0.0)
    assert span.precision.undefined == "nothing was predicted"


def test_charts_that_gold_does_not_know() -> None:
    both: dict[str, str | None] = {"n1": TEXT, "n2": TEXT}
    gold = corpus(say("g", (AKI, 14, 33)))
    more = corpus(say("p", (AKI, 14, 33)) + say("p", (AKI, 14, 33), note="n2", chart="c2"), both)
    assert counts(evaluated(gold, more))["span"] == Counts(1, 0, 0)
    everything = pair(gold, more, charts=CountedCharts.UNION)
    assert counts(evidence_metrics(everything, times=0))["span"] == Counts(1, 1, 0)


def test_charts_without_gold_annotations() -> None:
    both: dict[str, str | None] = {"n1": TEXT, "n2": TEXT}
    gold = corpus(say("g", (AKI, 14, 33)), both)
    more = corpus(say("p", (AKI, 14, 33)) + say("p", (AKI, 14, 33), note="n2", chart="c2"), both)
    assert counts(evaluated(gold, more))["span"] == Counts(1, 1, 0)
    unread = Corpus(
        gold.lazy_notes.with_columns(pl.lit(None, SCHEMA["read_by"]).alias("read_by")),
        gold.lazy_all_annotations,
    )
    with pytest.warns(UserWarning, match="Only 1 of 2 charts were read by g; the others are left"):
        annotated = pair(unread, more)
    assert counts(evidence_metrics(annotated, times=0))["span"] == Counts(1, 0, 0)
    everything = pair(unread, more, charts=CountedCharts.ALL)
    assert counts(evidence_metrics(everything, times=0))["span"] == Counts(1, 1, 0)


def test_end_to_end_and_oracle() -> None:
    """A wrong code's evidence counts end to end only; what is below, for gold's codes only."""
    below = [replace(a, status=Status.RANKED) for a in say("p", (HTN, 0, 12))]
    gold = corpus(say("g", (HTN, 0, 12), (AKI, 14, 33)))
    wrong = Code("ICD-9-CM", "585.9")
    found = evaluated(gold, corpus(say("p", (AKI, 14, 33), (wrong, 35, 48)) + below))
    assert found.metrics["span"].counts == Counts(1, 1, 1)
    assert found.oracle["span"].counts == Counts(2, 0, 0)
    assert found.oracle["span"].f1.value == 1.0


def test_single_and_multi_token_apart() -> None:
    gold = corpus(say("g", (HTN, 0, 12), (AKI, 14, 33)))
    found = evaluated(gold, corpus(say("p", (HTN, 0, 12), (AKI, 20, 33))))
    assert found.by_length["single_token"].counts == Counts(1, 0, 0)
    assert found.by_length["multi_token"].counts == Counts(0, 1, 1)
    assert found.by_length["no_token"].counts == Counts(0, 0, 0)


def test_by_category_and_only_one_category() -> None:
    notes = [
        Note("n1", "c1", category="Echo", text=TEXT),
        Note("n2", "c1", category="ECG", text=TEXT),
    ]
    gold = Corpus.of(notes, say("g", (HTN, 0, 12)) + say("g", (AKI, 14, 33), note="n2"))
    predicted = Corpus.of(notes, say("p", (HTN, 0, 12)) + say("p", (AKI, 20, 33), note="n2"))
    found = evaluated(gold, predicted)
    assert found.by_category["Echo"]["token"].counts == Counts(1, 0, 0)
    assert found.by_category["ECG"]["token"].counts == Counts(2, 0, 1)
    only = evidence_metrics(pair(gold, predicted, note_category=["ECG"]), times=0)
    assert only.metrics["token"].counts == Counts(2, 0, 1)
    with pytest.raises(OptionError, match="Did you mean Echo"):
        pair(gold, predicted, note_category=["Ecco"])


def test_split() -> None:
    notes = [Note(f"n{i}", f"c{i}", text=TEXT, split=s) for i, s in ((1, "dev"), (2, "test"))]
    gold = Corpus.of(notes, say("g", (HTN, 0, 12)) + say("g", (HTN, 0, 12), note="n2", chart="c2"))
    predicted = Corpus.of([], say("p", (HTN, 0, 12), note="n2", chart="c2"))
    for split in ("test", ["c2"]):
        found = evidence_metrics(pair(gold, predicted, split=split), times=0)
        assert (found.charts, counts(found)["span"]) == (1, Counts(1, 0, 0))
    with pytest.raises(OptionError, match="There is no split 'train'"):
        pair(gold, predicted, split="train")


def test_discontinuous_spans_count_part_by_part() -> None:
    apart = Annotation("g", AKI, "c1", "n1", (Span(14, 19), Span(26, 33)))
    found = counts(evaluated(corpus([apart]), corpus(say("p", (AKI, 14, 19)))))
    assert found["span"] == Counts(1, 0, 1)
    assert found["token"] == Counts(1, 0, 1)


def test_text_from_the_other_side() -> None:
    without: dict[str, str | None] = {"n1": None}
    gold, predicted = say("g", (HTN, 0, 12)), say("p", (HTN, 0, 12))
    for left, right in ((None, without), (without, None)):
        found = evaluated(corpus(gold, left), corpus(predicted, right))
        assert set(counts(found).values()) == {Counts(1, 0, 0)}


def test_without_text_only_spans_are_defined() -> None:
    without: dict[str, str | None] = {"n1": None}
    found = evaluated(
        corpus(say("g", (HTN, 0, 12)), without), corpus(say("p", (HTN, 0, 12)), without)
    )
    assert counts(found) == dict.fromkeys(MEASURES) | {"span": Counts(1, 0, 0)}
    assert "2 of 2 spans" in (found.metrics["token"].f1.undefined or "")
    assert found.to_dict()["token"]["f1"] is None  # type: ignore[index]  # it is a dictionary


def test_quotes_serve_where_there_is_no_text() -> None:
    def quoted(who: str, quote: str) -> Corpus:
        one = replace(say(who, (HTN, 0, len(quote)))[0], meta={"quote": quote})
        return corpus([one], {"n1": None})

    found = counts(evaluated(quoted("g", "Hypertension."), quoted("p", "Hypertension"), trim=True))
    assert set(found.values()) == {Counts(1, 0, 0)}


def test_trim_and_merge() -> None:
    text = "acute,\n renal) failure - chronic"
    gold = corpus(say("g", (AKI, 0, 22)), {"n1": text})
    parts = say("p", (AKI, 0, 6), (HTN, 3, 9), (AKI, 7, 14), (AKI, 14, 25))
    predicted = corpus(parts, {"n1": text})
    assert counts(evaluated(gold, predicted))["span"] == Counts(0, 4, 1)
    # the three of AKI become "acute,\n renal) failure - ", and trimming takes " - " off
    both = evaluated(gold, predicted, trim=True, merge_adjacent=True)
    assert counts(both)["span"] == Counts(1, 1, 0)
    bare = corpus(say("g", (AKI, 0, 5)), {"n1": None})
    with pytest.raises(OptionError, match="merge_adjacent needs the text"):
        evaluated(bare, bare, merge_adjacent=True)
    with pytest.raises(OptionError, match=r"^trim needs the text"):
        evaluated(bare, bare, trim=True)


def test_merging_never_shrinks() -> None:
    assert merged([Span(0, 19), Span(6, 11)], "acute renal failure") == (Span(0, 19),)


def test_mistakes_are_told_without_quoting() -> None:
    gold = corpus(say("g", (HTN, 0, 12)))
    with pytest.raises(CorpusError, match="PREDICTED: span 60–900 of note n1") as told:
        evaluated(gold, corpus(say("p", (HTN, 60, 900))))
    assert "BP" not in str(told.value)
    with pytest.raises(CorpusError, match="one text in GOLD and another"):
        pair(gold, corpus(say("p", (HTN, 0, 12)), {"n1": TEXT + " "}))
    with pytest.raises(CorpusError, match="belongs to chart c1 in GOLD and to c9"):
        pair(gold, Corpus.of([Note("n1", "c9")], say("p", (HTN, 0, 12), chart="c9")))
    with pytest.raises(OptionError, match="None of the 1 charts in PREDICTED"):
        pair(gold, Corpus.of([], say("p", (HTN, 0, 12), note="m", chart="elsewhere")))
    with pytest.raises(OptionError, match=r"2 annotators: a, b.* annotator=NAME"):
        pair(corpus(say("a", (HTN, 0, 12)) + say("b", (HTN, 0, 12))), gold)
    with pytest.raises(OptionError, match="no annotator in GOLD 'gg'"):
        pair(gold, gold, annotator="gg")


CODES = st.sampled_from([HTN, AKI, Code("CPT", "1")])
NOTES = {"n1": "c1", "n2": "c1", "n3": "c2", "n4": "c3"}
WORDS = st.lists(
    st.sampled_from(["Renal", "renal", "failure", "5²", "12", "7", "(a", "b)", "-", ",", "/", "É"]),
    min_size=1,
    max_size=12,
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, str], list[Annotation], list[Annotation]]:
    """Texts of four notes in three charts, and two annotators' annotations on them."""
    texts = {note: " ".join(draw(WORDS)) for note in NOTES}

    def annotations(who: str) -> list[Annotation]:
        found = []
        for _ in range(draw(st.integers(0, 8))):
            note = draw(st.sampled_from(list(NOTES)))
            begin = draw(st.integers(0, len(texts[note])))
            end = draw(st.integers(begin, len(texts[note])))
            found += say(who, (draw(CODES), begin, end), note=note, chart=NOTES[note])
        return found

    return texts, annotations("g"), annotations("p")


def made(texts: dict[str, str], annotations: list[Annotation]) -> Corpus:
    notes = [Note(n, NOTES[n], text=text, read_by=("g", "p")) for n, text in texts.items()]
    return Corpus.of(notes, annotations)


@pytest.mark.filterwarnings("ignore:.*no predictions")
@settings(max_examples=60, deadline=None)
@given(cases(), st.booleans())
def test_same_counts_as_the_naive_implementation(
    case: tuple[dict[str, str], list[Annotation], list[Annotation]], trim: bool
) -> None:
    texts, gold, predicted = case
    # The published evaluator stops at `5²`, which is a digit to it and no number.
    texts = {note: text.replace("5²", "52") for note, text in texts.items()}
    found = evaluated(made(texts, gold), made(texts, predicted), trim=trim)
    naive = evidence_counts(gold, predicted, texts, ["c1", "c2", "c3"], trimmed=trim)
    assert counts(found) == {name: Counts(*naive[name]) for name in MEASURES}


@pytest.mark.filterwarnings("ignore:.*no predictions")
@settings(max_examples=25, deadline=None)
@given(cases(), st.booleans(), st.booleans(), st.randoms())
def test_properties(
    case: tuple[dict[str, str], list[Annotation], list[Annotation]],
    trim: bool,
    merge: bool,
    dice: object,
) -> None:
    texts, gold, predicted = case
    options = {"trim": trim, "merge_adjacent": merge}
    one, other = made(texts, gold), made(texts, predicted)
    perfect = evaluated(one, one, **options)
    for name in MEASURES:
        for ratio in ("precision", "recall", "f1"):
            metric = getattr(perfect.metrics[name], ratio)
            assert metric.value == 1.0 or metric.undefined
    there, back = counts(evaluated(one, other, **options)), counts(evaluated(other, one, **options))
    for name in MEASURES:
        forward, backward = there[name], back[name]
        assert forward is not None
        assert backward == Counts(forward.tp, forward.fn, forward.fp)
    shuffled = list(predicted)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    assert counts(evaluated(one, made(texts, shuffled), **options)) == there


@given(st.text(alphabet="ab -.,/()\n", max_size=12))
def test_trimming_again_changes_nothing(covered: str) -> None:
    kept = trimmed(covered).of(covered)
    assert trimmed(kept).of(kept) == kept


@pytest.mark.real
def test_mdace_against_itself(shared_data: Path) -> None:
    gold = formats.read("mdace", shared_data / "mdace" / "data" / "Inpatient" / "ICD-10")
    texts = {note.note_id: "word " * 20_000 for note in gold.iter_notes()}
    filled = Corpus.of(
        [replace(n, text=texts[n.note_id][: 5 * 16_000]) for n in gold.iter_notes()],
        gold.iter_annotations(),
    )
    found = evidence_metrics(pair(filled, filled), times=20)
    assert found.charts == 302
    assert found.gold_spans == found.predicted_spans == 3936
    for family in (found.metrics, found.oracle):
        for name in MEASURES:
            assert family[name].f1.value == 1.0
            assert family[name].f1.interval == (1.0, 1.0)


@pytest.mark.real
@pytest.mark.filterwarnings("ignore:.*no predictions")
def test_mdace_disturbed(shared_data: Path) -> None:
    """Every third annotation gone, every fifth moved, every seventh of another code."""
    gold = formats.read("mdace", shared_data / "mdace" / "data" / "Inpatient" / "ICD-9")
    words = "acute renal failure (chest) pain, no 5 mg of 40 mg. "
    texts = {note.note_id: words * 1_600 for note in gold.iter_notes()}
    annotations = list(gold.iter_annotations())
    predicted = []
    for at, annotation in enumerate(annotations):
        if at % 3 == 0:
            continue
        if at % 5 == 0:
            annotation = replace(annotation, spans=(annotation.spans[0].shift(3),))
        if at % 7 == 0:
            annotation = replace(annotation, code=HTN)
        predicted.append(replace(annotation, annotator="model"))
    notes = [replace(n, text=texts[n.note_id]) for n in gold.iter_notes()]
    found = evidence_metrics(
        pair(Corpus.of(notes, annotations), Corpus.of([], predicted)), trim=True, times=0
    )
    charts = gold.chart_ids()
    naive = evidence_counts(annotations, predicted, texts, charts, trimmed=True)
    assert counts(found) == {name: Counts(*naive[name]) for name in MEASURES}
    assert all(tp > 0 for tp, _, _ in naive.values())
