"""Short texts made alike: what is done to a chief complaint before it is learned or compared."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

_LETTERS = r"[^\W\d_]+(?:['’/][^\W\d_]+)*"
_NUMBER = r"\d+(?:[./:]\d+)*"
_APART = re.compile(rf"{_NUMBER}|{_LETTERS}|[^\w\s]|_")
_TOGETHER = re.compile(r"\w+(?:['’./:]\w+)*|[^\w\s]")


class Cleaning(BaseModel):
    """The steps, each of which can be left out; what was chosen is kept with whatever learned.

    Cleaning what is clean changes nothing.

    >>> Cleaning().words("57YOM S/P FALL, c/o R knee PAIN.")
    ('57', 'yom', 's/p', 'fall', 'c/o', 'r', 'knee', 'pain')
    >>> Cleaning(lowercase=False, split_digits=False, keep_punctuation=True).words("57YOM FELL.")
    ('57YOM', 'FELL', '.')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    lowercase: bool = Field(True, description="Convert to lower case.")
    split_digits: bool = Field(
        True, description="Split digits from letters: 57yom becomes 57 and yom."
    )
    keep_punctuation: bool = Field(False, description="Keep punctuation marks as tokens.")
    max_length: int | None = Field(
        None, ge=1, description="Maximum length of a text, in words; the rest is truncated."
    )

    def words(self, text: str) -> tuple[str, ...]:
        """The words of a text."""
        cased = text.lower() if self.lowercase else text
        found = (_APART if self.split_digits else _TOGETHER).findall(cased)
        if not self.keep_punctuation:
            found = [word for word in found if word[0].isalnum()]
        return tuple(found[: self.max_length])

    def clean(self, text: str) -> str:
        """The words of a text with a blank between them."""
        return " ".join(self.words(text))
