"""What other systems wrote, in each of their shapes and in every way of counting."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, AuscultError, FormatError, Note, Offsets, OptionError, Unit
from auscult.corpus.external import TOOLS, read_external

TEXT = "Sjögren’s 🫀 noted.\nSevere asthma, no fever.\nAsthma again; fever at night.\n"
NOTE = Note("n1", "c1", text=TEXT)
WANTED = [("Severe asthma", "C1"), ("asthma", "C2"), ("fever", "C3"), ("Asthma", "C2")]


def places(text: str, unit: Unit = Unit.CODEPOINT) -> list[tuple[str, str, int, int]]:
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
    rows = places(TEXT, Unit.UTF16)
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
    candidates = [
        {"CandidateCUI": code, "CandidateScore": "-1000", "SemTypes": ["dsyn"],
         "ConceptPIs": [{"StartPos": str(b), "Length": str(e - b)}]}
        for _, code, b, e in rows
    ]  # fmt: skip
    held = {
        "AllDocuments": [
            {
                "Document": {
                    "Utterances": [
                        {
                            "PMID": "n1",
                            "Phrases": [{"Mappings": [{"MappingCandidates": candidates}]}],
                        }
                    ]
                }
            }
        ]
    }
    (tmp_path / "meta.json").write_text(json.dumps(held))
    assert spans(read_external("metamap", tmp_path / "meta.json", [NOTE])) == set(WANTED)


@pytest.mark.parametrize(
    ("unit", "change", "says"),
    [
        (Unit.UTF16, lambda text: text, "count UTF-16 units: so 4 of 4"),
        (Unit.UTF8, lambda text: text, "count bytes of UTF-8: so 4 of 4"),
        (Unit.CODEPOINT, lambda t: t.replace("\n", "\r\n"), "code points of the text with CRLF"),
        (Unit.UTF16, lambda t: t.replace("\n", "\r\n"), "UTF-16 units of the text with CRLF"),
    ],
)
def test_other_ways_of_counting_are_found_out_and_said(
    unit: Unit, change: Callable[[str], str], says: str, tmp_path: Path
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
    assert "1 of 9 rows that say the same as another" in said


def test_output_on_other_notes_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "n1.json"
    file.write_text(quickumls(places(TEXT)))
    other = Note("n1", "c1", text="Quite another text, and a longer one. " * 5)
    with pytest.raises(FormatError, match="the notes are not those that the system read"):
        read_external("quickumls", tmp_path, [other])
    with pytest.raises(FormatError, match="nothing in it is on a note of the corpus"):
        read_external("quickumls", tmp_path, [Note("x", "x", text=TEXT)])
    with pytest.raises(OptionError, match="no system 'quick'"):
        read_external("quick", tmp_path, [NOTE])
    for error in (FormatError, OptionError):
        assert issubclass(error, AuscultError)


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
