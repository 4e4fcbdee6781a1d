"""Dates in figures and in words, told apart from scores, pressures, doses and fractions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.deid.dates import MONTH, MONTH_WORDS, WEEKDAY, read_date
from auscult.deid.phi_span import PhiKind, PhiSpan
from auscult.deid.recognizers.contract import NoteView

# One pass over the figures of a text. A figure that is part of a longer number, a decimal or a
# word is none of these.
_FIGURES = re.compile(
    r"""\d(?<![\w/.,$]\d)(?:
        (?P<full>\d{3}(?P<s>[-/.])\d{1,2}(?P=s)\d{1,2}(?=T\d|(?![\w/]|\.\d))
        |\d?(?P<t>[-/.])\d{1,2}(?P=t)(?:\d{4}|\d\d)(?![\w/]|[.,]\d)
        |\d?//?\d{1,3}//?\d{4}(?!\w))
        |(?P<month>(?<!\d-\d)\d?/\d{4}(?![\w/]|[.,]\d))
        |(?P<part>(?:(?<!\d-\d)|(?<=/\d-\d)|(?<=/\d\d-\d))
            \d?/\d{1,2}(?![\w/%+]|[.,]\d|-\d{1,2}(?!\d?/)|-/|:\d|['’"]))
        |(?P<dash>(?<!\d-\d)\d?-\d{1,2}(?![\w/%-]|[.,]\d))
        |(?P<year>(?<!\d-\d)\d{3}(?![\w/%$]|[.,:-]\d))
        |(?P<nth>\d?(?:st|nd|rd|th)\b)
    )""",
    re.VERBOSE,
)
_YEAR = r"(?:\d{4}|'\d\d)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
# The first letter, then all that may follow it: quick to say no.
_MONTHS = re.compile(
    r"[JFMASONDEjfmasonde](?<!\w.)(?:an|eb|ar|pr|ay|un|ul|ug|ep|ct|ov|ec|ner|br|go|ic"
    r"|AN|EB|AR|PR|AY|UN|UL|UG|EP|CT|OV|EC|NER|BR|GO|IC)[A-Za-z]*\b"
)
_AROUND_MONTH = re.compile(
    rf"""(?ix)(?:\b{WEEKDAY}\.?,?\s+)?(?:
        (?:the\s+)?(?<![\d/.-])\b{_DAY}(?:\s+of|\s+de)?(?:[ /-]{{0,2}}|\n)\b{MONTH}\b\.?
            (?!\s+\d{{1,2}}(?:st|nd|rd|th)?,\s*\d{{4}})
            (?:(?:,\s*|\s+|[/-])(?:of\s+|del?\s+)?{_YEAR}(?!\d)|[/-]\d\d(?!\d))?
        |\b{MONTH}\b\.?[\s/-]+{_DAY}(?![\d/:%]|\.\d|\s*(?:mg|ml|cc|units?|tabs?)\b)
            (?:(?:,\s*|\s+|[/-])(?:of\s+)?{_YEAR}(?!\d)|[/-]\d\d(?!\d))?
        |\b{MONTH}\b\.?(?:,\s*|\s+|[/-])(?:of\s+|del?\s+)?{_YEAR}(?!\d)
    )"""
)
_WEEKDAY_BEFORE = re.compile(rf"\b{WEEKDAY}\.?,?\s+$")
_BARE_MONTH = re.compile(
    r"\b(?:in|since|until|till|through|thru|by|of|last|next|this|early|late|mid|from|to|before"
    r"|after"
    r"|around|for)[\s-]+$",
    re.IGNORECASE,
)
_LONG_MONTH = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
_HOLIDAY = re.compile(
    r"\b(?:Christmas(?: Eve| Day)?|Thanksgiving(?: Day)?|Easter(?: Sunday)?|New Year['’]?s(?: Eve"
    r"| Day)?|Halloween|Labor Day|Memorial Day|Independence Day|Fourth of July|Valentine['’]s Day"
    r"|Mother['’]s Day|Father['’]s Day|Passover|Yom Kippur|Rosh Hashanah|Ramadan|Hanukkah)\b"
)

# What stands before or after two figures with a slash when they are a day, and when they are not.
_DATED_BEFORE = re.compile(
    r"(?:\b(?:on|since|until|till|til|through|thru|from|by|dated?|before|after|prior to|last|as of"
    r"|admitted|adm|admit|discharged|d/c(?:'?d)?|seen|drawn|started|stopped|placed|resumed|begun"
    r"|f/u|fup?|follow[- ]?up|returns?|returning|rtc"
    r"|planned for|scheduled for|due|done|postop|pod ?\#?\d+|labs?|vs|flowsheet|events?|overnight"
    r"|cxr|kub|ct|cta|mri|mra|us|u/s|tte|tee|echo|ekg|ecg|eeg|egd|cath|x-ray|films?|ultrasound"
    r"|cx|cxs|cultures?|bcx|ucx|procedures?|surgery|or|tracing|resident|visit|appt|appointment)"
    r"|[(\[])[:,]?\s*$",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r",\s?000\b")
"""One in so many: 1/20, 000."""
_COUNTED_AFTER = re.compile(r"\s(?:pillows|PILLOWS)\b")
_SURELY_DATED = re.compile(
    r"(?:\b(?:on|since|until|till|through|thru|dated|as of)\s+|/\d{1,2}-)$", re.IGNORECASE
)
_DATED_AFTER = re.compile(
    r"\s*(?:,?\s*(?:at\s+)?\d{1,2}:\d\d|\s(?:am|pm|a\.m|p\.m)\b|\s?[:)\]]|\s?(?:-|–|to|through"
    r"|thru)"
    r"\s?\d{1,2}/\d{1,2}\b)",
    re.IGNORECASE,
)
_SCORED_BEFORE = re.compile(
    r"(?:strength|motor|murmur|sem|hsm|pain|grade|graded|dtrs?|reflex(?:es)?|pulses?|dp|scores?|scale"
    r"|apgars?|gcs|ratio|bp|nbp|sbp|abp|map|psv?|cpap|bipap|peep|ips|ues?|les?|ip|quads?"
    r"|deltoids?|biceps"
    r"|triceps|grip|rate[ds]?|level|acuity|va|od|os|ou|recall|registration|mmse|moca|fhr|power"
    r"|tone|edema|gravida|stage|class|levine|out of|intensity|severity|extremit(?:y|ies)|legs?"
    r"|arms?"
    r"|proximal(?:ly)?|distal(?:ly)?|flexors?|extensors?|symmetric(?:al)?|full|felt to be|likely"
    r"|thought to be|\ba|x|to|w/|of|[=<>~+-])\s*:?\s*$",
    re.IGNORECASE,
)
_SCORED_AFTER = re.compile(
    r"\s*(?:ros\b|points?\b|systems?\b|review"
    r"|strength|motor|power|murmur|systolic|diastolic|holosystolic|sem|hsm|blowing|mmhg|mm hg"
    r"|pain|throughout|bilat|ns\b|normal|saline|d5|pack|ppd|in (?:severity|intensity)"
    r"|(?:in )?(?:all|both"
    r"|bl|b/l|upper|lower|le|ue|rle|lle|rue|lue)\b|out of|tabs?|tablets?|cups?|doses?|caps?"
    r"|strips?|puffs?"
    r"|cm|mm|ml|cc|mg|l\b|liters?|inch|in\b|feet|ft\b|oz|lbs?|pounds?|miles?|blocks?|hours?|hrs?"
    r"|days?"
    r"|weeks?|wks?|months?|years?|bottles?|sets?|tubes?|nodes?|ln\b|lymph|positive|pos\b|neg"
    r"|negative"
    r"|items?|words?|objects?|recall|pulses?|edema|reflex|dtr|proximal|distal|grip|plantar"
    r"|quads?|hip"
    r"|knee|ankle|ejection|crescendo|apex|lusb|rusb|lsb|harsh|of\b|strength|\+|way|teaspoon|tsp"
    r"|tbsp)",
    re.IGNORECASE,
)
_SCALES = frozenset((2, 3, 4, 5, 6, 8, 10))
"""Common denominators of scores and fractions."""

_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|circa|ca\.?|of|from|until|till|through|year|years|dated?|around|early"
    r"|late|mid"
    r"|summer|fall|autumn|spring|winter|before|after|and|or|c\.|by|nkda)|[~(,;'])\s*$",
    re.IGNORECASE,
)
_NO_YEAR_BEFORE = re.compile(
    r"(?:i\s?[/&]\s?o'?s?:?\s+(?:\w+\s+)?in|\b(?:at|to|x|is|was|about|than|only|out|net|iv|po"
    r"|total|tube|room"
    r"|rm|bed|ext|pager?|los|goal|vol(?:ume)?|weight|wt|cal|kcal|calories|ml|cc|hr|rate|clip"
    r"|md|suite|box|unit|units|no|number|uop|u/o|urine|tf|mar|given|time|by|rn|size|dlp"
    r"|peak(?:ed)?|\w*bnp|cpk|ck|ldh|ferritin|amylase|lipase|ast|alt|trig\w*)"
    r"|[=<>#:$*+-]|\d)\s*$",
    re.IGNORECASE,
)
_RESULT_BEFORE = re.compile(
    r"\b(?:ck|cpk|ldh|vol(?:ume)?|amylase|lipase|ast|alt)\s*$", re.IGNORECASE
)
_TOLD_AFTER = re.compile(r"[ \t]*(?:\n|$|\([a-z])")
_NO_YEAR_AFTER = re.compile(
    r"[ \t]*(?:cc|ml|mg|mcg|g\b|gm|units?|u\b|l\b|kcal|cal|hrs?\b|hours?|h\b|x\b|bpm|steps|feet"
    r"|ft\b|k\b"
    r"|ms\b|mgy|dyn|lbs?|kg|meters|m\b|gy|iu|meq|mm|cells|wbc|rbc|am\b|pm\b|ng|pg|out\b|in\b"
    r"|\(iv|po\b"
    r"|[-–]\s?\d|[*%=<>/])",
    re.IGNORECASE,
)
_NTH_BEFORE = re.compile(
    r"\b(?:on|by|since|until|till|through|from|for|to)\s+the\s+$", re.IGNORECASE
)
_NTH_AFTER = re.compile(r"\s*(?:[.,;)]|$|\n|at\b|and\b|with\b|w/)")
_FIRST, _LAST = 1900, 2300
"""Years accepted after a month; date-shifted notes may be in the future."""
_OLDEST = 110
"""How many years before the note a date may be."""


class DateRecognizer:
    """Dates, months and years; days of the week only where they stand before a date."""

    name = "dates"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The dates of a note."""
        text = sight.text
        for match in _FIGURES.finditer(text):
            found = self._figures(sight, match)
            if found is not None:
                yield _with_weekday(text, found)
        yield from _months(sight)
        if "s" in text and ("Day" in text or "Christmas" in text or "giving" in text):
            for match in _HOLIDAY.finditer(text):
                yield PhiSpan(
                    *match.span(), PhiKind.DATE, doubt="a holiday, which cannot be shifted"
                )

    def _figures(self, sight: NoteView, match: re.Match[str]) -> PhiSpan | None:
        text, begin, end = sight.text, match.start(), match.end()
        shape = match.lastgroup if match.lastgroup not in ("s", "t") else "full"
        if shape == "full" or match["full"] is not None:
            return _full(text, begin, end, sight.day_first)
        if shape == "month":
            year = int(text[end - 4 : end])  # 1/1280 is a titre
            valid = read_date(text[begin:end]) is not None and _FIRST <= year <= _LAST
            return PhiSpan(begin, end, PhiKind.DATE) if valid else None
        if shape == "year":
            return _year(sight, begin, end)
        if shape == "nth":
            return _nth(text, begin, end)
        if shape == "dash":
            return _dash(text, begin, end, sight.day_first)
        return _part(text, begin, end, sight.day_first)


def _full(text: str, begin: int, end: int, day_first: bool) -> PhiSpan | None:
    words = text[begin:end]
    if read_date(words, day_first=day_first) is not None:
        return PhiSpan(begin, end, PhiKind.DATE)
    if len(re.split(r"[-/.]", words)[0]) == 4 or words[-4:].isdigit():
        return PhiSpan(begin, end, PhiKind.DATE, doubt="not a valid date")
    return None  # three small numbers: a ratio, a version, a strength


def _part(text: str, begin: int, end: int, day_first: bool) -> PhiSpan | None:
    words = text[begin:end]
    first, second = map(int, words.split("/"))
    if day_first:
        first, second = second, first
    if read_date(words, day_first=day_first) is None or first > 12:
        return None
    before, after = text[max(0, begin - 24) : begin], text[end : end + 18]
    scale = first <= second and second in _SCALES
    if _SURELY_DATED.search(before):
        return PhiSpan(begin, end, PhiKind.DATE)
    if first == 1 and _THOUSANDS.match(after):
        return None
    dated = _DATED_BEFORE.search(before) or _DATED_AFTER.match(after)
    secondary = first == second == 2 and after[:1].isspace() and after[1:2].isalpha()
    if secondary and before[-1:] in "([":
        return None  # 2/2: secondary to
    if dated and not (scale and _SCORED_AFTER.match(after)):
        return PhiSpan(begin, end, PhiKind.DATE)
    if _SCORED_AFTER.match(after) or _SCORED_BEFORE.search(before):
        return None
    if not scale:
        return PhiSpan(begin, end, PhiKind.DATE)
    if secondary:
        return None
    return PhiSpan(begin, end, PhiKind.DATE, doubt="a date or a score", hide=False)


def _dash(text: str, begin: int, end: int, day_first: bool) -> PhiSpan | None:
    """Two figures with a hyphen are a range unless the words before say that it is a day."""
    if read_date(text[begin:end], day_first=day_first) is None:
        return None
    before = text[max(0, begin - 16) : begin]
    if re.search(r"\b(?:on|since|until|dated?|as of)\s+$", before, re.IGNORECASE):
        if _COUNTED_AFTER.match(text, end):
            return None  # on 3-4 pillows
        return PhiSpan(begin, end, PhiKind.DATE)
    return None


def _year(sight: NoteView, begin: int, end: int) -> PhiSpan | None:
    text, year = sight.text, int(sight.text[begin:end])
    if not _is_recent(sight, year):
        return None
    before, after = text[max(0, begin - 16) : begin], text[end : end + 10]
    if _NO_YEAR_AFTER.match(after):
        return None
    if _NO_YEAR_BEFORE.search(before):
        # Something high in 1998, told in a list: the line ends there, or says what became of it.
        told = _RESULT_BEFORE.search(before) and _TOLD_AFTER.match(after)
        return (
            PhiSpan(begin, end, PhiKind.DATE, doubt="a number that may be a year") if told else None
        )
    if _YEAR_BEFORE.search(before):
        return PhiSpan(begin, end, PhiKind.DATE)
    if before[-1:].isspace() and (before.rstrip()[-1:].isalpha() or before.rstrip()[-1:] == ")"):
        return PhiSpan(begin, end, PhiKind.DATE, doubt="a number that may be a year")
    return None


def _is_recent(sight: NoteView, year: int) -> bool:
    """Whether a note of its day may speak of a year; one without a day, of any of our time."""
    if sight.day is None:
        return 2035 - _OLDEST <= year <= 2035
    return sight.day.year + 1 - _OLDEST <= year <= sight.day.year + 1


def _nth(text: str, begin: int, end: int) -> PhiSpan | None:
    if _NTH_BEFORE.search(text[max(0, begin - 14) : begin]) and _NTH_AFTER.match(text, end):
        return PhiSpan(begin, end, PhiKind.DATE)
    return None


def _months(sight: NoteView) -> Iterator[PhiSpan]:
    text = sight.text
    reached = 0
    for match in _MONTHS.finditer(text):
        if match.start() < reached or match[0].lower() not in MONTH_WORDS:
            continue
        near = max(reached, match.start() - 22)
        for around in _AROUND_MONTH.finditer(text, near, min(len(text), match.end() + 14)):
            if around.start() <= match.start() < around.end():
                begin, end = around.span()
                while text[end - 1].isspace():
                    end -= 1
                reached = end
                doubt = "" if read_date(text[begin:end]) else "not a valid date"
                yield PhiSpan(begin, end, PhiKind.DATE, doubt=doubt)
                break
        else:
            bare = _LONG_MONTH.fullmatch(match[0])
            if bare and _BARE_MONTH.search(text[max(0, match.start() - 9) : match.start()]):
                yield PhiSpan(*match.span(), PhiKind.DATE)


def _with_weekday(text: str, found: PhiSpan) -> PhiSpan:
    """With the weekday before a date, since it would tell how far the date was moved."""
    before = _WEEKDAY_BEFORE.search(text[max(0, found.begin - 14) : found.begin])
    if before is None:
        return found
    return found._replace(begin=found.begin - len(before[0]))
