"""The parts of a note: text, phrases that name something, and identifiers.

A note is a list of pieces. Rendering it adds up their lengths, so where each phrase and each
secret stands is exact by construction, both in the copy with masks and in the copy with names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from auscult.synth.random_draws import RandomDraws


class PhraseKind(StrEnum):
    """Which table a phrase's row is in."""

    CONDITION = "condition"
    SYMPTOM = "symptom"
    PROCEDURE = "procedure"
    EXTERNAL = "external"
    DRUG = "drug"
    LAB = "lab"
    TERM = "term"


class PhraseAssertion(StrEnum):
    """The assertion of a phrase about what it names."""

    PRESENT = "present"
    NEGATED = "negated"
    UNCERTAIN = "uncertain"
    FAMILY = "family"
    HISTORICAL = "historical"
    HYPOTHETICAL = "hypothetical"


class Form(StrEnum):
    """How a phrase says it."""

    FULL = "full"
    SHORT = "abbreviation"
    VAGUE = "vague"
    PASSING = "in passing"
    """In a sentence of the tables that is about something else."""


class Phrase(NamedTuple):
    """Words that name a row of the tables. `proper` is how they are meant to be written."""

    text: str
    kind: PhraseKind
    row: str
    assertion: PhraseAssertion = PhraseAssertion.PRESENT
    form: Form = Form.FULL
    proper: str = ""


class HiddenIdentifier(NamedTuple):
    """Something that identifies a person: its mask, and what it stands for."""

    mask: str
    real: str
    kind: str


Piece = str | Phrase | HiddenIdentifier
Text = list[Piece]

_SLOT = re.compile(r"\{([^{}]*)\}")


@cache
def parse(template: str) -> tuple[tuple[str, str], ...]:
    """A template as pairs of the text before a slot and the slot's name, "" when there is none.

    >>> parse("No {it} seen.")
    (('No ', 'it'), (' seen.', ''))
    """
    split = _SLOT.split(template)
    slots = [*split[1::2], ""]
    return tuple((text, slot) for text, slot in zip(split[::2], slots, strict=True) if text or slot)


def listed(items: Sequence[Piece | Text], last: str = " and ", comma: str = ", ") -> Text:
    """The items with commas between them, and `last` before the last one.

    >>> listed(["a", "b", "c"])
    ['a', ', ', 'b', ' and ', 'c']
    """
    text: Text = []
    for at, item in enumerate(items):
        if at:
            text.append(last if at == len(items) - 1 else comma)
        extend(text, item)
    return text


def extend(text: Text, *more: Piece | Text) -> Text:
    """Put pieces and lists of pieces at the end of `text`."""
    for item in more:
        if isinstance(item, list):
            text.extend(item)
        else:
            text.append(item)
    return text


def lines(rows: Iterable[Piece | Text]) -> Text:
    """Each row on a line of its own."""
    text: Text = []
    for row in rows:
        extend(text, row, "\n")
    return text


def indented(text: Text) -> Text:
    """The text with every line after the first moved in by three, as the unit's system prints."""
    return [piece.replace("\n", "\n   ") if isinstance(piece, str) else piece for piece in text]


def capital(text: Text) -> Text:
    """The text with its first letter a capital."""
    if text:
        first = text[0]
        if isinstance(first, str):
            text[0] = first[:1].upper() + first[1:]
        elif isinstance(first, Phrase):
            # At the head of a line even those who type "uti" write UTI.
            words = first.proper if first.form is Form.SHORT and first.proper else first.text
            text[0] = first._replace(text=words[:1].upper() + words[1:])
    return text


def upper(text: Text) -> Text:
    """The text in capitals."""
    shouted: Text = []
    for piece in text:
        if isinstance(piece, str):
            shouted.append(piece.upper())
        elif isinstance(piece, Phrase):
            shouted.append(piece._replace(text=_upper(piece.text)))
        else:
            shouted.append(piece)
    return shouted


def _upper(text: str) -> str:
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


_NEAR = {
    "a": "s", "b": "v", "c": "x", "d": "s", "e": "r", "f": "g", "g": "h", "h": "j", "i": "o",
    "k": "l", "l": "k", "m": "n", "n": "m", "o": "i", "p": "o", "r": "t", "s": "a", "t": "r",
    "u": "i", "v": "b", "w": "e", "y": "t",
}  # fmt: skip
_WORD = re.compile(r"[a-z]{5,}")
_GAP = " " * 6


def misspell(word: str, dice: RandomDraws) -> str:
    """The word as fingers in a hurry type it: letters swapped, dropped, doubled or missed."""
    at = dice.between(1, len(word) - 3)
    way = dice.below(5)
    if way < 2:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if way == 2:
        return word[:at] + word[at + 1 :]
    if way == 3:
        return word[:at] + word[at] + word[at:]
    return word[:at] + _NEAR.get(word[at], word[at]) + word[at + 1 :]


def smudge(text: Text, rate: float, dice: RandomDraws) -> Text:
    """The text with about `rate` typing errors a word; secrets are always typed right."""
    smudged: Text = []
    for piece in text:
        if isinstance(piece, HiddenIdentifier):
            smudged.append(piece)
            continue
        words = piece if isinstance(piece, str) else piece.text
        if ":\n" in words:  # a heading, which nobody types
            smudged.append(piece)
            continue
        # One throw decides for the whole piece; about six letters make a word.
        if len(words) > 4 and dice.random() < rate * len(words) / 6:
            found = _WORD.findall(words)
            if found:
                word = dice.pick(found)
                words = words.replace(word, misspell(word, dice), 1)
                piece = words if isinstance(piece, str) else piece._replace(text=words)
        smudged.append(piece)
    return smudged


class Rendering(NamedTuple):
    """A note in both versions, and the offsets of its phrases and identifiers."""

    text: str
    """With all identifiers masked."""
    phrases: list[tuple[int, int, Phrase]]
    masks: list[tuple[int, int, HiddenIdentifier]]
    real_text: str
    """With all identifiers."""
    secrets: list[tuple[int, int, HiddenIdentifier]]


def render(pieces: Text, width: int = 0) -> Rendering:
    """The note in lines of at most `width`. Phrases are placed in the masked copy."""
    parts: list[str] = []
    phrases: list[tuple[int, int, Phrase]] = []
    masks: list[tuple[int, int, HiddenIdentifier]] = []
    secrets: list[tuple[int, int, HiddenIdentifier]] = []
    hidden: list[int] = []
    at = ahead = 0
    for piece in pieces:
        if isinstance(piece, str):
            parts.append(piece)
            at += len(piece)
        elif isinstance(piece, Phrase):
            words = piece.text
            parts.append(words)
            end = at + len(words)
            phrases.append((at, end, piece))
            at = end
        else:
            hidden.append(len(parts))
            parts.append(piece.mask)
            really_at = at + ahead
            masks.append((at, at + len(piece.mask), piece))
            secrets.append((really_at, really_at + len(piece.real), piece))
            at += len(piece.mask)
            ahead += len(piece.real) - len(piece.mask)
    text = wrap("".join(parts), width)
    for where, (_, _, secret) in zip(hidden, secrets, strict=True):
        parts[where] = secret.real
    return Rendering(text, phrases, masks, wrap("".join(parts), width), secrets)


def wrap(text: str, width: int) -> str:
    """The text in lines of at most `width` characters, where words allow; 0 leaves it alone.

    Lines with a wide gap in them are parts of a form and stay whole.
    A space becomes a line break and nothing is added or taken away, so every offset stays right.
    """
    if not width:
        return text
    return "\n".join(
        line if len(line) <= width or _GAP in line else _break(line, width)
        for line in text.split("\n")
    )


def _break(line: str, width: int) -> str:
    rows = []
    begin = 0
    while len(line) - begin > width:
        space = line.rfind(" ", begin + 1, begin + width + 1)
        if space < 0:
            space = line.find(" ", begin + width)
            if space < 0:
                break
        rows.append(line[begin:space])
        begin = space + 1
    rows.append(line[begin:])
    return "\n".join(rows)
