"""Companions that an instruction asks for: "Code first", "Use additional code", "Code also"."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.codes.coding_edits.code_book import CodeFacts
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.companion_notes import CompanionNote
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.tabular import InstructionKind

_PAIRS = "I.A.13"
_ALSO = "I.A.17"
_ADVERSE = "for adverse effects"
_PREGNANCY = ("O", "Z33", "Z34", "Z3A")


def check_code_first(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes whose "Code first" companion is missing, or comes after them."""
    for note, codes in _notes(chart, InstructionKind.CODE_FIRST).items():
        asked = [code for code in codes if _applies(note, code, chart)]
        if not asked:
            continue
        before = [code for code in chart.facts if _meets(code, note)]
        if before:
            yield from _out_of_order(chart, note, asked, before)
        elif note.required or any(code.is_manifestation for code in asked):
            yield from _missing_first(chart, note, asked)
        elif note.numbers:
            yield _optional(note, asked, "code-first-if-applicable")


def check_use_additional(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes whose "Use additional code" companion is missing."""
    for note, codes in _notes(chart, InstructionKind.USE_ADDITIONAL).items():
        if not note.numbers or any(_meets(code, note) for code in chart.facts):
            continue
        if note.required:
            yield CodingFinding(
                "use-additional",
                EditSeverity.WARNING,
                tuple(code.value for code in codes),
                f"{_listed(codes)} asks for an additional code, and there is none",
                f"Add {_named(note)} after it if the record has it.",
                official(_PAIRS),
                note.cited,
            )
        else:
            yield _optional(note, codes, "use-additional-if-applicable")


def check_code_also(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes whose "Code also" companion is missing: two codes may be needed, in either order."""
    for note, codes in _notes(chart, InstructionKind.CODE_ALSO).items():
        if note.numbers and not any(_meets(code, note) for code in chart.facts):
            yield CodingFinding(
                "code-also",
                EditSeverity.NOTE,
                tuple(code.value for code in codes),
                f"{_listed(codes)} may need another code, and there is none",
                f"If the record has it, also code {_named(note)}. The reason for the encounter "
                "decides which comes first.",
                official(_ALSO),
                note.cited,
            )


def _notes(chart: CodedChart, kind: InstructionKind) -> dict[CompanionNote, list[CodeFacts]]:
    """The instructions over the codes: one over several codes is asked once."""
    found: dict[CompanionNote, list[CodeFacts]] = {}
    for code in chart.facts:
        for note in code.companions:
            if note.kind is kind:
                found.setdefault(note, []).append(code)
    return found


def _applies(note: CompanionNote, code: CodeFacts, chart: CodedChart) -> bool:
    """Whether the words are about this code: those for adverse effects are about one intent."""
    if note.of_pregnancy and not chart.has(*_PREGNANCY):
        return False
    if _ADVERSE not in note.lines[0].text:
        return True
    plain = code.value.replace(".", "")
    intent = plain[5:6] if plain[5:6] not in ("", "X") else plain[4:5]
    return intent == "5"


def _meets(code: CodeFacts, note: CompanionNote) -> bool:
    return not note.numbers.isdisjoint(code.named_in)


def _out_of_order(
    chart: CodedChart, note: CompanionNote, asked: list[CodeFacts], before: list[CodeFacts]
) -> Iterator[CodingFinding]:
    if not chart.in_order:
        return
    place = {code.value: at for at, code in enumerate(chart.facts)}
    first = min(place[code.value] for code in before)
    for code in asked:
        is_told = place[code.value] == 0 and code.is_manifestation  # by `manifestation-first`
        if place[code.value] < first and not is_told:
            companion = chart.facts[first]
            yield CodingFinding(
                "sequence",
                _severity(note, [code]),
                (code.value, companion.value),
                f"{code.value} comes before {companion.value}, which is to be coded first",
                f"Put {companion.value} before {code.value}.",
                official(_PAIRS),
                note.cited,
            )


def _missing_first(
    chart: CodedChart, note: CompanionNote, asked: list[CodeFacts]
) -> Iterator[CodingFinding]:
    """Of examples, any other disease may be the one that is meant, which only a reader can tell."""
    others = any(_may_underlie(code) for code in chart.facts if code not in asked)
    if note.open and others:
        if note.numbers:
            yield _optional(note, asked, "code-first-if-applicable")
        return
    yield CodingFinding(
        "code-first",
        _severity(note, asked),
        tuple(code.value for code in asked),
        f"{_listed(asked)} is coded without the condition that is to be coded first",
        f"Code {_named(note)} before it.",
        official(_PAIRS),
        note.cited,
    )


def _severity(note: CompanionNote, codes: list[CodeFacts]) -> EditSeverity:
    """A manifestation cannot be billed without its disease, whether or not its title says so."""
    is_pair = note.required and not note.open
    if is_pair or any(code.is_manifestation for code in codes):
        return EditSeverity.ERROR
    return EditSeverity.WARNING


def _may_underlie(code: CodeFacts) -> bool:
    """Whether a code is a condition that another can be due to: no symptom, status or cause."""
    return code.value[0] not in "RVWXYZ" and not code.is_manifestation


def _optional(note: CompanionNote, codes: list[CodeFacts], rule: str) -> CodingFinding:
    where = "before it" if note.kind is InstructionKind.CODE_FIRST else "after it"
    return CodingFinding(
        rule,
        EditSeverity.NOTE,
        tuple(code.value for code in codes),
        f"{_listed(codes)} may need another code {where}, and there is none",
        f"If the record has it, code {_named(note)} {where}.",
        official(_PAIRS),
        note.cited,
    )


def _listed(codes: list[CodeFacts]) -> str:
    return ", ".join(code.value for code in codes)


def _named(note: CompanionNote) -> str:
    """The codes that an instruction names, or its words when it names none."""
    ranges = [str(codes) for line in note.lines for codes in line.ranges]
    if not ranges:
        return note.lines[0].text.strip(" ,:")
    return ", ".join(dict.fromkeys(ranges[:6])) + (", …" if len(ranges) > 6 else "")
