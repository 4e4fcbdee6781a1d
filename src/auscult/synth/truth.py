"""Every phrase that names a condition, symptom, procedure or cause, and what is said of it."""

from __future__ import annotations

from collections import Counter
from typing import IO

from auscult.synth import lines
from auscult.synth.charts import Chart
from auscult.synth.knowledge import Knowledge
from auscult.synth.pieces import Assertion, Form, Kind, Phrase


class TruthWriter:
    """Writes one annotation a phrase, the assertion in its meta."""

    def __init__(self, file: IO[str], known: Knowledge) -> None:
        self._file = file
        self.assertions: Counter[str] = Counter()
        self._metas: dict[tuple[Kind, str, Assertion, Form, str], str] = {}
        self._codes: dict[tuple[Kind, str], tuple[str, str]] = {}
        for kind, rows in (
            (Kind.CONDITION, known.conditions.values()),
            (Kind.SYMPTOM, known.symptoms.values()),
            (Kind.EXTERNAL, known.externals.values()),
        ):
            for row in rows:
                self._codes[kind, row.id] = ("ICD-10-CM", row.icd10)
        for done in known.procedures.values():
            code = ("ICD-10-PCS", done.icd10) if done.icd10 else ("CPT", done.cpt or "")
            if code[1]:
                self._codes[Kind.PROCEDURE, done.id] = code

    def chart(self, chart: Chart) -> None:
        """All phrases of a chart's notes."""
        coded = {illness.row: illness.coded for illness in chart.stay.illnesses}
        write, hadm_id = self._file.write, chart.stay.hadm_id
        for note in chart.notes:
            for begin, end, phrase in note.phrases:
                kind, row = phrase.kind, phrase.row
                if kind is Kind.CONDITION:
                    row = coded.get(row, row)
                code = self._codes.get((kind, row))
                if code is None:
                    continue
                self.assertions[phrase.assertion] += 1
                meta = self._said(phrase)
                write(lines.annotation("truth", code, hadm_id, note.row_id, [(begin, end)], meta))

    def _said(self, phrase: Phrase) -> str:
        key = phrase[1:]
        meta = self._metas.get(key)
        if meta is None:
            kind, row, assertion, form, proper = key
            meta = self._metas[key] = lines.meta(
                assertion=assertion, kind=kind, row=row, form=form, phrase=proper
            )
        return meta
