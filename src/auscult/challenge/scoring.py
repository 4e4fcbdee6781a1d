"""Score a submission against gold codes, without a challenge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from auscult.challenge.submission import (
    CheckedSubmission,
    ProblemKind,
    check,
    open_corpus,
    read_file,
    read_path,
)
from auscult.challenge.submission.submission import UNNAMED
from auscult.core import Code, Metric, OptionError
from auscult.core.results import MetricRow, Result
from auscult.corpus import Corpus, formats
from auscult.corpus.combinations import combinations
from auscult.corpus.readers import only_read
from auscult.corpus.split import part_of, splits_of
from auscult.evaluate.codes import CodesResult, code_metrics
from auscult.evaluate.metrics import cost_sensitive, micro
from auscult.evaluate.sides import only_annotator
from auscult.evaluate.system_ranking import MACRO, MACRO_OF_AVERAGES, Answers, sides_of
from auscult.statistics.cost_sensitive import PAPER, Costs


@dataclass(frozen=True, slots=True, repr=False)
class Score(Result):
    """All metrics of the codes, of which a challenge shows some."""

    codes: CodesResult = field(repr=False)

    @property
    def chosen(self) -> dict[str, Metric]:
        """Those a challenge is about, the one that ranks first, and those of other packages."""
        found = self.codes.metrics
        names = (
            micro.F1.name,
            MACRO,
            MACRO_OF_AVERAGES,
            cost_sensitive.NAME,
            micro.PRECISION.name,
            micro.RECALL.name,
            *self.codes.also,
        )
        return {name: found[name] for name in names}

    def metric_rows(self) -> Iterator[MetricRow]:
        """Those of the evaluation, under their full names."""
        return self.codes.metric_rows()

    def headline(self) -> str:
        """That of the evaluation."""
        return self.codes.headline()

    def values(self) -> dict[str, object]:
        """The values of those, as a team is told them."""
        return {name: metric.value for name, metric in self.chosen.items()}

    def to_dict(self) -> dict[str, object]:
        """For JSON: the evaluation's own, with `macro_f1` beside the name that says which it is."""
        found = self.codes.to_dict()
        also = {
            kind: {**said, "macro_f1": said[MACRO]}
            for kind in ("intervals", "undefined", "definitions")
            if isinstance(said := found[kind], dict) and MACRO in said
        }
        macro_f1 = self.codes.metrics[MACRO].value
        return {**self.values(), "macro_f1": macro_f1, **found, **also, "macro_f1_is": MACRO}


@dataclass(frozen=True, slots=True)
class Scored:
    """The score of a file, unless it could not be read, and what is wrong with it."""

    checked: CheckedSubmission
    score: Score | None
    annotator: str | None
    """The gold annotator, if the gold file names one."""


def score_files(
    gold: Path,
    submission: Path,
    *,
    annotator: str | None = None,
    origin: str | None = None,
    split: str | None = None,
    costs: Costs = PAPER,
    times: int = 1000,
    seed: int = 0,
) -> Scored:
    """Score a submission against gold, each the challenge's XML, CSV, JSON or a corpus.

    `annotator` says whose codes in gold are right, and `origin` whose in the submission are
    scored, where there are several; `split` which documents of a corpus that is split. Documents
    of gold that the submission lacks count as all missed; others are ignored, and listed. A
    submission that has none of gold's documents has no score.
    """
    right, annotator = _gold(gold, annotator, split)
    known = {code for codes in right.values() for code in codes}
    _, _, said = read_path(submission, origin=origin)
    checked = check(said, right, known, is_closed=False)
    counted = (
        replace(one, is_counted=not one.kind.is_format and one.kind is not ProblemKind.NOTHING)
        for one in checked.problems
    )
    checked = replace(checked, problems=tuple(counted))
    score = None
    if checked.is_readable and checked.charts:
        score = score_answers(right, checked.answers, costs, times=times, seed=seed)
    return Scored(checked, score, annotator)


def score_answers(
    gold: Answers, given: Answers, costs: Costs = PAPER, *, times: int = 1000, seed: int = 0
) -> Score:
    """All metrics of some answers."""
    sides = sides_of(gold, given)
    return Score(code_metrics(sides, costs=costs, times=times, seed=seed))


def _gold(
    path: Path, annotator: str | None, split: str | None
) -> tuple[Mapping[str, frozenset[Code]], str | None]:
    corpus = _corpus(path)
    if corpus is not None:
        _, chosen = only_annotator(corpus, annotator, str(path), "--annotator")
        if chosen is None:
            raise OptionError(f"{path} has no codes; a submission is scored against gold codes.")
        return combinations(only_read(_part(corpus, path, split), chosen), chosen), chosen
    if annotator is not None:
        raise OptionError(f"{path} has no annotator names; leave out --annotator.")
    if split is not None:
        raise OptionError(f"{path} has no splits; leave out --split.")
    _, read = read_file(path)
    if read.problems:
        listed = "; ".join(map(str, read.problems[:5]))
        raise OptionError(f"{path} cannot be read as gold: {listed}.")
    found: dict[str, set[Code]] = {}
    for document in read.documents:
        codes = (Code(given.system or UNNAMED, given.value) for given in document.codes)
        found.setdefault(document.chart_id, set()).update(codes)
    if not found:
        raise OptionError(f"{path} has no documents; a submission is scored against gold codes.")
    return {chart_id: frozenset(codes) for chart_id, codes in found.items()}, None


def _part(corpus: Corpus, path: Path, split: str | None) -> Corpus:
    if split is not None:
        return part_of(corpus, split)
    if len(known := splits_of(corpus)) > 1:
        raise OptionError(
            f"{path} is split into {', '.join(known)}. Choose which to score: --split "
            f"{known[0]}, or --split all."
        )
    return corpus


def _corpus(path: Path) -> Corpus | None:
    """Gold that is a corpus, or the XML of the challenge; None for a table."""
    if not path.exists():
        raise OptionError(f"{path} does not exist.")
    if path.is_dir():
        return open_corpus(path)
    if path.suffix.lower() == ".xml" or path.name.lower().endswith(".xml.gz"):
        return formats.read("cmc", path)
    return None
