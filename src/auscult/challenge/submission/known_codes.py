"""The codes that a submission may give, found by how it writes them."""

from __future__ import annotations

from collections.abc import Collection

from auscult.challenge.submission.submission import SubmittedCode
from auscult.core import Code
from auscult.core.names import shown


class KnownCodes:
    """The codes of the label set, by their value."""

    def __init__(self, codes: Collection[Code]) -> None:
        self.codes = set(codes)
        self._by_value: dict[str, list[Code]] = {}
        for code in sorted(self.codes):
            self._by_value.setdefault(code.value, []).append(code)
        self._by_letters = {_bare(value): value for value in self._by_value}
        systems = sorted({code.system for code in self.codes})
        self._system = systems[0] if len(systems) == 1 else None

    def code(self, given: SubmittedCode) -> Code:
        """The code that is meant, in the label set or not."""
        found = self._by_value.get(given.value, [])
        if len(found) == 1:
            return found[0]
        # With one system in the label set, that is the one that is meant, whatever it is called.
        return Code(self._system or given.system or "unknown", given.value)

    def outside(self, given: SubmittedCode, is_closed: bool) -> str:
        """What to say of a code that is not in the label set, or that gold never has."""
        says = f"code {shown(given.value)} is " + (
            "not in the label set" if is_closed else "not among the gold codes"
        )
        if len(self._by_value.get(given.value, [])) > 1:
            return f"{says} of {given.system or 'no code system'}; name its code system"
        near = self._by_letters.get(_bare(given.value))
        return says if near is None else f"{says}; write {near}"


def _bare(value: str) -> str:
    return value.replace(".", "").replace(" ", "").lower()
