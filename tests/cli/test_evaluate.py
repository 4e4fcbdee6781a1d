"""`auscult evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.corpus import Corpus, formats

TEXT = "Hypertension, acute renal failure. Renal failure resolved."
HTN, AKI, CKD = (Code("ICD-9-CM", value) for value in ("401.9", "584.9", "585.9"))


def notes(*, text: bool = True, number: int = 3) -> list[Note]:
    return [
        Note(
            str(i),
            f"{100 + i}",
            category="Discharge summary" if i else "ECG",
            text=TEXT if text else None,
            split="test" if i else "train",
        )
        for i in range(number)
    ]


def say(who: str, at: int, code: Code, begin: int, end: int) -> Annotation:
    return Annotation(who, code, f"{100 + at}", str(at), (Span(begin, end),))


GOLD = [
    say("gold", i, code, b, e) for i in range(3) for code, b, e in ((HTN, 0, 12), (AKI, 14, 33))
]
PREDICTED = [
    *(say("model", i, HTN, 0, 12) for i in range(3)),
    *(say("model", i, AKI, 35, 48) for i in range(2)),
    say("model", 2, CKD, 20, 33),
]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    Corpus.of(notes(), GOLD).write(tmp_path / "gold")
    return tmp_path / "gold"


@pytest.fixture
def predicted(tmp_path: Path) -> Path:
    Corpus.of([], PREDICTED).write(tmp_path / "predicted")
    return tmp_path / "predicted"


def answer(*words: str | Path) -> dict[str, Any]:
    done = CliRunner().invoke(
        auscult, ["evaluate", *map(str, words), "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # the commands print objects


def counts(found: dict[str, Any]) -> tuple[int, int, int]:
    return found["tp"], found["fp"], found["fn"]


def test_evidence(gold: Path, predicted: Path) -> None:
    found = answer("evidence", gold, predicted, "--bootstrap", "100")
    assert counts(found["token"]) == (3, 6, 9)
    assert counts(found["span"]) == (3, 3, 3)
    assert counts(found["token_pi"]) == (7, 2, 5)
    assert counts(found["span_pi"]) == (3, 3, 3)
    assert found["token"]["precision"] == pytest.approx(3 / 9)
    assert found["token"]["recall"] == pytest.approx(3 / 12)
    assert found["token"]["f1"] == pytest.approx(6 / 21)
    begin, end = found["token"]["interval"]["f1"]
    assert begin <= found["token"]["f1"] <= end
    assert counts(found["oracle"]["span"]) == (3, 2, 3)
    assert found["about"]["annotator"] == "gold"
    assert found["about"]["seed"] == 0


def test_codes(gold: Path, predicted: Path) -> None:
    found = answer("codes", gold, predicted)
    assert found["micro_f1"] == pytest.approx(10 / 12)
    assert found["exact_match_ratio"] == pytest.approx(2 / 3)
    assert found["macro_f1_as_mean_of_code_f1_over_all_codes"] == pytest.approx((1 + 0.8 + 0) / 3)
    assert "no score" in found["undefined"]["micro_auc"]
    assert found["micro_auc"] is None
    assert found["intervals"]["micro_f1"][0] < found["micro_f1"]


def test_codes_by_band_of_the_training_split(gold: Path, predicted: Path) -> None:
    found = answer("codes", gold, predicted, "--split", "test")
    assert found["charts"] == 2
    assert {name: counts(one) for name, one in found["by_band"].items()} == {
        "unseen": (0, 1, 0),
        "1–5": (3, 0, 1),
    }
    named = answer("codes", gold, predicted, "--train-corpus", predicted)
    assert named["by_band"]["1–5"]["codes"] == 3


def test_narrowing(gold: Path, predicted: Path, tmp_path: Path) -> None:
    everything = answer("evidence", gold, predicted)
    listed = tmp_path / "list.csv"
    listed.write_text("hadm_id\n101\n102\n")
    for words in (
        ["--split", "test"],
        ["--split", str(listed)],
        ["--category", "Discharge summary"],
    ):
        found = answer("evidence", gold, predicted, *words)
        assert found["charts"] == 2
        assert counts(found["span"]) == (2, 2, 2)
    assert everything["charts"] == 3


def test_mdace_folders(gold: Path, tmp_path: Path) -> None:
    """Gold without text, predictions with it: the text serves both."""
    formats.write("mdace", Corpus.of(notes(text=False), GOLD), tmp_path / "mdace_gold")
    trailing = [say("gold", i, AKI, 13, 34) for i in range(3)]
    formats.write("mdace", Corpus.of(notes(), trailing), tmp_path / "mdace_predicted")
    found = answer("evidence", tmp_path / "mdace_gold", tmp_path / "mdace_predicted")
    assert counts(found["span"]) == (0, 3, 6)
    assert counts(found["token"]) == (9, 0, 3)
    trimmed = answer("evidence", tmp_path / "mdace_gold", tmp_path / "mdace_predicted", "--trim")
    assert counts(trimmed["span"]) == counts(trimmed["span_pi"]) == (3, 0, 3)
    alone = answer("evidence", tmp_path / "mdace_gold", tmp_path / "mdace_gold")
    assert alone["span"]["f1"] == 1.0
    assert alone["token"]["f1"] is None
    assert "NOTEEVENTS" in alone["token"]["undefined"]["f1"]
    mixed = answer("evidence", gold, tmp_path / "mdace_predicted")
    assert counts(mixed["token"]) == (9, 0, 3)


def test_compare(gold: Path, predicted: Path, tmp_path: Path) -> None:
    Corpus.of([], [a for a in GOLD if a.code == HTN]).write(tmp_path / "other")
    found = answer("evidence", gold, predicted, "--compare", tmp_path / "other")["compare"]
    assert found["span_precision"]["first"] == 0.5
    assert found["span_precision"]["second"] == 1.0
    assert found["span_precision"]["difference"] == -0.5
    assert 0 < found["span_f1"]["p_value"] <= 1
    assert found["oracle_span_recall"]["first"] is not None
    codes = answer("codes", gold, predicted, "--compare", tmp_path / "other")["compare"]
    assert codes["micro_recall"]["difference"] == pytest.approx(5 / 6 - 3 / 6)


def test_compare_on_charts_that_gold_does_not_know(gold: Path, tmp_path: Path) -> None:
    """Each of the two made up a chart of its own; both charts count for both."""
    for name, chart in (("one", "7"), ("two", "5")):
        made_up = Annotation("model", HTN, chart, f"note {chart}", (Span(0, 4),))
        Corpus.of([Note(f"note {chart}", chart, text=TEXT)], [*PREDICTED, made_up]).write(
            tmp_path / name
        )
    words = (gold, tmp_path / "one", "--compare", tmp_path / "two", "--extra-charts")
    found = answer("evidence", *words)
    assert found["charts"] == 5
    assert counts(found["span"]) == (3, 4, 3)
    assert found["compare"]["span_f1"]["difference"] == 0
    assert answer("codes", *words)["compare"]["micro_f1"]["difference"] == 0


def test_nothing_on_either_side(tmp_path: Path) -> None:
    Corpus.of(notes(), []).write(tmp_path / "bare")
    bare = (tmp_path / "bare", tmp_path / "bare")
    with pytest.raises(OptionError, match=r"no annotations on any of the 3 charts .* mark-read"):
        answer("codes", *bare)
    found = answer("evidence", *bare, "--charts", "all")
    assert counts(found["token"]) == (0, 0, 0)
    assert found["token"]["f1"] is None
    assert any("have no evidence on these" in warning for warning in found["warnings"])
    assert answer("codes", *bare, "--charts", "all")["micro_f1"] is None


def test_charts_of_a_list_that_gold_does_not_know(gold: Path, predicted: Path) -> None:
    known = Corpus.open(gold).chart_ids()[0]
    (gold.parent / "ids.txt").write_text(f"{known}\nno-such\nnor-such\n")
    found = answer("codes", gold, predicted, "--split", gold.parent / "ids.txt")
    assert any("2 of the 3 charts in the list are not in GOLD" in w for w in found["warnings"])


def test_tables_for_people(gold: Path, predicted: Path) -> None:
    for kind, says in (("evidence", "token_pi"), ("codes", "micro_f1")):
        words = ["evaluate", kind, str(gold), str(predicted), "--compare", str(predicted)]
        done = CliRunner().invoke(auscult, words)
        assert done.exit_code == 0, done.output
        assert says in done.stdout
        assert "paired over charts" in done.stdout


def test_charts_without_predictions_are_told(gold: Path, tmp_path: Path) -> None:
    Corpus.of([], PREDICTED[:1]).write(tmp_path / "few")
    found = answer("evidence", gold, tmp_path / "few")
    assert counts(found["span"]) == (1, 0, 5)
    assert found["warnings"] == [
        "2 of 3 charts have no predictions in PREDICTED; all their gold codes count as missed."
    ]


def test_mistakes(gold: Path, predicted: Path, tmp_path: Path) -> None:
    several = tmp_path / "several"
    Corpus.of(notes(), GOLD + PREDICTED).write(several)
    empty = tmp_path / "empty"
    empty.mkdir()
    for words, says in (
        ([several, predicted, "--annotator", "golt"], "Did you mean gold"),
        ([gold, several], "--predicted-annotator"),
        ([gold, tmp_path / "nowhere"], "does not exist"),
        ([gold, empty], "neither a corpus"),
        ([gold, predicted, "--split", "tset"], "Did you mean test"),
        ([gold, predicted, "--split", "nowhere.csv"], "nowhere.csv"),
        ([gold, predicted, "--compare-annotator", "x"], "needs --compare"),
    ):
        done = CliRunner().invoke(auscult, ["evaluate", "evidence", *map(str, words)])
        assert isinstance(done.exception, AuscultError), (words, done.output)
        assert says in str(done.exception)
    both = answer(
        "evidence", several, several, "--annotator", "gold", "--predicted-annotator", "model"
    )
    assert counts(both["span"]) == (3, 3, 3)
