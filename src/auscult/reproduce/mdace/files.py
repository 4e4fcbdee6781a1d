"""The MDACE directory, original or of the synthetic hospital, and its charts with their text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from auscult.core import Code
from auscult.core.names import require_known
from auscult.core.randomness import shuffled
from auscult.corpus import Corpus, formats
from auscult.corpus.selecting import matching, only_codes
from auscult.corpus.split import split_by_list
from auscult.evaluate.sides import read_chart_ids
from auscult.reproduce import hospital
from auscult.reproduce.commands import auscult
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.work import Workspace

PRACTICES = ("Inpatient", "Profee")
SUMMARY = "Discharge summary"
OPEN = "MDACE's annotations are open (github.com/3mcloud/MDACE, MIT)"
TEXT = "the text of their notes is in MIMIC-III (PhysioNet, credentialed)"
_ICD = ("ICD-9-CM", "ICD-9-PCS")
_LISTS = {"train": "train", "dev": "val", "test": "test"}


@dataclass(frozen=True, slots=True)
class Files:
    """A folder with data/ and splits/."""

    folder: Path
    used: UsedData
    work: Workspace = field(repr=False)

    @property
    def basis(self) -> Basis:
        """The basis of its numbers."""
        return self.used.basis

    def corpus(self, practice: str, revision: str) -> Corpus:
        """What one practice annotated in one revision of ICD, without text; read once."""
        place = self.folder / "data" / practice / revision
        return self.work.once(f"mdace {place}", lambda: formats.read("mdace", place))

    def lists(self, practice: str, kind: str) -> dict[str, list[str]]:
        """The charts of train, dev and test; kind is `ev` or `code-ev`."""
        require_known(practice, PRACTICES, "practice")
        place = self.folder / "splits" / practice
        return {
            split: read_chart_ids(place / f"MDace-{kind}-{name}.csv")
            for split, name in _LISTS.items()
        }


def files(work: Workspace) -> Files:
    """MDACE's own folder if it is given, and otherwise the hospital's."""
    given = work.sources.get("mdace")
    if given is None:
        return _synthetic(work)
    paths = (given / "data", given / "splits")
    return Files(given, work.used("MDACE", Basis.REAL, "MDACE as published", *paths), work)


def to_count(work: Workspace) -> tuple[str, ...]:
    """The commands that count charts, notes, codes and evidence in the same files."""
    given = work.sources.get("mdace")
    folder, made = (
        ("hospital/mdace", [hospital.to_make(work)]) if given is None else (str(given), [])
    )
    for practice in PRACTICES:
        for revision in ("ICD-9", "ICD-10"):
            out = f"{practice}-{revision}".lower()
            made += [
                auscult("corpus", "import", "mdace", f"{folder}/data/{practice}/{revision}", out),
                auscult("corpus", "info", out, "--json"),
            ]
    return tuple(made)


@dataclass(frozen=True, slots=True)
class ChartFiles:
    """Charts with text, billed codes and evidence."""

    corpus: Corpus = field(repr=False)
    used: tuple[UsedData, ...]
    files: Files
    tables: Path

    @property
    def basis(self) -> Basis:
        """The basis of their numbers."""
        return self.files.basis


def charts(
    work: Workspace, practice: str, *, categories: Sequence[str] | None = None
) -> ChartFiles:
    """The charts that have text: MIMIC-III and MDACE if both are given, or the hospital's.

    With `categories` all charts, to learn from, and of what was billed only ICD-9, as in the
    paper: Mullenbach et al.'s codes are no CPT codes. (The CPT codes that Profee coders annotated
    stay: the authors' own predictions have some.) Without `categories` all notes of the charts
    that were annotated, and all codes, to count.
    """
    tables = work.sources.get("mimic3")
    if tables is not None and work.sources.get("mdace") is not None:
        found = files(work)
        notes = work.used("MIMIC-III", Basis.REAL, "MIMIC-III's tables as published", tables)
        used: tuple[UsedData, ...] = (found.used, notes)
    else:
        found = _synthetic(work)
        tables = hospital.hospital(work) / "mimic3"
        used = (hospital.used(work, "mimic3", "mdace"),)
    about = {
        "practice": practice, "categories": categories, "billed": categories and _ICD,
        "of": [one.digest for one in used],
    }  # fmt: skip

    def make(out: Path) -> None:
        options = {} if categories is None else {"categories": tuple(categories)}
        notes = formats.read("mimic3", tables, **options)
        evidence = found.corpus(practice, "ICD-9")
        if categories is None:
            notes = notes.select(charts=evidence.chart_ids())
        else:
            # A practice need not have evidence in notes of every category.
            evidence = matching(evidence, categories=categories)
            notes = matching(notes, systems=_ICD)
        merged = notes.merge(evidence)
        split_by_list(merged, found.lists(practice, "code-ev")).write(out)

    place = work.kept("charts", about, make)
    return ChartFiles(Corpus.open(place), used, found, tables)


def smaller(corpus: Corpus, work: Workspace, *, of: str) -> Corpus:
    """The training data at this scale: fewer charts with evidence, and no rare codes."""
    most, least = work.scale.charts, work.scale.least
    if most is None:
        return corpus
    pointed = corpus.lazy_annotations.filter(pl.col("annotator") == of).select("chart_id").unique()
    known = set(pointed.collect()["chart_id"])
    kept: list[str] = []
    for split, share in (("train", 1.0), ("dev", 0.3), ("test", 0.4)):
        here = [one for one in corpus.select(splits=[split]).chart_ids() if one in known]
        kept += shuffled(sorted(here), random.Random(0))[: max(2, round(share * most))]
    part = corpus.select(charts=kept)
    often = (
        part.select(splits=["train"], annotators=[of])
        .lazy_annotations.select("chart_id", "system", "code").unique()
        .group_by("system", "code").len().filter(pl.col("len") >= least)
        .select("system", "code").collect()
    )  # fmt: skip
    return only_codes(part, [Code(*pair) for pair in often.iter_rows()])


def _synthetic(work: Workspace) -> Files:
    return Files(hospital.hospital(work) / "mdace", hospital.used(work, "mdace"), work)
