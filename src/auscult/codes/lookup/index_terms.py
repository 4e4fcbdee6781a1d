"""The wordings of the Alphabetic Index, the Neoplasm Table, the Table of Drugs and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

from auscult.codes.alphabetic.references import References
from auscult.codes.alphabetic.terms import Cell, IndexEntry, Source
from auscult.codes.alphabetic.volume import IndexVolume
from auscult.codes.lookup.terms import SearchTerm, TermSource
from auscult.codes.lookup.words import words_of
from auscult.codes.tabular.tabular_list import TabularList

_SPELLINGS = 6
"""How many ways to spell a path are kept."""
_SOURCES: Mapping[Source, TermSource] = {
    "index": TermSource.INDEX,
    "external-cause": TermSource.EXTERNAL_CAUSE,
    "neoplasm": TermSource.NEOPLASM,
    "drug": TermSource.DRUG,
}
_BEHAVIORS: Mapping[str, tuple[str, ...]] = {
    "malignant-primary": ("cancer", "malignant neoplasm"),
    "malignant-secondary": ("metastasis", "secondary malignant neoplasm"),
    "in-situ": ("carcinoma in situ",),
    "benign": ("benign neoplasm",),
    "uncertain": ("neoplasm of uncertain behavior",),
    "unspecified": ("neoplasm", "tumor"),
}
_SPREAD = "malignant-secondary"
_POISONING = "overdose intoxication toxicity toxic ingestion adverse effect reaction underdosing"


def index_terms(
    volume: IndexVolume, listed: TabularList, references: References
) -> Iterator[SearchTerm]:
    """The wordings of a volume, for codes that the Tabular List has."""
    for entry in volume:
        if entry.source == "neoplasm":
            yield from _neoplasms(entry, references, listed)
        elif entry.source == "drug":
            yield from _drugs(entry, listed)
        else:
            yield from _entry(entry, references, listed)


def index_aliases(volume: IndexVolume, references: References) -> Iterator[tuple[str, str]]:
    """Main terms of one word that the index sends on to another: words to be read as that, too.

    *Adenoma* is sent to *Neoplasm, benign, by site*: wherever it is, it is a benign neoplasm.
    """
    if volume.index is None:
        return
    for number in volume.index.mains():
        entry = volume.index.entry(number)
        see = references.see(entry)
        found = see or references.see_also(entry)
        if found is None or not found.is_resolved:
            continue
        if found.table == "neoplasm" and found.column:
            other = _BEHAVIORS[found.column][-1]
        elif see is not None and len(found.entries) == 1 and found.entries[0].level == 0:
            other = found.entries[0].title.spellings[0]
        else:  # "see also" another term is not to be read as it
            continue
        for spelling in entry.title.spellings:
            if len(words := words_of(spelling)) == 1:
                yield words[0], other.lower()


def _entry(entry: IndexEntry, references: References, listed: TabularList) -> Iterator[SearchTerm]:
    codes = [entry.code] if entry.code else _referred(entry, references)
    source = _SOURCES[entry.source]
    is_residual = "specified" in entry.flags
    known = [listed.written(code) for code in dict.fromkeys(codes) if code in listed]
    if not known:
        return
    label, modifiers = str(entry), _modifiers(entry)
    for code in known:
        for words in _spelled(entry):
            is_written = not is_residual and _is_written(entry, words)
            yield SearchTerm(words, code, source, label, modifiers, is_residual, is_written)


def _is_written(entry: IndexEntry, words: str) -> bool:
    """Whether the words of an entry may stand for it in a note.

    One word is enough where it is the main term, and not half of a name: *Weil (-Felix)*.
    """
    if len(words_of(words)) > 1:
        return True
    return entry.level == 0 and not any(m.startswith("-") for m in entry.title.modifiers)


def _referred(entry: IndexEntry, references: References) -> list[str]:
    """The codes that an entry leads to by its reference; none where it leads to many."""
    # What is only said to be seen "also" still leads there, where the term has no code of its own.
    found = references.see(entry) or references.see_also(entry)
    if found is None or found.by:
        return []
    if found.kind == "category":
        return [code for code in found.codes if "-" not in code] if len(found.codes) == 1 else []
    if found.kind == "table":
        cells = [
            cell.code for row in found.entries for cell in row.cells if cell.column == found.column
        ]
        return cells[:1]
    return [target.code for target in found.entries if target.code][:1]


def _neoplasms(
    entry: IndexEntry, references: References, listed: TabularList
) -> Iterator[SearchTerm]:
    # A cancer that is found in lymph nodes has spread there, but for lymphomas, which have names.
    is_node = len(entry.titles) > 1 and entry.titles[1].text.startswith("lymph")
    for cell in _cells(entry, references):
        if is_node and cell.column == "malignant-primary":
            continue
        if cell.code in listed:
            spread = ("cancer", "malignant neoplasm") if is_node and cell.column == _SPREAD else ()
            for name in (*_BEHAVIORS.get(cell.column, ()), *spread):
                for words in _spelled(entry, skip=1):
                    yield SearchTerm(
                        f"{name} {words}", listed.written(cell.code), TermSource.NEOPLASM,
                        f"{entry}: {cell.column}", _modifiers(entry), "specified" in entry.flags,
                    )  # fmt: skip


def _cells(entry: IndexEntry, references: References) -> Iterator[Cell]:
    """The cells of a row; those that it lacks are those of the row that it refers to."""
    yield from entry.cells
    found = references.see(entry) or references.see_also(entry)
    if found is not None and found.is_resolved and len(found.entries) == 1:
        own = {cell.column for cell in entry.cells}
        yield from (cell for cell in found.entries[0].cells if cell.column not in own)


def _drugs(entry: IndexEntry, listed: TabularList) -> Iterator[SearchTerm]:
    """One wording for a substance; which intent it was is a matter of the words beside it."""
    heading = next((cell.code[:-1] for cell in entry.cells if cell.code[:-1] in listed), None)
    if heading is not None:
        for words in _spelled(entry):
            yield SearchTerm(
                f"poisoning {words}", listed.written(heading), TermSource.DRUG, str(entry),
                f"{_modifiers(entry)} {_POISONING}",
            )  # fmt: skip


def _spelled(entry: IndexEntry, skip: int = 0) -> Iterator[str]:
    """The words of a path, in each of its spellings."""
    titles = [title.spellings or (title.text,) for title in entry.titles[skip:]]
    return (" ".join(choice) for choice in islice(product(*titles), _SPELLINGS))


def _modifiers(entry: IndexEntry) -> str:
    return " ".join(modifier for title in entry.titles for modifier in title.modifiers)
