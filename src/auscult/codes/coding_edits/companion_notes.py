"""Which other code an instruction asks for: "Code first", "Use additional code", "Code also".

The book writes an instruction over several lines: a lead ("the underlying disease, such as:") and
what it lists, or several conditions without a lead. What a coder must do hangs on its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from auscult.codes.tabular import Instruction, InstructionKind

# "if applicable", "any associated", "where applicable": only when the record says so.
_CONDITIONAL = re.compile(r"\b(?:if|any|where|when|complicating|following|pregnan\w*)\b")
# What is often not known, or not reported: the organism, the cause of an injury, tobacco.
_OFTEN_UNKNOWN = re.compile(
    r"infectious agent|organism|infection|external cause|cause code|tobacco|drug|toxi|chemical"
    r"|circumstances|receptor|abnormal findings|functional activity|foreign body|\bB9[5-7]|adverse"
)
_POISON = re.compile(r"\(T51-T65\)|poisoning due to")
_LEAD = re.compile(r"codes?\b|external\b|cause code|from categor|to identify|\(|if applicable")
_UNDERLYING = re.compile(r"\b(?:underlying|the|causal|associated|type)\b")


@dataclass(frozen=True, slots=True, eq=False)
class CompanionNote:
    """An instruction that asks for another code, with all its lines.

    `numbers` are those of its lines that name codes. It is `required` when its words leave no
    choice; it is `open` when what it lists are examples, or when it names no code at all. All that
    it names may be codes of pregnancy.
    """

    kind: InstructionKind
    lines: tuple[Instruction, ...]
    numbers: frozenset[int]
    required: bool
    open: bool
    of_pregnancy: bool

    @property
    def at(self) -> str:
        """Where it stands."""
        return self.lines[0].at

    @property
    def cited(self) -> Instruction:
        """The whole instruction as one line."""
        words = "; ".join(line.text.strip(" ,") for line in self.lines).replace(":;", ":")
        return Instruction(self.kind, words, self.at)


def companion_notes(lines: Sequence[tuple[int, Instruction]]) -> tuple[CompanionNote, ...]:
    """The instructions that the numbered lines of one kind at one place make up.

    >>> kind = InstructionKind.CODE_FIRST
    >>> texts = ["underlying disease, such as:", "gout (M10.-)"]
    >>> notes = companion_notes([(n, Instruction(kind, t, "N22")) for n, t in enumerate(texts)])
    >>> [(note.required, note.open, sorted(note.numbers)) for note in notes]
    [(True, True, [1])]
    """
    groups: list[list[tuple[int, Instruction]]] = []
    for number, line in lines:
        if not groups or _begins(line, groups[-1]):
            groups.append([])
        groups[-1].append((number, line))
    return tuple(map(_note, groups))


def _begins(line: Instruction, group: list[tuple[int, Instruction]]) -> bool:
    """Whether a line begins another instruction."""
    if line.text.endswith(":"):
        return True
    if line.kind is InstructionKind.CODE_FIRST:
        return False  # Lines without a lead are alternatives: the ways in which I50 comes about.
    listing = group[0][1].text.endswith(":")
    return not listing or _LEAD.match(line.text.lstrip(", ")) is not None


def _note(group: list[tuple[int, Instruction]]) -> CompanionNote:
    lines = tuple(line for _, line in group)
    lead = lines[0].text
    # "any follow-up examination": what the encounter is for, the other codes do not tell.
    tells = "follow-up" not in lead
    numbers = frozenset(number for number, line in group if tells and line.ranges)
    ranges = [codes for line in lines for codes in line.ranges]
    conditional = _CONDITIONAL.search(lead) is not None
    if lines[0].kind is InstructionKind.CODE_FIRST:
        has_lead = lead.endswith(":") or len(lines) == 1 or _UNDERLYING.search(lead) is not None
        # The poison of K52.1 and J68 is coded first; a drug that was well given comes after.
        required = has_lead and not conditional and not _POISON.match(lead)
    else:
        # A list says what may be added; one line says what belongs to the code.
        alone = len(lines) == 1 and bool(numbers)
        required = alone and not conditional and not _OFTEN_UNKNOWN.search(lead)
    is_open = not numbers or "such as" in lead
    of_pregnancy = bool(ranges) and all(codes.first[0] == "O" for codes in ranges)
    return CompanionNote(lines[0].kind, lines, numbers, required, is_open, of_pregnancy)
