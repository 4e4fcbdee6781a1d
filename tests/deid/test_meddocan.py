"""Spanish case reports: what needs no language is found there too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from auscult.corpus import Corpus, formats
from auscult.deid.mark import marked
from auscult.evaluate.deid import evaluate_deid
from auscult.evaluate.sides import pair

KINDS = {
    "FECHAS": "DATE",
    "CORREO_ELECTRONICO": "EMAIL",
    "ID_SUJETO_ASISTENCIA": "ID",
    "ID_TITULACION_PERSONAL_SANITARIO": "ID",
    "ID_ASEGURAMIENTO": "ID",
    "NUMERO_TELEFONO": "PHONE",
    "NUMERO_FAX": "PHONE",
}


@pytest.mark.real
def test_dates_addresses_and_numbers(shared_data: Path) -> None:
    corpus = formats.read("brat", shared_data / "meddocan" / "dev")
    gold = [
        replace(one, code=replace(one.code, system="PHI", value=KINDS[one.code.value]))
        for one in corpus.iter_annotations()
        if one.code.value in KINDS
    ]
    notes = Corpus(corpus.lazy_notes, Corpus.of((), gold).lazy_annotations)
    found = Corpus(corpus.lazy_notes, Corpus.of((), marked(notes, day_first=True)).lazy_annotations)
    result = evaluate_deid(pair(notes, found), times=0)
    assert result.notes == 250
    assert (result.by_kind["DATE"].recall.value or 0) > 0.98
    assert (result.by_kind["DATE"].precision.value or 0) > 0.97
    assert (result.by_kind["EMAIL"].recall.value or 0) > 0.98
    assert (result.by_kind["ID"].recall.value or 0) > 0.95
    assert (result.by_kind["PHONE"].recall.value or 0) > 0.85
