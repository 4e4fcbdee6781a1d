"""Codes as BioC's infons name them: `MESH:D003920`, a bare `672` of a Gene, several at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from auscult.codes import SYSTEMS
from auscult.core import Code

IDENTIFIERS = ("identifier", "Identifier", "MESH", "OMIM", "UMLS", "CUI", "NCBI Gene", "dbSNP")
"""The infons that may hold a code, in order of preference."""

_PREFIXES = {"MESH": "MeSH", "MSH": "MeSH", "OMIM": "OMIM", "UMLS": "UMLS", "CUI": "UMLS"}
_TOLD_BY_SHAPE = ("UMLS", "MeSH", "HPO")
_NONE = {"", "-", "-1", "None", "none", "null"}
_SEPARATOR = re.compile(r"[;,|]")
_PREFIXED = re.compile(r"([A-Za-z][^:\s]*):(\S.*)", re.DOTALL)


def codes(infons: Mapping[str, str], keys: Sequence[str], system: str | None) -> list[Code]:
    """The codes that an annotation's infons name, none when they name none."""
    if infons.get("system") and infons.get("identifier"):
        return [Code(infons["system"], infons["identifier"])]
    key = key_of(infons, keys)
    if key is None:
        return []
    default = system or infons.get("type") or key
    if key.lower() != "identifier":
        default = _PREFIXES.get(key.upper(), key)
    parts = (part.strip() for part in _SEPARATOR.split(infons[key]))
    return [_code(part, default) for part in parts if part not in _NONE]


def key_of(infons: Mapping[str, str], keys: Sequence[str]) -> str | None:
    """The infon that holds codes."""
    return next((key for key in keys if infons.get(key)), None)


def infons_of(code: Code) -> dict[str, str]:
    """The infons from which `codes` reads the code again, whatever its options.

    >>> infons_of(Code("MeSH", "D003920")), infons_of(Code("HPO", "HP:0001250"))
    ({'identifier': 'MESH:D003920'}, {'identifier': 'HP:0001250'})
    >>> infons_of(Code("local codes", "7;8"))
    {'identifier': '7;8', 'system': 'local codes'}
    """
    prefix = "MESH" if code.system == "MeSH" else code.system
    for written in (code.value, f"{prefix}:{code.value}"):
        infons = {"identifier": written}
        if ":" in written and codes(infons, IDENTIFIERS, None) == [code]:
            return infons
    return {"identifier": code.value, "system": code.system}


def _code(raw: str, default: str) -> Code:
    for name in _TOLD_BY_SHAPE:
        if SYSTEMS[name].shape.fullmatch(raw):
            return Code(name, raw)
    if (match := _PREFIXED.fullmatch(raw)) is not None:
        return Code(_PREFIXES.get(match[1].upper(), match[1]), match[2])
    return Code(default, raw)
