"""The `auscult` command, also as `python -m auscult`: however it ends, it ends in one sentence."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_MISTAKE = 2
_INTERRUPTED = 128 + signal.SIGINT
_TERMINATED = 128 + signal.SIGTERM
_COMPLETION = "_AUSCULT_COMPLETE"


def main() -> NoReturn:
    """Run the command. Exit codes: 0 done, 1 done but found wanting, 2 a mistake."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _stop("Interrupted; nothing was left half-written.", _INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does.
        code = 0
        _silence_output()
    except OSError as error:
        code = _stop(_explained(error))
    sys.exit(code)


def _run() -> int:
    # Imported here, so that an interrupt while they load is no traceback either.
    import click

    from auscult.cli.main import auscult
    from auscult.core import AuscultError

    try:
        if _COMPLETION in os.environ:
            auscult(prog_name="auscult")
        with auscult.make_context("auscult", sys.argv[1:]) as context:
            auscult.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "auscult"
        message = " ".join(error.format_message().split())
        return _stop(f"{message}{'' if message.endswith(('.', '?')) else '.'} See: {path} --help")
    except (AuscultError, click.ClickException) as error:
        return _stop(str(error))
    except Exception as error:
        # Polars reports a damaged file when it comes to the damage, and may quote what it read.
        if type(error).__module__ != "polars.exceptions" or "AUSCULT_DEBUG" in os.environ:
            raise
        return _stop(
            f"A table could not be read ({type(error).__name__}): it is damaged, or this is a "
            "defect. Check the corpus with: auscult corpus info CORPUS --check-digests. "
            "AUSCULT_DEBUG=1 shows the details, which may quote notes."
        )
    return 0


def _stop(message: str, code: int = _MISTAKE) -> int:
    print(f"auscult: {message}", file=sys.stderr)
    return code


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    """End as if by an error, so that unfinished drafts are removed on the way out."""
    sys.exit(_TERMINATED)


def _explained(error: OSError) -> str:
    # Python tries to write what is left of the output once more at exit, and complains.
    _silence_output()
    reason = error.strerror or str(error)
    where = error.filename or "standard output, or a file"
    return f"{where}: {reason[:1].lower()}{reason[1:]}."


def _silence_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
