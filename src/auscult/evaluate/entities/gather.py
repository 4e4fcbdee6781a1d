"""The inputs of the benchmark: gold, systems, training and vocabulary, on the same notes."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from auscult.codes.exclusions import Exclusion, Exclusions
from auscult.codes.vocabulary import Vocabulary
from auscult.core import AuscultError, OptionError, UnreadWarning
from auscult.core.option_names import option
from auscult.corpus import Corpus
from auscult.corpus.annotators import annotators_of
from auscult.corpus.readers import read_notes, warn_of_unread
from auscult.evaluate.entities.marked_spans import (
    NONE,
    Bools,
    ConceptNumbers,
    MarkedSpans,
    check_ends,
    mark,
    texts,
)
from auscult.evaluate.entities.settings import EntitySettings
from auscult.evaluate.entities.span_texts import plain
from auscult.evaluate.entities.terminology import Terminology
from auscult.evaluate.entities.training import TrainingUses, require_spans, uses
from auscult.evaluate.sides import CountedCharts, Sides, pair

GOLD = "GOLD"
_UNKNOWN = "concepts that the vocabulary does not have"
_LISTED = 3


@dataclass(frozen=True, slots=True, repr=False)
class EntityInputs:
    """All inputs as arrays.

    `texts` are those of gold's spans as they are compared, `concepts_of` their concepts, `types`
    their semantic types. `remarks` list for each side what was left out or is unusual.
    """

    note_ids: tuple[str, ...]
    gold: MarkedSpans
    systems: Mapping[str, MarkedSpans]
    concepts: ConceptNumbers
    texts: tuple[str | None, ...]
    concepts_of: tuple[tuple[int, ...], ...]
    types: tuple[frozenset[str], ...]
    types_from: str | None
    asked: Bools
    training: TrainingUses | None
    terminology: Terminology | None
    remarks: Mapping[str, tuple[Exclusion, ...]]
    annotator: str | None
    corpus: Corpus

    @property
    def notes(self) -> int:
        """How many notes there are."""
        return len(self.note_ids)


def as_one(corpus: Corpus, annotators: Collection[str]) -> Corpus:
    """The annotations of several annotators as those of one: the paper's union."""
    chosen = corpus.select(annotators=annotators)
    name = " + ".join(annotators)
    read = pl.col("read_by").list.set_intersection(pl.lit(list(annotators))).list.len() > 0
    return replace(
        chosen,
        lazy_notes=chosen.lazy_notes.with_columns(read_by=pl.when(read).then(pl.lit([name]))),
        lazy_all_annotations=chosen.lazy_all_annotations.with_columns(annotator=pl.lit(name)),
    )


def gather(
    gold: Corpus,
    systems: Mapping[str, Corpus],
    *,
    train: Corpus | None = None,
    vocabulary: Vocabulary | None = None,
    settings: EntitySettings | None = None,
    annotator: str | None = None,
    split: str | Collection[str] | None = None,
    note_category: Collection[str] = (),
    charts: CountedCharts = CountedCharts.ANNOTATED,
) -> EntityInputs:
    """Collect the inputs; what cannot be compared is an error or a remark."""
    settings = settings or EntitySettings()
    if not systems:
        raise OptionError("There is no system to evaluate. Pass a corpus of its annotations.")
    sides = {
        name: _paired(name, gold, system, annotator, split, note_category, charts)
        for name, system in systems.items()
    }
    one = next(iter(sides.values()))
    notes = _notes(gold, one, charts)
    concepts, remarks = ConceptNumbers(), {name: Exclusions() for name in (GOLD, *systems)}
    held = mark(one.gold, notes, concepts, remarks[GOLD])
    require_spans(len(held), GOLD)
    check_ends(held, one.gold, notes, GOLD)
    given = {}
    for name, side in sides.items():
        given[name] = mark(side.predicted, notes, concepts, remarks[name])
        check_ends(given[name], side.gold, notes, name)
    # The text may be with any of the systems when gold has none.
    with_text = one.gold if len(sides) == 1 else _with_text(sides, one)
    compared = _plain(texts(with_text, held, notes), settings)
    training = None
    if train is not None:
        training = _training(train, concepts, settings)
        _warn_of_leak(train, notes)
    terminology = None if vocabulary is None else Terminology(vocabulary, concepts)
    if terminology is not None:
        for name, side_marked in {GOLD: held, **given}.items():
            _remark_unknown(side_marked, terminology, remarks[name])
    _warn_of_systems(held, given, concepts)
    _warn_of_bare_notes(held, len(notes))
    meant = tuple(held.concepts_of())
    types, types_from = _types(held, meant, terminology)
    ask = np.ones(len(held), dtype=np.bool_)
    if not settings.asks_cui_less:
        ask = held.where(held.pair_concept != NONE)
        require_spans(int(ask.sum()), "Without CUI-less, GOLD")
    listed = {name: tuple(found.list()) for name, found in remarks.items()}
    for name, found in listed.items():
        for remark in found:
            where = ", ".join(remark.places[:_LISTED])
            shown = f" ({where}{', …' if remark.count > _LISTED else ''})" if where else ""
            warnings.warn(f"{name}: {remark.reason}: {remark.count:,}{shown}.", stacklevel=2)
    return EntityInputs(
        tuple(notes), held, given, concepts, tuple(compared), meant, types, types_from, ask,
        training, terminology, listed, one.annotator, with_text,
    )  # fmt: skip


def _paired(
    name: str,
    gold: Corpus,
    system: Corpus,
    annotator: str | None,
    split: str | Collection[str] | None,
    note_category: Collection[str],
    charts: CountedCharts,
) -> Sides:
    """Gold and a system on the same charts; errors and warnings say which system."""
    known = annotators_of(system)
    if len(known) > 1:
        raise OptionError(
            f"{name} has annotations by {len(known)} annotators: {', '.join(known[:20])}. Choose "
            f"one with {option('--system-annotator NAME', 'Corpus.select(annotators=[NAME])')}."
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = pair(
                gold,
                system,
                annotator=annotator,
                split=split,
                note_category=note_category,
                charts=charts,
                called=("SYSTEM", ""),
                counts_all="--notes all",
            )
        except AuscultError as error:
            raise type(error)(f"{name}: {error}") from error
    for warning in caught:
        if warning.category is UnreadWarning:  # which is about gold, and the same for every system
            warnings.warn(warning.message, stacklevel=3)
        else:
            warnings.warn(f"{name}: {warning.message}", stacklevel=3)
    return found


def _notes(gold: Corpus, side: Sides, charts: CountedCharts) -> dict[str, int]:
    """The notes that count by number: those that gold's annotator has read, or all of gold's."""
    on = side.gold.lazy_annotations.select("note_id").drop_nulls()
    held = pl.concat([gold.lazy_notes.select("note_id"), gold.lazy_annotations.select("note_id")])
    there = side.gold.lazy_notes.select("note_id").join(held, on="note_id", how="semi")
    every = set(pl.concat([on, there]).unique().collect()["note_id"])
    if charts is CountedCharts.ANNOTATED:
        whose = None if side.annotator is None else [side.annotator]
        read = every & read_notes(side.gold, whose)
        warn_of_unread(len(read), len(every), whose, "--notes all", "notes", "charts='all'")
        every = read
    return {note_id: at for at, note_id in enumerate(sorted(every))}


def _with_text(sides: Mapping[str, Sides], one: Sides) -> Corpus:
    lacking = one.gold.lazy_notes.select(pl.col("text").is_null().any()).collect().item()
    if not lacking:
        return one.gold
    return one.gold.merge(*(replace(side.gold, lazy_all_annotations=one.gold.lazy_annotations)
                            for side in sides.values() if side is not one))  # fmt: skip


def _plain(found: list[str | None], settings: EntitySettings) -> list[str | None]:
    return [
        None
        if text is None
        else plain(text, strip_possessives=settings.strip_possessives, fold_case=settings.fold_case)
        for text in found
    ]


def _training(train: Corpus, concepts: ConceptNumbers, settings: EntitySettings) -> TrainingUses:
    ids = train.lazy_annotations.select("note_id").drop_nulls().unique().sort("note_id").collect()
    notes = {note_id: at for at, note_id in enumerate(ids["note_id"].to_list())}
    marked = mark(train, notes, concepts, Exclusions())
    require_spans(len(marked), option("--train-corpus", "The training corpus"))
    return uses(_plain(texts(train, marked, notes), settings), marked.concepts_of())


def _warn_of_leak(train: Corpus, notes: Mapping[str, int]) -> None:
    training_notes = (
        train.lazy_annotations.select("note_id").unique().collect()["note_id"].drop_nulls()
    )
    both = sum(note_id in notes for note_id in training_notes)
    if both:
        warnings.warn(
            f"{both:,} of the {len(notes):,} notes are in "
            f"{option('--train-corpus', 'the training corpus')} too, so the subsets of "
            "unseen texts and concepts are wrong. Pass only the notes that the systems "
            "were trained on.",
            stacklevel=3,
        )


def _warn_of_bare_notes(gold: MarkedSpans, notes: int) -> None:
    """Warn of notes without gold annotations, which may never have been annotated."""
    bare = notes - len(np.unique(gold.note))
    if bare:
        warnings.warn(
            f"{bare:,} of {notes:,} notes have no gold annotation: every prediction on them "
            "counts as wrong. If nobody annotated them, leave them out: "
            + option("--notes annotated.", "charts='annotated'."),
            stacklevel=3,
        )


def _warn_of_systems(
    gold: MarkedSpans, given: Mapping[str, MarkedSpans], concepts: ConceptNumbers
) -> None:
    """A warning where no code can match because the code systems differ."""

    def systems(side: MarkedSpans) -> set[str]:
        used = np.unique(side.pair_concept)
        return {concepts.codes[at].system for at in used.tolist() if at != NONE}

    held = systems(gold)
    for name, side in given.items():
        theirs = systems(side)
        if theirs and held and not theirs & held:
            warnings.warn(
                f"{name} has codes of {', '.join(sorted(theirs))} and GOLD has codes of "
                f"{', '.join(sorted(held))}, so none can be right. Map one side with: auscult "
                "corpus map",
                stacklevel=3,
            )


def _remark_unknown(side: MarkedSpans, terminology: Terminology, remarks: Exclusions) -> None:
    for concept in np.unique(side.pair_concept).tolist():
        if concept != NONE and terminology.concept(concept) is None:
            remarks.add(_UNKNOWN, str(terminology.code(concept)))


def _types(
    gold: MarkedSpans, meant: tuple[tuple[int, ...], ...], terminology: Terminology | None
) -> tuple[tuple[frozenset[str], ...], str | None]:
    """The semantic types of every span: the vocabulary's, or else what gold's annotations say."""
    if terminology is not None and any(terminology.vocabulary.manifest.types):
        found = tuple(
            frozenset(t for c in concepts for t in terminology.types(c)) for concepts in meant
        )
        return found, "vocabulary"
    if any(gold.types):
        return tuple(map(frozenset, gold.types)), "annotations"
    return (frozenset(),) * len(gold), None
