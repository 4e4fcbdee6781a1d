"""The coding rules, case by case, each with the official instruction that it rests on.

The instructions are read from the Tabular List that comes with simple-icd-10-cm; what a case cites
must stand there, so that a case cannot rest on an instruction that the book does not have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from auscult.codes.coding_edits import CodeChecker, CodingFinding, EditSeverity, check_codes
from auscult.codes.coding_edits.code_book import code_book
from auscult.codes.coding_edits.companion_notes import companion_notes
from auscult.codes.coding_edits.registry import FINDINGS, RULES
from auscult.codes.coding_edits.specificity import needs_more_characters
from auscult.codes.tabular import Instruction, InstructionKind
from auscult.codes.tabular.current import tabular_list
from auscult.core import Code, OptionError

ERROR, WARNING, NOTE = EditSeverity


@dataclass(frozen=True)
class Case:
    """Codes, the rule that must or must not find something, and the instruction behind it.

    `standing` is a code and words of an instruction that applies to it in the Tabular List.
    """

    codes: str
    rule: str
    severity: EditSeverity | None
    cites: str = ""
    standing: tuple[str, str] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.codes} {self.rule} {self.severity or 'not'} {self.options or ''}".strip()


CASES = [
    # Excludes1 (I.A.12.a), in both directions.
    Case("E10.9 E11.9", "excludes1", ERROR, "at E10: type 2 diabetes mellitus (E11.-)",
         ("E10.9", "type 2 diabetes mellitus (E11.-)")),
    Case("E11.9 E10.9", "excludes1", ERROR, "at E11: type 1 diabetes mellitus (E10.-)",
         ("E11.9", "type 1 diabetes mellitus (E10.-)")),
    Case("R06.02 J96.01", "excludes1", ERROR, "at R06: respiratory failure (J96.-)",
         ("R06.02", "respiratory failure (J96.-)")),
    Case("J96.01 R06.02", "excludes1", ERROR, "at R06: respiratory failure (J96.-)"),
    Case("E87.1 E22.2", "excludes1", ERROR, "Section I.A.12.a",
         ("E87.1", "syndrome of inappropriate secretion of antidiuretic hormone (E22.2)")),
    Case("I10 I27.0", "excludes1", ERROR, "at block I10-I1A: primary pulmonary",
         ("I10", "primary pulmonary hypertension (I27.0)")),
    Case("R55 I95.1", "excludes1", ERROR, "orthostatic hypotension (I95.1)",
         ("R55", "orthostatic hypotension (I95.1)")),
    # A part of what is named: only if the one is due to the other.
    Case("R40.0 E11.22", "excludes1", WARNING, "somnolence, stupor and coma in diabetes (E08-E13)",
         ("R40.0", "somnolence, stupor and coma in diabetes (E08-E13)")),
    Case("G25.3 G40.909", "excludes1", WARNING, "myoclonic epilepsy (G40.-)",
         ("G25.3", "myoclonic epilepsy (G40.-)")),
    Case("S62.605A S68.611A", "excludes1", WARNING, "traumatic amputation of wrist and hand",
         ("S62.605A", "traumatic amputation of wrist and hand (S68.-)")),
    # "with hemorrhage" is not about the one without bleeding.
    Case("K92.2 K57.30", "excludes1", None, "",
         ("K92.2", "diverticular disease with hemorrhage (K57.-)")),
    Case("K92.2 K57.31", "excludes1", WARNING, "diverticular disease with hemorrhage (K57.-)"),
    # Excludes2 is no conflict.
    Case("I50.9 I46.9", "excludes1", None, "", ("I50.9", "cardiac arrest (I46.-)")),
    Case("I12.9 N17.9 N18.4", "excludes1", None, "", ("I12.9", "acute kidney failure (N17.-)")),
    # A note over both codes tells where something belongs; it does not set the two apart.
    Case("D72.0 D72.824", "excludes1", None, "", ("D72.0", "basophilia (D72.824)")),
    # Not billable (I.B.2), and what is below.
    Case("I50", "not-billable", ERROR, "Section I.B.2"),
    Case("E11.2", "not-billable", ERROR, "Section I.B.2"),
    Case("N18.3", "not-billable", ERROR, "Section I.B.2"),
    Case("I10", "not-billable", None),
    Case("428", "not-billable", ERROR, options={"system": "ICD-9-CM"}),
    # 7th characters (I.A.5) and placeholders (I.A.4).
    Case("S72.001", "seventh-character", ERROR, "7th characters at S72"),
    Case("S72.001Z", "seventh-character", ERROR, "7th characters at S72"),
    Case("T79.1XXB", "seventh-character", ERROR, "7th characters at T79"),
    Case("S72.001A", "seventh-character", None),
    Case("M80.08XA", "seventh-character", None),
    Case("T79.1A", "placeholder", ERROR, "Section I.A.4"),
    Case("W19A", "placeholder", ERROR, "Section I.A.4"),
    Case("T79.1XXA", "placeholder", None),
    # Codes of elsewhere.
    Case("401.9", "other-system", ERROR),
    Case("4019", "other-system", ERROR),
    Case("V58.61", "other-system", ERROR),
    Case("E860.0", "other-system", ERROR),
    Case("E8600", "other-system", ERROR),
    Case("0DTJ4ZZ", "other-system", ERROR),
    Case("I10", "other-system", ERROR, options={"system": "ICD-9-CM"}),
    Case("T81.4XXA", "other-release", ERROR),
    Case("I10.5", "unknown-code", ERROR, "Section I.B.2"),
    Case("I50.99", "unknown-code", ERROR),
    Case("fever", "unknown-code", ERROR),
    # Twice (I.B.8).
    Case("I10 E11.9 I10", "duplicate-code", ERROR, "Section I.B.8"),
    Case("I10 i10.", "duplicate-code", ERROR, "Section I.B.8"),
    Case("I10 E11.9", "duplicate-code", None),
    # Code first (I.A.13).
    Case("F02.80", "code-first", ERROR, "at F02: the underlying physiological condition, such as",
         ("F02.80", "Alzheimer's (G30.-)")),
    Case("F02.80 R41.0 Z91.81", "code-first", ERROR, "at F02"),
    Case("G30.9 F02.80", "code-first", None),
    Case("D63.1", "code-first", ERROR, "at D63.1: underlying chronic kidney disease",
         ("D63.1", "underlying chronic kidney disease (CKD) (N18.-)")),
    Case("I10 D63.1", "code-first", ERROR, "Section I.A.13"),
    Case("N18.4 D63.1", "code-first", None),
    Case("I25.84 I10", "code-first", ERROR, "at I25.84: coronary atherosclerosis",
         ("I25.84", "coronary atherosclerosis (I25.1-, I25.7-, I25.81-)")),
    Case("I25.10 I25.84", "code-first", None),
    Case("T45.515A", "code-first", WARNING, "for adverse effects",
         ("T45.515A", ", for adverse effects, the nature of the adverse effect, such as:")),
    Case("T45.511A", "code-first", None),  # A poisoning comes first, and its manifestation after.
    Case("T36.0X5A K52.1", "code-first", None),
    Case("A41.9", "code-first", None),
    Case("A41.9", "code-first-if-applicable", NOTE, "at A41: if applicable, postprocedural sepsis",
         ("A41.9", ", if applicable, postprocedural sepsis (T81.44-)")),
    Case("T81.44XA A41.9", "code-first-if-applicable", None),
    Case("N18.4", "code-first-if-applicable", NOTE, "at N18: any associated:",
         ("N18.4", "hypertensive chronic kidney disease (I12.-, I13.-)")),
    Case("I49.9", "code-first-if-applicable", None, "",
         ("I49.9", "obstetric surgery and procedures (O75.4)")),
    Case("Z87.891", "code-first-if-applicable", None, "",
         ("Z87.891", "any follow-up examination after treatment (Z09)")),
    Case("J90 D63.1 N18.4", "sequence", ERROR, "at D63.1"),
    Case("I25.84 I25.10", "sequence", ERROR, "at I25.84"),
    Case("N18.4 I12.9", "sequence", WARNING, "at N18: any associated:"),
    Case("I25.10 I25.84", "sequence", None),
    Case("I25.84 I25.10", "sequence", None, options={"first_listed": False}),
    # Use additional code.
    Case("I12.9", "use-additional", WARNING, "at I12.9: code to identify the stage",
         ("I12.9", "code to identify the stage of chronic kidney disease (N18.1-N18.4, N18.9)")),
    Case("I12.9 N18.4", "use-additional", None),
    Case("I12.9 N18.5", "use-additional", WARNING, "(N18.1-N18.4, N18.9)"),
    Case("E11.621", "use-additional", WARNING, "at E11.621: code to identify site of ulcer",
         ("E11.621", "code to identify site of ulcer (L97.4-, L97.5-)")),
    Case("E11.621 L97.421", "use-additional", None),
    Case("N39.0", "use-additional", None),
    Case("N39.0", "use-additional-if-applicable", NOTE, "to identify infectious agent",
         ("N39.0", "code (B95-B97), to identify infectious agent.")),
    Case("N39.0 B96.20", "use-additional-if-applicable", None, "to identify infectious agent"),
    Case("J44.9 F17.210", "use-additional-if-applicable", None, "tobacco"),
    # Code also (I.A.17): whichever comes first.
    Case("I16.0", "code-also", NOTE, "Code also at I16: any identified hypertensive disease",
         ("I16.0", "any identified hypertensive disease (I10-I15, I1A)")),
    Case("I16.0", "code-also", NOTE, "Section I.A.17"),
    Case("I16.0 I10", "code-also", None),
    Case("I10 I16.0", "code-also", None),
    Case("J14", "code-also", NOTE, "any associated condition such as: abscess (J85.1); aspiration",
         ("J14", "abscess (J85.1)")),
    Case("J14 J69.0", "code-also", None, "at J14"),
    Case("G47.01", "code-also", None, "", ("G47.01", "associated medical condition")),  # no codes
    Case("Z87.891", "code-also", None, "", ("Z87.891", "any follow-up examination (Z08-Z09)")),
    # What is never listed first (I.A.13, I.C.20.a.6).
    Case("F02.80 G30.9", "manifestation-first", ERROR, "Section I.A.13"),
    Case("J91.8 I50.9", "manifestation-first", ERROR, "at J91.8: underlying disease"),
    Case("B96.20 N39.0", "manifestation-first", None),  # "as the cause of diseases classified..."
    Case("F02.80 G30.9", "manifestation-first", None, options={"first_listed": False}),
    Case("W19.XXXA S72.001A", "external-cause-first", ERROR, "Section I.C.20.a.6"),
    Case("S72.001A W19.XXXA", "external-cause-first", None),
    Case("W19.XXXA Y92.009", "external-cause-alone", ERROR, "Section I.C.20"),
    Case("R55 W19.XXXA", "external-cause-without-injury", NOTE, "Section I.C.20.a.1"),
    Case("J18.9 Y95", "external-cause-without-injury", None),
    # Sides (I.B.13).
    Case("H25.11 H25.12", "laterality", WARNING, "Section I.B.13"),
    Case("M16.11 M16.12", "laterality", WARNING, "Section I.B.13"),
    Case("M17.11 M17.0", "laterality", WARNING, "Section I.B.13"),
    Case("S72.001A S72.002A", "laterality", None),  # There is no code for both.
    Case("H25.11 H26.9", "laterality", None),
    Case("M17.11 M17.10", "unspecified-side", WARNING, "Section I.B.13"),
    Case("M17.11 M16.10", "unspecified-side", None),
    # Unspecified beside specific (I.B.18).
    Case("I50.9 I50.21", "unspecified-beside-specific", WARNING, "Section I.B.18"),
    Case("N18.9 N18.4", "unspecified-beside-specific", WARNING, "Section I.B.18"),
    Case("F32.A F32.1", "unspecified-beside-specific", WARNING, "Section I.B.18"),
    Case("I50.9 I25.10", "unspecified-beside-specific", None),
    Case("A41.2 A41.1", "unspecified-beside-specific", None),
    Case("M17.11 M17.10", "unspecified-beside-specific", None),
    # Symptoms (I.B.5).
    Case("J18.9 R05.9", "symptom-with-diagnosis", WARNING, "Section I.B.5"),
    Case("486 786.2", "symptom-with-diagnosis", WARNING, "Section I.B.7",
         options={"system": "ICD-9-CM"}),
    Case("I10 R05.9", "symptom-with-diagnosis", None),
    Case("R06.02 J96.01", "symptom-with-diagnosis", None),  # Excludes1 says it already.
    # Age.
    Case("P07.30", "age", WARNING, "Codes from this chapter are for use on newborn records only",
         ("P07.30", "Codes from this chapter are for use on newborn records only"), {"age": 40}),
    Case("P07.30", "age", None, options={"age": 0}),
    Case("P07.30", "age", None),
    Case("O80", "age", WARNING, "maternity, 9–64", options={"age": 70}),
    Case("O80", "age", None, options={"age": 30}),
    Case("Z00.129", "age", WARNING, "pediatric, 0–17", options={"age": 40}),
    Case("Z00.00", "age", WARNING, "adult, 15–124", options={"age": 4}),
    Case("R54", "age", WARNING, "adult, 15–124", options={"age": 4}),
    Case("Z68.41", "age", WARNING, "persons 20 years of age or older",
         ("Z68.41", "BMI adult codes are for use for persons 20 years of age or older"),
         {"age": 19}),
    Case("Z68.41", "age", None, options={"age": 20}),
    Case("Z68.54", "age", WARNING, "persons 2-19 years of age", options={"age": 20}),
    Case("G47.33", "age", None, options={"age": 8}),  # "(adult) (pediatric)"
    Case("F98.3", "age", None, "",
         ("F98.3", "may be used regardless of the age of a patient"), {"age": 40}),
    # Sex.
    Case("C61", "sex", WARNING, "Malignant neoplasm of prostate", options={"sex": "female"}),
    Case("C61", "sex", None, options={"sex": "male"}),
    Case("O80", "sex", WARNING, "Pregnancy, childbirth", options={"sex": "M"}),
    Case("N40.1", "sex", WARNING, "prostat", options={"sex": "F"}),
    Case("D25.9", "sex", WARNING, "Leiomyoma of uterus", options={"sex": "male"}),
    Case("Z80.41", "sex", None, options={"sex": "male"}),  # a relative's
    Case("Z38.00", "sex", None, options={"sex": "male"}),  # "delivered vaginally"
    Case("E31.23", "sex", None, options={"sex": "female"}),  # multiple endocrine neoplasia [MEN]
    Case("M47.812", "sex", None, options={"sex": "male"}),  # cervical region
    # Mother and newborn (notes at chapters 15 and 16).
    Case("O80 P07.30", "maternal-and-newborn", ERROR, "never on maternal records",
         ("P07.30", "never on maternal records")),
    Case("P07.30 Z38.00", "maternal-and-newborn", None),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    found = [f for f in check_codes(case.codes.split(), **case.options) if f.rule == case.rule]
    if case.standing is not None:
        value, words = case.standing
        assert any(words in line.text for line in tabular_list().instructions_of(value))
    if case.severity is None:
        assert [finding for finding in found if case.cites in finding.citation] == []
        return
    assert [finding.severity for finding in found] == [case.severity]
    assert case.cites in found[0].citation
    assert found[0].advice.endswith(".")
    assert set(found[0].codes) <= {tabular_list().written(c) for c in case.codes.split()} | set(
        case.codes.split()
    )


def test_there_are_cases_for_every_kind_of_finding() -> None:
    assert {case.rule for case in CASES if case.severity is not None} == set(FINDINGS)
    assert len(CASES) >= 40
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    "codes",
    [
        "I10",
        "E11.22 N18.4 I12.9 Z79.4",
        "S72.001A W19.XXXA Y92.009",
        "O80 Z37.0 Z3A.39",
        "J18.9 Y95",
    ],
)
def test_sound_codes_have_no_errors_and_no_warnings(codes: str) -> None:
    assert [f for f in check_codes(codes.split()) if f.severity is not NOTE] == []


def test_findings_are_ordered_and_name_what_to_do() -> None:
    found = check_codes(["I50", "E11.9", "E10.9", "T79.1A"])
    assert [f.severity.rank for f in found] == sorted(f.severity.rank for f in found)
    by_rule = {f.rule: f for f in found}
    assert "I50.1, I50.2" in by_rule["not-billable"].advice
    assert "T79.1XXA" in by_rule["placeholder"].advice
    assert "unrelated" in by_rule["excludes1"].advice
    told = by_rule["excludes1"].to_dict()
    assert told["severity"] == "error"
    assert told["instruction"] == {
        "kind": "excludes1",
        "text": "type 1 diabetes mellitus (E10.-)",
        "at": "E11",
    }


def test_an_older_code_says_that_it_was_divided() -> None:
    (finding,) = [f for f in check_codes(["N18.3"]) if f.rule == "not-billable"]
    assert "N18.30" in finding.advice
    assert "2018" in finding.advice


def test_codes_of_other_systems_are_left_out() -> None:
    codes = [Code("ICD-10-CM", "I10"), Code("ICD-9-CM", "401.9"), Code("CPT", "99291")]
    assert [f for f in check_codes(codes) if f.severity is not NOTE] == []


def test_one_instruction_over_several_codes_is_one_finding() -> None:
    found = [f for f in check_codes(["I10", "I11.9"]) if f.instruction and "block" in f.citation]
    assert [finding.codes for finding in found] == [("I10", "I11.9")]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"system": "CPT"}, "There are no coding rules for CPT; choose from ICD-10-CM, ICD-9-CM."),
        ({"age": -1}, "Expected an age in years from 0 to 124, got -1."),
        ({"age": 300}, "Expected an age in years from 0 to 124, got 300."),
        ({"sex": "x"}, "Expected the sex female or male, got 'x'."),
    ],
)
def test_bad_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=f"^{said}$"):
        check_codes(["I10"], **options)


def test_a_checker_is_the_same_as_the_function() -> None:
    checker = CodeChecker()
    for case in CASES:
        options = dict(case.options)
        if options.pop("system", "ICD-10-CM") == "ICD-10-CM":
            assert checker.check(case.codes.split(), **options) == check_codes(
                case.codes.split(), **options
            )


def test_the_book_names_what_the_instructions_name() -> None:
    """The numbers by category are the same as asking every line."""
    book = code_book()
    for value in ("E11.9", "S06.0X0A", "T36.0X5A", "I1A.0", "C92.00", "QA0.0101", "O75.4"):
        named = {number for number, line in enumerate(book.lines) if line.names(value)}
        if book.facts(value).is_known:
            assert book.facts(value).named_in == named
            over = {(line.text, line.at) for line in book.listed.instructions_of(value)
                    if line.kind is InstructionKind.EXCLUDES1}  # fmt: skip
            lines = (book.lines[number] for number in book.facts(value).excludes1)
            assert {(line.text, line.at) for line in lines} == over


def test_lines_of_an_instruction_belong_together() -> None:
    def notes(kind: InstructionKind, *texts: str) -> list[tuple[int, bool, bool]]:
        lines = [(number, Instruction(kind, text, "A00")) for number, text in enumerate(texts)]
        return [(len(n.lines), n.required, n.open) for n in companion_notes(lines)]

    first, more = InstructionKind.CODE_FIRST, InstructionKind.USE_ADDITIONAL
    assert notes(first, "underlying disease") == [(1, True, True)]
    assert notes(first, "underlying disease, if known") == [(1, False, True)]
    assert notes(first, "neoplasm (C00-D49)") == [(1, True, False)]
    assert notes(first, "failure due to this (I11.0)", "failure after that (I97.1)") == [
        (2, False, False)
    ]
    assert notes(more, "code to identify:", "tobacco use (Z72.0)", "code for sepsis (A41.-)") == [
        (2, False, False),
        (1, True, False),
    ]


def test_what_needs_more_characters() -> None:
    asked = [("ICD-10-CM", "I50"), ("ICD-10-CM", "I10"), ("ICD-9-CM", "428"), ("ICD-9-CM", "V99.9")]
    assert [needs_more_characters(Code(*one)) for one in asked] == [True, False, True, None]


def test_a_finding_without_an_instruction_cites_the_guideline() -> None:
    finding = CodingFinding("age", WARNING, ("O80",), "p", "a.", "Section I.C.15")
    assert finding.citation == "Section I.C.15"
    assert finding.to_dict()["instruction"] is None
