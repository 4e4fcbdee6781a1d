"""`auscult corpus import FORMAT` and `export FORMAT`: one command per format, from its options."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pydantic.fields import FieldInfo

from auscult.cli import options as shared
from auscult.cli.losses import say_losses
from auscult.cli.output import command, counted
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus.formats.contract import FormatOptions

_FLAGS = {"system": "--code-system", "categories": "--category"}
_READ_FLAGS = {**_FLAGS, "annotator": "--sign-as"}
"""Options of formats under the names that other commands have for the same thing: elsewhere
`--annotator` and `--system` select among annotations that exist."""
_FENCED = re.compile(r"^```\w*\n(.*?)\n```$", re.DOTALL | re.MULTILINE)


class FormatGroup(click.Group):
    """A group with one command for each format, loaded when named."""

    def __init__(self, *args: Any, make: Callable[[str], click.Command], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._make = make

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every format."""
        from auscult.corpus.formats import names

        return list(names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a format; an unknown one says which is meant."""
        try:
            return self._make(cmd_name)
        except OptionError as error:
            raise click.UsageError(str(error), ctx) from error


def import_command(form: str) -> click.Command:
    """`auscult corpus import FORMAT SOURCE OUT` with the options of the format's reader."""
    from auscult.corpus import formats
    from auscult.corpus.history import recorded_collection
    from auscult.corpus.info import info

    module, facts = formats.load(form), formats.facts(form)

    @command
    def run(source: Path, out: Path, overwrite: bool, name: str | None, **options: Any) -> Any:
        corpus = formats.read(form, source, **_given(options))
        whole = source.resolve()
        about = {
            "name": name or (form if facts.is_one_corpus else whole.name.split(".")[0]) or form,
            "source": f"{form}: {whole}",
        }
        begun = recorded_collection(corpus.described(**about), "import", {"format": form})
        written = begun.write(out, overwrite=overwrite)
        found = info(written)

        def say() -> None:
            click.echo(
                f"{out}: {counted(found.notes, 'note')} of {counted(found.charts, 'chart')}, "
                f"{counted(found.annotations, 'annotation')}"
            )

        return {"corpus": str(out), **found.to_dict()}, say

    parameters: list[click.Parameter] = [
        click.Argument(["source"], type=click.Path(path_type=Path)),
        click.Argument(["out"], type=click.Path(path_type=Path)),
        *_shared(shared.overwrite, shared.name("the folder's, or the dataset's name")),
        *_options(module.ReadOptions, _READ_FLAGS),
    ]
    example = f"auscult corpus import {form} {facts.example}"
    return _command(form, run, parameters, module, example)


def export_command(name: str) -> click.Command:
    """`auscult corpus export NAME CORPUS OUT` with the options of the format's writer."""
    from auscult.corpus import Corpus, formats

    module, facts = formats.load(name), formats.facts(name)

    @command
    def run(corpus: Path, out: Path, overwrite: bool, **options: Any) -> Any:
        opened = Corpus.open(corpus)
        if facts.needs_notes and not opened.manifest.files["notes.parquet"].rows:
            raise OptionError(
                f"{corpus} has no notes, and {name} needs notes: nothing would be written. "
                f"Formats that store codes without notes: {', '.join(formats.without_notes())}."
            )
        if overwrite:
            _check_replaceable(out, corpus)
        losses = formats.write(name, opened, out, overwrite=overwrite, **_given(options))

        def say() -> None:
            click.echo(f"{out}: written as {name}")
            say_losses(losses)

        found = {
            "out": str(out),
            "format": name,
            "losses": [loss.to_dict() for loss in losses],
        }
        return found, say

    parameters: list[click.Parameter] = [
        click.Argument(["corpus"], type=click.Path(path_type=Path)),
        click.Argument(["out"], type=click.Path(path_type=Path)),
        *_shared(shared.overwrite),
        *_options(module.WriteOptions, _FLAGS),
    ]
    example = f"auscult corpus export {name} corpus {facts.target}"
    return _command(name, run, parameters, module, example)


def _check_replaceable(out: Path, corpus: Path) -> None:
    """Raise an error where replacing OUT would take away what is needed or not meant."""
    needed = (Path.cwd(), corpus.resolve())
    if any(out.resolve() in (place, *place.parents) for place in needed):
        raise OptionError(
            f"{out} is or contains the corpus or the current folder. Choose another place."
        )


def _command(
    name: str, run: Any, parameters: list[click.Parameter], module: Any, example: str
) -> click.Command:
    made = click.command(name)(run)
    made.params = [*parameters, *made.params]
    # A block of a docstring is not for click to wrap.
    about = re.sub(r"```\w*\n(.*?)```", r"\b\n\1", (module.__doc__ or "").strip(), flags=re.DOTALL)
    made.short_help = about.splitlines()[0] if about else None
    as_it_stands = _FENCED.sub("\b\n\\1", about)  # click would wrap it into one paragraph
    made.help = f"{as_it_stands}\n\n\b\nExample:\n  {example}"
    return made


def _shared(*options: Callable[[Any], Any]) -> list[click.Parameter]:
    """Shared options as parameters."""

    def bare() -> None: ...

    for option in reversed(options):
        option(bare)
    return list(reversed(bare.__click_params__))  # type: ignore[attr-defined]  # click's own


def _options(kind: type[FormatOptions], flags: Mapping[str, str]) -> Iterator[click.Option]:
    """The options of a format, under its own flags or those that all formats share."""
    for key, field in kind.model_fields.items():
        flag = kind.flags.get(key) or flags.get(key) or f"--{key.replace('_', '-')}"
        yield _option(key, field, flag)


def _option(key: str, field: FieldInfo, flag: str) -> click.Option:
    """The command line's option for one field of a format's options."""
    kinds = [k for k in typing.get_args(field.annotation) if k is not types.NoneType]
    union = isinstance(field.annotation, types.UnionType)
    kind = kinds[0] if union and kinds else field.annotation
    described = field.description or ""
    shown = field.default not in (None, (), "") and not field.is_required()
    base = typing.get_origin(kind)
    if kind is bool:
        return click.Option([f"{flag}/--no-{flag[2:]}", key], default=None, help=described)
    settings: dict[str, Any] = {"help": described, "required": field.is_required()}
    if shown:
        default = field.default
        given = ", ".join(map(str, default)) if isinstance(default, tuple) else default
        settings["help"] += f"  [default: {given}]"
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
