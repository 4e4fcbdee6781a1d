"""Lines of the JSON Lines files: one note or annotation each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache


@lru_cache(100_000)
def _quoted(words: str) -> str:
    """Words as JSON. The same few come again and again."""
    return json.dumps(words, ensure_ascii=False)


def annotation(
    annotator: str,
    code: tuple[str, str],
    chart_id: int,
    note_id: int,
    spans: Sequence[tuple[int, int]],
    meta: str = "",
) -> str:
    """An annotation as a line, in the shape the `jsonl` format reads.

    >>> print(annotation("ann", ("ICD-10-CM", "I10"), 7, 5, [(0, 3)], '{"a": "b"}').strip())
    {"note_id": "5", "chart_id": "7", "annotator": "ann", "system": "ICD-10-CM", "code": "I10", \
"spans": [[0, 3]], "score": null, "meta": {"a": "b"}}
    """
    pairs = ", ".join(f"[{begin}, {end}]" for begin, end in spans)
    line = (
        f'{{"note_id": "{note_id}", "chart_id": "{chart_id}", "annotator": {_quoted(annotator)}, '
        f'"system": {_quoted(code[0])}, "code": {_quoted(code[1])}, "spans": [{pairs}], '
        '"score": null'
    )
    return f'{line}, "meta": {meta}}}\n' if meta else line + "}\n"


@lru_cache(200_000)
def meta(**said: str) -> str:
    """What else there is to say, as JSON."""
    return json.dumps(said, ensure_ascii=False)


def note(note_id: int, chart_id: int, subject_id: int, category: str, time: str, text: str) -> str:
    """A note as a line."""
    line = {
        "note_id": str(note_id),
        "chart_id": str(chart_id),
        "subject_id": str(subject_id),
        "category": category,
        "time": time,
        "text": text,
    }
    return json.dumps(line, ensure_ascii=False) + "\n"
