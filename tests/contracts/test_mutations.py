"""Damaged files of every format: a reader says what is wrong, or reads them; nothing else.

Each sample is a valid file or folder as Auscult writes it. It is damaged in many ways, always the
same ones, and read again. Whatever then comes out other than an `AuscultError` is a traceback
in front of a user; and no error may show the text of a note.
"""

from __future__ import annotations

import gzip
import random
import re
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.corpora import MARKER, sample

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


def _at(dice: random.Random, raw: bytes) -> int:
    return dice.randrange(len(raw) + 1)


def _flip(dice: random.Random, raw: bytes) -> bytes:
    at = _at(dice, raw[:-1])
    return raw[:at] + bytes([(raw[at] if raw else 0) ^ (1 << dice.randrange(8))]) + raw[at + 1 :]


def _insert(dice: random.Random, raw: bytes) -> bytes:
    at = _at(dice, raw)
    odd = [b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\n", b"\r", b"\t", b'"', b"'", b"|"]
    odd += [b"||", b",", b";", b"{", b"[" * 2_000, b"]", b"<", b">", b"&x;", b"&#0;", b"\\", b"\\u"]
    odd += [b"\\ud800", b"-", b"9" * 30, b"1e999", b"NaN", "🫀".encode(), b"\x1a", b"%00", b"../"]
    return raw[:at] + dice.choice(odd) + raw[at:]


def _delete(dice: random.Random, raw: bytes) -> bytes:
    at = _at(dice, raw)
    return raw[:at] + raw[at + dice.choice([1, 2, 10, 100]) :]


def _truncate(dice: random.Random, raw: bytes) -> bytes:
    return raw[: _at(dice, raw)]


def _number(dice: random.Random, raw: bytes) -> bytes:
    """Another number where one is."""
    found = list(re.finditer(rb"\d+", raw))
    if not found:
        return raw
    match = dice.choice(found)
    others = [
        b"-1",
        b"0",
        b"1.5",
        b"412",
        b"99999999999",
        b"9" * 25,
        b"9" * 5_000,
        b"",
        b"x",
        b"1e5",
    ]
    others += ["٣".encode(), b" 7 ", b"+3", b"0x10", b"1_0"]
    return raw[: match.start()] + dice.choice(others) + raw[match.end() :]


def _value(dice: random.Random, raw: bytes) -> bytes:
    """Another JSON value, or another attribute, where a quoted one is."""
    found = list(re.finditer(rb'"[^"\n]{0,60}"', raw))
    if not found:
        return raw
    match = dice.choice(found)
    others = [b"null", b"true", b"[]", b"{}", b"3", b'""', b"[[1]]", b'{"a": {}}', b'"\\ud800"']
    others += [b"1e400", b'"\\u0000"', b'"a\\tb"', b"NaN"]
    return raw[: match.start()] + dice.choice(others) + raw[match.end() :]


def _lines(dice: random.Random, raw: bytes) -> bytes:
    """A line twice, gone, or elsewhere."""
    lines = raw.splitlines(keepends=True)
    if not lines:
        return raw
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    how = dice.randrange(4)
    if how == 0:
        lines.insert(other, lines[one])
    elif how == 1:
        del lines[one]
    elif how == 2:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one] = lines[one].rstrip(b"\r\n")
    return b"".join(lines)


def _separators(dice: random.Random, raw: bytes) -> bytes:
    """One separator for another, everywhere or once."""
    pairs = [
        (b"\t", b" "),
        (b",", b";"),
        (b"||", b"|"),
        (b'"', b"'"),
        (b"\n", b"\r\n"),
        (b"=", b":"),
    ]
    pairs += [(b" ", b"\t"), (b"\n", b"\r"), (b":", b"="), (b";", b","), (b"</", b"<"), (b'"', b"")]
    old, new = dice.choice(pairs)
    return raw.replace(old, new, dice.choice([1, -1]))


def _twice(dice: random.Random, raw: bytes) -> bytes:
    return raw + dice.choice([b"", b"\n"]) + raw


def _other_encoding(dice: random.Random, raw: bytes) -> bytes:
    text = raw.decode(errors="replace")
    return text.encode(dice.choice(["utf-16", "latin-1", "utf-7", "cp037"]), errors="replace")


def _nothing(dice: random.Random, raw: bytes) -> bytes:
    return dice.choice([b"", b"\n", b" ", b"{}", b"[]", b"null", b"<a/>", raw[:1]])


_MUTATIONS: list[Callable[[random.Random, bytes], bytes]] = [
    *(_flip, _insert, _insert, _delete, _truncate, _number, _number, _value, _value, _lines),
    *(_lines, _separators, _twice, _other_encoding, _nothing),
]


def _mutated(dice: random.Random, raw: bytes) -> bytes:
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        raw = dice.choice(_MUTATIONS)(dice, raw)
    return raw


def _damage(dice: random.Random, file: Path) -> None:
    """Damage a file: its bytes, packed or unpacked, or its being there at all."""
    raw = file.read_bytes()
    how = dice.randrange(40)
    if how == 0:
        file.unlink()
    elif how == 1:
        file.unlink()
        file.mkdir()
    elif how == 2:
        file.with_name(f"again-{file.name}").write_bytes(raw)
    elif file.suffix == ".gz" and how % 2:
        file.write_bytes(gzip.compress(_mutated(dice, gzip.decompress(raw)), mtime=0))
    else:
        file.write_bytes(_mutated(dice, raw))


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
    refused = 0
    for number in range(_ROUNDS):
        dice = random.Random(f"{case}:{number}")
        _restore(pristine, target)
        files = [target] if target.is_file() else [f for f in target.rglob("*") if f.is_file()]
        _damage(dice, dice.choice(sorted(files)))
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                corpus = formats.read(case.name, target, **case.read)
                for _ in corpus.iter_notes():
                    pass
                for _ in corpus.iter_annotations():
                    pass
                if corpus.records is not None:
                    corpus.records.collect()
                said = ""
            except AuscultError as error:
                said = f"{error} {error!r}"
                refused += 1
        said += " ".join(str(warning.message) for warning in warned)
        assert MARKER not in said, f"round {number} shows the text of a note"
    assert refused > _ROUNDS // 8, "damage that nobody notices tests nothing"


def test_there_are_enough_of_them() -> None:
    assert len(_SAMPLES) * _ROUNDS >= 2_000
    assert {case.name for case in _SAMPLES} == set(FORMATS)
