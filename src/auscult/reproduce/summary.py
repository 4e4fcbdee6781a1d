"""How many numbers and claims there are of each kind of verdict. The kinds are never added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auscult.reproduce.run import ReproductionResult
from auscult.reproduce.verdict import OUTSIDE, ClaimVerdict, Kind, Verdict

_ABOUT = {
    Kind.PAPER_DATA: "paper's data", Kind.OPEN_DATA: "open data", Kind.STAND_IN: "stand-in",
}  # fmt: skip
_SAID = {
    ClaimVerdict.HOLDS: ("holds", "hold"),
    ClaimVerdict.DIFFERS: ("differs", "differ"),
    ClaimVerdict.UNDECIDED: ("undecided", "undecided"),
}


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Of some tables and figures, how many numbers and claims have each verdict."""

    verdicts: Mapping[Verdict, int]
    claims: Mapping[tuple[Kind, ClaimVerdict], int]
    inside: int
    """Published numbers inside our interval, of numbers measured on real data…"""
    with_interval: int
    """…that have an interval."""

    @classmethod
    def of(cls, results: Iterable[ReproductionResult]) -> VerdictCounts:
        """Count them."""
        results = list(results)
        inside = [there for one in results for there in one.inside.values()]
        return cls(
            Counter(verdict for one in results for verdict in one.verdicts.values()),
            Counter((c.kind, c.verdict) for one in results for c in one.claim_results),
            sum(inside),
            len(inside),
        )

    @property
    def published(self) -> int:
        """All published numbers."""
        return sum(self.verdicts.values())

    @property
    def outside(self) -> int:
        """Numbers measured on the paper's data that are not in their band."""
        return sum(self.verdicts.get(one, 0) for one in OUTSIDE)

    def of_kind(self, kind: Kind) -> int:
        """The numbers with a verdict of a kind."""
        return sum(count for verdict, count in self.verdicts.items() if verdict.kind is kind)

    def claims_of(self, verdict: ClaimVerdict, kind: Kind | None = None) -> int:
        """The claims with a verdict, by numbers of one kind or of any."""
        return sum(
            count
            for (about, which), count in self.claims.items()
            if which is verdict and kind in (None, about)
        )

    def describe_claims(self) -> str:
        """How many claims have which verdict, by the kind of their numbers; "" without any.

        >>> claims = {(Kind.PAPER_DATA, ClaimVerdict.DIFFERS): 1}
        >>> claims[Kind.STAND_IN, ClaimVerdict.HOLDS] = 2
        >>> VerdictCounts({}, claims, 0, 0).describe_claims()
        "paper's data: 1 differs; stand-in: 2 hold"
        """
        parts = []
        for kind, name in _ABOUT.items():
            said = [
                f"{count} {one if count == 1 else several}"
                for verdict, (one, several) in _SAID.items()
                if (count := self.claims_of(verdict, kind))
            ]
            parts += [f"{name}: {', '.join(said)}"] if said else []
        return "; ".join(parts)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "published": self.published,
            "in_band": self.verdicts.get(Verdict.IN_BAND, 0),
            "outside": self.outside,
            "inside_interval": self.inside,
            "with_interval": self.with_interval,
            **{kind.name.lower(): self.of_kind(kind) for kind in Kind},
            "claims": [
                {"kind": kind.value, "verdict": verdict.value, "count": count}
                for (kind, verdict), count in sorted(self.claims.items())
            ],
        }
