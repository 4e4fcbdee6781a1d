"""Emergency records without a hospital are those of a hospital."""

from __future__ import annotations

from pathlib import Path

from auscult.synth.emergency_records import make_emergency_records
from auscult.synth.hospital import make_hospital


def test_they_begin_with_those_of_the_hospital(tmp_path: Path) -> None:
    make_hospital(tmp_path / "hospital", patients=3, seed=5)
    count = make_emergency_records(tmp_path / "records", patients=6, seed=5)
    made = (tmp_path / "records" / "records.csv").read_text(encoding="utf-8")
    assert made.startswith((tmp_path / "hospital/emergency/records.csv").read_text("utf-8"))
    assert len(made.splitlines()) == count + 1
