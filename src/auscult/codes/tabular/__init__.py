"""The ICD-10-CM Tabular List: hierarchy, names, instructions and 7th characters."""

from auscult.codes.tabular.entries import (
    CodeBlock,
    Instruction,
    InstructionKind,
    SeventhCharacters,
    TabularEntry,
)
from auscult.codes.tabular.ranges import CodeRange, parse_ranges
from auscult.codes.tabular.reading import read_tabular
from auscult.codes.tabular.tabular_list import TabularList

__all__ = [
    "CodeBlock",
    "CodeRange",
    "Instruction",
    "InstructionKind",
    "SeventhCharacters",
    "TabularEntry",
    "TabularList",
    "parse_ranges",
    "read_tabular",
]
