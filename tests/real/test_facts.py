"""The published figures of the open tables that have no reader of their own here yet."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    ("name", "rows", "ending"),
    [
        ("2018_I10gem.txt", 81_593, b"\n"),
        ("2018_I9gem.txt", 24_860, b"\n"),
        ("gem_pcsi9.txt", 101_025, b"\r\n"),
        ("gem_i9pcs.txt", 73_593, b"\r\n"),
    ],
)
def test_gems(shared_data: Path, name: str, rows: int, ending: bytes) -> None:
    raw = (shared_data / "gems" / name).read_bytes()
    lines = [line for line in raw.split(ending) if line]
    assert len(lines) == rows
    assert (b"\r" in raw) == (ending == b"\r\n")
    assert all(len(line.split()) == 3 and len(line.split()[2]) == 5 for line in lines)


def test_icd_descriptions(shared_data: Path) -> None:
    folder = shared_data / "icd"
    diagnoses = (folder / "CMS32_DESC_LONG_DX.txt").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        diagnoses.decode("utf-8")
    assert len(diagnoses.decode("iso-8859-1").splitlines()) == 14_567
    assert len((folder / "CMS32_DESC_LONG_SG.txt").read_bytes().splitlines()) == 3_882
    order = (folder / "icd10cm_order_2018.txt").read_text().splitlines()
    assert len(order) == 94_127
    assert sum(line[14] == "1" for line in order) == 71_704


def test_ccs_is_quoted_with_apostrophes_and_padded(shared_data: Path) -> None:
    for name in ("dxref_2015.csv", "prref_2015.csv"):
        lines = (shared_data / "hcup_ccs" / name).read_text().splitlines()
        rows = list(csv.reader(lines[3:], quotechar="'"))
        assert rows
        assert any(row[0] != row[0].strip() for row in rows)
        assert all(row[1].strip().isdigit() for row in rows)


def test_disease_ontology(shared_data: Path) -> None:
    with (shared_data / "doid" / "allXREFinDO.tsv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    assert len(rows) == 39_264
    assert {row["xref"].split(":")[0] for row in rows} >= {"UMLS_CUI", "MESH"}
