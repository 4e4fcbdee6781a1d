"""Files and folders that appear at one stroke, and what they may take the place of."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.core import OptionError
from auscult.core.storage import drafted, publish


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
