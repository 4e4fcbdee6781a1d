"""The discharge summary, with MIMIC's sections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from auscult.synth import course, findings, history, identity, names, phrases
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import (
    HiddenIdentifier,
    Phrase,
    PhraseAssertion,
    Piece,
    Text,
    capital,
    extend,
    listed,
)
from auscult.synth.stay import ConditionRole, Illness


class StudyImpression(NamedTuple):
    """The impression of a study, as other notes quote it."""

    title: Piece
    when: HiddenIdentifier
    impression: Text


_ALLERGIES = (
    "Patient recorded as having No Known Allergies to Drugs",
    "No Known Allergies / Adverse Drug Reactions",
    "Lisinopril",
    "Sulfa (Sulfonamide Antibiotics)",
    "Codeine / Shellfish",
    "Iodine; Iodine Containing",
    "NKDA",
    "Morphine",
)
_EXAMINED = (
    "{+physical_exam|PE}: ",
    "VS: ",
    "On admission:\nVS: ",
    "ADMISSION EXAM:\nVitals: ",
)
_SUMMARIES = (
    "{name} was admitted to the {unit} with {it}.",
    "{age}yo {man} p/w {sx}, found to have {it}.",
    "{age} year old {man} with {history} admitted with {it}.",
    "In summary, this is a {age} year old {man} with a h/o {history} who was admitted to the "
    "{unit} for management of {it}.",
)
"""The first two do for those who were healthy."""
_COMPLICATED = (
    "{His} course was complicated by {others}.",
    "Hospital course c/b {others}.",
    "While here {he} also developed {others}.",
    "Stay was notable for {others}, as below.",
)
_DIED = (
    "Despite maximal support {he} continued to decline. After discussion with the family {he} was "
    "made comfortable and passed away peacefully.",
    "On hospital day {n} the family meeting was held and goals of care were changed to comfort. "
    "Time of death {clock}. Family notified.",
    "The patient expired with {his} family at the bedside.",
)
_LETTERS = (
    "You were admitted to the hospital with {sx}. We found that you had {it}. ",
    "You came in because of {sx}. Testing showed {it}. ",
    "It was a pleasure taking care of you during your stay. You were treated for {it}. ",
    "You were hospitalized for {it} and treated in the {unit}. ",
)
_ADVICE = (
    "Please take all of your medications as prescribed and keep your follow up appointments.",
    "Weigh yourself every morning, call your doctor if weight goes up more than 3 lbs.",
    "No heavy lifting greater than 10 pounds for 6 weeks. May shower, no baths.",
    "Please do not drive while taking narcotic pain medication.",
    "Continue to take your blood thinner as directed and have your levels checked.",
    "Please stop smoking. Information was given to you on admission.",
    "Finish the entire course of antibiotics even if you feel better.",
    "Adhere to 2 gm Na diet.",
)
_RETURN = (
    "Please call your doctor or return to the ED if you develop {sx} or anything else that "
    "concerns you.",
    "Return to the emergency room for {sx}, or for any other concerning symptoms.",
    "Seek medical attention if you experience {sx}.",
    "If you have {sx} please call Dr. {doctor} at {phone}.",
)
_CONDITIONS = (
    "Mental Status: Clear and coherent.\nLevel of Consciousness: Alert and interactive.\n"
    "Activity Status: Ambulatory - Independent.\n",
    "Mental Status: {+confusion|Confused} - sometimes.\nLevel of Consciousness: "
    "{+lethargy|Lethargic} but arousable.\nActivity Status: Out of Bed with assistance to chair "
    "or wheelchair.\n",
    "Stable.\n",
    "Good\n",
    "Hemodynamically stable, afebrile, satting well on {+room_air|RA}, ambulating.\n",
    "{!old}Fair\n",
)
_WHERE = (
    ("Home", "Home"),
    ("Home With Service", "HOME HEALTH CARE"),
    ("Extended Care", "SNF"),
    ("Extended Care", "REHAB/DISTINCT PART HOSP"),
)


def disposition(scribe: NoteAuthor) -> tuple[str, str]:
    """Where the patient goes, as the summary and as the table of admissions say it."""
    stay = scribe.stay
    if stay.died:
        return "Expired", "DEAD/EXPIRED"
    dice = stay.patient.dice.fork(f"disposition {stay.number}")
    frail = stay.age > 72 or stay.days > 9
    return dice.weighted(_WHERE, (20, 25, 30, 25) if frail else (62, 25, 7, 6))


def discharge_summary(scribe: NoteAuthor, hpi: Text, reports: Sequence[StudyImpression]) -> Text:
    """The whole summary; the present illness is given, typing errors and all."""
    stay, dice = scribe.stay, scribe.dice
    text = _printed(scribe)
    extend(
        text,
        "\nChief Complaint:\n",
        chief_complaint(scribe),
        "\n\nMajor Surgical or Invasive Procedure:\n",
        _procedures(scribe),
        "\nHistory of Present Illness:\n",
        hpi,
    )
    body: Text = ["\nPast Medical History:\n", *history.past_history(scribe)]
    extend(body, "\nSocial History:\n", history.social_history(scribe))
    extend(body, "\nFamily History:\n", history.family_history(scribe))
    extend(body, "\nPhysical Exam:\n", scribe.say(dice.pick(_EXAMINED)))
    extend(body, history.vital_line(scribe), "\n", findings.examination(scribe))
    if not stay.died and dice.chance(0.6):
        extend(body, "\nDISCHARGE EXAM:\n", findings.later_examination(scribe))
    extend(body, "\nPertinent Results:\n", _results(scribe, reports))
    extend(body, "\nBrief Hospital Course:\n", hospital_course(scribe))
    extend(body, "\nMedications on Admission:\n")
    extend(body, course.medications(scribe, stay.home_drugs, numbered=dice.chance(0.4)))
    if not stay.died:
        extend(body, "\nDischarge Medications:\n")
        extend(body, course.medications(scribe, course.discharge_orders(scribe), numbered=True))
    extend(body, _ending(scribe))
    return [*text, *scribe.smudged(body)]


def _printed(scribe: NoteAuthor) -> Text:
    """The head of the form, which nobody types."""
    stay = scribe.stay
    return [
        "Admission Date:  ",
        scribe.on(stay.admitted, "numeric"),
        "              Discharge Date:   ",
        scribe.on(stay.discharged, "numeric"),
        "\n\nDate of Birth:  ",
        scribe.on(stay.patient.born, "numeric"),
        f"             Sex:   {stay.patient.sex}\n\nService: {stay.service}\n\nAllergies:\n",
        *_allergies(scribe),
        "\n\nAttending:",
        identity.staff_first(scribe.dice.pick(names.MEN + names.WOMEN)),
    ]


def _allergies(scribe: NoteAuthor) -> Text:
    known = [i for i in scribe.stay.told if scribe.known.conditions[i.row].icd10 == "Z88.0"]
    if known:
        return capital([scribe.illness(known[0])])
    return [scribe.dice.pick(_ALLERGIES)]


def chief_complaint(scribe: NoteAuthor) -> Text:
    """A few words on why the patient came."""
    stay = scribe.stay
    if stay.complaints:
        items: list[Piece | Text] = [
            scribe.symptom(row) for row in stay.complaints[: scribe.dice.between(1, 2)]
        ]
        return listed(items, last=", ")
    return ["Elective admission" if stay.kind == "ELECTIVE" else "Transfer from OSH"]


def _procedures(scribe: NoteAuthor) -> Text:
    told = [deed for deed in scribe.stay.deeds if deed.told]
    if not told:
        return ["None\n"]
    text: Text = []
    for deed in told:
        phrase = capital([scribe.procedure(deed.row)])
        extend(text, phrase)
        if scribe.dice.chance(0.5):
            extend(text, " ", scribe.on(deed.when))
        text.append("\n")
    return text


def _results(scribe: NoteAuthor, reports: Sequence[StudyImpression]) -> Text:
    stay, dice = scribe.stay, scribe.dice
    text: Text = [dice.pick(("", "ADMISSION LABS:\n", "Labs on admission:\n"))]
    extend(text, findings.result_lines(scribe, stay.admitted + timedelta(minutes=40), "first"))
    if not stay.died and dice.chance(0.75):
        extend(text, dice.pick(("\n", "\nDISCHARGE LABS:\n", "\nLabs on discharge:\n")))
        morning = stay.discharged.replace(hour=6, minute=dice.below(60))
        extend(text, findings.result_lines(scribe, morning, "last"))
    hidden = frozenset(i.row for i in stay.illnesses if i not in stay.told)
    for report in reports:
        named = [p.row for p in report.impression if isinstance(p, Phrase)]
        if any(row in hidden for row in named) or not dice.chance(0.8):
            continue
        extend(text, "\n", report.title, " ", report.when, ": ", report.impression, "\n")
    return text


def hospital_course(scribe: NoteAuthor) -> Text:
    """The stay retold: a summary, then problem by problem."""
    stay, dice = scribe.stay, scribe.dice
    lasting = [i for i in stay.told if i.role is ConditionRole.LASTING]
    sudden = [i for i in stay.told if i.role is not ConditionRole.LASTING]
    text: Text = []
    shown = dice.some(lasting, dice.between(1, 3))
    slots: dict[str, Piece | Text] = {
        "name": scribe.formal_name(),
        "history": listed([scribe.illness(i) for i in shown]),
        "sx": listed([scribe.symptom(row) for row in stay.complaints[:2]] or ["malaise"]),
        "it": scribe.illness(stay.principal),
    }
    extend(text, scribe.sentence(dice.pick(_SUMMARIES[: 4 if shown else 2]), **slots))
    others = [scribe.illness(i) for i in sudden if i is not stay.principal]
    if others:
        extend(text, " ", scribe.sentence(dice.pick(_COMPLICATED), others=listed(others)))
    extend(text, "\n\n")
    if lasting and dice.chance(0.25):
        text.append(dice.pick(("ACTIVE ISSUES:\n", "ACUTE PROBLEMS:\n")))
    number = 1
    for illness in sudden:
        extend(text, course.problem(scribe, illness, number), "\n")
        number += 1
    for row in stay.unexplained:
        extend(text, course.unexplained(scribe, row, number), "\n")
        number += 1
    doubts = dice.some(stay.ruled_out, 2)
    extend(text, course.doubts(scribe, doubts, number), "\n")
    number += len(doubts)
    if lasting and dice.chance(0.25):
        text.append("CHRONIC ISSUES:\n")
    for illness in lasting:
        if dice.chance(0.75):
            extend(text, course.problem(scribe, illness, number, brief=dice.chance(0.3)))
            number += 1
    if dice.chance(0.5):
        extend(text, dice.pick(phrases.LOOK_ALIKES), "\n")
    extend(text, course.housekeeping(scribe))
    if stay.died:
        extend(
            text,
            "\n",
            scribe.sentence(
                dice.pick(_DIED), n=str(stay.days), clock=scribe.clock(stay.discharged)
            ),
            "\n",
        )
    return text


def _ending(scribe: NoteAuthor) -> Text:
    stay, dice = scribe.stay, scribe.dice
    where, _ = disposition(scribe)
    text: Text = ["\nDischarge Disposition:\n", where, "\n"]
    if where == "Extended Care":
        extend(
            text,
            "\nFacility:\n",
            identity.hospital(dice.pick(names.NURSING_HOMES)),
            " - ",
            identity.town(dice.pick(names.TOWNS)),
            "\n",
        )
    extend(text, "\nDischarge Diagnosis:\n", _diagnoses(scribe), "\nDischarge Condition:\n")
    if stay.died:
        return [*text, "Expired\n\nDischarge Instructions:\nn/a\n\nFollowup Instructions:\nn/a\n"]
    extend(text, scribe.say(dice.pick(scribe.fitting(_CONDITIONS))))
    extend(text, "\nDischarge Instructions:\n", _instructions(scribe))
    extend(text, "\nFollowup Instructions:\n", _follow_up(scribe), "\n")
    extend(
        text, " " * 29, scribe.signature(), "\n\nCompleted by:", scribe.on(stay.discharged), "\n"
    )
    return text


def _diagnoses(scribe: NoteAuthor) -> Text:
    stay, dice = scribe.stay, scribe.dice
    text: Text = []
    if dice.chance(0.75):
        text.append(dice.pick(("Primary:\n", "PRIMARY DIAGNOSIS:\n", "Primary diagnosis:\n")))
    extend(text, _diagnosis(scribe, stay.principal), "\n")
    rest = [i for i in stay.told if i is not stay.principal]
    rest = [i for i in rest if i.role is not ConditionRole.LASTING or dice.chance(0.6)]
    if rest:
        text.append(dice.pick(("\nSecondary:\n", "SECONDARY DIAGNOSES:\n", "\n", "")))
        for illness in rest:
            extend(text, _diagnosis(scribe, illness), "\n")
    for row in stay.unexplained:
        if dice.chance(0.4):
            extend(text, capital([scribe.symptom(row)]), "\n")
    return text


def _diagnosis(scribe: NoteAuthor, illness: Illness) -> Text:
    phrase = capital([scribe.illness(illness)])
    bullet = scribe.author.bullet
    return [f"{bullet} ", *phrase] if bullet in ("-", "*") else phrase


def _instructions(scribe: NoteAuthor) -> Text:
    stay, dice = scribe.stay, scribe.dice
    symptoms: list[Piece | Text] = [scribe.symptom(row) for row in stay.complaints[:2]]
    it = scribe.illness(stay.principal)
    text = scribe.sentence(dice.pick(_LETTERS), sx=listed(symptoms or ["your symptoms"]), it=it)
    if dice.chance(0.4):
        text = ["Dear ", *scribe.formal_name(), ",\n\n", *text]
    for advice in dice.some(_ADVICE, dice.between(1, 4)):
        extend(text, advice, " ")
    rows = dice.some([r for r in history.REVIEW if r in scribe.known.symptoms], dice.between(3, 6))
    warned = listed([scribe.symptom(r, PhraseAssertion.HYPOTHETICAL) for r in rows], last=" or ")
    extend(
        text,
        "\n\n",
        scribe.sentence(
            dice.pick(_RETURN),
            sx=warned,
            doctor=identity.doctor(stay.patient.doctor),
            phone=identity.phone(stay.patient.phone),
        ),
        "\n",
    )
    return text


def _follow_up(scribe: NoteAuthor) -> Text:
    stay, dice = scribe.stay, scribe.dice
    text: Text = []
    for _ in range(dice.between(1, 3)):
        when = stay.discharged + timedelta(days=dice.between(5, 40))
        phone = f"617-555-{dice.between(100, 199):04d}"
        extend(
            text,
            "Provider: ",
            identity.staff_first(dice.pick(names.WOMEN + names.MEN)),
            " ",
            identity.staff_last(dice.pick(names.SURNAMES)),
            dice.pick((", MD ", ", MD, PHD ", ", NP ")),
            "Phone:",
            identity.phone(phone),
            " Date/Time:",
            scribe.on(when),
            f" {dice.between(8, 11)}:{dice.pick(('00', '15', '30', '45'))}\n",
        )
    if dice.chance(0.3):
        extend(
            text,
            scribe.say("Please follow up with your {+primary_care_physician|PCP} Dr. "),
            identity.doctor(stay.patient.doctor),
            " within 1 week of discharge.\n",
        )
    if dice.chance(0.06):
        extend(text, "Results will be sent to ", identity.email(stay.patient.email), ".\n")
    return text
