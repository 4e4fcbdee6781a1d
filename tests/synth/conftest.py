"""A hospital that the tests share, and its tables as plain Python values."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from auscult.synth.admissions import stays
from auscult.synth.charts import ChartWriter, WrittenChart
from auscult.synth.clinical_tables import ClinicalTables, load
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.hospital import HospitalSummary, make_hospital
from auscult.synth.note_author import AuthorContext
from auscult.synth.patients import make_patient
from auscult.synth.staff import Staff

PATIENTS = 160
SEED = 5

csv.field_size_limit(10**9)


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    with path.open(encoding="utf-8", newline="") as handle:
        return [json.loads(line) for line in handle]


@dataclass(frozen=True)
class Hospital:
    """A hospital on disk."""

    path: Path
    summary: HospitalSummary

    @cached_property
    def texts(self) -> dict[str, str]:
        """The masked text of each note."""
        return {row["ROW_ID"]: row["TEXT"] for row in self.table("NOTEEVENTS")}

    @cached_property
    def categories(self) -> dict[str, str]:
        """The category of each note."""
        return {row["ROW_ID"]: row["CATEGORY"].strip() for row in self.table("NOTEEVENTS")}

    def table(self, name: str) -> list[dict[str, str]]:
        """A MIMIC table."""
        return read_table(self.path / "mimic3" / f"{name}.csv")

    def lines(self, name: str) -> list[dict[str, Any]]:
        """A JSON Lines file."""
        return read_lines(self.path / name)

    def mdace(self, part: str, version: str) -> Iterator[dict[str, Any]]:
        """The MDACE files of a part."""
        folder = self.path / "mdace" / "data" / part / version / "1.0"
        for path in sorted(folder.iterdir()):
            yield json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Hospital:
    """A hospital large enough for rates."""
    path = tmp_path_factory.mktemp("synth") / "hospital"
    return Hospital(path, make_hospital(path, patients=PATIENTS, seed=SEED))


@pytest.fixture(scope="session")
def known() -> ClinicalTables:
    """The tables."""
    return load()


@pytest.fixture(scope="session")
def world(known: ClinicalTables) -> AuthorContext:
    """The tables with what is derived from them."""
    return AuthorContext(known, Epidemiology(known), Staff(SEED))


@pytest.fixture(scope="session")
def charts(world: AuthorContext) -> list[WrittenChart]:
    """Charts as values, of the same patients as the first ones of the hospital."""
    writer = ChartWriter(world)
    return [
        writer.write(stay)
        for index in range(60)
        for stay in stays(make_patient(SEED, index), world.epidemiology)
    ]
