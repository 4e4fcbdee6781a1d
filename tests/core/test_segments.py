"""Segments: the text comes out whole, and each piece carries what lies on it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Annotation, Code, Note, Span
from auscult.core.segments import segments
from auscult.corpus import Corpus
from auscult.report.corpus_report import corpus_report

SPANS = st.tuples(st.integers(0, 12), st.integers(0, 15)).map(lambda p: Span(min(p), max(p)))


@given(st.text(max_size=12), st.lists(st.lists(SPANS, max_size=3), max_size=5))
def test_segments_cover_the_text_and_say_what_is_on_it(text: str, spans: list[list[Span]]) -> None:
    annotations = [Annotation("a", Code("s", "v"), "c", "n", tuple(pieces)) for pieces in spans]
    cut = segments(text, annotations)
    assert "".join(segment.text for segment in cut) == text
    at = 0
    for segment in cut:
        for position in range(at, at + len(segment.text)):
            on = {
                number
                for number, a in enumerate(annotations)
                if any(s.begin <= position < s.end for s in a.spans)
            }
            assert set(segment.on) == on
        at += len(segment.text)
    ended = [number for segment in cut for number in set(segment.ends)]
    drawn = {
        number
        for number, a in enumerate(annotations)
        if any(s.begin < min(s.end, len(text)) for s in a.spans)
    }
    assert sorted(ended) == sorted(drawn)


def test_pages_show_text_as_text_never_as_html(tmp_path: Path) -> None:
    note = Note("<b>n</b>", "c/1", "p", "<i>x</i>", text="<script>alert(1)</script> & fever")
    on = Annotation("<u>me</u>", Code("s<p>", "v<p>"), "c/1", "<b>n</b>", (Span(28, 33),))
    index = corpus_report(
        Corpus.of([note], [on]),
        tmp_path,
        charts=["c/1"],
        findings=[],
        title="<h1>",
        lead="",
        shows_text="made up",
    )
    for page in index.parent.iterdir():
        shown = page.read_text(encoding="utf-8")
        for tag in ("<script>alert", "<b>n", "<i>x", "<u>me", "s<p>", "<h1><h1>"):
            assert tag not in shown
