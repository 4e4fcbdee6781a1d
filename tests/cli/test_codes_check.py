"""`auscult codes check` and `auscult corpus doctor --coding`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note
from auscult.corpus import Corpus


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(auscult, list(words))
    return result.exit_code, result.output


def test_findings_cite_and_advise() -> None:
    code, output = run("codes", "check", "E10.9", "E11.9")
    assert code == 0
    assert "error    excludes1: E11.9" in output
    assert "Excludes1 at E10: type 2 diabetes mellitus (E11.-)" in output
    assert "unrelated" in output
    assert run("codes", "check", "R54") == (0, "No problems found.\n")


def test_strict_fails_on_errors_and_warnings_only() -> None:
    assert run("codes", "check", "I10", "--strict")[0] == 0
    assert run("codes", "check", "I50", "--strict")[0] == 1
    assert run("codes", "check", "I12.9", "--strict")[0] == 1
    assert run("codes", "check", "R54", "--age", "3", "--strict")[0] == 1
    assert run("codes", "check", "C61", "--sex", "f", "--strict")[0] == 1


def test_json_has_the_release_and_every_finding() -> None:
    code, output = run("codes", "check", "i50", "401.9", "--json", "--unordered")
    found = json.loads(output)
    assert code == 0
    assert found["system"] == "ICD-10-CM"
    assert found["release"].isdigit()
    assert {finding["rule"] for finding in found["findings"]} >= {"not-billable", "other-system"}


@pytest.mark.parametrize(
    "words", [["I10", "--system", "CPT"], ["I10", "--sex", "x"], ["I10", "--age", "300"], []]
)
def test_bad_options_are_one_sentence(words: list[str]) -> None:
    code, output = run("codes", "check", *words)
    assert code != 0
    assert "Traceback" not in output


def test_the_doctor_counts_by_rule(tmp_path: Path) -> None:
    given = [Annotation("ann", Code("ICD-10-CM", value), "c1") for value in ("E10.9", "E11.9")]
    Corpus.of([Note("n1", "c1", text="text")], given).write(tmp_path / "corpus")
    code, output = run("corpus", "doctor", str(tmp_path / "corpus"), "--coding")
    assert code == 0
    assert "1 case of two codes that exclude each other (Excludes1), in 1 chart" in output
    assert "Coding rules" in output
    code, _ = run("corpus", "doctor", str(tmp_path / "corpus"), "--coding", "--fail-on", "error")
    assert code == 1
