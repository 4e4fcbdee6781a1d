"""Ways to damage a file, from one flipped bit to a text in the column of the ids.

Each takes its chances from `dice`, so that hypothesis can throw them and shrink what it finds.
"""

from __future__ import annotations

import gzip
import os
import random
import re
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, settings
from tests.contracts.corpora import MARKER

thorough = settings(
    deadline=None,
    database=None,
    derandomize=os.environ.get("CI") == "true",
    suppress_health_check=list(HealthCheck),
)
"""Without limits of time; the same examples every time where a failure would block others."""


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


def _text_for_id(dice: random.Random, raw: bytes) -> bytes:
    """A text where an id is, as when columns were mistaken for one another."""
    found = sorted(set(re.findall(rb"\b(?:[ncs][12]|[TRE]\d|gold|second|billing)\b", raw)))
    if not found:
        return raw
    text = dice.choice([f"no {MARKER} today", f"{MARKER} " * 40]).encode()
    return re.sub(rb"\b" + dice.choice(found) + rb"\b", text, raw, count=dice.choice([0, 1]))


_MUTATIONS: list[Callable[[random.Random, bytes], bytes]] = [
    *(_flip, _insert, _insert, _delete, _truncate, _number, _number, _value, _value, _lines),
    *(_lines, _separators, _twice, _other_encoding, _nothing, _text_for_id, _text_for_id),
]


def mutated(dice: random.Random, raw: bytes) -> bytes:
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        raw = dice.choice(_MUTATIONS)(dice, raw)
    return raw


def damage(dice: random.Random, file: Path) -> None:
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
        file.write_bytes(gzip.compress(mutated(dice, gzip.decompress(raw)), mtime=0))
    else:
        file.write_bytes(mutated(dice, raw))
