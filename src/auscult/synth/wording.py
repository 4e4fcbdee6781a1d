"""Other ways to write a phrase of the tables: words shortened, exchanged, or in another order.

The tables have a handful of phrases for each condition. People have no such list: they write
"fx of L hip", "renal failure, chronic" and "PNA 2/2 aspiration", so that a coder trained on some
charts meets new wordings in the next. A wording that would also be one of a row with another code
is left out, so what a phrase means stays certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.note_parts import PhraseKind

_MOST = 48
"""Wordings kept of one phrase."""

_EXCHANGED: dict[str, tuple[str, ...]] = {
    "abdominal": ("abd",), "acute on chronic": ("acute-on-chronic", "A/C", "acute/chronic"),
    "anterior": ("ant",),
    "artery": ("art",), "aspiration": ("asp",), "atrial fibrillation": ("afib", "a-fib", "AFib"),
    "bilateral": ("b/l", "bilat"), "biopsy": ("bx",), "bleeding": ("bleed",),
    "cancer": ("CA", "malignancy"), "carcinoma": ("CA", "ca"), "cardiac": ("heart",),
    "catheterization": ("cath",), "cerebral": ("brain",),
    "chronic": ("chr",), "compression": ("compr",), "computed tomography": ("CT",),
    "coronary": ("cor",), "deep vein": ("deep venous",), "deficiency": ("def",),
    "dependence": ("dep",), "dependent": ("dep",), "depression": ("depr",),
    "diabetes mellitus": ("DM", "diabetes"), "diabetes": ("DM",), "diabetic": ("DM",),
    "disease": ("dz", "dis"), "disorder": ("d/o",), "due to": ("d/t", "2/2", "from"),
    "elevated": ("high", "incr"), "embolism": ("embolus", "emboli"),
    "encephalopathy": ("enceph",), "end stage": ("end-stage",),
    "exacerbation": ("exac", "flare"), "failure": ("fail",), "fracture": ("fx", "frx"),
    "gastric": ("stomach",), "gastrointestinal": ("GI",), "heart failure": ("HF",),
    "heart": ("cardiac",), "hemorrhage": ("bleed",),
    "hepatic": ("liver",), "history of": ("h/o", "hx of", "hx"), "hypercapnia": ("hypercarbia",),
    "hypertension": ("HTN",), "hypertensive": ("HTN",), "hypoxia": ("hypoxemia",),
    "hypoxic": ("hypoxemic",), "infarction": ("infarct",), "infection": ("infxn", "inf"),
    "inferior": ("inf",), "injury": ("inj",), "insertion": ("placement",),
    "insufficiency": ("insuff",), "ischemic": ("isch",), "kidney": ("renal",),
    "laceration": ("lac",), "left": ("L", "lt", "Lt"), "liver": ("hepatic",),
    "lower extremity": ("LE",), "lung": ("pulm",), "malignant": ("malig",),
    "malnutrition": ("malnourishment",), "mechanical": ("mech",), "metastases": ("mets",),
    "metastasis": ("mets", "met"), "metastatic": ("met",), "moderate": ("mod",),
    "myocardial infarction": ("MI",), "neoplasm": ("tumor",),
    "neuropathy": ("neurop",), "obstruction": ("obstr",), "obstructive": ("obstr",),
    "osteoarthritis": ("OA", "DJD"), "perforation": ("perf",), "peripheral": ("periph",),
    "placement": ("insertion",), "pneumonia": ("PNA", "pna"), "pneumothorax": ("PTX",),
    "posterior": ("post",), "pressure": ("press",), "pulmonary": ("pulm",),
    "recurrent": ("recurr", "repeat"), "regurgitation": ("regurg", "insufficiency"),
    "renal": ("kidney",), "repair": ("rpr",), "replacement": ("repl",),
    "respiratory": ("resp",), "right": ("R", "rt", "Rt"), "secondary to": ("2/2", "d/t"),
    "severe": ("sev",), "stage": ("st", "stg"),
    "status post": ("s/p",), "stenosis": ("narrowing",), "syndrome": ("synd",),
    "tachycardia": ("tachy",), "thrombosis": ("thrombus", "clot"), "thyroid": ("thyr",),
    "transfusion": ("txfusion",), "transplant": ("txp", "xplant"), "traumatic": ("trauma",),
    "type 1": ("type I", "T1"), "type 2": ("type II", "T2"), "ulcer": ("ulceration",),
    "ultrasound": ("US", "u/s"), "unspecified": ("NOS",), "upper extremity": ("UE",),
    "urinary": ("urin",), "vascular": ("vasc",), "venous": ("ven",),
    "ventilation": ("vent",), "ventricular": ("vent",), "vertebral": ("vert",),
    "withdrawal": ("w/d",), "without": ("w/o",), "with": ("w/",),
}  # fmt: skip
_STAGES = {"1": "I", "2": "II", "3": "III", "4": "IV", "5": "V"}
_LEADING = re.compile(
    r"(acute on chronic|acute|chronic|severe|moderate|recurrent|bilateral|left|right|persistent|"
    r"paroxysmal|unstable|morbid|essential|secondary|diffuse|community-acquired|end-stage) (.+)"
)
_OF = re.compile(r"([\w-]+) of (?:the )?([\w -]+)")
_TURNED = frozenset((
    "fracture", "stenosis", "cancer", "carcinoma", "metastasis", "metastases", "thrombosis",
    "embolism", "infection", "laceration", "cellulitis", "ulcer", "osteomyelitis", "hemorrhage",
    "abscess", "perforation", "obstruction", "osteoarthritis", "injury", "edema", "replacement",
    "transplant", "biopsy", "repair", "contusion", "dislocation", "aneurysm", "dissection",
    "drainage", "resection", "neuropathy", "cirrhosis", "candidiasis", "prolapse", "disease",
))  # fmt: skip
"""Nouns of which "of the hip" and "hip" before it say the same."""
_ADJECTIVES = ("ic", "al", "ous", "ary", "ar")
_SLOT = re.compile(
    r"\b(?:stage|type|class|grade) [1-5]\b|"
    + "|".join(rf"\b{re.escape(words)}\b" for words in sorted(_EXCHANGED, key=len, reverse=True))
)


class _Forms(NamedTuple):
    """Phrases of a row that mean the same code, and short forms that do."""

    kind: PhraseKind
    row: str
    code: str
    forms: tuple[str, ...]
    short: tuple[str, ...] = ()


class Wordings:
    """For each phrase of the tables how else it may be written."""

    def __init__(self, known: ClinicalTables) -> None:
        rows = _forms(known)
        sites = _sites(known)
        taken: dict[str, set[str]] = {}
        for term in known.terms.values():
            _own(taken, term.id, (term.name, *term.synonyms, *term.abbreviations))
        made = {
            (item.kind, item.row, form): (*reworded(form, sites), *_both(form, item.short))
            for item in rows
            for form in item.forms
        }
        for item in rows:
            _own(taken, item.code, (*item.forms, *item.short))
            for form in item.forms:
                _own(taken, item.code, made[item.kind, item.row, form])
        self._found = {
            key: tuple(wording for wording in wordings if len(taken[wording.lower()]) == 1)
            for key, wordings in made.items()
        }

    def of(self, kind: PhraseKind, row: str, form: str) -> tuple[str, ...]:
        """Other wordings of one of a row's phrases; none when there are none that are sure."""
        return self._found.get((kind, row, form), ())


def _forms(known: ClinicalTables) -> list[_Forms]:
    rows = []
    for row in known.conditions.values():
        named = (row.name, *row.synonyms)
        rows.append(_Forms(PhraseKind.CONDITION, row.id, row.icd10, named, row.abbreviations))
        vague = tuple(form for form in row.vague if form not in named)
        # A vague phrase is coded less exactly and must not become an exact one.
        less = known.conditions[row.less_specific].icd10 if row.less_specific else f"?{row.id}"
        rows.append(_Forms(PhraseKind.CONDITION, row.id, less, vague))
    for symptom in known.symptoms.values():
        named = (symptom.name, *symptom.synonyms)
        short = symptom.abbreviations
        rows.append(_Forms(PhraseKind.SYMPTOM, symptom.id, symptom.icd10, named, short))
    for done in known.procedures.values():
        named = (done.name, *done.synonyms)
        rows.append(_Forms(PhraseKind.PROCEDURE, done.id, done.id, named, done.abbreviations))
    return rows


def _own(taken: dict[str, set[str]], code: str, forms: Iterable[str]) -> None:
    for form in forms:
        taken.setdefault(form.lower(), set()).add(code)


def _sites(known: ClinicalTables) -> frozenset[str]:
    return frozenset(
        name.lower()
        for term in known.terms.values()
        if term.type.startswith("Body P") or term.type == "Body Location or Region"
        for name in (term.name, *term.synonyms)
        if not name.endswith(_ADJECTIVES)
    )


def reworded(form: str, sites: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Other ways to write a phrase, the same ones in the same order every time.

    >>> {"fx of the L hip", "left hip fx"} <= set(reworded("fracture of the left hip"))
    True
    >>> reworded("acute prostatitis")
    ('prostatitis, acute',)
    """
    found: dict[str, None] = {}
    for ordered in _orders(form, sites):
        for wording in _exchanged(ordered, alone=" " not in form):
            if wording != form:
                found.setdefault(wording)
    return tuple(_spread(list(found)))


def _both(form: str, shorts: Sequence[str]) -> list[str]:
    """The phrase with its short form behind it.

    >>> _both("coronary artery disease", ["CAD"])
    ['coronary artery disease (CAD)']
    """
    if len(form.split()) < 2:
        return []
    return [f"{form} ({short})" for short in shorts[:2] if short.isupper() and short not in form]


def _orders(form: str, sites: frozenset[str]) -> list[str]:
    """The phrase with its words in the orders that say the same."""
    orders = [form]
    if match := _LEADING.fullmatch(form):
        orders.append(f"{match[2]}, {match[1]}")
    if (match := _OF.fullmatch(form)) and match[1] in _TURNED and len(match[2].split()) < 4:
        orders.append(f"{match[2]} {match[1]}")
    head, _, last = form.rpartition(" ")
    if last in _TURNED and head.removeprefix("left ").removeprefix("right ") in sites:
        orders += [f"{last} of the {head}", f"{last} of {head}"]
    if "-" in form:
        orders.append(form.replace("-", " "))
    return orders


def _exchanged(form: str, *, alone: bool) -> list[str]:
    """The phrase with any of its words exchanged; a phrase of one word stays what it is."""
    if alone:
        return []
    choices: list[tuple[str, ...]] = []
    done = 0
    for match in _SLOT.finditer(form):
        words = match[0]
        if words in _EXCHANGED:
            other = _EXCHANGED[words]
        else:
            kind, _, number = words.partition(" ")
            other = (f"{kind} {_STAGES[number]}", f"{_short(kind)} {number}")
        choices += [(form[done : match.start()],), (words, *other)]
        done = match.end()
    choices.append((form[done:],))
    # Three words exchanged at once are more than anyone needs to read.
    return [
        "".join(words)
        for words in product(*choices)
        if sum(word != usual[0] for word, usual in zip(words, choices, strict=True)) < 4
    ]


def _short(kind: str) -> str:
    shorts: Mapping[str, tuple[str, ...]] = _EXCHANGED
    return shorts.get(kind, (kind,))[0]


def _spread(wordings: list[str]) -> list[str]:
    """At most so many of the wordings, evenly from all."""
    if len(wordings) <= _MOST:
        return wordings
    return [wordings[at * len(wordings) // _MOST] for at in range(_MOST)]
