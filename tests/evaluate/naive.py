"""The evidence metrics once more, as simply as can be: loops and sets, one chart at a time.

Written from the description of the paper and of what its scripts do, with nothing of ours but the
values, so that a mistake in the tables and groupings shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from auscult.core import Annotation

Key = tuple[object, ...]


def tokens(covered: str) -> list[tuple[int, str]]:
    found = []
    for match in re.finditer(r"\w+", covered.lower()):
        word = match.group()
        if not word.isdigit() or int(word) <= 10:
            found.append((match.start(), word))
    return found


def trim(text: str, begin: int, end: int) -> tuple[int, int]:
    while begin < end and text[begin] in "-.,/ \n\t)":
        begin += 1
    while end > begin and text[end - 1] in "-.,/ \n\t(":
        end -= 1
    return begin, end


def evidence_counts(
    gold: Iterable[Annotation],
    predicted: Iterable[Annotation],
    texts: Mapping[str, str],
    charts: Iterable[str],
    *,
    trimmed: bool = False,
) -> dict[str, list[int]]:
    """TP, FP, FN of the four metrics, summed over the charts."""

    def spans(annotations: Iterable[Annotation], chart: str) -> list[tuple[str, int, int, object]]:
        found: list[tuple[str, int, int, object]] = []
        for a in annotations:
            if a.chart_id == chart:
                for span in a.spans:
                    begin, end = span.begin, span.end
                    if trimmed:
                        begin, end = trim(texts[a.note_id or ""], begin, end)
                    found.append((a.note_id or "", begin, end, a.code))
        return found

    keys: dict[str, Callable[[str, int, int, object], list[Key]]] = {
        "span": lambda n, b, e, c: [(n, b, e, c)],
        "span_pi": lambda n, b, e, c: [(texts[n][b:e].lower(), c)],
        "token": lambda n, b, e, c: [(n, b + at, c) for at, _ in tokens(texts[n][b:e])],
        "token_pi": lambda n, b, e, c: [(word, c) for _, word in tokens(texts[n][b:e])],
    }
    gold, predicted = list(gold), list(predicted)
    totals = {name: [0, 0, 0] for name in keys}
    for chart in charts:
        for name, key in keys.items():
            has = {k for span in spans(gold, chart) for k in key(*span)}
            said = {k for span in spans(predicted, chart) for k in key(*span)}
            totals[name][0] += len(has & said)
            totals[name][1] += len(said - has)
            totals[name][2] += len(has - said)
    return totals
