"""Statistics of the training corpus: its texts, and how often each has which concept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.core import OptionError
from auscult.evaluate.entities.marked_spans import NONE, ConceptNumbers

_UNKNOWN = "the text of {0:,} of {1:,} spans is not known; import the notes with their text"


@dataclass(frozen=True, slots=True, repr=False)
class TrainingUses:
    """How often each text was mapped to each concept, and how often each concept was used.

    The concepts of a text come with the most frequent first.
    """

    by_text: Mapping[str, Mapping[int, int]]
    concepts: Counter[int] = field(default_factory=Counter)
    without_text: str | None = None
    """Why the texts are not all known, if they are not."""

    def top(self, number: int, concepts: ConceptNumbers) -> frozenset[int]:
        """The concepts used most, among equals the first by code; CUI-less is none."""
        counted = ((concept, n) for concept, n in self.concepts.items() if concept != NONE)
        ranked = sorted(counted, key=lambda item: (-item[1], concepts.codes[item[0]]))
        return frozenset(concept for concept, _ in ranked[:number])

    def is_unpopular(self, text: str, gold: Iterable[int]) -> bool:
        """Whether the text is more often mapped to a concept that is not gold's than to gold's."""
        counted = self.by_text.get(text)
        if counted is None:
            return False
        own = frozenset(gold)
        most = next((number for concept, number in counted.items() if concept not in own), 0)
        return most > max((counted.get(concept, 0) for concept in own), default=0)


def uses(texts: Sequence[str | None], concepts: Sequence[tuple[int, ...]]) -> TrainingUses:
    """The uses of texts and concepts, a span at a time."""
    by_text: dict[str, Counter[int]] = {}
    counted: Counter[int] = Counter()
    for text, meant in zip(texts, concepts, strict=True):
        counted.update(meant)
        if text is not None:
            by_text.setdefault(text, Counter()).update(meant)
    missing = sum(text is None for text in texts)
    ranked = {text: dict(found.most_common()) for text, found in by_text.items()}
    return TrainingUses(ranked, counted, why_unknown(missing, len(texts)))


def why_unknown(missing: int, number: int) -> str | None:
    """The reason if some texts are not known, or None."""
    return _UNKNOWN.format(missing, number) if missing else None


def require_spans(number: int, what: str) -> None:
    """Raise an error if a corpus has no span."""
    if not number:
        raise OptionError(
            f"{what} has no annotation with a span on these notes, so there is nothing to "
            "count. Concepts are evaluated on spans; check the annotator and the split."
        )
