"""Files that people send: what is too large, leads elsewhere or is a trap is refused."""

from __future__ import annotations

import io
import json
import stat
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.server.world import World, corpus

from auscult.server.coding.sources import CodeSources
from auscult.server.errors import RefusedError, TooLargeError
from auscult.server.uploads import unpack


def _zip(files: dict[str, bytes]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    packed.seek(0)
    return packed


def _send(world: World, file: io.BytesIO, name: str, form: str) -> Any:
    return world.browser("adam").client.post(
        "/api/projects",
        files={"file": (name, file)},
        data={"format": form, "project": json.dumps({"name": "sent"})},
    )


def test_a_corpus_comes_in_and_goes_out_again(world: World, tmp_path: Path) -> None:
    path = tmp_path / "charts"
    corpus().write(path)
    files = {f"charts/{f.name}": f.read_bytes() for f in path.iterdir() if f.is_file()}
    done = _send(world, _zip(files), "charts.zip", "corpus")
    assert done.status_code == 201, done.text
    key = done.json()["id"]
    out = world.browser("adam").get(f"/projects/{key}/export?format=corpus")
    with zipfile.ZipFile(io.BytesIO(out.content)) as archive:
        archive.extractall(tmp_path / "back")
    from auscult.corpus import Corpus

    back = Corpus.open(tmp_path / "back" / "sent")
    assert [n.text for n in back.iter_notes()] == [n.text for n in corpus().iter_notes()]
    back.verify()


def test_codes_can_be_searched_in_a_project_that_was_just_made(
    lite: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[str] = []
    monkeypatch.setattr(CodeSources, "warm_up", lambda _, systems: warmed.extend(systems))
    sent = _send(lite, io.BytesIO(b'{"note_id": "n", "text": "fever"}\n'), "notes.jsonl", "jsonl")
    assert sent.status_code == 201, sent.text
    assert warmed == sent.json()["systems"]
    path, client = f"/api/projects/{sent.json()['id']}", lite.browser("adam").client
    assert client.patch(path, json={"name": "renamed"}).status_code == 200
    assert warmed == sent.json()["systems"]
    more = [*sent.json()["systems"], "ICD-9-PCS"]
    assert client.patch(path, json={"systems": more}).status_code == 200
    assert warmed[-1] == "ICD-9-PCS"


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/evil", "a/../../evil", "C:\\evil", "..\\evil", "a\\..\\..\\b"]
)
def test_names_that_lead_elsewhere(lite: World, tmp_path: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="outside its own directory"):
        unpack(_zip({name: b"x"}), tmp_path / "target", lite.server.settings)
    assert not (tmp_path / "evil.txt").exists()
    assert _send(lite, _zip({name: b"x"}), "x.zip", "corpus").status_code == 422


def test_links(lite: World, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        link = zipfile.ZipInfo("notes.parquet")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    packed.seek(0)
    with pytest.raises(RefusedError, match="link"):
        unpack(packed, tmp_path / "target", lite.server.settings)


def test_a_zip_bomb(lite: World, tmp_path: Path) -> None:
    bomb = _zip({"notes.jsonl": b"\0" * (40 * 2**20)})
    assert len(bomb.getvalue()) < 2**20
    assert _send(lite, bomb, "bomb.zip", "jsonl").status_code == 413
    small = replace(lite.server.settings, largest_unpacked=1000)
    with pytest.raises(TooLargeError, match="more than 1,000 bytes"):
        unpack(_zip({"a": b"a" * 600, "b": b"b" * 600}), tmp_path / "t", small)


def test_a_bomb_that_lies_about_its_size(lite: World, tmp_path: Path) -> None:
    honest = _zip({"a": b"a" * 5000}).getvalue()
    lying = honest.replace((5000).to_bytes(4, "little"), (50).to_bytes(4, "little"))
    assert lying != honest
    small = replace(lite.server.settings, largest_unpacked=1000)
    with pytest.raises((TooLargeError, RefusedError)):
        unpack(io.BytesIO(lying), tmp_path / "t", small)
    written = sum(f.stat().st_size for f in tmp_path.rglob("*") if f.name == "a")
    assert written <= 1000


def test_too_many_files(lite: World, tmp_path: Path) -> None:
    small = replace(lite.server.settings, most_files=10)
    with pytest.raises(TooLargeError, match="11 files"):
        unpack(_zip({str(n): b"" for n in range(11)}), tmp_path / "t", small)


def test_xml_entities(lite: World) -> None:
    bomb = (
        b'<?xml version="1.0"?><!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
        b"<collection><source>&b;</source></collection>"
    )
    away = (
        b'<?xml version="1.0"?><!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b"<collection><source>&x;</source></collection>"
    )
    for trap in (bomb, away):
        for form in ("bioc", "cmc", "cas"):
            done = _send(lite, io.BytesIO(trap), "trap.xml", form)
            assert done.status_code == 422, (form, done.text)
            assert "root:" not in done.text


def test_a_body_that_is_too_large(lite: World) -> None:
    ann = lite.browser("ann")
    added = lite.add("I10", (38, 50), comment="x" * (5 * 2**20))
    assert ann.step(added).status_code == 413

    def chunks() -> Any:
        for _ in range(6):
            yield b" " * 2**20

    done = ann.client.post(
        f"/api/projects/{lite.own}/steps",
        content=chunks(),
        headers={"content-type": "application/json"},
    )
    assert done.status_code == 413


@pytest.mark.parametrize("form", ["corpus", "jsonl", "csv", "brat", "webanno", "mdace", "bioc"])
def test_what_is_no_corpus_is_refused_in_words(lite: World, form: str) -> None:
    for content in (b"", b"PK\x03\x04broken", b"\xff\xfe\x00", b"{}\n", b"just text"):
        done = _send(lite, io.BytesIO(content), "x", form)
        assert done.status_code == 422, (content, done.status_code, done.text)
        message = done.json()["message"]
        assert message
        assert tempfile.gettempdir() not in message  # where it was unpacked


def test_script_in_a_note_and_in_guidelines_is_text(lite: World) -> None:
    trap = "<script>alert(1)</script>"
    line = json.dumps({"note_id": "1", "chart_id": "1", "text": trap}).encode() + b"\n"
    key = _send(lite, io.BytesIO(line), "notes.jsonl", "jsonl").json()["id"]
    adam = lite.browser("adam")
    chart = adam.get(f"/projects/{key}/charts").json()["charts"][0]["id"]
    note = adam.get(f"/projects/{key}/charts/{chart}").json()["notes"][0]["id"]
    found = adam.get(f"/projects/{key}/notes/{note}")
    assert found.json()["text"] == trap
    assert found.headers["content-type"] == "application/json"
    assert found.headers["x-content-type-options"] == "nosniff"
    body = {"guidelines": f"# Hello {trap}\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>"}
    done = adam.client.patch(f"/api/projects/{key}", json=body).json()["guidelines_html"]
    assert "<h1>Hello &lt;script&gt;" in done
    assert "<script" not in done
    assert "<img" not in done
    assert 'href="javascript' not in done


def test_pre_annotations_must_be_of_the_project(world: World) -> None:
    sue = world.browser("sue")

    def give(**change: Any) -> Any:
        row = {
            "note_id": "n1",
            "chart_id": "c0",
            "annotator": "m",
            "system": "ICD-10-CM",
            "code": "I10",
            "spans": [[38, 50]],
            **change,
        }
        return sue.client.post(
            f"/api/projects/{world.own}/given",
            files={"file": ("said.jsonl", io.BytesIO(json.dumps(row).encode() + b"\n"))},
            data={"format": "jsonl", "source": "my model"},
        )

    assert give(note_id="other", chart_id="other").status_code == 422
    assert "past its note's" in give(spans=[[38, 5000]]).json()["message"]
    assert give().json() == {"added": 1, "left_out": 0, "sources": ["my model"]}
    (given,) = world.browser("ann").note(world.notes[1])["sheet"]["given"]
    assert (given["source"], given["spans"]) == ("my model", [[38, 50]])
