"""Check the references of a volume: how many lead somewhere, which do not, which go in circles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from auscult.codes.alphabetic.alphabetic_index import AlphabeticIndex
from auscult.codes.alphabetic.references import Reference, References
from auscult.codes.alphabetic.terms import IndexEntry
from auscult.codes.alphabetic.volume import IndexVolume

_EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class ReferenceReport:
    """The references by kind, with the first that lead nowhere."""

    see: dict[str, int]
    see_also: dict[str, int]
    unresolved: tuple[str, ...]
    """`entry → reference` of the first that are dangling or incomplete, each text once."""
    cycles: tuple[tuple[str, ...], ...]
    """Entries whose `see` comes back to the first of them."""

    @property
    def resolved(self) -> float:
        """The share of `see` references that lead to an entry, a table or codes."""
        total = sum(self.see.values())
        found = sum(self.see.get(kind, 0) for kind in ("entry", "table", "category"))
        return found / total if total else 1.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "see": self.see,
            "see_also": self.see_also,
            "resolved": self.resolved,
            "unresolved": list(self.unresolved),
            "cycles": [list(cycle) for cycle in self.cycles],
        }


def reference_report(
    checked: AlphabeticIndex | IndexVolume, volume: IndexVolume | None = None
) -> ReferenceReport:
    """The references of an index or of a whole volume.

    An index refers to the tables too: give the `volume` it belongs to, or they are dangling.
    """
    if isinstance(checked, IndexVolume):
        volume, parts = checked, checked.parts
    else:
        parts = (checked,)
        volume = volume or IndexVolume.of(parts)
    references = References(volume)
    see: Counter[str] = Counter()
    see_also: Counter[str] = Counter()
    unresolved: dict[str, str] = {}
    leads: dict[_Key, tuple[_Key, ...]] = {}
    names: dict[_Key, str] = {}
    for entry in (entry for part in parts for entry in part):
        for found, counter in (
            (references.see(entry), see),
            (references.see_also(entry), see_also),
        ):
            if found is None:
                continue
            counter[found.kind] += 1
            if found.kind in ("dangling", "incomplete"):
                unresolved.setdefault(found.text, str(entry))
            if counter is see:
                names[_key(entry)] = str(entry)
                leads[_key(entry)] = tuple(map(_key, _followed(found)))
    return ReferenceReport(
        see=dict(see.most_common()),
        see_also=dict(see_also.most_common()),
        unresolved=tuple(f"{entry} → {text}" for text, entry in unresolved.items())[:_EXAMPLES],
        cycles=tuple(tuple(names[key] for key in cycle) for cycle in _cycles(leads)),
    )


_Key = tuple[str, int]


def _key(entry: IndexEntry) -> _Key:
    return entry.source, entry.number


def _followed(reference: Reference) -> Iterator[IndexEntry]:
    """The entries a reader goes on to: those that have nothing but another `see`."""
    for target in reference.entries:
        if not target.code and not target.cells:
            yield target


def _cycles(leads: dict[_Key, tuple[_Key, ...]]) -> list[tuple[_Key, ...]]:
    """The circles: following the first lead of each entry returns to where it began."""
    found: list[tuple[_Key, ...]] = []
    done: set[_Key] = set()
    for start in leads:
        path: dict[_Key, None] = {}
        at: _Key | None = start
        while at is not None and at not in done and at not in path:
            path[at] = None
            onward = [key for key in leads.get(at, ()) if key in leads]
            at = onward[0] if onward else None
        if at is not None and at in path:
            steps = list(path)
            found.append(tuple(steps[steps.index(at) :]))
        done |= path.keys()
    return found
