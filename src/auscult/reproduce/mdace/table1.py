"""MDACE, Table 1: corpus statistics (the two rows of MDACE itself)."""

from __future__ import annotations

from auscult.core.tokens import tokens
from auscult.reproduce.contract import Measured, Reproduction, ReproductionOutcome, grid
from auscult.reproduce.mdace.files import OPEN, PRACTICES, TEXT, charts, files
from auscult.reproduce.work import Workspace

_COLUMNS = ("Avg. Tokens", "Tot. Labels", "Avg. Labels", "Avg. Evidence")


def run(work: Workspace) -> ReproductionOutcome:
    """Count codes and evidence of ICD-9, and the words of all notes of the charts."""
    found = files(work)
    numbers = {}
    used = [found.used]
    for practice, row in zip(PRACTICES, ("MDACE (IP)", "MDACE (Profee)"), strict=True):
        corpus = found.corpus(practice, "ICD-9")
        annotations = corpus.lazy_annotations.collect()
        size = len(corpus.chart_ids())
        codes = annotations.select("system", "code").n_unique()
        by_chart = annotations.select("chart_id", "system", "code").n_unique()
        values = {
            "Tot. Labels": codes,
            "Avg. Labels": by_chart / size,
            "Avg. Evidence": len(annotations) / size,
        }
        for column, value in values.items():
            numbers[f"{row} · {column}"] = Measured(value, found.basis, n=size)
        whole = charts(work, practice)
        used += whole.used
        known = set(whole.files.corpus(practice, "ICD-9").chart_ids())
        words = {
            chart.chart_id: sum(1 for note in chart.notes for _ in tokens(note.text or ""))
            for chart in whole.corpus.charts(sorted(known))
        }
        mean = sum(words.values()) / len(words)
        numbers[f"{row} · Avg. Tokens"] = Measured(mean, whole.basis, n=len(words))
    return ReproductionOutcome(numbers, tuple(dict.fromkeys(used)))


REPRODUCTION = Reproduction(
    name="mdace-table-1",
    paper="mdace",
    label="Table 1",
    title="Corpora with evidence: MDACE's own rows",
    needs=f"{OPEN}; {TEXT}, which only the average number of tokens needs",
    stand_in="the charts and evidence of the synthetic hospital",
    options=("mdace", "mimic3"),
    calls=(
        "auscult corpus import mdace MDACE/data/Inpatient/ICD-9 inpatient",
        "auscult corpus info inpatient",
    ),
    run=run,
    published=grid(
        _COLUMNS,
        {
            "MDACE (IP)": (19_372, 918, 11.30, 13.03),
            "MDACE (Profee)": (11_116, 652, 31.35, 106.98),
        },
        within=(1000, 0, 0.005, 0.005),
        style=(",.0f", ",.0f", ".2f", ".2f"),
    ),
    remark="Only MDACE's own rows are reproduced. The paper does not say how it counts "
    "tokens, hence the wide tolerance of the first column. The two classes of each "
    "label (applies or not) are not a measurement.",
)
