"""De-identify the notes of one patient and move the annotations accordingly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from auscult.core import Annotation, AuscultError, Note
from auscult.core.edits import Edit, Edited, moved_all
from auscult.corpus.formats.shared.quotes import QUOTE
from auscult.deid.columns import column_content
from auscult.deid.date_shift import KeyedRandom, day_of, draw_offset, is_iso, shift_iso
from auscult.deid.dates import read_date, shifted
from auscult.deid.decisions import apply_decisions
from auscult.deid.detect import detect
from auscult.deid.lexicon import folded
from auscult.deid.options import DeidOptions, DoubtfulChoice
from auscult.deid.patients import PatientNotes
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers import Recognizer
from auscult.deid.record_cells import RecordCells
from auscult.deid.review import ReviewChoice, ReviewDecision
from auscult.deid.surrogates import Surrogates

_REMEMBERED = 10_000
"""Cache size for short texts without PHI: cells of records repeat."""


@dataclass(slots=True)
class ScrubCounts:
    """What was done, counted."""

    notes: int = 0
    deleted: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    generalized: int = 0
    kept: int = 0
    doubtful: int = 0
    undecided: int = 0
    decided: int = 0
    unmovable_dates: int = 0
    dropped_times: int = 0
    emptied_spans: int = 0
    annotations: int = 0
    deleted_annotations: int = 0

    def add(self, other: ScrubCounts) -> None:
        """Count another's too."""
        for name in ScrubCounts.__slots__:
            mine = getattr(self, name)
            if isinstance(mine, Counter):
                mine.update(getattr(other, name))
            else:
                setattr(self, name, mine + getattr(other, name))


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A patient afterwards: notes, annotations, what was counted, and what would undo it."""

    notes: list[Note] = field(repr=False)
    annotations: list[Annotation] = field(repr=False)
    tally: ScrubCounts
    surrogates: Surrogates = field(repr=False)
    undo: dict[str, list[tuple[int, int, str]]] = field(repr=False)
    """For each note the ranges of surrogates and the original text."""


class Scrubber:
    """Removes PHI from patients' notes, one patient at a time."""

    def __init__(
        self,
        options: DeidOptions,
        recognizers: Sequence[Recognizer],
        decisions: Mapping[str, Sequence[ReviewDecision]] | None = None,
    ) -> None:
        self.options = options
        self._recognizers = recognizers
        self._decisions = decisions or {}
        self._chance = options.chance
        self.problems: list[AuscultError] = []
        """Decisions that could not be applied."""
        self._plain: set[str] = set()

    def surrogates(self, patient_id: str) -> Surrogates:
        """The replacements of a patient."""
        options = self.options
        offset = draw_offset(
            self._chance,
            patient_id,
            keep_weekday=options.keep_weekday,
            keep_season=options.keep_season,
        )
        return Surrogates(
            self._chance, patient_id, offset, style=options.style, day_first=options.day_first
        )

    def new_id(self, old: str, what: str) -> str:
        """An id of a note, chart or patient, as it is in the output."""
        return new_id(self._chance, old, what) if self.options.new_ids else old

    def scrub(self, patient: PatientNotes, known: Mapping[str, PhiPart] | None = None) -> Scrubbed:
        """The patient without secrets; `known` are names that the records tell."""
        found = detect(
            patient.notes, self._recognizers, day_first=self.options.day_first, known=known
        )
        made = self.surrogates(patient.patient_id)
        made.avoid(
            {
                folded((note.text or "")[one.begin : one.end])
                for note, listed in zip(patient.notes, found, strict=True)
                for one in listed
                if one.kind is PhiKind.NAME
            }
        )
        made.latest = _latest(patient, found, self.options.day_first)
        tally = ScrubCounts(notes=len(patient.notes))
        notes, edited, undo = [], {}, {}
        for note, listed in zip(patient.notes, found, strict=True):
            edits = self._edits(note, listed, made, tally)
            if edits is None:
                tally.deleted += 1
                continue
            near = day_of(note.time)
            now = Edited.of(note.text or "", edits)
            edited[note.note_id] = now
            new_note = self.new_id(note.note_id, "note")
            undo[new_note] = _undo(note.text or "", now)
            notes.append(
                replace(
                    note,
                    note_id=new_note,
                    chart_id=self.new_id(note.chart_id, "chart"),
                    subject_id=None
                    if note.subject_id is None
                    else self.new_id(note.subject_id, "patient"),
                    time=self._time(note.time, made, tally),
                    text=None if note.text is None else now.text,
                    meta=self._meta(note.meta, near, made),
                )
            )
        annotations = [
            moved
            for annotation in patient.annotations
            if (moved := self._moved(annotation, edited, made, tally)) is not None
        ]
        return Scrubbed(notes, annotations, tally, made, undo)

    def value(self, value: str, near: date | None, made: Surrogates) -> str:
        """A short text beside the notes, such as a meta value or a cell of a record."""
        if value in self._plain or not (" " in value or any(map(_is_telling, value))):
            return value
        note = Note("value", "value", text=value, time=None if near is None else near.isoformat())
        (found,) = detect([note], self._recognizers, day_first=self.options.day_first)
        edits = [
            Edit(one.begin, one.end, made.replaced(one, value[one.begin : one.end], near))
            for one in found
            if one.hide
        ]
        if not edits and len(self._plain) < _REMEMBERED:
            self._plain.add(value)
        return Edited.of(value, edits).text

    def value_meta(
        self, meta: Mapping[str, str], by_chart: Mapping[str, str], chart_id: str
    ) -> dict[str, str]:
        """The meta of an annotation on a whole chart."""
        if not meta:
            return {}
        return self._meta(meta, None, self.surrogates(by_chart.get(chart_id, chart_id)))

    def _edits(
        self, note: Note, found: Sequence[PhiSpan], made: Surrogates, tally: ScrubCounts
    ) -> list[Edit] | None:
        """What is replaced in a note, or None when the whole note goes."""
        text, near = note.text or "", day_of(note.time)
        decisions = self._decisions.get(note.note_id, ())
        settled = apply_decisions(note.note_id, text, found, decisions)
        self.problems += settled.problems
        tally.doubtful += settled.doubtful
        tally.undecided += settled.undecided
        tally.decided += len(decisions)
        if settled.is_deleted:
            return None
        edits = []
        for one, decision in settled.findings:
            choice = self._choice(one, decision)
            if choice is ReviewChoice.KEEP:
                tally.kept += 1
                continue
            words = text[one.begin : one.end]
            if decision is not None and decision.replacement is not None:
                new = decision.replacement
            elif choice is ReviewChoice.GENERALIZE:
                new = made.generalized(one, words, near)
                tally.generalized += 1
            else:
                new = made.replaced(one, words, near)
                tally.unmovable_dates += one.kind is PhiKind.DATE and new == "[date]"
            tally.replaced[one.kind.value] += 1
            edits.append(Edit(one.begin, one.end, new))
        return edits

    def _choice(self, found: PhiSpan, decision: ReviewDecision | None) -> ReviewChoice:
        if decision is not None:
            return decision.choice
        if found.doubt and self.options.doubtful is not DoubtfulChoice.LIKELY:
            return ReviewChoice(self.options.doubtful.value)
        return ReviewChoice.REPLACE if found.hide else ReviewChoice.KEEP

    def _time(self, time: str | None, made: Surrogates, tally: ScrubCounts) -> str | None:
        if time is None:
            return None
        if is_iso(time) and day_of(time) is not None:
            return shift_iso(time, made.offset)
        moved = shifted(time, made.offset, None)
        tally.dropped_times += moved is None
        return moved

    def _meta(self, meta: Mapping[str, str], near: date | None, made: Surrogates) -> dict[str, str]:
        cells = RecordCells(made, self.value, near)
        return {key: cells.text(value, column_content(key)) for key, value in meta.items()}

    def _moved(
        self,
        annotation: Annotation,
        edited: Mapping[str, Edited],
        made: Surrogates,
        tally: ScrubCounts,
    ) -> Annotation | None:
        note_id = annotation.note_id or ""
        now = edited.get(note_id)
        if now is None:
            tally.deleted_annotations += 1
            return None
        spans, emptied = moved_all(now, annotation.spans)
        tally.annotations += 1
        tally.emptied_spans += emptied
        meta = {key: value for key, value in annotation.meta.items() if key != QUOTE}
        return replace(
            annotation,
            note_id=self.new_id(note_id, "note"),
            chart_id=self.new_id(annotation.chart_id, "chart"),
            spans=spans,
            meta=self._meta(meta, None, made),
        )


def _is_telling(character: str) -> bool:
    return character.isdigit() or character.isupper() or character == "@"


def new_id(chance: KeyedRandom, old: str, what: str) -> str:
    """An id that tells nothing of the old one."""
    return chance.letters("id", what, old)


def _undo(text: str, now: Edited) -> list[tuple[int, int, str]]:
    undo, moved = [], 0
    for edit in now.edits:
        begin = edit.begin + moved
        undo.append((begin, begin + len(edit.text), text[edit.begin : edit.end]))
        moved += len(edit.text) - (edit.end - edit.begin)
    return undo


def _latest(
    patient: PatientNotes, found: Sequence[Sequence[PhiSpan]], day_first: bool
) -> date | None:
    """The last day that is known of a patient: of a note's time, or failing that in a note."""
    days = [day for note in patient.notes if (day := day_of(note.time)) is not None]
    if not days:
        for note, listed in zip(patient.notes, found, strict=True):
            for one in listed:
                if one.kind is PhiKind.DATE and not one.doubt:
                    words = (note.text or "")[one.begin : one.end]
                    read = read_date(words, day_first=day_first)
                    if read is not None and read.year and read.year_digits == 4:
                        days.append(read.on(None))
    return max(days, default=None)
