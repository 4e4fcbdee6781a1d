"""MIMIC-IV-ED: a folder with edstays, triage and diagnosis (or with ed/), .csv or .csv.gz.

A stay in the emergency department is a chart; its chief complaint is a note, what edstays and
triage have is the record with the same id, and its diagnoses are annotations on the whole chart.
Vital signs, acuity and times of day are numbers. `icd` is the first diagnosis and `ccs` its
category: CCS of ICD-9-CM, CCSR of ICD-10-CM.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
from pydantic import Field

from auscult.codes import normalize
from auscult.codes.ccs import ccs9, ccsr
from auscult.core import Annotation, Code, FormatError
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.mimic import shapes as mimic
from auscult.corpus.formats.shared import unsupported, visits
from auscult.corpus.formats.shared.roundtrip import count_losses
from auscult.corpus.formats.shared.tables import check_csv, scan
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import ANNOTATIONS, RECORD_KEY

_STAYS = ("hadm_id", "outtime", "gender", "race", "arrival_transport", "disposition")
_TRIAGE = (
    "temperature", "heartrate", "resprate", "o2sat", "sbp", "dbp", "pain", "acuity",
)  # fmt: skip
_NUMBERS = frozenset(_TRIAGE) - {"pain"}  # where nurses write words too
_TABLES = ("edstays", "triage", "diagnosis")
_SYSTEMS = {"9": "ICD-9-CM", "10": "ICD-10-CM"}
EXAMPLE = "mimic-iv-ed-2.2 complaints"


class ReadOptions(FormatOptions):
    """What to call whoever gave the codes."""

    annotator: str = Field("billing", description="Annotator name of the new annotations.")


class WriteOptions(FormatOptions):
    """Whose codes to write."""

    annotator: str = Field("billing", description="Use this annotator's annotations.")


def read(source: Path, options: ReadOptions) -> Corpus:
    """The stays of a folder."""
    files = mimic.tables_in(source, _TABLES)
    if (source / "ed").is_dir():
        files |= mimic.tables_in(source / "ed", _TABLES)
    for needed in ("edstays", "triage"):
        if needed not in files:
            raise FormatError(f"there is no {needed}.csv or {needed}.csv.gz in the folder", source)
    stays = _table(files["edstays"], ("subject_id", "intime"), _STAYS)
    triage = _table(files["triage"], ("chiefcomplaint",), _TRIAGE)
    joined = stays.join(
        triage.drop("subject_id", strict=False), on="stay_id", how="left", maintain_order="left"
    )
    lost = triage.join(stays, on="stay_id", how="anti").height
    if lost:
        raise FormatError(f"{lost:,} stays of triage are not in edstays", files["triage"])
    ids = joined["stay_id"]
    codes = _codes(files["diagnosis"], set(ids)) if "diagnosis" in files else []
    return Corpus.of(
        visits.notes(
            ids, joined["chiefcomplaint"], subject_id=joined["subject_id"],
            time=joined.select(mimic.moment("intime")).to_series(),
        ),
        [Annotation(options.annotator, code, stay) for stay, code in codes],
        _records(joined, codes, "diagnosis" in files),
        Manifest(name=source.name, source="MIMIC-IV-ED tables"),
    )  # fmt: skip


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write the three tables."""
    target.mkdir()
    losses = Losses()
    for annotation in corpus.iter_annotations():
        unsupported.count_annotation(annotation, losses)
    bare = corpus.lazy_annotations.with_columns(
        pl.lit(None).alias(name) for name in ("score", "meta")
    )
    corpus = replace(corpus, lazy_all_annotations=bare.cast(ANNOTATIONS))
    notes = corpus.lazy_notes.select(
        stay_id="note_id", subject_id="subject_id", intime=pl.col("time").str.replace("T", " "),
        chiefcomplaint="text",
    ).collect()  # fmt: skip
    kept = pl.DataFrame({RECORD_KEY: notes["stay_id"]})
    if corpus.lazy_records is not None:
        records = corpus.lazy_records.collect()
        mine = [name for name in (*_STAYS, *_TRIAGE) if name in records.columns]
        kinds = {name: visits.kind_of(records[name].dtype) for name in mine}
        known = {name: kind for name, kind in kinds.items() if kind is not None}
        keyed = visits.as_text(records, known)
        kept = kept.join(keyed, on=RECORD_KEY, how="left", maintain_order="left")
    rows = notes.hstack(kept.drop(RECORD_KEY))
    there = [name for name in _STAYS if name in rows.columns]
    visits.sink(rows.select("subject_id", "stay_id", "intime", *there), target / "edstays.csv",
                losses)  # fmt: skip
    there = [name for name in _TRIAGE if name in rows.columns]
    visits.sink(rows.select("subject_id", "stay_id", *there, "chiefcomplaint"),
                target / "triage.csv", losses)  # fmt: skip
    diagnoses = _diagnoses(corpus, set(notes["stay_id"]), options.annotator)
    if diagnoses.height or (
        corpus.lazy_records is not None and "icd" in corpus.lazy_records.collect_schema()
    ):
        visits.sink(diagnoses, target / "diagnosis.csv", losses)
    count_losses(corpus, read(target, ReadOptions(annotator=options.annotator)), losses)
    return losses.list()


def _table(file: Path, needed: tuple[str, ...], others: tuple[str, ...]) -> pl.DataFrame:
    """A table with a row for each stay: the columns needed, and those of the others there are."""
    table = check_csv(file)
    there = {column.lower() for column in table.columns}
    columns = ["stay_id", *needed, *(name for name in others if name in there)]
    rows = scan(table, columns, filled=[["stay_id"]]).collect()
    rows = rows.with_columns(mimic.identifier("stay_id"))
    visits.require_ids(rows["stay_id"], file)
    made = [
        visits.typed(rows[name], "number", file) if name in _NUMBERS else rows[name]
        for name in columns
    ]
    return pl.DataFrame(made)


def _codes(file: Path, stays: set[str]) -> list[tuple[str, Code]]:
    """The diagnoses of stays, in the order of their numbers."""
    rows = scan(
        check_csv(file),
        ["stay_id", "icd_code", "icd_version"],
        optional=["seq_num"],
        filled=[["stay_id"], ["icd_code"], ["icd_version"]],
    ).collect()
    rows = rows.with_columns(
        mimic.identifier("stay_id"),
        mimic.identifier("icd_version").str.strip_chars(),
        at=pl.col("seq_num").cast(pl.Float64, strict=False).fill_null(0.0),
    )
    found = []
    for row, (stay, code, version) in enumerate(
        rows.select("stay_id", "icd_code", "icd_version").iter_rows(), 2
    ):
        if version not in _SYSTEMS:
            raise FormatError("icd_version must be 9 or 10", file, row)
        if stay not in stays:
            raise FormatError("the diagnosis belongs to a stay that is not in edstays", file, row)
        system = _SYSTEMS[version]
        found.append((stay, Code(system, normalize(system, code.strip()))))
    order = sorted(range(len(found)), key=lambda at: rows["at"][at])
    return [found[at] for at in order]


def _records(
    joined: pl.DataFrame, codes: list[tuple[str, Code]], coded: bool
) -> pl.DataFrame | None:
    there = [name for name in (*_STAYS, *_TRIAGE) if name in joined.columns]
    if not there:
        return None
    made = {name: joined[name] for name in there}
    if coded:
        first: dict[str, Code] = {}
        for stay, code in codes:
            first.setdefault(stay, code)
        groupers = {"ICD-9-CM": ccs9(), "ICD-10-CM": ccsr()}
        own = [first.get(stay) for stay in joined["stay_id"]]
        made["icd"] = pl.Series([code and code.value for code in own], dtype=pl.String)
        made["ccs"] = pl.Series(
            [code and groupers[code.system].of(code) for code in own], dtype=pl.String
        )
    return visits.records(joined["stay_id"], made)


def _diagnoses(corpus: Corpus, stays: set[str], annotator: str) -> pl.DataFrame:
    """The codes that the table has a place for."""
    versions = {system: version for version, system in _SYSTEMS.items()}
    rows = [
        (a.chart_id, str(at), a.code.value.replace(".", ""), versions[a.code.system])
        for at, a in enumerate(corpus.iter_annotations(), 1)
        if a.annotator == annotator and a.note_id is None and a.chart_id in stays
        and a.code.system in versions and not a.spans
        and a.code.value.replace(".", "").strip()
    ]  # fmt: skip
    names = ("stay_id", "seq_num", "icd_code", "icd_version")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
