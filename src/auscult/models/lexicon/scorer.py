"""The model `lexicon`: matches known terms and estimates the probability of each match."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from itertools import islice
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
from auscult.models.lexicon.candidate_model import CandidateModel, CandidateProbabilities
from auscult.models.lexicon.candidate_training import LabeledCandidates, fit_candidate_model
from auscult.models.lexicon.candidates import (
    CandidateMaker,
    CandidateRows,
    ContextVectorizer,
    context,
    levels,
)
from auscult.models.lexicon.cooccurrence import add_cooccurring_terms
from auscult.models.lexicon.counts import CodeCounts
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.lexicon_text import (
    LexiconReader,
    LexiconText,
    common_words,
    guess_language,
)
from auscult.models.lexicon.string_counts import StringCount, StringCounts
from auscult.models.lexicon.terms import Matcher, TermTable

_FILE = "lexicon.json"
_VERSION = 2
"""Version of the candidates' features. 2: the length of the chart was added."""
_BATCH = 64
_TAUGHT = 4_000
"""Maximum number of charts to train the candidate model on; those with evidence come first."""


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
        candidates: CandidateMaker,
        frequency: Counter[str],
        edges: BoundaryModel | None,
        candidate_model: CandidateModel,
        alternatives: float,
    ) -> None:
        self._alternatives = alternatives
        self._labels = labels
        self._reader = reader
        self._candidates = candidates
        self._frequency = frequency
        self._edges = edges
        self._candidate_model = candidate_model

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
        charts = [reader.prepare(one.text) for one in train]
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
        frequency = Counter(key for chart in charts for key in chart.keys)
        matcher = Matcher(terms.all_keys(), frequency)
        tally = _tally(terms, matcher, charts, golds)
        counts = CodeCounts.of(labels, golds)
        candidates = CandidateMaker(terms, matcher, tally, counts)
        with_evidence = [at for at, gold in enumerate(golds) if gold.extents]
        edges, edge_logits = None, dict[int, Logits]()
        if with_evidence:
            edges, edge_logits = _edges(charts, golds, with_evidence, seed)
        rest = [at for at in range(len(charts)) if not golds[at].extents]
        chosen = sorted((with_evidence + rest)[:_TAUGHT])
        whole, parts = list[LabeledCandidates](), list[LabeledCandidates]()
        for at in track(chosen, "training the candidate model", len(chosen)):
            if edges is not None and at not in edge_logits:
                edge_logits[at] = edges.logits([charts[at]])[0]
            chart, gold, found = charts[at], golds[at], edge_logits.get(at)
            whole.append(LabeledCandidates(chart, gold, candidates.rows(chart, found, gold.fold)))
            dice = np.random.default_rng([seed, at])
            for begin, end in excerpts.places(chart, gold, dice) if config.excerpts else ():
                part, its_gold = excerpts.cut(chart, gold, begin, end)
                its_edges = None if found is None else found[begin:end]
                rows = candidates.rows(part, its_edges, gold.fold)
                parts.append(LabeledCandidates(part, its_gold, rows))
        candidate_model = fit_candidate_model(whole, parts, seed)
        terms.forget_charts()
        needed = {word for key in terms.all_keys() for word in key}
        frequency = Counter({word: frequency[word] for word in sorted(needed)})
        tally.forget_folds()
        candidates.matcher = Matcher(terms.all_keys(), frequency)
        return cls(
            labels, reader, candidates, frequency, edges, candidate_model, config.alternative_ratio
        )

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts: a code by its best match, and every match as evidence.

        Weights are relative to the best match of the code, so that every predicted code has
        evidence.
        """
        contexts = ContextVectorizer()
        texts = iter(texts)
        while batch := list(islice(texts, _BATCH)):
            charts = [self._reader.prepare(text) for text in batch]
            edge_logits: Sequence[Logits | None] = (
                self._edges.logits(charts) if self._edges else [None] * len(charts)
            )
            for chart, edges in zip(charts, edge_logits, strict=True):
                rows = self._candidates.rows(chart, edges)
                probabilities = None
                if len(rows):
                    places = zip(rows.begins.tolist(), rows.ends.tolist(), strict=True)
                    around = contexts.matrix([context(chart, *place) for place in places])
                    probabilities = self._candidate_model.apply(rows.numbers, around)
                yield self._reading(chart, rows, probabilities, evidence_for)

    def _reading(
        self,
        chart: LexiconText,
        rows: CandidateRows,
        probabilities: CandidateProbabilities | None,
        evidence_for: EvidenceRequest,
    ) -> ScoredChart:
        scores: Scores = np.zeros(len(self._labels), np.float32)
        if probabilities is None:
            evidence_for(chart.text, scores)
            return ScoredChart(chart.text, scores)
        np.maximum.at(scores, rows.codes, probabilities.code)
        evidence: dict[int, EvidenceWeights] = {}
        for code in evidence_for(chart.text, scores).tolist():
            here = rows.codes == code
            if here.any():
                evidence[code] = _extents(
                    rows.begins[here],
                    rows.ends[here],
                    probabilities.evidence[here],
                    self._alternatives,
                )
        return ScoredChart(chart.text, scores, evidence)

    def save(self, directory: Path) -> None:
        """Write terms and counts as JSON, weights as arrays."""
        terms = [
            [list(key), list(wording), sorted(codes.items())]
            for key, wordings in sorted(self._candidates.terms.wordings.items())
            for wording, codes in sorted(wordings.items())
        ]
        counts = [
            [string, count.times, count.hits, sorted(count.codes.items())]
            for string, count in sorted(self._candidates.tally.whole.items())
        ]
        held = {
            "version": _VERSION,
            "language": self._reader.language,
            "terms": terms,
            "derived": [
                [list(key), [[code, *astuple(way)] for code, way in sorted(codes.items())]]
                for key, codes in sorted(self._candidates.terms.derived[None].items())
            ],
            "counts": counts,
            "frequency": dict(self._frequency),
            "charts": list(self._candidates.counts.charts),
            "edges": self._edges is not None,
        }
        text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        (directory / _FILE).write_text(text + "\n", encoding="utf-8")
        self._candidate_model.save(directory)
        if self._edges is not None:
            self._edges.save(directory)

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: LexiconConfiguration) -> Self:
        """What `save` wrote."""
        labels = resources.labels
        try:
            held = _of_this_version(json.loads((directory / _FILE).read_text(encoding="utf-8")))
            terms, tally = TermTable(), StringCounts()
            for key, wording, codes in held["terms"]:
                wordings = terms.wordings.setdefault(tuple(key), {})
                wordings[tuple(wording)] = dict(codes)
            terms.derived[None] = {
                tuple(key): {code: DerivedTerm(*way) for code, *way in codes}
                for key, codes in held["derived"]
            }
            for string, times, hits, codes in held["counts"]:
                tally.whole[string] = StringCount(times, hits, dict(codes))
            frequency = Counter(held["frequency"])
            counts = CodeCounts(labels, held["charts"])
            reader = LexiconReader(held["language"])
            edges = BoundaryModel.load(directory) if held["edges"] else None
            candidate_model = CandidateModel.load(directory)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete lexicon: a file is missing, damaged or of "
                "an older version. Train it again."
            ) from error
        matcher = Matcher(terms.all_keys(), frequency)
        candidates = CandidateMaker(terms, matcher, tally, counts)
        return cls(
            labels, reader, candidates, frequency, edges, candidate_model, config.alternative_ratio
        )


def _of_this_version(held: dict[str, Any]) -> dict[str, Any]:
    if held["version"] != _VERSION:
        raise ValueError("its candidates have other features")
    return held


def _tally(
    terms: TermTable, matcher: Matcher, charts: Sequence[LexiconText], golds: Sequence[GoldEvidence]
) -> StringCounts:
    """Count every match in the training text, and how many of them were evidence."""
    tally = StringCounts()
    pairs = zip(charts, golds, strict=True)
    for chart, gold in track(pairs, "counting matches", len(charts)):
        for key, places in matcher.matches(chart):
            begin, end = places[0], places[-1] + 1
            hits = [code for code in terms.all_codes(key) if gold.covers(begin, end, code)]
            for string in levels(chart, key, places):
                tally.add(string, hits, gold.fold)
    return tally


def _edges(
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
        [charts[at] for at in with_evidence], targets, folds, seed
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
