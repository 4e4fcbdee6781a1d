"""Sex edits: codes whose words are about one sex."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from auscult.codes.coding_edits.code_book import CodeFacts
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity

FEMALE, MALE = "female", "male"
_WORDS = {
    FEMALE: re.compile(
        r"\b(?:females?|pregnan\w+|(?:intra)?uter(?:us|ine|i)|ovar(?:y|ies|ian)|vagin\w+"
        r"|vulv\w+|fallopian|endometri\w+|menstrua\w+|\w*menopaus\w+|\w*menorrh\w+|cervix"
        r"|cervicitis|placent\w+|puerper\w+|maternal)\b",
        re.IGNORECASE,
    ),
    MALE: re.compile(
        r"\b(?:males?|prostat\w+|test(?:is|es|icle|icles|icular)|penis|penile|scrot\w+"
        r"|epididym\w+|spermat\w+|vas deferens|seminal|balanitis|balanoposthitis|prepuce"
        r"|phimosis)\b",
        re.IGNORECASE,
    ),
}
# Family history is of another person; chapter 16 names what was wrong with the mother; chapter 20
# names devices and circumstances. Z38 says how an infant was delivered.
_ABOUT_OTHERS = ("Z80", "Z81", "Z82", "Z83", "Z84", "Z38", "P", "V", "W", "X", "Y")


def check_sex(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes that name the other sex, or an organ of it."""
    if chart.sex not in (FEMALE, MALE):
        return
    for code in chart.facts:
        found = sex_of(code)
        if found is not None and found[0] != chart.sex:
            sex, title = found
            yield CodingFinding(
                "sex",
                EditSeverity.WARNING,
                (code.value,),
                f"{code.value} is of {sex} patients, and the patient is {chart.sex}",
                "Check the code and the recorded sex; where both are right, keep the code (on a US "
                "claim, with condition code 45).",
                f"Title in the Tabular List: {title}; Medicare Code Editor, sex conflict",
            )


@lru_cache(maxsize=100_000)
def sex_of(code: CodeFacts) -> tuple[str, str] | None:
    """The one sex that a code is of, with the title that says so; None when none does."""
    if code.value.startswith(_ABOUT_OTHERS):
        return None
    if code.value[0] == "O":
        return FEMALE, code.place_titles[0]
    for title in (code.description, *code.place_titles[1:]):
        sexes = [sex for sex, words in _WORDS.items() if words.search(title)]
        if len(sexes) == 1:
            return sexes[0], title
        if sexes:
            return None
    return None
