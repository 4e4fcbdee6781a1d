"""`auscult corpus import FORMAT` and `export FORMAT`: one command a format, made of its options."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

import click
from pydantic.fields import FieldInfo

from auscult.cli.output import command, table
from auscult.core import OptionError


class FormatGroup(click.Group):
    """A group with one command for each format, loaded when named."""

    def __init__(self, *args: Any, make: Callable[[str], click.Command], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._make = make

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every format."""
        from auscult.corpus.formats import FORMATS

        return list(FORMATS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a format; an unknown one says which is meant."""
        try:
            return self._make(cmd_name)
        except OptionError as error:
            raise click.UsageError(str(error), ctx) from error


def import_command(name: str) -> click.Command:
    """`auscult corpus import NAME SOURCE OUT` with the options of the format's reader."""
    from auscult.corpus import formats
    from auscult.corpus.info import info

    module = formats.load(name)

    @command
    def run(source: Path, out: Path, overwrite: bool, title: str | None, **options: Any) -> Any:
        corpus = formats.read(name, source, **_given(options))
        about: dict[str, str] = {"name": title or corpus.manifest.name}
        if about["name"] == "corpus":
            about["name"] = source.resolve().name
        written = corpus.described(source=f"{name}: {source.name}", **about).write(
            out, overwrite=overwrite
        )
        found = info(written)

        def say() -> None:
            click.echo(
                f"{out}: {found.notes:,} notes of {found.charts:,} charts, "
                f"{found.annotations:,} annotations"
            )

        return {"corpus": str(out), **found.to_dict()}, say

    parameters: list[click.Parameter] = [
        click.Argument(["source"], type=click.Path(path_type=Path)),
        click.Argument(["out"], type=click.Path(path_type=Path)),
        click.Option(["--overwrite"], is_flag=True, help="Replace the corpus that is at OUT."),
        click.Option(["--name", "title"], help="What the corpus is called in its manifest."),
        *(_option(key, field) for key, field in module.ReadOptions.model_fields.items()),
    ]
    return _command(name, run, parameters, module, f"auscult corpus import {name} SOURCE OUT")


def export_command(name: str) -> click.Command:
    """`auscult corpus export NAME CORPUS OUT` with the options of the format's writer."""
    from auscult.corpus import Corpus, formats

    module = formats.load(name)

    @command
    def run(corpus: Path, out: Path, **options: Any) -> Any:
        losses = formats.write(name, Corpus.open(corpus), out, **_given(options))

        def say() -> None:
            click.echo(f"{out}: written as {name}")
            if losses:
                rows = [(loss.count, loss.what, loss.became) for loss in losses]
                table("The format cannot hold:", ["", "what", "became of it"], rows)

        found = {
            "out": str(out),
            "format": name,
            "losses": [
                {"what": loss.what, "count": loss.count, "became": loss.became} for loss in losses
            ],
        }
        return found, say

    parameters: list[click.Parameter] = [
        click.Argument(["corpus"], type=click.Path(path_type=Path)),
        click.Argument(["out"], type=click.Path(path_type=Path)),
        *(_option(key, field) for key, field in module.WriteOptions.model_fields.items()),
    ]
    return _command(name, run, parameters, module, f"auscult corpus export {name} CORPUS OUT")


def _command(
    name: str, run: Any, parameters: list[click.Parameter], module: Any, example: str
) -> click.Command:
    made = click.command(name)(run)
    made.params = [*parameters, *made.params]
    about = (module.__doc__ or "").strip()
    made.short_help = about.splitlines()[0] if about else None
    made.help = f"{about}\n\n\b\nExample:\n  {example}"
    return made


def _option(key: str, field: FieldInfo) -> click.Option:
    """The command line's option for one field of a format's options."""
    kinds = [k for k in typing.get_args(field.annotation) if k is not types.NoneType]
    union = isinstance(field.annotation, types.UnionType)
    kind = kinds[0] if union and kinds else field.annotation
    flag = f"--{key.replace('_', '-')}"
    described = field.description or ""
    shown = field.default not in (None, (), "") and not field.is_required()
    base = typing.get_origin(kind)
    if kind is bool:
        return click.Option([f"{flag}/--no-{flag[2:]}", key], default=None, help=described)
    settings: dict[str, Any] = {"help": described, "required": field.is_required()}
    if shown:
        settings["help"] += f"  [default: {field.default}]"
    if base in (tuple, list):
        settings["multiple"] = True
        kind = typing.get_args(kind)[0]
        base = typing.get_origin(kind)
    if base is typing.Literal:
        settings["type"] = click.Choice([str(value) for value in typing.get_args(kind)])
    elif isinstance(kind, type) and issubclass(kind, StrEnum):
        settings["type"] = click.Choice([member.value for member in kind])
    elif kind is Path:
        settings["type"] = click.Path(path_type=Path)
    elif kind in (int, float):
        settings["type"] = kind
    return click.Option([flag, key], **settings)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options the user gave; the format's own defaults stand for the rest."""
    return {key: value for key, value in options.items() if value not in (None, ())}
