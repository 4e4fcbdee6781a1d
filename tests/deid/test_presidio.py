"""Presidio beside our own recognizers: itself, and an object with its interface."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from auscult.core import MissingExtraError, Note
from auscult.corpus import Corpus
from auscult.deid import PhiKind, PhiPart, builtin, deidentify, detect
from auscult.deid.recognizers.presidio import PresidioRecognizer

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
    (found,) = detect([Note("n", "c", text=TEXT)], [*builtin(), PresidioRecognizer(analyzer)])
    told = [(TEXT[f.begin : f.end], f.kind, f.part, f.doubt) for f in found]
    assert told == [
        ("zorblax", PhiKind.NAME, PhiPart.GIVEN, ""),
        ("quux", PhiKind.NAME, PhiPart.SURNAME, ""),
        ("Xanadu", PhiKind.LOCATION, PhiPart.TOWN, "Presidio is 50% sure"),
    ]
    assert analyzer.asked == [(TEXT, "en")]


def test_a_range_outside_the_text_is_not_believed() -> None:
    analyzer = Analyzer(Result("EMAIL_ADDRESS", 30, 300, 0.9))
    assert detect([Note("n", "c", text=TEXT)], [PresidioRecognizer(analyzer)]) == [[]]


def test_without_presidio_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(MissingExtraError, match=r"auscult\[presidio\]"):
        PresidioRecognizer()


@pytest.fixture(scope="module")
def presidio() -> PresidioRecognizer:
    pytest.importorskip("presidio_analyzer")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without a model it says so
        return PresidioRecognizer()


def test_presidio_itself_finds_what_we_do_not(presidio: PresidioRecognizer) -> None:
    text = "Paid by card 4111 1111 1111 1111 or DE89370400440532013000. No fever."
    (found,) = detect([Note("n", "c", text=text)], [presidio])
    told = {(text[f.begin : f.end], f.kind) for f in found}
    assert ("4111 1111 1111 1111", PhiKind.ID) in told
    assert ("DE89370400440532013000", PhiKind.ID) in told
    assert not [words for words, _ in told if "fever" in words]


def test_presidio_and_our_own_do_not_overlap(presidio: PresidioRecognizer, tmp_path: Path) -> None:
    text = "Mail ada@quill.org or 212-555-0147, seen by Grace Kim, RN on 3/14/2003."
    corpus = Corpus.of([Note("n", "c", text=text, time="2003-03-14")])
    deidentify(corpus, tmp_path / "out", recognizers=[*builtin(), presidio])
    (made,) = Corpus.open(tmp_path / "out").iter_notes()
    for secret in ("quill", "212-555-0147", "Grace", "Kim", "3/14/2003"):
        assert secret not in (made.text or "")
    assert "@example.org or " in (made.text or "")
