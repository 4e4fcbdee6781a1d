"""The reference of the command line, a page for each command, made from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from auscult.cli.formats import FormatGroup
from auscult.cli.main import auscult
from auscult.corpus.formats import FORMATS

_EVERYWHERE = ("--help", "--json")
_START = """# {title}

<!-- Made from the code by `make docs`; changes here are overwritten. -->

"""
_ENDINGS = """
Every command also takes `--json` (one JSON object on standard output) and `--help`. Exit codes: 0
done; 1 when `--strict` or `--fail-on` asked for it, or when `predict` could read none of the notes;
2 a mistake, explained in one sentence; 130 interrupted. What fails leaves nothing half-written.

"""


def pages() -> dict[str, str]:
    """Every page of the reference by its file name, `index.md` among them."""
    context = click.Context(auscult, info_name="auscult")
    made, rows = {}, []
    for name in auscult.list_commands(context):
        command = auscult.get_command(context, name)
        assert command is not None
        made[f"{name}.md"] = _START.format(title=f"auscult {name}") + "".join(
            _section(command, context, name, depth=1)
        )
        rows.append(f"| [`auscult {name}`]({name}.md) | {_brief(command)} |\n")
    toctree = "".join(f"{name.removesuffix('.md')}\n" for name in made)
    made["index.md"] = (
        _START.format(title="The command line")
        + "| command | does |\n| --- | --- |\n"
        + "".join(rows)
        + _ENDINGS
        + f"```{{toctree}}\n:hidden:\n\n{toctree}```\n"
    )
    return made


def _section(
    command: click.Command, parent: click.Context, name: str, *, depth: int
) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    if depth > 1:
        yield f"\n{'#' * depth} {context.command_path.removeprefix('auscult ')}\n\n"
    if not isinstance(command, click.Group):
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"```text\n{context.command_path} {usage}\n```\n\n"
    yield _prose(inspect.cleandoc(command.help or ""))
    yield _options(command, context)
    if isinstance(command, click.Group):
        # Formats of other packages are no part of this page, even where one is installed.
        inner = (
            list(FORMATS) if isinstance(command, FormatGroup) else command.list_commands(context)
        )
        for one in inner:
            found = command.get_command(context, one)
            assert found is not None
            yield from _section(found, context, one, depth=depth + 1)


def _prose(text: str) -> str:
    """Paragraphs as they are; what click must not wrap, and examples, as blocks."""
    parts = []
    for paragraph in re.split(r"\n\n", text):
        lines = paragraph.strip("\n").splitlines()
        if lines and lines[0].strip() == "\b":
            lines = lines[1:]
            heading = lines.pop(0) + "\n\n" if lines and lines[0].endswith(":") else ""
            parts.append(f"{heading}```sh\n{inspect.cleandoc(chr(10).join(lines))}\n```")
        else:
            parts.append(re.sub(r"(?<!`)<(?=\w)", r"\\<", " ".join(map(str.strip, lines))))
    return "\n\n".join(part for part in parts if part) + "\n"


def _options(command: click.Command, context: click.Context) -> str:
    rows = []
    for option in command.params:
        record = option.get_help_record(context)
        if record is not None and not set(option.opts) & set(_EVERYWHERE):
            names, says = (" ".join(cell.split()).replace("|", "\\|") for cell in record)
            rows.append(f"| `{names}` | {says.replace('<', chr(92) + '<')} |\n")
    return "\n| option | |\n| --- | --- |\n" + "".join(rows) if rows else ""


def _brief(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "").split("\n\n")[0].replace("\n", " ")
