"""A challenge in a directory: its settings, the corpus with the gold, and the ledger.

The directory holds what teams must not see: it is the organizers' own, and only `release` makes
something to give away.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import ValidationError

from auscult.challenge.errors import ChallengeError
from auscult.challenge.journal import EventKind, Journal, JournalEvent
from auscult.challenge.ledger import Ledger
from auscult.challenge.settings import LAYOUT, ChallengeSettings, Document, Track
from auscult.challenge.state import ChallengeState
from auscult.challenge.submission import Expected
from auscult.core import Code, OptionError, storage
from auscult.core.clock import Clock
from auscult.core.names import require_known
from auscult.corpus import Corpus
from auscult.corpus.annotators import annotators_of
from auscult.corpus.combinations import by_note, combinations
from auscult.corpus.history import recorded
from auscult.corpus.readers import only_read
from auscult.corpus.selecting import only_codes
from auscult.corpus.split import part_of, splits_of
from auscult.evaluate.sides import only_annotator

_SETTINGS, _CORPUS = "challenge.json", "corpus"
_LEDGERS = {Track.CODES: "ledger.sqlite", Track.EVIDENCE: "ledger-evidence.sqlite"}
_PUBLISHED = "published.json"
"""How a ranking was published before there was a journal."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """An open challenge."""

    path: Path
    settings: ChallengeSettings
    corpus: Corpus = field(repr=False)
    """The documents of train and test only, each as its own chart."""
    clock: Clock = Clock()  # noqa: RUF009 - frozen

    @classmethod
    def open(cls, path: Path | str, *, clock: Clock | None = None) -> Challenge:
        """The challenge in a directory; `clock` tells the time that its calendar goes by."""
        path = Path(path)
        file = path / _SETTINGS
        if not file.exists():
            raise ChallengeError(
                f"{path} is not a challenge: it has no {_SETTINGS}. Make one with: auscult "
                f"challenge create CORPUS {path}"
            )
        try:
            settings = ChallengeSettings.model_validate_json(file.read_bytes())
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            raise ChallengeError(
                f"{file} is invalid: {where}: {first['msg']}. Restore it from a copy."
            ) from error
        if settings.layout > LAYOUT:
            raise ChallengeError(
                f"{path} was made by a newer Auscult (layout {settings.layout}, this one reads up "
                f"to {LAYOUT}). Upgrade: pip install -U auscult"
            )
        return cls(path, settings, Corpus.open(path / _CORPUS), clock or Clock())

    @property
    def ledger(self) -> Ledger:
        """What was submitted to the track of codes."""
        return self.ledger_of(Track.CODES)

    def ledger_of(self, track: Track) -> Ledger:
        """What was submitted to a track; each counts its own attempts."""
        if track not in self.settings.tracks:
            listed = " and ".join(self.settings.tracks)
            raise OptionError(f"{self.settings.name} has no track {track}; it has {listed}.")
        return Ledger(self.path / _LEDGERS[track])

    @property
    def journal(self) -> Journal:
        """What happened beside submissions."""
        return Journal(self.path / _LEDGERS[Track.CODES])

    def state(self) -> ChallengeState:
        """The calendar, the teams and their descriptions as they are now."""
        return self._state_after(self.journal.standing())

    def record(
        self,
        kind: EventKind,
        content: Mapping[str, Any],
        *,
        who: str,
        moment: datetime,
        allowed: Callable[[ChallengeState], bool],
    ) -> None:
        """Write an event down if it is `allowed` in the state just before it, in one transaction:
        an error refuses it, False says that there is nothing to write down.
        """
        self.journal.append(
            kind,
            content,
            who=who,
            moment=moment,
            allowed=lambda events: allowed(self._state_after(events)),
        )

    @contextmanager
    def taking(self, track: Track) -> Iterator[Ledger]:
        """A track's ledger; the state stays as it is while the ledger takes a submission.

        The track of codes has its ledger in the file of the journal, where one transaction holds
        both. Other tracks have a file of their own, so that the journal is held beside it.
        """
        ledger = self.ledger_of(track)
        with nullcontext() if track is Track.CODES else self.journal.held():
            yield ledger

    def _state_after(self, events: Iterable[JournalEvent]) -> ChallengeState:
        return ChallengeState.of(events, self._published_before())

    def _published_before(self) -> datetime | None:
        file = self.path / _PUBLISHED
        if not file.exists():
            return None
        return datetime.fromisoformat(json.loads(file.read_bytes())["time"])

    def gold(self) -> dict[str, frozenset[Code]]:
        """The gold codes of every test document."""
        return self.answers(self.settings.gold)

    def humans(self) -> dict[str, dict[str, frozenset[Code]]]:
        """The codes that the ranked people assigned to the test documents."""
        return {name: self.answers(name) for name in self.settings.humans}

    def expected(self, track: Track = Track.CODES) -> Expected:
        """What a submission to a track is checked against."""
        notes = None
        test = self.corpus.select(splits=[self.settings.test])
        if track is Track.EVIDENCE:
            notes = tuple(test.iter_notes())
        # In the order of gold, as the ranking has it.
        documents = tuple(dict.fromkeys(test.lazy_notes.select("chart_id").collect()["chart_id"]))
        return Expected(documents, self.settings.label_set, self.settings.document.value, notes)

    def answers(self, annotator: str) -> dict[str, frozenset[Code]]:
        """An annotator's codes of every test document."""
        return combinations(self.corpus.select(splits=[self.settings.test]), annotator)


def create(
    corpus: Corpus,
    path: Path,
    *,
    gold: str | None = None,
    codes: Collection[Code] | None = None,
    code_minimum: int = 1,
    **chosen: Any,
) -> Challenge:
    """Create a challenge from a corpus that is split into train and test.

    `codes` is the label set; without it, it is the codes that gold has in the training part, so
    that it says nothing about the test part. With `code_minimum` only those count that as many
    training documents have, and no other code is part of the task. `chosen` are further fields of
    `ChallengeSettings`.
    """
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise OptionError(f"{path} exists already. Choose another name for the challenge.")
    gold = only_annotator(corpus, gold, "The corpus", "--annotator")[1]
    if gold is None:
        raise OptionError("The corpus has no annotations; a challenge needs gold codes.")
    settings = _settings({"name": path.name, "codes": (), **chosen, "gold": gold})
    if settings.train == settings.test or "all" in (settings.train, settings.test):
        raise OptionError(
            "A challenge needs two different splits, one for training and one for testing "
            f"(--train-split, --test-split); got {settings.train} and {settings.test}."
        )
    people = [require_known(name, annotators_of(corpus), "annotator") for name in settings.humans]
    if gold in people:
        raise OptionError(
            f"{gold} is the gold annotator and cannot also be ranked among the systems."
        )
    whole = corpus.select(annotators=[gold, *people])
    whole = replace(whole, lazy_all_annotations=whole.lazy_annotations)
    if settings.document is Document.NOTE:
        whole = by_note(whole)
    before = len(whole.chart_ids())
    whole = only_read(whole, gold)
    left = len(whole.chart_ids())
    if left < before:
        step = (f"not read by {gold}", before - left, left)
        how = {"document": settings.document.value, "annotator": gold}
        whole = recorded(whole, "challenge create", how, [step])
    _require_splits(whole)
    parts = {name: part_of(whole, name) for name in (settings.train, settings.test)}
    _check_apart(whole, settings)
    train, test = (combinations(part, gold) for part in parts.values())
    labels = codes if codes is not None else _frequent(train.values(), code_minimum)
    if not labels:
        which = f"assigned no code in {settings.train}"
        if code_minimum > 1:
            which = f"assigned no code to {code_minimum:,} documents of {settings.train}"
        raise OptionError(
            f"The label set is empty: {gold} {which}. Split the corpus differently, lower "
            "--code-minimum, or list the codes with --label-set FILE."
        )
    if code_minimum > 1:
        whole = only_codes(whole, labels)
        parts = {name: part_of(whole, name) for name in parts}
        train, test = (combinations(part, gold) for part in parts.values())
    settings = settings.model_copy(
        update={"codes": tuple((code.system, code.value) for code in sorted(labels))}
    )
    _examine(settings, train.values(), list(test.values()), set(labels), code_minimum)
    if Track.EVIDENCE in settings.tracks:
        _require_evidence(parts[settings.test], settings)

    def fill(draft: Path) -> None:
        kept = whole.select(splits=list(parts))
        kept.described(name=settings.name).write(draft / _CORPUS)
        for track in settings.tracks:
            Ledger.create(draft / _LEDGERS[track])
        (draft / _SETTINGS).write_text(settings.model_dump_json(indent=2) + "\n", encoding="utf-8")

    storage.publish(path, fill, private=True, overwrite=False)  # the right codes are in it
    return Challenge.open(path)


def _frequent(train: Iterable[frozenset[Code]], minimum: int) -> set[Code]:
    """The codes that enough documents have."""
    counts = Counter(code for given in train for code in given)
    return {code for code, count in counts.items() if count >= minimum}


def _settings(given: dict[str, Any]) -> ChallengeSettings:
    try:
        settings = ChallengeSettings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise OptionError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from error
    _ = settings.costs  # an error when they cannot be
    if Track.CODES not in settings.tracks:
        raise OptionError("tracks: every challenge has the codes track; add it.")
    return settings


def _require_splits(corpus: Corpus) -> None:
    if not splits_of(corpus):
        raise OptionError(
            "The corpus has no splits. Make them first: auscult corpus split CORPUS OUT "
            "--share train=0.5 --share test=0.5"
        )


def _check_apart(corpus: Corpus, settings: ChallengeSettings) -> None:
    """An error when a chart has notes in train and in test."""
    both = (
        corpus.lazy_notes.filter(pl.col("split").is_in([settings.train, settings.test]))
        .group_by("chart_id")
        .agg(pl.col("split").n_unique())
        .filter(pl.col("split") > 1)
        .collect()
    )
    if len(both):
        raise OptionError(
            f"{len(both):,} charts have notes both in {settings.train} and in {settings.test}, "
            f"such as {both['chart_id'].sort()[0]}. Split the corpus by chart or by patient."
        )


def _require_evidence(test: Corpus, settings: ChallengeSettings) -> None:
    said = test.select(annotators=[settings.gold]).lazy_annotations
    if not said.select((pl.col("spans").list.len() > 0).any()).collect().item():
        raise OptionError(
            f"{settings.gold} marked no evidence in {settings.test}, so there can be no evidence "
            "track. Leave out --evidence-track, or choose another --annotator."
        )


def _examine(
    settings: ChallengeSettings,
    train: Collection[frozenset[Code]],
    tested: Collection[frozenset[Code]],
    labels: set[Code],
    code_minimum: int,
) -> None:
    """Warn of what makes a task less than it looks; an error when there is nothing to find."""
    empty = sum(not given for given in tested)
    sample = f"auscult corpus sample CORPUS OUT --annotator {settings.gold} --exclude-empty"
    if empty == len(tested):
        raise OptionError(
            f"{settings.gold} assigned no code to any document of {settings.test}, so there is "
            f"nothing to predict. Leave out documents without a code before the split: {sample}"
        )
    if empty:
        warnings.warn(
            f"{empty:,} of {len(tested):,} documents of {settings.test} have no code by "
            f"{settings.gold}{' that is part of the task' if code_minimum > 1 else ''}, so the "
            "correct answer for them is no code. "
            + (
                "Lower --code-minimum to keep more codes."
                if code_minimum > 1
                else f"To leave them out, run before the split: {sample}"
            ),
            stacklevel=3,
        )
    outside = {code for given in tested for code in given} - labels
    if outside:
        warnings.warn(
            f"{len(outside):,} codes in {settings.test} are not in the label set. No system can "
            "predict them, and they count as missed for every system. Leave out rare codes with "
            "--code-minimum 5, or list the codes with --label-set FILE.",
            stacklevel=3,
        )
    known = set(train)
    unseen = sum(given not in known for given in tested)
    if unseen:
        warnings.warn(
            f"{unseen:,} of {len(tested):,} documents of {settings.test} have a combination of "
            f"codes that is not in {settings.train}. Where combinations recur, auscult corpus "
            "split --combinations avoids that.",
            stacklevel=3,
        )
