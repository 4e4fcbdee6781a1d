"""Where a sentence begins behind the initial of a title: `Dr. A. The patient slept`.

He, Her, On and The are surnames too. Such a word is let go only before what no clinician is said
to be or do; wherever both can be meant, as in `Dr. A. He saw her`, it is hidden.
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
_PARTS = r"size|silhouette|fields|bases|volumes|structures|effusions?|contours?|vasculature|pattern"
_CLAUSE = rf"(?:patient|pt|(?:{_NOUNS})(?: (?:{_PARTS}))? {_IS})"
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
_OPENERS = {
    "he": _VERBS,
    "she": _VERBS,
    "they": _VERBS,
    "it": r"(?:was|is) (?:decided|thought|felt|unclear|noted|found|recommended)",
    "the": _CLAUSE,
    "this": _CLAUSE,
    "his": _CLAUSE,
    "her": rf"(?:{_NOUNS}) {_IS}",
    "our": _CLAUSE,
    "patient": _VERBS,
    "with": rf"(?:this|these|treatment|antibiotics){_GOES_ON}",
    "after": rf"(?:this|discharge|surgery|treatment|admission){_GOES_ON}",
    "on": rf"(?:(?:physical )?exam(?:ination)?|admission|arrival|discharge){_GOES_ON}",
    "in": rf"(?:summary|addition|conclusion|brief){_GOES_ON}",
    "there": (
        r"(?:was|were|is|are|has been|have been) (?:no|an?|also|some|mild|minimal|moderate"
        r"|persistent|stable|evidence|increased|decreased)"
    ),
    "no": r"evidence|acute|focal|pleural|significant|fractures?|signs?",
}
_BEHIND = {key: re.compile(rf"\s(?:{words})\b(?!['’-])") for key, words in _OPENERS.items()}


def begins_sentence(text: str, word: CapitalizedWord) -> bool:
    """Whether a word behind an initial surely begins a sentence instead of being the surname."""
    behind = _BEHIND.get(word.key)
    spelled = text[word.begin : word.end]
    return behind is not None and spelled.istitle() and behind.match(text, word.end) is not None
