"""The text around the evidence that is shown to a verifier."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.models.verify.asking import mention

from auscult import Annotation, Code, Note, Span
from auscult.models.verify.passages import passages_of


def test_whole_sentences_around_the_evidence() -> None:
    text = "The first line is long. Mother had gout. She has CHF now. No fever today. And more."
    note = Note("n", "c", text=text)
    [found] = passages_of([mention("I50.9", "CHF", note)], {"n": note}, context=26)
    assert found.text == "She has CHF now. No fever today."
    assert text[found.begin : found.end] == found.text
    [wide] = passages_of([mention("I50.9", "CHF", note)], {"n": note}, context=30)
    assert wide.text.startswith("Mother had gout.")


def test_no_word_is_cut_where_no_sentence_ends() -> None:
    text = "word " * 100 + "CHF " + "other " * 100
    note = Note("n", "c", text=text)
    [found] = passages_of([mention("I50.9", "CHF", note)], {"n": note}, context=23)
    assert set(found.text.split()) == {"word", "CHF", "other"}


def test_passages_that_overlap_are_one() -> None:
    note = Note("n", "c", text="CHF and more CHF. " + "Well. " * 300 + "CHF again.")
    text = note.text or ""
    code = Code("ICD-10-CM", "I50.9")
    at = [0, text.index("CHF", 5), text.rindex("CHF")]
    spans = [Annotation("m", code, "c", "n", (Span(begin, begin + 3),)) for begin in at]
    first, second = passages_of(spans, {"n": note})
    assert first.text.startswith("CHF and more CHF.")
    assert second.text.endswith("CHF again.")


@given(
    st.text(alphabet="aB .:;\n\u00e9\U0001f600", min_size=1, max_size=4_000),
    st.data(),
)
def test_a_passage_is_bounded_and_holds_the_beginning_of_its_evidence(
    text: str, data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(begin + 1, len(text)))
    note = Note("n", "c", text=text)
    one = Annotation("m", Code("ICD-10-CM", "I10"), "c", "n", (Span(begin, end),))
    for found in passages_of([one], {"n": note}):
        assert text[found.begin : found.end] == found.text
        assert found.begin <= begin < found.end
        assert len(found.text) <= 1500
