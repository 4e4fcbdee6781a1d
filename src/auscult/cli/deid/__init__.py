"""`auscult deid`: de-identification of notes."""

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
        "apply": (f"{_AT}.apply:apply", "De-identify a corpus: replace PHI by surrogates."),
        "queue": (f"{_AT}.review:queue", "Write uncertain findings for human review."),
        "status": (f"{_AT}.review:status", "Show the progress of the review."),
        "mark": (f"{_AT}.mark:mark", "Annotate PHI without changing the text."),
        "evaluate": (f"{_AT}.mark:evaluate", "Evaluate PHI recognition against gold."),
        "key": (f"{_AT}.key:key", "Show the date shifts stored in a key."),
        "undo": (f"{_AT}.key:undo", "Restore the original corpus with its key."),
    },
)
def deid() -> None:
    """De-identification: find, review and replace protected health information (PHI).

    Names, dates, ages over 89, numbers and addresses are replaced by realistic surrogates,
    consistently within a patient; annotations stay on their words. `auscult deid CORPUS OUT` runs
    in one step; queue, status and apply add human review of uncertain findings. No system finds
    everything: review a sample before you share a corpus.

    \b
    Example:
      auscult deid notes notes-deid
      auscult deid queue notes queue.csv
      auscult deid apply notes notes-deid --decisions queue.csv
    """
