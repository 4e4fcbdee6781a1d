"""`auscult deid`: find, review and replace what identifies people."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup

_AT = "auscult.cli.deid"


class _Group(LazyGroup):
    """`auscult deid CORPUS OUT` is `auscult deid apply CORPUS OUT`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `apply` in front when the first argument names no command."""
        known = {*self.list_commands(ctx), *ctx.help_option_names}
        if args and args[0] not in known:
            args = ["apply", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=_Group,
    commands_at={
        "apply": (f"{_AT}.apply:apply", "Write a corpus without what identifies people."),
        "queue": (f"{_AT}.review:queue", "Write what is doubtful, for people to decide."),
        "status": (f"{_AT}.review:status", "Say what is decided and what is not."),
        "mark": (f"{_AT}.mark:mark", "Annotate what was found, and change nothing."),
        "evaluate": (f"{_AT}.mark:evaluate", "Say how much is found of what is marked."),
        "key": (f"{_AT}.key:key", "Open a key and say how far dates were moved."),
        "undo": (f"{_AT}.key:undo", "Write a corpus as it was, with its key."),
    },
)
def deid() -> None:
    """Find, review and replace what identifies people.

    Names, dates, ages over 89, numbers and addresses become like values, the same throughout a
    patient's notes; annotations stay on their words. `auscult deid CORPUS OUT` does it at once;
    queue, status and apply let people decide what is doubtful. No program finds everything: have
    a sample read before you share a corpus.

    \b
    Example:
      auscult deid notes notes-deid
      auscult deid queue notes queue.csv
      auscult deid apply notes notes-deid --decisions queue.csv
    """
