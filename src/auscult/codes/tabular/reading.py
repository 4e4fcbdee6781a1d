"""Read the official XML of the ICD-10-CM Tabular List: chapter, section, and `diag` in `diag`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from auscult.codes.systems import is_well_formed
from auscult.codes.tabular.building import (
    DraftBlock,
    DraftChapter,
    DraftEntry,
    TabularDraft,
    build_arrays,
)
from auscult.codes.tabular.entries import InstructionKind
from auscult.codes.tabular.tabular_list import TabularList
from auscult.core import Code, FormatError, xml

ROOT = "ICD10CM.tabular"
_INSTRUCTIONS = {
    "includes": InstructionKind.INCLUDES,
    "excludes1": InstructionKind.EXCLUDES1,
    "excludes2": InstructionKind.EXCLUDES2,
    "codeFirst": InstructionKind.CODE_FIRST,
    "useAdditionalCode": InstructionKind.USE_ADDITIONAL,
    "codeAlso": InstructionKind.CODE_ALSO,
    "notes": InstructionKind.NOTE,
}
_LONGEST = 7
# "7th characters D and S do not apply to codes in category S06 with 6th character 7 - death …, or
# 8 - death …": the one exception that the book states in words.
_EXCEPTION = re.compile(
    r"7th characters? (?P<dropped>[0-9A-Z](?:,? (?:and )?[0-9A-Z])*) do(?:es)? not apply to codes "
    r"in (?:sub)?category (?P<at>[0-9A-Z.]+) with (?P<place>[4-6])th character (?P<those>.+)"
)


def read_tabular(path: Path) -> TabularList:
    """The Tabular List in an official XML file of any fiscal year."""
    return tabular_from(xml.parse(path), path)


def tabular_from(root: Element, path: Path) -> TabularList:
    """The Tabular List in the parsed file of which `path` is the name."""
    if root.tag != ROOT:
        raise FormatError(
            f"expected the XML of the ICD-10-CM Tabular List (<{ROOT}>), got <{root.tag}>; pass "
            "the tabular file of a release as CDC publishes it",
            path,
            xml.row_of(root),
        )
    return TabularList(build_arrays(_Reader(path).read(root)))


def release_year(root: Element, path: Path) -> str:
    """The fiscal year that a file of a release says it is of."""
    year = (root.findtext("version") or "").strip()
    if not re.fullmatch(r"20\d\d", year):
        raise FormatError(
            "expected the fiscal year of the release in <version>, such as 2026; the file has none",
            path,
            xml.row_of(root),
        )
    return year


@dataclass
class _Table:
    """The 7th characters in force, with the exceptions from them."""

    number: int
    meanings: dict[str, str]
    exceptions: list[tuple[int, str, str]] = field(default_factory=list)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._draft = TabularDraft("")

    def read(self, root: Element) -> TabularDraft:
        self._draft.release = release_year(root, self._path)
        for chapter in root.findall("chapter"):
            number = self._text(chapter, "name")
            title = _untitled(self._text(chapter, "desc"))
            instructions = list(_instructions(chapter))
            self._draft.chapters.append(DraftChapter(number, title, instructions))
            for section in chapter.findall("section"):
                self._section(section)
        if not self._draft.entries:
            raise FormatError(
                "expected chapters with codes (<diag>), got none; download the file again",
                self._path,
            )
        return self._draft

    def _section(self, section: Element) -> None:
        value = section.get("id") or ""
        if not re.fullmatch(r"[0-9A-Z]{3}(-[0-9A-Z]{3})?", value):
            raise FormatError(
                f"expected the range of a section in its id, such as A00-A09, got {value[:12]!r}; "
                "download the file again",
                self._path,
                xml.row_of(section),
            )
        title = _untitled(self._text(section, "desc"))
        instructions = list(_instructions(section))
        # A block has no terms of its own: the few that stand there say what it includes.
        instructions += [(InstructionKind.INCLUDES, term) for term in _terms(section)]
        chapter = len(self._draft.chapters) - 1
        self._draft.blocks.append(DraftBlock(value, title, chapter, instructions))
        for category in section.findall("diag"):
            self._entry(category, None, None)

    def _entry(self, item: Element, parent: str | None, table: _Table | None) -> None:
        plain = self._value(item, parent)
        table = self._seventh(item, plain) or table
        if table is not None:
            table.exceptions += _exceptions(item)
        below = item.findall("diag")
        description = self._text(item, "desc")
        extended = not below and table is not None and len(plain) < _LONGEST
        meanings, number = _in_force(table, plain, self._draft)
        block = len(self._draft.blocks) - 1
        self._add(
            item,
            plain,
            DraftEntry(
                description,
                billable=not below and not extended,
                parent=parent,
                block=block,
                table=number,
                terms=list(_terms(item)),
                instructions=list(_instructions(item)),
            ),
        )
        for child in below:
            self._entry(child, plain, table)
        if extended:
            for character, meaning in meanings.items():
                longer = plain.ljust(_LONGEST - 1, "X") + character
                full = f"{description}, {meaning}"
                self._add(item, longer, DraftEntry(full, True, plain, block, number))

    def _add(self, item: Element, plain: str, entry: DraftEntry) -> None:
        if plain in self._draft.entries:
            raise FormatError(
                f"the code {plain} is in the file twice; download the file again",
                self._path,
                xml.row_of(item),
            )
        self._draft.entries[plain] = entry

    def _value(self, item: Element, parent: str | None) -> str:
        value = self._text(item, "name")
        plain = value.replace(".", "")
        fits = parent is None or (plain.startswith(parent) and len(plain) > len(parent))
        if not fits or not is_well_formed(Code("ICD-10-CM", value)):
            where = "" if parent is None else f" below {parent}"
            raise FormatError(
                f"expected an ICD-10-CM code{where}, got {value[:12]!r}; download the file again",
                self._path,
                xml.row_of(item),
            )
        return plain

    def _seventh(self, item: Element, plain: str) -> _Table | None:
        defined = item.find("sevenChrDef")
        if defined is None:
            return None
        meanings = {}
        for extension in defined.findall("extension"):
            character = (extension.get("char") or "").strip()
            if not re.fullmatch("[0-9A-Z]", character):
                raise FormatError(
                    f"expected one letter or digit as 7th character, got {character[:12]!r}; "
                    "download the file again",
                    self._path,
                    xml.row_of(extension),
                )
            meanings[character] = _clean(extension.text)
        if not meanings:
            return None
        note = " ".join(_notes(item, "sevenChrNote"))
        return _Table(self._draft.add_table(plain, note, meanings), meanings)

    def _text(self, item: Element, tag: str) -> str:
        text = _clean(item.findtext(tag))
        if not text:
            raise FormatError(
                f"expected <{tag}> with text in <{item.tag}>, got none; download the file again",
                self._path,
                xml.row_of(item),
            )
        return text


def _in_force(table: _Table | None, plain: str, draft: TabularDraft) -> tuple[dict[str, str], int]:
    """The 7th characters of a code and the number of their table; -1 without one."""
    if table is None:
        return {}, -1
    dropped = "".join(
        characters
        for place, those, characters in table.exceptions
        if len(plain) >= place and plain[place - 1] in those
    )
    if not dropped:
        return table.meanings, table.number
    meanings = {c: meaning for c, meaning in table.meanings.items() if c not in dropped}
    return meanings, draft.narrowed(table.number, meanings)


def _exceptions(item: Element) -> Iterator[tuple[int, str, str]]:
    """Which character decides, its values, and the 7th characters that do not apply then."""
    for note in _notes(item, "notes"):
        found = _EXCEPTION.match(note)
        if found is not None:
            those = "".join(re.findall(r"(?:^|\bor )([0-9A-Z])\b", found["those"]))
            dropped = "".join(re.findall(r"\b[0-9A-Z]\b", found["dropped"]))
            yield int(found["place"]), those, dropped


def _instructions(item: Element) -> Iterator[tuple[InstructionKind, str]]:
    for part in item:
        kind = _INSTRUCTIONS.get(part.tag)
        if kind is not None:
            for note in part.findall("note"):
                if text := _clean(note.text):
                    yield kind, text


def _terms(item: Element) -> Iterator[str]:
    yield from _notes(item, "inclusionTerm")


def _notes(item: Element, tag: str) -> Iterator[str]:
    for part in item.findall(tag):
        for note in part.findall("note"):
            if text := _clean(note.text):
                yield text


def _clean(text: str | None) -> str:
    return " ".join((text or "").split())


def _untitled(text: str) -> str:
    """A title without the range that ends it: the range is known."""
    return re.sub(r"\s*\([0-9A-Z]{3}(?:-[0-9A-Z]{3})?\)$", "", text)
