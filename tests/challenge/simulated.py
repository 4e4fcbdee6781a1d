"""Systems that are as good as they are made: gold with codes dropped, added and confused."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from auscult.core import Code

Answers = Mapping[str, AbstractSet[Code]]


def noisy(
    gold: Answers, codes: Sequence[Code], dice: random.Random, drop: float, add: float
) -> dict[str, frozenset[Code]]:
    """Gold without each code by the chance of `drop`, and with another one by that of `add`."""
    made = {}
    for chart_id, right in gold.items():
        given = {code for code in sorted(right) if dice.random() >= drop}
        if dice.random() < add:
            given.add(dice.choice(codes))
        made[chart_id] = frozenset(given)
    return made


def as_csv(answers: Answers) -> str:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["document", "code"])
    for chart_id, codes in answers.items():
        rows.writerows([chart_id, code.value] for code in sorted(codes))
        if not codes:
            rows.writerow([chart_id, ""])
    return text.getvalue()


def as_json(answers: Answers) -> str:
    return json.dumps({c: [code.value for code in sorted(said)] for c, said in answers.items()})


def as_xml(answers: Answers, origin: str = "system") -> str:
    docs = []
    for chart_id, codes in answers.items():
        inner = "".join(
            f'<code origin="{origin}" type="{code.system}">{code.value}</code>'
            for code in sorted(codes)
        )
        docs.append(f'<doc id="{chart_id}"><codes>{inner}</codes></doc>\n')
    return f"<docs>\n{''.join(docs)}</docs>\n"


FORMS = {"csv": as_csv, "json": as_json, "xml": as_xml}


def write(answers: Answers, file: Path) -> Path:
    """Write answers in the form that the file's name has."""
    file.write_text(FORMS[file.suffix[1:]](answers), encoding="utf-8")
    return file
