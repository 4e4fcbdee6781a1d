"""Files and folders that appear at one stroke, and what they may take the place of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from auscult.core import OptionError
from auscult.core.storage import drafted, finish_interrupted, publish


def test_a_file_takes_no_folders_place_and_a_folder_no_files(tmp_path: Path) -> None:
    folder, file = tmp_path / "notes", tmp_path / "page.html"
    folder.mkdir()
    (folder / "1.txt").write_text("kept")
    file.write_text("kept")
    with pytest.raises(OptionError, match="is a folder"), drafted(folder, overwrite=True) as draft:
        draft.write_text("page")
    with pytest.raises(OptionError, match="is a file"), drafted(file, overwrite=True) as draft:
        draft.mkdir()
    assert (folder / "1.txt").read_text() == file.read_text() == "kept"
    assert sorted(tmp_path.iterdir()) == [folder, file]
    with drafted(file, overwrite=True) as draft:
        draft.write_text("new")
    assert file.read_text() == "new"


def test_who_may_read_a_folder_may_read_its_files(tmp_path: Path) -> None:
    def fill(draft: Path) -> None:
        (draft / "weights").touch(0o600)

    publish(tmp_path / "open", fill)
    publish(tmp_path / "private", fill, private=True)
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "open" / "weights").stat().st_mode == plain.stat().st_mode
    assert (tmp_path / "private" / "weights").stat().st_mode & 0o077 == 0


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir() if file.name != ".lock"}


@pytest.mark.parametrize("moved", [0, 1, 2, 3, 4])
def test_interrupted_anywhere_a_change_ends_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    """Killed after so many files of a finished change are in place; arrays of before are gone."""
    place = tmp_path / "model"

    def old(draft: Path) -> None:
        for name in ("about.json", "shares.npz", "a.parquet"):
            (draft / name).write_text("old")

    new = dict.fromkeys(("about.json", "b.parquet", "weights.safetensors", "words.txt"), "new")

    def fill(draft: Path) -> None:
        for name, said in new.items():
            (draft / name).write_text(said)

    publish(place, old)
    (place / "mine.txt").write_text("mine")
    replaced = Path.replace
    left = iter(range(moved))

    def move(file: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return replaced(file, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", move)
        try:
            publish(place, fill)
        except KeyboardInterrupt:
            assert moved < len(new)
    finish_interrupted(place)
    assert contents(place) == {**new, "mine.txt": "mine"}


def test_what_came_to_be_there_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "model"

    def fill(draft: Path) -> None:
        (draft / "about.json").write_text("mine")
        if not place.exists():
            publish(place, lambda other: (other / "about.json").touch(), overwrite=False)

    with pytest.raises(OptionError, match="by another process in the meantime"):
        publish(place, fill, overwrite=False)
    assert contents(place) == {"about.json": ""}
    publish(place, fill)
    assert contents(place) == {"about.json": "mine"}


_INTERRUPTED = """
import os, signal, sys, tempfile
from pathlib import Path
from auscult.core.storage import drafted

make = tempfile.mkdtemp

def make_and_interrupt(**where):
    made = make(**where)
    os.kill(os.getpid(), signal.SIGINT)
    return made

tempfile.mkdtemp = make_and_interrupt
try:
    with drafted(Path(sys.argv[1])):
        print("the signal should have come")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_signal_while_a_draft_is_made_leaves_none(tmp_path: Path) -> None:
    """In a process of its own: here another thread may take the signal."""
    words = [sys.executable, "-c", _INTERRUPTED, str(tmp_path / "file")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted\n"
    assert list(tmp_path.iterdir()) == []
