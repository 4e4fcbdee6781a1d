"""The parts of a note that tell what came before: present illness, past, family, habits."""

from __future__ import annotations

from auscult.synth import identity, names, phrases
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import (
    PhraseAssertion,
    PhraseKind,
    Piece,
    Text,
    capital,
    extend,
    listed,
)
from auscult.synth.stay import ConditionRole, Past

REVIEW = (
    "chest_pain", "shortness_of_breath", "fever", "chills", "nausea_vomiting", "abdominal_pain",
    "diarrhea", "constipation", "dysuria", "headache", "dizziness", "palpitations", "cough",
    "syncope", "melena", "rectal_bleeding", "hematuria", "weight_loss", "night_sweats",
    "orthopnea", "edema", "rash", "joint_pain", "blurred_vision", "weakness", "numbness",
    "hemoptysis", "urinary_frequency", "back_pain", "dysphagia", "slurred_speech",
)  # fmt: skip
_OPENINGS = (
    "{age} year old {man} with {history} who presents with {sx}.",
    "{age} yo {man} with {history} presenting with {sx}.",
    "{name} is a {age} year old {man} with a history of {history} who presented with {sx}.",
    "This is a {age} y/o {man} with PMH significant for {history}, who presented to the ED with "
    "{sx}.",
    "Pt is a {age} yo {man} w/ h/o {history} p/w {sx}.",
    "{age}{m} w/ hx of {history}, p/w {sx} {duration}.",
    "Patient is a {age} year old {man} with multiple medical problems including {history} "
    "admitted with {sx}.",
)
_HEALTHY = (
    "{age} year old previously healthy {man} who presents with {sx}.",
    "{age} yo {man} without significant PMH p/w {sx} {duration}.",
    "{name} is a {age} year old {man} with no significant past medical history presenting "
    "with {sx}.",
)
_HURT = (
    "{He} {how}.",
    "Per EMS, {he} {how}.",
    "{pt} {how} prior to arrival.",
    "Reportedly {how}.",
)
_PLANNED = (
    "{He} was seen in clinic for {it} and is now admitted electively.",
    "Elective admission for management of {it}.",
    "After discussion of risks and benefits {he} elected to proceed with treatment of {it}.",
)


def absent(scribe: NoteAuthor, most: int) -> list[str]:
    """Symptoms that may be denied."""
    present = scribe.stay.present
    known = scribe.known.symptoms
    start = scribe.dice.below(len(REVIEW))
    found = []
    for at in range(len(REVIEW)):
        name = REVIEW[(start + 7 * at) % len(REVIEW)]
        if name in known and name not in present:
            found.append(name)
            if len(found) == most:
                break
    return found


def denial(scribe: NoteAuthor, most: int) -> Text:
    """A sentence that denies several symptoms."""
    rows = absent(scribe, most)
    if not rows:
        return []
    items: list[Piece | Text] = [scribe.symptom(row, PhraseAssertion.NEGATED) for row in rows]
    return scribe.sentence(scribe.dice.pick(phrases.DENIALS), sx=listed(items, last=" or "))


def present_illness(scribe: NoteAuthor) -> Text:
    """The story of what brought the patient in, written by whoever admits."""
    stay, dice = scribe.stay, scribe.dice
    patient = stay.patient
    lasting = [i for i in stay.told if i.role is ConditionRole.LASTING]
    shown = dice.some(lasting, dice.between(2, 5))
    symptoms: list[Piece | Text] = [scribe.symptom(row) for row in stay.complaints[:3]]
    slots: dict[str, Piece | Text] = {
        "name": scribe.formal_name(),
        "m": "F" if patient.is_woman else "M",
        "sx": listed(symptoms) if symptoms else ["feeling unwell"],
        "duration": _duration(scribe),
        "history": listed([scribe.illness(i) for i in shown]),
    }
    text = scribe.sentence(dice.pick(_OPENINGS if shown else _HEALTHY), **slots)
    text.append(" ")
    common: dict[str, Piece | Text] = {
        "n": str(dice.between(2, 9)),
        "duration": _duration(scribe),
        "kin": _kin(scribe),
        "osh": identity.hospital(dice.pick(names.HOSPITALS)),
        "home": identity.hospital(names.HOME),
        "nursing": identity.hospital(dice.pick(names.NURSING_HOMES)),
        "doctor": identity.doctor(patient.doctor),
    }
    if stay.kind == "ELECTIVE":
        extend(text, scribe.sentence(dice.pick(_PLANNED), it=scribe.illness(stay.principal)))
        extend(text, " ", denial(scribe, dice.between(3, 5)), "\n")
        return text
    if stay.external is not None:
        how = scribe.external(stay.external)
        extend(text, scribe.sentence(dice.pick(_HURT), how=how), " ")
    if symptoms:
        more = [scribe.symptom(row) for row in stay.complaints[-2:]]
        extend(text, scribe.sentence(dice.pick(phrases.ONSETS), sx=listed(more), **common), " ")
    for template in dice.some(scribe.fitting(phrases.AMBIENT), dice.between(1, 3)):
        extend(text, scribe.sentence(template, **common), " ")
    extend(text, denial(scribe, dice.between(3, 6)), " ")
    past = [p for p in stay.past if p.kind is PhraseKind.CONDITION]
    if past and dice.chance(0.4):
        item = dice.pick(past)
        phrase = scribe.condition(item.row, PhraseAssertion.HISTORICAL)
        extend(
            text,
            scribe.sentence(
                dice.pick(
                    (
                        "Of note, {he} was hospitalized for {it} in {year}.",
                        "{His} history is notable for {it} in {year}, fully recovered.",
                        "Was treated for {it} back in {year}.",
                    )
                ),
                it=phrase,
                year=scribe.year(item.when),
            ),
            " ",
        )
    extend(text, scribe.sentence(dice.pick(scribe.fitting(phrases.ARRIVALS)), **common))
    extend(text, "\n", _emergency_room(scribe, common))
    return text


def _emergency_room(scribe: NoteAuthor, common: dict[str, Piece | Text]) -> Text:
    stay, dice = scribe.stay, scribe.dice
    text = scribe.sentence(dice.pick(phrases.EMERGENCY_ROOM), vitals=vital_line(scribe), **common)
    off = [name for name, found in stay.labs.items() if found.off]
    if off:
        labs: list[Piece | Text] = [
            [scribe.lab(name), " ", stay.labs[name].first] for name in dice.some(off, 4)
        ]
        extend(text, " ", scribe.sentence(dice.pick(phrases.NOTABLE), labs=listed(labs), **common))
    if stay.ruled_out and dice.chance(0.7):
        extend(text, " ", ruled_out(scribe, dice.pick(stay.ruled_out)))
    if stay.new_drugs and dice.chance(0.8):
        drugs = [scribe.drug(order.row) for order in stay.new_drugs[:3]]
        extend(text, " ", scribe.sentence(dice.pick(phrases.GIVEN), drugs=listed(drugs), **common))
    extend(text, " ", scribe.sentence(dice.pick(phrases.TO_THE_UNIT), **common), "\n")
    return text


def ruled_out(scribe: NoteAuthor, row: str) -> Text:
    """A sentence or two that raise a condition and take it back."""
    complaints = scribe.stay.complaints
    if not complaints or scribe.dice.chance(0.4):
        it = scribe.condition(row, PhraseAssertion.NEGATED)
        return [*capital(scribe.say(scribe.dice.pick(phrases.NEGATED), it=it)), "."]
    return scribe.sentence(
        scribe.dice.pick(phrases.RULED_OUT),
        sx=scribe.symptom(scribe.dice.pick(complaints)),
        maybe=scribe.condition(row, PhraseAssertion.UNCERTAIN),
        it=scribe.condition(row, PhraseAssertion.NEGATED),
    )


_VITALS = (
    "T {t} HR {p} {+blood_pressure|BP} {s}/{d} RR {r} SpO2 {o}% on {air}",
    "{t}, {p}, {s}/{d}, {r}, {o}% {air}",
    "Temp {c} °C, P {p}, {+blood_pressure|BP} {s}/{d}, R {r}, O2 sat {o}% {air}",
    "T{t} {+blood_pressure|BP}{s}/{d} HR{p} RR{r} {o}%{air}",
)


def vital_line(scribe: NoteAuthor) -> Text:
    """Vital signs in one line."""
    v = scribe.stay.vitals
    return scribe.say(
        scribe.dice.pick(_VITALS),
        t=f"{v.temperature:.1f}",
        c=f"{(v.temperature - 32.0) * 5.0 / 9.0:.1f}",
        p=str(v.pulse),
        s=str(v.systolic),
        d=str(v.diastolic),
        r=str(v.breaths),
        o=str(v.saturation),
        air=scribe.say("{+room_air|RA}") if v.oxygen == "RA" else v.oxygen,
    )


def _duration(scribe: NoteAuthor) -> Text:
    return scribe.say(scribe.dice.pick(phrases.DURATIONS), n=str(scribe.dice.between(2, 10)))


def _kin(scribe: NoteAuthor) -> Text:
    patient = scribe.stay.patient
    if patient.marital == "MARRIED" and scribe.dice.chance(0.6):
        spouse = "husband" if patient.is_woman else "wife"
        return (
            [spouse]
            if scribe.dice.chance(0.8)
            else [spouse, " ", identity.relative(patient.spouse)]
        )
    if scribe.dice.chance(0.25):
        return [scribe.dice.pick(("roommate", "neighbor", "home health aide"))]
    return (
        [patient.kin]
        if scribe.dice.chance(0.8)
        else [patient.kin, " ", identity.relative(patient.child)]
    )


def past_history(scribe: NoteAuthor) -> Text:
    """What the patient has had for years, and what is over."""
    stay, dice = scribe.stay, scribe.dice
    items = dice.shuffled(
        [
            _lasting(scribe, scribe.illness(illness), illness.row)
            for illness in stay.told
            if illness.role is ConditionRole.LASTING
        ]
    )
    over = [_over(scribe, item) for item in stay.past]
    if dice.chance(0.5):
        items = dice.shuffled([*items, *over])
    else:
        items += over
    if not items:
        return [dice.pick(("None known", "Non-contributory", "Denies")), "\n"]
    return itemized(scribe, items)


def _lasting(scribe: NoteAuthor, phrase: Piece, row: str) -> Text:
    dice = scribe.dice
    text: Text = [phrase]
    way = dice.random()
    drugs = [o.row for o in scribe.stay.home_drugs if o.row in scribe.known.conditions[row].drugs]
    if scribe.known.conditions[row].kind == "status":
        return text
    if way < 0.12:
        text = ["h/o ", phrase]
    elif way < 0.18:
        text = ["history of ", phrase]
    elif way < 0.3 and drugs:
        extend(text, ", on ", scribe.drug(dice.pick(drugs)))
    elif way < 0.4:
        since = scribe.stay.admitted.replace(
            year=scribe.stay.admitted.year - dice.between(1, 20), day=1
        )
        extend(text, dice.pick((" dx'd ", " since ", " diagnosed ")), scribe.year(since))
    elif way < 0.46:
        extend(text, ", followed by Dr. ", identity.doctor(scribe.stay.patient.doctor))
    return text


def _over(scribe: NoteAuthor, item: Past) -> Text:
    year = scribe.year(item.when)
    when = scribe.dice.pick(("in ", "", "(", "back in "))
    shown: Text = [when, year, ")"] if when == "(" else [when, year]
    if item.kind is PhraseKind.PROCEDURE:
        phrase = scribe.procedure(item.row, PhraseAssertion.HISTORICAL)
        return scribe.say(scribe.dice.pick(phrases.OPERATED), it=phrase, when=shown, year=year)
    phrase = scribe.condition(item.row, PhraseAssertion.HISTORICAL)
    return scribe.say(scribe.dice.pick(phrases.HISTORICAL), it=phrase, when=shown, year=year)


def itemized(scribe: NoteAuthor, items: list[Text]) -> Text:
    """Items numbered, with dashes, or run on, as the author does."""
    bullet = scribe.author.bullet
    if bullet in ("", "#"):
        if bullet == "" or scribe.dice.chance(0.3):
            text: Text = []
            for at, item in enumerate(items):
                extend(text, ", " if at else "", item)
            return [*capital(text), "\n"]
        bullet = "-"
    text = []
    for at, item in enumerate(items, 1):
        lead = bullet.replace("1", str(at)) + " "
        extend(text, lead, capital(item) if scribe.dice.chance(0.5) else item, "\n")
    return text


def family_history(scribe: NoteAuthor) -> Text:
    """Who in the family had what, and what nobody had."""
    dice = scribe.dice
    items: list[Text] = []
    for relative, row in scribe.stay.family:
        woman = relative in ("Mother", "Sister", "Maternal grandmother")
        items.append(
            scribe.say(
                dice.pick(phrases.RELATED),
                relative=relative,
                lower=relative.lower(),
                it=scribe.condition(row, PhraseAssertion.FAMILY),
                old=str(dice.between(41, 88)),
                his="her" if woman else "his",
                decade=str(10 * dice.between(4, 7)),
            )
        )
    if not items or dice.chance(0.25):
        related = frozenset(row for _, row in scribe.stay.family)
        rows = [row for row in scribe.stay.ruled_out if row not in related]
        if rows and dice.chance(0.7):
            items.append(
                scribe.say(
                    dice.pick(phrases.UNRELATED),
                    it=scribe.condition(dice.pick(rows), PhraseAssertion.NEGATED),
                    other=scribe.condition(dice.pick(rows), PhraseAssertion.NEGATED),
                )
            )
        else:
            idle = ("Non-contributory", "NC", "Unable to obtain", "Adopted")
            items.append([dice.pick(("Otherwise non-contributory",) if items else idle)])
    text: Text = []
    for at, item in enumerate(items):
        extend(text, ". " if at else "", capital(item))
    return [*text, ".\n"]


_LIVES = {
    "with family": (
        "Lives with {his} {kin} in {town}.",
        "Lives in {town} with {his} {kin} {child}.",
        "Lives at {street}, {town} with family.",
    ),
    "alone": (
        "Lives alone in {town}.",
        "Lives by {him}self in {town}, {state}; {kin} {child} helps.",
    ),
    "nursing home": ("Long-term resident of {nursing}.", "Lives at {nursing} in {town}."),
    "assisted living": ("Lives in assisted living at {nursing}.",),
}
_WORK = ("{job}.", "Occupation: {job}.", "Formerly at {company}.", "Works at {company} ({job}).")
_HABITS = (
    "Denies {-tobacco_use|tobacco}, EtOH, or illicits.",
    "No {-tobacco_use|tobacco} or alcohol.",
    "{-tobacco_use|Tobacco}: none. EtOH: rare. Drugs: none.",
    "Never {-tobacco_use|smoker}, social EtOH, no {-opioid_use_disorder|IVDU}.",
    "Drinks 1-2 glasses of wine per week, no {-tobacco_use|tobacco}.",
    "{-tobacco_use|Tob}: never. ETOH: occasional. No illicits.",
)


def social_history(scribe: NoteAuthor) -> Text:
    """Where and how the patient lives, and what they smoke, drink and take."""
    stay, dice = scribe.stay, scribe.dice
    patient = stay.patient
    slots: dict[str, Piece | Text] = {
        "town": identity.town(patient.town),
        "state": identity.state(patient.state),
        "street": identity.street(patient.street),
        "nursing": identity.hospital(dice.pick(names.NURSING_HOMES)),
        "company": identity.company(patient.company),
        "kin": patient.kin,
        "child": identity.relative(patient.child),
        "job": patient.occupation,
    }
    roofless = [i for i in stay.told if scribe.known.conditions[i.row].icd10.startswith("Z59")]
    if roofless:
        text: Text = ["Currently ", scribe.illness(roofless[0]), ", last in "]
        extend(text, slots["town"], ".")
    else:
        text = scribe.sentence(dice.pick(_LIVES[patient.lives]), **slots)
    at_work = not patient.occupation.startswith(("retired", "former", "on ", "un", "works"))
    extend(text, " ", scribe.sentence(dice.pick(_WORK[: 4 if at_work else 3]), **slots), " ")
    habits = [i for i in stay.told if scribe.known.conditions[i.row].icd10.startswith(_USE)]
    for illness in habits:
        lead = dice.pick(("", "+ ", "Habits: ", "History of "))
        extend(text, capital([lead, scribe.illness(illness)]), ". ")
    if not habits:
        extend(text, scribe.one_of(_HABITS), " ")
    if dice.chance(0.25):
        extend(
            text,
            scribe.sentence(
                dice.pick(("HCP is {kin} {child}, {phone}.", "Contact: {kin} {child} at {phone}.")),
                phone=identity.phone(patient.phone),
                **slots,
            ),
        )
    return [*text, "\n"]


_USE = ("F10", "F11", "F12", "F13", "F14", "F15", "F17", "F19", "Z72", "Z87.891")
