"""Finds the names in the tables' sentences besides their main subject.

"Kidney injury and confusion made this {it}" names a condition and a symptom in passing. Those
words are marked, so that they too have their row and what is said of them.
"""

from __future__ import annotations

import re

from auscult.synth.clinical_tables import ClinicalTables

_TOKEN = re.compile(r"\w+|[^\w\s]")
_DENIED = frozenset(("no", "not", "without", "denies", "negative", "never", "neither", "nor"))
_REACH = 4
"""How many words back a denial is looked for; punctuation stops the search."""
_LOOSE = frozenset(
    ("stroke volume", "st depression", "st elevation", "permissive hypertension", "low sodium",
     "depression at", "shock pads", "pressure", "seizure threshold", "weight loss advised")
)  # fmt: skip
"""Phrases in which a name is part of something else."""


class Markup:
    """Puts slots around the names in a sentence."""

    def __init__(self, known: ClinicalTables) -> None:
        self._names: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        rows = [
            *((r.id, r.name, r.synonyms) for r in known.conditions.values() if r.kind != "status"),
            *((r.id, r.name, r.synonyms) for r in known.symptoms.values()),
            *((r.id, r.name, r.synonyms) for r in known.procedures.values()),
        ]
        seen: dict[tuple[str, ...], str] = {}
        for row, own, synonyms in rows:
            for name in (own, *synonyms):
                tokens = tuple(_TOKEN.findall(name.lower()))
                if len(name) > 4:
                    seen.setdefault(tokens, row)
        for tokens, row in seen.items():
            self._names.setdefault(tokens[0], []).append((tokens, row))
        for found in self._names.values():
            found.sort(key=lambda item: -len(item[0]))
        self._marked: dict[str, str] = {}

    def of(self, sentence: str) -> str:
        """The sentence as a template that also marks what it names in passing."""
        marked = self._marked.get(sentence)
        if marked is None:
            marked = self._marked[sentence] = self._mark(sentence)
        return marked

    def _mark(self, sentence: str) -> str:
        spans = [match.span() for match in _TOKEN.finditer(sentence)]
        words = [sentence[begin:end].lower() for begin, end in spans]
        lower = sentence.lower()
        parts = []
        done = at = 0
        while at < len(words):
            found = self._match(words, at)
            if found is None:
                at += 1
                continue
            size, row = found
            begin, end = spans[at][0], spans[at + size - 1][1]
            inside = sentence[:begin].count("{") > sentence[:begin].count("}")
            loose = any(p in lower[max(0, begin - 12) : end + 12] for p in _LOOSE)
            if not inside and not loose:
                sign = "-" if self._is_denied(words, at) else "="
                parts.append(f"{sentence[done:begin]}{{{sign}{row}|{sentence[begin:end]}}}")
                done = end
            at += size
        return "".join(parts) + sentence[done:]

    def _match(self, words: list[str], at: int) -> tuple[int, str] | None:
        for tokens, row in self._names.get(words[at], ()):
            if tuple(words[at : at + len(tokens)]) == tokens:
                return len(tokens), row
        return None

    def _is_denied(self, words: list[str], at: int) -> bool:
        for word in reversed(words[max(0, at - _REACH) : at]):
            if word in (",", ".", ";", ":", "{", "}"):
                return False
            if word in _DENIED:
                return True
        return False
