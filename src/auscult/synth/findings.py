"""The parts of a note that tell what was seen and measured: vital signs, examination, results."""

from __future__ import annotations

from datetime import datetime

from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import Piece, Text, extend
from auscult.synth.stay import Illness, Results, Shown

_ORGANS = ("GEN", "HEENT", "NECK", "CV", "LUNGS", "ABD", "EXT", "SKIN", "NEURO")
_HEADINGS = {
    "GEN": ("General", "GEN", "Gen", "GENERAL"),
    "HEENT": ("HEENT", "HEENT", "Heent", "HEENT"),
    "NECK": ("Neck", "NECK", "Neck", "NECK"),
    "CV": ("CV", "CV", "Cor", "CARDIAC"),
    "LUNGS": ("Lungs", "RESP", "Pulm", "CHEST"),
    "ABD": ("Abdomen", "ABD", "Abd", "ABDOMEN"),
    "EXT": ("Ext", "EXT", "Extrem", "EXTREMITIES"),
    "SKIN": ("Skin", "SKIN", "Skin", "SKIN"),
    "NEURO": ("Neuro", "NEURO", "Neuro", "NEUROLOGIC"),
}
_NORMAL = {
    "GEN": (
        "NAD, lying in bed",
        "{!awake}pleasant, NAD",
        "{!awake}awake, alert, in no acute distress",
        "chronically ill appearing, NAD",
        "{!old}elderly, thin, comfortable",
        "{!awake}NAD, speaking in full sentences",
        "{!ventilated}sedated on the ventilator, not following commands",
    ),
    "HEENT": (
        "NCAT, PERRL, EOMI, MMM, OP clear",
        "PERRLA, EOMI, sclerae anicteric, dry {+mucous_membrane|MM}",
        "NC/AT, PERRL 3->2 mm, conjunctiva pink, no {-jaundice}",
        "sclera anicteric, MMM, oropharynx clear",
        "pupils equal and reactive, OP without exudate",
        "anicteric, {+eye|OD} 3 mm, OS 3 mm, reactive OU",
    ),
    "NECK": (
        "supple, no JVD, no {-lymph_node_swelling}",
        "supple, JVP not elevated",
        "supple, no carotid bruits, trachea midline",
        "JVP 8 cm, no thyromegaly",
        "no {-lymph_node_swelling|LAD}, no bruits, full ROM",
    ),
    "CV": (
        "RRR, nl S1/S2, no m/r/g",
        "RRR, normal S1 S2, no murmurs, rubs or gallops",
        "regular, S1 S2, II/VI systolic murmur at LUSB",
        "distant heart sounds, regular",
        "reg rate, no murmur appreciated, PMI nondisplaced",
    ),
    "LUNGS": (
        "CTAB, no {-wheezing}, rales or rhonchi",
        "{+clear_to_auscultation|CTA} bilaterally, good air movement",
        "clear to auscultation anteriorly",
        "decreased {+breath_sounds|BS} at bases, otherwise clear",
        "breathing unlabored, no accessory muscle use, no {-cough}",
        "coarse breath sounds bilaterally, no {-wheezing}",
    ),
    "ABD": (
        "soft, NT/ND, +{+bowel_sounds|BS}, no HSM",
        "soft, non-tender, non-distended, bowel sounds present, no rebound or guarding",
        "soft, protuberant, NT, normoactive {+bowel_sounds|BS}",
        "benign, no {+flank|CVA} tenderness",
        "soft, ND, no masses, guaiac negative",
        "NABS, soft, no organomegaly, no {-abdominal_pain} on palpation",
    ),
    "EXT": (
        "WWP, no c/c/e, 2+ DP/{+posterior_tibial_pulse|PT} pulses",
        "warm, no {-edema}, pulses 2+ bilaterally",
        "no clubbing, cyanosis or {-edema}",
        "cool, dopplerable {+posterior_tibial_pulse|PT} pulses bilaterally",
        "warm, well perfused, calves non-tender",
        "no calf tenderness, DP 2+ b/l",
    ),
    "SKIN": (
        "no {-rash}, warm and dry",
        "intact, no lesions",
        "multiple ecchymoses on forearms, otherwise intact",
        "no {-rash} or breakdown",
        "dry, no {-jaundice}, no spider angiomata",
    ),
    "NEURO": (
        "A&Ox3, CN II-XII intact, moving all extremities",
        "AAO x 3, strength 5/5 throughout, sensation intact",
        "alert, oriented to person and place, no focal deficits, no {-tremor}",
        "{+mental_status|MS}: attentive, fluent. CN II-XII intact. Motor 5/5. Gait deferred",
        "A+Ox3, no asterixis, no {-facial_droop}",
        "{!ventilated}opens eyes to voice, moves all 4 ext to command",
    ),
}
_ORGAN_OF = (
    ("cardio", "CV"), ("resp", "LUNGS"), ("gastro", "ABD"), ("hepat", "ABD"), ("renal", "ABD"),
    ("neuro", "NEURO"), ("psych", "NEURO"), ("musculo", "EXT"), ("injur", "EXT"), ("skin", "SKIN"),
)  # fmt: skip
_LATER = (
    "Gen: NAD. Lungs clear. Abd soft, NT. Ext without {-edema}.",
    "Afebrile, vital signs stable. Exam unchanged from admission but for improved work of "
    "breathing.",
    "{!operated}{+afebrile|AF} VSS, ambulating with walker, incisions c/d/i, tolerating diet.",
    "{+afebrile|AF} VSS, ambulating in hallway, tolerating diet.",
    "Vitals stable on {+room_air|RA}. Alert and oriented, lungs clear, no focal deficits.",
    "Unchanged.",
)


def examination(scribe: NoteAuthor) -> Text:
    """The physical examination, organ by organ, normal where no condition makes it otherwise."""
    dice = scribe.dice
    seen = _signs(scribe)
    style = dice.below(4)
    joined = scribe.author.terse > 0.8
    text: Text = []
    for organ in _ORGANS:
        signs = seen.get(organ, [])
        if not signs and dice.chance(0.12):
            continue
        usual = scribe.say(_fitting(scribe, organ))
        line: Text = [_HEADINGS[organ][style], ": "]
        if signs:
            for at, sign in enumerate(signs):
                extend(line, " " if at else "", sign)
            if dice.chance(0.3):
                extend(line, " Otherwise ", usual)
        else:
            extend(line, usual)
        last = line[-1]
        closed = isinstance(last, str) and last.endswith(".")
        extend(text, line, "\n" if not joined else " " if closed else ". ")
    return [*text, "\n"] if joined else text


def _fitting(scribe: NoteAuthor, organ: str) -> str:
    templates = scribe.fitting(_NORMAL[organ])
    return scribe.dice.pick(templates) if templates else "as above"


def _signs(scribe: NoteAuthor) -> dict[str, list[Text]]:
    """What the conditions show on examination, by organ."""
    seen: dict[str, list[Text]] = {}
    for illness in scribe.stay.illnesses:
        row = scribe.known.conditions[illness.row]
        signs = row.findings.get("exam", ())
        if not signs or illness.shown is Shown.SILENT or not scribe.dice.chance(0.6):
            continue
        organ = next((o for begin, o in _ORGAN_OF if row.system.startswith(begin)), "GEN")
        found = seen.setdefault(organ, [])
        if len(found) < 2:
            found.append(scribe.of_table(signs))
    return seen


def later_examination(scribe: NoteAuthor) -> Text:
    """The examination on the day of discharge."""
    return [*scribe.say(scribe.dice.pick(scribe.fitting(_LATER))), "\n"]


def result_lines(scribe: NoteAuthor, when: datetime, which: str) -> Text:
    """Results of one time in MIMIC's manner, one line a panel."""
    groups: dict[tuple[str, str], list[tuple[str, Results]]] = {}
    for name, found in scribe.stay.labs.items():
        fluid = "URINE" if name.startswith("urine") else "BLOOD"
        groups.setdefault((fluid, scribe.known.labs[name].panel), []).append((name, found))
    text: Text = []
    stamp = f"{(when.hour + 11) % 12 + 1:02d}:{when.minute:02d}{'AM' if when.hour < 12 else 'PM'}"
    for (fluid, _), rows in groups.items():
        extend(text, scribe.on(when, "numeric"), f" {stamp} {fluid} ")
        for at, (name, found) in enumerate(rows):
            value = found.first if which == "first" else found.last
            flag = "*" if found.off and (which == "first" or _is_off(scribe, name, value)) else ""
            extend(text, " " if at else "", scribe.lab(name, printed=True), f"-{value}{flag}")
        text.append("\n")
    return text


def _is_off(scribe: NoteAuthor, name: str, value: str) -> bool:
    low, high = scribe.known.labs[name].normal
    return not low <= float(value) <= high


def result_table(scribe: NoteAuthor) -> Text:
    """Results as a flowsheet prints them in a physician's note."""
    stay = scribe.stay
    text: Text = []
    for at, (name, found) in enumerate(stay.labs.items()):
        unit = (
            scribe.known.labs[name].unit.replace("uL", "µL")
            if scribe.dice.chance(0.05)
            else (scribe.known.labs[name].unit)
        )
        extend(
            text,
            "" if at % 3 == 0 else "  ",
            scribe.lab(name),
            f" {found.worst} {unit}".rstrip(),
        )
        text.append("\n" if at % 3 == 2 else "")
    return [*text, "\n"]


def flowsheet(scribe: NoteAuthor, day: int) -> Text:
    """Vital signs, fluid balance and oxygen as the unit's system fills them in."""
    dice, v = scribe.dice, scribe.stay.vitals
    warm = max(96.8, v.temperature - 0.6 * day)
    pulse = v.pulse + dice.between(-4, 4)
    taken, made = dice.between(600, 4200), dice.between(400, 3600)
    mean = (v.systolic + 2 * v.diastolic) // 3
    return [
        f"Tmax: {_celsius(warm):.1f} °C ({warm:.1f} °F)\n"
        f"Tcurrent: {_celsius(warm - 0.7):.1f} °C ({warm - 0.7:.1f} °F)\n"
        f"HR: {pulse} ({pulse - dice.between(4, 14)} - {pulse + dice.between(4, 18)}) bpm\n"
        f"NBP: {v.systolic}/{v.diastolic}({mean}) mmHg\n"
        f"RR: {v.breaths} insp/min\n"
        f"SpO2: {min(100, v.saturation + dice.below(4))}%\n"
        "Heart rhythm: ",
        *_rhythm(scribe),
        f"\nTotal In: {taken} mL\nTotal out: {made} mL\nBalance: {taken - made} mL\n",
    ]


def _celsius(fahrenheit: float) -> float:
    return (fahrenheit - 32.0) * 5.0 / 9.0


def _rhythm(scribe: NoteAuthor) -> Text:
    for illness in scribe.stay.illnesses:
        row = scribe.known.conditions[illness.row]
        if row.icd10.startswith("I48"):
            if illness in scribe.stay.told:
                return ["AF (", scribe.illness(illness), ")"]
            return ["irregular"]
    return scribe.one_of(
        (
            "ST (Sinus {+tachycardia|Tachycardia})",
            "SB (Sinus {+bradycardia|Bradycardia})",
            "SR (Sinus Rhythm)",
        )
    )


def lab_trend(scribe: NoteAuthor, illness: Illness, template: str) -> Text:
    """A sentence on a test that the condition puts off, or nothing when none was done."""
    row = scribe.known.conditions[illness.row]
    found = [(n, r) for n in row.labs if (r := scribe.stay.labs.get(n)) and r.off]
    if not found:
        return []
    name, values = scribe.dice.pick(found)
    slots: dict[str, Piece | Text] = {
        "lab": scribe.lab(name),
        "first": values.first,
        "worst": values.worst,
        "last": values.last,
    }
    return scribe.sentence(template, **slots)
