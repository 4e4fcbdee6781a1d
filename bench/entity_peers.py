"""Other systems over the same names: QuickUMLS in this process, MedCAT in one of its own."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.quickumls_peer import quickumls_modules

from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.core.span import extent
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.span_annotation import EntityMention, Places

Matches = list[tuple[Span, Code, float]]
Peer = Callable[[str], Matches]
"""What another system finds in a text."""
Texts = Mapping[str, Iterable[str]]
"""Texts by the group they are timed with."""
_SCRIPT = Path(__file__).with_name("medcat_peer.py")


def quickumls(vocabulary: Vocabulary, types: Iterable[str], base: Path) -> Peer | None:
    """QuickUMLS with spaCy's tokenizer and our stop words; None when it is not installed."""
    modules = quickumls_modules()
    if modules is None:
        return None
    core, install = modules
    codes: dict[Code, int] = {}
    rows = [
        (text.lower(), f"C{codes.setdefault(code, len(codes)):07}", ["T047"], int(first))
        for code, text, first in _names(vocabulary, types)
    ]
    if not base.exists():
        base.mkdir()
        (base / "lowercase.flag").touch()
        (base / "database_backend.flag").write_text("unqlite")
        install.parse_and_encode_ngrams(
            rows, str(base / "umls-simstring.db"), str(base / "cui-semtypes.db"), "unqlite"
        )
    matcher = core.QuickUMLS(str(base), threshold=0.7, accepted_semtypes=None)
    numbered = list(codes)

    def match(text: str) -> Matches:
        found = []
        for group in matcher.match(text, best_match=True, ignore_syntax=False):
            for one in group[:1]:
                span = Span(int(one["start"]), int(one["end"]))
                found.append((span, numbered[int(one["cui"][1:])], float(one["similarity"])))
        return found

    return match


def medcat(
    python: Path,
    vocabulary: Vocabulary,
    types: Iterable[str],
    train: Iterable[MarkedNote],
    texts: Texts,
    folder: Path,
) -> tuple[Peer, dict[str, Any]]:
    """MedCAT, learned from marked notes, for texts that it has read already; and what it took."""
    folder.mkdir(exist_ok=True)
    codes: dict[Code, str] = {}
    with (folder / "names.csv").open("w", encoding="utf-8", newline="") as handle:
        rows = csv.writer(handle)
        rows.writerow(["cui", "name", "name_status"])
        for code, text, first in _names(vocabulary, types):
            number = codes.setdefault(code, f"C{len(codes):07}")
            rows.writerow([number, text, "P" if first else "A"])
    marked = {"name": "train", "id": 0, "cuis": "", "documents": list(_exported(train, codes))}
    (folder / "train.json").write_text(json.dumps({"projects": [marked]}), encoding="utf-8")
    asked: list[str] = []
    with (folder / "notes.jsonl").open("w", encoding="utf-8") as handle:
        for group, of_group in texts.items():
            for text in of_group:
                held = {"note_id": str(len(asked)), "text": text, "group": group}
                handle.write(json.dumps(held) + "\n")
                asked.append(text)
    subprocess.run([str(python), str(_SCRIPT), str(folder)], check=True)
    code_of = {number: code for code, number in codes.items()}
    found: dict[str, Matches] = {}
    for line in (folder / "found.jsonl").open(encoding="utf-8"):
        held = json.loads(line)
        found[asked[int(held["note_id"])]] = [
            (Span(one["start"], one["end"]), code_of[one["cui"]], float(one["acc"]))
            for one in held["entities"]
        ]
    took: dict[str, Any] = json.loads((folder / "took.json").read_text(encoding="utf-8"))
    return found.__getitem__, took


def given(notes: Iterable[Note], places: Places, peer: Peer) -> Iterator[EntityMention]:
    """What a peer makes of the text of each span alone: its best match there."""
    for note in notes:
        for spans in places.get(note.note_id, ()):
            ranked = sorted(
                peer(text_of(note, spans)), key=lambda match: (-match[2], -len(match[0]))
            )
            if ranked:
                yield EntityMention(note, spans, ranked[0][1], ranked[0][2])


def everywhere(notes: Iterable[Note], peer: Peer) -> Iterator[EntityMention]:
    """What a peer finds in notes."""
    for note in notes:
        for span, code, score in peer(note.text or ""):
            yield EntityMention(note, (span,), code, score)


def text_of(note: Note, spans: tuple[Span, ...]) -> str:
    """The text of spans."""
    return " ".join(span.of(note.text or "") for span in spans)


def _names(vocabulary: Vocabulary, types: Iterable[str]) -> Iterator[tuple[Code, str, bool]]:
    """The names of concepts of some types, and whether each is the preferred one."""
    wanted = set(types)
    for concept in vocabulary:
        if not wanted or wanted & set(concept.types):
            for at, synonym in enumerate(concept.synonyms):
                yield concept.code, synonym.text, at == 0


def _exported(train: Iterable[MarkedNote], codes: Mapping[Code, str]) -> Iterator[dict[str, Any]]:
    """Marked notes as MedCATtrainer writes them; of several concepts the first."""
    for number, one in enumerate(train):
        marks = []
        for mark in one.marks:
            known = sorted(code for code in mark.codes if code in codes)
            # MedCAT has no names of one letter, and stops at a mark of that.
            if known and sum(map(str.isalpha, mark.text)) > 1:
                whole = extent(mark.spans)
                marks.append(
                    {
                        "start": whole.begin,
                        "end": whole.end,
                        "cui": codes[known[0]],
                        "value": whole.of(one.text),
                        "correct": True,
                        "validated": True,
                        **dict.fromkeys(
                            ("deleted", "killed", "alternative", "manually_created"), False
                        ),
                    }
                )
        yield {"name": one.note.note_id, "id": number, "text": one.text, "annotations": marks}
