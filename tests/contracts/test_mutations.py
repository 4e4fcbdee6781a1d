"""Damaged files of every format: a reader says what is wrong, or reads them; nothing else.

Each sample is a valid file or folder as Auscult writes it. It is damaged in many ways and read
again. Whatever then comes out other than an `AuscultError` is a traceback in front of a user; and
no error may show the text of a note, even where it stands in the place of an id.
"""

from __future__ import annotations

import gzip
import random
import shutil
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.corpora import MARKER, sample
from tests.contracts.mutations import damage, thorough

from auscult.core import AuscultError
from auscult.corpus import formats
from auscult.corpus.formats import FORMATS

_ROUNDS = 120


@dataclass(frozen=True)
class Sample:
    """A format, how it is written here, and how it is read."""

    name: str
    target: str = "out"
    write: dict[str, Any] = field(default_factory=dict)
    read: dict[str, Any] = field(default_factory=dict)
    zipped: bool = False

    def __str__(self) -> str:
        return "-".join([self.name, self.target, *self.write.values(), "gz" * self.zipped])


_SAMPLES = [
    *(Sample(name) for name in FORMATS),
    Sample("bioc", "out.json"),
    Sample("bioc", "out.xml.gz"),
    Sample("cas", write={"encoding": "json"}),
    Sample("csv", zipped=True, read={"records": True}),
    Sample("mimic3", zipped=True),
    Sample("pubtator", "out.txt.gz"),
]


def _write(case: Sample, folder: Path) -> Path:
    target = folder / case.target
    formats.write(case.name, sample(case.name), target, **case.write)
    if case.zipped:
        for file in list(target.rglob("*.csv")):
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
            file.unlink()
    return target


def _restore(pristine: Path, target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
    if pristine.is_dir():
        shutil.copytree(pristine, target)
    else:
        shutil.copy(pristine, target)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", _SAMPLES, ids=str)
def test_damage_is_an_error_or_nothing(case: Sample, tmp_path: Path) -> None:
    (tmp_path / "pristine").mkdir()
    pristine = _write(case, tmp_path / "pristine")
    formats.read(case.name, pristine, **case.read)
    target = tmp_path / case.target
    refused = []

    @settings(thorough, max_examples=_ROUNDS)
    @given(dice=st.randoms(use_true_random=False))
    def read_damaged(dice: random.Random) -> None:
        _restore(pristine, target)
        files = [target] if target.is_file() else [f for f in target.rglob("*") if f.is_file()]
        damage(dice, dice.choice(sorted(files)))
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                corpus = formats.read(case.name, target, **case.read)
                for _ in corpus.iter_notes():
                    pass
                for _ in corpus.iter_annotations():
                    pass
                if corpus.lazy_records is not None:
                    corpus.lazy_records.collect()
                said = ""
            except AuscultError as error:
                said = f"{error} {error!r}"
                refused.append(said)
        said += " ".join(str(warning.message) for warning in warned)
        assert MARKER not in said, "the text of a note is shown"

    read_damaged()
    assert len(refused) > _ROUNDS // 8, "damage that nobody notices tests nothing"


def test_there_are_enough_of_them() -> None:
    assert len(_SAMPLES) * _ROUNDS >= 2_000
    assert {case.name for case in _SAMPLES} == set(FORMATS)
