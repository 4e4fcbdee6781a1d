"""Notes from files and folders: ids, encodings, other formats, and files that cannot be read."""

from __future__ import annotations

import builtins
import io
import sys
import warnings
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auscult.core import FormatError, OptionError
from auscult.corpus.documents import ReadDocuments, read_documents

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RTF = rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 Patient has {\b COPD}.\par M\'e9ni\'e8re.}"


def files(folder: Path, **texts: str | bytes) -> Path:
    """Files by their names, in which __ is a slash and _ a dot."""
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def quietly(*sources: Path) -> ReadDocuments:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_documents(sources)


def texts(found: ReadDocuments) -> dict[str, str | None]:
    return {note.note_id: note.text for note in found.notes}


def docx(body: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(
            "word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>"
        )
    return held.getvalue()


def pdf(*lines: str) -> bytes:
    """A small PDF, written by hand: one page, a line of text for each."""
    shown = " ".join(f"({line}) Tj 0 -20 Td" for line in lines)
    stream = f"BT /F1 12 Tf 50 700 Td {shown} ET" if lines else ""
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{part}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    tail = f"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(made)}\n%%EOF"
    return f"{made}xref\n0 6\n0000000000 65535 f \n{table}{tail}".encode()


def test_a_file_is_a_note_called_by_its_name(tmp_path: Path) -> None:
    files(tmp_path, **{"visit.2024_txt": "COPD.\r\nStable.\r\n", "b_TXT": "Gout."})
    found = read_documents(tmp_path)
    assert texts(found) == {"b": "Gout.", "visit.2024": "COPD.\r\nStable.\r\n"}
    assert [note.chart_id for note in found.notes] == ["b", "visit.2024"]
    assert "COPD" not in repr(found)
    [alone] = read_documents(tmp_path / "b.TXT").notes
    assert alone.note_id == "b"


def test_names_alike_get_their_folders(tmp_path: Path) -> None:
    place = files(tmp_path, a__1_txt="x", b__1_txt="y", b__2_txt="z", c_txt="u", c_rtf=_RTF)
    assert set(texts(quietly(place))) == {"a/1", "b/1", "2", "c.txt", "c.rtf"}
    apart = read_documents([place / "a", place / "b"])
    assert sorted(texts(apart).values(), key=str) == ["x", "y", "z"]
    assert len(set(texts(apart))) == 3
    again = read_documents([place / "a", place / "b" / ".." / "a" / "1.txt"])
    assert texts(again) == {"1": "x"}


def test_hidden_files_and_tables_are_left_out(tmp_path: Path) -> None:
    files(tmp_path, a_txt="Gout.", _hidden_txt="x", _git__b_txt="x", codes_csv="a,b", Makefile="x")
    with pytest.warns(UserWarning, match=r"2 files .* left out by the ending \(no ending, .csv\)"):
        found = read_documents(tmp_path)
    assert texts(found) == {"a": "Gout."}


def test_other_encodings_are_read_and_said(tmp_path: Path) -> None:
    files(
        tmp_path, a_txt="Ménière".encode("cp1252"), b_txt="Ménière".encode("cp1252"),
        c_txt="Ménière".encode("utf-16"), d_txt="\ufeffMénière",
    )  # fmt: skip
    with pytest.warns(UserWarning, match="not UTF-8") as said:
        found = read_documents(tmp_path)
    assert set(texts(found).values()) == {"Ménière"}
    messages = [str(one.message) for one in said]
    assert "2 files are not UTF-8 and were read as Windows-1252." in messages
    assert "1 file is not UTF-8 and was read as UTF-16." in messages
    assert found.kinds == {"Windows-1252": 2, "UTF-16": 1, "UTF-8": 1}


def test_one_bad_file_does_not_lose_the_rest(tmp_path: Path) -> None:
    files(
        tmp_path, good_txt="Gout.", empty_txt=" \n", picture_txt=bytes(range(256)),
        old_doc=b"\xd0\xcf\x11\xe0 rest", fake_pdf="plain", broken_docx=b"PK\x03\x04 rest",
    )  # fmt: skip
    found = read_documents(tmp_path)
    assert texts(found) == {"good": "Gout."}
    problems = {Path(one.file).name: one.problem for one in found.unread}
    assert problems == {
        "empty.txt": "is empty",
        "picture.txt": "is not text",
        "old.doc": "is in the old format of Word (.doc); save it as .docx or .txt",
        "fake.pdf": "is not a PDF, whatever its name; export it again",
        "broken.docx": "is not a Word document, or is damaged",
    }


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="nope does not exist"):
        read_documents(tmp_path / "nope")
    (tmp_path / "none").mkdir()
    with pytest.raises(
        OptionError, match=r"none is neither a corpus .* nor a folder of .txt files"
    ):
        read_documents(tmp_path / "none")
    with pytest.raises(OptionError, match=r"No .txt, .docx, .pdf or .rtf file in"):
        read_documents([tmp_path / "none", tmp_path / "none"])
    files(tmp_path, a_txt="", b_txt="", c_csv="x")
    with pytest.raises(FormatError, match=r"None of the 2 files .*a.txt is empty\.$"):
        read_documents(tmp_path)
    with pytest.raises(FormatError, match=r"a.txt is empty\.$"):
        read_documents(tmp_path / "a.txt")
    with pytest.raises(OptionError, match=r"c.csv is not a text file.*corpus import"):
        read_documents(tmp_path / "c.csv")


def test_standard_input_is_one_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("Ménière".encode())))
    assert texts(read_documents("-")) == {"stdin": "Ménière"}
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(FormatError, match=r"^Standard input is empty\.$"):
        read_documents("-")


def test_a_word_document_with_a_table_breaks_and_changes(tmp_path: Path) -> None:
    body = (
        "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>HPI:</w:t><w:tab/>"
        "<w:t>COPD &amp; gout</w:t><w:br/><w:t>stable</w:t></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Dx</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>I10</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        "<w:p><w:del><w:r><w:delText>asthma</w:delText></w:r></w:del><w:r><w:t>End.</w:t></w:r></w:p>"
    )
    files(tmp_path, a_docx=docx(body))
    assert texts(read_documents(tmp_path)) == {"a": "HPI:\tCOPD & gout\nstable\nDx\nI10\nEnd.\n"}


def test_a_word_document_that_is_a_trap(tmp_path: Path) -> None:
    deep = docx("<w:p>" * 5000 + "</w:p>" * 5000)
    entity = io.BytesIO()
    with zipfile.ZipFile(entity, "w") as archive:
        archive.writestr("word/document.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    files(tmp_path, good_txt="Gout.", deep_docx=deep, trap_docx=entity.getvalue())
    found = read_documents(tmp_path)
    assert {Path(one.file).name for one in found.unread} == {"deep.docx", "trap.docx"}


def test_pdf_and_rtf_whatever_they_are_called(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pypdf")
    pytest.importorskip("striprtf")
    files(
        tmp_path, a_pdf=pdf("COPD with", "exacerbation"), b_txt=pdf("Gout."), c_doc=_RTF,
        scan_pdf=pdf(), broken_pdf=b"%PDF-1.4 nothing",
    )  # fmt: skip
    found = read_documents(tmp_path)
    assert texts(found) == {
        "a": "COPD with\nexacerbation\n",
        "b": "Gout.\n",
        "c": "Patient has COPD.\nMénière.",
    }
    problems = {Path(one.file).name: one.problem for one in found.unread}
    assert "OCR" in problems["scan.pdf"]
    assert problems["broken.pdf"] == "is a damaged PDF; export it again"
    assert capfd.readouterr().err == "", "the library's own messages are not shown"


def test_a_missing_extra_is_said_for_its_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] in ("pypdf", "striprtf"):
            raise ImportError(name)
        return really(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    files(tmp_path, a_txt="Gout.", b_pdf=pdf("x"), c_rtf=_RTF)
    found = read_documents(tmp_path)
    assert texts(found) == {"a": "Gout."}
    assert len(found.unread) == 2
    assert all("pip install 'auscult[documents]'" in str(one) for one in found.unread)
