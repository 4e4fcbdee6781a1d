"""The medical knowledge of the synthetic hospital: the schema of the files in `tables/`.

The tables are TOML files written for Auscult. Ids are lower-case words joined by underscores and
are how the tables refer to each other; `load` checks that every reference leads somewhere.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from auscult.core import AuscultError


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    umls: str = Field(
        pattern=r"C\d{7}",
        description="UMLS concept; C99..... is a range the UMLS does not use, for ones of our own",
    )


class Condition(_Row):
    """A diagnosis that can be coded."""

    icd10: str
    icd9: str
    system: str = Field(description="body system: cardiovascular, respiratory, ...")
    kind: Literal["acute", "chronic", "injury", "status"] = Field(
        description="status: a state of affairs such as dialysis dependence or tobacco use"
    )
    prevalence: float = Field(
        gt=0, lt=1, description="share of adult admissions that have it, before age, sex and risk"
    )
    ages: tuple[int, int] = Field((18, 95), description="ages between which it is likeliest")
    sex: Literal["any", "F", "M"] = "any"
    type: str = Field("Disease or Syndrome", description="UMLS semantic type")
    synonyms: tuple[str, ...] = Field(description="phrases that say this very thing")
    abbreviations: tuple[str, ...] = Field((), description="short forms, case as written")
    vague: tuple[str, ...] = Field(
        (), description="phrases for the same thing that alone would be coded less specifically"
    )
    lay: tuple[str, ...] = Field((), description="how a triage nurse writes it as a complaint")
    parts: tuple[str, ...] = Field(
        (), description="ids of concepts named inside the name: anatomy, modifiers, diseases"
    )
    risks: dict[str, float] = Field(
        {}, description="condition id to how many times likelier this one is beside it"
    )
    symptoms: tuple[str, ...] = Field((), description="symptom ids it explains")
    drugs: tuple[str, ...] = Field((), description="drug ids it is treated with")
    labs: dict[str, Literal["high", "low"]] = Field({}, description="lab id to how it is off")
    findings: dict[Literal["radiology", "ecg", "echo", "exam"], tuple[str, ...]] = Field(
        {}, description="sentences of a report that fit it without naming it"
    )
    reported: dict[Literal["radiology", "ecg", "echo"], tuple[str, ...]] = Field(
        {},
        description="sentences of a report that name it; {it} stands for the phrase that does",
    )
    course: tuple[str, ...] = Field(
        (), description="hospital course sentences; {it} stands for a phrase that names it"
    )
    procedures: tuple[str, ...] = Field((), description="procedure ids that may be done for it")
    confused_with: tuple[str, ...] = Field(
        (),
        description="condition ids that are ruled out when this one is suspected, or coded "
        "for it by the inexperienced",
    )
    external: tuple[str, ...] = Field((), description="external cause ids, for injuries")
    less_specific: str | None = Field(
        None, description="the condition id its vague phrases would be coded as"
    )
    readmission: float = Field(0.0, description="what it adds to the log-odds of readmission")


class Procedure(_Row):
    """Something done to the patient."""

    icd10: str | None = Field(None, description="ICD-10-PCS, when done in hospital")
    icd9: str | None = Field(None, description="ICD-9-CM volume 3")
    cpt: str | None = Field(None, description="CPT number, for the professional fee")
    type: str = "Therapeutic or Preventive Procedure"
    synonyms: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    where: Literal["operating room", "bedside", "radiology", "endoscopy", "cath lab"] = "bedside"
    sentences: tuple[str, ...] = Field(description="with {it} for a phrase that names it")


class Symptom(_Row):
    """A symptom or sign, coded only when no diagnosis of the chart explains it."""

    icd10: str
    icd9: str
    synonyms: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    lay: tuple[str, ...] = Field(description="chief complaints, as a triage nurse types them")
    parts: tuple[str, ...] = ()
    type: str = "Sign or Symptom"


class Drug(_Row):
    """A drug with the ways it is ordered."""

    brands: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    orders: tuple[str, ...] = Field(description='"40 mg PO DAILY"')
    type: str = "Pharmacologic Substance"


class Lab(_Row):
    """A laboratory test."""

    abbreviations: tuple[str, ...] = ()
    unit: str = ""
    normal: tuple[float, float]
    low: tuple[float, float] | None = Field(None, description="range of a low result")
    high: tuple[float, float] | None = Field(None, description="range of a high result")
    digits: int = 1
    panel: Literal["chemistry", "blood count", "coagulation", "liver", "cardiac", "other"]
    type: str = "Laboratory Procedure"


class External(_Row):
    """How an injury came about."""

    icd10: str
    icd9: str
    phrases: tuple[str, ...] = Field(description='"fell from a ladder"')
    type: str = "Injury or Poisoning"


class Term(_Row):
    """A concept with no code of its own: anatomy, a modifier, a device, a part of a note."""

    synonyms: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    type: str


class ClinicalTables(BaseModel):
    """All tables, by id."""

    model_config = ConfigDict(frozen=True)

    conditions: dict[str, Condition]
    procedures: dict[str, Procedure]
    symptoms: dict[str, Symptom]
    drugs: dict[str, Drug]
    labs: dict[str, Lab]
    externals: dict[str, External]
    terms: dict[str, Term]


@cache
def load() -> ClinicalTables:
    """The tables that come with Auscult, in the order of their files and rows."""
    tables: dict[str, list[dict[str, object]]] = {}
    folder = files("auscult.synth").joinpath("tables")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            for kind, rows in tomllib.loads(file.read_text(encoding="utf-8")).items():
                tables.setdefault(kind, []).extend(rows)

    def by_id(kind: str) -> dict[str, dict[str, object]]:
        rows = {str(row["id"]): row for row in tables.get(kind, [])}
        if len(rows) < len(tables.get(kind, [])):
            ids = [str(row["id"]) for row in tables[kind]]
            twice = next(name for name in ids if ids.count(name) > 1)
            raise AuscultError(f"knowledge: the {kind} {twice!r} is defined twice.")
        return rows

    knowledge = ClinicalTables.model_validate(
        {
            "conditions": by_id("condition"),
            "procedures": by_id("procedure"),
            "symptoms": by_id("symptom"),
            "drugs": by_id("drug"),
            "labs": by_id("lab"),
            "externals": by_id("external"),
            "terms": by_id("term"),
        }
    )
    _check(knowledge)
    return knowledge


def _check(known: ClinicalTables) -> None:
    """Every reference leads to a row."""
    concepts = {*known.terms, *known.conditions, *known.symptoms, *known.procedures}

    def need(owner: str, names: Iterable[str], there: Iterable[str], what: str) -> None:
        for name in names:
            if name not in there:
                raise AuscultError(f"knowledge: {owner} names the {what} {name!r}, which is none.")

    for row in known.conditions.values():
        need(row.id, row.parts, concepts, "concept")
        need(row.id, row.risks, known.conditions, "condition")
        need(row.id, row.confused_with, known.conditions, "condition")
        need(
            row.id, [row.less_specific] if row.less_specific else [], known.conditions, "condition"
        )
        need(row.id, row.symptoms, known.symptoms, "symptom")
        need(row.id, row.drugs, known.drugs, "drug")
        need(row.id, row.labs, known.labs, "lab")
        need(row.id, row.procedures, known.procedures, "procedure")
        need(row.id, row.external, known.externals, "external cause")
    for procedure in known.procedures.values():
        need(procedure.id, procedure.parts, concepts, "concept")
    for symptom in known.symptoms.values():
        need(symptom.id, symptom.parts, concepts, "concept")
