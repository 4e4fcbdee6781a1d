"""Where terms come from: evidence, what codes are called, and words that go with a code."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from auscult.coders.labels import LabelSpace
from auscult.coders.lexicon.gold import Gold
from auscult.coders.lexicon.terms import LONGEST, Key, Terms, content
from auscult.coders.lexicon.words import Prepared, Reader
from auscult.codes.tables import describe
from auscult.core.tokens import tokens

_DESCRIPTION = -1
_QUALIFIERS = frozenset(
    ("unspecified", "other", "specified", "elsewhere", "classified", "nec", "nos", "not", "without",
     "mention", "of", "and", "or", "the", "in", "to", "with", "due", "as")
)  # fmt: skip
_ASIDE = re.compile(r"[(\[][^)\]]*[)\]]")
_CHARTS = 5_000
_PER_CODE = 12
_LEAST = 2
_LIFT = 3.0


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
                    terms.add(key, tuple(chart.stems[at] for at in counted), code, number)


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


def from_company(
    terms: Terms, charts: Sequence[Prepared], golds: Sequence[Gold], common: frozenset[str]
) -> None:
    """For codes that nobody pointed at text for: words and pairs of words that go with them.

    They are those found with the code at least three times as often as chance would have it,
    the most telling ones first (by the code's part of the log-likelihood ratio).
    """
    pointed = {code for gold in golds for code in gold.extents}
    wanted = sorted({code for gold in golds for code in gold.codes} - pointed)
    if not wanted:
        return
    if len(charts) > _CHARTS:
        step = len(charts) / _CHARTS
        chosen = [int(at * step) for at in range(_CHARTS)]
    else:
        chosen = list(range(len(charts)))
    found, wordings, keys = _company(charts, chosen, common)
    place = {code: at for at, code in enumerate(wanted)}
    pairs = [
        (row, place[code])
        for row, number in enumerate(chosen)
        for code in golds[number].codes
        if code in place
    ]
    given = sparse.csc_matrix(
        (np.ones(len(pairs)), tuple(np.array(pairs, np.int64).reshape(-1, 2).T)),
        shape=(len(chosen), len(wanted)),
    )
    together = (found.T @ given).tocsc()
    times = np.asarray(found.sum(axis=0)).ravel()
    base = np.asarray(given.sum(axis=0)).ravel() / len(chosen)
    by_term = found.tocsc()
    for column, code in enumerate(wanted):
        part = slice(together.indptr[column], together.indptr[column + 1])
        rows, both = together.indices[part], together.data[part]
        lift = both / times[rows] / base[column]
        telling = np.where((both >= _LEAST) & (lift >= _LIFT), both * np.log(lift), 0.0)
        best = np.lexsort((rows, -telling))[:_PER_CODE]
        with_code = set(given.indices[given.indptr[column] : given.indptr[column + 1]].tolist())
        for at in best[telling[best] > 0]:
            term = int(rows[at])
            having = by_term.indices[by_term.indptr[term] : by_term.indptr[term + 1]].tolist()
            for row in with_code.intersection(having):
                terms.add(keys[term], wordings[term], code, chosen[row])


def _company(
    charts: Sequence[Prepared], chosen: Sequence[int], common: frozenset[str]
) -> tuple[sparse.csr_matrix, list[Key], list[Key]]:
    """Which chart has which word or pair of neighbours, those in at least two charts."""
    ids: dict[Key, int] = {}
    wordings: list[Key] = []
    keys: list[Key] = []
    rows: list[int] = []
    columns: list[int] = []
    for row, number in enumerate(chosen):
        chart = charts[number]
        here: set[int] = set()
        before = -1
        for at, word in enumerate(chart.folded):
            if word in common or len(word) < 2:
                continue
            ends: list[tuple[int, ...]] = [(at,)]
            if before >= 0 and chart.sentences[before] == chart.sentences[at]:
                ends.append((before, at))
            for places in ends:
                wording = tuple(chart.stems[place] for place in places)
                if wording not in ids:
                    ids[wording] = len(wordings)
                    wordings.append(wording)
                    keys.append(tuple(sorted({chart.keys[place] for place in places})))
                here.add(ids[wording])
            before = at
        rows += [row] * len(here)
        columns += sorted(here)
    found = sparse.csr_matrix(
        (np.ones(len(rows)), (rows, columns)), shape=(len(chosen), len(wordings))
    )
    often = np.flatnonzero(np.asarray(found.sum(axis=0)).ravel() >= _LEAST)
    return found[:, often], [wordings[at] for at in often], [keys[at] for at in often]
