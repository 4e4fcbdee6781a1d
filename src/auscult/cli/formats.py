"""`auscult corpus import FORMAT` and `export FORMAT`: one command a format, made of its options."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

import click
from pydantic.fields import FieldInfo

from auscult.cli.losses import say_losses
from auscult.cli.output import command, counted
from auscult.core import OptionError

# Formats of one published corpus each, so that their name says which it is.
_PUBLISHED = ("cmc", "codiesp", "mcn", "mdace", "mimic3", "mimic4")
# Formats that hold more than notes and what is on them.
_WITHOUT_NOTES = ("csv", "jsonl", "mimic3", "mimic4")
_EXAMPLES = {
    "bioc": "BC5CDR.xml bc5cdr",
    "brat": "meddocan/dev phi",
    "cas": "inception-export corpus --type webanno.custom.Code",
    "cmc": "2007ChallengeTrainData.xml cmc",
    "codiesp": "codiesp codiesp-es --language es",
    "csv": "notes.csv corpus --note-id id --text narrative",
    "jsonl": "hospital/phi names",
    "mcn": "n2c2_2019/train mcn",
    "mdace": "hospital/mdace/data/Inpatient/ICD-10 evidence "
    "--noteevents hospital/mimic3/NOTEEVENTS.csv",
    "mimic3": "hospital/mimic3 notes --categories 'Discharge summary'",
    "mimic4": "mimic-iv-2.2 notes",
    "mimic4_ed": "mimic-iv-ed-2.2 complaints",
    "neiss": "neiss2023.csv injuries",
    "pubtator": "NCBItrainset_corpus.txt ncbi",
    "records": "visits.csv visits --columns visits.toml",
    "webanno": "inception-export corpus --layer webanno.custom.Code",
}
_FENCED = re.compile(r"^```\w*\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
_TARGETS = {"bioc": "corpus.xml", "cmc": "reports.xml", "pubtator": "abstracts.txt"}


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


def import_command(name: str) -> click.Command:
    """`auscult corpus import NAME SOURCE OUT` with the options of the format's reader."""
    from auscult.corpus import formats
    from auscult.corpus.info import info

    module = formats.load(name)

    @command
    def run(source: Path, out: Path, overwrite: bool, title: str | None, **options: Any) -> Any:
        corpus = formats.read(name, source, **_given(options))
        whole = source.resolve()
        about = {
            "name": title or (name if name in _PUBLISHED else whole.name.split(".")[0]) or name,
            "source": f"{name}: {whole}",
        }
        written = corpus.described(**about).write(out, overwrite=overwrite)
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
        click.Option(["--overwrite"], is_flag=True, help="Replace the corpus that is at OUT."),
        click.Option(["--name", "title"], help="What the corpus is called in its manifest."),
        *(_option(key, field) for key, field in module.ReadOptions.model_fields.items()),
    ]
    example = f"auscult corpus import {name} {_EXAMPLES.get(name, 'SOURCE OUT')}"
    return _command(name, run, parameters, module, example)


def export_command(name: str) -> click.Command:
    """`auscult corpus export NAME CORPUS OUT` with the options of the format's writer."""
    from auscult.corpus import Corpus, formats

    module = formats.load(name)

    @command
    def run(corpus: Path, out: Path, overwrite: bool, **options: Any) -> Any:
        opened = Corpus.open(corpus)
        if name not in _WITHOUT_NOTES and not opened.manifest.files["notes.parquet"].rows:
            raise OptionError(
                f"{corpus} has no notes, and {name} is made of notes: nothing would be written. "
                f"These hold codes without notes: {', '.join(_WITHOUT_NOTES)}."
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
        click.Option(["--overwrite"], is_flag=True, help="Replace what is at OUT."),
        *(_option(key, field) for key, field in module.WriteOptions.model_fields.items()),
    ]
    example = f"auscult corpus export {name} corpus {_TARGETS.get(name, 'for-' + name)}"
    return _command(name, run, parameters, module, example)


def _check_replaceable(out: Path, corpus: Path) -> None:
    """Raise an error where replacing OUT would take away what is needed or not meant."""
    needed = (Path.cwd(), corpus.resolve())
    if any(out.resolve() in (place, *place.parents) for place in needed):
        raise OptionError(
            f"{out} is or holds the corpus or the folder you are in. Choose another place."
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
