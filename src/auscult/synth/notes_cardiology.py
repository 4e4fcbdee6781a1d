"""Tracings and echocardiograms, as the cardiologist reads them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from auscult.synth import identity
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import (
    Form,
    Phrase,
    PhraseAssertion,
    PhraseKind,
    Piece,
    Text,
    extend,
    listed,
)
from auscult.synth.notes_discharge import StudyImpression
from auscult.synth.phrases import beside, certainty, is_hedged
from auscult.synth.stay import Illness, Shown

_RHYTHMS = (
    "Sinus rhythm.",
    "Normal sinus rhythm.",
    "Sinus rhythm with borderline first degree A-V delay.",
    "Sinus {+tachycardia|tachycardia}.",
    "Sinus {+bradycardia|bradycardia}.",
    "Baseline artifact. Sinus rhythm.",
)
_TRACINGS = (
    "Normal axis and intervals.",
    "Left axis deviation.",
    "Non-specific ST-T wave changes.",
    "Delayed R wave progression, possibly related to lead placement.",
    "Low limb lead voltage.",
    "Poor R wave progression.",
    "Intraventricular conduction delay.",
    "Modest non-specific lateral T wave flattening.",
    "Borderline Q-T interval prolongation.",
    "Early R wave transition.",
)
_COMPARED = (
    "Compared to the previous tracing of {when} no diagnostic interim change.",
    "Since the previous tracing of {when} the rate is slower.",
    "No previous tracing available for comparison.",
    "Compared to tracing #1 of {when} there is no significant change.",
    "Clinical correlation is suggested.",
)
_CHAMBERS = {
    "LEFT ATRIUM": (
        "Normal {+left_atrium|LA} size.",
        "Mild {+left_atrium|LA} enlargement.",
        "Moderate {+left_atrium|LA} enlargement.",
    ),
    "RIGHT ATRIUM/INTERATRIAL SEPTUM": (
        "Normal {+right_atrium|RA} size.",
        "A catheter or pacing wire is seen in the {+right_atrium|RA}.",
        "No ASD by 2D or color Doppler.",
    ),
    "LEFT VENTRICLE": (
        "Normal LV wall thickness and cavity size.",
        "Normal regional LV systolic function.",
        "Mild symmetric LVH with normal cavity size. Suboptimal technical quality.",
        "Overall normal LVEF (>55%).",
    ),
    "RIGHT VENTRICLE": ("Normal RV chamber size and free wall motion.", "RV not well seen."),
    "AORTA": (
        "Normal diameter of aorta at the sinus level.",
        "Mildly dilated ascending aorta.",
        "Focal calcifications in aortic root.",
    ),
    "AORTIC VALVE": ("Mildly thickened aortic valve leaflets (3).", "Three leaflets."),
    "MITRAL VALVE": (
        "Mildly thickened mitral valve leaflets. Mild mitral annular calcification.",
        "Normal mitral valve leaflets.",
    ),
    "TRICUSPID VALVE": ("Normal tricuspid valve leaflets.", "Not well seen."),
    "PULMONIC VALVE/PULMONARY ARTERY": (
        "Pulmonic valve not well seen.",
        "Normal pulmonic valve leaflets.",
    ),
    "PERICARDIUM": (
        "There is an anterior space which most likely represents a fat pad.",
        "Pericardium appears normal.",
    ),
}
_CONCLUSIONS = (
    "The left atrium is normal in size.",
    "The estimated right atrial pressure is 0-5 mmHg.",
    "Left ventricular wall thickness, cavity size, and global systolic function are normal "
    "(LVEF>55%).",
    "Due to suboptimal technical quality, a focal wall motion abnormality cannot be fully "
    "excluded.",
    "Right ventricular chamber size and free wall motion are normal.",
    "The aortic root is mildly dilated at the sinus level.",
    "The mitral valve leaflets are mildly thickened.",
    "The diameters of aorta at the sinus, ascending and arch levels are normal.",
    "Transmitral Doppler and tissue velocity imaging are consistent with normal LV diastolic "
    "function.",
    "There is borderline pulmonary artery systolic pressure.",
)
_TTE = Phrase("TTE", PhraseKind.PROCEDURE, "echo", form=Form.SHORT, proper="TTE")
_NO = ("No {list} is seen.", "There is no {list}.", "No {list}.", "There is no evidence of {list}.")


def tracing(scribe: NoteAuthor, must: str) -> Text:
    """The reading of an electrocardiogram: short."""
    stay, dice = scribe.stay, scribe.dice
    told = _told(scribe, "ecg", must)
    rows = [scribe.known.conditions[i.row].icd10 for i in stay.illnesses]
    text: Text = []
    if not any(code.startswith(("I47", "I48", "I44.2", "I46", "Z95.0")) for code in rows):
        extend(text, scribe.one_of(_RHYTHMS))
    for sentence in told:
        extend(text, " " if text else "", sentence)
    for line in dice.some(_TRACINGS, dice.between(1, 3)):
        extend(text, " " if text else "", line)
    denied = _absent(scribe, "ecg")
    if denied and dice.chance(0.4):
        extend(text, " ", _denial(scribe, denied[:2]))
    before = stay.admitted.replace(year=stay.admitted.year - dice.below(3), day=1)
    extend(text, " ", scribe.say(dice.pick(_COMPARED), when=scribe.on(before, "numeric")))
    if dice.chance(0.3):
        extend(
            text, " ", scribe.sentence("{it} read by ", it=scribe.procedure("electrocardiogram"))
        )
        extend(text, scribe.signature(), ".")
    return [*scribe.smudged(text), "\n\n"]


def echocardiogram(scribe: NoteAuthor, when: datetime, must: str) -> tuple[Text, StudyImpression]:
    """The report of an echocardiogram, and its conclusions for others to quote."""
    stay, dice = scribe.stay, scribe.dice
    v = stay.vitals
    indication: Text = (
        [scribe.symptom(stay.complaints[0])] if stay.complaints else ["Left ventricular function"]
    )
    if stay.ruled_out and dice.chance(0.4):
        suspected = scribe.condition(stay.ruled_out[0], PhraseAssertion.UNCERTAIN)
        indication = ["? ", suspected]
    text: Text = ["PATIENT/TEST INFORMATION:\nIndication: "]
    extend(
        text,
        indication,
        f".\nHeight: (in) {dice.between(60, 74)}\nWeight (lb): {dice.between(110, 260)}\n"
        f"BSA (m2): {dice.real(1.5, 2.3):.2f} m2\n",
        scribe.say("{+blood_pressure|BP}"),
        f" (mm Hg): {v.systolic}/{v.diastolic}\n"
        f"HR (bpm): {v.pulse}\nStatus: Inpatient\nDate/Time: ",
        scribe.on(when, "numeric"),
        f" at {when.hour:02d}:{when.minute:02d}\nTest: ",
        scribe.procedure("echo"),
        "\nDoppler: Full Doppler and color Doppler\nContrast: None\nTechnical Quality: ",
        dice.pick(("Adequate", "Suboptimal", "Good")),
        "\n\n\nINTERPRETATION:\n\n",
        _measurements(scribe),
        "\nFindings:\n\n",
    )
    for chamber, lines in _CHAMBERS.items():
        extend(text, chamber, ": ", scribe.say(dice.pick(lines)), "\n\n")
    conclusions: Text = []
    told = _told(scribe, "echo", must)
    for line in dice.some(beside(_CONCLUSIONS, told), dice.between(4, 6)):
        extend(conclusions, line, " ")
    for sentence in told:
        extend(conclusions, sentence, " ")
    denied = _absent(scribe, "echo")
    if denied:
        extend(conclusions, _denial(scribe, denied[:3]))
    extend(text, "Conclusions:\n", conclusions, "\n")
    if dice.chance(0.5):
        extend(
            text,
            "\nIMPRESSION: ",
            told[0] if told else ["No significant valvular disease."],
            " Compared with the prior study (images reviewed) of ",
            scribe.on(stay.admitted.replace(year=stay.admitted.year - 1, day=1), "numeric"),
            ", findings are similar.\n",
        )
    if dice.chance(0.4):
        extend(
            text, "Preliminary findings were communicated to Dr. ",
            identity.doctor(stay.patient.doctor), ".\n",
        )  # fmt: skip
    quoted: Text = told[0] if told else ["LVEF>55%, no significant valvular disease."]
    return scribe.smudged(text), StudyImpression(_TTE, scribe.on(when, "short"), quoted)


_MEASURED = (
    ("Left Atrium - Long Axis Dimension", 3.1, 4.0, "<= 4.0 cm"),
    ("Left Atrium - Four Chamber Length", 4.2, 5.2, "<= 5.2 cm"),
    ("Right Atrium - Four Chamber Length", 4.0, 5.0, "<= 5.0 cm"),
    ("Left Ventricle - Septal Wall Thickness", 0.7, 1.1, "0.6 - 1.1 cm"),
    ("Left Ventricle - Inferolateral Thickness", 0.7, 1.1, "0.6 - 1.1 cm"),
    ("Left Ventricle - Diastolic Dimension", 4.0, 5.6, "<= 5.6 cm"),
    ("Left Ventricle - Systolic Dimension", 2.4, 3.8, ""),
    ("Aorta - Sinus Level", 2.6, 3.6, "<= 3.6 cm"),
    ("Aorta - Ascending", 2.5, 3.4, "<= 3.4 cm"),
)


def _measurements(scribe: NoteAuthor) -> Text:
    """The table of dimensions; what is abnormal is told in words."""
    rows = [
        f"{name}: {scribe.dice.real(low, high):.1f} cm" + (f" (nl {normal})" if normal else "")
        for name, low, high, normal in _MEASURED
        if scribe.dice.chance(0.85)
    ]
    return ["Measurements:\n", "\n".join(rows), "\n"]


def _told(scribe: NoteAuthor, where: Literal["ecg", "echo"], must: str) -> list[Text]:
    told: list[Text] = []
    for illness in scribe.stay.illnesses:
        row = scribe.known.conditions[illness.row]
        naming, signs = row.reported.get(where, ()), row.findings.get(where, ())
        if not (naming or signs) or not _may_tell(illness, where):
            continue
        sure = illness.row == must
        if naming and (sure or scribe.dice.chance(0.6)):
            plain = [sentence for sentence in naming if not is_hedged(sentence)]
            chosen = scribe.dice.pick(plain if sure and plain else naming)
            it = scribe.illness(illness, certainty(chosen))
            told.append(scribe.of_table((chosen,), it=it))
        elif signs and scribe.dice.chance(0.6):
            told.append(scribe.of_table(signs))
    return told


def _may_tell(illness: Illness, where: str) -> bool:
    return illness.shown in (Shown.FULL, Shown.VAGUE) or illness.place == where


def _absent(scribe: NoteAuthor, where: Literal["ecg", "echo"]) -> list[str]:
    rows = [
        row.id
        for row in scribe.known.conditions.values()
        if where in row.reported and row.id not in scribe.stay.present and row.kind != "status"
    ]
    return scribe.dice.some(rows, 3)


def _denial(scribe: NoteAuthor, rows: Sequence[str]) -> Text:
    items: list[Piece | Text] = [scribe.condition(row, PhraseAssertion.NEGATED) for row in rows]
    return scribe.sentence(scribe.dice.pick(_NO), list=listed(items, last=" or "))
