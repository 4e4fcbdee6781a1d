"""What stands around names: titles, credentials, labels, relatives, and what people do."""

from __future__ import annotations

import re

TITLES = frozenset((
    "mr", "mrs", "ms", "miss", "mister", "dr", "drs", "prof", "professor", "doctor", "rev",
    "fr", "sra", "dra", "sr", "don",
))  # fmt: skip
WORD_TITLES = frozenset(("doctor", "miss", "don", "sr", "fr"))
PARTICLES = frozenset((
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le",
    "los", "las", "st", "mac", "al", "el", "bin", "ibn", "ben", "ter", "ten",
))  # fmt: skip
SMALL_PARTICLES = re.compile(
    r" (?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|y|bin) ){1,2}"
)
CREDENTIAL = re.compile(
    r"""(?:,\s*(?:M\.?D|D\.?O|R\.?N|Ph\.?D|N\.?P|P\.?A(?:-C)?|R\.?D|R\.?T|R\.?R\.?T|P\.?T
    |D\.?P\.?T|O\.?T
        |O\.?T\.?R|L\.?P\.?N|LICSW|LCSW|MSW|CRNA|PharmD|DDS|DMD|DPM|RPh|SLP|CNM|CNS|MPH|MBBS|APRN
        |CNP|BSN
        |MSN|LDN|PsyD|OD|CCC|ESQ)
        |\s+(?:M\.?D|R\.?N|Ph\.?D|LICSW|MBBS|APRN|PharmD))\b""",
    re.VERBOSE | re.IGNORECASE,
)
CREDENTIAL_WORDS = frozenset((
    "m", "d", "r", "n", "p", "o", "l", "md", "do", "rn", "phd", "ph", "np", "pa", "pac", "rd",
    "rt", "rrt", "pt", "dpt", "ot", "otr", "lpn", "licsw", "lcsw", "msw", "crna", "pharmd",
    "dds", "dmd", "dpm", "rph", "slp", "cnm", "cns", "mph", "mbbs", "aprn", "cnp", "bsn", "msn",
    "ldn", "psyd", "od", "ccc", "esq",
))  # fmt: skip
WEAK_CREDENTIAL = re.compile(r",\s*(?:P\.?T|O\.?T|R\.?T|R\.?D|O\.?D|P\.?A|D\.?O|CCC)\b")
KIN = frozenset((
    "wife", "husband", "spouse", "partner", "son", "daughter", "mother", "father", "mom", "dad",
    "parent", "sister", "brother", "niece", "nephew", "aunt", "uncle", "cousin", "grandson",
    "granddaughter", "grandmother", "grandfather", "grandchild", "grandma", "grandpa", "fiance",
    "fiancee", "fiancé", "fiancée", "girlfriend", "boyfriend", "friend", "neighbor",
    "neighbour", "roommate", "caregiver", "guardian", "stepson", "stepdaughter", "stepmother",
    "stepfather", "son-in-law", "daughter-in-law", "mother-in-law", "father-in-law",
    "sister-in-law", "brother-in-law", "hcp", "proxy", "nok", "kin",
))  # fmt: skip
KIN_OR_NAMED = KIN | {"is", "named", "called"}
KIN_WORD = rf"(?:{'|'.join(sorted(KIN, key=len, reverse=True))})"
KIN_NAMED = re.compile(
    rf"\b{KIN_WORD}(?:['’]s name)?(?: is| named| called| is named)\s+$", re.IGNORECASE
)
KIN_AFTER = re.compile(
    rf"(?:\s*\(|,\s*|\s+is\s+)(?:(?:his|her|the|pt['’]?s?|patient['’]s)\s+)?{KIN_WORD}\b",
    re.IGNORECASE,
)
# A label with its colon: whatever name stands behind it is one.
LABEL = re.compile(
    r"\b(?:name|patient|pt|attending|physician|provider|doctor|surgeon|assistant|resident|fellow"
    r"|pcp|author"
    r"|nurse|rn|therapist|dietitian|radiologist|cardiologist|anesthesiologist|pathologist|by"
    r"|signed|referring|cc"
    r"|contact|nombre|apellidos|m[ée]dico|remitido por)(?: (?:name|physician|md|provider"
    r"|signature))?\s*:\s*$",
    re.IGNORECASE,
)
BY = frozenset((
    "by", "per", "d/w", "paged", "called", "notified", "informed", "phoned", "rn",
    "nurse", "dear", "hi", "hello", "sincerely", "thank",
))  # fmt: skip
WITH = frozenset(("with", "to", "from", "w/"))
"""Words that precede names but also other words."""
PERSON_AFTER = re.compile(
    r"\s+(?:denies|denied|reports|reported|states|stated|complains|endorses|says|said|admits"
    r"|called|phoned"
    r"|visited|visiting|in to visit|is a \d|is an? \w+ \d|was admitted|lives|updated|notified"
    r"|at bedside|aware"
    r"|will be in|helps|works|wishes|requests|verbalized|teary|demonstrates)\b"
)
COUNTED = re.compile(r"\s*#?\d")
"""A number after a word: Day 1, Long 5."""
LOWER_TITLE = re.compile(r"[dm](?<!\w.)(?:r|rs|s|iss)(?:\.\s*|\s+)([a-z][a-z'’-]{2,})")
LOWER_WORDS = frozenset((
    "frank", "nick", "jack", "rob", "bob", "peter", "dick", "john", "carol", "victor", "jean",
))  # fmt: skip
"""Names that are ordinary words in lower case."""
CAPITALS = frozenset(("MD", "RN", "DO", "NP", "PA", "RD", "RT", "PT", "OT", "ICU", "ED"))
CHAIN, SHORTEST = 4, 3
HEADINGS = frozenset((
    "neuro", "resp", "cardiac", "chief", "brief", "plan", "assessment", "labs", "social",
    "allergies", "impression", "findings", "events",
))  # fmt: skip
