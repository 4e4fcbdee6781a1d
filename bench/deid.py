"""De-identification: how much is found, and how fast.

    python bench/deid.py hospital/phi          # a synthetic hospital's planted notes
    python bench/deid.py --meddocan meddocan/dev   # Spanish, what needs no language
    python bench/deid.py --data ../shared/data     # real prose: ordinary words that are replaced

Prose: case reports (CodiEsp in English), radiology reports (the 2007 challenge), abstracts (NCBI
disease) and emergency narratives in capitals (NEISS), none with planted names. What is replaced in
them and was judged to be PHI, or a date, place or person at least, is in `deid_prose.tsv`, by
offsets; all other words that are replaced count as ordinary. `--unjudged` prints their offsets.

One core. Speed is of finding and replacing together, characters of text by processor time.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from auscult.core import Annotation, Note
from auscult.corpus import Corpus, formats
from auscult.deid import SYSTEM, DeidOptions, PhiKind, PhiSpan, Recognizer, builtin, detect
from auscult.deid.mark import marked
from auscult.deid.patients import batches
from auscult.deid.scrub import Scrubber
from auscult.evaluate.deid import DeidResult, evaluate_deid
from auscult.evaluate.sides import pair

_ENOUGH = 2_000_000
_PAGE = 500
"""Words of a page."""
_SENTENCE = 15
"""Fewest characters of a sentence."""
MEDDOCAN = {
    "FECHAS": "DATE",
    "EDAD_SUJETO_ASISTENCIA": None,
    "NUMERO_TELEFONO": "PHONE",
    "NUMERO_FAX": "PHONE",
    "CORREO_ELECTRONICO": "EMAIL",
    "URL_WEB": "URL",
    "ID_SUJETO_ASISTENCIA": "ID",
    "ID_TITULACION_PERSONAL_SANITARIO": "ID",
    "ID_ASEGURAMIENTO": "ID",
    "ID_CONTACTO_ASISTENCIAL": "ID",
    "ID_EMPLEO_PERSONAL_SANITARIO": "ID",
    "TERRITORIO": "LOCATION",
    "CALLE": "LOCATION",
    "NOMBRE_SUJETO_ASISTENCIA": "NAME",
    "NOMBRE_PERSONAL_SANITARIO": "NAME",
    "HOSPITAL": "HOSPITAL",
    "CENTRO_SALUD": "HOSPITAL",
}
"""MEDDOCAN's types as kinds; ages under 90, sexes, professions and relatives are none."""


def measure(corpus: Corpus, recognizers: tuple[Recognizer, ...], *, day_first: bool) -> DeidResult:
    found = marked(corpus, recognizers=recognizers, day_first=day_first)
    predicted = Corpus(corpus.lazy_notes, Corpus.of((), found).lazy_annotations)
    return evaluate_deid(pair(corpus, predicted))


def speed(corpus: Corpus) -> float:
    """Megabytes of text a second: the best of five runs over the first two megabytes."""
    scrubber = Scrubber(DeidOptions(seed="bench"), builtin())
    chosen, size = [], 0
    for patient in (patient for batch in batches(corpus) for patient in batch):
        if size > _ENOUGH:
            break
        chosen.append(patient)
        size += sum(len((note.text or "").encode()) for note in patient.notes)
    taken = []
    for _ in range(5):
        began = time.process_time()
        for patient in chosen:
            scrubber.scrub(patient)
        taken.append(time.process_time() - began)
    return size / 1e6 / min(taken)


def say(result: DeidResult) -> None:
    print("| kind | words | recall | precision | hidden |\n| --- | --- | --- | --- | --- |")
    for kind, one in (*result.by_kind.items(), ("any", result.any_kind)):
        counts = one.counts
        hidden = one.recall if kind == "any" else result.hidden[kind]
        metrics = (one.recall, one.precision, hidden)
        cells = ["–" if m.value is None else f"{m.value:.4f}" for m in metrics]
        words = 0 if counts is None else counts.tp + counts.fn
        print(f"| {kind} | {words:,} | {' | '.join(cells)} |")
    print(f"leak rate {result.leak_rate.value:.4f} of {result.notes:,} notes")


def meddocan(folder: Path) -> None:
    """What of MEDDOCAN is found; its own types first, then by kind."""
    corpus = formats.read("brat", folder)
    mapped, types = [], Counter[str]()
    for annotation in corpus.iter_annotations():
        own = annotation.code.value
        kind = MEDDOCAN.get(own)
        if kind is not None:
            types[own] += 1
            code = replace(annotation.code, system=SYSTEM, value=kind)
            mapped.append(replace(annotation, code=code, meta={"type": own}))
    gold = Corpus(corpus.lazy_notes, Corpus.of((), mapped).lazy_annotations)
    result = measure(gold, builtin(), day_first=True)
    say(result)
    print()
    found = list(marked(gold, recognizers=builtin(), day_first=True))
    by_type(gold, mapped, found)


def by_type(gold: Corpus, there: list[Annotation], found: list[Annotation]) -> None:
    """Of each of the corpus's own types, the share of spans that is hidden as a whole."""
    texts = dict(gold.lazy_notes.select("note_id", "text").collect().iter_rows())
    cover = {note_id: bytearray(len(text)) for note_id, text in texts.items()}
    for one in found:
        for span in one.spans:
            cover[one.note_id or ""][span.begin : span.end] = b"\1" * len(span)
    whole, all_of = Counter[str](), Counter[str]()
    for one in there:
        text, mask = texts[one.note_id], cover[one.note_id or ""]
        ends = [at for span in one.spans for at in range(span.begin, span.end)]
        whole[one.meta["type"]] += all(mask[at] or not text[at].isalnum() for at in ends)
        all_of[one.meta["type"]] += 1
    print("| type | spans | hidden |\n| --- | --- | --- |")
    for name, count in all_of.most_common():
        print(f"| {name} | {count:,} | {whole[name] / count:.3f} |")


def prose(data: Path) -> Iterator[tuple[str, list[Note]]]:
    """The corpora of prose that are there, by name."""
    cases = [
        Note(file.stem, file.stem, text=file.read_text("utf-8"))
        for part in ("train", "dev")
        for file in sorted((data / "codiesp" / part / "text_files_en").glob("*.txt"))
    ]
    abstracts = [
        note
        for part in ("train", "devel")
        for file in sorted((data / "ncbi_disease" / part).glob("*.txt"))
        for note in formats.read("pubtator", file).iter_notes()
    ]
    reports = data / "cmc2007" / "dev.xml"
    narratives = data / "neiss" / "dev.csv"
    yield "CodiEsp, case reports", cases
    yield "2007 challenge, radiology reports", [*_read("cmc", reports)]
    yield "NCBI disease, abstracts", abstracts
    yield "NEISS, narratives in capitals", [*_read("neiss", narratives)]


def _read(name: str, source: Path) -> Iterator[Note]:
    return formats.read(name, source).iter_notes() if source.exists() else iter(())


def judged(file: Path) -> dict[str, list[tuple[int, int]]]:
    """The ranges that were judged to be dates, places, people or ages over 89, by note."""
    lines = (line.split("\t") for line in file.read_text("utf-8").splitlines()[1:])
    return {note: [_range(one) for one in ranges.split()] for note, ranges in lines}


def _range(written: str) -> tuple[int, int]:
    begin, _, end = written.partition("-")
    return int(begin), int(end)


def ordinary(notes: list[Note], known: dict[str, list[tuple[int, int]]], *, show: bool) -> None:
    """Count the words of each kind that are replaced, and those of them that are none of it."""
    words, replaced, wrong = 0, Counter[PhiKind](), Counter[PhiKind]()
    for note in notes:
        text = note.text or ""
        words += _words(text)
        (found,) = detect([Note(note.note_id, note.note_id, text=text)], builtin())
        for one in found:
            if one.hide:
                count = _words(text[one.begin : one.end])
                replaced[one.kind] += count
                if not _is_known(one, known.get(note.note_id, [])):
                    wrong[one.kind] += count
                    if show:
                        print(note.note_id, one.begin, one.end, one.kind.value, sep="\t")
    print("| kind | replaced | of them ordinary | share |\n| --- | ---: | ---: | ---: |")
    for kind in PhiKind:
        print(
            f"| {kind.value} | {replaced[kind]:,} | {wrong[kind]:,} | {wrong[kind] / words:.4%} |"
        )
    all_wrong = wrong.total()
    print(f"| any | {replaced.total():,} | {all_wrong:,} | {all_wrong / words:.4%} |")
    print(f"{words:,} words of {len(notes):,} notes, some {words // _PAGE} pages")


def behind_initial(notes: list[Note]) -> None:
    """Put every sentence behind an initial, and count those whose first word becomes a surname."""
    lead, taken, count = "She was seen by Dr. A. ", 0, 0
    for note in notes:
        for sentence in re.split(r"(?<=\.)\s+|\n+", note.text or ""):
            if re.match(r"[A-Z][a-z]*\b", sentence) and len(sentence) > _SENTENCE:
                (found,) = detect([Note("n", "c", text=lead + sentence)], builtin())
                count += 1
                taken += any(one.hide and one.begin == len(lead) for one in found)
    if count:
        print(f"behind `{lead.strip()}` {taken:,} of {count:,} sentences lose their first word")


def _words(text: str) -> int:
    return sum(1 for _ in re.finditer(r"\w+", text))


def _is_known(found: PhiSpan, ranges: list[tuple[int, int]]) -> bool:
    return any(begin < found.end and found.begin < end for begin, end in ranges)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--meddocan", type=Path)
    parser.add_argument("--data", type=Path, help="the folder of open corpora")
    parser.add_argument("--unjudged", action="store_true", help="print offsets of ordinary words")
    given = parser.parse_args()
    for folder in given.folders:
        corpus = formats.read("jsonl", folder)
        result = measure(corpus, builtin(), day_first=False)
        say(result)
        categories = corpus.lazy_notes.select(pl.col("category").n_unique()).collect().item()
        print(f"{folder}: {categories} categories of notes, {speed(corpus):.2f} MB/s")
    if given.meddocan:
        meddocan(given.meddocan)
    if given.data:
        known = judged(Path(__file__).with_name("deid_prose.tsv"))
        for name, notes in prose(given.data):
            if notes:
                print(f"\n{name}")
                ordinary(notes, known, show=given.unjudged)
                behind_initial(notes)


if __name__ == "__main__":
    main()
