"""Checks of a submission against a release, for teams, which have no gold.

It is the validation of a submission (`Expected.validate`), with what the release tells: the test
documents and the label set.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

from auscult.challenge.errors import ChallengeError
from auscult.challenge.release import ABOUT, SUMS
from auscult.challenge.settings import Document, Track
from auscult.challenge.submission import CheckedSubmission, Expected
from auscult.core import Code, OptionError
from auscult.core.digests import file_digest
from auscult.core.files import read_text
from auscult.corpus import formats


def check_file(
    release: Path,
    file: Path,
    *,
    origin: str | None = None,
    track: Track = Track.CODES,
    incomplete: bool = False,
) -> CheckedSubmission:
    """Check a file or corpus as the challenge would when it is submitted."""
    expected = read_release(release, track)
    _, _, submission = expected.read(file, origin=origin)
    return expected.validate(submission, incomplete=incomplete)


def read_release(release: Path, track: Track = Track.CODES) -> Expected:
    """What the test part of a release asks for; a file that has changed is an error."""
    if not (release / SUMS).exists():
        raise OptionError(
            f"{release} is not the release of a challenge: it has no {SUMS}. Unpack the release "
            "that the organizers gave you, and pass its folder."
        )
    _verify(release)
    about = release / ABOUT  # releases made before there were stages have none
    said = json.loads(about.read_bytes()) if about.exists() else {}
    if not (release / "test.xml").exists():
        raise OptionError(
            f"{release} contains only the training documents. Check submissions against the "
            "release with the test documents."
        )
    tracks = said.get("tracks", [Track.CODES.value])
    if track not in tracks:
        raise OptionError(f"The challenge has no track {track}; it has {' and '.join(tracks)}.")
    test = formats.read("cmc", release / "test.xml")
    notes = None
    if track is Track.EVIDENCE:
        notes = tuple(formats.read("jsonl", release / "test").iter_notes())
    rows = csv.DictReader(read_text(release / "codes.csv").splitlines())
    codes = tuple(Code(row["system"], row["code"]) for row in rows)
    document = Document(said.get("document", Document.CHART.value))
    return Expected(tuple(test.chart_ids()), codes, document.value, notes)


def _verify(release: Path) -> None:
    """An error unless every file is as the organizers wrote it."""
    for line in read_text(release / SUMS).splitlines():
        digest, _, name = line.partition("  ")
        file = release / name
        if not file.is_file() or file_digest(file) != digest:
            what = "is missing" if not file.is_file() else "is not as released"
            raise ChallengeError(f"According to {SUMS}, {file} {what}. Unpack the release again.")
