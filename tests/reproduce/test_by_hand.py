"""The commands of a result give its numbers again: one table of each paper, in a new folder."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.reproduce.small import TINY

from auscult.cli.main import auscult
from auscult.reproduce.contract import Measured
from auscult.reproduce.registry import named
from auscult.reproduce.run import run
from auscult.reproduce.work import Scale, Workspace


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    elsewhere = tmp_path / "by hand"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return tmp_path


def both(
    name: str, folder: Path, scale: Scale = TINY
) -> tuple[dict[str, Measured], list[dict[str, Any]]]:
    """The numbers of a result, and what its commands print, given one after the other."""
    [result] = run([named(name)], Workspace(folder / "work", scale=scale))
    assert result.failed is None
    assert result.found is not None
    assert result.found.commands
    printed = []
    for line in result.found.commands:
        program, *words = shlex.split(line)
        assert program == "auscult"
        done = CliRunner().invoke(auscult, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        if "--json" in words:
            printed.append(json.loads(done.stdout))
    return dict(result.found.numbers), printed


def same(measured: Measured, value: float | None, interval: Any = None) -> None:
    assert value is not None
    assert measured.value == pytest.approx(value)
    if interval is not None:
        assert measured.interval == pytest.approx(tuple(interval))


def test_mdace_counts(folder: Path) -> None:
    found, infos = both("mdace-table-3", folder)
    by_practice = {"Inpatient": infos[:2], "Profee": infos[2:]}
    for practice, (nine, ten) in by_practice.items():
        same(found[f"Encounters · {practice}"], ten["charts"])
        same(found[f"Documents · {practice}"], ten["notes"])
        for revision, info in (("ICD-9", nine), ("ICD-10", ten)):
            same(found[f"{revision} Codes · {practice}"], info["codes"])
            same(found[f"Evidence for {revision} · {practice}"], info["annotations"])


def test_mdace_evidence(folder: Path) -> None:
    found, printed = both("mdace-table-10", folder)
    for practice, one in zip(("Inpatient", "Profee"), printed, strict=True):
        for column, name in (("Token", "token"), ("P.I. exact span", "span_pi")):
            assert one["oracle"][name]["recall"] is not None
            same(found[f"{column} R · {practice}"], 100 * one["oracle"][name]["recall"])


def test_three_coders_against_their_majority(folder: Path) -> None:
    found, [printed] = both("challenge-table-3", folder)
    scored = printed["against_majority"]
    for row, who in zip(("HOSPITAL", "COMPANY Y", "COMPANY Z"), scored, strict=True):
        for column, name in (
            ("Cost-sensitive", "cost_sensitive"),
            ("Micro-averaged F1", "micro_f1"),
            ("Macro-averaged F1", "macro_f1_from_macro_precision_and_recall_where_defined"),
        ):
            interval = scored[who]["intervals"].get(name)
            same(found[f"{row} · {column}"], scored[who][name], interval)


def test_generated_texts(folder: Path) -> None:
    found, [printed] = both("complaints-s3", folder)
    row = "Synthetic compared with authentic texts"
    for column, name in (("CIDEr", "cider"), ("embedding similarity", "embedding_similarity")):
        same(found[f"{row} · {column}"], printed[name]["value"], printed[name]["interval"])


def test_readmission_models(folder: Path) -> None:
    # Enough patients that some of the test notes are followed by a readmission.
    found, printed = both("sensitivity-table-1", folder, replace(TINY, patients=60))
    for row, one in zip(("BioClinicalBERT", "tf-idf+xgb"), printed, strict=True):
        [only] = one["first"]["runs"]
        for column, name in (("AUROC", "auroc"), ("AUPRC", "auprc")):
            same(found[f"{row} · {column}"], only[name]["value"], only[name]["interval"])


def test_two_annotators(folder: Path) -> None:
    found, [printed] = both("entities-agreement", folder)
    same(found["Agreement · Jaccard of spans"], printed["span_jaccard"])
    same(found["Agreement · same concept on shared spans, %"], 100 * printed["shared_code"])
