"""BioC collections in files, XML or JSON, as one set of values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any
from xml.etree.ElementTree import Element

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from auscult.core import FormatError, xml
from auscult.core.files import check_not_utf16, read_bytes
from auscult.corpus.formats.shared import strict_json

SUFFIXES = (".xml", ".xml.gz", ".json", ".json.gz", ".jsonl", ".jsonl.gz")

Offset = Annotated[int, Field(ge=0, lt=2**53)]


def _as_strings(infons: Any) -> Any:
    """Infons as BioC has them: strings. What JSON writes otherwise becomes its JSON."""
    if not isinstance(infons, dict):
        return infons
    return {
        key: said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        for key, said in infons.items()
        if said is not None
    }


Infons = Annotated[dict[str, str], BeforeValidator(_as_strings)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    infons: Infons = {}
    row: int | None = Field(None, validation_alias="#row")


class Location(BaseModel):
    """A range of the document's text."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    offset: Offset
    length: Offset


class BiocAnnotation(_Part):
    """A BioC annotation."""

    text: str | None = Field(None, repr=False)
    locations: tuple[Location, ...] = ()


class Sentence(_Part):
    """A sentence of a passage that is cut into sentences."""

    offset: Offset
    text: str | None = Field(None, repr=False)
    annotations: tuple[BiocAnnotation, ...] = ()
    relations: tuple[Any, ...] = Field((), repr=False)


class Passage(Sentence):
    """A piece of the text, whole or in sentences."""

    sentences: tuple[Sentence, ...] = ()


class BiocDocument(_Part):
    """A BioC document."""

    id: str = Field(min_length=1)
    passages: tuple[Passage, ...] = ()
    annotations: tuple[BiocAnnotation, ...] = ()
    relations: tuple[Any, ...] = Field((), repr=False)

    def marked(self) -> Iterator[BiocAnnotation]:
        """Every annotation, wherever it hangs."""
        yield from self.annotations
        for passage in self.passages:
            yield from passage.annotations
            for sentence in passage.sentences:
                yield from sentence.annotations

    def count_relations(self) -> int:
        """How many relations there are."""
        parts: list[Sentence] = [*self.passages]
        parts += (sentence for passage in self.passages for sentence in passage.sentences)
        return len(self.relations) + sum(len(part.relations) for part in parts)


def articles(path: Path) -> Iterator[BiocDocument]:
    """The documents of a BioC file."""
    if path.name.lower().endswith((".xml", ".xml.gz")):
        found = _from_xml(path)
    else:
        found = ((None, raw) for raw in _from_json(path))
    for number, (row, raw) in enumerate(found, 1):
        try:
            yield BiocDocument.model_validate(raw)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise FormatError(
                f"document {number} is not valid BioC: {where}: {first['msg']}", path, row
            ) from None
        except RecursionError:
            raise FormatError(f"document {number} is nested too deeply", path, row) from None


def _from_json(path: Path) -> Iterator[Any]:
    """The documents of a collection, of a list or an answer of PubTator, or one a line."""
    raw = read_bytes(path)
    check_not_utf16(raw, path)
    lines = raw.split(b"\n")
    if _is_whole(next((line for line in lines if line.strip()), b"")):
        for row, line in enumerate(lines, 1):
            if line.strip():
                yield from _documents(strict_json.parse(line, path, row), path)
    else:
        yield from _documents(strict_json.parse(raw, path), path)


def _is_whole(line: bytes) -> bool:
    """Whether a line is an object by itself; then so are those after it."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _documents(value: Any, path: Path) -> Iterable[Any]:
    if isinstance(value, list):
        return [document for member in value for document in _documents(member, path)]
    if isinstance(value, dict):
        for key in ("documents", "PubTator3"):
            if isinstance(value.get(key), list):
                return list(value[key])
        if "passages" in value:
            return [value]
    raise FormatError("is not BioC: it has neither documents nor passages", path)


def _from_xml(path: Path) -> Iterator[tuple[int | None, dict[str, Any]]]:
    root = xml.parse(path)
    if root.tag not in ("collection", "document"):
        raise FormatError(
            f"is not BioC: its root element is {root.tag[:40]}, not collection", path, 1
        )
    for element in [root] if root.tag == "document" else root.iterfind("document"):
        yield (
            xml.row_of(element),
            _part(element)
            | {
                "id": element.findtext("id") or "",
                "passages": [_passage(child) for child in element.iterfind("passage")],
            },
        )


def _part(element: Element) -> dict[str, Any]:
    return {
        "#row": xml.row_of(element),
        "infons": {infon.get("key", ""): infon.text or "" for infon in element.iterfind("infon")},
        "annotations": [_marked(child) for child in element.iterfind("annotation")],
        "relations": [None for _ in element.iterfind("relation")],
    }


def _passage(element: Element) -> dict[str, Any]:
    return _part(element) | {
        "offset": (element.findtext("offset") or "").strip(),
        "text": _text(element),
        "sentences": [_passage(child) for child in element.iterfind("sentence")],
    }


def _marked(element: Element) -> dict[str, Any]:
    return _part(element) | {
        "text": _text(element),
        "locations": [dict(child.attrib) for child in element.iterfind("location")],
    }


def _text(element: Element) -> str | None:
    """The text, or None when the element is not there; an empty one is an empty text."""
    return element.findtext("text")
