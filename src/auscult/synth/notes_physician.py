"""Physicians' notes of the intensive care unit: on admission, and day by day."""

from __future__ import annotations

from datetime import datetime

from auscult.synth import course, findings, history, identity, phrases
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import PhraseAssertion, Text, capital, extend, indented, listed
from auscult.synth.notes_discharge import chief_complaint
from auscult.synth.stay import ConditionRole, Illness, Shown

_EVENTS = (
    "{!ventilated}- weaned off pressors overnight\n",
    "- spiked overnight, cultures sent\n",
    "{!ventilated}- OG tube placed\n",
    "- no acute events\n",
    "- got 1L LR for low {+urine_output|UOP} with good response\n",
    "- family meeting held, updated\n",
    "{!ventilated}- RISBI this AM 62\n",
    "- {+physical_therapy|PT} consult placed\n",
    "- stable overnight, {+hospital_day|HD} 3\n",
    "- {+blood_pressure|SBP} 90s-110s\n",
    "- called out, awaiting bed\n",
    "{!awake}- OOB to chair, tolerating clears\n",
    "{!operated}- drains to bulb suction, pain controlled on PCA\n",
)
_LINES = (
    "20 Gauge - {when}\n",
    "{!lined}Multi Lumen - {when}\nArterial Line - {when}\n",
    "18 Gauge - {when}\n20 Gauge - {when}\n",
)


def admission_note(scribe: NoteAuthor, hpi: Text) -> Text:
    """The admitting physician's note; the present illness is given, typing errors and all."""
    stay, dice = scribe.stay, scribe.dice
    text: Text = ["Chief Complaint:  ", *chief_complaint(scribe), "\nHPI:\n", *hpi]
    rest = history.denial(scribe, dice.between(4, 8))
    extend(rest, "\nAllergies:\nNo Known Drug Allergies\nPast medical history:\n")
    extend(rest, history.past_history(scribe))
    extend(rest, "Family history:\n", history.family_history(scribe))
    extend(rest, "Social History:\n", history.social_history(scribe))
    extend(rest, "Home medications:\n")
    extend(rest, course.medications(scribe, stay.home_drugs, numbered=False))
    extend(rest, _flowsheet(scribe, stay.admitted, 0))
    extend(rest, "Physical Examination\n", findings.examination(scribe))
    extend(rest, "Labs / Radiology\n", findings.result_table(scribe))
    extend(rest, "Assessment and Plan\n", _assessment(scribe, 0))
    extend(rest, _closing(scribe))
    return [*indented([*text, *scribe.smudged(rest)]), "\n"]


def progress_note(scribe: NoteAuthor, when: datetime, day: int, copied: Text | None) -> Text:
    """A daily note; with `copied`, its assessment is yesterday's, carried forward."""
    dice = scribe.dice
    text: Text = ["Chief Complaint:  ", *chief_complaint(scribe), "\n24 Hour Events:\n"]
    for event in dice.some(scribe.fitting(_EVENTS), dice.between(1, 4)):
        extend(text, scribe.say(event))
    if scribe.stay.complaints and dice.chance(0.4):
        it = scribe.symptom(dice.pick(scribe.stay.complaints))
        extend(text, "- ", it, " ", dice.pick(phrases.DECIDED), "\n")
    extend(text, history.denial(scribe, dice.between(2, 4)), "\n")
    extend(text, _infusions(scribe, when), _flowsheet(scribe, when, day))
    extend(text, "Physical Examination\n", findings.examination(scribe))
    extend(text, "Labs / Radiology\n", findings.result_table(scribe))
    extend(text, "Assessment and Plan\n")
    if copied is None:
        extend(text, scribe.smudged(_assessment(scribe, day)))
    else:
        extend(text, copied)
        extend(text, dice.pick(("Continue as above.\n", "No change to plan today.\n", "")))
    extend(text, _closing(scribe))
    return [*indented(text), "\n"]


def assessment(scribe: NoteAuthor, day: int) -> Text:
    """The assessment and plan alone, to be carried forward."""
    return scribe.smudged(_assessment(scribe, day))


def _assessment(scribe: NoteAuthor, day: int) -> Text:
    stay, dice = scribe.stay, scribe.dice
    known = [i for i in stay.illnesses if _may_tell(i)]
    sudden = [i for i in known if i.role is not ConditionRole.LASTING]
    lasting = [i for i in known if i.role is ConditionRole.LASTING]
    shown = dice.some([i for i in lasting if i.shown is not Shown.ASIDE], 3)
    text: Text = []
    lead = (
        "{age} yo {man} with {history} admitted with {it}."
        if shown
        else "{age} yo {man} admitted with {it}."
    )
    extend(
        text,
        scribe.say(
            lead,
            history=listed([scribe.illness(i) for i in shown]),
            it=scribe.illness(stay.principal),
        ),
        "\n",
    )
    number = 1
    for illness in sudden:
        # On the first day not everything is proven.
        if day == 0 and illness.role is ConditionRole.SUDDEN and dice.chance(0.2):
            phrase = scribe.illness(illness, PhraseAssertion.UNCERTAIN)
            it = capital(scribe.say(dice.pick(phrases.UNCERTAIN), it=phrase))
            extend(text, it, ".\n")
            continue
        extend(text, course.problem(scribe, illness, number, brief=dice.chance(0.4)))
        number += 1
    for row in stay.unexplained:
        extend(text, course.unexplained(scribe, row, number))
        number += 1
    doubts = dice.some(stay.ruled_out, dice.between(1, 2))
    extend(text, course.doubts(scribe, doubts, number))
    number += len(doubts)
    for illness in lasting:
        if illness.place == "physician" or dice.chance(0.55):
            extend(text, course.problem(scribe, illness, number, brief=True))
            number += 1
    extend(text, course.housekeeping(scribe))
    return text


def _may_tell(illness: Illness) -> bool:
    return illness.shown in (Shown.FULL, Shown.VAGUE) or illness.place == "physician"


def _infusions(scribe: NoteAuthor, when: datetime) -> Text:
    drugs = scribe.stay.new_drugs[:3]
    if not drugs:
        return []
    text: Text = ["Infusions / Other ICU medications:\n"]
    for order in drugs:
        extend(
            text, capital([scribe.drug(order.row)]), " - ", scribe.on(when, "numeric"),
            f" {scribe.clock(when)}\n",
        )  # fmt: skip
    return text


def _flowsheet(scribe: NoteAuthor, when: datetime, day: int) -> Text:
    stamp = scribe.on(when, "numeric")
    return [
        "Flowsheet Data as of  ",
        stamp,
        f" {scribe.clock(when)}\nVital signs\n",
        *findings.flowsheet(scribe, day),
    ]


def _closing(scribe: NoteAuthor) -> Text:
    text: Text = ["ICU Care\nNutrition:\nGlycemic Control:  Regular insulin sliding scale\n"]
    text.append("Lines:\n")
    extend(
        text,
        scribe.say(scribe.dice.pick(scribe.fitting(_LINES)), when=scribe.on(scribe.stay.admitted)),
    )
    if scribe.dice.chance(0.35):
        extend(text, scribe.dice.pick(phrases.LOOK_ALIKES), "\n")
    extend(text, "Communication:  Comments: ")
    if scribe.dice.chance(0.5):
        extend(
            text, "HCP ", identity.relative(scribe.stay.patient.child), " ",
            identity.phone(scribe.stay.patient.phone),
        )  # fmt: skip
    extend(text, "\nDisposition: ICU\n", scribe.signature())
    return text
