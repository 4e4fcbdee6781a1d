"""One voice: the same option means the same everywhere, and every help fits and says something."""

from __future__ import annotations

from typing import Any

import click
from click.testing import CliRunner
from tests.cli.test_commands import all_commands

from auscult.cli.main import auscult


def _options() -> list[tuple[tuple[str, ...], click.Option]]:
    return [
        (path, option)
        for path, command in all_commands(auscult)
        for option in command.params
        if isinstance(option, click.Option)
    ]


def _shown(*words: str) -> list[str]:
    done = CliRunner().invoke(auscult, [*words, "--help"], env={"COLUMNS": "80"})
    return done.output.splitlines()


def test_the_first_help_fits_a_screen_and_tells_the_story() -> None:
    lines = _shown()
    assert len(lines) <= 30
    listed = lines[lines.index("Commands:") + 1 :]
    at = listed[0].index("synth")
    chapters = [line[:at].strip() for line in listed if line[:at].strip()]
    assert chapters[:4] == ["corpus", "codes", "models", "trust"]
    story = ["corpus", "codes", "train", "evaluate", "audit", "report"]
    named = [line[at:].split()[0] for line in listed]
    assert [name for name in named if name in story] == story
    assert set(named) == {path[0] for path, _ in all_commands(auscult) if path}


def test_every_help_fits_a_screen() -> None:
    shown = {" ".join(path): _shown(*path) for path, _ in all_commands(auscult)}
    assert {name: len(lines) for name, lines in shown.items() if len(lines) > 50} == {}


def test_no_line_of_a_list_of_commands_is_cut() -> None:
    for path, command in all_commands(auscult):
        if isinstance(command, click.Group):
            assert not [line for line in _shown(*path)[1:] if line.endswith("...")], path


def test_every_option_says_what_it_does() -> None:
    silent = [(*path, option.opts[0]) for path, option in _options() if not option.help]
    assert silent == []


def test_an_option_is_of_one_kind_everywhere() -> None:
    kinds: dict[str, type[click.ParamType[Any]]] = {
        "--seed": type(click.INT),
        "--bootstrap": click.IntRange,
        "--overwrite": type(click.BOOL),
        "--json": type(click.BOOL),
        "--threads": click.IntRange,
        "--workers": click.IntRange,
    }
    for path, option in _options():
        wanted = kinds.get(option.opts[0])
        assert wanted is None or isinstance(option.type, wanted), (path, option.opts)


def test_a_slip_in_the_name_of_a_command_is_guessed() -> None:
    done = CliRunner().invoke(auscult, ["trian", "corpus", "model"])
    assert done.exit_code == 2
    assert "Did you mean train?" in done.output
