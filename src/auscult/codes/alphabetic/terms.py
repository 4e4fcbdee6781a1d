"""The values of the Alphabetic Index: an entry, a cell of a table, and the words to search for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from auscult.codes.alphabetic.titles import Title

Source = Literal["index", "external-cause", "neoplasm", "drug"]
SOURCES: tuple[Source, ...] = ("index", "external-cause", "neoplasm", "drug")

_CODE = re.compile(r"[A-Z][0-9][0-9A-Z](?:\.[0-9A-Z]*)?-?")


@dataclass(frozen=True, slots=True)
class Cell:
    """One code of a row of the Neoplasm Table or the Table of Drugs."""

    column: str
    """The behavior or the intent, such as `malignant-primary` or `accidental`."""
    code: str
    needs_more: bool = False


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One line of the index, with the terms above it."""

    number: int
    """Its place in the file, from 0."""
    source: Source
    titles: tuple[Title, ...]
    """From the main term down to this line."""
    code: str = ""
    needs_more: bool = False
    """True if the code is written with a dash (`S72.0-`): more characters have to follow."""
    manifestations: tuple[str, ...] = ()
    """Codes to add for the manifestation, written in brackets (`E85.4 [I43]`)."""
    see: str = ""
    see_also: str = ""
    see_category: str = ""
    subcategory: str = ""
    note: str = ""
    cells: tuple[Cell, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """The titles without modifiers, main term first."""
        return tuple(title.text for title in self.titles)

    @property
    def title(self) -> Title:
        """Its own title."""
        return self.titles[-1]

    @property
    def level(self) -> int:
        """0 for a main term, 1 for its subterms, and so on."""
        return len(self.titles) - 1

    @property
    def modifiers(self) -> tuple[str, ...]:
        """The non-essential modifiers of its own title."""
        return self.title.modifiers

    @property
    def flags(self) -> tuple[str, ...]:
        """Of NEC, NOS, specified, unspecified: those of its own title."""
        return self.title.flags

    def __str__(self) -> str:
        return ", ".join(self.path)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "number": self.number,
            "source": self.source,
            "path": list(self.path),
            "level": self.level,
            "title": self.title.printed,
            "spellings": list(self.title.spellings),
            "modifiers": list(self.modifiers),
            "flags": list(self.flags),
            "code": self.code or None,
            "needs_more": self.needs_more,
            "manifestations": list(self.manifestations),
            "see": self.see or None,
            "see_also": self.see_also or None,
            "see_category": self.see_category or None,
            "subcategory": self.subcategory or None,
            "note": self.note or None,
            "cells": {c.column: c.code + "-" * c.needs_more for c in self.cells},
        }


@dataclass(frozen=True, slots=True)
class IndexPhrase:
    """The words by which an entry is found, folded but not stemmed."""

    required: tuple[tuple[tuple[str, ...], ...], ...]
    """For each step of the path its spellings, each a sequence of words; without connectives."""
    optional: tuple[tuple[str, ...], ...]
    """Non-essential modifiers of all steps, and *specified*, *unspecified*."""
    connectives: tuple[str, ...]
    """Connectives of the path in order; `without` is one of them and matters most."""


def parse_code(written: str) -> tuple[str, bool]:
    """A code as the index writes it, and whether more characters have to follow.

    >>> parse_code("S72.0-"), parse_code("M05.-"), parse_code("I10")
    (('S72.0', True), ('M05', True), ('I10', False))
    """
    code = written.strip().rstrip("-–").rstrip(".")
    return code, written.strip()[-1:] in ("-", "–")


def split_manifestations(written: str) -> tuple[str, tuple[str, ...]]:
    """The code and the manifestation codes in brackets after it.

    >>> split_manifestations("E11.40 [G99.0]")
    ('E11.40', ('G99.0',))
    """
    code, _, rest = written.partition("[")
    return code.strip(), tuple(_CODE.findall(rest))


def codes_in(written: str) -> tuple[str, ...]:
    """Every code in a text.

    >>> codes_in("subcategory M14.8-"), codes_in("ventral surface of tongue")
    (('M14.8-',), ())
    """
    return tuple(_CODE.findall(written))
