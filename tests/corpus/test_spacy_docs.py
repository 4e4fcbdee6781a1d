"""spaCy documents: every word of the evidence is in a span, and the exact offsets are kept."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import DocBin
from tests.examples import examples

from auscult.core import Annotation, Code, MissingExtraError, Note, Span
from auscult.corpus import Corpus

TEXT = "🫀 Hypertension untreated,\r\nno\u00a0cough."


def on(*words: str, who: str = "ann", value: str = "I10", **more: Any) -> Annotation:
    spans = tuple(Span(TEXT.index(word), TEXT.index(word) + len(word)) for word in words)
    return Annotation(who, Code("ICD-10-CM", value), "c1", "n1", spans, **more)


def example() -> Corpus:
    return Corpus.of(
        [Note("n1", "c1", "s1", text=TEXT, meta={"k": "v"}), Note("n2", "c1"), Note("n3", "c3")],
        [
            on("Hypertension"),
            on("Hypertension untreated", who="ben", score=0.5),
            on("tension un", value="X"),
            on("cough", "Hyper", value="Y", who="ben"),
            on("🫀", value="Z", meta={"a": "b"}),
            on(value="none"),
            Annotation("ann", Code("S", "chart"), "c1"),
        ],
    )


def shown(doc: Any) -> dict[str, list[tuple[str, str, str, str]]]:
    return {
        annotator: [(span.text, span.label_, span.kb_id_, span.id_) for span in group]
        for annotator, group in doc.spans.items()
    }


def test_the_evidence_of_each_annotator_is_a_group() -> None:
    first, second, third = example().to_spacy()
    assert first.text == TEXT
    assert shown(first) == {
        "ann": [
            ("Hypertension", "I10", "ICD-10-CM:I10", "0"),
            ("Hypertension untreated", "X", "ICD-10-CM:X", "2"),
            ("🫀", "Z", "ICD-10-CM:Z", "4"),
        ],
        "ben": [
            ("Hypertension untreated", "I10", "ICD-10-CM:I10", "1"),
            ("cough", "Y", "ICD-10-CM:Y", "3"),
            ("Hypertension", "Y", "ICD-10-CM:Y", "3"),
        ],
    }
    assert [doc.user_data["note_id"] for doc in (first, second, third)] == ["n1", "n2", "n3"]
    assert (first.user_data["chart_id"], first.user_data["subject_id"]) == ("c1", "s1")
    assert second.text == ""


def test_the_exact_offsets_are_beside_a_widened_span() -> None:
    first, second, _ = example().to_spacy()
    kept = first.user_data["annotations"]
    widened = first.spans["ann"][1]
    begin, end = kept[int(widened.id_)]["spans"][0]
    assert (TEXT[begin:end], widened.text) == ("tension un", "Hypertension untreated")
    assert kept[4] == {
        "annotator": "ann",
        "system": "ICD-10-CM",
        "code": "Z",
        "spans": ((0, 1),),
        "score": None,
        "meta": {"a": "b"},
    }
    assert kept[5]["spans"] == ()
    assert [a["code"] for a in first.user_data["chart_annotations"]] == ["chart"]
    assert second.user_data["chart_annotations"] == ()


def test_documents_survive_a_file_of_spacys() -> None:
    docs = list(example().to_spacy())
    raw = DocBin(docs=docs, store_user_data=True).to_bytes()
    back = list(DocBin().from_bytes(raw).get_docs(spacy.blank("en").vocab))
    assert [shown(doc) for doc in back] == [shown(doc) for doc in docs]
    assert [doc.user_data for doc in back] == [doc.user_data for doc in docs]


def test_another_tokenizer_is_used() -> None:
    nlp = spacy.blank("zh")  # a token a character
    doc = next(example().to_spacy(nlp))
    assert doc.vocab is nlp.vocab
    assert [span.text for span in doc.spans["ann"]][1] == "tension un"


def test_notes_may_be_longer_than_a_pipeline_allows() -> None:
    nlp = spacy.blank("en")
    nlp.max_length = 10
    (doc,) = Corpus.of([Note("n", "n", text="a very long note")]).to_spacy(nlp)
    assert doc.text == "a very long note"


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "spacy":
            raise ImportError(name)
        return genuine(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'auscult\[spacy\]'"):
        example().to_spacy()


NLP = spacy.blank("en")
PIECES = st.sampled_from(["a", "bc", "7", ".", "🫀", "e\u0301", " ", "\u00a0", "\r\n", "\t", "-"])


@given(
    st.lists(PIECES, max_size=25).map("".join),
    st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=3), max_size=4),
)
@settings(deadline=None, max_examples=examples(60))
def test_every_word_of_the_evidence_is_in_a_span(
    text: str, ranges: list[list[tuple[int, int]]]
) -> None:
    annotations = [
        Annotation("a", Code("S", str(at)), "n", "n", tuple(Span(*sorted(r)) for r in some))
        for at, some in enumerate(ranges)
    ]
    (doc,) = Corpus.of([Note("n", "n", text=text)], annotations).to_spacy(NLP)
    assert doc.text == text
    for at, annotation in enumerate(annotations):
        kept = doc.user_data["annotations"][at]["spans"]
        assert kept == tuple((span.begin, span.end) for span in annotation.spans)
        inside = {
            place
            for span in doc.spans["a"]
            if span.id_ == str(at)
            for place in range(span.start_char, span.end_char)
        }
        for span in annotation.spans:
            if span.end <= len(text):
                words = {p for p in range(span.begin, span.end) if not text[p].isspace()}
                assert words <= inside
