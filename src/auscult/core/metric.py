"""A metric: a number with its definition, its interval, or the reason why it is undefined."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass

from auscult.core.errors import AuscultError


@dataclass(frozen=True, slots=True, repr=False)
class Metric:
    """A named number that says what it is.

    Exactly one of `value` and `undefined` is set: a metric that cannot be computed says why and
    has no number, rather than 0 or NaN.

    >>> print(Metric("micro_f1", "2TP / (2TP + FP + FN)", 0.5, interval=(0.4, 0.6)))
    micro_f1 = 0.500 [0.400, 0.600]
    >>> print(Metric("alpha", "1 - D_o / D_e", undefined="only one code occurs"))
    alpha is undefined: only one code occurs

    It counts as its number where one is needed:

    >>> f1 = Metric("micro_f1", "2TP / (2TP + FP + FN)", 0.5, interval=(0.4, 0.6), n=30)
    >>> float(f1), f"{f1:.1%}", f1
    (0.5, '50.0%', Metric(micro_f1 = 0.500 [0.400, 0.600], n = 30))
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
                f"Metric {self.name} needs a value or the reason why it is undefined, not both."
            )

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name} is undefined: {self.undefined}"
        shown = f"{self.name} = {self.value:.3f}"
        if self.interval is not None:
            shown += f" [{self.interval[0]:.3f}, {self.interval[1]:.3f}]"
        return shown

    def __repr__(self) -> str:
        return f"Metric({self}{'' if self.n is None else f', n = {self.n}'})"

    def __float__(self) -> float:
        if self.value is None:
            raise AuscultError(f"{self}. Check `metric.undefined` before using the value.")
        return float(self.value)

    def __format__(self, spec: str) -> str:
        """With a format such as `.3f`, the number alone, or "undefined"; without, as `str`."""
        if not spec:
            return str(self)
        return "undefined" if self.value is None else format(self.value, spec)

    def _repr_html_(self) -> str:
        """For notebooks: the number, with its definition below."""
        shown, definition = html.escape(str(self)), html.escape(self.definition)
        return f"<b>{shown}</b><br><small>{definition}</small>"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)
