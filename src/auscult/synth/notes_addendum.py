"""The addendum: a second discharge summary that adds to the first."""

from __future__ import annotations

from auscult.synth import course, identity
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import Text, extend
from auscult.synth.notes_discharge import disposition, hospital_course

_ADDENDA = (
    "The patient remained in hospital one further night awaiting a rehab bed. ",
    "Blood cultures returned with no growth after discharge. ",
    "Please note the following correction to the discharge summary. ",
    "After the summary was dictated, the following was noted. ",
)


def addendum(scribe: NoteAuthor) -> Text:
    """A second summary that adds to the first."""
    stay, dice = scribe.stay, scribe.dice
    text: Text = ["Name:  ", identity.last_name(stay.patient.last), ","]
    extend(
        text,
        identity.first_name(stay.patient.first),
        "                  Unit No:   ",
        identity.record_number(stay.patient.record_number),
        "\n\nAdmission Date:  ",
        scribe.on(stay.admitted, "numeric"),
        "              Discharge Date:   ",
        scribe.on(stay.discharged, "numeric"),
        f"\n\nService: {stay.service}\n\nAddendum:\n",
    )
    for line in dice.some(_ADDENDA, 2):
        text.append(line)
    extend(text, "\n", hospital_course(scribe), "\n")
    extend(text, "Discharge Disposition:\n", disposition(scribe)[0], "\n\nDischarge Medications:\n")
    extend(text, course.medications(scribe, course.discharge_orders(scribe), numbered=True))
    extend(
        text, "\n" + " " * 29, scribe.signature(), "\n\nCompleted by:", scribe.on(stay.discharged)
    )
    return scribe.smudged([*text, "\n"])
