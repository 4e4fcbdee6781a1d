"""Sources of terms: annotated evidence and code descriptions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from auscult.codes.tables import describe
from auscult.core.tokens import tokens
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.lexicon_text import Key, LexiconReader, LexiconText
from auscult.models.lexicon.terms import LONGEST, TermTable, content

_QUALIFIERS = frozenset(
    ("unspecified", "other", "specified", "elsewhere", "classified", "nec", "nos", "not", "without",
     "mention", "of", "and", "or", "the", "in", "to", "with", "due", "as")
)  # fmt: skip
_ASIDE = re.compile(r"[(\[][^)\]]*[)\]]")


def from_evidence(
    terms: TermTable,
    charts: Sequence[LexiconText],
    golds: Sequence[GoldEvidence],
    common: npt.NDArray[np.bool_],
) -> None:
    """Add each string of annotated evidence as a term of its code."""
    found: dict[tuple[Key, Key, int], Counter[int]] = defaultdict(Counter)
    for chart, gold in zip(charts, golds, strict=True):
        if not gold.extents:
            continue
        names = chart.forms.strings.names
        folded, stems, keys = chart.folded, chart.stems, chart.keys
        here: dict[tuple[Key, Key, int], None] = {}
        for code, references in gold.example.references.items():
            for parts in references:
                places = sorted({at for begin, end in parts for at in range(begin, end)})
                counted = content(folded, places, common)
                if len(counted) <= LONGEST:
                    key = tuple(sorted({names[keys[at]] for at in counted}))
                    here[key, tuple(names[stems[at]] for at in counted), code] = None
        for term in here:
            found[term][gold.fold] += 1
    for term, charts_of_fold in found.items():
        terms.add(*term, charts_of_fold)


def from_descriptions(terms: TermTable, labels: LabelSpace, reader: LexiconReader) -> None:
    """Add the description of a code as a term, and the part before the first comma."""
    for at, code in enumerate(labels):
        name = _ASIDE.sub(" ", describe(code) or "")
        here: dict[tuple[Key, Key], None] = {}
        for part in (name, name.split(",")[0]):
            words = [token.word for token in tokens(part) if token.word not in _QUALIFIERS]
            if 0 < len(words) <= LONGEST:
                forms = [reader.forms.of(word) for word in words]
                key = tuple(sorted({key for _, _, key in forms}))
                here[key, tuple(stemmed for _, stemmed, _ in forms)] = None
        for key, wording in here:
            terms.add(key, wording, at)
