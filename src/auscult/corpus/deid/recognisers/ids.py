"""Numbers of people and papers: record, account, insurance, licence, specimen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.corpus.deid.found import Found, Kind
from auscult.corpus.deid.recognisers.contract import Sight

# Digits, with letters, hyphens and single blanks among them; `A12-345`, `28 28 20943`.
_FIGURE = re.compile(r"\d(?<![\d.,/*+_a-zµ]\d)(?:[\dA-Z]|[-/. ](?=\d)){3,}(?![\w%]|[.,]\d)")
_LABEL = re.compile(
    r"""\b(?:MRN|MR|medical\s+record|med\s+rec|record|unit|account|acct|encounter|visit|FIN|HAR
    |CSN|clip
        |accession|acc|specimen|case|claim|policy|member|subscriber|group|insurance|medicare
        |medicaid
        |licen[sc]e|lic|certificate|DEA|NPI|serial|SN|device|lot|VIN|plate|passport|SSN?
        |social\s+security
        |patient|pt|chart|study|order|requisition|barcode|reference|ref|job|dictation|document
        |NHC|NASS|NSS|CIPA?|DNI|NIF|NIE|ID|historia(?:\s+cl[íi]nica)?|colegiad[oa]|n[º°]\s?col|episodio
        |p[óo]liza)
        (?P<mark>(?:\s+(?:ID|identifier)\b)?[ ]*(?:(?:no|num|number|nbr|n[º°o]
        |code)\b\.?)?[ ]*[:=\#/-]*[ ]*)$""",
    re.VERBOSE | re.IGNORECASE,
)
_OWN_MARK = re.compile(
    r"(?:MRN|FIN|CSN|DEA|NPI|SSN|NHC|NASS|NSS|CIPA?|DNI|NIF|NIE|col)\W*$", re.IGNORECASE
)
_SOCIAL = re.compile(r"\d{3}-\d{2}-\d{4}")
_DAY = re.compile(r"(?:\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4})(?!\d)")
_ENDINGS = (":", "#", "=", ".", "º", "°", "-", "/")
_PREFIX = re.compile(r"(?:(?<!\w)[A-Z]{1,4}-?)?$")
_BARE = re.compile(r"[A-Z]{0,4}-?\d{7,}(?![\w./-])")
_FEWEST, _LOOK_BACK, _PREFIXED = 4, 40, 6


class Ids:
    """Identifying numbers, by the label before them; long ones without a label in doubt."""

    name = "ids"

    def find(self, sight: Sight) -> Iterator[Found]:
        """The identifying numbers of a note."""
        text = sight.text
        for match in _FIGURE.finditer(text):
            begin, end = match.span()
            if sum(map(str.isdigit, match[0])) < _FEWEST or _DAY.match(match[0]):
                continue
            if begin and (text[begin - 1].isupper() or text[begin - 1] == "-"):
                prefix = _PREFIX.search(text, max(0, begin - _PREFIXED), begin)
                begin -= len(prefix[0]) if prefix else 0
            before = text[max(0, begin - _LOOK_BACK) : begin]
            last = before.rstrip()[-1:]
            label = _LABEL.search(before) if last in _ENDINGS or last.isalpha() else None
            if (label and (label["mark"].strip() or _OWN_MARK.search(before))) or _SOCIAL.fullmatch(
                match[0]
            ):
                yield Found(begin, end, Kind.ID)
            else:
                bare = _BARE.match(text, begin)
                if bare:
                    doubt = "a long number without a label"
                    yield Found(begin, bare.end(), Kind.ID, doubt=doubt)
