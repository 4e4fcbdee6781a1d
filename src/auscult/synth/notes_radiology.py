"""Radiology reports: header, reason, findings, impression."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from auscult.synth import identity
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import (
    Form,
    Phrase,
    PhraseAssertion,
    PhraseKind,
    Piece,
    Text,
    capital,
    extend,
    listed,
    upper,
)
from auscult.synth.notes_discharge import StudyImpression
from auscult.synth.phrases import beside, certainty, is_hedged
from auscult.synth.radiology_lines import ADVICE, NORMAL, technique
from auscult.synth.regions import STUDIES, SYMPTOMS, RadiologyStudies, Study
from auscult.synth.stay import Illness, Shown

_NEGATIVES = (
    "There is no {list}.",
    "No evidence of {list}.",
    "No {list} is seen.",
    "No definite {list}.",
    "Negative for {list}.",
    "There is no radiographic evidence of {list}.",
    "Without evidence for {list}.",
)
_MAYBE = (
    "{it} cannot be excluded.",
    "Although this may represent {it}, differential considerations include projection.",
    "Appearance raises the question of {it}; clinical correlation recommended.",
    "Cannot rule out superimposed {it}.",
    "Findings could reflect early {it} in the appropriate clinical setting.",
    "Follow-up to exclude {it} is suggested.",
)
_IMAGING = frozenset(
    ("electrocardiogram", "echo", *(s.procedure for g in STUDIES.values() for s in g))
)
_RULE = "_" * 78
_REASONS = (
    "r/o {it}",
    "eval for {it}",
    "?{it}",
    "please assess for {it}",
    "interval change, {it}?",
)


def planned(scribe: NoteAuthor, radiology: RadiologyStudies) -> list[tuple[str, str]]:
    """The regions examined in a stay, each with the condition that must be reported there."""
    stay, dice = scribe.stay, scribe.dice
    must = {
        next(iter(radiology.by_row[i.row]), "chest"): i.row
        for i in stay.illnesses
        if i.place == "radiology"
    }
    wanted: dict[str, str] = dict(must)
    if dice.chance(0.85):
        wanted.setdefault("chest", "")
    for illness in stay.illnesses:
        if illness.shown is not Shown.SILENT:
            for region in radiology.by_row[illness.row]:
                if dice.chance(0.35):
                    wanted.setdefault(region, "")
    for row in stay.ruled_out:
        for region in radiology.by_row[row]:
            if dice.chance(0.3):
                wanted.setdefault(region, "")
    if "chest" in wanted and dice.chance(0.35):
        return [*list(wanted.items())[:4], ("chest", "")]
    return list(wanted.items())[:5]


def radiology_report(
    scribe: NoteAuthor, radiology: RadiologyStudies, region: str, must: str, when: datetime
) -> tuple[Study, Text, StudyImpression]:
    """A report of one region, and its impression for others to quote."""
    stay, dice = scribe.stay, scribe.dice
    study = dice.pick(STUDIES[region])
    seen, impression = _findings(scribe, radiology, region, must)
    suspects = [row for row in stay.ruled_out if region in radiology.by_row[row]]
    reason: Text = ["please evaluate for interval change"]
    if suspects:
        asked = scribe.condition(dice.pick(suspects), PhraseAssertion.UNCERTAIN)
        reason = scribe.say(dice.pick(_REASONS), it=asked)
    elif complaints := [row for row in stay.complaints if row in SYMPTOMS[region]]:
        reason = ["evaluate ", scribe.symptom(dice.pick(complaints))]
    known = [i for i in stay.told if i.shown is Shown.FULL]
    who: Text = scribe.say("{age} year old {man} with ")
    extend(who, scribe.illness(dice.pick(known)) if known else ["complex history"])
    admitting = _admitting(scribe)
    stamp = scribe.on(when, "numeric")
    text: Text = [" ", stamp, f" {scribe.clock(when)}\n ", _called(study, study.title)]
    extend(
        text,
        " " * max(2, 52 - len(study.title)),
        "Clip # ",
        identity.clip(f"{stay.hadm_id}{when:%d%H%M}"),
        "\n Reason: ",
        upper(reason),
        "\n Admitting Diagnosis: ",
        upper(admitting),
        f"\n {_RULE}\n ",
        identity.hospital("Radiology, main campus"),
        " MEDICAL CONDITION:\n  ",
        who,
        "\n REASON FOR THIS EXAMINATION:\n  ",
        reason,
        f"\n {_RULE}\n",
        " " * 33,
        "FINAL REPORT\n",
    )
    if dice.chance(0.3):
        wet = _wet_read(scribe, radiology, region, when)
        extend(text, " WET READ: ", wet, f"\n {_RULE}\n")
    if study.procedure in scribe.known.procedures:
        extend(text, " EXAMINATION: ", capital([scribe.procedure(study.procedure)]), ".\n\n")
    extend(text, " INDICATION: ", who, ", ", reason, ".\n\n HISTORY: ", _history(scribe, region))
    extend(text, "\n\n COMPARISON: ", _compared(scribe, study, when), "\n\n")
    extend(text, " TECHNIQUE: ", technique(study.title), "\n\n FINDINGS: ", seen)
    extend(text, "\n\n IMPRESSION:\n ", impression, "\n")
    if dice.chance(0.6):
        extend(text, "\n RECOMMENDATION: ", dice.pick(ADVICE[region]), "\n")
    if dice.chance(0.25):
        extend(
            text,
            " Findings were discussed with Dr. ",
            identity.doctor(stay.patient.doctor),
            f" by telephone at {scribe.clock(when)} on ",
            stamp,
            ".\n",
        )
    if dice.chance(0.4):
        extend(
            text,
            " The study and the report were reviewed by the staff radiologist.\n",
            " These findings were entered onto the critical results dashboard.\n"
            if dice.chance(0.3)
            else "",
        )
    extend(text, "\n                             ", scribe.signature(), "\n")
    quoted = StudyImpression(_called(study, study.short), scribe.on(when, "short"), impression)
    return study, scribe.smudged(text), quoted


def _history(scribe: NoteAuthor, region: str) -> Text:
    """What the requesting team wrote: who this is, what was done, what is new."""
    stay, dice = scribe.stay, scribe.dice
    told = dice.some([i for i in stay.told if i.row != stay.principal.row], dice.between(2, 4))
    text = scribe.say("{age} year old {man} ")
    if stay.complaints:
        extend(text, "presenting with ", scribe.symptom(dice.pick(stay.complaints)), ", ")
    items: list[Piece | Text] = [scribe.illness(stay.principal), *map(scribe.illness, told)]
    extend(text, "known to have ", listed(items), ". ")
    done = [d.row for d in stay.deeds if d.told and d.row not in _IMAGING]
    if done:
        extend(text, "Status post ", scribe.procedure(dice.pick(done)), ". ")
    denied = [row for row in SYMPTOMS[region] if row not in stay.present]
    if denied:
        some = [scribe.symptom(row, PhraseAssertion.NEGATED) for row in dice.some(denied, 2)]
        extend(text, "The requisition notes no ", listed(some, last=" or "), ". ")
    off = [name for name, found in stay.labs.items() if found.off]
    if off:
        name = dice.pick(off)
        extend(text, scribe.lab(name), f" {stay.labs[name].worst} today.")
    return text


def _compared(scribe: NoteAuthor, study: Study, when: datetime) -> Text:
    """Which earlier studies were at hand."""
    stay, dice = scribe.stay, scribe.dice
    if dice.chance(0.25):
        return ["No prior studies are available for comparison at the time of dictation."]
    earlier = when - timedelta(days=dice.between(30, 900))
    text: Text = [f"{study.short} of ", scribe.on(earlier)]
    if when.date() > stay.admitted.date():
        extend(text, ", and the examination of ", scribe.on(stay.admitted), " on this admission")
    return [*text, dice.pick((".", "; reviewed side by side.", ". Outside films not available."))]


def _called(study: Study, words: str) -> Piece:
    """A study's title or short name, which names a procedure where the tables have it."""
    if not study.procedure:
        return words
    return Phrase(words, PhraseKind.PROCEDURE, study.procedure, proper=words, form=Form.SHORT)


def _wet_read(scribe: NoteAuthor, radiology: RadiologyStudies, region: str, when: datetime) -> Text:
    """The resident's first look, before the report is final."""
    absent = [r for r in radiology.by_region[region] if r not in scribe.stay.present]
    text: Text = []
    if absent:
        it = scribe.condition(scribe.dice.pick(absent), PhraseAssertion.NEGATED)
        text = scribe.say(scribe.dice.pick(("no {it} on prelim read", "no obvious {it}")), it=it)
    extend(text, ". Discussed w/ ED resident. ", scribe.on(when, "short"), f" {scribe.clock(when)}")
    return text


def _admitting(scribe: NoteAuthor) -> Text:
    """What the patient was booked in under, which is what was suspected then."""
    stay = scribe.stay
    if stay.complaints and scribe.dice.chance(0.55):
        return [scribe.symptom(stay.complaints[0])]
    if stay.ruled_out and scribe.dice.chance(0.5):
        return [scribe.condition(stay.ruled_out[0], PhraseAssertion.UNCERTAIN)]
    return [scribe.illness(stay.principal, PhraseAssertion.UNCERTAIN)]


def _findings(
    scribe: NoteAuthor, radiology: RadiologyStudies, region: str, must: str
) -> tuple[Text, Text]:
    stay, dice = scribe.stay, scribe.dice
    positive: list[Text] = []
    conclusions: list[Text] = []
    for illness in stay.illnesses:
        if not _may_tell(illness):
            continue
        found = radiology.by_row[illness.row].get(region, ())
        if not found or not (illness.row == must or dice.chance(0.75)):
            continue
        told = _sentences(scribe, illness, found, sure=illness.row == must)
        positive += told
        if told:
            conclusions.append(told[0])
    absent = [r for r in radiology.by_region[region] if r not in stay.present and _sex(scribe, r)]
    denied = dice.some(absent, dice.between(2, 5))
    negatives = _denied(scribe, denied[:3])
    usual = beside(scribe.fitting(NORMAL[region]), positive)
    text: list[Text] = [scribe.say(s) for s in dice.some(usual, dice.between(8, 12))]
    text += positive
    if negatives:
        text.append(negatives)
    if len(denied) > 3:
        text.append(_denied(scribe, denied[3:]))
    others = [row for row in absent if row not in denied]
    if others and dice.chance(0.35):
        maybe = scribe.condition(dice.pick(others), PhraseAssertion.UNCERTAIN)
        text.append(scribe.sentence(dice.pick(_MAYBE), it=maybe))
    body: Text = []
    for at, sentence in enumerate(text):
        extend(body, " " if at else "", sentence)
    if not conclusions:
        conclusions = [_denied(scribe, denied[:2]) or ["No acute process."]]
    elif negatives and dice.chance(0.5):
        conclusions.append(_denied(scribe, denied[:1]))
    if len(conclusions) == 1:
        return body, conclusions[0]
    summary: Text = []
    for at, sentence in enumerate(conclusions, 1):
        extend(summary, "\n " if at > 1 else "", f"{at}. ", sentence)
    return body, summary


def _may_tell(illness: Illness) -> bool:
    return illness.shown in (Shown.FULL, Shown.VAGUE) or illness.place == "radiology"


def _sex(scribe: NoteAuthor, row: str) -> bool:
    return scribe.known.conditions[row].sex in ("any", scribe.stay.patient.sex)


def _sentences(
    scribe: NoteAuthor, illness: Illness, found: Sequence[tuple[str, bool]], *, sure: bool
) -> list[Text]:
    """What the report says of a condition: by name, by its signs, or both."""
    dice = scribe.dice
    naming = [sentence for sentence, named in found if named]
    signs = [sentence for sentence, named in found if not named]
    told: list[Text] = []
    if sure:
        naming = [sentence for sentence in naming if not is_hedged(sentence)] or naming
    if naming and (sure or dice.chance(0.7)):
        chosen = dice.pick(naming)
        told.append(scribe.of_table((chosen,), it=scribe.illness(illness, certainty(chosen))))
    if signs and (not told or dice.chance(0.5)):
        told.append(scribe.of_table(signs))
    return told


def _denied(scribe: NoteAuthor, rows: Sequence[str]) -> Text:
    if not rows:
        return []
    items: list[Piece | Text] = [scribe.condition(row, PhraseAssertion.NEGATED) for row in rows]
    return scribe.sentence(scribe.dice.pick(_NEGATIVES), list=listed(items, last=" or "))
