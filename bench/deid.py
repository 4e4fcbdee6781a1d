"""De-identification: how much is found, and how fast.

    python bench/deid.py hospital/phi          # a synthetic hospital's planted notes
    python bench/deid.py --meddocan meddocan/dev   # Spanish, what needs no language

One core. Speed is of finding and replacing together, characters of text by processor time.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl

from auscult.core import Annotation
from auscult.corpus import Corpus, formats
from auscult.deid import SYSTEM, DeidOptions, Recognizer, builtin
from auscult.deid.mark import marked
from auscult.deid.patients import batches
from auscult.deid.scrub import Scrubber
from auscult.evaluate.deid import DeidResult, evaluate_deid
from auscult.evaluate.sides import pair

_ENOUGH = 2_000_000
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--meddocan", type=Path)
    given = parser.parse_args()
    for folder in given.folders:
        corpus = formats.read("jsonl", folder)
        result = measure(corpus, builtin(), day_first=False)
        say(result)
        categories = corpus.lazy_notes.select(pl.col("category").n_unique()).collect().item()
        print(f"{folder}: {categories} categories of notes, {speed(corpus):.2f} MB/s")
    if given.meddocan:
        meddocan(given.meddocan)


if __name__ == "__main__":
    main()
