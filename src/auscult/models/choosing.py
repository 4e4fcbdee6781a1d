"""The model that is trained where none is named: chosen for the corpus, with reasons and a time.

What an expert would look at: how many charts there are, in which language and which code systems,
how much evidence, on which machine. Above a few thousand charts, a trial on a sample shows which
members of the ensemble add something; with fewer, cross-validation does so in the training itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code
from auscult.core.digests import digest_of
from auscult.core.plurals import counted
from auscult.core.threads import allowed
from auscult.core.version import __version__
from auscult.corpus.corpus import Chart, Corpus
from auscult.corpus.provenance import training_of
from auscult.learning.checkpoint_directory import checkpoints_of
from auscult.learning.splits import NONE, TRAIN
from auscult.models.chart_scoring import CROSS_VALIDATED
from auscult.models.chart_text import patient_of
from auscult.models.codebook.assigners import assigner_of
from auscult.models.configuring import configure
from auscult.models.ensemble import EnsembleConfiguration
from auscult.models.fitting import DEFAULT, training_examples
from auscult.models.label_space import LabelSpace
from auscult.models.member_trial import MemberTrial, try_members
from auscult.models.training_charts import ChartStream, chart_streams

_FEW = 300
"""Charts of which a training takes a minute or so, so that nothing is tried before."""
_BOOK = "codebook"
_SHOWN_SYSTEMS = 3
_GPU = Path("/dev/nvidia0")
_MANY_FOR_GPU = 5_000


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model for a corpus, its settings, why, and how long the training should take."""

    model: str
    config: Mapping[str, Any]
    why: tuple[str, ...]
    seconds: float | None = None
    """About; None where it is a minute or so, or was not estimated."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def choose_model(
    corpus: Corpus,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train_split: str = TRAIN,
    dev_split: str | None = None,
    estimate: bool = True,
    kept: Path | None = None,
) -> ModelChoice:
    """Choose the model to train on a corpus by default.

    `config` holds settings to keep, such as annotators; the settings of the choice include them.
    Without `estimate`, models are not tried on a corpus of at most 3,000 charts. The choice
    is saved in the file `kept` and read from there when an interrupted training resumes.
    """
    asked = cast(EnsembleConfiguration, configure(DEFAULT, config or {}))
    key = ""
    if kept is not None:
        key = digest_of(
            *training_of(DEFAULT, asked, seed, train_split, dev_split, corpus), __version__
        )
        if (before := _kept_choice(kept, key, config or {})) is not None:
            return before
    charts = chart_streams(corpus, asked, train_split, dev_split)
    facts = _Facts.of(charts.training)
    if facts is None:
        return ModelChoice(DEFAULT, dict(config or {}), ())  # its training says what is missing
    members, why = _suitable(asked, facts)
    trial: MemberTrial | None = None
    if facts.charts > (_FEW if estimate else CROSS_VALIDATED):
        trial = try_members(
            members, asked, lambda labels, some: training_examples(some, labels, asked),
            charts.training.some, facts.patients,
            vocabulary=None if asked.vocabulary is None else Vocabulary.open(asked.vocabulary),
            seed=seed,
        )  # fmt: skip
    if trial is not None and facts.charts > CROSS_VALIDATED and "members" not in (config or {}):
        why += trial.said(members)
        members = trial.kept
    on_dev = len(charts.tuning)
    where = _tuned_on(facts.charts, on_dev, charts.dev)
    seconds = None
    if trial is not None:
        tuning, folds = on_dev, asked.folds
        if facts.charts > CROSS_VALIDATED:
            tuning, folds = tuning or facts.charts // 10, 0
        seconds = trial.seconds(members, facts.charts, folds=folds, tuning=tuning)
    settings = dict(config or {})
    if members != asked.members:
        settings["members"] = members
    why = (str(facts), *why, f"{_and(members)}, {where}")
    if kept is not None and trial is not None:  # what took no trial is soon chosen again
        _keep(
            kept, {"key": key, "members": settings.get("members"), "why": why, "seconds": seconds}
        )
    return ModelChoice(DEFAULT, settings, why, seconds)


def choice_file(out: Path) -> Path:
    """The file that keeps the choice, among the checkpoints, until the model is trained."""
    return checkpoints_of(out) / "choice.json"


def _kept_choice(file: Path, key: str, config: Mapping[str, Any]) -> ModelChoice | None:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        if held["key"] != key:
            return None
        members, why, seconds = held["members"], tuple(held["why"]), held["seconds"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    settings = dict(config) if members is None else {**config, "members": tuple(members)}
    return ModelChoice(DEFAULT, settings, why, seconds)


def _keep(file: Path, held: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}")
    draft.write_text(json.dumps(held), encoding="utf-8")
    draft.rename(file)


def model_for(
    corpus: Corpus,
    config: Mapping[str, Any] | None,
    seed: int,
    train: str,
    dev: str | None,
    kept: Path | None = None,
) -> tuple[str, Mapping[str, Any]]:
    """The name and the settings of the choice alone, with no time spent on an estimate."""
    choice = choose_model(
        corpus, config, seed=seed, train_split=train, dev_split=dev, estimate=False, kept=kept
    )
    return choice.model, choice.config


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the choice looks at."""

    charts: int
    words: int
    codes: int
    with_evidence: int
    systems: tuple[str, ...]
    labels: LabelSpace
    language: str
    patients: Mapping[str, str]
    """The patient of each chart that has words and codes."""

    @classmethod
    def of(cls, charts: ChartStream) -> _Facts | None:
        """Those of charts that are gone through once, of which few are held; None without codes."""
        step = 1 + len(charts) // _FEW
        some: list[Chart] = []
        patients: dict[str, str] = {}
        counted_codes = Counter[Code]()
        with_evidence = many = 0
        for many, chart in enumerate(charts, 1):
            if (many - 1) % step == 0:
                some.append(chart)
            counted_codes.update({one.code for one in chart.annotations})
            with_evidence += any(one.spans for one in chart.annotations)
            if chart.annotations and any((note.text or "").strip() for note in chart.notes):
                patients[chart.chart_id] = patient_of(chart.chart_id, chart.notes)
        if not counted_codes:
            return None
        codes = tuple(sorted(counted_codes))
        labels = LabelSpace(codes, tuple(counted_codes[code] for code in codes))
        words = [sum(len((note.text or "").split()) for note in chart.notes) for chart in some]
        systems = Counter(code.system for code in labels.codes)
        return cls(
            many,
            round(sum(words) / max(1, len(words))),
            len(labels),
            with_evidence,
            tuple(name for name, _ in systems.most_common()),
            labels,
            _language(some),
            patients,
        )

    def __str__(self) -> str:
        several = ", …" if len(self.systems) > _SHOWN_SYSTEMS else ""
        systems = ", ".join(self.systems[:_SHOWN_SYSTEMS]) + several
        evidence = "evidence on all of them"
        if self.with_evidence < self.charts:
            evidence = f"evidence on {self.with_evidence or 'none'} of them"
        language = self.language.capitalize()
        return (
            f"{counted(self.charts, 'training chart')} of about {self.words:,} words in "
            f"{language}, {evidence}; {counted(self.codes, 'code')} of {systems}; "
            f"{counted(allowed(), 'core')}"
        )


def _suitable(
    asked: EnsembleConfiguration, facts: _Facts
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The members that can do something with the corpus, and what is to be said of the others."""
    members, why = asked.members, list[str]()
    vocabulary = None if asked.vocabulary is None else Vocabulary.open(asked.vocabulary)
    if (
        _BOOK in members
        and len(members) > 1
        and assigner_of(facts.labels, facts.language, vocabulary) is None
    ):
        members = tuple(one for one in members if one != _BOOK)
        language = facts.language.capitalize()
        why.append(f"without {_BOOK}, which does not know these code systems in {language}")
    if not facts.with_evidence:
        why.append("evidence is found by the words that go with a code, since none is annotated")
    if _GPU.exists() and facts.charts > _MANY_FOR_GPU:
        why.append(
            "this machine has a GPU: compare with --model effectivecan or transformer, which learn "
            "more from so many charts"
        )
    return members, tuple(why)


def _tuned_on(charts: int, tuning: int, dev: str) -> str:
    on_dev = f"on the split {dev}" if tuning and dev != NONE else ""
    if charts > CROSS_VALIDATED:
        return f"combined and tuned {on_dev or 'on a tenth of the charts'}"
    if on_dev:
        return f"combined by cross-validation and tuned {on_dev}"
    return "combined and tuned by cross-validation"


def _language(charts: Sequence[Chart]) -> str:
    from auscult.models.chart_text import read_chart
    from auscult.models.lexicon.lexicon_text import guess_language

    return guess_language(read_chart(chart.chart_id, chart.notes) for chart in charts)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
