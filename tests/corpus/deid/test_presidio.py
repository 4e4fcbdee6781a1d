"""Presidio beside our own recognisers, through an object with its interface."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from auscult.core import MissingExtraError, Note
from auscult.corpus.deid import Kind, Part, builtin, detect
from auscult.corpus.deid.recognisers.presidio import Presidio

TEXT = "Seen by zorblax quux of Xanadu, ref 77."


@dataclass(frozen=True)
class Result:
    """As Presidio's RecognizerResult."""

    entity_type: str
    start: int
    end: int
    score: float


class Analyzer:
    """As Presidio's AnalyzerEngine, of few words."""

    def __init__(self, *results: Result) -> None:
        self._results = results
        self.asked: list[tuple[str, str]] = []

    def analyze(self, text: str, language: str) -> Iterable[Result]:
        self.asked.append((text, language))
        return self._results


def test_what_presidio_finds_is_added() -> None:
    analyzer = Analyzer(
        Result("PERSON", 8, 20, 0.85),
        Result("LOCATION", 24, 30, 0.5),
        Result("US_SSN", 36, 38, 0.1),
        Result("NRP", 0, 4, 0.9),
    )
    (found,) = detect([Note("n", "c", text=TEXT)], [*builtin(), Presidio(analyzer)])
    told = [(TEXT[f.begin : f.end], f.kind, f.part, f.doubt) for f in found]
    assert told == [
        ("zorblax", Kind.NAME, Part.GIVEN, ""),
        ("quux", Kind.NAME, Part.SURNAME, ""),
        ("Xanadu", Kind.LOCATION, Part.TOWN, "Presidio is 50% sure"),
    ]
    assert analyzer.asked == [(TEXT, "en")]


def test_a_range_outside_the_text_is_not_believed() -> None:
    analyzer = Analyzer(Result("EMAIL_ADDRESS", 30, 300, 0.9))
    assert detect([Note("n", "c", text=TEXT)], [Presidio(analyzer)]) == [[]]


def test_without_presidio_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(MissingExtraError, match=r"auscult\[presidio\]"):
        Presidio()
