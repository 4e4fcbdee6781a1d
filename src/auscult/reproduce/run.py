"""Running reproductions: each result is stored, so that an interrupted run can resume."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from auscult.core import AuscultError
from auscult.core.storage import drafted
from auscult.core.version import __version__
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    UsedData,
)
from auscult.reproduce.verdict import (
    ClaimResult,
    Verdict,
    claim_result,
    is_inside,
    number_verdict,
)
from auscult.reproduce.work import Workspace

Tell = Callable[[str], None]
_LAYOUT = 3
"""Layout of the result files. A file with another layout is computed again."""


@dataclass(frozen=True, slots=True)
class ReproductionResult:
    """The result of a reproduction, or why it failed."""

    reproduction: Reproduction
    found: ReproductionOutcome | None
    failed: str | None = None
    seconds: float = 0.0
    processor: float = 0.0
    """Seconds of processor time, which do not depend on what else the machine does."""
    version: str = __version__
    fingerprint: str = field(default="", repr=False)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict on each published number."""
        numbers = self.found.numbers if self.found else {}
        return {
            one.key: number_verdict(one, numbers.get(one.key))
            for one in self.reproduction.published
        }

    @property
    def inside(self) -> dict[str, bool]:
        """Whether a published number is inside our interval, where there is one on real data."""
        numbers = self.found.numbers if self.found else {}
        every = {
            one.key: is_inside(one, numbers.get(one.key)) for one in self.reproduction.published
        }
        return {key: there for key, there in every.items() if there is not None}

    @property
    def claim_results(self) -> tuple[ClaimResult, ...]:
        """Of each claim whether it holds."""
        numbers = self.found.numbers if self.found else {}
        return tuple(claim_result(one, numbers) for one in self.reproduction.claims)

    @property
    def stand_in(self) -> str | None:
        """What stood in for the paper's data and systems, and where it is; None if nothing did."""
        if self.found is None:
            return None
        if all(one.basis is not Basis.STAND_IN for one in self.found.numbers.values()):
            return None
        data = [one.description for one in self.found.used if one.basis is Basis.STAND_IN]
        said = self.reproduction.stand_in
        by = [one.by for one in self.found.numbers.values() if one.by and one.by not in said]
        return "; ".join(dict.fromkeys([said, *by, *data]))

    def to_dict(self) -> dict[str, Any]:
        """For JSON: every printed number beside what was measured."""
        one, found = self.reproduction, self.found
        numbers = found.numbers if found else {}
        verdicts = self.verdicts
        return {
            "name": one.name,
            "paper": one.paper,
            "label": one.label,
            "title": one.title,
            "stand_in": self.stand_in,
            "failed": self.failed,
            "numbers": [
                {
                    "key": printed.key,
                    "published": printed.value,
                    "published_spread": printed.spread,
                    "within": printed.within,
                    **_measured(printed, numbers.get(printed.key)),
                    "verdict": verdicts[printed.key].value,
                    "kind": verdicts[printed.key].kind.value,
                }
                for printed in one.published
            ],
            "claims": [_claim(one) for one in self.claim_results],
            "used": [asdict(source) for source in found.used] if found else [],
            "remarks": [one.remark] * bool(one.remark) + list(found.remarks if found else ()),
            "seeds": list(found.seeds) if found else [],
            "needs": one.needs,
            "command": command(self),
            "commands": list(found.commands) if found else [],
            "calls": list(one.calls),
            "seconds": round(self.seconds, 1),
            "processor_seconds": round(self.processor, 1),
            "version": self.version,
        }


def run(
    chosen: Iterable[Reproduction],
    work: Workspace,
    *,
    again: bool = False,
    tell: Tell | None = None,
) -> Iterator[ReproductionResult]:
    """Run reproductions one after the other; one that was run on the same data is not run again.

    A result records what the user's data or installation lacks; the others are run.
    """
    fingerprint = work.fingerprint()
    for one in chosen:
        place = work.folder / "results" / f"{one.name}.json"
        result = None if again else _read(place, one, fingerprint)
        if result is None:
            result = _run(one, work, fingerprint)
            if result.failed is None:
                _write(place, result)
            if tell is not None:
                tell(f"{result.seconds:6.1f} s  ({result.processor:.1f} busy)  {one.name}")
        yield result


def command(result: ReproductionResult) -> str:
    """The command that makes the row."""
    options = " ".join(f"--{name} PATH" for name in result.reproduction.options)
    return f"auscult reproduce run {result.reproduction.name} {options}".rstrip()


def _run(one: Reproduction, work: Workspace, fingerprint: str) -> ReproductionResult:
    begin, busy = time.monotonic(), time.process_time()
    try:
        found, failed = one.run(work), None
    except AuscultError as error:
        found, failed = None, str(error)
    return ReproductionResult(
        one,
        found,
        failed,
        time.monotonic() - begin,
        time.process_time() - busy,
        fingerprint=fingerprint,
    )


def _measured(printed: Printed, found: Measured | None) -> dict[str, Any]:
    if found is None:
        return {"measured": None, "basis": None}
    return {
        "measured": found.value,
        "by": found.by,
        "interval": found.interval,
        "published_inside_interval": is_inside(printed, found),
        "spread": found.spread,
        "n": found.n,
        "undefined": found.undefined,
        "basis": found.basis.value,
    }


def _claim(found: ClaimResult) -> dict[str, Any]:
    return {
        "claim": found.claim.says,
        "verdict": found.verdict.value,
        "kind": found.kind.value,
        "by": list(found.by),
        "effects": [{"value": value, "interval": edges} for value, edges in found.effects],
    }


def _write(place: Path, result: ReproductionResult) -> None:
    found = result.found
    assert found is not None  # what failed is not kept
    kept = {
        "layout": _LAYOUT,
        "fingerprint": result.fingerprint,
        "version": result.version,
        "seconds": result.seconds,
        "processor": result.processor,
        "numbers": {key: asdict(one) for key, one in found.numbers.items()},
        "used": [asdict(one) for one in found.used],
        "remarks": list(found.remarks),
        "seeds": list(found.seeds),
        "figure": found.figure,
        "commands": list(found.commands),
    }
    place.parent.mkdir(exist_ok=True)
    with drafted(place, overwrite=True) as draft:
        draft.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")


def _read(place: Path, one: Reproduction, fingerprint: str) -> ReproductionResult | None:
    """The result that is there, if it was made from the same data by the same version."""
    if not place.exists():
        return None
    kept = json.loads(place.read_text(encoding="utf-8"))
    if (kept.get("layout"), kept["fingerprint"]) != (_LAYOUT, fingerprint):
        return None
    numbers = {key: _number(values) for key, values in kept["numbers"].items()}
    used = tuple(UsedData(**{**row, "basis": Basis(row["basis"])}) for row in kept["used"])
    found = ReproductionOutcome(
        numbers,
        used,
        tuple(kept["remarks"]),
        tuple(kept["seeds"]),
        kept["figure"],
        tuple(kept["commands"]),
    )
    took = kept["seconds"], kept["processor"]
    return ReproductionResult(one, found, None, *took, kept["version"], fingerprint)


def _number(values: dict[str, Any]) -> Measured:
    interval = values["interval"]
    edges = None if interval is None else (interval[0], interval[1])
    return Measured(**{**values, "basis": Basis(values["basis"]), "interval": edges})
