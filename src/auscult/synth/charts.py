"""The chart of one stay: all its notes, with the offsets of every phrase."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from auscult.synth import notes_cardiology as cardiology
from auscult.synth import notes_discharge as discharge
from auscult.synth import notes_nursing as nursing
from auscult.synth import notes_other as other
from auscult.synth import notes_physician as physician
from auscult.synth import notes_radiology as radiology
from auscult.synth.history import present_illness
from auscult.synth.note_author import AuthorContext, NoteAuthor
from auscult.synth.note_parts import HiddenIdentifier, Phrase, Text, render
from auscult.synth.notes_addendum import addendum
from auscult.synth.random_draws import RandomDraws
from auscult.synth.regions import RadiologyStudies
from auscult.synth.staff import Author
from auscult.synth.stay import Admission

NOTES_PER_CHART = 64
"""Row numbers kept for each chart, so that no other chart changes them."""
VENTILATION = ("mechanical_ventilation", "prolonged_ventilation")
_PHYSICIAN = {
    "progress": (
        "Physician Resident Progress Note",
        "Intensivist Note",
        "Physician Attending Progress Note",
        "ICU Note - CVI",
    ),
    "admission": (
        "Physician Resident Admission Note",
        "Physician Attending Admission Note - MICU",
        "Physician Surgical Admission Note",
    ),
}


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note in both versions: de-identified, and with identifiers."""

    row_id: int
    category: str
    description: str
    when: datetime
    timed: bool
    """Whether the hour is known, as it is not for summaries, tracings and echocardiograms."""
    author: Author
    text: str = field(repr=False)
    phrases: list[tuple[int, int, Phrase]] = field(repr=False)
    masks: list[tuple[int, int, HiddenIdentifier]] = field(repr=False)
    real_text: str = field(repr=False)
    secrets: list[tuple[int, int, HiddenIdentifier]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class WrittenChart:
    """A stay and its notes, the earliest first."""

    stay: Admission
    notes: tuple[WrittenNote, ...]
    disposition: str


@dataclass(frozen=True, slots=True)
class _Draft:
    category: str
    description: str
    when: datetime
    author: Author
    pieces: Text
    width: int
    timed: bool = True


class ChartWriter:
    """Generates charts. What does not depend on the patient is computed once."""

    def __init__(self, world: AuthorContext) -> None:
        self._world = world
        self._radiology = RadiologyStudies(world.known)

    def write(self, stay: Admission) -> WrittenChart:
        """The chart of a stay."""
        dice = stay.patient.dice.fork(f"chart {stay.number}")
        drafts = self._drafts(stay, dice)
        drafts.sort(key=lambda draft: draft.when)
        first = NOTES_PER_CHART * (8 * stay.patient.index + stay.number) + 1
        notes = tuple(_rendered(first + at, draft) for at, draft in enumerate(drafts))
        _, where = discharge.disposition(self._scribe(stay, "MD", dice))
        return WrittenChart(stay, notes, where)

    def _scribe(self, stay: Admission, role: str, dice: RandomDraws) -> NoteAuthor:
        author = self._world.staff.on_duty(role, dice)
        return NoteAuthor(self._world, stay, author, dice)

    def _drafts(self, stay: Admission, dice: RandomDraws) -> list[_Draft]:
        drafts: list[_Draft] = []
        reports: list[discharge.StudyImpression] = []
        self._studies(stay, dice, drafts, reports)
        admitting = self._scribe(stay, "MD", dice)
        hpi = admitting.smudged(present_illness(admitting))
        self._physicians(stay, dice, admitting, hpi, drafts)
        self._others(stay, dice, drafts)
        writer = self._scribe(stay, "MD", dice)
        copied = dice.chance(writer.author.copies)
        story = hpi if copied else writer.smudged(present_illness(writer))
        width = writer.author.width or 78
        drafts.append(
            _Draft(
                "Discharge summary",
                "Report",
                stay.discharged,
                writer.author,
                discharge.discharge_summary(writer, story, reports),
                width,
                timed=False,
            )
        )
        if dice.chance(0.03):
            pieces = addendum(writer)
            drafts.append(
                _Draft(
                    "Discharge summary", "Addendum", stay.discharged + timedelta(minutes=1),
                    writer.author, pieces, width, timed=False,
                )
            )  # fmt: skip
        return drafts

    def _studies(
        self,
        stay: Admission,
        dice: RandomDraws,
        drafts: list[_Draft],
        reports: list[discharge.StudyImpression],
    ) -> None:
        """Radiology, tracings, echocardiograms."""
        for at, (region, must) in enumerate(
            radiology.planned(self._scribe(stay, "radiology", dice), self._radiology)
        ):
            reader = self._scribe(stay, "radiology", dice)
            when = stay.day(at % stay.days, dice.between(0, 23), dice.below(60))
            study, text, quoted = radiology.radiology_report(
                reader, self._radiology, region, must, when
            )
            reports.append(quoted)
            drafts.append(_Draft("Radiology", study.title, when, reader.author, text, 78))
        heart = self._world.known.conditions[stay.principal.row].system == "cardiovascular"
        must = next((i.row for i in stay.illnesses if i.place == "ecg"), "")
        if must or dice.chance(0.85):
            reader = self._scribe(stay, "cardiology", dice)
            text = cardiology.tracing(reader, must)
            drafts.append(
                _Draft("ECG", "Report", stay.day(0, 9), reader.author, text, 78, timed=False)
            )
        must = next((i.row for i in stay.illnesses if i.place == "echo"), "")
        if must or dice.chance(0.6 if heart else 0.2):
            reader = self._scribe(stay, "cardiology", dice)
            when = stay.day(min(1, stay.days), 13, dice.below(60))
            text, quoted = cardiology.echocardiogram(reader, when, must)
            reports.append(quoted)
            drafts.append(_Draft("Echo", "Report", when, reader.author, text, 78, timed=False))

    def _physicians(
        self,
        stay: Admission,
        dice: RandomDraws,
        admitting: NoteAuthor,
        hpi: Text,
        drafts: list[_Draft],
    ) -> None:
        """The admission note and those of the following days, which copy one another."""
        must = any(i.place == "physician" for i in stay.illnesses)
        if must or dice.chance(0.85):
            text = physician.admission_note(admitting, hpi)
            when = stay.admitted + timedelta(minutes=dice.between(40, 240))
            drafts.append(
                _Draft(
                    "Physician", dice.pick(_PHYSICIAN["admission"]), min(when, stay.discharged),
                    admitting.author, text, admitting.author.width,
                )
            )  # fmt: skip
        copied: Text | None = None
        for day in range(1, 1 + min(stay.days - 1, dice.between(0, 3))):
            writer = self._scribe(stay, "MD", dice) if dice.chance(0.5) else admitting
            when = stay.day(day, dice.between(5, 11), dice.below(60))
            if copied is None or not dice.chance(writer.author.copies):
                copied = physician.assessment(writer, day)
            text = physician.progress_note(writer, when, day, copied)
            drafts.append(
                _Draft(
                    "Physician", dice.pick(_PHYSICIAN["progress"]), when, writer.author, text,
                    writer.author.width,
                )
            )  # fmt: skip

    def _others(self, stay: Admission, dice: RandomDraws, drafts: list[_Draft]) -> None:
        """Nursing, nutrition, respiratory care, rehabilitation."""
        for shift in range(dice.between(1, 3)):
            nurse = self._scribe(stay, "RN", dice)
            when = stay.day(shift // 2, 18 if shift % 2 else 5, dice.below(60))
            old = dice.chance(0.5)
            drafts.append(
                _Draft(
                    "Nursing/other" if old else "Nursing",
                    "Report" if old else "Nursing Progress Note",
                    when, nurse.author, nursing.nursing_note(nurse, when), 78 if old else 0,
                )
            )  # fmt: skip
        codes = [self._world.known.conditions[i.row].icd10 for i in stay.illnesses]
        if dice.chance(0.75 if any(c.startswith(("E4", "E66")) for c in codes) else 0.22):
            dietitian = self._scribe(stay, "RD", dice)
            when = stay.day(1, 14, dice.below(60))
            text = other.nutrition_note(dietitian, when)
            drafts.append(
                _Draft("Nutrition", "Clinical Nutrition Note", when, dietitian.author, text, 0)
            )
        helped = [d.row for d in stay.deeds if d.row in VENTILATION and d.told]
        if helped and dice.chance(0.7):
            therapist = self._scribe(stay, "RT", dice)
            when = stay.day(1, 17, dice.below(60))
            text = other.respiratory_note(therapist, when, helped[0])
            title = "Respiratory Care Shift Note"
            drafts.append(_Draft("Respiratory", title, when, therapist.author, text, 0))
        if stay.days > 2 and dice.chance(0.2):
            therapist = self._scribe(stay, "PT", dice)
            when = stay.day(2, 11, dice.below(60))
            text = other.rehab_note(therapist, when)
            title = "Physical Therapy Evaluation Note"
            drafts.append(_Draft("Rehab Services", title, when, therapist.author, text, 0))


def _rendered(row_id: int, draft: _Draft) -> WrittenNote:
    rendered = render(draft.pieces, draft.width)
    return WrittenNote(
        row_id=row_id,
        category=draft.category,
        description=draft.description,
        when=draft.when,
        timed=draft.timed,
        author=draft.author,
        text=rendered.text,
        phrases=rendered.phrases,
        masks=rendered.masks,
        real_text=rendered.real_text,
        secrets=rendered.secrets,
    )
