"""MetaMap: fielded MMI lines (`-N`) or JSON (`--JSONf`), a file for one or many notes.

    12|MMI|5.18|Asthma|C0004096|[dsyn]|["Asthma"-tx-1-"asthma"-noun-0]|TX|10/6|C08

The id in front is the note's; when it is 00000000, the file is called after the note. Positions are
`begin/length`, several separated by `;` or `,`, parts of one in brackets. JSON scores are negative,
the best -1000; they are turned round, so that more is better as everywhere else. What JSON quotes
is the phrase that a concept was found in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auscult.core import FormatError
from auscult.core.files import read_lines
from auscult.corpus.external.loading import kind, load_json, note_id_of
from auscult.corpus.external.row import ExternalRow, Range

SUFFIXES = (".mmi", ".txt", ".out", ".json")
_NAMELESS = "00000000"
_PLACE = re.compile(r"(\d{1,12})/(\d{1,12})")
_GROUP = re.compile(r"\[[^\]]*\]|\d+/\d+(?:,\d+/\d+)*")
_TRIGGER = re.compile(r'"[^"]*"-[a-zA-Z]+-\d+-"([^"]*)"')


def read(file: Path) -> Iterator[ExternalRow]:
    """The concepts in one file."""
    if kind(file) == ".json":
        yield from _json(file)
    else:
        yield from _lines(file)


def _lines(file: Path) -> Iterator[ExternalRow]:
    for number, line in read_lines(file):
        fields = line.split("|")
        if len(fields) < 2 or fields[1] != "MMI":
            continue  # progress messages, and the abbreviations (AA) that it found
        if len(fields) < 9:
            raise FormatError(
                f"an MMI line has at least 9 fields separated by |; got {len(fields)}", file, number
            )
        note_id = note_id_of(file) if fields[0] == _NAMELESS else fields[0]
        quotes = _TRIGGER.findall(fields[6])
        groups = [_ranges(group) for group in _GROUP.findall(fields[8].replace(";", " "))]
        groups = [group for group in groups if group]
        if not groups:
            raise FormatError("the ninth field has no position such as 10/6", file, number)
        for at, ranges in enumerate(groups):
            quote = quotes[at] if len(quotes) == len(groups) else None
            meta = {"type": fields[5].strip("[]")}
            yield ExternalRow(
                note_id, fields[4], ranges, quote, _float(fields[2]), meta, file, number
            )


def _ranges(group: str) -> tuple[Range, ...]:
    places = ((int(begin), int(length)) for begin, length in _PLACE.findall(group))
    return tuple((begin, begin + length) for begin, length in places)


def _json(file: Path) -> Iterator[ExternalRow]:
    for held in _each(load_json(file).get("AllDocuments"), file):
        document = held.get("Document") or {}
        for utterance in _each(document.get("Utterances"), file):
            note_id = str(utterance.get("PMID") or _NAMELESS)
            note_id = note_id_of(file) if note_id == _NAMELESS else note_id
            for phrase in _each(utterance.get("Phrases"), file):
                quote, quoted = _phrase(phrase)
                for mapping in _each(phrase.get("Mappings"), file):
                    for candidate in _each(mapping.get("MappingCandidates"), file):
                        yield _candidate(candidate, note_id, quote, quoted, file)


def _phrase(phrase: Mapping[str, Any]) -> tuple[str | None, tuple[Range, ...] | None]:
    """The text of a phrase and where it is; nothing when the output does not say."""
    try:
        begin, length = int(phrase["PhraseStartPos"]), int(phrase["PhraseLength"])
    except (LookupError, TypeError, ValueError):
        return None, None
    text = phrase.get("PhraseText")
    return (text, ((begin, begin + length),)) if isinstance(text, str) else (None, None)


def _candidate(
    candidate: Mapping[str, Any],
    note_id: str,
    quote: str | None,
    quoted: tuple[Range, ...] | None,
    file: Path,
) -> ExternalRow:
    try:
        places = [(int(p["StartPos"]), int(p["Length"])) for p in candidate["ConceptPIs"]]
        code = str(candidate["CandidateCUI"])
    except (LookupError, TypeError, ValueError) as error:
        raise FormatError(
            "a MappingCandidate needs CandidateCUI and ConceptPIs with StartPos and Length", file
        ) from error
    score = _float(str(candidate.get("CandidateScore", "")))
    score = None if score is None else abs(score)
    ranges = tuple((begin, begin + length) for begin, length in places)
    types = ",".join(map(str, candidate.get("SemTypes") or ()))
    meta = {"type": types} if types else {}
    return ExternalRow(note_id, code, ranges, quote, score, meta, file, quoted=quoted)


def _each(found: object, file: Path) -> Iterator[dict[str, Any]]:
    for one in found if isinstance(found, list) else ():
        if not isinstance(one, dict):
            raise FormatError("is not MetaMap JSON: expected an object in every list", file)
        yield one


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
