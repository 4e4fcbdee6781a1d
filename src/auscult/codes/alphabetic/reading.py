"""Read the Alphabetic Index or the External Cause Index from CDC's XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from auscult.codes.alphabetic.alphabetic_index import AlphabeticIndex
from auscult.codes.alphabetic.columns import Row, pack_rows
from auscult.codes.alphabetic.terms import Source, split_manifestations
from auscult.codes.alphabetic.xml import open_xml
from auscult.core import FormatError

_TAGS = {
    "see": "see",
    "seeAlso": "see_also",
    "seecat": "category",
    "subcat": "subcategory",
    "manif": "manifestation",
    "warning": "note",
    "note": "note",
}
_HEADS: dict[str, Source] = {"neoplasm": "neoplasm", "substance": "drug"}
_FILES = {
    "index": "icd10cm-index XML",
    "external-cause": "icd10cm-eindex XML",
    "neoplasm": "icd10cm-neoplasm XML",
    "drug": "icd10cm-drug XML",
}
# A modifier is a few words; the Neoplasm Table has a page of instructions in its place.
_LONGEST_MODIFIER = 100


def read_index(path: Path) -> AlphabeticIndex:
    """The Index to Diseases and Injuries, or the External Cause Index."""
    root = open_xml(path)
    source = source_of(root)
    if source not in ("index", "external-cause"):
        raise FormatError(
            f"expected an alphabetic index, got the {source} table; read it with the function for "
            "that table",
            path,
        )
    return index_of(root, source)


def source_of(root: Element) -> Source:
    """Which of the four files this is, by its heading."""
    head = root.find("indexHeading/head[@col='1']")
    if head is not None:
        return _HEADS.get(text_of(head).lower(), "index")
    title = root.find("title")
    external = title is not None and "external cause" in text_of(title).lower()
    return "external-cause" if external else "index"


def read_table(path: Path, source: Source, columns: Sequence[str]) -> AlphabeticIndex:
    """One of the two tables, whose rows have a cell for each column from the second on."""
    root = open_xml(path)
    found = source_of(root)
    if found != source:
        raise FormatError(
            f"expected the {source} table, got the {found} file; pass CDC's {_FILES[source]}", path
        )
    return index_of(root, source, columns, _cell_reader(columns, path))


def read_any(path: Path, columns: Mapping[Source, Sequence[str]]) -> AlphabeticIndex:
    """An index or a table, whichever the file is; `columns` has those of the tables."""
    root = open_xml(path)
    source = source_of(root)
    of_table = columns.get(source, ())
    return index_of(root, source, of_table, _cell_reader(of_table, path))


def _cell_reader(columns: Sequence[str], path: Path) -> Callable[[Element], list[str]]:
    def cells(term: Element) -> list[str]:
        row = [""] * len(columns)
        for cell in term.findall("cell"):
            column = cell.get("col", "")
            if not column.isdecimal() or not 2 <= int(column) < len(columns) + 2:
                raise FormatError(
                    f"expected cells in columns 2 to {len(columns) + 1} only, got column "
                    f"{column!r}; download the file again",
                    path,
                )
            # A dash alone is an empty cell; after a code it asks for more characters.
            row[int(column) - 2] = text_of(cell).strip("-–— ") and text_of(cell)
        return row

    return cells


def index_of(
    root: Element,
    source: Source,
    columns: Sequence[str] = (),
    cells: Callable[[Element], Sequence[str]] = lambda _: (),
) -> AlphabeticIndex:
    """The index in an XML tree."""
    version = root.findtext("version", "").strip()
    rows = [
        _row(term, level, cells)
        for letter in root.findall("letter")
        for main in letter.findall("mainTerm")
        for term, level in _descend(main)
    ]
    about = {"source": source, "release": version, "columns": list(columns)}
    return AlphabeticIndex.from_arrays(pack_rows(rows, about))


def text_of(element: Element) -> str:
    """An element's text, blanks collapsed; of an addendum, the text as it is now."""
    text = "".join(_texts(element)) if len(element) else element.text or ""
    return " ".join(text.split())


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag != "old":
            yield from _texts(child)
        yield child.tail or ""


def _descend(main: Element) -> Iterator[tuple[Element, int]]:
    """A main term and what is below it, in the order of the book; any depth, without recursion."""
    waiting = [(main, 0)]
    while waiting:
        term, level = waiting.pop()
        yield term, level
        waiting += [(below, level + 1) for below in reversed(term.findall("term"))]


def _row(term: Element, level: int, cells: Callable[[Element], Sequence[str]]) -> Row:
    title, note = _title(term)
    texts = {"note": note} if note else {}
    for child in term:
        if (name := _TAGS.get(child.tag)) is not None and (text := text_of(child)):
            texts[name] = f"{texts[name]}; {text}" if name in texts else text
    code, manifestations = split_manifestations(text_of(term_code(term)))
    if code:
        texts["code"] = code
    if manifestations:
        texts["manifestation"] = ", ".join(
            (*texts.get("manifestation", "").split(), *manifestations)
        )
    return Row(title, level, texts, cells(term))


def term_code(term: Element) -> Element:
    """The element with the code; an empty one where there is none."""
    found = term.find("code")
    return Element("code") if found is None else found


def _title(term: Element) -> tuple[str, str]:
    """The title as printed, every modifier in parentheses, and a note that stood in its place."""
    element = term.find("title")
    if element is None:
        changed = term.find("diff")
        return ("" if changed is None else text_of(changed)), ""
    parts, note = [element.text or ""], ""
    for child in element:
        text = text_of(child)
        if child.tag != "nemod":
            parts.append(text)
        elif len(text) > _LONGEST_MODIFIER and not re.fullmatch(r"(\([^()]*\)\s*)+", text):
            note = text
        else:
            parts += [" ", _in_parentheses(text), " "]
        parts.append(child.tail or "")
    return " ".join("".join(parts).replace(" ,", ",").split()), note


def _in_parentheses(modifiers: str) -> str:
    """Modifiers, all of them in parentheses, also words that stand between two."""
    if modifiers.count("(") != modifiers.count(")") or "((" in modifiers:
        return f"({modifiers.replace('(', ' ').replace(')', ' ')})"
    pieces = re.findall(r"\((?:[^()]|\([^()]*\))*\)|[^()]+", modifiers)
    return " ".join(
        piece if piece.startswith("(") else f"({piece.strip()})"
        for piece in pieces
        if piece.strip()
    )
