"""Short texts made alike: what is done to a chief complaint before it is learnt or compared."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

_LETTERS = r"[^\W\d_]+(?:['’/][^\W\d_]+)*"
_NUMBER = r"\d+(?:[./:]\d+)*"
_APART = re.compile(rf"{_NUMBER}|{_LETTERS}|[^\w\s]|_")
_TOGETHER = re.compile(r"\w+(?:['’./:]\w+)*|[^\w\s]")


class Cleaning(BaseModel):
    """The steps, each of which can be left out; what was chosen is kept with whatever learnt.

    Cleaning what is clean changes nothing.

    >>> Cleaning().words("57YOM S/P FALL, c/o R knee PAIN.")
    ('57', 'yom', 's/p', 'fall', 'c/o', 'r', 'knee', 'pain')
    >>> Cleaning(lower=False, apart=False, punctuation=True).words("57YOM FELL.")
    ('57YOM', 'FELL', '.')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    lower: bool = Field(True, description="Write everything in lower case.")
    apart: bool = Field(True, description="Take digits and letters apart: 57yom is 57 and yom.")
    punctuation: bool = Field(False, description="Keep punctuation, each mark as a word.")
    longest: int | None = Field(None, ge=1, description="Words of a text that are kept.")

    def words(self, text: str) -> tuple[str, ...]:
        """The words of a text."""
        cased = text.lower() if self.lower else text
        found = (_APART if self.apart else _TOGETHER).findall(cased)
        if not self.punctuation:
            found = [word for word in found if word[0].isalnum()]
        return tuple(found[: self.longest])

    def clean(self, text: str) -> str:
        """The words of a text with a blank between them."""
        return " ".join(self.words(text))
