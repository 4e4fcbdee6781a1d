"""Where a sentence begins behind the initial of a title: `Dr. A. The patient slept`.

Pronouns, articles and conjunctions that are in no list of names begin one if it goes on. He, Her,
In and Patient can be names: they are let go only before what no clinician is said to be or do, and
wherever both can be meant, as in `Dr. A. He saw her`, they are hidden.
"""

from __future__ import annotations

import re

from auscult.deid.capitalized_words import CapitalizedWord

_NOUNS = (
    r"patients?|pt|wounds?|pains?|abdomen|chest|heart|lungs?|skin|fevers?|symptoms?|rash|infants?"
    r"|baby|child|diagnosis|lesions?|tumou?r|mass|masses|biopsy|blood|urine|infection|fracture"
    r"|operation|surgery|treatment|examination|exam|temperature|weight|history|course|pregnancy"
    r"|study|scan|films?|results?|kidneys?|liver|spleen|bladder|bowel|mediastinum|bones?|airways?"
    r"|cardiac|cardiothymic|cardiomediastinal|pulmonary|pleural|renal|abdominal|osseous|visuali[sz]ed"
)
_IS = (
    r"(?:was|were|is|are|has|had|did|does|remain(?:s|ed)?|improved|resolved|show(?:s|ed)|appears?"
    r"|demonstrates?)"
)
_COMPLAINTS = (
    r"any|chest|abdominal|pains?|fevers?|chills|nausea|vomiting|cough|dyspnea|shortness|headaches?"
    r"|dizziness|weakness|trauma|allergies|smoking|alcohol|suicidal|complaints"
)
_VERBS = (
    rf"(?:denies|denied) (?:{_COMPLAINTS})|complain(?:s|ed) of (?:{_COMPLAINTS})|underwent|smokes"
    r"|drinks|slept|vomited|ambulate[sd]|lives (?:with|alone|at home)"
    r"|tolerated (?:it|this|the procedure)|put (?:her|him|them|me|the patient) on"
)
_GOES_ON = r"(?:, [a-z]+|,? (?:he|she|it|they|we|there|the|his|her|no))"
_NO_NAMES = frozenset({
    "the", "this", "that", "these", "those", "there", "then", "she", "they", "we", "it", "his",
    "our", "their", "your", "its", "after", "before", "during", "since", "if", "when", "while",
    "although", "because", "with", "without", "not", "and", "but", "at", "by", "for", "from", "of",
    "however", "otherwise",
})  # fmt: skip
"""Function words that are neither among the surnames nor among the given names of `tables`."""
_SENTENCE = re.compile(r"\s+(?:[a-z0-9(]|(?!(?:MD|DO|RN|NP|PA|PT|OT|PHD)\b)[A-Z]{2,5}\b)(?!['’-])")
"""How a sentence goes on: in lower case, or with an abbreviation that is no degree."""
_OPENERS = {
    "he": _VERBS,
    "her": rf"(?:{_NOUNS}) {_IS}",
    "patient": _VERBS,
    "in": rf"(?:summary|addition|conclusion|brief){_GOES_ON}|the\b",
    "on": rf"(?:(?:physical )?exam(?:ination)?|admission|arrival|discharge){_GOES_ON}",
    "no": (
        r"evidence|acute|focal|pleural|significant|fractures?|signs?|further|new|other|known|longer"
        r"|change|changes|complaints|family history|allergies"
    ),
}
_BEHIND = {key: re.compile(rf"\s(?:{words})\b(?!['’-])") for key, words in _OPENERS.items()}


def begins_sentence(text: str, word: CapitalizedWord) -> bool:
    """Whether a word behind an initial surely begins a sentence instead of being the surname."""
    behind = _SENTENCE if word.key in _NO_NAMES else _BEHIND.get(word.key)
    spelled = text[word.begin : word.end]
    return behind is not None and spelled.istitle() and behind.match(text, word.end) is not None
