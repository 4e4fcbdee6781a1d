"""Every phrase that names a condition, symptom, procedure or cause, with its assertion."""

from __future__ import annotations

from collections import Counter
from typing import IO

from auscult.synth import json_lines
from auscult.synth.charts import WrittenChart
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.note_parts import Form, Phrase, PhraseAssertion, PhraseKind


class TruthWriter:
    """Writes one annotation per phrase, with the assertion in its meta."""

    def __init__(self, file: IO[str], known: ClinicalTables) -> None:
        self._file = file
        self.assertions: Counter[str] = Counter()
        self._metas: dict[tuple[PhraseKind, str, PhraseAssertion, Form, str], str] = {}
        self._codes: dict[tuple[PhraseKind, str], tuple[str, str]] = {}
        for kind, rows in (
            (PhraseKind.CONDITION, known.conditions.values()),
            (PhraseKind.SYMPTOM, known.symptoms.values()),
            (PhraseKind.EXTERNAL, known.externals.values()),
        ):
            for row in rows:
                self._codes[kind, row.id] = ("ICD-10-CM", row.icd10)
        for done in known.procedures.values():
            code = ("ICD-10-PCS", done.icd10) if done.icd10 else ("CPT", done.cpt or "")
            if code[1]:
                self._codes[PhraseKind.PROCEDURE, done.id] = code

    def chart(self, chart: WrittenChart) -> None:
        """All phrases of a chart's notes."""
        coded = {illness.row: illness.coded for illness in chart.stay.illnesses}
        write, hadm_id = self._file.write, chart.stay.hadm_id
        for note in chart.notes:
            for begin, end, phrase in note.phrases:
                kind, row = phrase.kind, phrase.row
                if kind is PhraseKind.CONDITION:
                    row = coded.get(row, row)
                code = self._codes.get((kind, row))
                if code is None:
                    continue
                self.assertions[phrase.assertion] += 1
                meta = self._said(phrase)
                write(
                    json_lines.annotation("truth", code, hadm_id, note.row_id, [(begin, end)], meta)
                )

    def _said(self, phrase: Phrase) -> str:
        key = phrase[1:]
        meta = self._metas.get(key)
        if meta is None:
            kind, row, assertion, form, proper = key
            meta = self._metas[key] = json_lines.meta(
                assertion=assertion, kind=kind, row=row, form=form, phrase=proper
            )
        return meta
