"""Comprehensiveness and sufficiency of models whose working is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Annotation, Code, Note, Span, SpanError
from auscult.corpus.corpus import Chart
from auscult.evaluate import faithfulness
from auscult.evaluate.faithfulness import only, without

FLU = Code("ICD-10-CM", "J11.1")
TEXT = "Fever and cough. Positive for influenza A."


def by_word(asked: Iterable[tuple[Sequence[Note], Sequence[Code]]]) -> Iterator[list[float]]:
    """Knows influenza by its name, and a little by the cough."""
    for notes, codes in list(asked):  # all at once, as a model may that reads in batches
        text = " ".join(note.text or "" for note in notes)
        score = 0.8 * ("influenza" in text) + 0.1 * ("cough" in text)
        yield [score if code == FLU else 0.0 for code in codes]


def chart(*spans: tuple[int, int]) -> Chart:
    said = Annotation("model", FLU, "c", "n", tuple(Span(*span) for span in spans))
    return Chart("c", (Note("n", "c", text=TEXT), Note("m", "c", text="nothing")), (said,))


def test_the_word_it_went_by() -> None:
    found = faithfulness(by_word, [chart((30, 39))])
    assert found.comprehensiveness.value == pytest.approx(0.8)
    assert found.sufficiency.value == pytest.approx(0.1)
    assert found.pairs[0][:2] == ("c", FLU)


def test_a_word_it_did_not_go_by() -> None:
    found = faithfulness(by_word, [chart((0, 5))])
    assert found.comprehensiveness.value == pytest.approx(0.0)
    assert found.sufficiency.value == pytest.approx(0.9)


def test_means_are_over_pairs() -> None:
    found = faithfulness(by_word, [chart((30, 39)), chart((0, 5)), chart((0, 5))])
    assert found.comprehensiveness.value == pytest.approx(0.8 / 3)
    assert found.comprehensiveness.n == 3
    assert found.comprehensiveness.interval is not None


def test_no_evidence_is_undefined() -> None:
    found = faithfulness(by_word, [Chart("c", (), (Annotation("model", FLU, "c"),))])
    assert found.sufficiency.undefined == "no code has evidence"


def test_spans_past_the_text() -> None:
    with pytest.raises(SpanError):
        faithfulness(by_word, [chart((0, 500))])


@given(st.text(max_size=30), st.data())
def test_what_is_cut_and_what_is_kept_is_the_note(text: str, data: st.DataObject) -> None:
    """Without the separators, the two together have every character once."""
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = [Span(b, e) for b, e in zip(edges[::2], edges[1::2], strict=False)]
    note = Note("n", "c", text=text)
    cut, kept = without(note, spans).text or "", only(note, spans).text or ""
    separators = " \n"
    both = sorted(c for c in cut + kept if c not in separators)
    assert both == sorted(c for c in text if c not in separators)
