"""The code box: codes as they are typed, suggestions with their reasons, and the log of them."""

from __future__ import annotations

import queue
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.server.world import World

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code
from auscult.server.coding.code_search import CodeBox
from auscult.server.coding.sources import CodeSources
from auscult.server.database.tables import project, shown


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> CodeSources:
    folder = tmp_path_factory.mktemp("sources")
    concepts = [
        Concept(Code("UMLS", "C0020538"), "Hypertension", (Synonym("high blood pressure"),)),
        Concept(Code("UMLS", "C0018802"), "Congestive heart failure", (Synonym("CHF"),)),
    ]
    Vocabulary.build(concepts, folder / "small")
    opened = CodeSources(folder)
    _wait_for(opened, "ICD-10-CM", "ICD-10-PCS", "ICD-9-CM")
    return opened


SYSTEMS = ("ICD-10-CM", "CPT", "UMLS")


def _wait_for(sources: CodeSources, *systems: str) -> None:
    """Until the search of some systems is there."""
    sources.warm_up(systems)
    deadline = time.monotonic() + 300
    while not all(sources.search(system) for system in systems):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _codes(found: list[Any]) -> list[str]:
    return [one.code for one in found]


def test_by_code_and_by_beginnings_of_words(sources: CodeSources) -> None:
    box = CodeBox(sources, ("ICD-10-CM",), None)
    assert _codes(box.search("i50.2", (), 3)) == ["I50.2", "I50.20", "I50.21"]
    found = box.search("hyperten ess", (), 5)
    assert found[0].code == "I10"
    assert (found[0].known, found[0].billable) == (True, True)
    assert found[0].pair is not None
    assert (found[0].pair.system, found[0].pair.code) == ("ICD-9-CM", "401.9")


@pytest.mark.parametrize(
    ("words", "code"),
    [("hypertension", "I10"), ("UTI", "N39.0"), ("CHF", "I50.9"), ("high blood pressure", "I10")],
)
def test_typed_and_marked_words_give_the_same_code(
    sources: CodeSources, words: str, code: str
) -> None:
    box = CodeBox(sources, ("ICD-10-CM",), None)
    for first in (box.search(words, (), 5)[0], box.suggest(words, "a note", 5)[0]):
        assert (first.code, first.billable, first.known) == (code, True, True)
        assert first.why


def test_a_marked_code_is_found_but_a_beginning_is_none(sources: CodeSources) -> None:
    box = CodeBox(sources, ("ICD-10-CM",), None)
    assert _codes(box.suggest(" I50.9 ", None, 5)) == ["I50.9"]
    assert not [code for code in _codes(box.suggest("C3", None, 9)) if code.startswith("C3")]


def test_what_is_typed_can_be_taken_though_it_is_in_no_table(sources: CodeSources) -> None:
    box = CodeBox(sources, SYSTEMS, None)
    last = box.search("house code 7", (), 5)[-1]
    assert (last.code, last.known) == ("house code 7", False)
    (cpt, *_) = box.search("99291", ("CPT",), 5)
    assert (cpt.system, cpt.code, cpt.known, cpt.billable) == ("CPT", "99291", None, None)


def test_no_system_crowds_out_the_others(sources: CodeSources) -> None:
    box = CodeBox(sources, SYSTEMS, "small")
    assert {one.system for one in box.search("hypertension", (), 6)} >= {"ICD-10-CM", "UMLS"}
    found = [one.system for one in box.suggest("hypertension", None, 9)]
    assert found[:4] == ["ICD-10-CM"] * 3 + ["UMLS"]


def test_procedures_come_after_diagnoses(sources: CodeSources) -> None:
    both = ("ICD-10-PCS", "ICD-10-CM")
    box = CodeBox(sources, both[::-1], None)
    for found in (box.search("heart", (), 9), box.suggest("heart", None, 9)):
        systems = [one.system for one in found if one.known]
        assert systems[:3] == ["ICD-10-CM"] * 3
        assert systems.count("ICD-10-PCS") == 1, "the best one is there to be seen"
    # The best is near the top where it fits, and closes the list where it hardly does.
    assert [one.system for one in box.suggest("knee replacement", None, 9)][3] == "ICD-10-PCS"
    assert [one.system for one in box.suggest("UTI", None, 9)].index("ICD-10-PCS") == 8
    assert CodeBox(sources, both, None).suggest("heart", None, 9)[0].system == "ICD-10-PCS"
    exact = box.suggest("Repair Heart, Open Approach", None, 9)[0]
    assert (exact.system, exact.code) == ("ICD-10-PCS", "02QA0ZZ")
    assert box.search("02QA0", (), 9)[0].code == "02QA0"


def test_the_beginning_of_a_code_of_one_system_is_no_word_in_another(sources: CodeSources) -> None:
    box = CodeBox(sources, ("ICD-10-CM", "ICD-9-CM"), None)
    assert {one.system for one in box.search("428", (), 9)} == {"ICD-9-CM"}


def test_suggestions_come_with_their_reason(sources: CodeSources) -> None:
    box = CodeBox(sources, ("UMLS",), "small")
    first = box.suggest("CHF", None, 5)[0]
    assert (first.code, first.score) == ("C0018802", 1.0)
    assert "CHF" in first.why
    assert box.suggest("  ", None, 5) == []


def test_the_first_system_of_a_project_leads(tmp_path: Path) -> None:
    many = [
        Concept(Code("UMLS", f"C000000{at}"), f"Kind {at}", (Synonym("essential hypertension"),))
        for at in range(7)
    ]
    Vocabulary.build(many, tmp_path / "many")
    others = CodeSources(tmp_path)
    _wait_for(others, "ICD-10-CM")
    found = CodeBox(others, ("ICD-10-CM", "UMLS"), "many").suggest(
        "essential hypertension", None, 5
    )
    assert found[0].code == "I10"
    assert [one.system for one in found] == ["ICD-10-CM"] * 3 + ["UMLS", "ICD-10-CM"]
    found = CodeBox(others, ("UMLS", "ICD-10-CM"), "many").suggest(
        "essential hypertension", None, 5
    )
    assert [one.system for one in found] == ["UMLS"] * 3 + ["ICD-10-CM", "UMLS"]
    assert found[3].code == "I10"


def test_what_was_billed_is_marked(sources: CodeSources) -> None:
    box = CodeBox(sources, ("UMLS",), "small")
    billed = frozenset({Code("UMLS", "C0020538")})
    assert [one.billed for one in box.suggest("hypertension", None, 1, billed)] == [True]


def test_a_billed_code_with_a_marked_word_comes_forward(sources: CodeSources) -> None:
    box = CodeBox(sources, ("ICD-10-CM", "UMLS"), "small")
    billed = frozenset({Code("ICD-10-CM", "O10.02"), Code("ICD-10-CM", "E11.9")})
    plain = _codes(box.suggest("hypertension", None, 4))
    assert "O10.02" not in plain, "a case that needs no help shows nothing"
    first, forward, *rest = box.suggest("hypertension", None, 9, billed)
    assert first.code == "I10"
    assert (forward.code, forward.billed) == ("O10.02", True)
    assert forward.why.startswith("billed for this chart, and shares hypertension")
    assert "E11.9" not in [one.code for one in rest]


def test_until_the_search_is_compiled_common_wordings_and_beginnings_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CodeSources, "search", lambda *_: None)
    box = CodeBox(CodeSources(tmp_path), ("ICD-10-CM", "ICD-9-CM"), None)
    assert _codes(box.search("i50.2", (), 3)) == ["I50.2", "I50.20", "I50.21"]
    for found in (box.search("CHF", (), 9), box.suggest("CHF", None, 9)):
        assert (found[0].code, found[0].billable) == ("I50.9", True)
        assert found[0].why == "abbreviation CHF: congestive heart failure"
    assert box.suggest("something of no table", None, 9) == []


def test_what_was_shown_is_logged_where_the_project_says_so(world: World) -> None:
    words = Concept(Code("UMLS", "C0020538"), "Hypertension")
    Vocabulary.build([words], world.server.settings.folder / "words")
    ann = world.browser("ann")
    asked = {"note": world.notes[0], "spans": [[38, 50]]}
    path = f"/projects/{world.own}/suggest"

    def change(**values: Any) -> None:
        with world.server.database.writing() as connection:
            connection.execute(sa.update(project).values(values))

    change(vocabulary="words", systems=["UMLS"])
    assert ann.post(path, asked).json()["shown"] is None
    change(logs_suggestions=True)
    found = ann.post(path, asked).json()
    assert found["words"] == "hypertension"
    assert [one["code"] for one in found["codes"]] == ["C0020538"]
    choice = {"chosen": 1, "elapsed_ms": 1200}
    told = f"/projects/{world.own}/shown/{found['shown']}"
    assert world.browser("bob").post(told, choice).status_code == 404
    assert ann.post(told, choice).status_code == 204
    assert ann.post(told, choice).status_code == 409
    with world.server.database.reading() as connection:
        (row,) = connection.execute(sa.select(shown)).all()
    assert (row.person, row.chosen, row.elapsed_ms) == (world.people["ann"], 1, 1200)
    assert [(one[0], one[1]) for one in row.listed] == [("UMLS", "C0020538")]
    assert "hypertension" not in str(tuple(row)).lower()
    (logged,) = world.browser("sue").get(f"/projects/{world.own}/shown").json()
    assert (logged["person"], logged["note_id"], logged["chosen"]) == ("ann", "n0", 1)


def test_notes_are_read_without_the_vocabulary_that_is_gone(lite: World) -> None:
    with lite.server.database.writing() as connection:
        connection.execute(sa.update(project).values(vocabulary="gone", systems=["UMLS"]))
    ann = lite.browser("ann")
    assert ann.get(f"/projects/{lite.own}/notes/{lite.notes[0]}").status_code == 200
    assert ann.post(f"/projects/{lite.own}/suggest", {"words": "fever"}).json()["codes"] == []


def test_marking_more_than_a_term_or_past_the_text_is_refused(lite: World) -> None:
    ann, path = lite.browser("ann"), f"/projects/{lite.own}/suggest"
    assert ann.post(path, {"note": lite.notes[0], "spans": [[0, 9999]]}).status_code == 422
    assert ann.post(path, {"words": "x" * 4001}).status_code == 422


def test_a_search_that_is_being_compiled_does_not_outlive_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUSCULT_HOME", str(tmp_path / "nothing-compiled"))
    started: queue.Queue[subprocess.Popen[bytes]] = queue.Queue()
    real = subprocess.Popen

    def slow(words: list[str], **more: Any) -> subprocess.Popen[bytes]:
        assert words[1:] == ["-m", "auscult", "codes", "compile", "ICD-9-PCS"]
        process = real([sys.executable, "-c", "import time; time.sleep(60)"], **more)
        started.put(process)
        return process

    monkeypatch.setattr("auscult.server.coding.sources.subprocess.Popen", slow)
    sources = CodeSources(tmp_path)
    begun = time.monotonic()
    assert sources.search("ICD-9-PCS") is None
    assert time.monotonic() - begun < 1, "it does not wait"
    process = started.get(timeout=60)
    assert sources.search("ICD-9-PCS") is None
    assert sources.search("CPT") is None
    sources.close()
    assert process.wait(10) != 0
    sources.warm_up(["ICD-9-PCS"])
    with pytest.raises(queue.Empty):
        started.get(timeout=0.5)


def test_a_search_is_compiled_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUSCULT_HOME", str(tmp_path / "home"))
    sources = CodeSources(tmp_path)
    _wait_for(sources, "ICD-9-PCS")
    search = sources.search("ICD-9-PCS")
    assert search is not None
    assert search.search("laparoscopic appendectomy")[0].code.value == "47.01"
    assert list((tmp_path / "home" / "cache").glob("search-ICD-9-PCS-*"))
    # A release that was added meanwhile is noticed; the search before it answers until then.
    (tmp_path / "home" / "codes" / "ICD-10-CM").mkdir(parents=True)
    assert sources.search("ICD-9-PCS") is search
