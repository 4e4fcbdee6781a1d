"""Streets, towns, states, post codes and employers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from auscult.deid.capitalized_words import CapitalizedWord, is_wrapped
from auscult.deid.disambiguation import is_thing
from auscult.deid.lexicon import AMBIGUOUS, NAME, WORD, countries, states, towns
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers.contract import NoteView
from auscult.deid.recognizers.landmarks import LANDMARKS, landmark, small_forts
from auscult.deid.recognizers.name_cues import TITLES

_STREET = re.compile(
    r"""\d(?<![\w/.,-]\d)\d{0,4}[A-Z]?\s+(?:(?:[NSEW]\.?|North|South|East|West)\s+)?
        (?:(?:[A-Z][\w'’-]*\.?|\d{1,3}(?:st|nd|rd|th)|of|the)\s+){1,4}?
        (?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Boulevard|Blvd|Way
        |Terrace
        |Ter|Circle|Cir|Highway|Hwy|Parkway|Pkwy|Square|Sq|Trail|Turnpike|Row|Alley|Path)\b\.?
        (?:,?\s+(?:Apt|Apartment|Unit|Suite|Ste|Floor|Fl|\#)\.?\s*\#?\s*[\dA-Z-]{1,5}\b)?""",
    re.VERBOSE,
)
_BOX = re.compile(r"\bP\.?\s?O\.?\s+Box\s+\d+", re.IGNORECASE)
_ZIP = re.compile(r"\d(?<![\w.,/-]\d)\d{4}(?:-\d{4})?(?![\w%]|[.,-]\d)")
_ZIP_LABEL = re.compile(r"(?:\b(?:zip(?: code)?|postal code|CP|C\.P\.)\s*[:.]?\s*)$", re.IGNORECASE)

_LIVES = re.compile(
    r"\b(?:liv(?:es?|ed|ing)|resid(?:es?|ed|ing)|resident|born|raised|moved|moving|native"
    r"|grew up|house"
    r"|home|apartment|condo|originally|hails|immigrated|stay(?:s|ed|ing)|visiting|visited"
    r"|travel(?:s|ed"
    r"|led|ing)?|trip|returned|vacation)\b[^.;:\n]*(?:\n[^.;:\n]*)?\b(?:in|at|of|from|to|near"
    r"|outside)\s+"
    r"(?:the\s+)?$",
    re.IGNORECASE,
)
_LIVES_THERE = re.compile(
    r"\b(?:lives?|lived|living|resides?|resident|residing|born|raised|native|grew up|moved)\b"
    r"[^.;:\n]{0,20}\b(?:in|of|from|near|to|outside)\s+$",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:works?|worked|working|formerly|employed|employer|job|retired|position"
    r"|owns?)\b(?:\s+\w+){0,4}?"
    r"[\s:]+(?:at|for|by|from|with|of)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_NEAR = frozenset(("in", "from", "near", "of", "to", "at", "outside", "for", "by", "with", "the"))
_MARKS = (",", "-")
_BEFORE_LISTED = frozenset(("in", "from", "near", "outside", "of", "to", "around", "visiting"))
_BEFORE_TOWN = frozenset(("in", "from", "near", "outside"))
# The town behind a home's name: "Facility:\nCedar Manor - Springfield".
_FACILITY = re.compile(r"(?:facility|rehab|nursing home):\s+[^\n]{3,50} - $", re.IGNORECASE)
_CREDENTIALS = frozenset(("MD", "PA", "MS", "MA"))
_LINKS = (["&"], ["of"], ["and"], ["at"])
_LONGEST = 70
_HEADS = frozenset((
    "heights", "falls", "bay", "hill", "hills", "mills", "harbor", "harbour", "creek",
    "corners", "junction", "landing", "point", "springs", "beach", "grove", "village",
    "township", "county", "valley", "lake", "lakes", "island", "city", "bridge", "crossing",
    "ridge", "gardens", "hollow",
))  # fmt: skip
_FORES = frozenset((
    "fort", "ft", "saint", "st", "glen", "new", "north", "south", "east", "west", "upper",
    "lower", "mount", "mt", "port", "lake", "san", "santa", "los", "el", "la",
))  # fmt: skip
_TOWNLIKE = re.compile(
    r"\w{3,}(?:ville|burgh?|bury|field|ford|port|mouth|chester|wick|wich|shire|haven|brook"
    r"|hollow|marsh"
    r"|bridge|castle|dale|hurst|leigh|moor|vale|stead|borough|boro|town|ington|ham|land)$"
)
_NO_TOWN = frozenset((
    "icu", "micu", "sicu", "ccu", "er", "ed", "or", "pacu", "snf", "rehab", "medicine",
    "cardiology", "surgery", "home", "floor", "tx", "the", "your", "his", "her", "monday",
    "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", *TITLES,
))  # fmt: skip


class PlaceRecognizer:
    """Where people live and work."""

    name = "places"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The places of a note, but for hospitals."""
        text = sight.text
        street_ends = set()
        for match in _STREET.finditer(text):
            street_ends.add(match.end())
            yield PhiSpan(*match.span(), PhiKind.LOCATION, PhiPart.STREET)
        if "ox " in text:
            for match in _BOX.finditer(text):
                yield PhiSpan(*match.span(), PhiKind.LOCATION, PhiPart.STREET)
        yield from small_forts(text)
        ends = set(street_ends)
        for found in _worded(sight, street_ends):
            ends.add(found.end)
            yield found
        for match in _ZIP.finditer(text):
            before = text[max(0, match.start() - 18) : match.start()]
            after_state = before.rstrip(" ,")[-2:] in _abbreviations() and before[-1:].isspace()
            near_place = match.start() - len(before) + len(before.rstrip(" ,")) in ends
            if after_state or near_place or _ZIP_LABEL.search(before):
                yield PhiSpan(*match.span(), PhiKind.LOCATION, PhiPart.ZIP)


def _worded(sight: NoteView, street_ends: set[int]) -> Iterator[PhiSpan]:
    text, words = sight.text, sight.words
    state_words, town_words = _first_words(states_only=True), _first_words(states_only=False)
    country_words, telling = _country_words(), _telling()
    skip = 0
    for at, word in enumerate(words):
        if word.begin < skip:
            continue
        found = None
        key = word.key
        if key in telling:
            if key in state_words:
                found = _state(text, words, at)
            if found is None and key in town_words:
                found = _listed(text, words, at)
            if found is None and key in LANDMARKS:
                found = landmark(text, words, at)
            if found is None and key in country_words and word.before in _BEFORE_LISTED:
                found = _country(text, words, at)
        if found is None and (word.before in _NEAR or word.before[-1:] in _MARKS):
            found = _by_context(text, words, at, street_ends)
        if found is not None:
            skip = found.end
            yield found
            if found.part is PhiPart.TOWN:
                abbreviation = re.compile(r",\s*([A-Z]{2})\b").match(text, found.end)
                if abbreviation and abbreviation[1] in _abbreviations():
                    yield PhiSpan(*abbreviation.span(1), PhiKind.LOCATION, PhiPart.STATE)


def _state(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    for name in _first_words(states_only=True)[words[at].key]:
        end = _spelled(text, words, at, name)
        if end is None:
            continue
        alone = words[at].flags & NAME and " " not in name
        if not alone or words[at].before in _BEFORE_TOWN or words[at].before.endswith(","):
            return PhiSpan(words[at].begin, end, PhiKind.LOCATION, PhiPart.STATE)
    return None


def _listed(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    """A town of the list; one that may be a person or an eponym only where a town can stand."""
    word = words[at]
    if is_thing(text, word):
        return None  # the Philadelphia chromosome
    cue = word.before in _BEFORE_LISTED
    for name in _first_words(states_only=False)[word.key]:
        end = _spelled(text, words, at, name)
        if end is None:
            continue
        certain = cue or _state_follows(text, end)
        if not certain and word.flags & (NAME | AMBIGUOUS) and " " not in name:
            continue
        if at + 1 < len(words) and text[end : words[at + 1].begin] == " ":
            continue  # the first word of something longer
        doubt = "" if certain else "a town on its own"
        return PhiSpan(word.begin, end, PhiKind.LOCATION, PhiPart.TOWN, doubt)
    return None


def _country(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    """A country is larger than a state, and may stay; people see it all the same."""
    for name in _country_words()[words[at].key]:
        end = _spelled(text, words, at, name)
        if end is not None:
            place = PhiSpan(words[at].begin, end, PhiKind.LOCATION, PhiPart.COUNTRY)
            return place._replace(doubt="a country, larger than a state", hide=False)
    return None


def _by_context(
    text: str, words: list[CapitalizedWord], at: int, street_ends: set[int]
) -> PhiSpan | None:
    word = words[at]
    if word.key in _NO_TOWN:
        return None
    comma = word.before.endswith(",")
    before = text[max(0, word.begin - _LONGEST) : word.begin]
    after_street = comma and word.begin - len(before) + len(before.rstrip()) - 1 in street_ends
    if (comma and not after_street) or (word.before == "-" and not _FACILITY.search(before)):
        return None
    last = _run(text, words, at)
    end = words[last].end
    spelled = text[word.begin : end]
    if spelled.isupper() and before.split()[-1:] and before.split()[-1].isupper():
        return _shouted(words, at, last) if _LIVES_THERE.search(before) else None
    if (spelled.isupper() and len(spelled) < 5) or (
        last == at and not spelled[1:].islower() and not spelled.startswith(("Mc", "Mac", "De"))
    ):
        return None
    if comma or word.before == "-" or _LIVES.search(before):
        return PhiSpan(word.begin, end, PhiKind.LOCATION, PhiPart.TOWN)
    if _WORKS.search(before):
        return PhiSpan(word.begin, end, PhiKind.LOCATION, PhiPart.COMPANY)
    several = last > at
    like_town = (several and (words[last].key in _HEADS or word.key in _FORES)) or (
        not word.flags & WORD and not several and _TOWNLIKE.fullmatch(word.key) is not None
    )
    if like_town and word.before in _BEFORE_TOWN:
        return PhiSpan(
            word.begin, end, PhiKind.LOCATION, PhiPart.TOWN, doubt="a name like that of a town"
        )
    return None


def _shouted(words: list[CapitalizedWord], at: int, last: int) -> PhiSpan:
    """A town in capitals, in doubt: in notes in capitals it is hard to say where it ends."""
    last = min(last, at + 1)
    is_two = words[last].key in _HEADS or words[at].key in _FORES
    if last > at and not is_two and words[last].flags & WORD:
        last = at
    likely = (last > at and is_two) or _TOWNLIKE.fullmatch(words[at].key) is not None
    doubt = "capitals where a town may stand"
    return PhiSpan(
        words[at].begin, words[last].end, PhiKind.LOCATION, PhiPart.TOWN, doubt, hide=likely
    )


def _run(text: str, words: list[CapitalizedWord], at: int) -> int:
    """The last of the capitalized words that stand together, with `&`, `of` and `St.` between."""
    last = at
    while last + 1 < len(words) and last < at + 5:
        gap = text[words[last].end : words[last + 1].begin]
        joined = gap in (" ", "\n") or (
            len(gap) < 6 and gap.split() in _LINKS and "\n\n" not in gap
        )
        if gap in (". ", ".\n"):
            joined = words[last].key in ("st", "ft", "mt")
        broken = "\n" in gap and not is_wrapped(text, text.index("\n", words[last].end))
        if not joined or broken:
            break
        last += 1
    return last


def _spelled(text: str, words: list[CapitalizedWord], at: int, name: str) -> int | None:
    """Where a name ends that begins with this word, if it stands there, also over a line's end."""
    parts = name.split(" ")
    begin = words[at].begin
    pattern = r"\s+".join(map(re.escape, parts)) + r"\b"
    shouted = text[begin : words[at].end].isupper()
    found = re.compile(pattern, re.IGNORECASE if shouted else 0).match(text, begin)
    return None if found is None else found.end()


def _state_follows(text: str, end: int) -> bool:
    found = re.compile(r",\s+([A-Z][A-Za-z]+)").match(text, end)
    if found is None:
        return False
    names = _first_words(states_only=True)
    is_state = found[1] in _abbreviations() - _CREDENTIALS  # Glasgow, MD is no town of Maryland
    return is_state or found[1].lower() in names


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(states().values())


@cache
def _telling() -> frozenset[str]:
    """All first words, to see at once that a word is none of them."""
    states_, towns_ = _first_words(states_only=True), _first_words(states_only=False)
    return frozenset((*states_, *towns_, *_country_words(), *LANDMARKS))


@cache
def _country_words() -> dict[str, tuple[str, ...]]:
    return _by_first_word(countries())


@cache
def _first_words(*, states_only: bool) -> dict[str, tuple[str, ...]]:
    """The names of states or towns by their first word, the longest first."""
    return _by_first_word(states() if states_only else towns())


def _by_first_word(listed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for name in listed:
        table.setdefault(name.split(" ")[0].lower().replace(".", "").replace("-", ""), []).append(
            name
        )
    return {key: tuple(sorted(names, key=len, reverse=True)) for key, names in table.items()}
