"""The model `lexicon`: matches known terms and estimates the probability of each match."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from auscult.codes.index.stems import check_language
from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import (
    ChartConfiguration,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
)
from auscult.models.chart_text import ChartText
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon import excerpts, term_sources
from auscult.models.lexicon.analogy import DerivedTerm
from auscult.models.lexicon.boundaries import BoundaryModel, Logits, targets_of
from auscult.models.lexicon.boundary_features import WordFeatures
from auscult.models.lexicon.candidate_model import CandidateModel, CandidateProbabilities
from auscult.models.lexicon.candidate_training import CandidateSample, fit_candidate_model
from auscult.models.lexicon.candidates import CandidateMaker, Candidates
from auscult.models.lexicon.contexts import Contexts
from auscult.models.lexicon.cooccurrence import add_cooccurring_terms
from auscult.models.lexicon.counts import CodeCounts
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.joined_charts import BATCH_WORDS, JoinedCharts, batches
from auscult.models.lexicon.lexicon_text import (
    LexiconReader,
    LexiconText,
    common_words,
    guess_language,
    word_frequency,
)
from auscult.models.lexicon.matching import Matcher
from auscult.models.lexicon.prepared_charts import PreparedCharts
from auscult.models.lexicon.string_counts import StringCounts
from auscult.models.lexicon.tallying import count_matches
from auscult.models.lexicon.term_index import TermIndex
from auscult.models.lexicon.terms import TermTable

_FILE, _COUNTS = "lexicon.json", "counts.npz"
_VERSION = 3
"""Version of the files. 2: the length of the chart was added. 3: counts are arrays."""
_BATCH = 1_000
"""Maximum number of charts that are read at once."""
_TAUGHT = 4_000
"""Maximum number of charts to train the candidate model on; those with evidence come first."""


_Labeled = tuple[LexiconText, GoldEvidence, Logits | None]
"""A chart or an excerpt, what is gold in it, and where evidence begins and ends."""


class LexiconConfiguration(ChartConfiguration):
    """Settings of the lexicon."""

    language: str | None = Field(
        None, description="Language of the notes, such as spanish; default: detected."
    )
    descriptions: bool | None = Field(
        None,
        description="Use the words of code descriptions as terms; default: only for English notes.",
    )
    analogies: bool = Field(
        True, description="Generate unseen terms by analogy with the terms of the training charts."
    )
    excerpts: bool = Field(
        True, description="Also train on excerpts of charts, which helps with short notes."
    )
    alternative_ratio: float = Field(
        0.6,
        gt=0,
        le=1,
        description="Minimum score of a span that overlaps a better one, relative to that one, to "
        "be an alternative to it (predict --overlapping-spans); 1 gives none.",
    )


class Lexicon:
    """Matches the terms of codes; a match is the evidence."""

    config_type: ClassVar[type[ChartConfiguration]] = LexiconConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = False
    folds: ClassVar[int] = 5

    held_out: Sequence[ScoredChart] = ()

    def __init__(
        self,
        labels: LabelSpace,
        reader: LexiconReader,
        terms: TermTable,
        candidates: CandidateMaker,
        edges: BoundaryModel | None,
        candidate_model: CandidateModel,
        alternatives: float,
    ) -> None:
        self._alternatives = alternatives
        self._labels = labels
        self._reader = reader
        self._terms = terms
        self._candidates = candidates
        self._edges = edges
        self._candidate_model = candidate_model
        self._contexts = Contexts(reader.forms.strings)
        self._features = WordFeatures(reader.forms.strings)

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: LexiconConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Collect terms and their counts, and train the boundary and candidate models."""
        train, labels = data.train, data.labels
        language = config.language or guess_language(one.text for one in train)
        check_language(language)
        reader = LexiconReader(language)
        strings = reader.forms.strings
        texts = (one.text for one in track(train, "reading charts", len(train)))
        charts = PreparedCharts(reader, texts)
        golds = GoldEvidence.of_all(train)
        terms = TermTable()
        common = common_words(charts)
        term_sources.from_evidence(terms, charts, golds, common)
        named = language == "english" if config.descriptions is None else config.descriptions
        if named:
            term_sources.from_descriptions(terms, labels, reader)
        if config.analogies:
            terms.derive(labels)
        add_cooccurring_terms(terms, charts, golds, common)
        matcher = Matcher(terms.all_keys(), word_frequency(charts), strings)
        counts = CodeCounts.of(labels, golds)
        index = TermIndex(terms, matcher.keys, len(labels), strings)
        candidates = CandidateMaker(index, matcher, StringCounts(), counts)
        count_matches(candidates, charts, golds)
        with_evidence = [at for at, gold in enumerate(golds) if gold.extents]
        features = WordFeatures(strings)
        edges, edge_logits = None, dict[int, Logits]()
        if with_evidence:
            edges, edge_logits = _edges(features, charts, golds, with_evidence, seed)
        rest = [at for at in range(len(charts)) if not golds[at].extents]
        chosen = sorted((with_evidence + rest)[:_TAUGHT])
        samples = CandidateSample.of_charts(seed), CandidateSample.of_excerpts(seed)
        contexts = Contexts(strings)
        groups = [
            [chosen[at] for at in group] for group in batches(len(charts[row]) for row in chosen)
        ]
        for group in track(groups, "training the candidate model", len(groups)):
            if edges is not None:
                unknown = [at for at in group if at not in edge_logits]
                logits = edges.logits(features, [charts[at] for at in unknown])
                edge_logits.update(zip(unknown, logits, strict=True))
            whole, parts = list[_Labeled](), list[_Labeled]()
            for at in group:
                chart, gold = charts[at], golds[at]
                found = edge_logits.pop(at) if at in edge_logits else None
                whole.append((chart, gold, found))
                dice = np.random.default_rng([seed, at])
                for begin, end in excerpts.places(chart, gold, dice) if config.excerpts else ():
                    its_edges = None if found is None else found[begin:end]
                    parts.append((*excerpts.cut(chart, gold, begin, end), its_edges))
            for sample, made in zip(samples, (whole, parts), strict=True):
                if made:
                    labels_of = [gold for _, gold, _ in made]
                    batch = JoinedCharts.of(
                        [chart for chart, _, _ in made], [gold.fold for gold in labels_of]
                    )
                    its_logits = [found for _, _, found in made if found is not None]
                    sample.add(
                        candidates.candidates(batch, its_logits or None), labels_of, contexts
                    )
        candidate_model = fit_candidate_model(samples, seed)
        terms.forget_folds()
        candidates.tally.forget_folds()
        matcher = Matcher(terms.all_keys(), word_frequency(charts), strings)
        index = TermIndex(terms, matcher.keys, len(labels), strings)
        candidates = CandidateMaker(index, matcher, candidates.tally, counts)
        return cls(
            labels, reader, terms, candidates, edges, candidate_model, config.alternative_ratio
        )

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts: a code by its best match, and every match as evidence.

        Weights are relative to the best match of the code, so that every predicted code has
        evidence.
        """
        for held in _batched(texts):
            if not any(map(len, held)):
                yield from (_without_candidates(text, evidence_for, self._labels) for text in held)
                continue
            charts = [self._reader.prepare(text) for text in held]
            batch = JoinedCharts.of(charts, [None] * len(charts))
            edges = None if self._edges is None else self._edges.logits(self._features, charts)
            found = self._candidates.candidates(batch, edges)
            around = self._contexts.matrix(batch, found.begins, found.ends)
            probabilities = self._candidate_model.apply(found.numbers(), around, found.ranges)
            bounds = np.searchsorted(found.chart_of, np.arange(len(charts) + 1))
            for at, chart in enumerate(charts):
                yield self._reading(
                    chart, found, probabilities, slice(bounds[at], bounds[at + 1]), evidence_for
                )

    def _reading(
        self,
        chart: LexiconText,
        found: Candidates,
        probabilities: CandidateProbabilities,
        own: slice,
        evidence_for: EvidenceRequest,
    ) -> ScoredChart:
        """What the candidates `own` of a chart say."""
        scores: Scores = np.zeros(len(self._labels), np.float32)
        codes, ranges = found.codes[own], found.ranges[own]
        np.maximum.at(scores, codes, probabilities.code[own])
        first = found.batch.starts[found.chart_of[own.start]] if len(codes) else 0
        begins, ends = found.begins[ranges] - first, found.ends[ranges] - first
        evidence: dict[int, EvidenceWeights] = {}
        for code in evidence_for(chart.text, scores).tolist():
            here = codes == code
            if here.any():
                evidence[code] = _extents(
                    begins[here].astype(np.int32),
                    ends[here].astype(np.int32),
                    probabilities.evidence[own][here],
                    self._alternatives,
                )
        return ScoredChart(chart.text, scores, evidence)

    def save(self, directory: Path) -> None:
        """Write terms as JSON, counts and weights as arrays."""
        terms = [
            [list(key), list(wording), sorted(codes.items())]
            for key, wordings in sorted(self._terms.wordings.items())
            for wording, codes in sorted(wordings.items())
        ]
        held = {
            "version": _VERSION,
            "language": self._reader.language,
            "terms": terms,
            "derived": [
                [list(key), [[code, *astuple(way)] for code, way in sorted(codes.items())]]
                for key, codes in sorted(self._terms.derived[None].items())
            ],
            "frequency": self._candidates.matcher.frequency,
            "charts": self._candidates.counts.charts.tolist(),
            "edges": self._edges is not None,
        }
        text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        (directory / _FILE).write_text(text + "\n", encoding="utf-8")
        self._candidates.tally.save(directory / _COUNTS)
        self._candidate_model.save(directory)
        if self._edges is not None:
            self._edges.save(directory)

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: LexiconConfiguration) -> Self:
        """What `save` wrote."""
        labels = resources.labels
        try:
            held = _of_this_version(json.loads((directory / _FILE).read_text(encoding="utf-8")))
            terms = TermTable()
            for key, wording, codes in held["terms"]:
                wordings = terms.wordings.setdefault(tuple(key), {})
                wordings[tuple(wording)] = dict(codes)
            terms.derived[None] = {
                tuple(key): {code: DerivedTerm(*way) for code, *way in codes}
                for key, codes in held["derived"]
            }
            counts = CodeCounts(labels, held["charts"])
            reader = LexiconReader(held["language"])
            tally = StringCounts.load(directory / _COUNTS)
            edges = BoundaryModel.load(directory) if held["edges"] else None
            candidate_model = CandidateModel.load(directory)
            matcher = Matcher(terms.all_keys(), held["frequency"], reader.forms.strings)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete lexicon: a file is missing, damaged or of "
                "an older version. Train it again."
            ) from error
        index = TermIndex(terms, matcher.keys, len(labels), reader.forms.strings)
        candidates = CandidateMaker(index, matcher, tally, counts)
        return cls(
            labels, reader, terms, candidates, edges, candidate_model, config.alternative_ratio
        )


def _of_this_version(held: dict[str, Any]) -> dict[str, Any]:
    if held["version"] != _VERSION:
        raise ValueError("its candidates have other features")
    return held


def _without_candidates(
    text: ChartText, evidence_for: EvidenceRequest, labels: LabelSpace
) -> ScoredChart:
    scores: Scores = np.zeros(len(labels), np.float32)
    evidence_for(text, scores)
    return ScoredChart(text, scores)


def _batched(texts: Iterable[ChartText]) -> Iterator[list[ChartText]]:
    """Texts with words, some at a time."""
    held: list[ChartText] = []
    words = 0
    for text in texts:
        held.append(text)
        words += len(text)
        if words >= BATCH_WORDS or len(held) >= _BATCH:
            yield held
            held, words = [], 0
    if held:
        yield held


def _edges(
    features: WordFeatures,
    charts: Sequence[LexiconText],
    golds: Sequence[GoldEvidence],
    with_evidence: list[int],
    seed: int,
) -> tuple[BoundaryModel, dict[int, Logits]]:
    targets = [
        targets_of(
            len(charts[at]),
            [parts for found in golds[at].example.references.values() for parts in found],
        )
        for at in with_evidence
    ]
    folds = [golds[at].fold for at in with_evidence]
    edges, edge_logits = BoundaryModel.fit(
        features, [charts[at] for at in with_evidence], targets, folds, seed
    )
    return edges.rounded(), {with_evidence[order]: logits for order, logits in edge_logits.items()}


def _extents(
    begins: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int32],
    probabilities: npt.NDArray[np.float32],
    alternatives: float,
) -> EvidenceWeights:
    """Ranges of one code: of those that overlap the most probable, and others nearly as good.

    All of a place weigh what its best one does, relative to the best place of all, so that a code
    that is given has evidence. They are ordered by probability: the best before its alternatives.
    """
    kept: list[int] = []
    weights: list[float] = []
    leaders: list[int] = []
    place_of = np.full(int(ends.max()), -1)  # the place among the leaders of who has a word
    top = max(float(probabilities.max()), 1e-9)
    for at in np.argsort(-probabilities, kind="stable").tolist():
        words = place_of[begins[at] : ends[at]]
        over = words[words >= 0]
        leader = leaders[over.min()] if len(over) else at
        if leader == at:
            words[:] = len(leaders)
            leaders.append(at)
        elif alternatives >= 1 or probabilities[at] < alternatives * probabilities[leader]:
            continue
        kept.append(at)
        weights.append(float(probabilities[leader]) / top)
    return EvidenceWeights(begins[kept], ends[kept], np.array(weights, np.float32))
