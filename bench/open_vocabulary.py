"""Codes that no training chart has, by a vocabulary: diseases of PubMed abstracts in MeSH.

    .venv/bin/python bench/open_vocabulary.py --data ../shared/data

NCBI disease, train → devel; an abstract's codes are the MeSH records of its mentions. The
vocabulary is the Disease Ontology's labels and cross-references to MeSH alone, without synonyms, so
that many mentions have no name in it. `codebook` finds its terms, without training and with it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import auscult
from auscult.codes.concept import Concept
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Status
from auscult.core.counts import Counts
from auscult.corpus import formats
from auscult.models.ready_made import ready_made

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.open_set import counted

_SYSTEM = "MeSH"
_PREFIX = "MESH:"


def concepts(file: Path) -> Iterator[Concept]:
    """The MeSH records that the Disease Ontology has a label for."""
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        _, label, xref = (cell.strip('"') for cell in line.split("\t"))
        if xref.startswith(_PREFIX):
            yield Concept(Code(_SYSTEM, xref.removeprefix(_PREFIX)), label)


def by_chart(folder: Path) -> auscult.Corpus:
    """Abstracts, each with its codes as those of a chart, once."""
    corpus = formats.read("pubtator", folder)
    pairs = {(one.chart_id, one.code) for one in corpus.iter_annotations()}
    given = (Annotation("gold", code, chart) for chart, code in sorted(pairs)
             if code.system == _SYSTEM)  # fmt: skip
    return auscult.Corpus.of(corpus.iter_notes(), given)


def main() -> int:
    """A row for each model."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = args.data / "ncbi_disease"
    train, test = by_chart(folder / "train"), by_chart(folder / "devel")
    seen = {one.code for one in train.iter_annotations()}
    print("| model | precision | recall | micro-F1 | unseen precision | unseen recall | s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "doid"
        Vocabulary.build(concepts(args.data / "doid" / "allXREFinDO.tsv"), path)
        config = {"vocabulary": path}
        _measure("codebook, not trained", lambda: ready_made("codebook", config), test, seen)
        for name, members in (("linear", None), ("codebook", None),
                              ("linear+codebook", ["linear", "codebook"])):  # fmt: skip
            own: dict[str, Any] = {} if name == "linear" else dict(config)
            kind = "ensemble" if members else name
            own |= {"members": members} if members else {}
            _measure(name, lambda k=kind, c=own: auscult.fit(train, k, c, dev_split="none"),
                     test, seen)  # fmt: skip
    return 0


def _measure(name: str, make: Any, test: auscult.Corpus, seen: set[Code]) -> None:
    begin = time.process_time()
    given: dict[str, set[str]] = defaultdict(set)
    for one in make().predict(test):
        if one.status is Status.GIVEN:
            given[one.chart_id].add(one.code.value)
    gold: dict[str, set[str]] = defaultdict(set)
    for one in test.iter_annotations():
        gold[one.chart_id].add(one.code.value)
    known = {code.value for code in seen}
    every, unseen = Counts(), Counts()
    for chart in {*gold, *given}:
        every += counted(given[chart], gold[chart])
        unseen += counted(given[chart] - known, gold[chart] - known)
    cells = [every.precision, every.recall, every.f1, unseen.precision, unseen.recall]
    shown = " | ".join("–" if cell is None else f"{cell:.3f}" for cell in cells)
    print(f"| {name} | {shown} | {time.process_time() - begin:.0f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
