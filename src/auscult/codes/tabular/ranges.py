"""The codes that an instruction names: `(O10-O11)`, `(E08-E13 with .65)`, `(I11.-, I13.-)`.

The Tabular List writes them for people, in some ninety ways. What is read here is what a person
would take from the words; what cannot be told from the words alone (`with open fracture 7th
character`) gives no range, and the instruction's text is there to be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

_CODE = r"(?:[A-Z]\d|QA)[0-9A-Z](?:\.[0-9A-Z]{1,4})?"
# One dash is the range's, or stands for more characters: `I10-I16`, `I70.2--I70.7-`, `F10.-F19.-`
# and `S06.1- to S06.6-` are ranges, `I69.81- I69.91-` are two codes.
_DASH = r"(?:\.?-)?(?:\.?\s*-(?=[A-Z])|\s+-\s+|\s+to\s+)"
# `B12` is the vitamin wherever the Tabular List has it.
_BARE = re.compile(
    rf"(?<!vitamin )(?<![0-9A-Za-z.])({_CODE})(?![0-9A-Za-z])(?:{_DASH}({_CODE})(?![0-9A-Za-z]))?"
)
_PARENTHESES = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_WITH = re.compile(rf"({_CODE}[.-]*),?\s*with\s+")
_ORDINALS = {"fifth": 5, "5th": 5, "sixth": 6, "six": 6, "6th": 6, "seventh": 7, "7th": 7}
_POSITION = re.compile(
    r"(?P<first>\w+)(?:\s+(?P<joint>or|to)\s+(?P<second>\w+))?[\s-]+characters?\s+(?P<values>\S.*)"
)


@dataclass(frozen=True, slots=True)
class CodeRange:
    """The codes from `first` to `last` with all that is below them; one code when they are equal.

    A condition narrows them: `suffix` is what follows the dot (`65` of `.65`), `ending` the last
    characters before a 7th one, and `characters` those allowed at one of the `positions`.

    >>> diabetes = CodeRange("E08", "E13", suffix="65")
    >>> str(diabetes), diabetes.contains("E11.65"), diabetes.contains("E11.9")
    ('E08-E13 with .65', True, False)
    """

    first: str
    last: str
    suffix: str = ""
    ending: str = ""
    positions: tuple[int, ...] = ()
    characters: str = ""

    def __str__(self) -> str:
        codes = self.first if self.first == self.last else f"{self.first}-{self.last}"
        if self.suffix:
            return f"{codes} with .{self.suffix}"
        if self.ending:
            return f"{codes} with final characters {self.ending}"
        if self.positions:
            at = " or ".join(map(str, self.positions))
            return f"{codes} with character {at} in {self.characters}"
        return codes

    def contains(self, code: str) -> bool:
        """Whether a code, or a heading with all that is below it, is among them."""
        plain = code.upper().replace(".", "")
        first, last = self.first.replace(".", ""), self.last.replace(".", "")
        if not first <= plain or plain[: len(last)] > last:
            return False
        if self.suffix and not plain[3:].startswith(self.suffix):
            return False
        # The 7th character is added to a code, after placeholders where it is too short.
        if self.ending and not plain[:6].rstrip("X").endswith(self.ending):
            return False
        return not self.positions or self._character(plain) in set(self.characters)

    def _character(self, plain: str) -> str:
        """The character that the condition is about.

        Of "fifth or sixth" it is the last that says something: in T43.651A the fifth character is
        a 5 of the substance, and the sixth is the intent; in T36.95XA the sixth is a placeholder.
        """
        for position in reversed(self.positions):
            found = plain[position - 1 : position]
            if found and (found != "X" or "X" in self.characters):
                return found
        return ""


@lru_cache(maxsize=20_000)
def parse_ranges(text: str) -> tuple[CodeRange, ...]:
    """The codes an instruction names, in order.

    They stand in parentheses. An instruction without any in parentheses may have them in its
    words (`code from category O08`).

    >>> [str(r) for r in parse_ranges("hypertension (O10-O11, O13.-), (E08, E09 with .26, .96)")]
    ['O10-O11', 'O13', 'E08 with .26', 'E08 with .96', 'E09 with .26', 'E09 with .96']
    """
    inside: list[CodeRange] = []
    named = False
    for group in _PARENTHESES.findall(text):
        named = named or _BARE.search(group) is not None
        inside += _parse(group)
    return tuple(inside if named else _parse(_PARENTHESES.sub(" ", text)))


def names_codes(text: str) -> bool:
    """Whether an instruction names codes, whether or not they can be told."""
    return _BARE.search(text) is not None


def _parse(text: str) -> list[CodeRange]:
    condition = _WITH.search(text)
    codes = text if condition is None else text[: condition.end(1)]
    pairs = [(first, last or first) for first, last in _BARE.findall(codes)]
    if condition is None:
        return [CodeRange(first, last) for first, last in pairs]
    return [
        CodeRange(first, last, **narrowed)
        for (first, last), narrowed in product(pairs, _conditions(text[condition.end() :]))
    ]


def _conditions(text: str) -> list[dict[str, object]]:
    """What follows `with`, as the fields of a range; none when it is in words alone."""
    text = text.strip()
    if text.startswith("."):
        return [{"suffix": suffix} for suffix in _suffixes(text)]
    if text.startswith("final"):
        values = re.findall(r"[.-]?(\d+)", text)
        field = "suffix" if "." in text else "ending"
        return [{field: value} for value in values]
    found = _POSITION.fullmatch(text)
    if found is None or found["first"] not in _ORDINALS:
        return []
    if found["values"].startswith("to indicate"):
        return [{}]
    positions = [_ORDINALS[found[name]] for name in ("first", "second") if found[name]]
    if found["joint"] == "to":
        return [{"ending": found["values"]}]
    return [{"positions": tuple(positions), "characters": _characters(found["values"])}]


def _suffixes(text: str) -> list[str]:
    """`.65`, `.62-`, `.14, .24`, and the steps of `.51-.52`."""
    suffixes: list[str] = []
    for first, last in re.findall(r"\.(\d+)(?:-\.(\d+))?", text):
        numbers = range(int(first), int(last or first) + 1)
        suffixes += [str(number).zfill(len(first)) for number in numbers]
    return suffixes


def _characters(text: str) -> str:
    """`5`, `1-4`, `1-4 or 6`, `B or C`, each as the characters it means."""
    characters = ""
    for first, last in re.findall(r"\b([0-9A-Z])(?:-([0-9A-Z]))?\b", text):
        characters += "".join(map(chr, range(ord(first), ord(last or first) + 1)))
    return characters
