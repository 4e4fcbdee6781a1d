"""Microsoft Presidio as a further recognizer (extra `presidio`).

Presidio brings patterns, and uses a model of spaCy where one is installed; what it finds is added
to what Auscult finds. Any object with its `analyze` will do.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from auscult.core import MissingExtraError
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers.contract import NoteView

KINDS = {
    "PERSON": PhiKind.NAME,
    "DATE_TIME": PhiKind.DATE,
    "PHONE_NUMBER": PhiKind.PHONE,
    "EMAIL_ADDRESS": PhiKind.EMAIL,
    "URL": PhiKind.URL,
    "IP_ADDRESS": PhiKind.URL,
    "LOCATION": PhiKind.LOCATION,
    "US_SSN": PhiKind.ID,
    "US_DRIVER_LICENSE": PhiKind.ID,
    "US_PASSPORT": PhiKind.ID,
    "US_BANK_NUMBER": PhiKind.ID,
    "US_ITIN": PhiKind.ID,
    "MEDICAL_LICENSE": PhiKind.ID,
    "CREDIT_CARD": PhiKind.ID,
    "IBAN_CODE": PhiKind.ID,
    "UK_NHS": PhiKind.ID,
    "ORGANIZATION": PhiKind.HOSPITAL,
}
"""Presidio's entity types as kinds of PHI; other types are ignored."""

_SURE = 0.6
_SIZES = ("lg", "md", "sm")
_WORD = re.compile(r"[^\W\d_][\w'’.-]*")


class PresidioResult(Protocol):
    """What Presidio says of one range."""

    @property
    def entity_type(self) -> str:
        """Presidio's name for the kind."""
        ...

    @property
    def start(self) -> int:
        """The first character."""
        ...

    @property
    def end(self) -> int:
        """The first character behind it."""
        ...

    @property
    def score(self) -> float:
        """How sure Presidio is, from 0 to 1."""
        ...


class Analyzer(Protocol):
    """The part of Presidio's `AnalyzerEngine` that is used."""

    def analyze(self, text: str, language: str) -> Iterable[PresidioResult]:
        """The entities of a text."""
        ...


class PresidioRecognizer:
    """What Presidio finds; in doubt where it is unsure itself."""

    name = "presidio"

    def __init__(
        self, analyzer: Analyzer | None = None, *, language: str = "en", least: float = 0.4
    ) -> None:
        self._analyzer = _engine(language) if analyzer is None else analyzer
        self._language = language
        self._least = least

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The secrets that Presidio finds in a note."""
        if not sight.text.strip():
            return
        for result in self._analyzer.analyze(text=sight.text, language=self._language):
            kind = KINDS.get(result.entity_type)
            if kind is None or result.score < self._least:
                continue
            doubt = "" if result.score >= _SURE else f"Presidio is {result.score:.0%} sure"
            if kind is PhiKind.NAME:
                yield from _names(sight.text, result.start, result.end, doubt)
            else:
                part = PhiPart.TOWN if kind is PhiKind.LOCATION else PhiPart.WHOLE
                yield PhiSpan(result.start, result.end, kind, part, doubt)


def _names(text: str, begin: int, end: int, doubt: str) -> Iterator[PhiSpan]:
    """The words of a person's name: the last is the surname."""
    words = [match.span() for match in _WORD.finditer(text, begin, end)]
    for at, span in enumerate(words):
        part = PhiPart.SURNAME if at == len(words) - 1 else PhiPart.GIVEN
        yield PhiSpan(*span, PhiKind.NAME, part, doubt)


def _engine(language: str) -> Any:
    """Presidio on a model of spaCy that is installed; nothing is fetched from anywhere."""
    try:
        import spacy
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import SpacyNlpEngine
    except ImportError as error:
        raise MissingExtraError("PresidioRecognizer", "presidio") from error
    names = [f"{language}_core_{kind}_{size}" for size in _SIZES for kind in ("web", "news")]
    installed = next(filter(spacy.util.is_package, names), None)
    if installed is None:
        warnings.warn(
            f"Presidio has no spaCy model for {language!r} and uses its patterns only. Install "
            f"one: python -m spacy download {names[0]}",
            stacklevel=3,
        )
    engine: Any = SpacyNlpEngine(
        models=[{"lang_code": language, "model_name": installed or "blank"}]
    )
    engine.nlp = {language: spacy.load(installed) if installed else spacy.blank(language)}
    return AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
