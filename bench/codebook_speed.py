"""How quickly the model codebook codes notes: a second of one core, a new process, its memory.

    .venv/bin/python bench/codebook_speed.py --data ../shared/data

Notes of 500 words are cut from CodiEsp in English; the Alphabetic Index of the data folder is
installed in a folder of its own. Processor time is counted, so that other programs disturb little.
Wanted: 100 notes a second; half the notes, or half the words, in half the time; the first code of a
new process after a second, from Python and from the shell; 400 MB. Exit code 1 when one is missed.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import auscult
from auscult.codes.releases import add_release
from auscult.core import Note
from auscult.models.model import Model

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.memory import peak_megabytes

_WORDS = 500
_RATE, _SLOPE, _START, _MEMORY = 100.0, 1.2, 1.0, 400.0
_FIRST = """
import auscult
auscult.load_model("codebook").predict("Acute on chronic systolic heart failure.")
"""


def notes_of(folder: Path, words: int, count: int) -> list[Note]:
    """Notes of so many words, cut from the texts one after the other, again from the first."""
    files = sorted(folder.glob("*/text_files_en/*.txt"))
    whole = "\n\n".join(file.read_text(encoding="utf-8") for file in files)
    ends = [match.end() for match in re.finditer(r"\S+", whole)][words - 1 :: words]
    texts = [whole[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    return [Note(f"n{at}", f"n{at}", text=texts[at % len(texts)]) for at in range(count)]


def seconds(model: Model, notes: Sequence[Note], rounds: int = 3) -> float:
    """Processor time of the quickest round."""
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        model.predict(notes)
        found.append(time.process_time() - begin)
    return min(found)


def started(command: Sequence[str]) -> float:
    """Processor seconds of a new process, the quickest of three."""
    found = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--notes", type=int, default=400)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["AUSCULT_HOME"] = home
        for file in sorted((args.data / "icd10cm_2025").glob("*.xml")):
            add_release(file)
        cases = args.data / "codiesp"
        notes = notes_of(cases, _WORDS, args.notes)
        note = Path(home) / "note.txt"
        note.write_text(notes[0].text or "", encoding="utf-8")
        subprocess.run([sys.executable, "-c", _FIRST], check=True)  # compiles
        python = started([sys.executable, "-c", _FIRST])
        shell = started([sys.executable, "-m", "auscult", "code", str(note)])
        model = auscult.load_model("codebook")
        model.predict(notes)  # meets the words
        whole, half = seconds(model, notes), seconds(model, notes[: len(notes) // 2])
        longer = seconds(model, notes_of(cases, 2 * _WORDS, args.notes // 2))
        rate, slope, words = len(notes) / whole, whole / half / 2, longer / whole
        megabytes = peak_megabytes()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{rate:.0f} notes of {_WORDS} words a second of one core ({megabytes:.0f} MB)")
    print(f"twice the notes: {slope:.2f} times the time each; twice the words: {words:.2f} a word")
    print(f"first code of a new process: {python:.2f} s from Python, {shell:.2f} s from the shell")
    print(f"load {load} on {os.cpu_count()} cores")
    kept = rate >= _RATE and max(slope, words) <= _SLOPE
    kept = kept and max(python, shell) <= _START and megabytes <= _MEMORY
    print("All targets were met." if kept else "A target was missed.")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
