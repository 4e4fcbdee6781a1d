"""From disagreements through decisions to gold: two rounds, a supervisor, and where it is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auscult.agreement import AgreementUnit, DisagreementCause, Statement
from auscult.agreement.adjudication import Decision, Queue, State, gold, make_queue, resolve
from auscult.agreement.adjudication.files import read_decisions, write_decisions, write_queue
from auscult.agreement.adjudication.status import status
from auscult.core import Annotation, AuscultError, Code, FormatError, Note, OptionError, Span
from auscult.corpus import Corpus

TEXT = "Hypertension. Asystole, then cardiac arrest. Sixth nerve palsy. Fall. Cough."
HTN, ARREST, PALSY, WRONG, FALL, COUGH = (
    Code("ICD-10-CM", value)
    for value in ("I10", "I46.9", "S04.40XA", "H49.20", "W19.XXXA", "R05.9")
)
DAY = "2024-03-01"


def place(words: str) -> tuple[Span, ...]:
    begin = TEXT.index(words)
    return (Span(begin, begin + len(words)),)


def say(who: str, code: Code, words: str) -> Annotation:
    return Annotation(who, code, "c", "n", place(words))


GIVEN = [
    say("ann", HTN, "Hypertension"),
    say("bob", HTN, "Hypertension"),
    say("ann", ARREST, "Asystole"),
    say("bob", ARREST, "cardiac arrest"),
    say("ann", PALSY, "Sixth nerve palsy"),
    say("bob", WRONG, "Sixth nerve palsy"),
    say("ann", FALL, "Fall"),
    say("bob", COUGH, "Cough"),
]


@pytest.fixture
def queue() -> Queue:
    return make_queue(Corpus.of([Note("n", "c", text=TEXT)], GIVEN), ["ann", "bob"])


def item(queue: Queue, cause: DisagreementCause) -> str:
    [found] = [one.item_id for one in queue.items if one.cause is cause]
    return found


def decide(
    queue: Queue, cause: DisagreementCause, choice: str, who: str, **more: object
) -> Decision:
    fields = {"when": DAY, **more}
    return Decision(item(queue, cause), choice, who, **fields)  # type: ignore[arg-type]  # by name


def codes(annotations: Sequence[Annotation]) -> set[tuple[str, str]]:
    return {(a.code.value, a.spans[0].of(TEXT)) for a in annotations}


def test_the_queue_has_disagreements_only(queue: Queue) -> None:
    assert sorted(one.cause.value for one in queue.items) == [
        "code",
        "elsewhere",
        "external cause",
        "symptom",
    ]
    assert HTN not in {code for one in queue.items for code in one.disagreement.codes}
    again = make_queue(queue.annotations.corpus, ["ann", "bob"])
    assert again.items == queue.items
    other = make_queue(queue.annotations.corpus, ["bob", "ann"])
    assert not set(other.by_id()) & set(queue.by_id())


def test_every_choice(queue: Queue) -> None:
    agreed = {("I10", "Hypertension")}
    asystole, arrest = ("I46.9", "Asystole"), ("I46.9", "cardiac arrest")
    for choice, expected in {
        "accept-A": {asystole},
        "accept-B": {arrest},
        "both": {asystole, arrest},
        "accept-A+B": {asystole, arrest},
        "neither": set(),
    }.items():
        made = gold(queue, [decide(queue, DisagreementCause.ELSEWHERE, choice, "judge")])
        assert codes(made) == agreed | expected, choice
    edited = Statement(ARREST, "n", place("Asystole, then cardiac arrest"))
    made = gold(
        queue, [decide(queue, DisagreementCause.ELSEWHERE, "edit", "judge", edit=(edited,))]
    )
    assert codes(made) == agreed | {("I46.9", "Asystole, then cardiac arrest")}
    absent = gold(queue, [decide(queue, DisagreementCause.SYMPTOM, "accept-A", "judge")])
    assert codes(absent) == agreed


def test_gold_says_where_it_is_from(queue: Queue) -> None:
    why = "the injury is documented"
    made = gold(
        queue, [decide(queue, DisagreementCause.CODE, "accept-A", "judge", why=why)], name="final"
    )
    by_code = {a.code: a for a in made}
    assert by_code[HTN].meta == {"adjudication": "agreed", "annotators": "ann, bob"}
    meta = by_code[PALSY].meta
    assert meta["adjudication"] == "accept-A"
    assert (meta["by"], meta["when"], meta["why"]) == ("judge", DAY, why)
    assert (meta["annotators"], meta["cause"], meta["item"]) == (
        "ann",
        "code",
        item(queue, DisagreementCause.CODE),
    )
    assert {a.annotator for a in made} == {"final"}
    assert why not in repr(decide(queue, DisagreementCause.CODE, "accept-A", "judge", why=why))


def test_review_then_supervisor(queue: Queue) -> None:
    """The workflow of MDACE: coders review, and what they still differ on a supervisor settles."""
    first = [
        decide(queue, DisagreementCause.CODE, "accept-A", "bob"),  # bob gives in
        decide(queue, DisagreementCause.ELSEWHERE, "both", "ann"),
        decide(queue, DisagreementCause.ELSEWHERE, "both", "bob"),
        decide(
            queue, DisagreementCause.SYMPTOM, "accept-B", "bob"
        ),  # bob stands by it, ann has not looked
        decide(queue, DisagreementCause.EXTERNAL, "accept-A", "ann"),
        decide(queue, DisagreementCause.EXTERNAL, "neither", "bob"),
    ]
    states = {one.item.cause: one.state for one in resolve(queue, first)}
    assert states == {
        DisagreementCause.CODE: State.SETTLED,
        DisagreementCause.ELSEWHERE: State.SETTLED,
        DisagreementCause.SYMPTOM: State.OPEN,
        DisagreementCause.EXTERNAL: State.CONTESTED,
    }
    second = [
        *first,
        decide(queue, DisagreementCause.EXTERNAL, "accept-A", "eve", supervisor=True, round=2),
        decide(queue, DisagreementCause.SYMPTOM, "accept-B", "ann", round=2),
    ]
    assert {one.state for one in resolve(queue, second)} == {State.SETTLED}
    assert codes(gold(queue, second)) == {
        ("I10", "Hypertension"),
        ("I46.9", "Asystole"),
        ("I46.9", "cardiac arrest"),
        ("S04.40XA", "Sixth nerve palsy"),
        ("W19.XXXA", "Fall"),
        ("R05.9", "Cough"),
    }
    found = status(queue, second, unit=AgreementUnit.SPAN, times=0).agreement
    hooper = {when: one["hooper_pooled"].value for when, one in found.items()}
    # 8 statements at first, 1 of them shared; then 6, of which 4; then 6, of which 5.
    assert hooper == {
        "before": pytest.approx(1 / 7),
        "after round 1": pytest.approx(4 / 6),
        "after round 2": pytest.approx(5 / 6),
    }
    with pytest.warns(UserWarning, match="0 by definition"):
        counted = status(queue, first, times=0)
    assert counted.states == {State.SETTLED: 2, State.OPEN: 1, State.CONTESTED: 1}
    assert counted.causes[DisagreementCause.EXTERNAL][State.CONTESTED] == 1


def test_a_supervisor_overrides_also_later_decisions(queue: Queue) -> None:
    made = [
        decide(queue, DisagreementCause.CODE, "accept-B", "eve", supervisor=True),
        decide(queue, DisagreementCause.CODE, "accept-A", "judge", round=3, when="2024-05-01"),
        decide(
            queue,
            DisagreementCause.CODE,
            "neither",
            "eve",
            supervisor=True,
            when="2024-04-01T10:00+02:00",
        ),
    ]
    [settled] = [one for one in resolve(queue, made) if one.item.cause is DisagreementCause.CODE]
    assert settled.outcome == frozenset()
    assert settled.decision == made[2]


def test_the_latest_decision_of_a_person_counts(queue: Queue) -> None:
    made = [
        decide(queue, DisagreementCause.CODE, "accept-A", "judge", when="2024-03-02T09:00"),
        decide(queue, DisagreementCause.CODE, "accept-B", "judge", when="2024-03-01T09:00"),
    ]
    [settled] = [one for one in resolve(queue, made) if one.item.cause is DisagreementCause.CODE]
    assert {statement.code for statement in settled.outcome} == {PALSY}
    two = [*made, decide(queue, DisagreementCause.CODE, "neither", "other judge")]
    [settled] = [one for one in resolve(queue, two) if one.item.cause is DisagreementCause.CODE]
    assert settled.state is State.CONTESTED


def test_order_of_decisions_means_nothing(queue: Queue) -> None:
    made = [
        decide(queue, DisagreementCause.CODE, "accept-A", "judge"),
        decide(queue, DisagreementCause.ELSEWHERE, "both", "judge"),
        decide(queue, DisagreementCause.CODE, "both", "judge", when="2024-03-05"),
    ]
    assert gold(queue, made) == gold(queue, made[::-1])


def test_mistakes(queue: Queue) -> None:
    item_id = item(queue, DisagreementCause.CODE)
    with pytest.raises(OptionError, match=r"not an item of this queue.*--charts, --split, --cat"):
        resolve(queue, [Decision("q123456789abc", "both", "judge", DAY)])
    with pytest.raises(OptionError, match="who"):
        Decision(item_id, "both", " ", DAY)
    with pytest.raises(OptionError, match="2024-03-01T14:30"):
        Decision(item_id, "both", "judge", "01/03/2024")
    with pytest.raises(OptionError, match="round 0"):
        Decision(item_id, "both", "judge", DAY, round=0)
    with pytest.raises(OptionError, match="require the decision edit"):
        Decision(item_id, "both", "judge", DAY, edit=(Statement(HTN),))
    with pytest.raises(OptionError, match="decide neither"):
        Decision(item_id, "edit", "judge", DAY)
    with pytest.raises(OptionError, match="has spans but no note_id"):
        Statement(HTN, spans=place("Cough"))
    twice = [Decision(item_id, choice, "judge", DAY) for choice in ("both", "neither")]
    with pytest.raises(OptionError, match="two different decisions"):
        resolve(queue, twice)


def test_an_annotator_in_other_letters_is_the_annotator(queue: Queue) -> None:
    """Taken for somebody else, bob would settle alone what ann has not looked at."""
    for who in ("bob", "Bob", " BOB "):
        made = [decide(queue, DisagreementCause.SYMPTOM, "accept-B", who)]
        [found] = [
            one for one in resolve(queue, made) if one.item.cause is DisagreementCause.SYMPTOM
        ]
        assert found.state is State.OPEN, who
        agreement = status(queue, made, unit=AgreementUnit.SPAN, times=0).agreement
        assert list(agreement) == ["before", "after round 1"], who
    given_in = [decide(queue, DisagreementCause.SYMPTOM, "accept-A", "BOB")]
    [after] = [
        a.meta
        for a in gold(queue, [decide(queue, DisagreementCause.CODE, "accept-A", "BOB")])
        if a.code == PALSY
    ]
    assert after["by"] == "bob"
    f1 = status(queue, given_in, unit=AgreementUnit.SPAN, times=0).agreement["after round 1"][
        "code_f1"
    ]
    assert f1.value == pytest.approx(2 / 7)  # bob has three spans left, ann four, one is of both


def test_a_judge_in_other_letters_is_one_judge(queue: Queue) -> None:
    made = [
        decide(queue, DisagreementCause.CODE, "accept-A", "Judge Judy"),
        decide(queue, DisagreementCause.CODE, "accept-B", "judge  judy", when="2024-03-02"),
    ]
    for order in (made, made[::-1]):
        [found] = [one for one in resolve(queue, order) if one.item.cause is DisagreementCause.CODE]
        assert found.state is State.SETTLED
        assert {statement.code for statement in found.outcome} == {WRONG}


def test_coders_who_differ_in_case_only_are_two() -> None:
    given = [replace(a, annotator={"ann": "x", "bob": "X"}[a.annotator]) for a in GIVEN]
    found = make_queue(Corpus.of([Note("n", "c", text=TEXT)], given), ["x", "X"])
    made = [decide(found, DisagreementCause.CODE, "both", who) for who in ("x", "X")]
    assert State.SETTLED in {one.state for one in resolve(found, made)}
    assert State.SETTLED not in {one.state for one in resolve(found, made[:1])}
    with pytest.raises(OptionError, match="could be x or X"):
        resolve(found, [decide(found, DisagreementCause.CODE, "both", " x")])


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_name_that_is_nearly_a_coders_is_refused(tmp_path: Path, suffix: str) -> None:
    names = {"ann": "coder_a", "bob": "coder_b"}
    given = [replace(a, annotator=names[a.annotator]) for a in GIVEN]
    other = Annotation("coder_c", HTN, "c", "n")
    found = make_queue(Corpus.of([Note("n", "c", text=TEXT)], [*given, other]), [*names.values()])
    file = tmp_path / f"decisions{suffix}"

    def read(who: str, *, supervisor: bool = False) -> str:
        made = decide(found, DisagreementCause.CODE, "both", who, supervisor=supervisor)
        write_decisions(found, [made], file, overwrite=True)
        return read_decisions([file], found)[0].who

    for who in ("coder a", "coder-a", "codera", "codr_a"):
        with pytest.raises(FormatError, match=r"row \d: .*similar to the annotator coder_a"):
            read(who)
    assert read("Coder_B ") == "coder_b"
    assert read("coder_c") == "coder_c"  # another annotator of the corpus
    assert read("eve") == "eve"
    assert read("coder a", supervisor=True) == "coder a"


@pytest.mark.filterwarnings("ignore:.*by definition")
def test_a_code_of_the_chart_and_of_a_note(tmp_path: Path) -> None:
    """One gives a code to the whole chart, the other to a note, a third to words."""
    given = [
        Annotation("ann", HTN, "c"),
        Annotation("bob", HTN, "c", "n"),
        say("cat", HTN, "Hypertension"),
        *(Annotation(who, FALL, "c") for who in ("ann", "bob", "cat")),
        *(Annotation(who, FALL, "c", "n") for who in ("ann", "bob", "cat")),
    ]
    found = make_queue(Corpus.of([Note("n", "c", text=TEXT)], given), ["ann", "bob", "cat"])
    [one] = found.items
    assert one.cause is DisagreementCause.ELSEWHERE
    assert [side[0].note_id for side in one.disagreement.sides if side] == [None, "n", "n"]
    assert status(found, [], times=0).states[State.OPEN] == 1
    for suffix in (".csv", ".jsonl"):
        made = [Decision(one.item_id, "accept-A+C", "judge", DAY)]
        write_decisions(found, made, tmp_path / f"made{suffix}")
        read = read_decisions([tmp_path / f"made{suffix}"], found)
        notes = {(a.code, a.note_id, a.spans) for a in gold(found, read)}
        words = place("Hypertension")
        assert notes == {(HTN, None, ()), (HTN, "n", words), (FALL, None, ()), (FALL, "n", ())}


@pytest.mark.filterwarnings("ignore:.*not read")
def test_three_coders_one_of_whom_saw_nothing() -> None:
    notes = [Note("n", "c", text=TEXT), Note("m", "d", text=TEXT)]
    given = [*GIVEN, Annotation("cat", HTN, "d", "m"), Annotation("ann", FALL, "d", "m")]
    found = make_queue(Corpus.of(notes, given), ["ann", "bob", "cat"])
    [code] = [one for one in found.items if one.cause is DisagreementCause.CODE]
    assert code.side(2) is None
    with pytest.raises(OptionError, match="cat, who did not annotate"):
        resolve(found, [Decision(code.item_id, "accept-C", "judge", DAY)])
    settled = resolve(found, [Decision(code.item_id, "accept-A", "bob", DAY)])
    assert {one.state for one in settled if one.item is code} == {State.SETTLED}


def test_one_coder_alone_is_gold_and_says_so() -> None:
    notes = [Note("n", "c", text=TEXT), Note("m", "d", text=TEXT)]
    given = [*GIVEN, Annotation("ann", FALL, "d", "m")]
    with pytest.warns(UserWarning, match="one annotator only"):
        found = make_queue(Corpus.of(notes, given), ["ann", "bob"])
    alone = [a for a in gold(found, []) if a.chart_id == "d"]
    assert [a.meta["adjudication"] for a in alone] == ["one annotator"]


choices = st.sampled_from(["accept-A", "accept-B", "both", "neither"])
reasons = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).map(str.strip)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_decisions_come_back_as_they_went(
    queue: Queue, tmp_path: Path, data: st.DataObject
) -> None:
    made = [
        Decision(
            one.item_id,
            data.draw(choices),
            data.draw(st.sampled_from(["judge", "Zoë", "ann"])),
            f"2024-03-{data.draw(st.integers(10, 28))}T10:00",
            data.draw(reasons),
            data.draw(st.integers(1, 3)),
            data.draw(st.booleans()),
        )
        for one in queue.items
    ]
    edited = Statement(ARREST, "n", (*place("Asystole"), *place("Cough")))
    made.append(Decision(made[0].item_id, "edit", "ed", DAY, edit=(edited, Statement(FALL))))
    for suffix in (".csv", ".jsonl"):
        file = tmp_path / f"decisions{suffix}"
        write_decisions(queue, made, file, overwrite=True)
        assert read_decisions([file], queue) == made


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_damaged_files_are_clear_errors(queue: Queue, tmp_path: Path, data: st.DataObject) -> None:
    """Whatever happens to a file, it is read as something or refused; and no note is quoted."""
    suffix = data.draw(st.sampled_from([".csv", ".jsonl"]))
    file = tmp_path / f"damaged{suffix}"
    write_queue(queue, queue.items, file, show_text=True, overwrite=True)
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 12))
        content[at : at + length] = data.draw(st.binary(max_size=6))
    file.write_bytes(bytes(content))
    said = ""
    try:
        read_decisions([file], queue)
    except AuscultError as error:
        said = str(error)
    assert "Asystole" not in said
    assert "palsy" not in said
