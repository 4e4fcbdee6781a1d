"""A measure: a number with its definition, its interval, or the reason why it is undefined."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from auscult.core.errors import AuscultError


@dataclass(frozen=True, slots=True)
class Measure:
    """A named number that says what it is.

    Exactly one of `value` and `undefined` is set: a measure that cannot be computed says why and
    has no number, rather than 0 or NaN.

    >>> print(Measure("micro_f1", "2TP / (2TP + FP + FN)", 0.5, interval=(0.4, 0.6)))
    micro_f1 = 0.500 [0.400, 0.600]
    >>> print(Measure("alpha", "1 - D_o / D_e", undefined="only one code occurs"))
    alpha is undefined: only one code occurs
    """

    name: str
    definition: str
    value: float | None = None
    interval: tuple[float, float] | None = None
    n: int | None = None
    undefined: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.undefined is None):
            raise AuscultError(
                f"Measure {self.name} needs a value or the reason why it is undefined, not both."
            )

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name} is undefined: {self.undefined}"
        shown = f"{self.name} = {self.value:.3f}"
        if self.interval is not None:
            shown += f" [{self.interval[0]:.3f}, {self.interval[1]:.3f}]"
        return shown

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)
