"""A submission as JSON: an object from document to codes, or a list of objects.

    {"97636670": ["786.2", "780.6"], "97634811": []}
    [{"id": "97636670", "codes": ["786.2", "780.6"]}, {"id": "97634811", "codes": []}]

A code may be an object with its evidence, `note` only where the document has several:

    {"97636670": [{"code": "786.2", "note": "97636670", "spans": [[0, 5], [20, 24]]}]}

Python's reader forgets where things stood and drops all but the last of two equal keys, so the
file, once it is known to be JSON, is walked member by member.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auscult.challenge.submission.problem import ProblemKind, SubmissionProblem
from auscult.challenge.submission.submission import Submission, SubmittedCode, SubmittedDocument
from auscult.core import FormatError
from auscult.core.files import decode_text
from auscult.corpus.formats.shared import strict_json

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\n\r]*")


def read(raw: bytes, name: str) -> Submission:
    """The documents of a JSON file and what is not of its form."""
    try:
        text = decode_text(raw, Path(name))
        value = strict_json.parse(text)
    except FormatError as error:
        return Submission.of(
            (), [SubmissionProblem(ProblemKind.UNREADABLE, error.problem, error.row)]
        )
    walk = _Walk(text)
    begin = _past_blanks(text, 0)
    found: list[SubmittedDocument | None]
    if isinstance(value, dict):
        found = [walk.document(str(k), at, v, at_v) for k, at, v, at_v in walk.members(begin)]
    elif isinstance(value, list):
        found = [walk.listed(member, at) for _, at, member, _ in walk.members(begin)]
    else:
        says = f"expected an object or a list, got {strict_json.kind(value)}"
        return Submission.of((), [SubmissionProblem(ProblemKind.ROOT, says, 1)])
    return Submission.of((one for one in found if one is not None), walk.problems)


class _Walk:
    """Goes through a text that is known to be JSON, and knows the line of everything."""

    def __init__(self, text: str) -> None:
        self.problems: list[SubmissionProblem] = []
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def members(self, at: int) -> Iterator[tuple[str | None, int, Any, int]]:
        """The members of the object or list at a place: key, where it is, value, where that is."""
        text = self._text
        is_object = text[at] == "{"
        at = _past_blanks(text, at + 1)
        while text[at] not in "]}":
            begin, key = at, None
            if is_object:
                key, at = _DECODER.raw_decode(text, at)
                at = _past_blanks(text, _past_blanks(text, at) + 1)  # the colon is between
            value, end = _DECODER.raw_decode(text, at)
            yield key, begin, value, at
            at = _past_blanks(text, end)
            if text[at] == ",":
                at = _past_blanks(text, at + 1)

    def listed(self, member: object, at: int) -> SubmittedDocument | None:
        """A document that is an object with id and codes."""
        if not isinstance(member, dict):
            self._wrong(f"expected an object with id and codes, got {_kind(member)}", at)
            return None
        found = {key: (value, place) for key, _, value, place in self.members(at)}
        chart_id, _ = found.get("id", (None, at))
        if not isinstance(chart_id, str) or not chart_id.strip():
            self._wrong('no "id", which is a string', at)
            return None
        if "codes" not in found:
            self._wrong('no "codes", which is a list, empty where no code applies', at)
            return SubmittedDocument(chart_id.strip(), self._row(at))
        return self.document(chart_id, at, *found["codes"])

    def document(self, chart_id: str, at: int, codes: object, at_codes: int) -> SubmittedDocument:
        """A document by its id, with a list of codes."""
        if not isinstance(codes, list):
            self._wrong(f"expected a list of codes, got {_kind(codes)}", at_codes)
            return SubmittedDocument(chart_id.strip(), self._row(at))
        given = []
        for _, place, value, _ in self.members(at_codes):
            if isinstance(value, dict):
                if (one := self._with_evidence(value, place)) is not None:
                    given.append(one)
            elif isinstance(value, str) and value.strip():
                given.append(SubmittedCode(value.strip(), self._row(place)))
            else:
                says = "it is empty" if value == "" else f"{_kind(value)} came"
                self._wrong(f'a code must be a string, such as "786.2"; {says}', place)
        return SubmittedDocument(chart_id.strip(), self._row(at), tuple(given))

    def _with_evidence(self, value: dict[str, object], at: int) -> SubmittedCode | None:
        """A code that is an object with its evidence."""
        code, note, spans = value.get("code"), value.get("note"), value.get("spans", [])
        if not isinstance(code, str) or not code.strip():
            self._wrong('no "code", which is a string', at)
            return None
        if not (note is None or isinstance(note, str)):
            self._wrong(f"expected a note's id as a string, got {_kind(note)}", at)
            return None
        edges = [_edges(one) for one in spans] if isinstance(spans, list) else [None]
        if None in edges:
            self._wrong('"spans" must be a list of pairs of whole numbers, such as [[0, 5]]', at)
            return None
        found = tuple(one for one in edges if one is not None)
        return SubmittedCode(code.strip(), self._row(at), note=note, spans=found)

    def _wrong(self, says: str, at: int) -> None:
        self.problems.append(SubmissionProblem(ProblemKind.SHAPE, says, self._row(at)))

    def _row(self, at: int) -> int:
        return bisect_right(self._ends, at) + 1


def _edges(value: object) -> tuple[int, int] | None:
    match value:
        case [int(begin), int(end)] if not isinstance(begin, bool) and not isinstance(end, bool):
            return begin, end
    return None


def _kind(value: object) -> str:
    return strict_json.kind(value)


def _past_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at
