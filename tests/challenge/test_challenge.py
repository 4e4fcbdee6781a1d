"""Making a challenge, taking submissions, ranking."""

from __future__ import annotations

import stat
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.challenge.small import TEST, TRAIN, coded

from auscult.challenge import Challenge, create, leaderboard, submit
from auscult.challenge.errors import ChallengeError
from auscult.challenge.ledger import Ledger, SubmissionStatus
from auscult.core import Annotation, Code, Note, OptionError
from auscult.corpus import Corpus
from auscult.evaluate.system_ranking import analyze
from auscult.report.challenge_report import challenge_report

Make = Callable[..., Challenge]
PERFECT = "document,code\nd1,A\nd2,A;B\nd3,C\nd4,\n"
POOR = "document,code\nd1,A\nd2,C\nd3,A\nd4,\n"


def run(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "run.csv"
    file.write_text(text)
    return file


def test_an_accepted_submission_is_told_what_was_recognized(make: Make, tmp_path: Path) -> None:
    receipt = submit(make(attempts=2), "X", run(tmp_path, PERFECT))
    assert (receipt.entry.attempt, receipt.left) == (1, 1)
    assert (receipt.entry.charts, receipt.entry.codes) == (4, 4)
    assert receipt.score is None
    assert "scores" not in receipt.to_dict()


def test_scores_are_told_only_where_the_policy_is_so(make: Make, tmp_path: Path) -> None:
    receipt = submit(make(feedback="scores"), "X", run(tmp_path, PERFECT))
    assert receipt.score is not None
    assert receipt.score.values()["micro_f1"] == 1


def test_an_invalid_file_costs_no_attempt_and_is_logged(make: Make, tmp_path: Path) -> None:
    challenge = make(attempts=1)
    for text in ("document,code\nd1,Z\nd1\n", "nothing", PERFECT + "d1,Q"):
        receipt = submit(challenge, "X", run(tmp_path, text))
        assert not receipt.is_accepted
        assert receipt.left == 1
    assert submit(challenge, "X", run(tmp_path, PERFECT)).entry.attempt == 1
    with pytest.raises(ChallengeError, match="X has no attempts left: all 1 are used"):
        submit(challenge, "X", run(tmp_path, PERFECT))
    entries = challenge.ledger.entries()
    assert [entry.status.value for entry in entries] == ["invalid"] * 3 + ["accepted", "refused"]
    assert [p["kind"] for p in entries[0].problems] == [
        "code outside the label set", "wrong shape", "incomplete", *["missing document"] * 3,
    ]  # fmt: skip
    assert submit(challenge, "Y", run(tmp_path, PERFECT)).entry.attempt == 1


def test_missing_documents_are_missed_and_extra_ones_reported(make: Make, tmp_path: Path) -> None:
    challenge = make(feedback="scores")
    sent = run(tmp_path, "document,code\nd1,A\nd9,A\n")
    receipt = submit(challenge, "X", sent, incomplete=True)
    assert receipt.is_accepted
    assert [problem.kind.value for problem in receipt.problems] == [
        "unknown document", *["missing document"] * 3,
    ]  # fmt: skip
    assert receipt.score is not None
    assert receipt.score.values()["micro_f1"] == pytest.approx(2 * 1 / (2 * 1 + 3))


@pytest.mark.parametrize(("counting", "expected"), [("last", 0.25), ("best", 1.0)])
def test_the_last_or_the_best_is_ranked(
    counting: str, expected: float, make: Make, tmp_path: Path
) -> None:
    challenge = make(counting=counting)
    submit(challenge, "X", run(tmp_path, PERFECT))
    submit(challenge, "x ", run(tmp_path, POOR))
    submit(challenge, "X", run(tmp_path, "document,code\nd1,Z"))
    rows = leaderboard(challenge, times=0).rows
    assert {row.name for row in rows} == {"X", "ann"}
    found = next(row for row in rows if row.name == "X").metrics["micro_f1"].value
    assert found == pytest.approx(expected, abs=0.05)


def test_people_are_placed_among_systems(make: Make, tmp_path: Path) -> None:
    challenge = make()
    submit(challenge, "good", run(tmp_path, PERFECT))
    submit(challenge, "poor", run(tmp_path, POOR))
    rows = leaderboard(challenge, times=50).rows
    assert [(row.name, row.rank) for row in rows] == [("good", 1), ("ann", None), ("poor", 2)]
    assert rows[1].metrics["micro_f1"].value == pytest.approx(2 * 3 / (2 * 3 + 1 + 1))


def test_costs_are_the_organizers(make: Make, tmp_path: Path) -> None:
    challenge = make(beta=1.0)
    submit(challenge, "x", run(tmp_path, POOR))
    row = next(row for row in leaderboard(challenge, times=0).rows if row.name == "x")
    assert row.metrics["cost_sensitive"].value == pytest.approx((1 + 0 + 0 + 1) / 4)


def test_only_teams_that_are_listed(make: Make, tmp_path: Path) -> None:
    challenge = make(teams=("Team A",))
    assert submit(challenge, "team a", run(tmp_path, PERFECT)).is_accepted
    with pytest.raises(OptionError, match="not among the 1 teams"):
        submit(challenge, "Team B", run(tmp_path, PERFECT))


def test_people_and_gold_are_no_teams(make: Make, tmp_path: Path) -> None:
    challenge = make()
    with pytest.raises(OptionError, match="ANN is the name of an annotator in the challenge"):
        submit(challenge, "ANN", run(tmp_path, PERFECT))
    with pytest.raises(OptionError, match="Gold is the gold annotator"):
        submit(challenge, "Gold", run(tmp_path, PERFECT))
    assert challenge.ledger.entries() == []


def test_nobody_else_can_look_in_while_a_challenge_is_made(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = []
    begin = Ledger.create

    def made(path: Path) -> Ledger:
        modes.append(stat.S_IMODE(path.parent.stat().st_mode))
        return begin(path)

    monkeypatch.setattr(Ledger, "create", made)
    made_at = make().path
    assert [*modes, stat.S_IMODE(made_at.stat().st_mode)] == [0o700, 0o700]


@pytest.mark.filterwarnings("ignore:1 of 4 documents")
def test_the_label_set_says_nothing_about_test(make: Make) -> None:
    with pytest.warns(UserWarning, match="codes in test are not in the label set"):
        challenge = make(coded(test={**TEST, "d3": "Z"}))
    assert [code.value for code in challenge.settings.label_set] == ["A", "B", "C"]
    assert stat.S_IMODE(challenge.path.stat().st_mode) == 0o700


def test_combinations_that_train_lacks_are_warned_of(make: Make) -> None:
    with pytest.warns(UserWarning, match="1 of 4 documents of test have a combination"):
        make(coded(test={**TEST, "d3": "ABC"}))


def test_a_challenge_of_the_right_kind_warns_of_nothing(tmp_path: Path) -> None:
    whole = coded(test={**TEST, "d4": "C"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create(whole, tmp_path / "task", gold="gold")


def test_documents_without_a_right_code_are_warned_of(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 of 4 documents of test have no code by gold.* sample"):
        create(coded(), tmp_path / "task", gold="gold")
    with pytest.raises(OptionError, match="gold assigned no code to any document of test"):
        create(coded(test=dict.fromkeys(TEST, "")), tmp_path / "other", gold="gold")
    assert not (tmp_path / "other").exists()


@pytest.mark.filterwarnings("ignore:1 of 4 documents")
def test_what_systems_may_not_give_bounds_what_they_can_reach(make: Make, tmp_path: Path) -> None:
    """Of four right codes one is outside: the best system has 3 of them, and F1 2·3/(2·3+1)."""
    with pytest.warns(UserWarning, match="1 codes in test are not in the label set"):
        challenge = make(coded(test={**TEST, "d3": "Z"}))
    submit(challenge, "best", run(tmp_path, PERFECT.replace("d3,C", "d3,")))
    found = leaderboard(challenge, times=0)
    assert [code.value for code in found.outside] == ["Z"]
    assert found.ceiling == pytest.approx(6 / 7)
    assert found.systems[0].metrics["micro_f1"].value == pytest.approx(found.ceiling)
    page = tmp_path / "page.html"
    challenge_report(found, analyze(found), page, name="task")
    text = page.read_text(encoding="utf-8")
    assert "The highest possible micro-F1 of a system is 0.857" in text
    assert 'title="best, Z: outside the label space"' in text
    assert "macro-F1: mean of codes' F1</th>" in text
    assert "macro-F1: of macro-P and macro-R</th>" in text
    assert 'title="ann, Z: F1 0.00"' in text


def test_a_corpus_of_predictions_can_be_submitted(make: Make, tmp_path: Path) -> None:
    """As `auscult predict` writes it: several notes a chart, one that has no code."""
    notes = [Note(f"{d}-{n}", d) for d in TEST for n in (1, 2)]
    letters = {"d1-1": "A", "d2-1": "A", "d2-2": "AB", "d3-2": "C"}
    said = [
        Annotation("model", Code("ICD-9-CM", letter), name[:2], name)
        for name, given in letters.items()
        for letter in given
    ]
    other = Annotation("ann", Code("ICD-9-CM", "C"), "d1", "d1-1")
    Corpus.of(notes, said).write(tmp_path / "predicted")
    Corpus.of(notes, [*said, other]).write(tmp_path / "both")
    challenge = make(feedback="scores")
    for path, origin in (("predicted", None), ("both", "model")):
        receipt = submit(challenge, path, tmp_path / path, origin=origin)
        assert (receipt.entry.charts, receipt.entry.codes, receipt.problems) == (4, 4, ())
        assert receipt.score is not None
        assert receipt.score.values()["micro_f1"] == 1
    with pytest.raises(OptionError, match=r"Corpus\.select\(annotators=\[NAME\]\)"):
        submit(challenge, "x", tmp_path / "both")
    assert [row.rank for row in leaderboard(challenge, times=0).systems] == [1, 1]


def test_of_a_file_with_several_origins_one_can_be_submitted(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    rows = [f"{d},{letter},{who}" for who, given in (("x", TEST), ("y", {"d1": "C"}))
            for d, letters in given.items() for letter in letters]  # fmt: skip
    file.write_text("\n".join(["document,code,origin", *rows]))
    challenge = make()
    assert not submit(challenge, "X", file).is_accepted
    assert submit(challenge, "X", file, origin="x", incomplete=True).is_accepted
    (row,) = leaderboard(challenge, times=0).systems
    assert row.metrics["micro_f1"].value == 1


@pytest.mark.filterwarnings("ignore:1 of 1 documents")
@pytest.mark.filterwarnings("ignore:1 codes of test")
def test_what_cannot_be_a_challenge(tmp_path: Path) -> None:
    out = tmp_path / "task"
    nobody = Corpus.of([], [Annotation(who, Code("CPT", "1"), "c") for who in ("ann", "bob")])
    with pytest.raises(OptionError, match="annotations by 2 annotators"):
        create(nobody, out)
    with pytest.raises(OptionError, match="cannot also be ranked among"):
        create(coded(), out, gold="gold", humans=("gold",))
    with pytest.raises(OptionError, match="There is no split 'dev'"):
        create(coded(), out, gold="gold", test="dev")
    with pytest.raises(OptionError, match="attempts"):
        create(coded(), out, gold="gold", attempts=0)
    with pytest.raises(OptionError, match="β and γ"):
        create(coded(), out, gold="gold", beta=2)
    with pytest.raises(OptionError, match="label set is empty: gold assigned no code in train"):
        create(coded(train=dict.fromkeys(TRAIN, "")), out, gold="gold")
    both = [Note("n1", "c", split="train"), Note("n2", "c", split="test")]
    said = [Annotation("gold", Code("CPT", number), "c", f"n{number}") for number in "12"]
    with pytest.raises(OptionError, match="1 charts have notes both in train and in test"):
        create(Corpus.of(both, said), out)
    assert not out.exists()
    by_note = create(Corpus.of(both, said), out, document="note")
    assert by_note.gold() == {"n2": frozenset({Code("CPT", "2")})}
    with pytest.raises(OptionError, match="exists already"):
        create(coded(), out, gold="gold")
    with pytest.raises(ChallengeError, match="is not a challenge"):
        Challenge.open(tmp_path)


def test_refused_submissions_are_no_entries_of_the_ranking(make: Make, tmp_path: Path) -> None:
    challenge = make(attempts=1)
    submit(challenge, "X", run(tmp_path, PERFECT))
    with pytest.raises(ChallengeError):
        submit(challenge, "X", run(tmp_path, POOR))
    assert challenge.ledger.entries()[-1].status is SubmissionStatus.REFUSED
    row = next(row for row in leaderboard(challenge, times=0).rows if row.name == "X")
    assert row.metrics["micro_f1"].value == 1


def test_rare_codes_can_be_left_out_of_the_task(tmp_path: Path) -> None:
    """A is on two training documents, B and C on one; test has the code D, which train has not."""
    whole = coded(test={**TEST, "d3": "CD"})
    with pytest.warns(UserWarning, match="1 codes in test are not in the label set"):
        create(whole, tmp_path / "all", gold="gold")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = create(whole, tmp_path / "some", gold="gold", humans=("ann",), code_minimum=2)
    assert not [one for one in caught if "label set" in str(one.message)]
    assert [code.value for code in made.settings.label_set] == ["A"]
    assert {name: {c.value for c in codes} for name, codes in made.gold().items()} == {
        "d1": {"A"}, "d2": {"A"}, "d3": set(), "d4": set(),
    }  # fmt: skip
    [ann] = leaderboard(made, times=0).rows
    assert ann.metrics["micro_f1"].value == 1.0, "B and C, which ann gives, do not count"
    with pytest.raises(OptionError, match="gold assigned no code to 9 documents of train"):
        create(whole, tmp_path / "none", gold="gold", code_minimum=9)


@pytest.mark.parametrize("split", ["train", "all"])
def test_one_split_is_no_challenge(split: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="A challenge needs two different splits"):
        create(coded(), tmp_path / "task", gold="gold", test=split)
