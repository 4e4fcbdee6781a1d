"""Nursing notes: telegraphic, by organ system, full of short forms. Nobody codes from them."""

from __future__ import annotations

from datetime import datetime

from auscult.synth import history, identity, phrases
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import HiddenIdentifier, PhraseAssertion, Piece, Text, extend, listed
from auscult.synth.stay import ConditionRole, Shown

_SYSTEMS = {
    "Neuro": (
        "alert and oriented x3, MAE, follows commands, pleasant and cooperative w/ care.",
        "{+lethargy|lethargic} but arousable to voice, oriented x2, PERRL 3mm brisk.",
        "{!ventilated}sedated on propofol, opens eyes to voice, +gag, MAE purposefully.",
        "{!operated}A&Ox3, c/o incisional pain {scale} out of 10, med w/ good effect.",
        "A&Ox3, slept in naps overnight, no {-agitation} noted.",
        "awake, picking at lines, reoriented freq, no {-hallucinations}. bed alarm on.",
        "denies {-headache} or {-dizziness}, speech clear, gait not assessed.",
    ),
    "CV": (
        "HR 70s-80s NSR, no ectopy. {+blood_pressure|SBP} 110-130s. palpable pulses bilat.",
        "{!lined}ST 100s w/ rare PVCs, ABP 100-120/50s, MAPs >65. denies {-chest_pain}.",
        "NSR, lytes repleted per sliding scale. skin warm and dry. No {-edema}.",
        "HR 60-70s, {+blood_pressure|BP} stable, hct stable, +PP by doppler.",
        "hemodynamically stable, tele w/o events. denies {-chest_pain} or {-palpitations}.",
        "{!lined}SR 80s, ABP 98-140/50-70, A-line dampened at times, correlates w/ NBP.",
    ),
    "Resp": (
        "LS clear upper lobes, diminished at bases. sats 95-98% on 2L NC. RR teens.",
        "{!ventilated}on CPAP+PS 5/5 40%, vols 400s, suctioned for scant thick tan secretions.",
        "{+room_air|RA} sat 96%, using IS to 1000, strong gag.",
        "LS coarse, nebs given q4h by {+respiratory_therapist|RT}, no {-wheezing} this shift.",
        "RR 16-22, unlabored, no c/o {-shortness_of_breath}. O2 weaned to off.",
        "LS {+clear_to_auscultation|CTA} bilat. sats >94%. encouraging C+DB.",
    ),
    "GI": (
        "abd soft, +{+bowel_sounds|BS}, tol clears, no {+stool|BM} this shift. no {-nausea}.",
        "{!ventilated}OGT to low suction, min output. hypoactive {+bowel_sounds|BS}.",
        "tol house diet, appetite fair. colace given. denies {-abdominal_pain}.",
        "NPO p MN for procedure. abd soft, nondistended, +flatus, no {-nausea_vomiting}.",
        "lg formed brown stool, guaiac neg. tolerating cardiac diet w/ assist.",
        "FS 110-180, covered w/ RISS. taking pos well.",
    ),
    "GU": (
        "foley draining clear yellow urine 40-80cc/hr.",
        "voiding in urinal qs, no {-dysuria}.",
        "Foley patent, u/o 30-60cc/h, lasix 20 IV x1 w/ good response.",
        "u/o marginal overnight, HO aware, given 500cc bolus x1.",
        "foley d/c'd at 0600, DTV by noon.",
        "autodiuresing, neg 1.2L since MN.",
    ),
    "ID": (
        "afebrile, {+wbc|WBC} trending down, abx as ordered.",
        "Tmax 99.8, cx's pending. cont on abx.",
        "{+fever|febrile} to 101.2 po, pan cx'd, tylenol 650 given w/ effect.",
        "temp 98.2 °F ax. no abx.",
        "MRSA precautions maintained, swabs sent.",
    ),
    "Skin": (
        "intact, no {-rash}. waffle boots on.",
        "coccyx w/ blanchable erythema, turned q2h, barrier cream applied.",
        "{!lined}R IJ TLC site c/d/i. L AC #20 patent.",
        "multiple ecchymotic areas on arms, DSD changed x1.",
        "{!lined}aline site oozing, drsg changed.",
    ),
    "Social": (
        "{kin} {who} in to visit, updated by team. very supportive.",
        "{kin} {who} called, phone {phone}, will be in tomorrow.",
        "no calls or visitors this shift.",
        "family at bedside most of day. {pt} teary at times, emotional support given.",
        "{kin} {who} is HCP. Family meeting planned for {when}.",
        "SW following. {who} ({kin}) brought in glasses and {his} favorite slippers {emoji}",
    ),
}  # fmt: skip
_EVENTS = (
    "Events: OOB to chair x 2 hrs w/ assist of 1, tol well. Back to bed for nap.",
    "Events: to CT and back w/o incident, on monitor, accompanied by RN and transport.",
    "Access: 2 PIVs, both flush easily. labs drawn from peripheral stick.",
    "{!lined}Access: TLC and aline, waveforms sharp, drsgs changed per protocol.",
    "Pain: denies pain at rest, {scale} out of 10 w/ movement, tylenol w/ good relief.",
    "Activity: turned and repositioned q2h, ROM done, compression boots on.",
    "Safety: call light in reach, bed low and locked, alarms on. fall precautions.",
    "Teaching: use of IS and deep breathing reviewed, {pt} demonstrates back.",
    "Endo: FS q6h, covered per sliding scale, no gtt.",
    "Heme: hct stable, no active bleeding, sq heparin and boots.",
    "Psychosoc: anxious at times, reassured, relaxes when {kin} is here.",
    "{!ventilated}Vent: alarms checked, ambu at bedside, mouth care q4h, HOB 30.",
)
_PLANS = (
    "cont to monitor resp status, pulm toilet, OOB to chair in am.",
    "monitor hemodynamics, follow lytes, wean O2 as tol.",
    "cont current plan of care. ? call out to floor.",
    "pain control, advance diet as tol, transfer when bed available.",
    "freq neuro checks, safety precautions, support pt and family.",
    "recheck hct at 2200, transfuse for <21.",
)
_HOURLY = (
    "rounds made, alarms checked and reset, call bell in reach.",
    "turned to R side, back care given, heels off bed.",
    "AM care done, linens changed, mouth care w/ assist.",
    "labs drawn and sent, results to HO.",
    "asked for water, HOB up 45, took 120cc w/o cough.",
    "resting w/ eyes closed, RR regular, easily aroused.",
    "MD in to examine, no new orders.",
    "team rounds, plan of care reviewed w/ {pt}.",
    "med w/ tylenol 650 mg for discomfort, resting comfortably 1 hr later.",
    "IV site changed, #20 placed R FA on 1st attempt.",
    "FS checked, covered per sliding scale.",
    "up to commode w/ assist of 2, steady on feet.",
    "CXR done at bedside, awaiting read.",
    "{kin} called for update, spoke w/ HO.",
    "{!ventilated}suctioned x2, ETT retaped, cuff leak checked.",
    "{!lined}aline zeroed and leveled, good waveform.",
)
_CARE = (
    "Braden 16, pressure points checked, mattress in place.",
    "Morse fall score 45, yellow band on, slipper socks.",
    "restraints not needed, reoriented prn.",
    "pneumoboots on, changed side to side q2h.",
    "ID band on, allergies verified, code status confirmed w/ team.",
    "isolation status reviewed, PPE at door.",
    "bowel regimen given, last BM charted.",
    "glasses and hearing aid at bedside.",
)
_EMOJI = ("🙂", "🧦", "❤️", "😊")


def nursing_note(scribe: NoteAuthor, when: datetime) -> Text:
    """One shift."""
    stay, dice = scribe.stay, scribe.dice
    shift = "7a-7p" if 7 <= when.hour < 19 else "7p-7a"
    text: Text = [
        dice.pick(("npn ", "NPN ", "Nursing Progress Note ", "CCU NPN ", "nursing note ")),
        shift,
        dice.pick(("\n", ": ", "\n\n")),
        *_story(scribe),
        "\n",
    ]
    slots: dict[str, Piece | Text] = {
        "kin": stay.patient.kin,
        "who": identity.relative(stay.patient.child),
        "phone": identity.phone(stay.patient.phone),
        "when": scribe.on(when, "short"),
        "emoji": dice.pick(_EMOJI),
        # MIMIC's scrubbing takes some numbers for dates; this one identifies nobody.
        "scale": HiddenIdentifier("[**3-4**]", "3-4", ""),
    }
    extend(text, _measured(scribe, when))
    joined = scribe.author.terse > 0.85
    for system, templates in _SYSTEMS.items():
        chosen = scribe.fitting(templates)
        if not chosen:
            continue
        first = dice.pick(chosen)
        heading = system.upper() if scribe.author.shouts else system
        extend(text, heading, dice.pick((": ", "- ", ":")), scribe.say(first, **slots))
        second = dice.pick(chosen)
        if second != first and dice.chance(0.7):
            extend(text, " ", scribe.say(second, **slots))
        text.append(" " if joined else "\n")
    for event in dice.some(scribe.fitting(_EVENTS), dice.between(1, 3)):
        extend(text, scribe.say(event, **slots), " " if joined else "\n")
    extend(text, _given(scribe), _hours(scribe, when, slots), _problems(scribe))
    extend(text, "Care: ", " ".join(dice.some(_CARE, dice.between(2, 4))), "\n")
    extend(text, dice.pick(("A/P: ", "Plan: ", "P: ", "A: ")), dice.pick(_PLANS))
    if dice.chance(0.5):
        extend(text, " ", dice.pick(_PLANS))
    if dice.chance(0.3):
        extend(text, " ", dice.pick(phrases.LOOK_ALIKES))
    if dice.chance(0.3):
        extend(text, "\n", scribe.signature())
    return scribe.smudged([*text, "\n"])


def _story(scribe: NoteAuthor) -> Text:
    stay, dice = scribe.stay, scribe.dice
    sudden = [i for i in stay.told if i.role is not ConditionRole.LASTING]
    lasting = [i for i in stay.told if i.role is ConditionRole.LASTING]
    text = scribe.say(
        dice.pick(
            (
                "pt is a {age} yo {man} adm w/ {it}",
                "{age}yo {man} s/p adm for {it}",
                "pt admitted from ED w/ {it}",
                "Please see admit note for full hx. {age} y.o. {man} with {it}",
            )
        ),
        it=scribe.illness(stay.principal),
    )
    if lasting:
        shown = dice.some(lasting, dice.between(1, 3))
        extend(text, ", pmh ", listed([scribe.illness(i) for i in shown], last=", "))
    if len(sudden) > 1 and dice.chance(0.6):
        extend(text, ", c/b ", scribe.illness(dice.pick(sudden[1:])))
    if stay.ruled_out and dice.chance(0.5):
        it = scribe.condition(dice.pick(stay.ruled_out), PhraseAssertion.NEGATED)
        extend(text, dice.pick((", r/o'd for ", ", neg for ", ", no ")), it)
    extend(text, ". ", history.denial(scribe, dice.between(1, 3)))
    return text


def _measured(scribe: NoteAuthor, when: datetime) -> Text:
    """Vital signs, intake and output of the shift, as ranges."""
    dice, v = scribe.dice, scribe.stay.vitals
    pulse, top = v.pulse + dice.between(-8, 4), v.systolic + dice.between(-6, 10)
    came, went = dice.between(400, 2600), dice.between(300, 2400)
    text: Text = [dice.pick(("VS", "Vitals", "O:", "Flowsheet")), " "]
    extend(text, scribe.on(when, "short"), f": T {v.temperature - 0.3 * dice.below(4):.1f}, HR ")
    extend(text, f"{pulse - dice.between(3, 12)}-{pulse + dice.between(3, 15)}, ")
    extend(text, scribe.say("{+blood_pressure|BP} "))
    extend(
        text,
        f"{top - dice.between(6, 22)}-{top + dice.between(2, 18)}/"
        f"{v.diastolic - dice.between(2, 9)}-{v.diastolic + dice.between(1, 12)}, "
        f"RR {max(8, v.breaths - dice.between(1, 4))}-{v.breaths + dice.between(1, 5)}, "
        f"sat {max(80, v.saturation - dice.between(0, 3))}-{min(100, v.saturation + 3)}%.\n"
        f"I/O: in {came} (IV {came * 6 // 10}, po {came - came * 6 // 10}), out {went}, "
        f"net {came - went:+d} for shift, LOS {dice.between(-3000, 5000):+d}.\n",
    )
    return text


def _given(scribe: NoteAuthor) -> Text:
    """Drugs of the shift, and results that came back."""
    stay, dice = scribe.stay, scribe.dice
    text: Text = []
    orders = dice.some((*stay.new_drugs, *stay.home_drugs), dice.between(2, 5))
    if orders:
        items: list[Piece | Text] = [
            [scribe.drug(order.row), f" at {dice.between(0, 23):02d}00"] for order in orders
        ]
        extend(text, dice.pick(("Meds: ", "MAR: ", "Given: ")), listed(items, last=", "), ".\n")
    names = dice.some(list(stay.labs), dice.between(4, 7))
    found: list[Piece | Text] = [[scribe.lab(name), f" {stay.labs[name].worst}"] for name in names]
    extend(text, dice.pick(("Labs: ", "Results: ")), listed(found, last=", "), ".")
    return [*text, dice.pick((" MD aware.\n", " Lytes repleted.\n", "\n", " Will recheck.\n"))]


def _hours(scribe: NoteAuthor, when: datetime, slots: dict[str, Piece | Text]) -> Text:
    """What happened at which hour of the shift."""
    dice = scribe.dice
    text: Text = []
    start = 7 if 7 <= when.hour < 19 else 19
    chosen = dice.some(scribe.fitting(_HOURLY), dice.between(2, 5))
    for at, line in enumerate(chosen):
        hour = (start + 1 + at * 11 // len(chosen)) % 24
        extend(text, f"{hour:02d}{15 * dice.below(4):02d}: ", scribe.say(line, **slots), "\n")
    return text


def _problems(scribe: NoteAuthor) -> Text:
    """A problem in the unit's system: assessment, action, response, plan."""
    stay, dice = scribe.stay, scribe.dice
    known = [
        i
        for i in stay.illnesses
        if i.shown is not Shown.SILENT and i.role is not ConditionRole.LASTING
    ]
    if not known or dice.chance(0.4):
        return []
    text: Text = ["\n"]
    for illness in dice.some(known, 2):
        extend(text, scribe.illness(illness), "\n   Assessment:\n   ")
        row = scribe.known.conditions[illness.row]
        signs = [s for s in row.symptoms if s in stay.complaints]
        if signs:
            extend(text, "pt w/ ", scribe.symptom(dice.pick(signs)), ". ")
        off = [n for n in row.labs if n in stay.labs]
        if off:
            name = dice.pick(off)
            extend(text, scribe.lab(name), f" {stay.labs[name].worst}. ")
        text.append("\n   Action:\n   ")
        drugs = [o.row for o in stay.new_drugs if o.row in row.drugs]
        if drugs:
            extend(text, "given ", listed([scribe.drug(d) for d in drugs[:2]]), " as ordered. ")
        else:
            text.append("team aware, monitored closely. ")
        extend(
            text,
            "\n   Response:\n   ",
            dice.pick(("good effect.", "no change.", "some improvement.", "pending.")),
            "\n   Plan:\n   ",
            dice.pick(_PLANS),
            "\n",
        )
    return text
