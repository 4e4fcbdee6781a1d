"""Command groups that load a command only when it is used, so that --help is quick."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from auscult.core.names import guess

Chapter = Mapping[str, tuple[str, str]]


class LazyGroup(click.Group):
    """A group whose commands are named as `module:attribute`, each with its one-line help."""

    def __init__(self, *args: Any, commands_at: Mapping[str, tuple[str, str]], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._at = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order they were given, which tells the story."""
        return [*self._at, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module and take it from there."""
        if cmd_name not in self._at:
            return super().get_command(ctx, cmd_name)
        module, attribute = self._at[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; otherwise an error that guesses which was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            # Click itself would guess among what is loaded, which is nothing yet.
            hint = guess(args[0], self.list_commands(ctx))
            if not hint:
                raise
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands from the one-line helps, importing nothing."""
        rows = [(name, brief) for name, (_, brief) in self._at.items()]
        for name in super().list_commands(ctx):
            command = super().get_command(ctx, name)
            if command is not None:
                rows.append((name, command.get_short_help_str(limit=80)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class ChapterGroup(LazyGroup):
    """A lazy group whose list of commands is told in chapters, short enough for a screen."""

    def __init__(self, *args: Any, chapters: Mapping[str, Chapter], **kwargs: Any):
        every = {name: at for chapter in chapters.values() for name, at in chapter.items()}
        super().__init__(*args, commands_at=every, **kwargs)
        self._chapters = chapters

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command with its line, and its chapter before the first one of it."""
        wide, name_wide = (max(map(len, names)) for names in (self._chapters, self._at))
        rows = [
            (f"{chapter if at == 0 else '':{wide}}  {name:{name_wide}}", brief)
            for chapter, commands in self._chapters.items()
            for at, (name, (_, brief)) in enumerate(commands.items())
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands alone: `--version` and `--help` are known, and a screen is short."""
        self.format_commands(ctx, formatter)


class StoryGroup(click.Group):
    """A group that lists its commands in the order of the work, each with a line that fits."""

    def __init__(self, *args: Any, story: Mapping[str, str], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._story = story

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands as the story has them, then any others."""
        return [*self._story, *(name for name in self.commands if name not in self._story)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The story."""
        rest = {name: self.commands[name] for name in self.list_commands(ctx)[len(self._story) :]}
        rows = [(name, command.get_short_help_str(limit=60)) for name, command in rest.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*self._story.items(), *rows])
