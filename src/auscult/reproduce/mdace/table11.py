"""MDACE, Table 11: examples of evidence by people and two networks."""

from __future__ import annotations

from collections.abc import Iterable

from auscult.core import Annotation
from auscult.models.chart_inputs import codes_by_chart
from auscult.reproduce.contract import Measured, Printed, Reproduction, ReproductionOutcome, above
from auscult.reproduce.mdace.training import (
    NEEDS,
    STAND_IN,
    learned,
    settings_used,
    summaries,
)
from auscult.reproduce.work import Workspace

_WAYS = {"Baseline": "attention", "Supervised attention": "supervised"}
_COLUMN = "Mean words per span"
_EXAMPLES = {
    "Human annotation": (
        "left internal mammary artery to left anterior descending artery", "Atrial fibrillation",
        "aortic stenosis", "thoracic aortic aneurysm", "Congestive heart failure",
        "Supratherapeutic INR", "Acute Renal Failure", "Chronic renal insufficiency",
    ),
    "Baseline": (
        "mammary", "Atrial", "atrial", "Sj", "thoracic", "Congestive", "INR", "Renal",
        "creatinine", "renal", "renal",
    ),
    "Supervised attention": (
        "left internal mammary", "left anterior descending", "Atrial fibrillation", "Sj", "Aortic",
        "thoracic", "aneurysm", "Congestive heart failure", "INR", "Supratherapeutic INR",
        "Acute Renal Failure", "renal failure", "renal insufficiency",
    ),
}  # fmt: skip
"""Each string once for a code."""


def run(work: Workspace) -> ReproductionOutcome:
    """The mean number of words per evidence span of people and both networks."""
    whole, corpus = summaries(work)
    test = corpus.select(splits=["test"], annotators=["inpatient"])
    texts = {note.note_id: note.text or "" for note in test.iter_notes()}
    gold = list(test.iter_annotations())
    words = {"Human annotation": _words(gold, texts)}
    for row, evidence in _WAYS.items():
        settings = {"evidence": evidence, "annotators": ("billing", "inpatient")}
        model = learned(work, corpus, "effectivecan", settings, seed=0)
        asked = codes_by_chart(gold)
        made = model.predict(test.iter_notes(), also=asked)
        wanted = {(chart, code) for chart, codes in asked.items() for code in codes}
        words[row] = _words((one for one in made if (one.chart_id, one.code) in wanted), texts)
    numbers = {
        f"{row} · {_COLUMN}": Measured(sum(found) / len(found), whole.basis, n=len(found))
        if found
        else Measured(None, whole.basis, undefined="it predicts no evidence")
        for row, found in words.items()
    }
    return ReproductionOutcome(numbers, whole.used, settings_used(work), seeds=(0,))


def _words(annotations: Iterable[Annotation], texts: dict[str, str]) -> list[int]:
    """How many words each string has that was marked for a code of a chart, each string once."""
    strings = {
        (one.chart_id, one.code, span.of(texts[one.note_id]).lower())
        for one in annotations
        if one.note_id in texts
        for span in one.spans
    }
    return [len(text.split()) for _, _, text in sorted(strings)]


REPRODUCTION = Reproduction(
    name="mdace-table-11",
    paper="mdace",
    label="Table 11",
    title="Evidence by people and two networks",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("mimic3", "mdace"),
    calls=(
        "auscult predict supervised charts predicted --split test --codes-of inpatient",
        "auscult report charts predicted report.html --trained-model supervised "
        "--annotator inpatient",
    ),
    run=run,
    published=tuple(
        Printed(
            row, _COLUMN, sum(len(text.split()) for text in texts) / len(texts), 0.75, ".2f"
        )
        for row, texts in _EXAMPLES.items()
    ),
    claims=(
        above(f"Supervised attention · {_COLUMN}", f"Baseline · {_COLUMN}",
              "Supervised attention marks phrases where the baseline marks single words."),
        above(f"Human annotation · {_COLUMN}", f"Supervised attention · {_COLUMN}",
              "People mark more words than either network."),
    ),
    remark="The table has eight examples and no numbers; the numbers here are counted from"
        " its strings, so the tolerance is wide. The page of `auscult report` shows "
        "charts in the same way.",
)  # fmt: skip
