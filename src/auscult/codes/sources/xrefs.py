"""Cross-references as ontologies write them: `UMLS_CUI:C0004096`, `ICD10CM:J45`, `MESH:D001249`."""

from __future__ import annotations

import re

from auscult.codes.systems import normalize
from auscult.core import Code

_SYSTEMS = {
    "UMLS": "UMLS",
    "UMLS_CUI": "UMLS",
    "MESH": "MeSH",
    "MSH": "MeSH",
    "OMIM": "OMIM",
    "MIM": "OMIM",
    "OMIMPS": "OMIMPS",
    "ICD9CM": "ICD-9-CM",
    "ICD10CM": "ICD-10-CM",
    "ICD-9": "ICD-9-CM",
    "SNOMEDCT_US": "SNOMEDCT_US",
    "SNOMEDCT": "SNOMEDCT_US",
}
_RELEASE = re.compile(r"_\d{4}_\d{2}_\d{2}$")
_SHAPE = re.compile(r"([^\s:]+):\s*(\S+)")


def read_xref(text: str) -> Code | None:
    """A cross-reference as a code; a web address or anything else that is none gives None.

    >>> read_xref("UMLS_CUI:C0004096"), read_xref("SNOMEDCT_US_2025_09_01:195967001")
    (Code(system='UMLS', value='C0004096'), Code(system='SNOMEDCT_US', value='195967001'))
    >>> read_xref("https://orcid.org/0000") is None
    True
    """
    match = _SHAPE.match(text.strip())
    if match is None or match[2].startswith("//"):
        return None
    prefix = _RELEASE.sub("", match[1])
    system = _SYSTEMS.get(prefix.upper(), prefix)
    return Code(system, normalize(system, match[2]))
