"""Notes of dietitians, respiratory therapists and physical therapists."""

from __future__ import annotations

from datetime import datetime

from auscult.synth import identity, phrases
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import PhraseAssertion, Piece, Text, extend, listed
from auscult.synth.stay import ConditionRole, Illness, Shown

_APPETITE = (
    "{!awake}Reports good appetite {+prior_to_admission|PTA}, no recent changes in weight.",
    "{!ventilated}Pt on vent, unable to obtain diet history; family not available.",
    "{!awake}Pt states fair intake since admission, about 50% of meals.",
    "Appetite has been poor, taking mostly liquids and supplements at home.",
    "Denies {-dysphagia}, chewing difficulty or food allergies.",
    "{!ventilated}Per RN, tolerating {~enteral_feeding|tube feeds} without high residuals.",
)
_FEEDING = (
    "Replete with Fiber @ 60 mL/hr x 24 hours = 1440 kcals, 89 g protein",
    "Recommend Nutren 2.0 @ 40 mL/hr to provide 1920 kcals and 77 g protein",
    "Diet as tolerated with Ensure TID",
    "Recommend {~parenteral_nutrition|TPN} with Day 1 standard to start, check TG",
    "Advance to consistent carbohydrate / 2 gm Na diet",
)
_GRADES = ("4/5", "4-/5", "3+/5")
_VENT = (
    "Pt received on A/C 14/500/+5/40%, no changes made this shift.",
    "Weaned to PSV 8/5 and tolerating well, RSBI 68 this AM.",
    "Placed on SBT x 30 min, then extubated to cool aerosol without incident.",
    "Airway: 7.5 {+endotracheal_tube|ETT} taped at 22 cm at the lip.",
    "FiO2 titrated for sats >92%. Vent changes per ABG.",
)


def nutrition_note(scribe: NoteAuthor, when: datetime) -> Text:
    """A dietitian's assessment."""
    stay, dice = scribe.stay, scribe.dice
    height = dice.between(152, 176) if stay.patient.is_woman else dice.between(164, 192)
    weight = int(_body_mass(scribe) * height * height / 10_000)
    ideal = int(height * 0.93 - 95)
    known = _known(stay.illnesses)
    text: Text = ["Subjective\n"]
    chosen = scribe.fitting(_APPETITE)
    extend(text, scribe.say(dice.pick(chosen)), " ", scribe.say(dice.pick(chosen)), "\nObjective\n")
    extend(
        text,
        "   Height    Admit weight    Daily weight    Weight change    BMI\n",
        f"   {height} cm    {weight} kg    {weight + dice.real(-2, 4):.1f} kg ( ",
        scribe.on(when, "numeric"),
        f" {scribe.clock(when)})    {weight * 10000.0 / (height * height):.1f}\n",
        f"   Ideal body weight    % Ideal body weight    Adjusted weight    Usual body weight\n"
        f"   {ideal} kg    {100 * weight // max(ideal, 40)}%        "
        f"{weight + dice.between(-4, 9)} kg\n",
        "Diagnosis: ",
        scribe.illness(stay.principal),
        "\nPMH : ",
    )
    lasting = [i for i in known if i.role is ConditionRole.LASTING]
    items: list[Piece | Text] = [scribe.illness(i) for i in dice.some(lasting, 6)]
    extend(
        text, listed(items, last=", ") if items else ["none"], "\nFood allergies and intolerances: "
    )
    extend(text, dice.pick(("none", "shellfish", "lactose", "NKFA")), "\nPertinent medications: ")
    drugs = [scribe.drug(o.row) for o in (*stay.new_drugs, *stay.home_drugs)[:6]]
    extend(text, listed(drugs or ["RISS"], last=", "), ", others noted\nLabs:\n")
    for name, found in list(stay.labs.items())[:12]:
        extend(text, "   ", scribe.lab(name), f"  {found.worst} {scribe.known.labs[name].unit}\n")
    extend(
        text, "Current diet order / nutrition support: ", scribe.say(dice.pick(_FEEDING)), "\nGI: "
    )
    extend(text, dice.pick(("soft, bowel sounds present", "distended, hypoactive bowel sounds")))
    extend(text, "\nAssessment of Nutritional Status\n")
    extend(text, *_status(scribe, known))
    extend(
        text,
        f"\nEstimated Nutritional Needs\nCalories: {weight * 25}-{weight * 30} (25-30 cal/kg)\n"
        f"Protein: {weight * 12 // 10}-{weight * 15 // 10} (1.2-1.5 g/kg)\nFluid: per team\n"
        "Estimation of previous intake: ",
        dice.pick(("Adequate", "Inadequate", "Unable to determine")),
        "\nEstimation of current intake: ",
        dice.pick(("Adequate", "Inadequate due to NPO", "Inadequate")),
        "\nMedical Nutrition Therapy Plan - Recommend the Following\n   ",
        scribe.say(dice.pick(_FEEDING)),
        ".\n   Check chemistry 10 panel daily, replete lytes PRN.\n   Will follow, page with "
        "questions #",
        f"{dice.between(10000, 99999)}.\n   ",
        scribe.signature(),
        "\n",
    )
    return scribe.smudged(text)


def _body_mass(scribe: NoteAuthor) -> float:
    """A body mass index that fits the diagnoses."""
    codes = [_code(scribe, illness) for illness in scribe.stay.illnesses]
    if any(code.startswith(("E4", "R64")) for code in codes):
        return scribe.dice.real(14.5, 18.4)
    if any(code.startswith("E66.01") for code in codes):
        return scribe.dice.real(40.5, 52.0)
    if any(code.startswith("E66") for code in codes):
        return scribe.dice.real(30.5, 39.5)
    return scribe.dice.real(19.0, 29.4)


def _status(scribe: NoteAuthor, known: list[Illness]) -> Text:
    """Whether the patient is well fed, and for what reason that matters."""
    starved = [i for i in known if _code(scribe, i).startswith(("E4", "R63", "E66", "R64"))]
    text: Text = []
    for illness in starved:
        extend(text, "Meets criteria for ", scribe.illness(illness), ". ")
    if not starved:
        rows = [
            row for row in scribe.world.with_code("E43", "E44", "E46")
            if row not in scribe.stay.present
        ]  # fmt: skip
        if rows:
            it = scribe.condition(scribe.dice.pick(rows), PhraseAssertion.NEGATED)
            extend(
                text, scribe.dice.pick(("No evidence of ", "Does not meet criteria for ")), it, ". "
            )
        text.append("Adequately nourished. ")
    sudden = [i for i in known if i.role is not ConditionRole.LASTING]
    if sudden:
        extend(text, "Patient at risk due to: ", scribe.illness(scribe.dice.pick(sudden)), ". ")
    if scribe.stay.ruled_out and scribe.dice.chance(0.4):
        it = scribe.condition(scribe.dice.pick(scribe.stay.ruled_out), PhraseAssertion.HYPOTHETICAL)
        extend(text, scribe.sentence(scribe.dice.pick(phrases.HYPOTHETICAL), it=it), ".")
    return text


def respiratory_note(scribe: NoteAuthor, when: datetime, deed: str) -> Text:
    """A respiratory therapist's note on a patient with help to breathe."""
    dice = scribe.dice
    text: Text = [
        "Demographics\n   Day of mechanical ventilation: ",
        str(dice.between(1, 6)),
        f"\n   Ideal body weight: {dice.between(45, 85)} None\n   Tidal volume: "
        f"{dice.between(350, 550)} mL\nAirway\n   Tube Type\n   Oral tube:\n   Position: "
        f"{dice.between(20, 24)} cm at teeth\n   Route: Oral\n   Size: 7.5mm\n"
        "Lung sounds\n   RLL Lung Sounds: ",
        dice.pick(("Clear", "Rhonchi", "Diminished", "Crackles")),
        "\n   LLL Lung Sounds: ",
        dice.pick(("Clear", "Rhonchi", "Diminished", "Crackles")),
        "\nSecretions\n   Sputum color / consistency: ",
        dice.pick(("White / Thin", "Tan / Thick", "Yellow / Thick", "Bloody / Plug")),
        "\n   Sputum source/amount: Suctioned / ",
        dice.pick(("Scant", "Small", "Moderate", "Copious")),
        "\nVentilation Assessment\n   Level of breathing assistance: ",
        scribe.procedure(deed),
        "\n   Visual assessment of breathing pattern: Normal quiet breathing\n",
        "   Reason for continuing current ventilatory support: ",
        scribe.illness(scribe.stay.principal),
        "\nComments: ",
    ]
    for line in dice.some(scribe.fitting(_VENT), 2):
        extend(text, scribe.say(line), " ")
    extend(
        text,
        "ABG drawn ",
        scribe.on(when, "short"),
        f" {scribe.clock(when)}: pH {dice.real(7.3, 7.46):.2f}, pCO2 {dice.between(33, 49)}, pO2 "
        f"{dice.between(68, 142)}, FiO2 {5 * dice.between(6, 12)}%, PEEP {dice.between(5, 10)}, "
        f"plateau {dice.between(14, 28)}, RSBI {dice.between(38, 104)}.\nPlan\n   ",
    )
    extend(
        text,
        "Next 24-48 hours: Continue with daily RSBI tests and SBT's as tolerated. Utilize ARDSnet "
        "protocol for ventilator changes, reduce PEEP as tolerated, adjust minute ventilation to "
        "control pH.\nBedside Procedures:\n   Difficult airway cart outside room. "
        "Cuff pressure checked and left at 25 cm H2O. HME changed, inline suction catheter "
        "changed, mouth care given with nurse. Alarms on and functioning, ambu bag and mask at "
        "head of bed. MDI's given as ordered: albuterol and ipratropium, four puffs each every "
        "four hours, with no adverse reactions noted. Pre and post breath sounds unchanged. "
        "Will follow closely and report any changes to "
        "team and RN.\n   ",
        scribe.signature(),
        "\n",
    )
    return scribe.smudged(text)


def rehab_note(scribe: NoteAuthor, when: datetime) -> Text:
    """A physical therapist's evaluation."""
    stay, dice = scribe.stay, scribe.dice
    known = _known(stay.illnesses)
    text = scribe.say(
        dice.pick(("{+physical_therapy|PT} Initial Evaluation\n", "Physical Therapy Evaluation\n"))
    )
    extend(
        text,
        "   Attending Physician: Dr. ",
        identity.doctor(stay.patient.doctor),
        "\n   Referral date: ",
        scribe.on(when),
        "\n   Medical Diagnosis / ICD 9: ",
        scribe.illness(stay.principal),
        "\n   Reason of referral: Evaluation, treatment, D/C planning\n   History of Present "
        "Illness / Subjective Complaint: ",
        scribe.say("{age} yo {man} admitted with "),
        scribe.illness(stay.principal),
    )
    if stay.complaints:
        extend(text, ", c/o ", scribe.symptom(stay.complaints[0]))
    lasting = [i for i in known if i.role is ConditionRole.LASTING]
    items: list[Piece | Text] = [scribe.illness(i) for i in dice.some(lasting, 5)]
    extend(text, ".\n   Past Medical / Surgical History: ", listed(items or ["none"], last=", "))
    extend(
        text,
        "\n   Medications: ",
        listed([scribe.drug(o.row) for o in stay.home_drugs[:5]] or ["none"], last=", "),
        "\n   Radiology: as per team\n   Activity Orders: Activity as tolerated\n   Social / "
        "Occupational History: ",
        stay.patient.occupation,
        ", lives ",
        stay.patient.lives,
        "\n   Living Environment: ",
        dice.pick(("1 level, elevator", "2 story house, 12 steps", "ranch, 3 steps to enter")),
        "\n   Prior Functional Status / Activity Level: ",
        dice.pick(("independent with all mobility and ADLs", "uses RW at baseline, HHA 3x/week",
                   "ambulates household distances with SPC")),
        "\n   Objective Test\n   Arousal / Attention / Cognition / Communication: alert, follows 2 "
        "step commands, oriented x3\n   Aerobic Capacity\n   HR Rest ",
        str(stay.vitals.pulse),
        f", NBP {stay.vitals.systolic}/{stay.vitals.diastolic}, O2 sat {stay.vitals.saturation}%\n"
        "   Balance: ",
        dice.pick(("S static sit, CG static stand", "Min A in standing, + posterior lean")),
        "\n   Bed mobility / Transfers: ",
        dice.pick(("rolls I, supine to sit min A", "supine to sit CG, sit to stand mod A of 1")),
        f"\n   Gait: {5 * dice.between(1, 30)} ft x{dice.between(1, 3)} with RW, slow cadence, HR "
        f"{stay.vitals.pulse + dice.between(6, 24)} with activity\n   Strength: B UE "
        f"{dice.pick(_GRADES)}, B LE {dice.pick(_GRADES)}. ROM WFL\n"
        f"   Pain: {dice.below(5)} at rest, {dice.between(1, 7)} with activity, premedicated",
        "\n   Education / Communication: role of therapist, d/c planning, assist with OOB\n"
        "   Diagnosis:\n   1. Impaired balance\n   2. Impaired functional mobility\n   3. Impaired "
        "endurance\n   Clinical impression / Prognosis: ",
        scribe.say("{age} yo {man} p/w above impairments a/w "),
        scribe.illness(stay.principal),
        ". ",
        dice.pick((
            "Anticipate d/c home with services when medically stable.",
            "Pt will benefit from rehab upon discharge.",
            "Good prognosis given PLOF and motivation.",
        )),
        "\n   Frequency / Duration: 3-5x/week for 1 week\n   Treatment Plan: bed mobility, "
        "transfers, gait and stair training, balance, endurance, d/c planning\n   ",
        scribe.signature(),
        "\n",
    )  # fmt: skip
    return scribe.smudged(text)


def _known(illnesses: tuple[Illness, ...]) -> list[Illness]:
    return [i for i in illnesses if i.shown in (Shown.FULL, Shown.VAGUE)]


def _code(scribe: NoteAuthor, illness: Illness) -> str:
    return scribe.known.conditions[illness.row].icd10
