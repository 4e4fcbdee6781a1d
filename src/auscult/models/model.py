"""A trained model: a fitted architecture with its card, thresholds and directory."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from auscult.core import Annotation, Code, Note, OptionError
from auscult.core.option_names import option
from auscult.corpus.corpus import Corpus
from auscult.models import (
    Capabilities,
    capabilities,
    config_type_of,
    model_class,
    model_names,
)
from auscult.models.architecture import Architecture, ModelConfiguration, Resources
from auscult.models.card import ModelCard, chart_digest
from auscult.models.categories import Categories
from auscult.models.chart_inputs import Texts, by_chart, charts_of, notes_of, text_of
from auscult.models.chart_scoring import (
    ChartConfiguration,
    ChartScorer,
    EvidenceRequest,
    ScoredChart,
    Scores,
)
from auscult.models.chart_text import ChartText
from auscult.models.decoding import Decoding, choose, decode
from auscult.models.explaining import (
    LEAST_WEIGHT,
    MOST_WORDS,
    attribution_of,
    known_thresholds,
    tuned_threshold,
    untuned_rule,
    with_attribution,
)
from auscult.models.inference_settings import with_inference_settings
from auscult.models.label_space import LabelSpace
from auscult.models.open_codes import decode_open, open_scores
from auscult.models.perturbation import (
    HasEncoderWords,
    KnowsWords,
    Perturbation,
    ScoresEdits,
    is_emptied,
    is_unread,
    reread,
)
from auscult.models.predictions import Predictions
from auscult.models.saved import (
    KEPT,
    about_file,
    open_vocabulary,
    read_about,
    read_trained_on,
    write,
)
from auscult.models.skipped import SkippedText
from auscult.models.span_annotation import EntityMention, Places, SpanFinder, SpanLinker


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model: `architecture` was fitted, `about` says how and has its thresholds.

    What it can do depends on the architecture: score the codes of charts, find spans, link given
    spans. A method that needs another capability raises an `OptionError`.
    """

    about: ModelCard
    config: ModelConfiguration
    architecture: Architecture
    trained_on: frozenset[str]
    """Digests of the ids of the charts it was trained or tuned on."""
    category: str | None = None
    """The category that notes without one are read as, instead of the default."""

    def __repr__(self) -> str:
        if self.about.mentions is not None:
            return f"Model({self.name!r}, concepts={self.about.mentions.concepts:,})"
        codes = f"codes={len(self.labels):,}" if len(self.labels) else "all of ICD-10-CM"
        return f"Model({self.name!r}, {codes})"

    @property
    def name(self) -> str:
        """The architecture's name, with which predictions are signed by default."""
        return self.about.kind

    @property
    def can(self) -> Capabilities:
        """What it can do."""
        return capabilities(type(self.architecture))

    @cached_property
    def labels(self) -> LabelSpace:
        """The label space; empty for a model that does not score codes."""
        return self.about.label_space()

    @property
    def decoding(self) -> Decoding:
        """Calibration and thresholds of a model that scores codes."""
        self._require_scores()
        assert self.about.decoding is not None  # such a card has one
        return self.about.decoding

    @cached_property
    def reads(self) -> Categories:
        """The note categories it uses, and the one that notes without a category are read as."""
        return Categories.of(self.about.source, self.config.categories, self.category)

    def with_category(self, category: str | None) -> Model:
        """The same model, reading notes without a category as `category` (None: the default).

        It is an error if the model does not use notes of that category.
        """
        if category is not None:
            self.reads.read_as(category)
        return replace(self, category=category)

    def with_thresholds(self, code: float | None = None, evidence: float | None = None) -> Model:
        """The same model with other thresholds for codes and evidence, where given."""
        named = {"code_threshold": code, "open_threshold": code, "evidence_threshold": evidence}
        changed = {name: value for name, value in named.items() if value is not None}
        if not changed:
            return self
        rule = {} if evidence is None else {"evidence_words": None}
        decoding = self.decoding.model_copy(update={**changed, **rule})
        return replace(self, about=self.about.model_copy(update={"decoding": decoding}))

    def with_explainer(self, explainer: str, *, tune_on: Corpus | None = None) -> Model:
        """The same neural model with another attribution method for its evidence.

        `explainer` is attention, attingrad or integrated-gradients. The evidence threshold was
        tuned for the original method. With `tune_on`, it is tuned again on the evidence in that
        corpus, which should not contain the training charts. Without it, the evidence for each code
        is at most ten words, those with the largest weights, and a warning says so. A method that
        was tuned before has its threshold again.
        """
        config = with_attribution(self.name, self.config, explainer)
        if attribution_of(self.config) == explainer and tune_on is None:
            return self
        known = known_thresholds(self.config, self.decoding)
        rule = untuned_rule(self.config, self.decoding, explainer)
        architecture: Any = self.architecture
        scorer = architecture.with_config(config)
        changed: dict[str, Any] = {"evidence_threshold": LEAST_WEIGHT, "evidence_words": MOST_WORDS}
        if tune_on is not None:
            chart_config = cast(ChartConfiguration, config)
            seed = self.about.seed
            found = tuned_threshold(scorer, chart_config, self.labels, tune_on, seed)
            changed = {"evidence_threshold": found, "evidence_words": None}
        elif rule is None:
            changed = {"evidence_threshold": known[explainer], "evidence_words": None}
        else:
            warnings.warn(rule, stacklevel=2)
        changed["evidence_thresholds"] = {
            name: threshold for name, threshold in known.items() if name != explainer
        }
        about = {
            "configuration": config.model_dump(mode="json"),
            "decoding": self.decoding.model_copy(update=changed),
        }
        card = self.about.model_copy(update=about)
        return replace(self, about=card, config=config, architecture=scorer)

    def predict(
        self,
        notes: Texts,
        *,
        spans: Places | None = None,
        annotator: str | None = None,
        also: Mapping[str, Sequence[Code]] | None = None,
        never_empty: bool = False,
        ranked: int = 0,
        alternatives: bool = False,
        skipped: SkippedText | None = None,
    ) -> Predictions:
        """Annotate notes: a text, a note, several of either, or a corpus.

        A model that scores codes gives each chart its codes with their evidence. A model of spans
        annotates entity mentions; with `spans` (by note id) it links those instead of finding some.
        A plain text is a chart of its own: text-1, text-2, …

        `annotator` signs the annotations (by default the model's name). `skipped` counts the text
        that was not read; without it, a warning says so.

        For codes only: `also` names further codes, by chart, to write evidence for, with status
        asked. `never_empty` gives the best code of a chart when none reaches the threshold.
        `ranked` adds that many codes below the threshold per chart, with status ranked. Spans of
        one code do not overlap; `alternatives` adds ranges that overlap a better one and score
        nearly as well.
        """
        signed = annotator or self.name
        left = SkippedText() if skipped is None else skipped
        if self.can.scores_codes:
            if spans is not None:
                raise OptionError(
                    f"The model {self.name} assigns codes to charts and does not link spans. Leave "
                    f"{option('the spans (--spans-of, --spans-by)', 'spans')} out."
                )
            made = self._coded(
                charts_of(notes, self.reads.usual), signed, also, never_empty=never_empty,
                ranked=ranked, alternatives=alternatives, left=left,
            )  # fmt: skip
        else:
            if also is not None or never_empty or ranked or alternatives:
                these = option(
                    "--codes-of, --never-empty, --ranked and --overlapping-spans",
                    "also, never_empty, ranked and alternatives",
                )
                raise OptionError(
                    f"The model {self.name} annotates spans and does not score codes. Leave "
                    f"{these} out."
                )
            made = self._mentions(notes_of(notes, self.reads.usual), spans, signed, left)
        found = Predictions(made)
        if skipped is None:
            left.warn(self.reads)
        return found

    def read(
        self, notes: Iterable[Note], evidence_for: EvidenceRequest | None = None
    ) -> Iterator[ScoredChart]:
        """The scores of every code for each chart, with evidence where `evidence_for` asks."""
        nothing = np.zeros(0, np.int64)
        left = SkippedText()
        yield from self._read(
            self._texts(by_chart(notes), left), evidence_for or (lambda _text, _scores: nothing)
        )
        left.warn(self.reads)

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

        What lies past the words that the model reads changes nothing and is not computed. A kind
        that has a quicker way than reading each changed chart from the beginning takes it.
        """
        text = self.text(notes)
        every = [Perturbation({}), *perturbed]
        if code not in self.labels.index:
            return [0.0] * len(every)
        unread = [at for at, one in enumerate(every) if at and is_unread(text, one)]
        left_out = {
            *unread,
            *(at for at, one in enumerate(every) if is_emptied(text, one, self.chart_config)),
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
        if len(text) and isinstance(self.architecture, ScoresEdits):
            place = self.labels.index[code]
            scores = self.architecture.scores_of_edits(text, perturbed, place, self.chart_config)
            return [float(score) for score in self._calibrated(scores)]
        again = ((reread(text, one, self.chart_config), [code]) for one in perturbed)
        return [score for [score] in self._scores(again)]

    def knows(self, words: Sequence[str]) -> list[bool] | None:
        """Whether each word is in the model's vocabulary; None when it has none."""
        fitted = self.architecture
        return fitted.knows(words) if isinstance(fitted, KnowsWords) else None

    def encoder_words(self) -> list[str] | None:
        """The whole words among the tokens of the model's pretrained encoder, if it has one."""
        fitted = self.architecture
        return fitted.encoder_words() if isinstance(fitted, HasEncoderWords) else None

    def has_seen(self, chart_ids: Iterable[str]) -> list[str]:
        """The charts among these that the model was trained or tuned on."""
        return [chart for chart in chart_ids if chart_digest(chart) in self.trained_on]

    def save(self, path: Path | str, *, overwrite: bool = True) -> None:
        """Write the model into a directory, atomically; by default it replaces another one."""
        write(Path(path), self.about, self.trained_on, self.architecture.save, overwrite=overwrite)

    @classmethod
    def load(
        cls,
        path: Path | str,
        architecture: type[Architecture] | None = None,
        *,
        vocabulary: Path | str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Model:
        """The model in a directory.

        `architecture` is needed for a class of your own that is no plug-in of a package.
        `vocabulary` says where the vocabulary is now, if it has moved. `settings` of inference,
        such as `{"inference_precision": "bf16"}`, override the model's own.
        """
        path = Path(path)
        file = about_file(path)
        about = read_about(file, ModelCard)
        if architecture is None and about.kind not in model_names():
            raise OptionError(
                f"{path} is a model of the class {about.kind}, which is neither built in nor a "
                f"plug-in. In Python, pass its class: load_model(path, {about.kind})."
            )
        found = model_class(architecture or about.kind)
        config = KEPT.configuration(file, about.kind, config_type_of(found), about.configuration)
        if settings:
            config = with_inference_settings(about.kind, config, settings)
            about = about.model_copy(update={"configuration": config.model_dump(mode="json")})
        resources = Resources(about.label_space(), open_vocabulary(about, vocabulary))
        fitted = found.load(path, resources, config)
        return cls(about, config, fitted, read_trained_on(path, about.source))

    def text(self, notes: Sequence[Note]) -> ChartText:
        """The words of a chart's notes, as the model reads them."""
        return text_of(notes, self.chart_config, self.reads)

    def _coded(
        self,
        charts: Iterable[tuple[Note, ...]],
        annotator: str,
        also: Mapping[str, Sequence[Code]] | None,
        *,
        never_empty: bool,
        ranked: int,
        alternatives: bool,
        left: SkippedText,
    ) -> Iterator[Annotation]:
        chosen: dict[str, npt.NDArray[np.int64]] = {}
        threshold = self.decoding.code_threshold

        def evidence_for(text: ChartText, scores: Scores) -> npt.NDArray[np.int64]:
            picked = choose(scores, threshold, self.labels, never_empty=never_empty)
            chosen[text.chart_id] = picked
            return np.union1d(picked, self._places(also, text.chart_id)) if also else picked

        for reading in self._read(self._texts(charts, left), evidence_for):
            chart_id = reading.text.chart_id
            picked = chosen.pop(chart_id)
            if len(self.labels):
                order = np.argsort(-reading.scores, kind="stable")
                below = order[~np.isin(order, picked)][:ranked]
                asked = np.setdiff1d(self._places(also, chart_id), np.union1d(picked, below))
                yield from decode(
                    reading,
                    self.labels,
                    self.decoding,
                    annotator,
                    codes=picked,
                    ranked=below,
                    asked=asked,
                    alternatives=alternatives,
                )
            if reading.beyond:
                yield from decode_open(
                    reading,
                    self.decoding.open_threshold,
                    annotator,
                    never_empty=never_empty and not len(picked),
                    ranked=ranked,
                    asked=also.get(chart_id, ()) if also else (),
                )

    def _mentions(
        self, notes: Iterable[Note], spans: Places | None, annotator: str, left: SkippedText
    ) -> Iterator[Annotation]:
        chosen = left.passing(notes, self.reads)
        found: Iterator[EntityMention]
        if spans is None:
            if not self.can.finds_spans:
                how = option(
                    "Name an annotator whose spans to link (--spans-of ANNOTATOR), or a model that "
                    "finds spans (--spans-by MODEL)",
                    "Pass the spans to link with spans=",
                )
                raise OptionError(
                    f"The model {self.name} links given spans and finds none itself. {how}."
                )
            found = cast(SpanFinder, self.architecture).find(chosen)
        else:
            if not self.can.links_spans:
                raise OptionError(
                    f"The model {self.name} finds spans and does not link given ones. Leave "
                    f"{option('--spans-of and --spans-by', 'spans')} out, or use a linker."
                )
            found = cast(SpanLinker, self.architecture).link(chosen, spans)
        for one in found:
            note = one.note
            yield Annotation(
                annotator, one.code, note.chart_id, note.note_id, one.spans, round(one.score, 4)
            )

    def _require_scores(self) -> None:
        if not self.can.scores_codes:
            raise OptionError(
                f"The model {self.name} annotates spans and does not score the codes of charts, "
                "which is needed here. Use a model that does, such as ensemble or linear."
            )

    @property
    def scorer(self) -> ChartScorer:
        """The fitted architecture of a model that scores codes."""
        self._require_scores()
        return cast(ChartScorer, self.architecture)

    @property
    def chart_config(self) -> ChartConfiguration:
        """The settings of a model that scores codes."""
        self._require_scores()
        return cast(ChartConfiguration, self.config)

    def _read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """The scores of charts, calibrated if the model calibrates."""
        for reading in self.scorer.read(
            texts, lambda text, scores: evidence_for(text, self._calibrated(scores))
        ):
            yield replace(reading, scores=self._calibrated(reading.scores))

    def _calibrated(self, scores: Scores) -> Scores:
        calibration = self.decoding.calibration
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
            found = open_scores(reading)
            yield [
                float(reading.scores[index[c]]) if c in index else found.get(c, 0.0) for c in codes
            ]
        for codes, _ in waiting:
            yield [0.0] * len(codes)

    def _places(
        self, codes: Mapping[str, Sequence[Code]] | None, chart_id: str
    ) -> npt.NDArray[np.int64]:
        index = self.labels.index
        asked = codes.get(chart_id, ()) if codes else ()
        return np.array([index[code] for code in asked if code in index], np.int64)

    def _texts(self, charts: Iterable[tuple[Note, ...]], left: SkippedText) -> Iterator[ChartText]:
        """The charts to read; counts those that are skipped or truncated."""
        for chart in charts:
            text = self.text(chart)
            left.add(chart, text)
            if len(text):
                yield text
