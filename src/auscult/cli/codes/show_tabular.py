"""What the Tabular List says of a code, as JSON and on the terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import paragraph

if TYPE_CHECKING:
    from auscult.codes.tabular import TabularList

_LISTED = 20
"""The most siblings that the terminal lists; JSON has all."""


def tabular_facts(listed: TabularList, value: str) -> dict[str, Any]:
    """All that is known of a code of the list."""
    block, seventh = listed.block(value), listed.seventh_characters(value)
    return {
        "block": block and f"{block.title} ({block.value})",
        "ancestors": [
            {"code": code, "description": listed.describe(code)} for code in listed.ancestors(value)
        ],
        "siblings": [
            {"code": code, "description": listed.describe(code)} for code in listed.siblings(value)
        ],
        "inclusion_terms": list(listed.inclusion_terms(value)),
        "instructions": [
            {
                "kind": line.kind.value,
                "text": line.text,
                "at": line.at,
                "codes": [str(codes) for codes in line.ranges],
            }
            for line in listed.instructions_of(value)
        ],
        "seventh_characters": seventh
        and {
            "at": seventh.at,
            "note": seventh.note,
            "characters": dict(seventh.meanings),
            "extent": [str(codes) for codes in seventh.extent],
        },
    }


def tell_tabular(facts: dict[str, Any]) -> None:
    """Print what `tabular_facts` found."""
    paragraph(f"{'block':12} {facts['block']}", hanging=13)
    if facts["ancestors"]:
        click.echo("\nUnder")
        for depth, above in enumerate(facts["ancestors"]):
            indent = "  " * (depth + 1)
            described = f"{above['code']:10} {above['description']}"
            paragraph(indent + described, hanging=len(indent) + 11)
    if facts["inclusion_terms"]:
        click.echo("\nInclusion terms")
        for term in facts["inclusion_terms"]:
            paragraph(f"  {term}", hanging=4)
    _tell_instructions(facts["instructions"])
    seventh = facts["seventh_characters"]
    if seventh is not None:
        click.echo(f"\n7th characters (at {seventh['at']})")
        for character, meaning in seventh["characters"].items():
            paragraph(f"  {character}  {meaning}", hanging=5)
    siblings = facts["siblings"]
    if siblings:
        click.echo("\nSiblings")
        for sibling in siblings[:_LISTED]:
            paragraph(f"  {sibling['code']:10} {sibling['description']}", hanging=13)
        if len(siblings) > _LISTED:
            click.echo(f"  … and {len(siblings) - _LISTED:,} more")


def _tell_instructions(lines: list[dict[str, Any]]) -> None:
    """The lines under the kind and the place that they share, as in the book."""
    from auscult.codes.tabular import InstructionKind

    for (kind, at), group in groupby(lines, key=lambda line: (line["kind"], line["at"])):
        click.echo(f"\n{InstructionKind(kind).heading} (at {at})")
        for line in group:
            paragraph(f"  {line['text'].lstrip(', ')}", hanging=4)
