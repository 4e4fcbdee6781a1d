"""Settings of the entity benchmark for what the paper leaves open.

Agrawal et al. 2020, "Robust Benchmarking for Machine Learning of Clinical Entity Extraction".
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from auscult.core import OptionError


class Direct(StrEnum):
    """What makes the text of a span a direct match."""

    VOCABULARY = "vocabulary"
    """It is a name of any concept of the vocabulary (the paper's wording)."""
    CONCEPT = "concept"
    """It is a name of one of the span's own gold concepts."""


class Popular(StrEnum):
    """The spans that decide to which concept a text is mapped more often."""

    TRAINING = "training"
    """Those of the training corpus (as in the paper's example)."""
    GOLD = "gold"
    """Those of gold itself."""


class Silence(StrEnum):
    """How to score a missing prediction on a gold span."""

    WRONG = "wrong"
    """As no answer, which is never right: a system that predicts nothing scores 0."""
    CUI_LESS = "cui-less"
    """As CUI-less."""


class CuiLess(StrEnum):
    """Whether CUI-less spans are evaluated."""

    PAPER = "paper"
    """In accuracies they are, as in the n2c2 task; end to end they are not, as in Table 3."""
    COUNT = "count"
    """Everywhere; CUI-less is then a concept like any other."""
    IGNORE = "ignore"
    """Nowhere."""


@dataclass(frozen=True, slots=True)
class EntitySettings:
    """How to count where the paper leaves it open."""

    direct: Direct = Direct.VOCABULARY
    popular: Popular = Popular.TRAINING
    silence: Silence = Silence.WRONG
    cui_less: CuiLess = CuiLess.PAPER
    fold_case: bool = True
    """Whether a text counts as seen in training if it occurs there in another case."""
    strip_possessives: bool = True
    """Whether `her diabetes` is the text `diabetes`."""
    top: int = 100
    """How many of the most frequent training concepts are the top."""
    least: int = 50
    """How many spans a semantic type needs to be shown."""
    least_spread: int = 20
    """How many spans a subset needs to count for brittleness."""

    def __post_init__(self) -> None:
        for name in ("top", "least", "least_spread"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} must be at least 1; got {getattr(self, name)}.")

    @property
    def asks_cui_less(self) -> bool:
        """Whether CUI-less spans are in the denominator of accuracies."""
        return self.cui_less is not CuiLess.IGNORE

    @property
    def finds_cui_less(self) -> bool:
        """Whether CUI-less is a concept to be found, and to be right or wrong with, end to end."""
        return self.cui_less is CuiLess.COUNT

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            name: value.value if isinstance(value, StrEnum) else value
            for name, value in asdict(self).items()
        }
