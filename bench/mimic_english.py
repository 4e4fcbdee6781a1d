"""The English of simulated charts: real codes in some wordings, sentences of hospital notes.

The codes are drawn from the table of ICD-9-CM that comes with the packages. A code's phrases are
its description without what notes leave out, a shorter form of it, and one in another order. A
phrase stands in a sentence: of a code that the chart has, mostly a plain one; of another code, half
of the time one that denies it or speaks of a relative. All other text is stock sentences, of which
frequent ones come again and again, with names that are made up.
"""

from __future__ import annotations

import re

import numpy as np

from auscult.codes.tables import table_of

SYSTEM = "ICD-9-CM"
OWN = (
    "The patient has", "Diagnosis:", "He was treated for", "She was admitted with", "Problem:",
    "Known", "Imaging was consistent with", "The course was complicated by", "Assessment:",
    "Followed by our service for",
)  # fmt: skip
"""What comes before a phrase of a code that the chart has."""
OTHER = (
    "No evidence of", "His father had", "The patient has", "She denies", "Ruled out for",
    "Diagnosis considered at first:", "Negative for", "Problem discussed:",
)  # fmt: skip
"""What comes before a phrase of a code that it does not have."""
_LEFT_OUT = re.compile(
    r"\s*\([^)]*\)|\[[^\]]*\]|,? (?:not elsewhere classified|not otherwise specified|"
    r"not stated as[^,]*|without mention of [^,]*|unspecified as to [^,]*)|"
    r",? ?of unspecified [^,]*|,? unspecified\b(?: (?:site|type|part|cause)\b)?|^unspecified ",
    re.IGNORECASE,
)
_SHORTER = re.compile(r",| with | without | due to | involving | in diseases ")
_SENTENCES = (
    "Vital signs on arrival: temperature {number}, heart rate {number}, blood pressure {number} "
    "over {number}, breathing {number} times a minute.",
    "He was brought in by {person} {time} after {event}.",
    "She reports {symptom} since {time}, without {symptom} or {symptom}.",
    "He denies {symptom}, {symptom} and {symptom}.",
    "{Drug} {number} mg by mouth {often}.",
    "{Drug} {number} mg intravenously {often}, last given {time}.",
    "{Drug} was held because of {reason} and started again {time}.",
    "{Drug} was stopped, and {drug} was begun at {number} mg {often}.",
    "The {lab} was {number} on admission and {number} at discharge.",
    "The {lab} rose to {number} and then came down to {number} without treatment.",
    "Repeat {lab} {time} was {number}, which is within normal limits.",
    "{Part} exam: {finding}, {finding}.",
    "{Part}: {finding}.",
    "{Study} of the {part} showed {finding} and was read by Dr. {name}.",
    "{Study} was repeated {time} and did not change.",
    "The patient was seen by {service}, who recommended {drug} and a {study} as an outpatient.",
    "{Service} was consulted {time} and agreed with the plan.",
    "She lives in {name} with {person} and used to work as a {job}.",
    "He is a retired {job} from {name}, and {person} helps him at home.",
    "Smoked {number} packs a year until {time}; drinks {number} glasses of wine a week.",
    "The family was informed {time} by Dr. {name}, and all questions were answered.",
    "Please follow up with Dr. {name} of {service} in {number} weeks.",
    "An appointment with {service} was made for {time}, telephone {number}.",
    "He was transferred to the floor {time} in stable condition.",
    "She tolerated a regular diet and walked with {person} before discharge.",
    "Home with services; physical therapy {number} times a week.",
    "Return to the emergency department for {symptom}, {symptom} or {symptom}.",
    "The wound was dressed {often} and looked clean and dry.",
    "Intake {number} ml, output {number} ml over the last {number} hours.",
    "Code status was discussed with {person} {time}.",
    "On day {number} the {lab} was checked again and {drug} was adjusted.",
    "The line in the {part} was removed {time} without difficulty.",
)
_SLOTS = {
    "person": "his wife|her daughter|a neighbor|his son|the ambulance|her sister|an aide|friends",
    "time": "this morning|last night|two days ago|yesterday|on the third day|a week ago|in March|"
    "over the weekend|shortly after arrival|before discharge|the next day|some months ago",
    "event": "feeling unwell|a visit to the clinic|slipping at home|calling for help|a long trip",
    "symptom": "chest pain|fever|chills|nausea|vomiting|cough|headache|dizziness|abdominal pain|"
    "shortness of breath|palpitations|night sweats|weight loss|leg swelling|diarrhea|rash|fatigue",
    "drug": "aspirin|metoprolol|lisinopril|furosemide|atorvastatin|vancomycin|heparin|warfarin|"
    "insulin|omeprazole|acetaminophen|morphine|levofloxacin|prednisone|amlodipine|gabapentin|"
    "albuterol|docusate|senna|potassium chloride|magnesium|ceftriaxone|lorazepam|oxycodone",
    "often": "daily|twice a day|three times a day|at bedtime|every six hours|as needed|once",
    "reason": "low pressure|a slow pulse|the procedure|drowsiness|a rising creatinine",
    "lab": "sodium|potassium|creatinine|hematocrit|white count|platelet count|glucose|lactate|"
    "bilirubin|troponin|INR|albumin|calcium|hemoglobin|urea nitrogen|bicarbonate",
    "part": "chest|abdomen|head|neck|heart|lungs|pelvis|spine|right leg|left arm|skin|right hip",
    "finding": "no acute process|soft and not tender|clear on both sides|regular rate and rhythm|"
    "no masses|warm and well perfused|alert and oriented|mild tenderness|moves freely|no change "
    "from the study before|normal tone|without lesions|unremarkable",
    "study": "radiograph|CT|ultrasound|MRI|echocardiogram|electrocardiogram|barium study",
    "service": "cardiology|nephrology|neurology|general surgery|infectious disease|physical "
    "therapy|social work|nutrition|hematology|the pain service|orthopedics|gastroenterology",
    "job": "teacher|carpenter|nurse|clerk|fisherman|driver|cook|electrician|farmer|librarian",
}  # fmt: skip
_SLOT = re.compile(r"\{(\w+)\}")
_PARTS = ("bar", "den", "fel", "gor", "hal", "ker", "lan", "mor", "nes", "per", "rin", "sul", "tor",
          "ven", "wil", "yar")  # fmt: skip


def descriptions(dice: np.random.Generator, codes: int) -> list[tuple[str, str]]:
    """So many billable codes in random order, dotted, each with its description."""
    table = table_of(SYSTEM)
    assert table is not None
    there = [one for one in table if one.billable and one.description]
    if codes > len(there):
        raise SystemExit(f"ICD-9-CM has {len(there):,} codes with a description, not {codes:,}.")
    drawn = dice.permutation(len(there))[:codes].tolist()
    return [(there[at].value, there[at].description or "") for at in drawn]


def wordings(description: str) -> tuple[str, str, str]:
    """Three ways to say a description: as it is, shorter, and in another order.

    >>> wordings("Malignant neoplasm of vulva, unspecified site")
    ('malignant neoplasm of vulva', 'malignant neoplasm of vulva', 'vulva malignant neoplasm')
    """
    said = description.replace('"', "")
    plain = " ".join(_LEFT_OUT.sub("", said).split()).strip(" ,") or said
    if not plain[1:2].isupper():
        plain = plain[0].lower() + plain[1:]
    short = _SHORTER.split(plain)[0].strip()
    if len(short.split()) < 2:
        short = plain
    first, of, rest = short.partition(" of ")
    if of:
        return plain, short, f"{rest} {first}"
    head, comma, tail = plain.partition(", ")
    if comma:
        return plain, short, f"{tail} {head}"
    *before, last = short.split()
    return plain, short, f"{last}, {' '.join(before)}" if before else short


def names(dice: np.random.Generator, many: int) -> list[str]:
    """So many different made-up names."""
    found: dict[str, None] = {}
    while len(found) < many:
        parts = dice.integers(0, len(_PARTS), dice.integers(2, 5)).tolist()
        found["".join(_PARTS[at] for at in parts).capitalize()] = None
    return list(found)


def sentences(dice: np.random.Generator, many: int, people: list[str]) -> list[str]:
    """So many stock sentences, their slots filled at random."""
    slots = {name: words.split("|") for name, words in _SLOTS.items()}

    def fill(match: re.Match[str]) -> str:
        slot = match[1]
        if slot == "number":
            return str(dice.integers(1, 200))
        if slot == "name":
            return people[dice.integers(0, len(people))]
        word = slots[slot.lower()][dice.integers(0, len(slots[slot.lower()]))]
        return word.capitalize() if slot[0].isupper() else word

    order = dice.integers(0, len(_SENTENCES), many).tolist()
    return [_SLOT.sub(fill, _SENTENCES[at]) + "\n" for at in order]
