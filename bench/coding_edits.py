"""The coding rules over MDACE's charts, and their speed over a large table of codes.

    .venv/bin/python bench/coding_edits.py ../shared/data/mdace/data
    .venv/bin/python bench/coding_edits.py --charts 50000

The first prints how often each rule finds something in the ICD-10-CM codes of each chart, and with
--pairs the most frequent codes of each; never text of a note. The second draws 14 codes for each
chart from all billable codes, and prints the time of `corpus doctor --coding` over them.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

import polars as pl

from auscult.codes.coding_edits import check_codes
from auscult.codes.tabular.current import tabular_list
from auscult.corpus import Corpus, formats
from auscult.corpus.doctor import check_coding

SYSTEM = "ICD-10-CM"
PARTS = ("Inpatient", "Profee")
CODES = 14


def mdace(folder: Path, pairs: int) -> None:
    """Print the findings over both parts of MDACE by rule and severity."""
    counts: Counter[tuple[str, str]] = Counter()
    charts: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    codes: dict[tuple[str, str], Counter[tuple[str, ...]]] = defaultdict(Counter)
    coded: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for part in PARTS:
        for annotation in formats.read("mdace", folder / part / "ICD-10").iter_annotations():
            if annotation.code.system == SYSTEM:
                coded[part, annotation.chart_id][annotation.code.value] = None
    for chart, values in coded.items():
        for finding in check_codes(list(values), first_listed=False):
            kind = finding.rule, finding.severity.value
            counts[kind] += 1
            charts[kind].add(chart)
            codes[kind][finding.codes] += 1
    print(f"{len(coded)} charts, {sum(map(len, coded.values())):,} codes")
    print("| rule | severity | findings | charts |\n| --- | --- | ---: | ---: |")
    for (rule, severity), count in counts.most_common():
        print(f"| `{rule}` | {severity} | {count:,} | {len(charts[rule, severity])} |")
        for together, times in codes[rule, severity].most_common(pairs):
            print(f"  {times:4} {' '.join(together)}")


def speed(number: int, seed: int) -> None:
    """Print how long a corpus of random codes takes."""
    billable = [entry.value for entry in tabular_list() if entry.billable]
    draw = random.Random(seed)
    values = draw.choices(billable, k=number * CODES)
    annotations = pl.DataFrame(
        {
            "chart_id": [f"c{at // CODES}" for at in range(len(values))],
            "code": values,
        }
    )
    notes = pl.DataFrame({"note_id": ["n0"], "chart_id": ["c0"], "text": ["-"]})
    corpus = Corpus.from_polars(notes, annotations, system=SYSTEM)
    begin = time.perf_counter()
    found = list(check_coding(corpus, examples=1))
    seconds = time.perf_counter() - begin
    total = sum(finding.count for finding in found)
    print(f"{number:,} charts of {CODES} codes: {total:,} findings in {seconds:.1f} s")


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("mdace", type=Path, nargs="?", help="MDACE's data folder")
    parser.add_argument("--pairs", type=int, default=0, help="codes to list for each rule")
    parser.add_argument("--charts", type=int, default=0, help="charts of the random corpus")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.mdace is not None:
        mdace(given.mdace, given.pairs)
    if given.charts:
        speed(given.charts, given.seed)


if __name__ == "__main__":
    main()
