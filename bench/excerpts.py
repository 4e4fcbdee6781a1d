"""Short notes, by a lexicon that learned from excerpts of charts too and by one that did not.

    .venv/bin/python bench/excerpts.py FOLDER

FOLDER is what bench/models.py was given. Both learn from the training charts of the synthetic
hospital. Of every test chart 60 to 120 words are coded as the only note there is: of every other
one around some evidence, of the rest anywhere. A code is right if its evidence is in the excerpt;
one that the chart has and that the excerpt holds no evidence for counts neither way. Exits with 1
unless excerpts make short notes better by ten points and whole charts no worse by half a point.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from auscult.core import Code, Note, Span
from auscult.core.counts import Counts
from auscult.core.tokens import tokens
from auscult.corpus import Chart, Corpus
from auscult.models.fitting import fit
from auscult.models.model import Model

WORDS = (60, 120)
GAIN, LOSS = 0.10, 0.005


def main() -> int:
    """Print both; 1 when excerpts are not worth it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what bench/models.py was given")
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    corpus = Corpus.open(folder / "corpus")
    test = list(corpus.select(splits=["test"]).charts())
    short = list(_excerpts(test))
    found: dict[bool, tuple[Counts, Counts]] = {}
    print("| learned from | whole charts | excerpts: precision | recall | micro-F1 |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for on in (False, True):
        model = fit(corpus, "lexicon", {"excerpts": on}, dev_split="dev")
        found[on] = whole, parts = _whole(model, test), _parts(model, short)
        name = "charts and excerpts" if on else "charts"
        cells = (whole.f1, parts.precision, parts.recall, parts.f1)
        print(f"| {name} | {' | '.join(f'{one or 0:.3f}' for one in cells)} |", flush=True)
    in_whole, in_parts = (
        (found[True][at].f1 or 0.0) - (found[False][at].f1 or 0.0) for at in range(2)
    )
    return int(in_parts < GAIN or in_whole < -LOSS)


def _excerpts(charts: list[Chart]) -> Iterator[tuple[Note, set[Code], set[Code]]]:
    """Notes of a few lines, the codes with evidence there, and all codes of the chart."""
    dice = np.random.default_rng(0)
    for number, chart in enumerate(charts):
        texts = {note.note_id: note for note in chart.notes}
        pointed = [one for one in chart.annotations if one.spans and one.note_id in texts]
        if not pointed:
            continue
        one = pointed[int(dice.integers(len(pointed)))]
        note = texts[one.note_id or ""]
        text = note.text or ""
        words = [token.span for token in tokens(text)]
        size = int(dice.integers(*WORDS))
        at = int(dice.integers(len(words)))
        if number % 2:
            at = next(at for at, span in enumerate(words) if span.end > one.spans[0].begin)
        first = max(0, at - int(dice.integers(size)))
        lines = Span(
            text.rfind("\n", 0, words[first].begin) + 1,
            text.find("\n", words[min(len(words), first + size) - 1].end) % (len(text) + 1),
        )
        inside = {
            a.code
            for a in pointed
            if a.note_id == note.note_id and all(lines.contains(span) for span in a.spans)
        }
        cut = Note(note.note_id, chart.chart_id, category=note.category, text=lines.of(text))
        yield cut, inside, {a.code for a in chart.annotations}


def _whole(model: Model, charts: list[Chart]) -> Counts:
    notes = [note for chart in charts for note in chart.notes]
    said = {(a.chart_id, a.code) for a in model.predict(notes)}
    return Counts.of({(c.chart_id, a.code) for c in charts for a in c.annotations}, said)


def _parts(model: Model, short: list[tuple[Note, set[Code], set[Code]]]) -> Counts:
    said: dict[str, set[Code]] = {note.chart_id: set() for note, _, _ in short}
    for one in model.predict([note for note, _, _ in short]):
        said[one.chart_id].add(one.code)
    counts = Counts(0, 0, 0)
    for note, inside, every in short:
        given = said[note.chart_id]
        counts += Counts(len(given & inside), len(given - every), len(inside - given))
    return counts


if __name__ == "__main__":
    sys.exit(main())
