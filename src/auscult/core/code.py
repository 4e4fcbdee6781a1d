"""A code: a value of a code system, such as `ICD-10-CM I10` or `UMLS C0004096`."""

from __future__ import annotations

from dataclasses import dataclass

from auscult.core.errors import AuscultError


@dataclass(frozen=True, slots=True, order=True)
class Code:
    """A code of a code system, written as its publisher writes it (ICD codes with their dot).

    >>> str(Code("ICD-10-CM", "I10"))
    'ICD-10-CM I10'
    """

    system: str
    value: str

    def __post_init__(self) -> None:
        if not self.system or not self.value:
            raise AuscultError(
                f"A code needs a system and a value; got system {self.system!r}, "
                f"value {self.value!r}."
            )

    def __str__(self) -> str:
        return f"{self.system} {self.value}"
