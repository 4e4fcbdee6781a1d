"""What the model `codebook` gives on thirty notes, against one verdict for each code.

    .venv/bin/python bench/judged_notes.py --data ../shared/data [--notes notes_fresh] [--wrong]

The notes (notes/*.txt) were written for this, each in another specialty or setting, before anybody
looked at what the model gives on them. Every code that it then gave was judged against the Tabular
List, the Alphabetic Index and the Official Guidelines (notes/verdicts.tsv): right, defensible or
wrong, with the class of the error before the colon. What a coder would report and the model had
missed is in notes/missed.tsv; a later version that gives it is right. A code that nobody has judged
yet counts as not judged, never as right.

`notes_fresh` has twelve more, written and judged after the errors on the thirty were mended.
`notes_unseen` has thirty more; the codes of a coder who saw neither the model nor its output were
written down before the model was run on them, and what the model gave beyond was judged after.

Recall is the share of the right and the missed codes that are given. Everything is measured with
the Alphabetic Index of the data folder installed. Exit code 1: fewer than 75% of the codes are
right or defensible, or more than 5% are not judged.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from auscult.codes.releases import add_release
from auscult.models.code_notes import code_notes

_HERE = Path(__file__).parent
_VERDICTS = ("right", "defensible", "wrong")
_UNJUDGED = "not judged"
_SUPPORTED = 0.75
_MOST_UNJUDGED = 0.05

Key: TypeAlias = tuple[str, str]
"""A note and a code."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a coder would report a code, and why not."""

    verdict: str
    reason: str

    @property
    def error(self) -> str:
        """The class of the error: what is before the colon."""
        return self.reason.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Counts:
    """The codes of a note, or of all of them."""

    given: int
    by_verdict: Mapping[str, int]
    expected: int
    found: int

    @property
    def supported(self) -> float:
        """The share of what is given that is right or defensible."""
        good = self.by_verdict["right"] + self.by_verdict["defensible"]
        return good / self.given if self.given else 0.0

    @property
    def unjudged(self) -> float:
        """The share of what is given that has no verdict."""
        return self.by_verdict[_UNJUDGED] / self.given if self.given else 0.0

    @property
    def recall(self) -> float:
        """The share of what a coder would report that is given."""
        return self.found / self.expected if self.expected else 0.0


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        yield from csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)


def verdicts(folder: Path) -> dict[Key, Verdict]:
    """The verdict on each code of each note; what was missed is right."""
    found: dict[Key, Verdict] = {}
    for row in _rows(folder / "verdicts.tsv"):
        if row["verdict"] not in _VERDICTS:
            raise SystemExit(f"verdicts.tsv: {row['verdict']} is not one of {_VERDICTS}.")
        found[row["note"], row["code"]] = Verdict(row["verdict"], row["reason"])
    for row in _rows(folder / "missed.tsv"):
        key = row["note"], row["code"]
        if key in found:
            raise SystemExit(f"missed.tsv: {' '.join(key)} has a verdict already.")
        found[key] = Verdict("right", "")
    return found


def given_codes(folder: Path) -> set[Key]:
    """What the model gives on the notes."""
    coded = code_notes(sorted(folder.glob("*.txt")))
    return {(row.note_id or row.chart_id, row.code.value) for row in coded.rows}


def count(given: set[Key], judged: Mapping[Key, Verdict], note: str | None = None) -> Counts:
    """The counts of one note, or of all."""
    mine = {key for key in given if note in (None, key[0])}
    expected = {
        key for key, one in judged.items() if note in (None, key[0]) and one.verdict == "right"
    }
    by_verdict = Counter(judged[key].verdict if key in judged else _UNJUDGED for key in mine)
    return Counts(len(mine), by_verdict, len(expected), len(mine & expected))


def show(given: set[Key], judged: Mapping[Key, Verdict], folder: Path) -> None:
    """A row for each note, the totals, and the classes of errors."""
    verdict_names = (*_VERDICTS, _UNJUDGED)
    print(f"| note | given | {' | '.join(verdict_names)} | right or defensible | recall |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for note in [*sorted(file.stem for file in folder.glob("*.txt")), None]:
        one = count(given, judged, note)
        cells = [one.given, *(one.by_verdict[name] for name in verdict_names)]
        name = "all" if note is None else note.replace("_", " ")
        numbers = " | ".join(str(cell) for cell in cells)
        print(f"| {name} | {numbers} | {one.supported:.2f} | {one.recall:.2f} |")
    errors = Counter(
        judged[key].error for key in given if key in judged and judged[key].verdict == "wrong"
    )
    print("\n| class of error | codes |\n| --- | ---: |")
    for error, many in sorted(errors.items(), key=lambda pair: (-pair[1], pair[0])):
        print(f"| {error} | {many} |")


def main() -> int:
    """Code the notes and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--notes",
        default="notes",
        help="notes, notes_fresh, notes_unseen, notes_blind, notes_blind2, …",
    )
    parser.add_argument("--wrong", action="store_true", help="list the wrong codes with the reason")
    parser.add_argument("--unjudged", action="store_true", help="list the codes without a verdict")
    args = parser.parse_args()
    folder = _HERE / args.notes
    judged = verdicts(folder)
    parts = sorted((args.data / "icd10cm_2025").glob("*.xml"))
    if not parts:
        raise SystemExit(f"{args.data / 'icd10cm_2025'} has no index files (.xml). Pass --data.")
    with tempfile.TemporaryDirectory() as home:
        os.environ["AUSCULT_HOME"] = home
        for file in parts:
            add_release(file)
        given = given_codes(folder)
    show(given, judged, folder)
    for key in sorted(given):
        if args.wrong and key in judged and judged[key].verdict == "wrong":
            print(*key, judged[key].reason, sep="\t", file=sys.stderr)
        if args.unjudged and key not in judged:
            print(*key, sep="\t", file=sys.stderr)
    every = count(given, judged)
    kept = every.supported >= _SUPPORTED and every.unjudged <= _MOST_UNJUDGED
    print(f"\nRight or defensible: {every.supported:.3f} of {every.given} codes "
          f"(wanted: {_SUPPORTED}); not judged: {every.unjudged:.3f} (at most {_MOST_UNJUDGED}); "
          f"recall {every.recall:.3f} of {every.expected}.")  # fmt: skip
    print("All targets were met." if kept else "A target was missed.")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
