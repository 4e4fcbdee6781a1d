"""The normaliser: what marked spans mean.

Training lookup, a vocabulary's names, abbreviations, stems and trigrams propose concepts; a ranker
that learnt from training notes, each read with the knowledge of the others, puts them in order. Its
probabilities decide whether several concepts are given, and whether none fits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from auscult.coders.concepts.contract import Found, Places, SpanConfiguration
from auscult.coders.concepts.folds import folds, nothing_of, placed
from auscult.coders.concepts.knowledge import Knowledge, all_codes
from auscult.coders.concepts.marks import MarkedNote, marks_on
from auscult.coders.concepts.names import Names, types_of
from auscult.coders.concepts.normaliser.candidates import (
    CandidateFinder,
    Candidates,
    NameSearch,
    Part,
)
from auscult.coders.concepts.normaliser.company import Company
from auscult.coders.concepts.normaliser.deciding import Decision, Opinion, opinion, tune
from auscult.coders.concepts.normaliser.ranker import Ranker
from auscult.codes import CUI_LESS
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, OptionError
from auscult.core.progress import track

_RANKER, _DECISION = "ranker.json", "decision.json"
_FOLDS_OF_RANKER = 5


class NormaliserConfiguration(SpanConfiguration):
    """How marked spans are given their meaning."""

    without: tuple[Part, ...] = Field((), description="Parts to do without, to see what each adds.")
    folds: int = Field(10, ge=2, description="Folds in which training notes are read.")
    several: bool = Field(True, description="May give a span several concepts.")
    least: float | None = Field(
        None, ge=0, le=1,
        description="Least probability of a concept for text that training notes do not have, or "
        "it is CUI-less; by default that with the best F1 there that costs no accuracy.",
    )  # fmt: skip
    cover: float | None = Field(
        None, gt=0, lt=1,
        description="Give as many concepts as it takes, up to five, for one to be right in this "
        "part of the spans; by default one, and those that are right beside it.",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Normaliser:
    """What was learnt, and the vocabulary it is to be used with."""

    config_type: ClassVar[type[NormaliserConfiguration]] = NormaliserConfiguration
    needs_vocabulary: ClassVar[bool] = True
    needs_places: ClassVar[bool] = True
    takes_places: ClassVar[bool] = True

    names: Names
    knowledge: Knowledge
    ranker: Ranker
    company: Company
    decision: Decision
    nothing: Code
    without: tuple[Part, ...] = ()
    tuning: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Normaliser({self.knowledge!r}, {self.decision!r})"

    @cached_property
    def _finder(self) -> CandidateFinder:
        search = NameSearch(self.names, self.without)
        return CandidateFinder(search, self.knowledge, nothing=self.nothing, without=self.without)

    @classmethod
    def fit(
        cls,
        notes: Sequence[MarkedNote],
        vocabulary: Vocabulary | None,
        config: NormaliserConfiguration,
        *,
        seed: int,
    ) -> Normaliser:
        """Learn from notes with their marks."""
        assert vocabulary is not None  # it is needed, and so it is there
        types = config.types if config.types is not None else types_of(all_codes(notes), vocabulary)
        return cls.learn(notes, Names.of(vocabulary, types), config, seed=seed)

    @classmethod
    def learn(
        cls,
        notes: Sequence[MarkedNote],
        names: Names,
        config: NormaliserConfiguration,
        *,
        seed: int,
        search: NameSearch | None = None,
    ) -> Normaliser:
        """Learn from notes over names that are indexed already, and perhaps were searched before.

        `search` must do without the same parts.
        """
        nothing, known = nothing_of(notes), Knowledge.learn(notes, names.language)
        if Part.RANKER in config.without:
            if config.cover is not None:
                raise OptionError(
                    "How many concepts cover a part of the spans is known by the ranker's "
                    "probabilities. Leave cover out, or ranker out of without."
                )
            ranker, company, decision = (
                Ranker.unlearnt(),
                Company(),
                Decision(least=config.least or 0.0),
            )
            return cls(names, known, ranker, company, decision, nothing, config.without)
        search = search or NameSearch(names, config.without)
        lists: list[Candidates] = []
        charts: list[str] = []
        for inside, outside in track(folds(notes, config.folds, seed), "reading", config.folds):
            knowledge = Knowledge.learn(inside, names.language)
            finder = CandidateFinder(search, knowledge, nothing=nothing, without=config.without)
            for one in outside:
                found = [made for made in finder.find(one) if made.mark.codes]
                lists += found
                charts += [one.note.chart_id] * len(found)
        ranker = Ranker.learn(lists)
        company = Company.learn(lists, ranker.shares(lists))
        opinions = _out_of_fold(lists, charts, seed)
        tuned = tune(
            lists, opinions, several=config.several, least=config.least, cover=config.cover
        )
        how = {"on": "training notes, out of fold", **tuned.measured}
        return cls(names, known, ranker, company, tuned.decision, nothing, config.without, how)

    def annotate(self, notes: Iterable[Note], places: Places | None = None) -> Iterator[Found]:
        """The concepts of the spans given, note by note."""
        for note in notes:
            spans = (places or {}).get(note.note_id, ())
            found = self._finder.find(MarkedNote(note, marks_on(note.text or "", spans)))
            for one, shares in zip(found, self.ranker.shares(found), strict=True):
                for code, share in opinion(one, shares, self.company).decide(self.decision):
                    yield Found(note, one.mark.spans, code, share)

    def save(self, directory: Path) -> None:
        """Write what was learnt; the vocabulary stays where it is."""
        self.names.save(directory)
        self.knowledge.save(directory)
        self.ranker.save(directory / _RANKER)
        held = {
            "decision": asdict(self.decision),
            "company": asdict(self.company),
            "system": self.nothing.system,
            "without": list(self.without),
            "tuning": dict(self.tuning),
        }
        (directory / _DECISION).write_text(json.dumps(held, indent=1), encoding="utf-8")

    @classmethod
    def load(
        cls, directory: Path, vocabulary: Vocabulary | None, config: NormaliserConfiguration
    ) -> Normaliser:
        """What `save` wrote."""
        assert vocabulary is not None
        held = json.loads((directory / _DECISION).read_text(encoding="utf-8"))
        return cls(
            Names.load(directory, vocabulary),
            Knowledge.load(directory),
            Ranker.load(directory / _RANKER),
            Company(**held["company"]),
            Decision(**held["decision"]),
            Code(held["system"], CUI_LESS),
            tuple(map(Part, held["without"])),
            held["tuning"],
        )


def _out_of_fold(lists: Sequence[Candidates], charts: Sequence[str], seed: int) -> list[Opinion]:
    """What is thought of marks by rankers that did not learn from their charts."""
    place = placed(charts, _FOLDS_OF_RANKER, seed + 1)
    found: dict[int, Opinion] = {}
    for number in sorted(set(place.values())):
        inside = [one for one, c in zip(lists, charts, strict=True) if place[c] != number]
        outside = [at for at, chart in enumerate(charts) if place[chart] == number]
        ranker, company = Ranker.unlearnt(), Company()
        if inside:
            ranker = Ranker.learn(inside)
            company = Company.learn(inside, ranker.shares(inside))
        here = [lists[at] for at in outside]
        for at, one, shares in zip(outside, here, ranker.shares(here), strict=True):
            found[at] = opinion(one, shares, company)
    return [found[at] for at in range(len(lists))]
