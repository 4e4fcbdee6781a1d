"""What teams get, and that nothing of the test codes is in it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.challenge.small import TEST, coded

from auscult.challenge import Challenge, create, release, submit
from auscult.core import Annotation, Code, Note, OptionError
from auscult.corpus import Corpus, formats

Make = Callable[..., Challenge]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "others",
    [
        {"d1": "C", "d2": "", "d3": "AB", "d4": "B"},
        {**dict.fromkeys(TEST, ""), "d4": "A"},
        {"d4": "Z", "d3": "ZY", "d2": "A", "d1": ""},  # codes train has not, in another order
    ],
)
def test_a_release_is_the_same_whatever_the_test_codes_are(
    others: dict[str, str], tmp_path: Path
) -> None:
    made = []
    for name, test in (("one", TEST), ("other", others)):
        challenge = create(
            coded(test=test), tmp_path / name / "task", gold="gold", humans=("ann",), name="Task"
        )
        release(challenge, tmp_path / name / "release", humans=True)
        made.append(contents(tmp_path / name / "release"))
    assert made[0] == made[1]


def test_train_has_its_codes_and_test_has_none(make: Make, tmp_path: Path) -> None:
    release(make(), tmp_path / "out")
    train = formats.read("cmc", tmp_path / "out" / "train.xml")
    said = {(a.annotator, a.note_id, a.code.value) for a in train.iter_annotations()}
    assert said == {
        ("gold", "t1", "A"),
        ("gold", "t2", "A"),
        ("gold", "t2", "B"),
        ("gold", "t3", "C"),
    }
    test = formats.read("cmc", tmp_path / "out" / "test.xml")
    assert list(test.iter_annotations()) == []
    assert [(n.note_id, n.text) for n in test.iter_notes()] == [
        (name, f"Report {name}.") for name in ("d1", "d2", "d3", "d4")
    ]


def test_the_checksums_are_right(make: Make, tmp_path: Path) -> None:
    release(make(), tmp_path / "out")
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path / "out", check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    files = set(contents(tmp_path / "out")) - {"SHA256SUMS"}
    assert {line.split(":")[0] for line in done.stdout.splitlines()} == files
    assert {"train.xml", "test.xml", "submission.xsd", "rules.html", "codes.csv"} <= files


@pytest.mark.parametrize("form", ["xml", "csv", "json"])
def test_the_examples_and_the_test_file_itself_are_valid(
    form: str, make: Make, tmp_path: Path
) -> None:
    challenge = make()
    release(challenge, tmp_path / "out")
    example = tmp_path / "out" / "examples" / f"submission.{form}"
    assert submit(challenge, "X", example, incomplete=True).is_accepted
    assert submit(challenge, "Y", tmp_path / "out" / "test.xml", incomplete=True).problems == ()


def test_the_rules_say_what_was_decided(make: Make, tmp_path: Path) -> None:
    release(make(attempts=3, beta=0.25, counting="best"), tmp_path / "out")
    page = (tmp_path / "out" / "rules.html").read_text()
    for said in (
        "3 attempts",
        "0.25 |Y − P|",
        "The best accepted submission is ranked",
        "4 test documents to code",
    ):
        assert said in " ".join(page.split())


def test_the_notes_of_a_chart_are_parts_of_one_document(tmp_path: Path) -> None:
    notes = [
        Note(f"{split}{n}", split, subject_id="p", category=kind, text=text, split=split)
        for split in ("train", "test")
        for n, (kind, text) in enumerate([("HISTORY", "Cough."), ("IMPRESSION", "Clear & dry.")])
    ]
    said = [Annotation("gold", Code("CPT", "1"), split) for split in ("train", "test")]
    challenge = create(Corpus.of(notes, said), tmp_path / "task")
    release(challenge, tmp_path / "out")
    (note,) = formats.read("cmc", tmp_path / "out" / "test.xml").iter_notes()
    assert note.note_id == "test"
    assert note.text == "HISTORY:\nCough.\n\nIMPRESSION:\nClear & dry."
    with pytest.raises(OptionError, match="exists already"):
        release(challenge, tmp_path / "out")
