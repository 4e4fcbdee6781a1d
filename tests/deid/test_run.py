"""A whole corpus: text, times, annotations, records, ids, the same again, and back with the key."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from auscult.core import (
    Annotation,
    AuscultError,
    Code,
    CorpusError,
    FormatError,
    Note,
    OptionError,
    Span,
)
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.deid import (
    DeidOptions,
    PhiKind,
    PhiSpan,
    ReplacementStyle,
    ReviewChoice,
    ReviewDecision,
    deidentify,
    review_items,
)
from auscult.deid.date_shift import KeyedRandom
from auscult.deid.key import KeyWriter, PatientKey, read_key
from auscult.deid.review import item_id
from auscult.deid.status import status_of
from auscult.deid.undo import undo

ICD = "ICD-10-CM"
FIRST = "Mr. Hernandez, 93 yo, admitted 3/14/2003 with fever. PCP Dr. Chen. Foley in place."
SECOND = "Hernandez seen 2003-03-20 by Grace Kim, RN: fever resolved in Boston, MA."
SECRETS = ("Hernandez", "93", "3/14/2003", "Chen", "2003-03-20", "Grace", "Kim", "Boston", "MA")


def small() -> Corpus:
    notes = [
        Note(
            "n1", "c1", "p1", "Physician", "2003-03-14T08:05:00", FIRST, meta={"author": "Dr. Chen"}
        ),
        Note("n3", "c9", "p2", "Nursing", "2003-03-15", "Hernandez is not known here. BP 120/80."),
        Note("n2", "c2", "p1", "Nursing", "2003-03-20", SECOND),
        Note("n4", "c2", "p1", "Nursing", None, None),
    ]

    def on(note_id: str, chart_id: str, text: str, words: str) -> Annotation:
        begin = text.index(words)
        span = Span(begin, begin + len(words))
        return Annotation("ann", Code(ICD, "R50.9"), chart_id, note_id, (span,))

    annotations = [
        on("n1", "c1", FIRST, "fever"),
        on("n2", "c2", SECOND, "fever"),
        on("n2", "c2", SECOND, "Kim, RN: fever"),
        Annotation("ann", Code(ICD, "I10"), "c1", meta={"why": "as Dr. Chen says"}),
    ]
    records = pl.DataFrame(
        {
            "record_id": ["r1", "r2"],
            "chart_id": ["c1", "c9"],
            "last_name": ["Hernandez", "Quillfeather"],
            "admitted": [date(2003, 3, 14), date(2003, 3, 15)],
            "seen": ["2003-03-14T09:00", None],
            "sex": ["M", "F"],
            "beds": [3, 4],
        }
    )
    return Corpus.of(notes, annotations, records)


def notes_of(path: Path) -> dict[str, Note]:
    return {note.note_id: note for note in Corpus.open(path).iter_notes()}


def test_no_secret_is_left_and_what_is_none_stays(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"))
    notes = notes_of(tmp_path / "out")
    told = " ".join(f"{n.text} {n.meta}" for n in notes.values() if n.note_id in ("n1", "n2"))
    assert not [secret for secret in SECRETS if secret in told]
    assert "Foley in place." in (notes["n1"].text or "")
    assert "90+ yo" in (notes["n1"].text or "")
    assert "BP 120/80" in (notes["n3"].text or "")
    assert notes["n4"].text is None


def test_notes_keep_their_order_and_what_belongs_together(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"))
    opened = Corpus.open(tmp_path / "out")
    assert [n.note_id for n in opened.iter_notes()] == ["n1", "n3", "n2", "n4"]
    notes = notes_of(tmp_path / "out")
    surname = (notes["n1"].text or "").split()[1].rstrip(",")
    assert (notes["n2"].text or "").startswith(surname)


def test_dates_times_and_records_move_together(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"))
    notes = notes_of(tmp_path / "out")
    first = date.fromisoformat((notes["n1"].time or "")[:10])
    second = date.fromisoformat(notes["n2"].time or "")
    assert (second - first).days == 6
    assert first != date(2003, 3, 14)
    assert (notes["n1"].time or "").endswith("T08:05:00")
    assert f"{first.month}/{first.day}/{first.year}" in (notes["n1"].text or "")
    assert second.isoformat() in (notes["n2"].text or "")
    table = Corpus.open(tmp_path / "out").lazy_records
    assert table is not None
    records = table.collect()
    assert records["admitted"][0] == first
    assert records["seen"][0] == f"{first.isoformat()}T09:00"
    assert (records["admitted"][1] - date(2003, 3, 15)).days != (first - date(2003, 3, 14)).days
    assert records["sex"].to_list() == ["M", "F"]
    assert records["beds"].to_list() == [3, 4]


def test_names_of_the_records_are_replaced_as_in_the_notes(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"))
    table = Corpus.open(tmp_path / "out").lazy_records
    assert table is not None
    names = table.collect()["last_name"].to_list()
    assert not {"Hernandez", "Quillfeather"} & set(names)
    assert names[0] in (notes_of(tmp_path / "out")["n1"].text or "")


def test_evidence_is_on_the_same_words(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"))
    opened = Corpus.open(tmp_path / "out")
    notes = notes_of(tmp_path / "out")
    told = [
        one.spans[0].of(notes[one.note_id].text or "")
        for one in opened.iter_annotations()
        if one.note_id is not None
    ]
    assert told[:2] == ["fever", "fever"]
    assert told[2].endswith(", RN: fever")
    assert not told[2].startswith("Kim")
    (on_chart,) = [one for one in opened.iter_annotations() if one.note_id is None]
    assert "Chen" not in on_chart.meta["why"]


def test_the_same_seed_the_same_corpus(tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        deidentify(small(), tmp_path / name, DeidOptions(seed=seed))
    a, b, c = (Corpus.open(tmp_path / name) for name in "abc")
    assert differences(a, b) == []
    assert differences(a, c)


def test_without_a_seed_it_differs_every_time(tmp_path: Path) -> None:
    for name in "ab":
        deidentify(small(), tmp_path / name)
    assert differences(Corpus.open(tmp_path / "a"), Corpus.open(tmp_path / "b"))


def test_the_papers_style(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1", style=ReplacementStyle.PAPER))
    text = notes_of(tmp_path / "out")["n2"].text or ""
    assert text.startswith("Johnson seen")
    assert "by Jane Johnson, RN: fever resolved in Town" in text


def test_weekdays_stay_when_asked(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1", keep_weekday=True))
    moved = date.fromisoformat(notes_of(tmp_path / "out")["n2"].time or "")
    assert moved.weekday() == date(2003, 3, 20).weekday()
    assert moved != date(2003, 3, 20)


def test_new_ids_are_new_everywhere_and_still_fit(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1", new_ids=True))
    opened = Corpus.open(tmp_path / "out")
    notes = list(opened.iter_notes())
    ids = {n.note_id for n in notes} | {n.chart_id for n in notes} | {n.subject_id for n in notes}
    assert not ids & {"n1", "n2", "n3", "n4", "c1", "c2", "c9", "p1", "p2"}
    charts = {n.note_id: n.chart_id for n in notes}
    for one in opened.iter_annotations():
        assert one.chart_id in charts.values()
        assert one.note_id is None or charts[one.note_id] == one.chart_id
    assert opened.records is not None
    assert set(opened.records["chart_id"]) <= set(charts.values())
    assert notes[0].subject_id == notes[2].subject_id


def decide(
    corpus: Corpus, note_id: str, words: str, choice: ReviewChoice, new: str | None = None
) -> ReviewDecision:
    (item,) = [
        one
        for one in review_items(corpus, everything=True)
        if one.note_id == note_id and one.words == words
    ]
    return ReviewDecision(item.item_id, note_id, choice, new)


def test_decisions_keep_replace_and_generalize(tmp_path: Path) -> None:
    corpus = small()
    decisions = [
        decide(corpus, "n2", "Boston", ReviewChoice.GENERALIZE),
        decide(corpus, "n1", "Chen", ReviewChoice.KEEP),
        decide(corpus, "n2", "Grace", ReviewChoice.REPLACE, "Anna"),
    ]
    found = deidentify(corpus, tmp_path / "out", DeidOptions(seed="1"), decisions=decisions)
    notes = notes_of(tmp_path / "out")
    assert "resolved in Town" in (notes["n2"].text or "")
    assert "Dr. Chen" in (notes["n1"].text or "")
    assert "by Anna " in (notes["n2"].text or "")
    assert found.tally.decided == 3


def test_deleting_takes_the_note_and_its_annotations_and_is_counted(tmp_path: Path) -> None:
    corpus = small()
    decision = decide(corpus, "n1", "Hernandez", ReviewChoice.DELETE)
    found = deidentify(corpus, tmp_path / "out", DeidOptions(seed="1"), decisions=[decision])
    opened = Corpus.open(tmp_path / "out")
    assert {n.note_id for n in opened.iter_notes()} == {"n2", "n3", "n4"}
    assert {one.note_id for one in opened.iter_annotations()} == {"n2"}
    assert [(s.removed, s.left) for s in found.steps] == [(0, 4), (1, 3)]
    assert opened.records is not None
    assert opened.records["chart_id"].to_list() == ["c9"]


def test_what_a_person_added_is_replaced(tmp_path: Path) -> None:
    begin = FIRST.index("Foley")
    mine = PhiSpan(begin, begin + 5, PhiKind.NAME)
    added = ReviewDecision(item_id("n1", mine), "n1", ReviewChoice.REPLACE, added=mine)
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"), decisions=[added])
    assert "Foley" not in (notes_of(tmp_path / "out")["n1"].text or "")


def test_what_a_person_keeps_and_another_adds_over_it_is_an_error(tmp_path: Path) -> None:
    corpus = small()
    begin = FIRST.index("Dr. Chen")
    mine = PhiSpan(begin, begin + 8, PhiKind.NAME)
    decisions = [
        replace(decide(corpus, "n1", "Chen", ReviewChoice.KEEP), where="queue.csv row 3"),
        ReviewDecision(
            item_id("n1", mine), "n1", ReviewChoice.REPLACE, added=mine, where="queue.csv row 9"
        ),
    ]
    with pytest.raises(OptionError, match=r"queue.csv row 3.*queue.csv row 9"):
        deidentify(corpus, tmp_path / "out", decisions=decisions)
    agreed = [replace(decisions[0], choice=ReviewChoice.REPLACE), decisions[1]]
    deidentify(corpus, tmp_path / "out", DeidOptions(seed="1"), decisions=agreed)
    assert "Dr. Chen" not in (notes_of(tmp_path / "out")["n1"].text or "")


def test_part_of_a_finding_can_be_kept(tmp_path: Path) -> None:
    begin = FIRST.index("2003")
    year = PhiSpan(begin, begin + 4, PhiKind.DATE)
    kept = ReviewDecision(item_id("n1", year), "n1", ReviewChoice.KEEP, added=year)
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"), decisions=[kept])
    text = notes_of(tmp_path / "out")["n1"].text or ""
    assert "2003 with fever" in text
    assert "3/14" not in text


def test_what_was_decided_holds_when_it_is_not_found_any_more(tmp_path: Path) -> None:
    begin = FIRST.index("Foley")
    place = PhiSpan(begin, begin + 5, PhiKind.NAME)
    decision = ReviewDecision(
        item_id("n1", place), "n1", ReviewChoice.REPLACE, "Drain", place=place, words="Foley"
    )
    deidentify(small(), tmp_path / "out", DeidOptions(seed="1"), decisions=[decision])
    assert "Drain in place" in (notes_of(tmp_path / "out")["n1"].text or "")
    moved = replace(decision, words="Fever")
    with pytest.raises(CorpusError, match="has changed"):
        deidentify(small(), tmp_path / "other", decisions=[moved])


def test_all_that_is_wrong_with_decisions_is_told_at_once(tmp_path: Path) -> None:
    corpus = small()
    past, other = PhiSpan(70, 700, PhiKind.NAME), PhiSpan(60, 600, PhiKind.NAME)
    decisions = [
        ReviewDecision(item_id("n1", past), "n1", ReviewChoice.REPLACE, added=past),
        ReviewDecision(item_id("n2", other), "n2", ReviewChoice.REPLACE, added=other),
    ]
    with pytest.raises(OptionError, match="2 decisions are invalid") as caught:
        deidentify(corpus, tmp_path / "out", decisions=decisions)
    assert str(caught.value).count("ends past its") == 2
    with pytest.raises(OptionError, match="2 decisions are invalid"):
        status_of(corpus, decisions)


def test_the_status_counts_what_applying_counts(tmp_path: Path) -> None:
    texts = ["Stones passed 2/5, h/o gout 1998.", "Colic 2/6. Stones 1997.", "Pain 3/4 then."]
    corpus = Corpus.of([Note(f"n{at}", "c", "p", text=text) for at, text in enumerate(texts)])
    items = list(review_items(corpus))
    assert len(items) >= 4
    decisions = [
        ReviewDecision(items[0].item_id, items[0].note_id, ReviewChoice.KEEP),
        *[
            ReviewDecision(one.item_id, one.note_id, ReviewChoice.DELETE)
            for one in items
            if one.note_id == "n1"
        ],
    ]
    status = status_of(corpus, decisions)
    tally = deidentify(corpus, tmp_path / "out", decisions=decisions).tally
    assert (status.doubtful, status.undecided, status.decided) == (
        tally.doubtful,
        tally.undecided,
        tally.decided,
    )
    assert status.doubtful == len(items)
    assert status.undecided == sum(one.note_id != "n1" for one in items) - 1
    assert status.steps[-1].left == 2


def test_two_decisions_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    corpus = small()
    decisions = [
        decide(corpus, "n1", "Chen", choice) for choice in (ReviewChoice.KEEP, ReviewChoice.DELETE)
    ]
    with pytest.raises(OptionError, match="is decided as keep and as delete"):
        deidentify(corpus, tmp_path / "out", decisions=decisions)


@pytest.mark.parametrize("new_ids", [False, True])
def test_the_key_undoes_it_and_nothing_else_does(tmp_path: Path, new_ids: bool) -> None:
    key = KeyWriter(tmp_path / "key", "correct horse")
    corpus = small()
    deidentify(corpus, tmp_path / "out", DeidOptions(seed="1", new_ids=new_ids), key=key)
    raw = (tmp_path / "key").read_bytes()
    # Two letters are in any long row of bytes by chance.
    assert not [secret for secret in SECRETS if len(secret) > 2 and secret.encode() in raw]
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    back = undo(Corpus.open(tmp_path / "out"), read_key(tmp_path / "key", "correct horse"))
    before = {n.note_id: (n.chart_id, n.subject_id, n.time, n.text) for n in corpus.iter_notes()}
    after = {n.note_id: (n.chart_id, n.subject_id, n.time, n.text) for n in back.iter_notes()}
    assert after == before
    fevers = [one.spans for one in back.iter_annotations() if one.note_id][:2]
    assert fevers == [one.spans for one in corpus.iter_annotations() if one.note_id][:2]


def test_a_key_with_another_passphrase_or_a_changed_byte_does_not_open(tmp_path: Path) -> None:
    file = tmp_path / "key"
    key = KeyWriter(file, "correct horse")
    key.add(PatientKey("p", 3, {}, {}))
    with key.written():
        pass
    with pytest.raises(OptionError, match="cannot be decrypted"):
        list(read_key(file, "wrong horse"))
    raw = bytearray(file.read_bytes())
    raw[-1] ^= 1
    file.write_bytes(raw)
    with pytest.raises(OptionError, match="cannot be decrypted"):
        list(read_key(file, "correct horse"))
    file.write_bytes(b"something else")
    with pytest.raises(FormatError, match="not a de-identification key"):
        list(read_key(file, "correct horse"))


def test_a_corpus_that_cannot_be_written_takes_no_key_with_it(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("keep", encoding="utf-8")
    (tmp_path / "key").write_text("an older key", encoding="utf-8")
    key = KeyWriter(tmp_path / "key", "correct horse", overwrite=True)
    with pytest.raises(AuscultError):
        deidentify(small(), tmp_path / "out", DeidOptions(seed="1"), key=key)
    assert (tmp_path / "key").read_text("utf-8") == "an older key"


def test_a_key_that_cannot_be_written_leaves_no_corpus_without_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    key = KeyWriter(tmp_path / "file" / "key", "correct horse")
    with pytest.raises(AuscultError):
        deidentify(small(), tmp_path / "out", DeidOptions(seed="1"), key=key)
    assert not (tmp_path / "out").exists()


def test_a_key_does_not_show_what_is_in_it() -> None:
    shown = repr(PatientKey("p", 1234, {"surname chen": "Ortiz"}, {"n": [(0, 4, "Chen")]}))
    assert "1234" not in shown
    assert "Chen" not in shown


def test_a_seed_is_not_the_key_itself() -> None:
    # Guessing at short seeds must cost more than one HMAC each.
    assert DeidOptions(seed="7").chance.letters("a") != KeyedRandom(b"7").letters("a")


def test_nothing_that_would_undo_it_is_written_without_a_key(tmp_path: Path) -> None:
    deidentify(small(), tmp_path / "out", DeidOptions(seed="very secret seed"))
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in files)
    assert b"very secret seed" not in content
    assert b"Hernandez" not in (tmp_path / "out" / "manifest.json").read_bytes()


def test_many_batches_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deidentify(small(), tmp_path / "one", DeidOptions(seed="1"))
    monkeypatch.setattr("auscult.deid.patients._NOTES_AT_ONCE", 1)
    monkeypatch.setattr("auscult.deid.run._Parts._AT_ONCE", 1)
    deidentify(small(), tmp_path / "many", DeidOptions(seed="1"))
    one, many = Corpus.open(tmp_path / "one"), Corpus.open(tmp_path / "many")
    assert differences(one, many) == []
    assert [n.note_id for n in many.iter_notes()] == ["n1", "n3", "n2", "n4"]


def test_a_corpus_without_notes(tmp_path: Path) -> None:
    found = deidentify(Corpus.of(), tmp_path / "out")
    assert found.tally.notes == 0
    assert list(Corpus.open(tmp_path / "out").iter_notes()) == []


def test_a_time_that_is_no_date_is_dropped_and_counted(tmp_path: Path) -> None:
    note = Note("n", "c", time="last spring", text="No fever.")
    found = deidentify(Corpus.of([note]), tmp_path / "out", DeidOptions(seed="1"))
    assert found.tally.dropped_times == 1
    assert notes_of(tmp_path / "out")["n"].time is None


def test_annotations_on_notes_that_are_not_there_are_not_lost_in_silence(tmp_path: Path) -> None:
    stray = Annotation("ann", Code(ICD, "I10"), "c", "elsewhere", (Span(0, 2),))
    with pytest.warns(UserWarning, match="1 annotation"):
        deidentify(Corpus.of([Note("n", "c", text="No fever.")], [stray]), tmp_path / "out")
    assert list(Corpus.open(tmp_path / "out").iter_annotations()) == []
