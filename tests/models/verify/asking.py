"""A note with codes, and a verifier to ask about them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.models.verify.server import Body, ChatServer, Reply, serving

from auscult import Annotation, Code, Note, Span, Verifier, verify
from auscult.core import Status
from auscult.models.verify import VerifiedResult

TEXT = """History of CHF.
Admitted with acute on chronic
systolic heart failure. Mother had asthma. No pneumonia."""
NOTES = [Note("n", "c", text=TEXT)]
KEY = "AUSCULT_VERIFY_KEY"


def mention(code: str, words: str, note: Note = NOTES[0], system: str = "ICD-10-CM") -> Annotation:
    assert note.text is not None
    begin = note.text.index(words)
    span = Span(begin, begin + len(words))
    meta = {"why": "because"}
    return Annotation(
        "codebook", Code(system, code), note.chart_id, note.note_id, (span,), 0.7, meta=meta
    )


CHF, ASTHMA = mention("I50.9", "CHF"), mention("J45.909", "asthma")


@contextmanager
def verifier(
    folder: Path, reply: Callable[[Body, int], Reply], **settings: Any
) -> Iterator[tuple[Verifier, ChatServer]]:
    with serving(reply) as server:
        quick = {"timeout": 5.0, "retry_seconds": 0.0, "cache": folder / "answers", **settings}
        yield Verifier(server.url, "llm", **quick), server


def ask(
    folder: Path, reply: Callable[[Body, int], Reply], *given: Annotation, **settings: Any
) -> tuple[VerifiedResult, ChatServer]:
    """Verify annotations with a server, and what it saw."""
    with verifier(folder, reply, **settings) as (one, server), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return verify(given or [CHF], NOTES, one), server


def codes(result: VerifiedResult, status: Status = Status.GIVEN) -> list[str]:
    return [one.code.value for one in result.annotations if one.status is status]
