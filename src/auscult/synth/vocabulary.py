"""A small concept vocabulary in the UMLS's Rich Release Format.

It is not simply the tables. Some rows are left out, so that their spans have no concept; some
names are left out, so that looking a span up does not always find it; some concepts have a twin
that fits as well; and there are concepts that no note means, which share their names.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.note_parts import PhraseKind
from auscult.synth.semantic_types import TYPES

# Other things that the same letters stand for; no note of the hospital means them.
_OTHER_SENSES = (
    ("cerebral palsy", "Disease or Syndrome", ("CP",)),
    ("dermatomyositis", "Disease or Syndrome", ("DM",)),
    ("Huntington disease", "Disease or Syndrome", ("HD", "Huntington's chorea")),
    ("ankylosing spondylitis", "Disease or Syndrome", ("AS",)),
    ("acute rheumatic fever", "Disease or Syndrome", ("ARF",)),
    ("pleural effusion sign", "Finding", ("PE",)),
    ("pre-eclampsia", "Disease or Syndrome", ("PE", "PET")),
    ("mitral insufficiency", "Disease or Syndrome", ("MI",)),
    ("amniotic fluid", "Body Substance", ("AF",)),
    ("congenital hepatic fibrosis", "Congenital Abnormality", ("CHF",)),
    ("peptide nucleic acid", "Organic Chemical", ("PNA",)),
    ("tidal volume", "Clinical Attribute", ("VT", "TV")),
    ("pint", "Quantitative Concept", ("pt", "PT")),
    ("posterior tibial tendon", "Body Part, Organ, or Organ Component", ("PT", "PTT")),
    ("musculoskeletal system", "Body System", ("MS", "MSK")),
    ("Master of Science", "Intellectual Product", ("MS",)),
    ("refractory anemia", "Disease or Syndrome", ("RA",)),
    ("ragweed antigen", "Immunologic Factor", ("RA",)),
    ("common cold", "Disease or Syndrome", ("cold", "head cold")),
    ("cold temperature", "Natural Phenomenon or Process", ("cold",)),
    ("chronic obstructive lung disease, severe", "Disease or Syndrome", ("COLD",)),
    ("spontaneous bacterial peritonitis, culture negative", "Disease or Syndrome", ("SBP",)),
    ("costovertebral angle tenderness", "Finding", ("CVA", "CVAT")),
    ("left axis deviation", "Finding", ("LAD",)),
    ("barium swallow", "Diagnostic Procedure", ("BS",)),
    ("Bachelor of Science", "Intellectual Product", ("BS",)),
    ("optic disc", "Body Part, Organ, or Organ Component", ("OD",)),
    ("occupational disease", "Disease or Syndrome", ("OD",)),
    ("acute lymphoblastic leukemia", "Neoplastic Process", ("ALL",)),
    ("aortic valve", "Body Part, Organ, or Organ Component", ("AV",)),
    ("sodium nitroprusside", "Pharmacologic Substance", ("SNP",)),
    ("single nucleotide polymorphism", "Qualitative Concept", ("SNP",)),
    ("hepatitis B core antibody", "Immunologic Factor", ("HBc",)),
    ("normal pressure hydrocephalus", "Disease or Syndrome", ("NPH",)),
    ("pneumocystis pneumonia", "Disease or Syndrome", ("PCP",)),
    ("phencyclidine", "Organic Chemical", ("PCP",)),
    ("urinalysis, automated", "Laboratory Procedure", ("UA",)),
    ("uric acid crystal", "Finding", ("UA",)),
    ("periodic acid", "Inorganic Chemical", ("PA",)),
    ("pernicious anemia", "Disease or Syndrome", ("PA",)),
    ("benign positional headache", "Disease or Syndrome", ("BPH",)),
    ("degree Celsius", "Quantitative Concept", ("C",)),
)
_SPANISH = {
    "essential hypertension": "hipertensión esencial",
    "fever": "fiebre",
    "headache": "cefalea",
    "chest pain": "dolor torácico",
    "shortness of breath": "disnea",
    "cough": "tos",
    "nausea": "náuseas",
    "abdominal pain": "dolor abdominal",
    "atrial fibrillation": "fibrilación auricular",
    "pulmonary embolism": "embolia pulmonar",
    "aspirin": "ácido acetilsalicílico",
    "heart": "corazón",
    "lung": "pulmón",
    "liver": "hígado",
    "kidney": "riñón",
    "patient": "paciente",
    "acute": "agudo",
    "chronic": "crónico",
    "mild": "leve",
    "severe": "grave",
}


def chosen(words: str, one_in: int) -> bool:
    """Whether a name is among a fixed one in so many."""
    return zlib.crc32(words.encode()) % one_in == 0


@dataclass(frozen=True, slots=True)
class SynthConcept:
    """A concept with its names, the preferred one first."""

    cui: str
    type: str
    names: tuple[str, ...]
    source: str


class SynthVocabulary:
    """The concepts, and which of them stand for each row of the tables."""

    def __init__(self, known: ClinicalTables) -> None:
        self._known = known

    @cached_property
    def names(self) -> dict[tuple[PhraseKind, str], tuple[str, ...]]:
        """All names of each row, the name itself first, short forms last."""
        known = self._known
        found: dict[tuple[PhraseKind, str], tuple[str, ...]] = {}
        for row in known.conditions.values():
            found[PhraseKind.CONDITION, row.id] = (row.name, *row.synonyms, *row.abbreviations)
        for symptom in known.symptoms.values():
            names = (symptom.name, *symptom.synonyms, *symptom.abbreviations)
            found[PhraseKind.SYMPTOM, symptom.id] = names
        for done in known.procedures.values():
            found[PhraseKind.PROCEDURE, done.id] = (done.name, *done.synonyms, *done.abbreviations)
        for drug in known.drugs.values():
            found[PhraseKind.DRUG, drug.id] = (drug.name, *drug.brands, *drug.abbreviations)
        for lab in known.labs.values():
            found[PhraseKind.LAB, lab.id] = (lab.name, *lab.abbreviations)
        for external in known.externals.values():
            found[PhraseKind.EXTERNAL, external.id] = (external.name, *external.phrases)
        for term in known.terms.values():
            found[PhraseKind.TERM, term.id] = (term.name, *term.synonyms, *term.abbreviations)
        return {key: tuple(dict.fromkeys(names)) for key, names in found.items()}

    @cached_property
    def _rows(self) -> dict[tuple[PhraseKind, str], tuple[str, str]]:
        """Concept id and semantic type of each row."""
        known = self._known
        return {
            **{(PhraseKind.CONDITION, r.id): (r.umls, r.type) for r in known.conditions.values()},
            **{(PhraseKind.SYMPTOM, r.id): (r.umls, r.type) for r in known.symptoms.values()},
            **{(PhraseKind.PROCEDURE, r.id): (r.umls, r.type) for r in known.procedures.values()},
            **{(PhraseKind.DRUG, r.id): (r.umls, r.type) for r in known.drugs.values()},
            **{(PhraseKind.LAB, r.id): (r.umls, r.type) for r in known.labs.values()},
            **{(PhraseKind.EXTERNAL, r.id): (r.umls, r.type) for r in known.externals.values()},
            **{(PhraseKind.TERM, r.id): (r.umls, r.type) for r in known.terms.values()},
        }

    @cached_property
    def cuis(self) -> dict[tuple[PhraseKind, str], tuple[str, ...]]:
        """The concepts of each row: none when it is left out, two when it has a twin."""
        found: dict[tuple[PhraseKind, str], tuple[str, ...]] = {}
        for at, (key, (umls, _)) in enumerate(self._rows.items()):
            kind, row = key
            if kind not in (PhraseKind.DRUG, PhraseKind.LAB) and chosen(f"left out {row}", 29):
                found[key] = ()
            elif chosen(f"twin {row}", 13):
                found[key] = (umls, f"C998{at:04d}")
            else:
                found[key] = (umls,)
        return found

    @cached_property
    def concepts(self) -> list[SynthConcept]:
        """Everything in the vocabulary, by concept id."""
        found: dict[str, SynthConcept] = {}
        for key, names in self.names.items():
            kind = key[0]
            source = (
                "RXNORM"
                if kind is PhraseKind.DRUG
                else "LNC"
                if kind is PhraseKind.LAB
                else "SNOMEDCT_US"
            )
            kept = tuple(n for n in names[1:] if not chosen(f"name {n}", 7))
            for at, cui in enumerate(self.cuis[key]):
                if cui in found:
                    merged = dict.fromkeys((*found[cui].names, names[0], *kept))
                    found[cui] = SynthConcept(cui, found[cui].type, tuple(merged), source)
                elif at == 0:
                    found[cui] = SynthConcept(cui, self._rows[key][1], (names[0], *kept), source)
                else:
                    twin = f"{names[0]} (finding)"
                    found[cui] = SynthConcept(cui, "Finding", (twin, names[0]), "SNOMEDCT_US")
        for at, (name, kind_of, others) in enumerate(_OTHER_SENSES):
            cui = f"C997{at:04d}"
            found[cui] = SynthConcept(cui, kind_of, (name, *others), "SNOMEDCT_US")
        return [found[cui] for cui in sorted(found)]

    @cached_property
    def senses(self) -> dict[str, tuple[str, ...]]:
        """All concepts that a name, in lower case, may stand for."""
        owners: dict[str, dict[str, None]] = {}
        for key, names in self.names.items():
            for name in names:
                owners.setdefault(name.lower(), {})[self._rows[key][0]] = None
        for at, (_, _, others) in enumerate(_OTHER_SENSES):
            for name in others:
                owners.setdefault(name.lower(), {})[f"C997{at:04d}"] = None
        return {name: tuple(concepts) for name, concepts in owners.items()}

    def write(self, folder: Path) -> int:
        """Write MRCONSO.RRF and MRSTY.RRF, and say how many concepts there are."""
        folder.mkdir(parents=True)
        with (folder / "MRCONSO.RRF").open("w", encoding="utf-8", newline="") as conso:
            for at, concept in enumerate(self.concepts):
                conso.write("".join(_lines(concept, 100 * at)))
        with (folder / "MRSTY.RRF").open("w", encoding="utf-8", newline="") as sty:
            for at, concept in enumerate(self.concepts, 1):
                tui, tree = TYPES[concept.type]
                sty.write(f"{concept.cui}|{tui}|{tree}|{concept.type}|AT{at:08d}|256|\n")
        return len(self.concepts)


def _lines(concept: SynthConcept, first: int) -> list[str]:
    """A concept's lines: names, an obsolete one, a name in another language, other sources."""
    rows = []
    code = str(900_000_000 + zlib.crc32(concept.cui.encode()) % 99_999_999)
    for at, name in enumerate(concept.names):
        number = first + at
        preferred = at == 0
        kind = (
            ("IN" if preferred else "BN")
            if concept.source == "RXNORM"
            else ("PT" if preferred else "SY")
        )
        rows.append(
            _row(concept.cui, "ENG", number, preferred, concept.source, kind, code, name, "N")
        )
    number = first + len(concept.names)
    if chosen(concept.cui, 4):
        obsolete = f"{concept.names[0]}, NOS"
        rows.append(
            _row(concept.cui, "ENG", number, False, concept.source, "OAP", code, obsolete, "O")
        )
    if concept.names[0] in _SPANISH:
        spanish = _SPANISH[concept.names[0]]
        rows.append(_row(concept.cui, "SPA", number + 1, False, "SCTSPA", "PT", code, spanish, "N"))
    if chosen(concept.cui, 3):
        shouted = concept.names[0].upper()
        rows.append(
            _row(concept.cui, "ENG", number + 2, False, "MTH", "PN", "NOCODE", shouted, "N")
        )
    return rows


def _row(
    cui: str, language: str, number: int, preferred: bool, source: str, kind: str, code: str,
    name: str, suppressed: str,
) -> str:  # fmt: skip
    status, form, is_preferred = ("P", "PF", "Y") if preferred else ("S", "VO", "N")
    return (
        f"{cui}|{language}|{status}|L{number:07d}|{form}|S{number:07d}|{is_preferred}|"
        f"A{number:07d}||{code}||{source}|{kind}|{code}|{name}|0|{suppressed}|256|\n"
    )
