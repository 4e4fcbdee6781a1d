"""Records as vectors, texts cleaned, and both joined so that they cannot get out of step."""

from __future__ import annotations

import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import AuscultError, CorpusError, Note, OptionError
from auscult.corpus import Corpus
from auscult.corpus.records import Cleaning, RecordEncoder, pairs_of

VISITS = pl.DataFrame(
    {
        "record_id": ["a", "b", "c", "d"],
        "age": [1.0, 2.5, None, 40.0],
        "sex": ["F", "M", None, "F"],
        "seen": [datetime.date(2020, 1, 3), datetime.date(2021, 1, 9), None, None],
        "found": [["x", "y"], [], None, ["x"]],
    }
)


def named(encoder: RecordEncoder, record: pl.DataFrame) -> set[str]:
    """What is set in the vector of a record, in words."""
    (row,) = encoder.encode(record).toarray()
    said = []
    for one in encoder.variables:
        bands = [f"{one.name} band {n}" for n in range(one.size - 2 - len(one.values))]
        said += [f"{one.name} missing", f"{one.name} other"]
        said += [f"{one.name} {value}" for value in one.values] + bands
    return {name for name, value in zip(said, row, strict=True) if value}


def test_every_kind_of_column_has_its_places() -> None:
    encoder = RecordEncoder.fit(VISITS, least=1)
    assert named(encoder, VISITS[:1]) == {
        "age 1", "age band 0", "sex F", "seen 1", "found x", "found y"
    }  # fmt: skip
    assert named(encoder, VISITS[1:2]) == {"age band 1", "sex M", "seen 1", "found missing"}
    assert named(encoder, VISITS[2:3]) == {
        "age missing", "sex missing", "seen missing", "found missing"
    }  # fmt: skip
    assert named(encoder, VISITS[3:]) == {
        "age 40", "age band 2", "sex F", "seen missing", "found x"
    }  # fmt: skip


def test_what_was_never_seen_has_a_place_and_sets_it_once() -> None:
    encoder = RecordEncoder.fit(VISITS, least=1)
    strange = pl.DataFrame(
        {"age": ["old"], "sex": ["X"], "seen": ["not a day"], "found": [["p", "q"]]}
    )
    assert named(encoder, strange) == {"age other", "sex other", "seen missing", "found other"}
    assert set(encoder.encode(strange).data) == {1.0}


def test_rare_categories_share_the_place_of_unseen_ones_and_ids_tell_nothing() -> None:
    records = pl.DataFrame(
        {"record_id": list("abcdef"), "ward": list("xxxyyz"), "bed": list("123456")}
    )
    encoder = RecordEncoder.fit(records, least=2)
    assert [one.values for one in encoder.variables] == [("x", "y")]
    assert encoder.left_out == ("bed",)
    assert named(encoder, records[5:]) == {"ward other"}


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.sampled_from("abc")),
            st.one_of(st.none(), st.sampled_from([0.0, 1.0, 1.5, 40.0, -3.0, 1e300])),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_a_record_sets_every_variable_and_the_encoder_comes_back_from_json(
    rows: list[tuple[str | None, float | None]],
) -> None:
    schema = {"kind": pl.String, "size": pl.Float64}
    records = pl.DataFrame(rows, schema=schema, orient="row")
    if not any(kind is not None or size in (0.0, 1.0, 40.0, -3.0) for kind, size in rows) and (
        len({size for _, size in rows if size is not None}) < 2
    ):
        with pytest.raises(AuscultError, match="records carry no information"):
            RecordEncoder.fit(records, least=1)
        return
    encoder = RecordEncoder.fit(records, least=1)
    again = RecordEncoder.model_validate_json(encoder.model_dump_json())
    made = encoder.encode(records).toarray()
    assert (made == again.encode(records).toarray()).all()
    assert set(made.ravel()) <= {0.0, 1.0}
    for one in encoder.variables:
        begin = encoder.starts[one.name]
        assert (made[:, begin : begin + one.size].sum(axis=1) >= 1).all()
    # The same records in another order give the same vectors in that order.
    assert (encoder.encode(records.reverse()).toarray() == made[::-1]).all()


def test_what_is_wrong_with_variables_is_said() -> None:
    with pytest.raises(OptionError, match=r"no variable of the records 'sexe'\. Did you mean sex"):
        RecordEncoder.fit(VISITS, variables=["sexe"])
    encoder = RecordEncoder.fit(VISITS, least=1)
    with pytest.raises(AuscultError, match="lack age, found, which the training data had"):
        encoder.encode(VISITS.drop("age", "found"))
    assert encoder.encode(VISITS.with_columns(more=pl.lit("1"))).shape == (4, encoder.size)


@pytest.mark.parametrize(
    "cleaning", [Cleaning(), Cleaning(split_digits=False), Cleaning(keep_punctuation=True)]
)
@given(text=st.text(alphabet="aB3 .,/'-é\n_²", max_size=30))
def test_cleaning_what_is_clean_changes_nothing(cleaning: Cleaning, text: str) -> None:
    once = cleaning.clean(text)
    assert cleaning.clean(once) == once


def test_each_step_of_cleaning_can_be_left_out() -> None:
    text = "57YOM s/p FALL."
    assert Cleaning().words(text) == ("57", "yom", "s/p", "fall")
    assert Cleaning(lowercase=False).words(text) == ("57", "YOM", "s/p", "FALL")
    assert Cleaning(split_digits=False).words(text) == ("57yom", "s/p", "fall")
    assert Cleaning(keep_punctuation=True).words(text)[-1] == "."
    assert Cleaning(max_length=2).words(text) == ("57", "yom")


def visits(*ids: str, charts: bool = False) -> Corpus:
    notes = [
        Note("note-" + i if charts else i, i, f"p{i}", text=f"text of {i}", split="train")
        for i in reversed(ids)
    ]
    records = pl.DataFrame({"record_id": ids, "chart_id": ids, "ward": [f"ward {i}" for i in ids]})
    return Corpus.of(notes, records=records)


@pytest.mark.parametrize("charts", [False, True])
def test_a_record_has_its_own_text_in_whatever_order_they_come(charts: bool) -> None:
    pairs = pairs_of(visits("1", "2", "3", charts=charts))
    for row, text, subject in zip(
        pairs.records.iter_rows(named=True), pairs.texts, pairs.subjects, strict=True
    ):
        assert text == f"text of {row['record_id']}"
        assert subject == f"p{row['record_id']}"
    swapped = pairs.at([2, 0])
    assert swapped.ids == [pairs.ids[2], pairs.ids[0]]
    assert swapped.texts == (pairs.texts[2], pairs.texts[0])


def test_records_without_text_are_left_out_with_it_and_counted() -> None:
    corpus = visits("1", "2", "3")
    bare = [*list(corpus.iter_notes())[:1], Note("2", "2", text=" \n"), Note("1", "1")]
    assert corpus.records is not None
    pairs = pairs_of(Corpus.of(bare, records=corpus.records))
    assert pairs.ids == ["3"]
    assert pairs.without == 2


def test_records_that_cannot_be_paired_are_errors() -> None:
    with pytest.raises(CorpusError, match="has no records"):
        pairs_of(Corpus.of([Note("1", "1", text="x")]))
    twice = pl.DataFrame({"record_id": ["1", "1"]})
    with pytest.raises(CorpusError, match="2 records share"):
        pairs_of(Corpus.of([Note("1", "1", text="x")], records=twice))
    with pytest.raises(CorpusError, match="None of 1 record has a text"):
        pairs_of(Corpus.of([Note("2", "2", text="x")], records=pl.DataFrame({"record_id": ["1"]})))
    two = [Note("n1", "1", text="x"), Note("n2", "1", text="y", category="Triage")]
    chart = pl.DataFrame({"record_id": ["r"], "chart_id": ["1"]})
    with pytest.raises(OptionError, match="Choose one note category"):
        pairs_of(Corpus.of(two, records=chart))
    assert pairs_of(Corpus.of(two, records=chart), category="Triage").texts == ("y",)
