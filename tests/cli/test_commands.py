"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from auscult.cli import output
from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.formats import FORMATS

COMMAND = [sys.executable, "-m", "auscult"]


def run(*words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the real command in a process of its own."""
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def answer(*words: str | Path) -> dict[str, object]:
    """Run a command in this process with --json and read what it says."""
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # the commands print objects


def test_cells_are_text_and_no_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    odd = ["Hemoglobin [mass/volume] in Blood", "[/b]odd", "[red]x[/red]", ":smile:"]
    output.table("[i]title", ["[b]name"], [[cell] for cell in odd])
    shown = capsys.readouterr().out
    assert [line.rstrip() for line in shown.splitlines()] == ["[i]title", "[b]name", *odd]


def test_a_note_is_shown_as_it_is(tmp_path: Path) -> None:
    note = Note("[/n]1", "c1", category="[b]Radiology", time=":smile:", text="Hb [g/dL] [/b] 12")
    Corpus.of([note], [Annotation("[/a]", Code("local", "[/c]"), "c1")]).write(tmp_path / "c")
    words = ["corpus", "show", str(tmp_path / "c"), "c1"]
    shown = CliRunner().invoke(auscult, words, catch_exceptions=False).output
    for part in ("[/n]1 · [b]Radiology · :smile:", "Hb [g/dL] [/b] 12", "[/a]", "[/c]"):
        assert part in shown


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    fever, copd = Code("ICD-10-CM", "R50.9"), Code("ICD-10-CM", "J44.9")
    notes = [
        Note(f"n{i}", f"c{i}", f"p{i}", "Radiology", "2151-03-04", "Fever 😀, COPD.")
        for i in range(4)
    ]
    annotations = [
        Annotation("gold", code, f"c{i}", f"n{i}", (span,))
        for i in range(4)
        for code, span in ((fever, Span(0, 5)), (copd, Span(9, 13)))
    ]
    Corpus.of(notes, annotations).write(tmp_path / "corpus")
    return tmp_path / "corpus"


def all_commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from all_commands(inner, (*path, name))


def test_every_command_has_help_with_an_example_and_takes_json() -> None:
    seen = 0
    for path, command in all_commands(auscult):
        shown = CliRunner().invoke(auscult, [*path, "--help"])
        assert shown.exit_code == 0, path
        assert "Example" in shown.output, path
        if not isinstance(command, click.Group):
            seen += 1
            assert "--json" in shown.output, path
    assert seen > 30


def test_help_is_quick_and_import_too() -> None:
    def seconds(*command: str) -> float:
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - started

    bare = min(seconds(sys.executable, "-c", "pass") for _ in range(3))
    shown = min(seconds(*COMMAND, "--help") for _ in range(3))
    imported = min(seconds(sys.executable, "-c", "import auscult") for _ in range(3))
    # 0.3 s is promised on an idle machine; a busy one slows the bare interpreter as well.
    assert shown < max(0.3, 12 * bare)
    assert imported < max(0.3, 8 * bare)


def test_info(corpus: Path) -> None:
    found = answer("corpus", "info", corpus, "--check-digests")
    assert found["notes"] == 4
    assert found["charts"] == 4
    assert found["annotations"] == 8
    assert found["annotators"] == {"gold": 8}
    assert found["systems"] == {"ICD-10-CM": 8}
    assert found["warnings"] == []
    plain = CliRunner().invoke(auscult, ["corpus", "info", str(corpus)])
    assert "Radiology" in plain.output


def test_export_and_import_again(corpus: Path, tmp_path: Path) -> None:
    sent = answer("corpus", "export", "jsonl", corpus, tmp_path / "out")
    assert sent["losses"] == []
    lines = (tmp_path / "out" / "annotations.jsonl").read_text().splitlines()
    assert json.loads(lines[1]) == {
        "status": "given",
        "note_id": "n0",
        "chart_id": "c0",
        "annotator": "gold",
        "system": "ICD-10-CM",
        "code": "J44.9",
        "spans": [[9, 13]],
        "score": None,
    }
    found = answer("corpus", "import", "jsonl", tmp_path / "out", tmp_path / "again")
    assert (found["notes"], found["annotations"]) == (4, 8)


def test_split_merge_and_show(corpus: Path, tmp_path: Path) -> None:
    made = answer(
        "corpus", "split", corpus, tmp_path / "s", "--share", "train=0.75", "--share", "test=0.25"
    )
    assert made["splits"] == {"train": 3, "test": 1}
    (tmp_path / "train.csv").write_text("c1\nc2\n")
    listed = answer(
        "corpus", "split", corpus, tmp_path / "l", "--list", f"train={tmp_path}/train.csv"
    )
    assert listed["splits"] == {"train": 2}
    merged = answer("corpus", "merge", corpus, tmp_path / "s", tmp_path / "m")
    assert (merged["notes"], merged["annotations"], merged["duplicates"]) == (4, 8, 8)
    charts = answer("corpus", "show", corpus, "--limit", "2")
    assert charts["total"] == 4
    assert charts["charts"] == [
        {"chart_id": f"c{i}", "notes": 1, "codes": 2, "with_evidence": 2} for i in range(2)
    ]
    plain = CliRunner().invoke(auscult, ["corpus", "show", str(corpus), "c1"])
    assert "Fever[R50.9] 😀, COPD[J44.9]." in plain.output


def test_doctor(corpus: Path) -> None:
    assert answer("corpus", "doctor", corpus)["findings"] == []
    Corpus.open(corpus).append(
        annotations=[Annotation("x", Code("a", "b"), "c0", "n0", (Span(0, 3),))]
    )
    found = answer("corpus", "doctor", corpus)["findings"]
    assert isinstance(found, list)
    assert [(f["check"], f["severity"], f["text"]) for f in found] == [
        ("splits-word", "remark", None)
    ]
    run("corpus", "doctor", corpus, "--fail-on", "remark", code=1)
    run("corpus", "doctor", corpus, "--fail-on", "warning")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["corpus", "info", "nowhere"], "nowhere is not a corpus"),
        (["corpus", "info", "{corpus}/notes.parquet"], "is not a corpus"),
        (["corpus", "import", "mimic3", "nowhere", "out"], "nowhere does not exist"),
        (["corpus", "import", "brad", "{corpus}", "out"], "Did you mean brat?"),
        (["corpus", "import", "jsonl", "{corpus}", "{corpus}"], "jsonl"),
        (["corpus", "export", "jsonl", "{corpus}", "{corpus}"], "exists already"),
        (["corpus", "split", "{corpus}", "out"], "--share NAME=FRACTION"),
        (["corpus", "split", "{corpus}", "out", "--share", "a=b"], "--share takes a number"),
        (["corpus", "split", "{corpus}", "out", "--share", "0.5"], "Expected NAME=VALUE"),
        (["corpus", "split", "{corpus}", "{corpus}", "--share", "a=1"], "--overwrite"),
        (["corpus", "show", "{corpus}", "c11"], "Did you mean c1"),
        (["corpus", "show", "{corpus}", "9999"], "There is no chart '9999' among 4.\n"),
        (["corpus", "show", "{corpus}", "--annotator", "golf"], "Did you mean gold?"),
        (["corpus", "show", "{corpus}", "--system", "ICD10"], "There is no code system 'ICD10'"),
        (["corpus", "split", "{corpus}", "out", "--share", "a=nan"], "positive and sum to 1"),
        (
            ["corpus", "split", "{corpus}", "out", "--share", "a=1", "--list", "a=b"],
            "Pass either --share or --list",
        ),
        (["corpus", "merge", "{corpus}", "out"], "two or more corpora"),
        (["synth", "hospital", "{corpus}"], "exists already"),
        (["demo", "{corpus}"], "no earlier demo"),
    ],
)
def test_mistakes_end_with_one_sentence_and_2(
    corpus: Path, tmp_path: Path, words: list[str], says: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        [*COMMAND, *(word.format(corpus=corpus) for word in words)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert "Fever" not in done.stderr
    assert done.stdout == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_damage_is_one_sentence(corpus: Path) -> None:
    file = corpus / "notes.parquet"
    whole = file.read_bytes()
    middle = len(whole) // 3
    file.write_bytes(
        whole[:middle]
        + bytes(b ^ 0xFF for b in whole[middle : middle + 200])
        + whole[middle + 200 :]
    )
    done = run("corpus", "info", corpus, "--check-digests", code=2)
    assert "Traceback" not in done.stderr
    assert "notes.parquet" in done.stderr


def test_the_demo_leaves_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUSCULT_THREADS", "1")
    found = answer("demo", tmp_path / "demo", "--patients", "12")
    report = Path(str(found["report"])).parent
    pages = sorted(page.name for page in report.iterdir())
    assert "index.html" in pages
    assert len(pages) > 5
    overview = (report / "index.html").read_text(encoding="utf-8")
    assert all(page in overview for page in pages if page != "index.html")
    chart = (report / next(p for p in pages if p.startswith("chart-"))).read_text(encoding="utf-8")
    assert "<mark" in chart
    assert "no real patient" in chart
    concepts = (report / "concepts.html").read_text(encoding="utf-8")
    assert "<mark" in concepts
    assert "no real patient" in concepts
    assert "used in annotations" in concepts
    assert Corpus.open(str(found["concepts"])).manifest.annotators["vocabulary"] > 100
    assert "http://" not in overview.replace("http://www.w3.org", "")
    assert {"model.html", "effectivecan.html", "comparison.html"} <= {*pages}
    assert found["left_out"] == []
    assert json.loads((tmp_path / "demo/generator/generator.json").read_text())["kind"] == "lstm"
    assert (
        json.loads((tmp_path / "demo/readmission-model/model.json").read_text())["kind"]
        == "tfidf-xgboost"
    )
    assert "Left out" not in overview
    before = {page: (report / page).read_bytes() for page in pages}
    monkeypatch.setenv("AUSCULT_THREADS", "2")  # two processes at once
    again = answer("demo", tmp_path / "demo", "--patients", "12")
    assert again == found
    assert {page: (report / page).read_bytes() for page in pages} == before


def test_the_demo_without_optional_libraries_says_what_it_left_out(tmp_path: Path) -> None:
    hidden = ("torch", "lightning_fabric", "transformers", "captum", "xgboost")
    # The libraries are installed, so whoever looks for them is told that they are not.
    code = (
        "import importlib.machinery as m, sys\n"
        "there = m.PathFinder.find_spec\n"
        "def find(name, *rest):\n"
        f"    return None if name.split('.')[0] in {hidden!r} else there(name, *rest)\n"
        "m.PathFinder.find_spec = find\n"
        "from auscult.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "demo", "demo", "--patients", "12"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "AUSCULT_THREADS": "1"},  # all in the process that hides them
        check=False,
    )
    assert done.returncode == 0, done.stderr
    overview = (tmp_path / "demo/report/index.html").read_text(encoding="utf-8")
    for what, extra in (
        ("EffectiveCAN with supervised attention", "neural"),
        ("tf-idf + XGBoost", "xgboost"),
        ("The LSTM text generator", "neural"),
    ):
        [line] = [line for line in done.stdout.splitlines() if line.startswith(f"Left out: {what}")]
        assert f"pip install 'auscult[{extra}]'" in line
        assert what in overview
    assert "pip install &#39;auscult[xgboost]&#39;" in overview
    assert not (tmp_path / "demo/report/effectivecan.html").exists()


def test_info_says_that_the_digests_match(corpus: Path) -> None:
    assert answer("corpus", "info", corpus, "--check-digests")["verified"] is True
    assert "verified" not in answer("corpus", "info", corpus)
    assert "All digests match" in run("corpus", "info", corpus, "--check-digests").stdout


def test_the_list_of_charts_counts_codes_with_evidence(tmp_path: Path) -> None:
    fever = Code("ICD-10-CM", "R50.9")
    annotations = [Annotation("a", fever, "c", "n", (Span(0, at),)) for at in (1, 2, 3)]
    annotations.append(Annotation("a", Code("ICD-10-CM", "J44.9"), "c"))
    Corpus.of([Note("n", "c", text="Fever")], annotations).write(tmp_path / "corpus")
    shown = answer("corpus", "show", tmp_path / "corpus")["charts"]
    assert shown == [{"chart_id": "c", "notes": 1, "codes": 2, "with_evidence": 1}]


def test_an_export_replaces_only_when_told(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    assert "--overwrite" in run("corpus", "export", "jsonl", corpus, out, code=2).stderr
    assert (out / "mine.txt").read_text() == "mine"
    for place in (corpus, tmp_path):
        done = run("corpus", "export", "jsonl", corpus, place, "--overwrite", code=2)
        assert "is or contains the corpus" in done.stderr
    answer("corpus", "export", "jsonl", corpus, out, "--overwrite")
    assert sorted(path.name for path in out.iterdir()) == ["annotations.jsonl", "notes.jsonl"]


def test_an_export_into_which_nothing_goes_is_refused(tmp_path: Path) -> None:
    Corpus.of([], [Annotation("a", Code("CPT", "71045"), "c")]).write(tmp_path / "corpus")
    done = run("corpus", "export", "brat", tmp_path / "corpus", tmp_path / "out", code=2)
    assert "has no notes" in done.stderr
    assert not (tmp_path / "out").exists()
    answer("corpus", "export", "jsonl", tmp_path / "corpus", tmp_path / "lines")


def test_a_corpus_is_called_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "dev.xml").write_text('<docs><doc id="1" type="RADIOLOGY_REPORT"/></docs>')
    (tmp_path / "ours.csv").write_text("note_id,text\n1,HTN\n")
    reports = answer("corpus", "import", "cmc", tmp_path / "dev.xml", tmp_path / "a")
    assert (reports["name"], reports["source"]) == ("cmc", f"cmc: {tmp_path / 'dev.xml'}")
    ours = answer("corpus", "import", "csv", tmp_path / "ours.csv", tmp_path / "b")
    assert ours["name"] == "ours"
    named = answer("corpus", "import", "csv", tmp_path / "ours.csv", tmp_path / "c", "--name", "X")
    assert named["name"] == "X"


def test_a_broken_manifest_says_what_to_do(corpus: Path) -> None:
    (corpus / "manifest.json").write_text("{")
    assert "import the source again" in run("corpus", "info", corpus, code=2).stderr


def test_the_formats_are_shown_at_work() -> None:
    for name in FORMATS:
        shown = CliRunner().invoke(auscult, ["corpus", "import", name, "--help"]).output
        assert f"auscult corpus import {name} " in shown
        assert "SOURCE OUT\n" not in shown.split("Example:")[1]
