"""What other systems wrote, in each of their shapes and in every way of counting."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from auscult.core import (
    Annotation,
    AuscultError,
    FormatError,
    Note,
    Offsets,
    OffsetUnit,
    OptionError,
)
from auscult.corpus.external import TOOLS, read_external

TEXT = "Sjögren’s 🫀 noted.\nSevere asthma, no fever.\nAsthma again; fever at night.\n"
NOTE = Note("n1", "c1", text=TEXT)
WANTED = [("Severe asthma", "C1"), ("asthma", "C2"), ("fever", "C3"), ("Asthma", "C2")]


def places(text: str, unit: OffsetUnit = OffsetUnit.CODEPOINT) -> list[tuple[str, str, int, int]]:
    """What a system that saw this text would say, in its unit."""
    offsets = Offsets(text, unit)
    found = []
    for said, code in WANTED:
        at = text.index(said)
        begin, end = offsets.from_codepoint(at), offsets.from_codepoint(at + len(said))
        found.append((said, code, begin, end))
    return found


def spans(annotations: list[Annotation]) -> set[tuple[str, str]]:
    return {(a.spans[0].of(TEXT), a.code.value) for a in annotations}


def quickumls(rows: list[tuple[str, str, int, int]]) -> str:
    found = [
        [{"start": b, "end": e, "ngram": said, "cui": code, "similarity": 0.9}]
        for said, code, b, e in rows
    ]
    return json.dumps(found)


def test_quickumls_medcat_and_scispacy_are_read(tmp_path: Path) -> None:
    rows = places(TEXT)
    (tmp_path / "n1.json").write_text(quickumls(rows))
    assert spans(read_external("quickumls", tmp_path, [NOTE])) == set(WANTED)
    ents = {
        str(at): {"cui": code, "start": b, "end": e, "source_value": said, "acc": 0.5}
        for at, (said, code, b, e) in enumerate(rows)
    }
    medcat = tmp_path / "medcat.json"
    medcat.write_text(json.dumps({"n1": {"entities": ents, "tokens": []}}))
    made = read_external("medcat", medcat, [NOTE], annotator="medcat 2")
    assert spans(made) == set(WANTED)
    assert {(a.annotator, a.score) for a in made} == {("medcat 2", 0.5)}
    lines = tmp_path / "sci.jsonl"
    said, code, begin, end = rows[0]
    lines.write_text(
        json.dumps(
            {"note_id": "n1", "text": said, "start_char": begin, "end_char": end,
             "kb_ents": [[code, 0.8], ["C9", 0.7]]}
        )
    )  # fmt: skip
    assert spans(read_external("scispacy", lines, [NOTE])) == {(said, code), (said, "C9")}
    table = tmp_path / "found.csv"
    table.write_text(f"note_id,start,end,text,cui\nn1,{begin},{end},{said},{code}\n")
    assert spans(read_external("quickumls", table, [NOTE])) == {(said, code)}


def test_ctakes_is_read(tmp_path: Path) -> None:
    rows = places(TEXT, OffsetUnit.UTF16)
    escaped = TEXT.replace("\n", "&#10;")
    mentions = "".join(
        f'<textsem:DiseaseDisorderMention xmi:id="{10 + at}" begin="{b}" end="{e}" '
        f'ontologyConceptArr="{100 + at} {100 + at}"/>'
        f'<refsem:UmlsConcept xmi:id="{100 + at}" cui="{code}" tui="T047"/>'
        for at, (_, code, b, e) in enumerate(rows)
    )
    (tmp_path / "n1.txt.xmi").write_text(
        '<xmi:XMI xmlns:xmi="x" xmlns:cas="c" xmlns:textsem="t" xmlns:refsem="r">'
        f'<cas:Sofa xmi:id="1" sofaString="{escaped}"/>{mentions}</xmi:XMI>',
        encoding="utf-8",
    )
    with pytest.warns(UserWarning, match="count UTF-16 units"):
        made = read_external("ctakes", tmp_path, [NOTE])
    assert spans(made) == set(WANTED)
    assert made[0].meta["type"] == "T047"


def test_metamap_is_read_lines_and_json(tmp_path: Path) -> None:
    rows = places(TEXT)
    lines = [
        f'n1|MMI|3.5|Name|{code}|[dsyn]|["Name"-tx-1-"{said}"-noun-0]|TX|{b}/{e - b}|C08'
        for said, code, b, e in rows
    ]
    file = tmp_path / "out.mmi"
    file.write_text("\n".join(["Beginning to process stdin.", "n1|AA|BP|blood pressure", *lines]))
    assert spans(read_external("metamap", file, [NOTE])) == set(WANTED)
    at, then = TEXT.index("Severe"), TEXT.index("fever")
    parted = '00000000|MMI|1|X|C7|[fndg]|["X"-tx-1-"severe fever"-noun-0]|TX'
    (tmp_path / "n1.mmi").write_text(f"{parted}|[{at}/6,{then}/5]|")
    (made,) = read_external("metamap", tmp_path / "n1.mmi", [NOTE])
    assert [span.of(TEXT) for span in made.spans] == ["Severe", "fever"]


def metamap_json(rows: list[tuple[str, str, int, int]], score: str = "-1000") -> str:
    """A phrase for each row, whose concept is its last word."""
    phrases = [
        {"PhraseText": said, "PhraseStartPos": str(b), "PhraseLength": str(e - b),
         "Mappings": [{"MappingCandidates": [
            {"CandidateCUI": code, "CandidateScore": score, "SemTypes": ["dsyn"],
             "ConceptPIs": [{"StartPos": str(b), "Length": str(e - b)}]}]}]}
        for said, code, b, e in rows
    ]  # fmt: skip
    return json.dumps(
        {"AllDocuments": [{"Document": {"Utterances": [{"PMID": "n1", "Phrases": phrases}]}}]}
    )


def test_metamap_json_is_checked_by_its_phrases_and_scored_the_right_way_up(tmp_path: Path) -> None:
    file = tmp_path / "meta.json"
    file.write_text(metamap_json(places(TEXT)))
    made = read_external("metamap", file, [NOTE])
    assert spans(made) == set(WANTED)
    assert {a.score for a in made} == {1000.0}
    file.write_text(metamap_json(places(TEXT, OffsetUnit.UTF8), score="-861"))
    with pytest.warns(UserWarning, match="count bytes of UTF-8: 4 of 4"):
        made = read_external("metamap", file, [NOTE])
    assert spans(made) == set(WANTED)
    assert {a.score for a in made} == {861.0}


@pytest.mark.parametrize(
    ("unit", "change", "says"),
    [
        (OffsetUnit.UTF16, lambda text: text, "count UTF-16 units: 4 of 4"),
        (OffsetUnit.UTF8, lambda text: text, "count bytes of UTF-8: 4 of 4"),
        (
            OffsetUnit.CODEPOINT,
            lambda t: t.replace("\n", "\r\n"),
            "code points of the text with CRLF",
        ),
        (OffsetUnit.UTF16, lambda t: t.replace("\n", "\r\n"), "UTF-16 units of the text with CRLF"),
    ],
)
def test_other_ways_of_counting_are_found_out_and_said(
    unit: OffsetUnit, change: Callable[[str], str], says: str, tmp_path: Path
) -> None:
    (tmp_path / "n1.json").write_text(quickumls(places(change(TEXT), unit)))
    with pytest.warns(UserWarning, match=says):
        made = read_external("quickumls", tmp_path, [NOTE])
    assert spans(made) == set(WANTED)


def test_a_note_with_crlf_and_a_system_that_saw_none(tmp_path: Path) -> None:
    windows = TEXT.replace("\n", "\r\n")
    (tmp_path / "n1.json").write_text(quickumls(places(TEXT)))
    with pytest.warns(UserWarning, match="of the text with LF line ends"):
        made = read_external("quickumls", tmp_path, [Note("n1", "c1", text=windows)])
    assert not any("\r" in a.spans[0].of(windows) for a in made)
    assert {(a.spans[0].of(windows), a.code.value) for a in made} == set(WANTED)


def test_counting_from_one_is_found_out(tmp_path: Path) -> None:
    plain = TEXT.replace("🫀", "H").replace("ö", "o").replace("’", "'")
    shifted = [(said, code, b + 1, e + 1) for said, code, b, e in places(plain)]
    (tmp_path / "n1.json").write_text(quickumls(shifted))
    with pytest.warns(UserWarning, match="code points from 1 on"):
        made = read_external("quickumls", tmp_path, [Note("n1", "c1", text=plain)])
    assert {(a.spans[0].of(plain), a.code.value) for a in made} == set(WANTED)


def test_what_cannot_be_used_is_counted(tmp_path: Path) -> None:
    rows = places(TEXT)
    (tmp_path / "n1.json").write_text(quickumls([*rows, rows[0]]))
    (tmp_path / "gone.json").write_text(quickumls(rows))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(read_external("quickumls", tmp_path, [NOTE])) == 4
    said = " ".join(str(w.message) for w in caught)
    assert "4 of 9 rows on notes that are not in the corpus" in said
    assert "1 of 9 rows that repeat another row" in said


def lines(rows: list[tuple[str, str, str, int, int]], quote: bool = True) -> str:
    """JSON lines of rows with their note."""
    found = [
        {"note_id": note, "start": b, "end": e, "cui": code, **({"ngram": said} if quote else {})}
        for note, said, code, b, e in rows
    ]
    return "\n".join(map(json.dumps, found))


def test_one_note_that_tells_the_ways_apart_is_enough(tmp_path: Path) -> None:
    """A long note in ASCII fits in every way, and decides nothing."""
    sentence = "asthma and fever. "
    text = sentence * 450
    starts = range(0, len(text), len(sentence))
    long = [("long", "asthma", "C2", at, at + 6) for at in starts]
    short = [("n1", *row) for row in places(TEXT, OffsetUnit.UTF8)]
    file = tmp_path / "found.jsonl"
    file.write_text(lines(long + short))
    with pytest.warns(UserWarning, match="count bytes of UTF-8: 454 of 454"):
        made = read_external("quickumls", file, [Note("long", "c2", text=text), NOTE])
    assert spans([a for a in made if a.note_id == "n1"]) == set(WANTED)
    assert len(made) == 454


def test_rows_that_quote_something_else_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = places(TEXT)
    moved = [(said, code, b + 7, e + 7) for said, code, b, e in rows[2:]]
    file = tmp_path / "n1.json"
    file.write_text(quickumls(rows[:2] + moved))
    with pytest.warns(UserWarning, match="2 of 4 rows whose quoted text differs from the note"):
        made = read_external("quickumls", file, [NOTE])
    assert spans(made) == set(WANTED[:2])


def test_quotes_that_were_taken_apart_fit(tmp_path: Path) -> None:
    note = Note("n1", "c1", text="On a beta-blocker.")
    (tmp_path / "n1.json").write_text(quickumls([("Beta - blocker", "C1", 5, 17)]))
    (made,) = read_external("quickumls", tmp_path, [note])
    assert made.spans[0].of(note.text or "") == "beta-blocker"


def test_what_quotes_nothing_is_believed_and_said(tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    file.write_text(lines([("n1", *row) for row in places(TEXT)], quote=False))
    with pytest.warns(UserWarning, match="4 of 4 rows of quickumls have no quoted text"):
        made = read_external("quickumls", file, [NOTE])
    assert spans(made) == set(WANTED)


def test_offsets_can_be_told(tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    file.write_text(lines([("n1", *row) for row in places(TEXT, OffsetUnit.UTF16)], quote=False))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = read_external("quickumls", file, [NOTE], offsets=OffsetUnit.UTF16)
    assert spans(made) == set(WANTED)
    file.write_text(lines([("n1", *row) for row in places(TEXT, OffsetUnit.UTF16)]))
    with pytest.warns(UserWarning, match="4 of 4 quoted texts of quickumls do not match"):
        made = read_external("quickumls", file, [NOTE], offsets=OffsetUnit.CODEPOINT)
    assert len(made) == 4


def test_why_nothing_is_left_is_said(tmp_path: Path) -> None:
    file = tmp_path / "past.jsonl"
    file.write_text(lines([("n1", "x", "C1", 9000, 9005)], quote=False))
    with (
        pytest.warns(UserWarning, match="have no quoted text"),
        pytest.raises(
            FormatError,
            match="none of its 1 rows can be used: 1 with offsets past the end of their",
        ),
    ):
        read_external("quickumls", file, [NOTE])


def test_entities_that_were_linked_to_nothing_are_cui_less(tmp_path: Path) -> None:
    said, code, begin, end = places(TEXT)[0]
    then = TEXT.index("noted")
    file = tmp_path / "sci.jsonl"
    file.write_text(
        "\n".join(
            json.dumps({"note_id": "n1", "text": t, "start_char": b, "end_char": e, "kb_ents": k})
            for t, b, e, k in ((said, begin, end, [[code, 0.9]]), ("noted", then, then + 5, []))
        )
    )
    assert spans(read_external("scispacy", file, [NOTE])) == {(said, code), ("noted", "CUI-less")}
    table = tmp_path / "sci.csv"
    table.write_text(
        "note_id,start_char,end_char,text,kb_ents\n"
        f"n1,{begin},{end},{said},\"[('{code}', 0.9), ('C9', 0.8)]\"\n"
        f"n1,{then},{then + 5},noted,[]\n"
    )
    made = read_external("scispacy", table, [NOTE])
    assert spans(made) == {(said, code), (said, "C9"), ("noted", "CUI-less")}
    assert [a.score for a in made] == [0.9, 0.8, None]
    table.write_text(f"note_id,start_char,end_char,text,kb_ents\nn1,{begin},{end},{said},[(\n")
    with pytest.raises(FormatError, match="kb_ents must be a list such as"):
        read_external("scispacy", table, [NOTE])


def test_lists_whose_members_name_their_note(tmp_path: Path) -> None:
    """Two notes in one list, of matches or of what MedCAT makes of a note."""
    other = Note("n2", "c2", text="Wheeze, asthma.")
    said, code, begin, end = places(TEXT)[0]
    matches = [
        ("n1", {"start": begin, "end": end, "source_value": said, "cui": code, "id": 0}),
        ("n2", {"start": 8, "end": 14, "source_value": "asthma", "cui": "C2", "id": 0}),
    ]
    shapes: list[Any] = [
        [{"note_id": note, **match} for note, match in matches],
        [{"note_id": note, "entities": {"0": match}} for note, match in matches],
        {note: {"entities": {"0": match}} for note, match in matches},
    ]
    file = tmp_path / "all.json"
    for shape in shapes:
        file.write_text(json.dumps(shape))
        made = read_external("medcat", file, [NOTE, other])
        assert [(a.note_id, a.chart_id, a.code.value) for a in made] == [
            ("n1", "c1", "C1"),
            ("n2", "c2", "C2"),
        ]


def test_packed_files_are_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "n1.json.gz", "wt", encoding="utf-8") as handle:
        handle.write(quickumls(places(TEXT)))
    assert spans(read_external("quickumls", tmp_path, [NOTE])) == set(WANTED)


def test_output_on_other_notes_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "n1.json"
    file.write_text(quickumls(places(TEXT)))
    other = Note("n1", "c1", text="Quite another text, and a longer one. " * 5)
    with pytest.raises(FormatError, match="the corpus is not the one that the system annotated"):
        read_external("quickumls", tmp_path, [other])
    with pytest.raises(FormatError, match="no row belongs to a note of the corpus"):
        read_external("quickumls", tmp_path, [Note("x", "x", text=TEXT)])
    with pytest.raises(OptionError, match="no system 'quick'"):
        read_external("quick", tmp_path, [NOTE])
    for error in (FormatError, OptionError):
        assert issubclass(error, AuscultError)


_NEWLINES: dict[str, Callable[[str], str]] = {
    "as they are": lambda text: text,
    "CRLF": lambda text: re.sub("(?<!\r)\n", "\r\n", text),
    "LF": lambda text: text.replace("\r\n", "\n"),
}
_WIDTHS: dict[str, Callable[[str], int]] = {
    "code points": len,
    "UTF-16 units": lambda text: len(text.encode("utf-16-le")) // 2,
    "bytes": lambda text: len(text.encode()),
}


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    between=st.lists(st.text("é🫀 \r\n", max_size=4).filter(lambda t: t != "\r"), min_size=3,
                     max_size=3),
    newlines=st.sampled_from(sorted(_NEWLINES)),
    width=st.sampled_from(sorted(_WIDTHS)),
    first=st.sampled_from([0, 1]),
)  # fmt: skip
@example(between=["", "", " \r"], newlines="LF", width="bytes", first=0)
def test_every_convention_is_read_back(
    between: list[str], newlines: str, width: str, first: int, tmp_path: Path
) -> None:
    """Whatever a system counts, its rows end up on the words that it quotes."""
    words = ["asthma", "café", "fever"]
    text = "".join(f"{gap}\n{word}" for gap, word in zip(between, words, strict=True))
    seen, size = _NEWLINES[newlines](text), _WIDTHS[width]
    rows = []
    for word in words:
        before = seen[: seen.index(word)]
        rows.append((word, word, size(before) + first, size(before + word) + first))
    (tmp_path / "n1.json").write_text(quickumls(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = read_external("quickumls", tmp_path, [Note("n1", "c1", text=text)])
    assert {(a.spans[0].of(text), a.code.value) for a in made} == {(w, w) for w in words}


_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["start", "end", "cui", "text", "entities", "kb_ents", "n1", "AllDocuments"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(
    max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(tool=st.sampled_from(TOOLS), found=_JSON, raw=st.binary(max_size=60))
def test_readers_raise_nothing_but_their_own_errors(
    tool: str, found: Any, raw: bytes, tmp_path: Path
) -> None:
    for name, held in (
        ("n1.json", json.dumps(found).encode()),
        ("n1.jsonl", json.dumps(found).encode()),
        ("n1.xmi", raw),
        ("n1.mmi", b"n1|MMI|" + raw),
        ("n1.csv", b"start,end,cui\n" + raw),
    ):
        file = tmp_path / name
        file.write_bytes(held)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.suppress(AuscultError):
                read_external(tool, file, [NOTE])
