"""Numbers of people and papers: record, account, insurance, license, specimen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.deid.phi_span import PhiKind, PhiSpan
from auscult.deid.recognizers.contract import NoteView

# Digits, with letters, hyphens and single blanks among them; `A12-345`, `28 28 20943`.
_FIGURE = re.compile(
    r"\d(?<![\d.,/*+_a-zµ]\d)(?:[\dA-Z]|[-/. ](?=\d)){3,}(?:-[A-Z]{1,3})?(?![\w%]|[.,]\d)"
)
_LABELS = (
    "MRN", "MR", "medical record", "med rec", "record", "unit", "account", "acct", "encounter",
    "visit", "FIN", "HAR", "CSN", "clip", "accession", "acc", "specimen", "case", "claim", "policy",
    "plan", "beneficiary", "badge", "employee", "member", "subscriber", "group", "insurance",
    "medicare", "medicaid", "license", "licence", "lic", "certificate", "DEA", "NPI", "serial",
    "SN", "device", "lot", "VIN", "plate", "passport", "SSN", "SS", "social security", "patient",
    "pt", "chart", "study", "order", "requisition", "barcode", "reference", "ref", "job",
    "dictation", "document", "NHC", "NASS", "NSS", "CIPA", "CIP", "DNI", "NIF", "NIE", "ID",
    "historia clínica", "historia clinica", "historia", "colegiado", "colegiada", "nº col",
    "n° col", "nºcol", "n°col", "episodio", "póliza", "poliza",
)  # fmt: skip
_MARKS = ("ID", "identifier", "no", "num", "number", "nbr", "nº", "n°", "code")
_LABEL = re.compile(
    rf"""\b(?:{"|".join(_LABELS).replace(" ", "[ ]+")})
        (?P<mark>(?:\s+(?:ID|identifier)\b)?[ ]*(?:(?:no|num|number|nbr|n[º°o]
        |code)\b\.?)?[ ]*[:=\#/-]*[ ]*)$""",
    re.VERBOSE | re.IGNORECASE,
)
_OWN_MARK = re.compile(
    r"(?:MRN|FIN|CSN|DEA|NPI|SSN|NHC|NASS|NSS|CIPA?|DNI|NIF|NIE|col)\W*$", re.IGNORECASE
)
_LAST_WORDS = frozenset(
    label.lower().rsplit(" ", 1)[-1].replace("°", "") for label in (*_LABELS, *_MARKS)
) | {"n", "col", "nºcol"}
"""Endings of labels: most numbers follow other words and need no search."""
_OWN_LETTERS = re.compile(r"(?:MRN|FIN|CSN|DEA|NPI|SSN|SN|ID|VIN)-?$")
_SOCIAL = re.compile(r"\d{3}-\d{2}-\d{4}")
_DAY = re.compile(r"(?:\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4})(?!\d)")
_ENDINGS = (":", "#", "=", ".", "º", "°", "-", "/")
_PREFIX = re.compile(r"(?:(?<!\w)[A-Z]{1,4}-?)?$")
_BARE = re.compile(r"(?:[A-Z]{0,4}-?\d{7,}|[A-Z]{2,4}\d{5,})(?![\w./-])")
_PLATE = re.compile(
    r"\b(?:licen[sc]e|registration|number|vehicle|tag)\s+plates?(?:\s+(?:no|number))?\.?"
    r"\s*(?:is|was)?\s*[:\#]?\s*((?=[A-Z -]*\d)[A-Z\d]{1,4}[ -]?[A-Z\d]{2,5})\b",
    re.IGNORECASE,
)
_VEHICLE_SHARE = 6
"""Minimum number of characters of a vehicle identifier from its first digit on."""
_VEHICLE = re.compile(r"[A-HJ-NPR-Z\d]{17}")
_FEWEST, _LOOK_BACK, _PREFIXED = 4, 40, 6


class IdRecognizer:
    """Identifying numbers, by the label before them; long ones without a label in doubt."""

    name = "ids"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The identifying numbers of a note."""
        text = sight.text
        if "late " in text or "late:" in text or "LATE " in text:
            for match in _PLATE.finditer(text):
                yield PhiSpan(*match.span(1), PhiKind.ID)
        for match in _FIGURE.finditer(text):
            begin, end = match.span()
            if end - begin > _VEHICLE_SHARE and not text[begin:end].isdecimal():
                vehicle = _vehicle(text, begin)
                if vehicle is not None:
                    yield vehicle
                    continue
            if sum(map(str.isdigit, match[0])) < _FEWEST or _DAY.match(match[0]):
                continue
            if begin and (text[begin - 1].isupper() or text[begin - 1] == "-"):
                prefix = _PREFIX.search(text, max(0, begin - _PREFIXED), begin)
                letters = len(prefix[0]) if prefix else 0
                if letters and _OWN_LETTERS.search(text, begin - letters, begin):
                    yield PhiSpan(begin, end, PhiKind.ID)
                    continue
                begin -= letters
            before = text[max(0, begin - _LOOK_BACK) : begin]
            last = before.rstrip()[-1:]
            may_be = (last in _ENDINGS or last.isalpha()) and _last_word(before) in _LAST_WORDS
            label = _LABEL.search(before) if may_be else None
            if (label and (label["mark"].strip() or _OWN_MARK.search(before))) or _SOCIAL.fullmatch(
                match[0]
            ):
                yield PhiSpan(begin, end, PhiKind.ID)
            else:
                bare = _BARE.match(text, begin)
                if bare:
                    doubt = "a long number without a label"
                    yield PhiSpan(begin, bare.end(), PhiKind.ID, doubt=doubt)


def _last_word(before: str) -> str:
    end = len(before)
    while end and not before[end - 1].isalpha():
        end -= 1
    begin = end
    while begin and before[begin - 1].isalpha():
        begin -= 1
    return before[begin:end].lower()


def _vehicle(text: str, at: int) -> PhiSpan | None:
    """The number of a vehicle around a digit: seventeen letters and digits."""
    begin = at
    while begin and at - begin < 17 and text[begin - 1].isascii() and text[begin - 1].isalnum():
        begin -= 1
    found = _VEHICLE.match(text, begin)
    if found is None or text[found.end() : found.end() + 1].isalnum() or found[0].isdigit():
        return None
    return PhiSpan(begin, found.end(), PhiKind.ID)
