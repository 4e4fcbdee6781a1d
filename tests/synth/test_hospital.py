"""The hospital as a whole: the same seed, the same bytes; a failure leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.synth.conftest import Hospital, read_lines, read_table

from auscult.core import OptionError
from auscult.core.progress import listening
from auscult.synth import hospital as hospital_module
from auscult.synth.hospital import make_hospital


def _digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    make_hospital(tmp_path / "a", patients=12, seed=3)
    make_hospital(tmp_path / "b", patients=12, seed=3)
    make_hospital(tmp_path / "c", patients=12, seed=4)
    first, again, other = (_digests(tmp_path / name) for name in "abc")
    assert first == again
    assert first["mimic3/NOTEEVENTS.csv"] != other["mimic3/NOTEEVENTS.csv"]


def test_another_process_gives_the_same_bytes(tmp_path: Path) -> None:
    """Neither the order of sets and hashes nor the locale matters."""
    make_hospital(tmp_path / "here", patients=4, seed=3)
    code = (
        "import pathlib, sys; from auscult.synth.hospital import make_hospital; "
        "make_hospital(pathlib.Path(sys.argv[1]), patients=4, seed=3)"
    )
    environment = {"PYTHONHASHSEED": "12345", "LC_ALL": "C", "TZ": "Asia/Kolkata", "PATH": ""}
    command = [sys.executable, "-c", code, str(tmp_path / "there")]
    subprocess.run(command, env=environment, check=True)
    assert _digests(tmp_path / "here") == _digests(tmp_path / "there")


def test_a_patient_is_the_same_in_a_larger_hospital(hospital: Hospital, tmp_path: Path) -> None:
    make_hospital(tmp_path / "small", patients=10, seed=hospital.summary.seed)
    few = read_table(tmp_path / "small" / "mimic3" / "NOTEEVENTS.csv")
    assert len(few) > 50
    assert few == hospital.table("NOTEEVENTS")[: len(few)]
    for name in ("truth/annotations.jsonl", "phi/annotations.jsonl", "coders/annotations.jsonl"):
        lines = read_lines(tmp_path / "small" / name)
        assert lines == hospital.lines(name)[: len(lines)]
    records = read_table(tmp_path / "small" / "emergency" / "records.csv")
    assert records == read_table(hospital.path / "emergency" / "records.csv")[: len(records)]
    for path in (tmp_path / "small" / "mdace" / "data").rglob("*.json"):
        same = hospital.path / path.relative_to(tmp_path / "small")
        assert path.read_bytes() == same.read_bytes()


def test_hospital_json_tells_of_every_file(hospital: Hospital) -> None:
    told = json.loads((hospital.path / "hospital.json").read_text(encoding="utf-8"))
    found = _digests(hospital.path)
    found.pop("hospital.json")
    assert told["files"] == found
    assert (told["seed"], told["patients"]) == (hospital.summary.seed, hospital.summary.patients)
    assert told["counts"]["notes"] == len(hospital.table("NOTEEVENTS"))
    assert told["counts"]["admissions"] == len(hospital.table("ADMISSIONS"))
    assert told["counts"]["phrases"] == len(hospital.lines("truth/annotations.jsonl"))
    assert told["counts"]["phi_annotations"] == len(hospital.lines("phi/annotations.jsonl"))
    coders = hospital.lines("coders/annotations.jsonl")
    assert told["counts"]["coder_annotations"] == len(coders)


def test_no_line_ends_in_a_carriage_return(hospital: Hospital) -> None:
    for path in hospital.path.rglob("*"):
        if path.is_file():
            assert b"\r" not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("options", "said"),
    [({"patients": 0}, "at least one patient"), ({"evidence": 1.5}, "from 0 to 1")],
)
def test_impossible_hospitals_are_refused(
    tmp_path: Path, options: dict[str, int | float], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        make_hospital(tmp_path / "out", **options)  # type: ignore[arg-type] # wrong on purpose
    assert not (tmp_path / "out").exists()


def test_a_full_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OptionError, match="not empty"):
        make_hospital(tmp_path, patients=1)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(hospital_module, "bill", fail)
    with pytest.raises(RuntimeError):
        make_hospital(tmp_path / "out", patients=2)
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int | None]] = []

    def listener(items: object, what: str, total: int | None) -> object:
        told.append((what, total))
        return items

    with listening(listener):  # type: ignore[arg-type] # only passes on what it is given
        make_hospital(tmp_path / "out", patients=2)
    assert ("patients", 2) in told


def test_some_charts_may_go_without_evidence(tmp_path: Path) -> None:
    make_hospital(tmp_path / "out", patients=30, seed=1, evidence=0.5)
    charts = len(read_table(tmp_path / "out" / "mimic3" / "ADMISSIONS.csv"))
    files = list((tmp_path / "out" / "mdace" / "data" / "Inpatient" / "ICD-10").rglob("*.json"))
    assert 0.2 * charts < len(files) < 0.8 * charts
    splits = tmp_path / "out" / "mdace" / "splits" / "Inpatient"
    ev = sum(len(path.read_text().split()) for path in splits.glob("MDace-ev-*.csv"))
    code = sum(len(path.read_text().split()) for path in splits.glob("MDace-code-ev-*.csv"))
    assert (ev, code) == (len(files), charts)
