"""Every command that a page or a help text shows exists, with the options shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.cli.test_commands import all_commands

from auscult.cli.main import auscult
from auscult.corpus.formats import FORMATS

_ROOT = Path(__file__).parents[2]
_PAGES = [
    *(_ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((_ROOT / "docs").rglob("*.md")),
]
# Formats that two pages make as examples; their own tests run them.
_MADE_THERE = ("corpus import plain", "corpus import lines", "corpus export lines")


def _commands(text: str) -> Iterator[str]:
    """The commands in blocks and in the running text of a page."""
    for block in re.findall(r"^```(?:sh|text|console)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            if re.match(r"\s*(\$ )?auscult ", line):
                yield line.strip().removeprefix("$ ")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from (found for found in re.findall(r"`(auscult [^`]+)`", prose) if "\n" not in found)


def _parse(command: str) -> None:
    """Parse a command as click would, without running it.

    Of a form (`auscult corpus import FORMAT`, `auscult train … --runs 3`) the options are looked
    up.
    """
    words = shlex.split(re.sub(r"\s[<>|]\s.*", "", command), comments=True)[1:]
    current: click.Command = auscult
    context = click.Context(auscult, info_name="auscult")
    while isinstance(current, click.Group) and words and not words[0].startswith("-"):
        if words[0] == "FORMAT":
            words[0] = FORMATS[0]
        if current.name == "deid" and words[0] not in current.list_commands(context):
            words.insert(0, "apply")  # what the group does itself
        name, inner, words = current.resolve_command(context, words)
        assert inner is not None
        current, context = inner, click.Context(inner, info_name=name, parent=context)
    if isinstance(current, click.Group) or words in (["--help"], ["-h"]):
        return
    is_form = all(word.startswith("-") for word in words)
    if is_form or any("…" in word or word == word.upper() != word.lower() for word in words):
        known = {
            name for option in current.params for name in (*option.opts, *option.secondary_opts)
        }
        for word in words:
            if word.startswith("--") and word.partition("=")[0] not in known:
                raise click.NoSuchOption(word)
        return
    try:
        current.make_context(context.info_name, words, parent=context.parent)
    except click.MissingParameter:
        raise
    except click.BadParameter as error:
        # A file that is not there is no mistake of the page.
        if not isinstance(error.param and error.param.type, click.Path):
            raise


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_commands_of_a_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.parent.name == "commands":
        text = re.sub(r"^```text.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)  # the forms
    wrong = []
    for command in _commands(text):
        if any(made in command for made in _MADE_THERE):
            continue
        try:
            _parse(command)
        except (click.ClickException, ValueError) as error:
            wrong.append(f"{command}\n    {error}")
    assert not wrong, "\n".join(wrong)


def test_examples_of_help() -> None:
    seen = 0
    for _, command in all_commands(auscult):
        for example in _commands(f"```\n{command.help or ''}\n```"):
            seen += 1
            if "SOURCE OUT" not in example:
                _parse(example)
    assert seen > 80


def test_a_wrong_command_is_noticed() -> None:
    for command in (
        "auscult corpus infos notes",
        "auscult corpus info notes --verfy",
        "auscult agree coded --unit page",
        "auscult train corpus",
    ):
        with pytest.raises(click.ClickException):
            _parse(command)
