"""Sources of terms: annotated evidence and code descriptions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from auscult.codes.tables import describe
from auscult.core.tokens import tokens
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.lexicon_text import LexiconReader, LexiconText
from auscult.models.lexicon.terms import LONGEST, TermTable, content

_DESCRIPTION = -1
_QUALIFIERS = frozenset(
    ("unspecified", "other", "specified", "elsewhere", "classified", "nec", "nos", "not", "without",
     "mention", "of", "and", "or", "the", "in", "to", "with", "due", "as")
)  # fmt: skip
_ASIDE = re.compile(r"[(\[][^)\]]*[)\]]")


def from_evidence(
    terms: TermTable,
    charts: Sequence[LexiconText],
    golds: Sequence[GoldEvidence],
    common: frozenset[str],
) -> None:
    """Add each string of annotated evidence as a term of its code."""
    for number, (chart, gold) in enumerate(zip(charts, golds, strict=True)):
        for code, references in gold.example.references.items():
            for parts in references:
                places = sorted({at for begin, end in parts for at in range(begin, end)})
                counted = content(chart, places, common)
                if len(counted) <= LONGEST:
                    key = tuple(sorted({chart.keys[at] for at in counted}))
                    wording = tuple(chart.stems[at] for at in counted)
                    terms.add(key, wording, code, number, gold.fold)


def from_descriptions(terms: TermTable, labels: LabelSpace, reader: LexiconReader) -> None:
    """Add the description of a code as a term, and the part before the first comma."""
    for at, code in enumerate(labels):
        name = _ASIDE.sub(" ", describe(code) or "")
        for part in {name, name.split(",")[0]}:
            words = [token.word for token in tokens(part) if token.word not in _QUALIFIERS]
            if 0 < len(words) <= LONGEST:
                forms = [reader.forms(word) for word in words]
                key = tuple(sorted({key for _, _, key in forms}))
                terms.add(key, tuple(stemmed for _, stemmed, _ in forms), at, _DESCRIPTION)
