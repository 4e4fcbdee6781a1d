"""The model `linker`: links given spans to concepts of a vocabulary.

Training mentions, the vocabulary's names, abbreviations, stems and trigrams propose candidate
concepts; a ranker trained out of fold orders them. Its probabilities decide whether several
concepts are predicted, or CUI-less.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from auscult.codes import CUI_LESS
from auscult.core import Code, Note, OptionError
from auscult.core.progress import track
from auscult.models.architecture import Resources, TrainingData
from auscult.models.entities.cui_less import nothing_of
from auscult.models.entities.gold_mentions import MarkedNote, marks_on
from auscult.models.entities.linker.candidates import (
    CandidateFinder,
    LinkCandidates,
    LinkerPart,
    NameSearch,
)
from auscult.models.entities.linker.decision import (
    LinkDecision,
    LinkProbabilities,
    link_probabilities,
    tune,
)
from auscult.models.entities.linker.ranker import Ranker
from auscult.models.entities.linker.second_concept import SecondConceptModel
from auscult.models.entities.mention_statistics import MentionStatistics
from auscult.models.entities.name_index import NameIndex, semantic_types
from auscult.models.folds import fold_of, note_folds
from auscult.models.semantic.name_embeddings import NameEmbeddings
from auscult.models.span_annotation import EntityMention, Places, SpanConfiguration

_RANKER, _DECISION = "ranker.json", "decision.json"
_FOLDS_OF_RANKER = 5


class LinkerConfiguration(SpanConfiguration):
    """Settings of the linker."""

    ablate: tuple[LinkerPart, ...] = Field(
        (), description="Parts of the linker to leave out, for an ablation study."
    )
    folds: int = Field(
        10, ge=2, description="Number of cross-validation folds for out-of-fold predictions."
    )
    allow_multiple: bool = Field(True, description="Allow several concepts for a span.")
    threshold: float | None = Field(
        None, ge=0, le=1,
        description="Minimum probability of a concept for text unseen in training, which is "
        "CUI-less otherwise; default: the one with the best F1 that costs no accuracy.",
    )  # fmt: skip
    embeddings: bool = Field(
        False,
        description="Also propose concepts by the embeddings of the vocabulary's names, which "
        "`auscult vocab embed` makes.",
    )
    coverage: float | None = Field(
        None, gt=0, lt=1,
        description="Conformal coverage target: return up to five concepts for a span, so that "
        "this fraction of the spans has a right one; default: the best concept.",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Linker:
    """The fitted linker, with the vocabulary it was trained with."""

    config_type: ClassVar[type[LinkerConfiguration]] = LinkerConfiguration
    needs_vocabulary: ClassVar[bool] = True

    names: NameIndex
    knowledge: MentionStatistics
    ranker: Ranker
    second_concept: SecondConceptModel
    decision: LinkDecision
    nothing: Code
    without: tuple[LinkerPart, ...] = ()
    tuning: Mapping[str, Any] = field(default_factory=dict)
    embeddings: NameEmbeddings | None = None

    def __repr__(self) -> str:
        return f"Linker({self.knowledge!r}, {self.decision!r})"

    @cached_property
    def _finder(self) -> CandidateFinder:
        search = NameSearch(self.names, self.without, self.embeddings)
        return CandidateFinder(search, self.knowledge, nothing=self.nothing, without=self.without)

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: LinkerConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Linker:
        """Train on notes with their gold mentions."""
        notes, vocabulary = data.notes, data.vocabulary
        assert vocabulary is not None  # it is needed, and so it is there
        types = semantic_types(config, notes, vocabulary)
        # First, since an error would come late after the names have been indexed.
        embeddings = NameEmbeddings.of(vocabulary) if config.embeddings else None
        names = NameIndex.of(vocabulary, types)
        search = NameSearch(names, config.ablate, embeddings)
        return cls.fit_names(notes, names, config, seed=seed, search=search)

    @classmethod
    def fit_names(
        cls,
        notes: Sequence[MarkedNote],
        names: NameIndex,
        config: LinkerConfiguration,
        *,
        seed: int,
        search: NameSearch | None = None,
    ) -> Linker:
        """Train on notes with a name index that exists already.

        `search` must leave out the same components.
        """
        search = search or NameSearch(names, config.ablate)
        nothing, known = nothing_of(notes), MentionStatistics.fit(notes, names.language)
        if LinkerPart.RANKER in config.ablate:
            if config.coverage is not None:
                raise OptionError(
                    "The setting coverage needs the ranker's probabilities. Leave coverage out, or "
                    "take ranker out of ablate."
                )
            ranker, second_concept, decision = (
                Ranker.untrained(),
                SecondConceptModel(),
                LinkDecision(least=config.threshold or 0.0),
            )
            return cls(
                names, known, ranker, second_concept, decision, nothing, config.ablate,
                embeddings=search.embeddings,
            )  # fmt: skip
        lists: list[LinkCandidates] = []
        charts: list[str] = []
        for inside, outside in track(
            note_folds(notes, config.folds, seed), "reading", config.folds
        ):
            knowledge = MentionStatistics.fit(inside, names.language)
            finder = CandidateFinder(search, knowledge, nothing=nothing, without=config.ablate)
            for one in outside:
                found = [made for made in finder.find(one) if made.mark.codes]
                lists += found
                charts += [one.note.chart_id] * len(found)
        ranker = Ranker.fit(lists)
        second_concept = SecondConceptModel.fit(lists, ranker.shares(lists))
        probabilities = _out_of_fold(lists, charts, seed)
        tuned = tune(
            lists,
            probabilities,
            several=config.allow_multiple,
            least=config.threshold,
            cover=config.coverage,
        )
        how = {"on": "training notes, out of fold", **tuned.measured}
        return cls(
            names, known, ranker, second_concept, tuned.decision, nothing, config.ablate, how,
            search.embeddings,
        )  # fmt: skip

    def link(self, notes: Iterable[Note], places: Places) -> Iterator[EntityMention]:
        """The concepts of the given spans, note by note."""
        for note in notes:
            spans = places.get(note.note_id, ())
            found = self._finder.find(MarkedNote(note, marks_on(note.text or "", spans)))
            for one, shares in zip(found, self.ranker.shares(found), strict=True):
                for code, share in link_probabilities(one, shares, self.second_concept).decide(
                    self.decision
                ):
                    yield EntityMention(note, one.mark.spans, code, share)

    def save(self, directory: Path) -> None:
        """Write the fitted parameters; the vocabulary is not copied."""
        self.names.save(directory)
        self.knowledge.save(directory)
        self.ranker.save(directory / _RANKER)
        held = {
            "decision": asdict(self.decision),
            "second_concept": asdict(self.second_concept),
            "system": self.nothing.system,
            "without": list(self.without),
            "tuning": dict(self.tuning),
            "embeddings": None if self.embeddings is None else self.embeddings.manifest.digest,
        }
        (directory / _DECISION).write_text(json.dumps(held, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: LinkerConfiguration) -> Linker:
        """Read what `save` wrote."""
        vocabulary = resources.vocabulary
        assert vocabulary is not None
        held = json.loads((directory / _DECISION).read_text(encoding="utf-8"))
        digest = held.get("embeddings")
        return cls(
            NameIndex.load(directory, vocabulary),
            MentionStatistics.load(directory),
            Ranker.load(directory / _RANKER),
            SecondConceptModel(**held["second_concept"]),
            LinkDecision(**held["decision"]),
            Code(held["system"], CUI_LESS),
            tuple(map(LinkerPart, held["without"])),
            held["tuning"],
            None if digest is None else NameEmbeddings.of(vocabulary, digest),
        )


def _out_of_fold(
    lists: Sequence[LinkCandidates], charts: Sequence[str], seed: int
) -> list[LinkProbabilities]:
    """Probabilities of mentions from rankers that were not trained on their charts."""
    place = fold_of(charts, _FOLDS_OF_RANKER, seed + 1)
    found: dict[int, LinkProbabilities] = {}
    for number in sorted(set(place.values())):
        inside = [one for one, c in zip(lists, charts, strict=True) if place[c] != number]
        outside = [at for at, chart in enumerate(charts) if place[chart] == number]
        ranker, second_concept = Ranker.untrained(), SecondConceptModel()
        if inside:
            ranker = Ranker.fit(inside)
            second_concept = SecondConceptModel.fit(inside, ranker.shares(inside))
        here = [lists[at] for at in outside]
        for at, one, shares in zip(outside, here, ranker.shares(here), strict=True):
            found[at] = link_probabilities(one, shares, second_concept)
    return [found[at] for at in range(len(lists))]
