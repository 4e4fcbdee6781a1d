"""How conditions are meant: Auscult's rules against medspaCy's ConText, on planted assertions.

    .venv/bin/python bench/assertion.py [--patients 40] [--medspacy PYTHON]

Makes a synthetic hospital and compares what is read at each planted phrase with what was meant.
`--medspacy` names a Python that has medspaCy, best an environment of its own; both then see
the same notes and phrases, each with its own sentences. Prints accuracy, recall and precision by
class, and characters a second. Exits with 1 when accuracy is below 0.95.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from auscult.assertion import Assertion, Scopes
from auscult.core import Span
from auscult.synth import hospital

WANTED = 0.95
Confusion = Counter[tuple[str, str]]
_PAST = (Assertion.PRESENT, Assertion.HISTORICAL)
# Runs in medspaCy's own environment: its sentences (PyRuSH), its ConText with its default rules.
_MEDSPACY = """
import json, sys, time
import medspacy, spacy
from spacy.util import filter_spans
nlp = medspacy.load(medspacy_enable=["medspacy_pyrush", "medspacy_context"])
context = nlp.get_pipe("medspacy_context")
sentences = nlp.get_pipe("medspacy_pyrush")
found, seconds, characters = [], 0.0, 0
for line in open(sys.argv[1], encoding="utf-8"):
    note = json.loads(line)
    started = time.process_time()
    doc = sentences(nlp.make_doc(note["text"]))
    spans = {}
    for begin, end in note["spans"]:
        span = doc.char_span(begin, end, alignment_mode="expand", label="CONDITION")
        if span is not None:
            spans[begin, end] = span
    doc.ents = filter_spans(list(spans.values()))
    context(doc)
    for (begin, end), span in spans.items():
        kept = next((e for e in doc.ents if e.start <= span.start < e.end), None)
        says = [] if kept is None else [
            name for name in ("is_negated", "is_family", "is_hypothetical", "is_uncertain",
                              "is_historical") if getattr(kept._, name)]
        found.append([note["id"], begin, end, says[0][3:] if says else "present"])
    seconds += time.process_time() - started
    characters += len(note["text"])
print(json.dumps({"found": found, "seconds": seconds, "characters": characters}))
"""


def main() -> int:
    """Print the tables; 1 when Auscult misses the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patients", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--notes", type=int, help="only so many notes")
    parser.add_argument("--medspacy", type=Path, help="a Python that has medspaCy")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "hospital"
        hospital.make_hospital(made, patients=options.patients, seed=options.seed)
        notes = read_notes(made)[: options.notes]
        accuracy = show("auscult", *ours(notes))
        if options.medspacy:
            show("medspaCy", *theirs(notes, options.medspacy, Path(folder)))
    print(f"\nauscult at {WANTED} or more: {'kept' if accuracy >= WANTED else 'MISSED'}")
    return 0 if accuracy >= WANTED else 1


def read_notes(made: Path) -> list[dict[str, Any]]:
    """Notes with the places of what they name, and how it is meant."""
    csv.field_size_limit(10**9)
    with (made / "mimic3" / "NOTEEVENTS.csv").open(encoding="utf-8", newline="") as handle:
        notes: dict[str, dict[str, Any]] = {
            row["ROW_ID"]: {"id": row["ROW_ID"], "text": row["TEXT"], "spans": [], "meant": []}
            for row in csv.DictReader(handle)
        }
    with (made / "truth" / "annotations.jsonl").open(encoding="utf-8") as handle:
        for row in map(json.loads, handle):
            notes[row["note_id"]]["spans"].append(row["spans"][0])
            notes[row["note_id"]]["meant"].append(row["meta"]["assertion"])
    return [note for note in notes.values() if note["spans"]]


def ours(notes: list[dict[str, Any]]) -> tuple[Confusion, float]:
    """What Auscult reads, and characters a second."""
    found: Confusion = Counter()
    started = time.process_time()
    for note in notes:
        scopes = Scopes.of(note["text"])
        for span, meant in zip(note["spans"], note["meant"], strict=True):
            found[meant, scopes.at(Span(*span)).value] += 1
    seconds = time.process_time() - started
    return found, sum(len(note["text"]) for note in notes) / seconds


def theirs(notes: list[dict[str, Any]], python: Path, folder: Path) -> tuple[Confusion, float]:
    """What medspaCy reads, and characters a second."""
    file = folder / "notes.jsonl"
    with file.open("w", encoding="utf-8") as handle:
        for note in notes:
            handle.write(json.dumps(note) + "\n")
    done = subprocess.run(
        [python, "-W", "ignore", "-c", _MEDSPACY, file], capture_output=True, text=True, check=True
    )
    answer = json.loads(done.stdout.splitlines()[-1])
    said = {(note_id, begin, end): how for note_id, begin, end, how in answer["found"]}
    found: Confusion = Counter()
    for note in notes:
        for (begin, end), meant in zip(note["spans"], note["meant"], strict=True):
            found[meant, said.get((note["id"], begin, end), "present")] += 1
    return found, answer["characters"] / answer["seconds"]


def show(name: str, found: Confusion, speed: float) -> float:
    """Print accuracy and the metrics of each class; the accuracy."""
    right = sum(count for (meant, said), count in found.items() if meant == said)
    accuracy = right / found.total()
    print(f"\n{name}: accuracy {accuracy:.3f} of {found.total():,}, {speed / 1e6:.3f} MB/s")
    past = sum(found["present", one] + found["historical", one] for one in _PAST)
    others = sum(found[one.value, one.value] for one in Assertion if one not in _PAST)
    print(f"with historical and present as one: {(past + others) / found.total():.3f}")
    print("| meant | phrases | recall | precision |")
    print("| --- | ---: | ---: | ---: |")
    for one in Assertion:
        meant = sum(count for (m, _), count in found.items() if m == one)
        said = sum(count for (_, s), count in found.items() if s == one)
        hit = found[one.value, one.value]
        recall, precision = hit / max(meant, 1), hit / max(said, 1)
        print(f"| {one} | {meant:,} | {recall:.3f} | {precision:.3f} |")
    return accuracy


if __name__ == "__main__":
    sys.exit(main())
