"""From words to codes, over the Tabular List and the clinicians' table."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from auscult.codes.lookup.code_search import CodeSearch
from auscult.codes.lookup.current import code_search, table_search
from auscult.codes.table import CodeTable
from auscult.codes.tables import table_of
from auscult.core import OptionError


@pytest.fixture(scope="module")
def search() -> CodeSearch:
    return code_search("ICD-10-CM")


def _codes(search: CodeSearch, text: str, **more: object) -> list[str]:
    return [one.code.value for one in search.search(text, **more)]  # type: ignore[arg-type] # by name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # What everybody types first.
        ("hypertension", "I10"),
        ("pneumonia", "J18.9"),
        ("UTI", "N39.0"),
        ("CHF", "I50.9"),
        ("type II diabetes", "E11.9"),
        ("sepsis", "A41.9"),
        # The order and the endings of words.
        ("heart failure, systolic, acute", "I50.21"),
        ("fractured left hip", "S72.002A"),
        # British spelling, and a slip.
        ("iron deficiency anaemia", "D50.9"),
        ("oesophageal varices", "I85.00"),
        ("hypertention", "I10"),
        ("apendicitis", "K37"),
        # What is said of a side, a stage or an encounter is followed down.
        ("right carotid artery stenosis", "I65.21"),
        ("CKD stage 4", "N18.4"),
        ("left ankle sprain, subsequent encounter", "S93.402D"),
        # What a code is without is no part of what it is with.
        ("recurrent major depression, severe, with psychotic symptoms", "F33.3"),
        # Chapters that have to be asked for.
        ("gestational diabetes", "O24.419"),
        ("fall from ladder", "W11.XXXA"),
    ],
)
def test_the_right_code_is_first(search: CodeSearch, text: str, code: str) -> None:
    assert _codes(search, text)[0] == code


def test_a_heading_is_never_the_answer(search: CodeSearch) -> None:
    for text in ("hip fracture", "asthma", "malignant neoplasm of breast", "burn", "diabetes"):
        assert all(one.billable for one in search.search(text, limit=20)), text


def test_results_say_why(search: CodeSearch) -> None:
    first = search.search("CHF")[0]
    assert first.why == "abbreviation CHF: congestive heart failure"
    assert "CHF" not in repr(first)  # it may be the words of a note
    assert "inclusion term" in search.search("high blood pressure")[0].why or (
        "high blood pressure" in search.search("high blood pressure")[0].why
    )


def test_scores_go_down(search: CodeSearch) -> None:
    scores = [one.score for one in search.search("chronic kidney disease", limit=20)]
    assert scores == sorted(scores, reverse=True)
    assert 9 < len(scores) <= 20


def test_the_note_tells_senses_apart(search: CodeSearch) -> None:
    clot = _codes(search, "PE", note="Dyspnea, CT shows a clot. PE in the right lung.")
    assert clot[0] == "I26.99"
    spelled = _codes(search, "MS", note="Known mitral stenosis (MS), followed by cardiology.")
    assert spelled[0].startswith(("I05", "I34"))
    assert _codes(search, "MS", note="Relapsing multiple sclerosis (MS).")[0].startswith("G35")


def test_an_ordinary_word_is_no_abbreviation_unless_it_is_in_capitals(search: CodeSearch) -> None:
    assert "C91.00" in _codes(search, "ALL")[:3]
    assert "C91.00" not in _codes(search, "itching all over")


def test_while_typing_the_last_word_may_be_unfinished(search: CodeSearch) -> None:
    assert _codes(search, "atrial fibri", typing=True)[0] == "I48.91"
    assert "J18.9" in _codes(search, "pneumo", typing=True)


def test_billed_and_frequent_codes_move_up(search: CodeSearch) -> None:
    plain = _codes(search, "kidney failure", limit=9)
    below = plain[3]
    assert _codes(search, "kidney failure", billed={below}).index(below) < 3
    prior = _codes(search, "kidney failure", prior={below: 100_000})
    assert prior.index(below) < 3


def test_what_cannot_be_searched(search: CodeSearch) -> None:
    assert search.search("") == search.search("?!") == []
    with pytest.raises(OptionError, match="at most 4,000 characters, got 4,001;"):
        search.search("x" * 4001)
    with pytest.raises(OptionError, match="at least 1"):
        search.search("fever", limit=0)
    assert search.search("qzxwvk jjqqz") == [] or search.search("qzxwvk jjqqz")[0].score < 0.5


def test_threads_share_a_search(search: CodeSearch) -> None:
    queries = ["hypertension", "left hip fracture", "CHF exacerbation", "broken arm"] * 8
    alone = [_codes(search, query) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: _codes(search, query), queries)) == alone


def test_other_systems_have_what_their_tables_have() -> None:
    ninth = code_search("ICD-9-CM")
    assert ninth.search("CHF")[0].code.value == "428.0"
    small = CodeTable("ICD-9-CM", "mine", {"4280": "Congestive heart failure", "7999": "Other"})
    assert [one.code.value for one in table_search(small).search("failing heart")] == ["428.0"]
    with pytest.raises(OptionError, match="no table of CPT"):
        code_search("CPT")


def test_descriptions_are_those_of_the_table(search: CodeSearch) -> None:
    table = table_of("ICD-10-CM")
    assert table is not None
    for one in search.search("acute bronchitis"):
        assert one.description == table.describe(one.code.value)


def test_the_heading_is_the_way_down(search: CodeSearch) -> None:
    assert search.search("heart failure")[0].heading == "I50"
    assert (
        search.search("acute systolic heart failure")[0].heading is None
    )  # nothing is more specific
    sprain = search.search("ankle sprain")[0]
    assert (sprain.code.value, sprain.heading) == ("S93.409A", "S93.4")
