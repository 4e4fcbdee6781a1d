"""A title of the index taken apart: spellings, non-essential modifiers, NEC, connectives.

The book packs several things into one line: *Hypertension, hypertensive (accelerated) (benign)* is
one main term with two spellings and two words that may be there or not, while *Abduction
contracture, hip or other joint* is one spelling with a comma in it. Commas separate spellings only
where the parts are alike; see `_are_alike`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

_FLAGS = {
    "NEC": re.compile(r",?\s*\b(?:NEC|not elsewhere classified)\b"),
    "NOS": re.compile(r",?\s*\b(?:NOS|not otherwise specified)\b"),
    "unspecified": re.compile(r",?\s*\bunspecified$"),
}
_UNSPECIFIED = re.compile(r"\bunspecified\b")
_SPECIFIED = re.compile(r"\bspecified\b")

CONNECTIVES = (
    "associated with",
    "caused by",
    "complicated by",
    "due to",
    "resulting from",
    "secondary to",
    "as a result of",
    "because of",
    "not associated with",
    *("affecting", "after", "and", "as", "at", "by", "causing", "complicating", "concerning"),
    *("during", "following", "for", "from", "in", "into", "involving", "of", "on", "or"),
    *("the", "to", "with", "without"),
)
"""What joins a subterm to the term above it, and says little by itself."""

CONNECTIVE_WORDS = frozenset(word for phrase in CONNECTIVES for word in phrase.split())
# "In situ" is a name of its own.
_AT_START = re.compile(rf"(?!in situ)(?:{'|'.join(CONNECTIVES)})\b,?\s*", re.IGNORECASE)

# A noun and its adjective that do not begin alike.
_PAIRS = frozenset(
    frozenset(pair.split())
    for pair in (
        "anus anal",
        "childbirth puerperal",
        "ear aural",
        "eye ocular",
        "femur femoral",
        "foot feet",
        "heart cardiac",
        "kidney renal",
        "liver hepatic",
        "lung pulmonary",
        "nose nasal",
        "palsy paralysis",
        "postpartum childbirth",
        "postpartum puerperal",
        "tooth teeth",
        "viral virus",
        "vision visual",
    )
)
# Two words that begin so have no more in common than that.
_PREFIXES = (
    *("anti", "auto", "cardio", "cerebro", "endo", "extra", "hyper", "hypo", "inter", "intra"),
    *("macro", "mega", "meta", "micro", "multi", "neuro", "nontra", "para", "peri", "poly"),
    *("post", "pseudo", "retro", "semi", "super", "supra", "trans"),
)
_SHORTEST_STEM = 4


@dataclass(frozen=True, slots=True)
class Title:
    """One step of a path through the index."""

    printed: str
    """As the book prints it."""
    text: str
    """Without modifiers, NEC and NOS."""
    spellings: tuple[str, ...]
    modifiers: tuple[str, ...]
    """The words in parentheses, which change nothing about the code; each by itself."""
    flags: tuple[str, ...]
    """Of NEC, NOS, specified, unspecified: those that the title had."""
    connective: str
    """The connective words that it begins with, such as `due to`."""

    @property
    def is_connective(self) -> bool:
        """True if there is nothing but connectives, such as `with` or `due to, caused by`."""
        return bool(self.connective) and not any(map(without_connective, self.spellings))


@lru_cache(maxsize=100_000)
def parse_title(printed: str) -> Title:
    """A title taken apart.

    >>> parse_title("Hypertension, hypertensive (accelerated) (benign)").spellings
    ('Hypertension', 'hypertensive')
    >>> parse_title("Abduction contracture, hip or other joint").spellings
    ('Abduction contracture, hip or other joint',)
    >>> parse_title("motor vehicle (traffic) NEC").text
    'motor vehicle'
    """
    printed = " ".join(printed.split())
    outside, inside = _take_out_parentheses(printed)
    text = _tidy(outside)
    if not text:  # nothing but parentheses
        text, inside = _tidy(printed.translate({ord(c): " " for c in "()[]"})), []
    flags = []
    for flag, pattern in _FLAGS.items():
        if pattern.search(text):
            flags.append(flag)
            text = _tidy(pattern.sub("", text)) or text
    if _UNSPECIFIED.search(text) and "unspecified" not in flags:
        flags.append("unspecified")
    if _SPECIFIED.search(text):
        flags.append("specified")
    spellings = _spellings(text)
    endings = [word for word in inside if word.startswith("-") or word in ("s", "es")]
    return Title(
        printed=printed,
        text=text,
        # Abasia(-astasia), Seizure(s)
        spellings=(*spellings, *(f"{spellings[0]}{ending}" for ending in endings)),
        modifiers=tuple(word for word in inside if word not in endings),
        flags=tuple(flags),
        connective=_leading_connective(text),
    )


def without_connective(spelling: str) -> str:
    """A spelling without the connectives that it begins with.

    >>> without_connective("due to ischemia"), without_connective("caused by, due to")
    ('ischemia', '')
    """
    while (found := _AT_START.match(spelling)) is not None:
        spelling = spelling[found.end() :]
    return spelling


def _leading_connective(text: str) -> str:
    rest = without_connective(text)
    return _tidy(text[: len(text) - len(rest)])


def _take_out_parentheses(text: str) -> tuple[str, list[str]]:
    """What is outside of parentheses and brackets, and what is inside of each outermost pair."""
    if "(" not in text and "[" not in text:
        return text, []
    outside: list[str] = []
    inside: list[str] = []
    depth = 0
    for character in text:
        if character in "([":
            if depth == 0:
                inside.append("")
                outside.append(" ")
            else:
                inside[-1] += character
            depth += 1
        elif character in ")]" and depth:
            depth -= 1
            if depth:
                inside[-1] += character
        elif depth:
            inside[-1] += character
        else:
            outside.append(character)
    return "".join(outside), [word for word in map(_tidy, inside) if word]


def _tidy(text: str) -> str:
    return " ".join(text.replace(" ,", ",").split()).strip(" ,;")


def _spellings(text: str) -> tuple[str, ...]:
    """The ways to say the same that commas (or one `or`) separate."""
    connective = _leading_connective(text)
    if connective and (rest := without_connective(text)):
        return tuple(f"{connective} {spelling}" for spelling in _spellings(rest))
    parts = [part for part in text.split(", ") if part]
    if _is_list_of_words(text):
        return tuple(re.findall(r"[^\s,]+", re.sub(r"\bor\b", ",", text)))
    groups: list[list[str]] = []
    for part in parts:
        if groups and any(_are_alike(part, other) for other in groups[-1]):
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(", ".join(choice) for choice in product(*groups)) or (text,)


def _is_list_of_words(text: str) -> bool:
    """True for `device, implant or graft`: single words, the last after an `or`.

    Not at a main term, where a name is followed by what it names (*Landry-Guillain-Barré, syndrome
    or paralysis*); main terms begin with a capital.
    """
    return re.fullmatch(r"[a-z][\w'-]*(?:, [\w'-]+)*,? or [\w'-]+", text) is not None


def _are_alike(part: str, other: str) -> bool:
    """True if two parts are spellings of one term, judged by their first words.

    They are both connectives, a known pair (tooth, teeth), or begin with the same stem: four
    letters or more that are at least half of the shorter word, and no mere prefix.
    """
    if not without_connective(part) and not without_connective(other):
        return True
    first, second = part.split()[0].lower(), other.split()[0].lower()
    if frozenset((first, second)) in _PAIRS:
        return True
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    shorter = min(len(first), len(second))
    needed = max(min(_SHORTEST_STEM, shorter - 1), (shorter + 1) // 2, 3)
    return shared >= needed and first[:shared] not in _PREFIXES
