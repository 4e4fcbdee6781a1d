"""A coder that has learnt: gives codes to notes, shows its evidence, is saved and loaded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from auscult.coders import reads_concepts
from auscult.coders import scorer as scorer_of
from auscult.coders.about import About, chart_digest
from auscult.coders.categories import Categories
from auscult.coders.contract import Configuration, Reading, Scorer, Scores, Wanted
from auscult.coders.decoding import choose, decode
from auscult.coders.labels import LabelSpace
from auscult.coders.perturbation import (
    KnowsWords,
    Perturbation,
    ScoresEdits,
    is_emptied,
    is_unread,
    reread,
)
from auscult.coders.sequence import ChartText, read_chart
from auscult.coders.stored import KEPT, about_file, kind_at, read_about, read_trained_on, write
from auscult.coders.unread import Unread
from auscult.core import Annotation, Code, Note, OptionError


@dataclass(frozen=True, eq=False)
class Coder:
    """What was learnt (`scorer`), what it may say (`labels`) and when it says it (`about`)."""

    about: About
    labels: LabelSpace
    config: Configuration
    scorer: Scorer
    trained_on: frozenset[str]
    category: str | None = None
    """What notes without a category are read as, if not as of the usual one."""

    def __repr__(self) -> str:
        return f"Coder(kind={self.about.kind!r}, codes={len(self.labels)})"

    @property
    def name(self) -> str:
        """What its annotations are signed with unless another name is given."""
        return self.about.kind

    @cached_property
    def reads(self) -> Categories:
        """Which notes it reads, and as what those without a category."""
        return Categories.of(self.about.source, self.config.categories, self.category)

    def with_category(self, category: str | None) -> Coder:
        """The same that reads notes without a category as of this one; None is the usual one.

        An error if it does not read notes of that category.
        """
        if category is not None:
            self.reads.read_as(category)
        return replace(self, category=category)

    def with_thresholds(self, code: float | None = None, evidence: float | None = None) -> Coder:
        """The same with other thresholds of codes and of evidence, where they are given."""
        named = {"code_threshold": code, "evidence_threshold": evidence}
        changed = {name: value for name, value in named.items() if value is not None}
        decoding = self.about.decoding.model_copy(update=changed)
        return replace(self, about=self.about.model_copy(update={"decoding": decoding}))

    def code(
        self,
        notes: Iterable[Note],
        *,
        annotator: str | None = None,
        also: Mapping[str, Sequence[Code]] | None = None,
        never_empty: bool = False,
        ranked: int = 0,
        alternatives: bool = False,
        unread: Unread | None = None,
    ) -> Iterator[Annotation]:
        """Annotations for the charts the notes belong to, chart by chart.

        Notes without a category are read as of the usual one (`reads.usual`).
        `also` names codes, by chart, to show evidence for whatever their score, since evidence is
        evaluated apart from codes too; those that do not pass are marked as asked for.
        `never_empty` gives the best code of a chart when none passes. `ranked` adds that many
        codes a chart below the threshold, marked as ranked, so that rankings can be measured.
        Spans of a code do not overlap; with `alternatives`, ranges that overlap a better one and
        are nearly as good are there too, where the kind of coder points at several.
        `unread` counts what was not read, and how, which is warned of otherwise.
        """
        chosen: dict[str, npt.NDArray[np.int64]] = {}
        threshold = self.about.decoding.code_threshold

        def wanted(text: ChartText, scores: Scores) -> npt.NDArray[np.int64]:
            picked = choose(scores, threshold, self.labels, never_empty=never_empty)
            chosen[text.chart_id] = picked
            return np.union1d(picked, self._places(also, text.chart_id))

        for reading in self._read(self._texts(notes, unread), wanted):
            chart_id = reading.text.chart_id
            picked = chosen.pop(chart_id)
            order = np.argsort(-reading.scores, kind="stable")
            below = order[~np.isin(order, picked)][:ranked]
            asked = np.setdiff1d(self._places(also, chart_id), np.union1d(picked, below))
            yield from decode(
                reading,
                self.labels,
                self.about.decoding,
                annotator or self.name,
                codes=picked,
                ranked=below,
                asked=asked,
                alternatives=alternatives,
            )

    def read(
        self,
        notes: Iterable[Note],
        wanted: Wanted | None = None,
    ) -> Iterator[Reading]:
        """The scores of every code for each chart, and the weights behind the codes wanted."""
        nothing = np.zeros(0, np.int64)
        return self._read(self._texts(notes), wanted or (lambda _text, _scores: nothing))

    def scores(
        self, asked: Iterable[tuple[Sequence[Note], Sequence[Code]]]
    ) -> Iterator[list[float]]:
        """The scores of some codes for the notes of each chart, in order.

        A code outside the label space, and every code of a chart without words, scores 0.
        """
        return self._scores((self.text(notes), codes) for notes, codes in asked)

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> list[float]:
        """The score of a code for a chart as it is, and then after each perturbation.

        What lies past the words that the coder reads changes nothing and is not computed. A kind
        that has a quicker way than reading each changed chart from the beginning takes it.
        """
        text = self.text(notes)
        every = [Perturbation({}), *perturbed]
        if code not in self.labels.index:
            return [0.0] * len(every)
        unread = [at for at, one in enumerate(every) if at and is_unread(text, one)]
        left_out = {
            *unread,
            *(at for at, one in enumerate(every) if is_emptied(text, one, self.config)),
        }
        read = [at for at in range(len(every)) if at not in left_out]
        found = [0.0] * len(every)
        given = self._changed(text, [every[at] for at in read], code)
        for at, score in zip(read, given, strict=True):
            found[at] = score
        for at in unread:
            found[at] = found[0]
        return found

    def _changed(
        self, text: ChartText, perturbed: Sequence[Perturbation], code: Code
    ) -> list[float]:
        if len(text) and isinstance(self.scorer, ScoresEdits):
            place = self.labels.index[code]
            scores = self.scorer.scores_of_edits(text, perturbed, place, self.config)
            return [float(score) for score in self._calibrated(scores)]
        again = ((reread(text, one, self.config), [code]) for one in perturbed)
        return [score for [score] in self._scores(again)]

    def knows(self, words: Sequence[str]) -> list[bool] | None:
        """Whether each word means anything to the coder; None when it cannot say."""
        return self.scorer.knows(words) if isinstance(self.scorer, KnowsWords) else None

    def has_seen(self, chart_ids: Iterable[str]) -> list[str]:
        """Those of the charts that the coder learnt from."""
        return [chart for chart in chart_ids if chart_digest(chart) in self.trained_on]

    def save(self, path: Path | str, *, overwrite: bool = True) -> None:
        """Write the coder into a directory, at one stroke; by default in the place of another."""
        write(Path(path), self.about, self.trained_on, self.scorer.save, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path | str) -> Coder:
        """The coder in a directory."""
        path = Path(path)
        if reads_concepts(found := kind_at(path)):
            raise OptionError(
                f"{path} is a coder of concepts ({found}), which has no codes of whole charts. Use "
                "it with: auscult predict"
            )
        file = about_file(path)
        about = read_about(file, About)
        kind = scorer_of(about.kind)
        config = KEPT.configuration(file, about.kind, kind.config_type, about.configuration)
        labels = about.label_space()
        scorer = kind.load(path, labels, config)
        return cls(about, labels, config, scorer, read_trained_on(path, about.source))

    def text(self, notes: Sequence[Note]) -> ChartText:
        """The words of a chart's notes, as the coder reads them."""
        return text_of(notes, self.config, self.reads)

    def _read(self, texts: Iterable[ChartText], wanted: Wanted) -> Iterator[Reading]:
        """What the scorer makes of charts, its scores as probabilities if the coder gives them."""
        for reading in self.scorer.read(
            texts, lambda text, scores: wanted(text, self._calibrated(scores))
        ):
            yield replace(reading, scores=self._calibrated(reading.scores))

    def _calibrated(self, scores: Scores) -> Scores:
        calibration = self.about.decoding.calibration
        return scores if calibration is None else calibration.apply(scores)

    def _scores(self, asked: Iterable[tuple[ChartText, Sequence[Code]]]) -> Iterator[list[float]]:
        waiting: deque[tuple[Sequence[Code], bool]] = deque()

        def texts() -> Iterator[ChartText]:
            for text, codes in asked:
                waiting.append((codes, len(text) > 0))
                if len(text):
                    yield text

        nothing, index = np.zeros(0, np.int64), self.labels.index
        for reading in self._read(texts(), lambda _text, _scores: nothing):
            while not waiting[0][1]:
                yield [0.0] * len(waiting.popleft()[0])
            codes, _ = waiting.popleft()
            yield [float(reading.scores[index[c]]) if c in index else 0.0 for c in codes]
        for codes, _ in waiting:
            yield [0.0] * len(codes)

    def _places(
        self, codes: Mapping[str, Sequence[Code]] | None, chart_id: str
    ) -> npt.NDArray[np.int64]:
        index = self.labels.index
        asked = codes.get(chart_id, ()) if codes else ()
        return np.array([index[code] for code in asked if code in index], np.int64)

    def _texts(self, notes: Iterable[Note], unread: Unread | None = None) -> Iterator[ChartText]:
        """The charts to read; says how many have no words and are left out, or were cut."""
        left = Unread() if unread is None else unread
        for chart in by_chart(notes):
            text = self.text(chart)
            left.add(chart, text)
            if len(text):
                yield text
        if unread is None:
            left.warn(self.reads)


def text_of(
    notes: Sequence[Note], config: Configuration, reads: Categories | None = None
) -> ChartText:
    """The words of a chart's notes, as a configuration wants them read.

    `reads` says as what notes without a category are read, which a coder knows once it has learnt.
    """
    read = list((reads or Categories(config.categories)).chosen(notes))
    return read_chart(
        notes[0].chart_id if notes else "",
        read,
        longest=config.most_words(len(read)),
        numbers=config.numbers,
    )


def codes_by_chart(annotations: Iterable[Annotation]) -> dict[str, list[Code]]:
    """The codes that annotations give to each chart, each once, as `Coder.code` takes them."""
    found: dict[str, dict[Code, None]] = {}
    for annotation in annotations:
        found.setdefault(annotation.chart_id, {})[annotation.code] = None
    return {chart_id: list(codes) for chart_id, codes in found.items()}


def by_chart(notes: Iterable[Note]) -> Iterator[tuple[Note, ...]]:
    """The notes of each chart, wherever in the sequence they stand."""
    charts: dict[str, list[Note]] = {}
    for note in notes:
        charts.setdefault(note.chart_id, []).append(note)
    yield from map(tuple, charts.values())
