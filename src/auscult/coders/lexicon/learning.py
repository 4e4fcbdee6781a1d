"""Where terms come from: evidence, and what codes are called."""

from __future__ import annotations

import re
from collections.abc import Sequence

from auscult.coders.labels import LabelSpace
from auscult.coders.lexicon.gold import Gold
from auscult.coders.lexicon.terms import LONGEST, Terms, content
from auscult.coders.lexicon.words import Prepared, Reader
from auscult.codes.tables import describe
from auscult.core.tokens import tokens

_DESCRIPTION = -1
_QUALIFIERS = frozenset(
    ("unspecified", "other", "specified", "elsewhere", "classified", "nec", "nos", "not", "without",
     "mention", "of", "and", "or", "the", "in", "to", "with", "due", "as")
)  # fmt: skip
_ASIDE = re.compile(r"[(\[][^)\]]*[)\]]")


def from_evidence(
    terms: Terms, charts: Sequence[Prepared], golds: Sequence[Gold], common: frozenset[str]
) -> None:
    """Each string that was pointed at is a term of its code."""
    for number, (chart, gold) in enumerate(zip(charts, golds, strict=True)):
        for code, references in gold.example.references.items():
            for parts in references:
                places = sorted({at for begin, end in parts for at in range(begin, end)})
                counted = content(chart, places, common)
                if len(counted) <= LONGEST:
                    key = tuple(sorted({chart.keys[at] for at in counted}))
                    wording = tuple(chart.stems[at] for at in counted)
                    terms.add(key, wording, code, number, gold.fold)


def from_descriptions(terms: Terms, labels: LabelSpace, reader: Reader) -> None:
    """What a code is called is a term, and so is the part before the first comma."""
    for at, code in enumerate(labels):
        name = _ASIDE.sub(" ", describe(code) or "")
        for part in {name, name.split(",")[0]}:
            words = [token.word for token in tokens(part) if token.word not in _QUALIFIERS]
            if 0 < len(words) <= LONGEST:
                forms = [reader.forms(word) for word in words]
                key = tuple(sorted({key for _, _, key in forms}))
                terms.add(key, tuple(stemmed for _, stemmed, _ in forms), at, _DESCRIPTION)
