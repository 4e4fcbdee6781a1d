"""MDACE's ICD-10 annotations mapped to ICD-9, against the ICD-9 version its authors published.

    .venv/bin/python bench/mdace_mapping.py ../shared/data/mdace/data ../shared/data/gems

Prints Table 6 of the MDACE paper as we reproduce it, and for every kind of mapping how many rows
agree, and why the others do not.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from auscult.codes.gems import Gems, find_gems
from auscult.codes.mapping import Mapped, map_code
from auscult.core import Annotation, Code
from auscult.corpus import formats

PUBLISHED = {
    "Inpatient": {"Human": 2525, "EXACT": 417, "APPROX": 687, "MULTI": 244, "NO_ENTRY": 61},
    "Profee": {"Human": 1606, "EXACT": 1387, "APPROX": 1847, "MULTI": 704, "NO_ENTRY": 19},
}
TARGET = {"ICD-10-CM": "ICD-9-CM", "ICD-10-PCS": "ICD-9-PCS"}
KINDS = {"MULTI_DESC": "MULTI"}

Pair = tuple[Annotation, Annotation]


def pairs(folder: Path) -> tuple[list[Pair], int]:
    """Annotations of both versions on the same span, in order; and how many have no partner."""
    versions: list[dict[tuple[object, ...], list[Annotation]]] = []
    for version in ("ICD-10", "ICD-9"):
        on: dict[tuple[object, ...], list[Annotation]] = defaultdict(list)
        for annotation in formats.read("mdace", folder / version).iter_annotations():
            if annotation.code.system.startswith(version):
                on[annotation.chart_id, annotation.note_id, annotation.spans].append(annotation)
        versions.append(on)
    ten, nine = versions
    found: list[Pair] = []
    for place, there in ten.items():
        found += zip(there, nine.get(place, ()), strict=False)
    return found, sum(map(len, ten.values())) - len(found)


def cause(mapped: Mapped, theirs: Annotation) -> str:
    """Why our mapping is another than theirs."""
    others = {*mapped.alternatives, *(c for together in mapped.scenarios for c in together)}
    if mapped.newer:
        return "code newer than the GEMs: another relative of it taken"
    if theirs.code.value in others:
        if theirs.meta.get("type") == "MapType.MULTI":
            return "one of several equivalents, chosen by the chart's own MIMIC codes"
        return "one of several equivalents, another chosen"
    return "model's own choice, no equivalent in the GEMs"


def main() -> None:
    """Compare both parts of MDACE and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("mdace", type=Path)
    parser.add_argument("gems", type=Path)
    arguments = parser.parse_args()
    gems: dict[str, Gems] = {a: find_gems(arguments.gems, a, b) for a, b in TARGET.items()}
    for specialty, published in PUBLISHED.items():
        found, alone = pairs(arguments.mdace / specialty)
        known = {theirs.code.value for _, theirs in found}
        kinds: Counter[str] = Counter()
        agreed: Counter[str] = Counter()
        causes: dict[str, Counter[str]] = defaultdict(Counter)
        steps: Counter[str] = Counter()
        for ours, theirs in found:
            kind = theirs.meta.get("type", "").removeprefix("MapType.")
            kind = KINDS.get(kind, kind)
            mapped = map_code(
                Code(ours.code.system, ours.code.value),
                gems[ours.code.system],
                among=[("set", known)],
            )
            kinds[kind] += 1
            steps[mapped.step] += 1
            if mapped.code == theirs.code:
                agreed[kind] += 1
            else:
                causes[kind][cause(mapped, theirs)] += 1
        print(f"\n{specialty}: {len(found):,} rows paired, {alone} without a partner\n")
        print("| decided by | paper | here | we agree | of the rest |")
        print("| --- | ---: | ---: | ---: | --- |")
        for kind, count in published.items():
            rest = "; ".join(f"{n} {why}" for why, n in causes[kind].most_common())
            share = f"{agreed[kind]} ({agreed[kind] / kinds[kind]:.1%})" if kinds[kind] else "–"
            print(f"| {kind} | {count:,} | {kinds[kind]:,} | {share} | {rest or '–'} |")
        total = sum(steps.values())
        told = ", ".join(f"{step} {n / total:.1%}" for step, n in steps.most_common())
        print(f"\nOur own steps over all rows: {told}")


if __name__ == "__main__":
    main()
