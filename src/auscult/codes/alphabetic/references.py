"""Where `see`, `see also` and `see category` lead.

A reference is written for readers: *Accident, transport, by type of vehicle* names a term and says
how to go on, *condition* says to look up what is wrong rather than where, *E08-E13 with .42* is no
term at all. What it leads to is an entry, a whole table, or a range of codes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from auscult.codes.alphabetic.alphabetic_index import AlphabeticIndex
from auscult.codes.alphabetic.terms import IndexEntry, Source, codes_in
from auscult.codes.alphabetic.volume import IndexVolume
from auscult.codes.alphabetic.walk import Reached, walk
from auscult.codes.alphabetic.words import stems_of

Kind = Literal["entry", "table", "category", "condition", "incomplete", "dangling"]

_RANGE = re.compile(r"\b([A-Z]\d[\dA-Z](?:\.[\dA-Z]+)?)-([A-Z]\d[\dA-Z](?:\.[\dA-Z]+)?)\b")
_CATEGORY = re.compile(r"^(?:sub)?categor(?:y|ies)\b", re.IGNORECASE)
_PARENTHESES = re.compile(r"\([^)]*\)")
_BY = re.compile(
    r"\b(?:by|or by) (?:specified |specific )?"
    r"(?:site|type|drug|substance|cause|histology|object|chemical|name|organism|stage|degree"
    r"|ST elevation|region|agent|animal)\b[^,]*|\bsite and type\b|\bor the specified \w+",
    re.IGNORECASE,
)
# "see also" inside of a see, a second reference after the first.
_NOT_A_NAME = re.compile(r"^also |;.*$|,? if applicable$", re.IGNORECASE)
_OTHER_BOOK: tuple[tuple[re.Pattern[str], Source], ...] = (
    (
        re.compile(
            r"^(?:the )?table of drugs(?: and (?:chemicals|biologicals))?\b,?\s*", re.IGNORECASE
        ),
        "drug",
    ),
    (
        re.compile(r"^(?:the )?(?:neoplasm table|table of neoplasms)\b,?\s*", re.IGNORECASE),
        "neoplasm",
    ),
    (re.compile(r"^index to diseases?(?: and injuries)?\b,?\s*", re.IGNORECASE), "index"),
    (
        re.compile(r"^(?:index to )?external causes?(?: index)?\b,?\s*", re.IGNORECASE),
        "external-cause",
    ),
)
_POISON = re.compile(r"^(?:poisoning|toxicity)(?:, food)?(?:, noxious)?, ", re.IGNORECASE)
_BEHAVIORS = (
    ("uncertain behavior", "uncertain"),
    ("unspecified behavior", "unspecified"),
    ("in situ", "in-situ"),
    ("secondary", "malignant-secondary"),
    ("malignant", "malignant-primary"),
    ("benign", "benign"),
)
_INTENTS = (("poisoning", ""), ("adverse effect", "adverse-effect"), ("underdosing", "underdosing"))


@dataclass(frozen=True, slots=True)
class Reference:
    """What a reference leads to."""

    text: str
    kind: Kind
    entries: tuple[IndexEntry, ...] = ()
    """The entries it names; of a table, the rows, and none for the whole table."""
    table: Source | None = None
    column: str = ""
    """The behavior or intent it names, where it leads to a table."""
    codes: tuple[str, ...] = ()
    """The categories it names; two of them joined by a dash are a range (`E08-E13`)."""
    by: str = ""
    """How to go on from there: `site`, `type of vehicle`."""

    @property
    def is_resolved(self) -> bool:
        """True if it leads to an entry, a table or codes."""
        return self.kind in ("entry", "table", "category")


class References:
    """Resolves references, each text once."""

    def __init__(self, volume: IndexVolume) -> None:
        self._volume = volume
        self._resolved = lru_cache(maxsize=20_000)(self._resolve)

    def see(self, entry: IndexEntry) -> Reference | None:
        """Where an entry's `see`, category or subcategory leads; None if it has none."""
        if entry.see:
            return _without(entry, self.resolve(entry.see, entry.source))
        written = entry.see_category or entry.subcategory
        return self.resolve(f"category {written}", entry.source) if written else None

    def see_also(self, entry: IndexEntry) -> Reference | None:
        """Where an entry's `see also` leads; None if it has none."""
        if not entry.see_also:
            return None
        return _without(entry, self.resolve(entry.see_also, entry.source))

    def resolve(self, text: str, source: Source = "index") -> Reference:
        """What a reference of an entry in one of the parts leads to."""
        return self._resolved(_NOT_A_NAME.sub("", " ".join(text.split())), source)

    def _resolve(self, text: str, source: Source) -> Reference:
        if re.match(r"condition\b", text, re.IGNORECASE):
            return Reference(text, "condition")
        if _CATEGORY.match(text) or codes_in(text[:4]):
            return self._category(text)
        for pattern, other in _OTHER_BOOK:
            if found := pattern.match(text):
                return self._in_table(text, text[found.end() :], other)
        if re.match(r"neoplasm\b", text, re.IGNORECASE) and self._volume.neoplasms is not None:
            in_table = self._in_table(text, text, "neoplasm")
            if in_table.kind != "dangling":
                return in_table
        for part in self._order(source):
            if found_there := _find(part, text):
                entries = tuple(part.entry(reached.number) for reached in found_there)
                return Reference(text, "entry", entries, by=_by(text))
        if poison := _POISON.match(text):
            return self._in_table(text, text[poison.end() :], "drug")
        if codes_in(text):  # Fracture, traumatic M84.40
            return self._category(text)
        return Reference(text, "incomplete" if _says_no_name(text) else "dangling")

    def _category(self, text: str) -> Reference:
        ranges = [f"{first}-{last}" for first, last in _RANGE.findall(text)]
        single = [code.rstrip("-.") for code in codes_in(_RANGE.sub(" ", text))]
        # "categories T17 and": what followed is missing, and what is there still leads somewhere.
        codes = tuple(dict.fromkeys((*ranges, *single)))
        return Reference(text, "category" if codes else "incomplete", codes=codes)

    def _in_table(self, text: str, rest: str, source: Source) -> Reference:
        """A reference to another part: a row of it, or the whole of it."""
        column = ""
        for words, name in (*_BEHAVIORS, *_INTENTS):
            if source in ("neoplasm", "drug") and words in rest.lower():
                rest = re.sub(words, " ", rest, flags=re.IGNORECASE)
                column = column or name
        part = self._volume.part(source)
        named = _RANGE.sub(" ", rest.lower()).replace("neoplasm", " ")
        if not stems_of(re.sub(r"\bcategories\b.*", " ", _BY.sub(" ", named))):
            return Reference(text, "table", table=source, column=column, by=_by(text))
        if source == "neoplasm" and not rest.lower().startswith("neoplasm"):
            rest = f"neoplasm, {rest}"
        found = _find(part, rest) if part is not None else ()
        if not found:
            return Reference(text, "dangling")
        assert part is not None
        entries = tuple(part.entry(reached.number) for reached in found)
        kind: Kind = "entry" if source in ("index", "external-cause") else "table"
        return Reference(text, kind, entries, table=source, column=column, by=_by(text))

    def _order(self, source: Source) -> list[AlphabeticIndex]:
        """The part the reference is in, then the others."""
        return sorted(self._volume.parts, key=lambda part: part.source != source)


def _without(entry: IndexEntry, reference: Reference) -> Reference:
    """A reference without the entry that has it, if there are others."""
    others = tuple(e for e in reference.entries if (e.source, e.number) != _place(entry))
    return replace(reference, entries=others) if others else reference


def _place(entry: IndexEntry) -> tuple[Source, int]:
    return entry.source, entry.number


def _find(part: AlphabeticIndex, text: str) -> tuple[Reached, ...]:
    """The entries a reference names in one part; nothing if a word fits nowhere."""
    plain = _BY.sub(" ", _PARENTHESES.sub(" ", text)).replace(".", ",")
    for stems in dict.fromkeys((stems_of(plain), stems_of(_BY.sub(" ", text)))):
        if not stems:
            continue
        for skips in range(3):
            found = walk(part, stems, skips=skips)
            if found and found[0].cost.left == 0:
                return tuple(found)
        # "blood vessel, laceration, by site": the site comes between, and is for the reader to add.
        if found and _by(text) and _all_below(part, found[0]):
            return (found[0],)
        if found and _is_cut(part, found[0], text):
            return (found[0],)
    return ()


def _is_cut(part: AlphabeticIndex, reached: Reached, text: str) -> bool:
    """True if a main term may have lost the words after its modifiers, as rebuilt files do.

    `Legg (-Calvé)` is what is left of Legg (-Calvé)-Perthes disease; nothing but words of the
    first part of the reference may be missing, and two at least have to be there.
    """
    first = stems_of(text.split(", ")[0])
    return (
        part.parent(reached.number) is None
        and part.printed(reached.number).endswith(")")
        and set(reached.left) < set(first)
        and len(first) - len(reached.left) > 1
    )


def _all_below(part: AlphabeticIndex, reached: Reached) -> bool:
    words = {
        stem for number in part.below(reached.number) for stem in stems_of(part.printed(number))
    }
    return all(word in words for word in reached.left)


def _by(text: str) -> str:
    found = _BY.search(text)
    return found[0].removeprefix("or ").removeprefix("by ") if found else ""


def _says_no_name(text: str) -> bool:
    """True for a direction that names no term: *specific organism*, *by specific substance*."""
    return re.match(r"(?:by |the )?(?:specif|substance)", text, re.IGNORECASE) is not None
