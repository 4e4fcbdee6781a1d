"""The model `policy`: a model whose predictions follow the coding guidelines.

It wraps any other model. A code whose evidence is negated, hypothetical or about a relative is not
predicted, nor, for outpatients, one whose evidence is uncertain; nor is a symptom beside a
diagnosis that explains it, nor a code with too few digits. The thresholds are tuned with the rules
applied.

ICD-9-CM Official Guidelines for Coding and Reporting, section IV (outpatient services): code
symptoms when a diagnosis has not been confirmed (E), to the highest number of digits (G), no
diagnosis that is probable, suspected, questionable or to be ruled out (I); section I.B.7: symptoms
that are part of a disease are not coded beside it. ICD-10-CM says the same in I.B.5 and IV.D-H.
For inpatients both are the opposite for uncertain diagnoses (II.H, III.C): what
is probable, suspected or still to be ruled out at discharge is coded as if it existed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from auscult.assertion import Assertion, Scopes
from auscult.codes.coding_edits import needs_more_characters
from auscult.codes.symptoms import explains, is_symptom
from auscult.core import AuscultError, Code, Span
from auscult.models import scorer_class
from auscult.models.architecture import Resources, TrainingData
from auscult.models.care_setting import CareSetting
from auscult.models.chart_scoring import (
    ChartConfiguration,
    ChartScorer,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
    evidence_step,
    joins_words,
)
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace
from auscult.models.wrapping import WrappingConfiguration

_FILE = "policy.json"
_INNER = "model"
_BARRED = 1e-3
"""Factor of the score of a code that a rule excludes: enough to rank it."""
_MOST = 40
"""Number of the most likely codes of a chart whose evidence is checked."""
_TOGETHER = 0.25
"""A symptom coded beside a diagnosis in at least this share of charts is not explained by it."""
_ASSERTIONS = {
    "negated": frozenset({Assertion.NEGATED}),
    "uncertain": frozenset({Assertion.UNCERTAIN}),
    "hypothetical": frozenset({Assertion.HYPOTHETICAL}),
    "family": frozenset({Assertion.FAMILY}),
}
RULES = (*_ASSERTIONS, "symptoms", "digits")
_OUTPATIENT_ONLY = frozenset({"uncertain"})
_DISCHARGE = "discharge"
"""Part of the note category that only inpatients have."""


class PolicyConfiguration(WrappingConfiguration):
    """Settings of the policy: the wrapped model and the rules."""

    wrapper: ClassVar[str] = "policy"

    care_setting: CareSetting = Field(
        "auto",
        description="Care setting whose guidelines apply: an uncertain diagnosis is coded for "
        "inpatients only. `auto` is inpatient if most training charts have a discharge summary.",
    )
    rules: tuple[str, ...] | None = Field(
        None,
        description=f"Rules to apply, out of {', '.join(RULES)}; default: all that fit the care "
        "setting.",
    )

    @field_validator("rules", mode="before")
    @classmethod
    def _are_known(cls, rules: object) -> object:
        """A list of rules, or their names with commas between, as on a command line."""
        if isinstance(rules, str):
            rules = tuple(filter(None, (rule.strip() for rule in rules.split(","))))
        listed = rules if isinstance(rules, list | tuple) else () if rules is None else [rules]
        for rule in listed:
            if rule not in RULES:
                raise ValueError(f"there is no rule {rule!r}; choose from {', '.join(RULES)}")
        return rules

    def rules_for(self, train: Sequence[Example]) -> tuple[str, ...]:
        """The rules in force: those that were chosen, or all of the setting."""
        if self.rules is not None:
            return self.rules
        setting = self.care_setting
        if setting == "auto":
            admitted = sum(map(_was_admitted, train))
            setting = "inpatient" if 2 * admitted > len(train) else "outpatient"
        left_out = _OUTPATIENT_ONLY if setting == "inpatient" else frozenset[str]()
        return tuple(rule for rule in RULES if rule not in left_out)


class Policy:
    """A model and the guideline rules applied to its predictions."""

    config_type: ClassVar[type[ChartConfiguration]] = PolicyConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5

    held_out: Sequence[ScoredChart] = ()

    def __init__(
        self,
        inner: ChartScorer,
        rules: Sequence[str],
        explained: Mapping[int, npt.NDArray[np.int64]],
        longer: Mapping[int, int | None],
    ) -> None:
        self.inner = inner
        self.rules = tuple(rules)
        self._barred = frozenset[Assertion]().union(
            *(_ASSERTIONS[rule] for rule in rules if rule in _ASSERTIONS)
        )
        self._explained = dict(explained) if "symptoms" in rules else {}
        self._longer = dict(longer) if "digits" in rules else {}
        self._all_pairs = (dict(explained), dict(longer))
        # An instance shows evidence as the model within does.
        self.joins_words = joins_words(inner)  # type: ignore[misc] # read from the instance only
        self.evidence_step = evidence_step(inner)  # type: ignore[misc] # likewise

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: PolicyConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Fit the wrapped model, and count which symptoms are coded beside which diagnoses."""
        train, labels = data.train, data.labels
        scorer_type = scorer_class(config.model)
        within = config.of_model()
        inner = scorer_type.fit(data, within, seed=seed, directory=directory)
        return cls(inner, config.rules_for(train), *fit_rules(train, labels))

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts with the wrapped model, then apply the rules."""
        for reading in self.inner.read(texts, _likeliest):
            scores = self._ruled(reading)
            asked = evidence_for(reading.text, scores)
            evidence = dict(reading.evidence)
            missing = asked[[code not in evidence for code in asked.tolist()]].astype(np.int64)
            if len(missing):
                again = next(iter(self.inner.read([reading.text], _always(missing))))
                evidence |= again.evidence
            kept = {code: evidence[code] for code in asked.tolist() if code in evidence}
            yield ScoredChart(reading.text, scores, kept)

    def save(self, directory: Path) -> None:
        """Write the rules and their pairs as JSON, the model within into a directory of its own."""
        explained, longer = self._all_pairs
        held = {
            "rules": self.rules,
            "explained": {str(code): by.tolist() for code, by in explained.items()},
            "longer": {str(code): other for code, other in longer.items()},
        }
        (directory / _FILE).write_text(json.dumps(held) + "\n", encoding="utf-8")
        (directory / _INNER).mkdir()
        self.inner.save(directory / _INNER)

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: PolicyConfiguration) -> Self:
        """What `save` wrote."""
        try:
            held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
            explained = {
                int(code): np.array(by, np.int64) for code, by in held["explained"].items()
            }
            longer = {int(code): other for code, other in held["longer"].items()}
            rules = tuple(map(str, held["rules"]))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete policy: {_FILE} is missing or damaged. "
                "Train it again."
            ) from error
        inner = scorer_class(config.model).load(directory / _INNER, resources, config.of_model())
        return cls(inner, rules, explained, longer)

    def _ruled(self, reading: ScoredChart) -> Scores:
        scores = reading.scores.copy()
        if self._barred:
            scopes = _ScopesOf(reading.text)
            for code, evidence in reading.evidence.items():
                if scopes.share(evidence, self._barred) > 0.5:
                    scores[code] *= _BARRED
        for code, other in self._longer.items():
            if other is not None:
                scores[other] = max(scores[other], scores[code])
            scores[code] *= _BARRED
        ruled = scores.copy()
        for symptom, diagnoses in self._explained.items():
            ruled[symptom] *= max(1 - float(scores[diagnoses].max()), _BARRED)
        return ruled


def _was_admitted(one: Example) -> bool:
    return any(_DISCHARGE in (name or "").lower() for name in one.text.categories)


class _ScopesOf:
    """How the words of a chart are meant, found note by note when first asked for."""

    def __init__(self, text: ChartText) -> None:
        self._text = text
        self._scopes: dict[int, Scopes] = {}

    def share(self, evidence: EvidenceWeights, barred: frozenset[Assertion]) -> float:
        """The part of the weight that lies on ranges which are meant in one of these ways."""
        total = float(evidence.weights.sum())
        if total <= 0:
            return 0.0
        found = sum(
            float(weight)
            for begin, end, weight in zip(
                evidence.begins, evidence.ends, evidence.weights, strict=True
            )
            if self._at(int(begin), int(end)) in barred
        )
        return found / total

    def _at(self, begin: int, end: int) -> Assertion:
        note = int(self._text.note_of[begin])
        if note not in self._scopes:
            self._scopes[note] = Scopes.of(self._text.notes[note].text or "")
        span = Span(int(self._text.begins[begin]), int(self._text.ends[end - 1]))
        return self._scopes[note].at(span)


def _likeliest(_text: ChartText, scores: Scores) -> npt.NDArray[np.int64]:
    """The codes that may be given, whose evidence the rules have to see."""
    best = np.argsort(-scores, kind="stable")[:_MOST]
    return np.sort(best[scores[best] > 0]).astype(np.int64)


def _always(codes: npt.NDArray[np.int64]) -> EvidenceRequest:
    return lambda _text, _scores: codes


def fit_rules(
    train: Sequence[Example], labels: LabelSpace
) -> tuple[dict[int, npt.NDArray[np.int64]], dict[int, int | None]]:
    """The pairs of codes that the rules need, as `Policy` takes them."""
    return _explained(train, labels), _longer(labels)


def _explained(train: Sequence[Example], labels: LabelSpace) -> dict[int, npt.NDArray[np.int64]]:
    """For each symptom the diagnoses that explain it and are seldom coded beside it."""
    pairs: dict[int, list[int]] = {}
    for symptom, code in enumerate(labels.codes):
        if not is_symptom(code):
            continue
        by = [at for at, other in enumerate(labels.codes) if explains(other, code)]
        if by:
            pairs[symptom] = by
    together: dict[tuple[int, int], int] = {}
    for one in train:
        given = set(one.codes.tolist())
        for symptom in given & pairs.keys():
            for code in given.intersection(pairs[symptom]):
                together[symptom, code] = together.get((symptom, code), 0) + 1
    kept = {
        symptom: [
            code
            for code in by
            if together.get((symptom, code), 0) < _TOGETHER * labels.counts[code]
        ]
        for symptom, by in pairs.items()
    }
    return {symptom: np.array(by, np.int64) for symptom, by in kept.items() if by}


def _longer(labels: LabelSpace) -> dict[int, int | None]:
    """Codes with too few digits, and the one code with more that stands for each, if it is one.

    A category that is divided is no code itself. The table of the code system says which are; it is
    of one release, and what is divided depends on the release, so the training charts have their
    say: where they have no longer code, the shorter one was whole when they were coded. Of a code
    that no table has, they say it alone: there is a longer one, and it is given more often.
    """
    found: dict[int, int | None] = {}
    for at, code in enumerate(labels.codes):
        below = [
            other
            for other, longer in enumerate(labels.codes)
            if longer.system == code.system and _divides(longer, code)
        ]
        if not below:
            continue
        is_divided = needs_more_characters(code)
        if is_divided is None:
            is_divided = sum(labels.counts[other] for other in below) > labels.counts[at]
        if is_divided:
            found[at] = below[0] if len(below) == 1 else None
    return found


def _divides(longer: Code, code: Code) -> bool:
    plain, start = longer.value.replace(".", ""), code.value.replace(".", "")
    return len(plain) > len(start) and plain.startswith(start)
