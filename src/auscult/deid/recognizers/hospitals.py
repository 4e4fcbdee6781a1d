"""Hospitals, clinics and nursing homes by name; not "the hospital", nor a department."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from auscult.deid.capitalized_words import CapitalizedWord, is_wrapped
from auscult.deid.lexicon import lines
from auscult.deid.phi_span import PhiKind, PhiSpan
from auscult.deid.recognizers.contract import NoteView
from auscult.deid.recognizers.departments import general, without_departments
from auscult.deid.recognizers.landmarks import is_fort

_HEADS = frozenset((
    "hospital", "hospitals", "clinic", "clinics", "infirmary", "hospice", "manor", "sanatorium",
    "rehabilitation", "rehab", "center", "centre", "centers", "regional", "memorial",
    "healthcare", "health", "house", "home", "homes", "care", "village", "lodge", "institute",
    "campus", "pavilion", "terrace",
))  # fmt: skip
_STRONG = frozenset((
    "hospital", "hospitals", "clinic", "infirmary", "hospice", "manor", "sanatorium",
    "rehabilitation", "regional", "healthcare",
))  # fmt: skip
"""Words after which the preceding name is a hospital, whatever precedes it."""
_CAMPUS = re.compile(
    r"\b[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)*,? (?:main|east|west|north|south) campus\b"
)
_FROM = re.compile(
    r"(?:\b(?:transfer(?:red)?|transferred in|presented|present(?:ing|s)|went|sent|taken|brought"
    r"|biba|bibems|came|arrived|arrives|referred"
    r"|admitted|discharged?|hospitalized|seen|evaluated|intubated|treated|living|resident"
    r"|stay(?:ed|ing)?|bed|"
    r"placement|returned?|d/c(?:'?d)?)"
    r"(?:\s+\w+){0,3}?\s+(?:from|to|at)|resident of|facility:|rehab:|hospital:"
    r"|nursing home:)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_BEFORE = frozenset(("from", "to", "at", "of", "the", "facility:", "rehab:", "hospital:", "home:"))
_LEADING = frozenset((
    "the", "this", "his", "her", "your", "our", "in", "to", "at", "lives", "lived", "resides",
    "transferred", "admitted", "discharged", "seen", "from",
))  # fmt: skip
_SAINT = re.compile(r"\b(?:St|Saint)\.?\s+[A-Z][\w]+(?:['’]s)\b")
_LINKS = (
    " ",
    "\n",
    " of ",
    " at ",
    " & ",
    " and ",
    "\nof ",
    " of\n",
    "\nat ",
    " at\n",
    " of the ",
    "’s ",
    "'s ",
)


_CLINICAL = frozenset((
    "icu", "micu", "sicu", "ticu", "tsicu", "nicu", "picu", "cvicu", "cticu", "pacu", "osh", "snf",
    "ltac", "ltach", "ems", "cath", "mri", "cxr", "usa", "vac", "rehab", "asap", "ama", "pod",
    "bid", "tid", "qid", "npo", "dnr", "ecf", "alf", "irf", "apc", "obs", "csru", "nsicu", "tcu",
    "ccu", "cdu", "pcp", "vna", "afib", "rvr", "room", "cpap", "bipap", "ekg", "ecg", "ercp",
))  # fmt: skip
_SHORTEST, _LONGEST = 3, 6
_STOPS_BEFORE = frozenset(("from", "to", "at", "in"))
_STOPS = _STOPS_BEFORE | {
    "the", "and", "was", "is", "of", "with", "for", "by", "an", "a", "patient", "pt", "on", "or",
    "transferred", "admitted", "sent", "taken", "seen", "left", "out", "this", "that", "same",
}  # fmt: skip


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(lines("hospitals"))


class HospitalRecognizer:
    """Hospitals and homes that are named."""

    name = "hospitals"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The hospitals of a note."""
        text, words = sight.text, sight.words
        if "campus" in text:
            for match in _CAMPUS.finditer(text):
                yield PhiSpan(*match.span(), PhiKind.HOSPITAL)
        if "St" in text:
            for match in _SAINT.finditer(text):
                yield PhiSpan(
                    *match.span(), PhiKind.HOSPITAL, doubt="a saint's name: a hospital or a church"
                )
        reached = 0
        abbreviations = _abbreviations()
        for at, word in enumerate(words):
            if word.begin < reached:
                continue
            if word.key in _HEADS:
                if text[word.begin : word.end].isupper():
                    found = _shouted(text, words, at) if word.key in _STRONG else None
                else:
                    found = _named(text, words, at)
            elif word.key in abbreviations and text[word.begin : word.end].isupper():
                found = PhiSpan(word.begin, word.end, PhiKind.HOSPITAL)
            elif word.before in _BEFORE:
                found = _by_context(text, words, at)
            else:
                continue
            if found is not None:
                reached = found.end
                yield found


def _named(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    first, last = at, at
    while first > 0 and at - first < 5 and _linked(text, words, first - 1):
        first -= 1
    while last + 1 < len(words) and words[last + 1].key in _HEADS and _linked(text, words, last):
        last += 1
    while first < at and words[first].key in _LEADING and not _is_the_name(words, first):
        first += 1
    begin = without_departments(text, words, first, last)
    if begin is None:
        return None
    first = begin
    keys = [word.key for word in words[first : last + 1]]
    proper = [key for key in keys if key not in general()]
    if not proper or (last > first and text[words[first].begin : words[last].end].isupper()):
        return None
    if "\n" in text[words[first].begin : words[last].begin] and keys[0] not in proper:
        return None  # the end of one line and the heading of the next
    if not _STRONG & set(keys) and not (
        "center" in keys and {"medical", "health", "nursing", "cancer"} & set(keys)
    ):
        before = text[max(0, words[first].begin - 60) : words[first].begin]
        if not ("extended" in keys or "nursing" in keys or _FROM.search(before)):
            return None
    return PhiSpan(words[first].begin, words[last].end, PhiKind.HOSPITAL)


def _is_the_name(words: list[CapitalizedWord], first: int) -> bool:
    """Whether `The` is part of a name, as in The Orchards."""
    return words[first].key == "the" and words[first + 1].key not in general()


def _by_context(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    """A name of several words where one is told where the patient was or went."""
    word = words[at]
    if not _FROM.search(text[max(0, word.begin - 60) : word.begin]):
        return None
    last = at
    while last + 1 < len(words) and last - at < 5 and _linked(text, words, last):
        last += 1
    begin = without_departments(text, words, at, last)
    if begin is None or (last == at + 1 and is_fort(text, words, at)):
        return None
    at, word = begin, words[begin]
    keys = [one.key for one in words[at : last + 1]]
    proper = [key for key in keys if key not in general()]
    shown = text[word.begin : words[last].end]
    if proper and last == at and shown.isupper():
        return _abbreviated(text, word)
    if not proper or shown.isupper() or (last == at and text[word.end : word.end + 1] == "'"):
        return None
    if last == at:
        if word.flags:
            return None  # a person, or a word
        return PhiSpan(
            word.begin,
            word.end,
            PhiKind.HOSPITAL,
            doubt="one word where a hospital name may be",
            hide=False,
        )
    return PhiSpan(word.begin, words[last].end, PhiKind.HOSPITAL)


def _abbreviated(text: str, word: CapitalizedWord) -> PhiSpan | None:
    """Capitals where a hospital may stand, unless all around them is in capitals."""
    cue = text[max(0, word.begin - 8) : word.begin].split()
    known = word.key in _CLINICAL or not _SHORTEST <= len(word.key) <= _LONGEST
    if known or word.flags or (cue and cue[-1].isupper()):
        return None
    doubt = "capitals where a hospital name may be"
    return PhiSpan(word.begin, word.end, PhiKind.HOSPITAL, doubt=doubt, hide=False)


def _shouted(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    """A hospital in capitals, in doubt: where its name begins is hard to say."""
    first = at
    while first and at - first < 3 and text[words[first - 1].end : words[first].begin] == " ":
        if words[first - 1].key in _STOPS:
            break
        first -= 1
    keys = [word.key for word in words[first:at]]
    if all(key in general() for key in keys) or not text[words[first].begin].isupper():
        return None
    told = first > 0 and words[first - 1].key in _STOPS_BEFORE
    doubt = "words in capitals that may be a hospital"
    return PhiSpan(words[first].begin, words[at].end, PhiKind.HOSPITAL, doubt=doubt, hide=told)


def _linked(text: str, words: list[CapitalizedWord], at: int) -> bool:
    """Whether a word and the next belong to one name."""
    gap = text[words[at].end : words[at + 1].begin]
    if "\n" in gap and not is_wrapped(text, text.index("\n", words[at].end)):
        return False
    return gap in _LINKS or (gap in (". ", ".\n") and words[at].key == "st")
