"""The options of a verifier: a language model that checks the codes of a model."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.models.verify import Verifier

F = TypeVar("F", bound=Callable[..., Any])
_PRICE = click.FloatRange(0)
_OPTIONS = (
    click.option(
        "--verify", "url", metavar="URL", help="Let a language model at this address check codes."
    ),
    click.option("--verify-model", metavar="NAME", help="Name of the language model."),
    click.option(
        "--verify-timeout",
        metavar="SEC",
        type=click.IntRange(1),
        help="Seconds per request.  [default: 120]",
    ),
    click.option(
        "--allow-remote", is_flag=True, help="Let text of notes leave the private network."
    ),
    click.option(
        "--max-tokens-total",
        metavar="N",
        type=click.IntRange(0),
        help="Maximum number of tokens.",
    ),
    click.option("--max-cost", metavar="X", type=_PRICE, help="Maximum cost of the tokens."),
    click.option("--price-in", metavar="X", type=_PRICE, help="Price of 1 million input tokens."),
    click.option("--price-out", metavar="X", type=_PRICE, help="Price of 1 million output tokens."),
)


def verify_options(function: F) -> F:
    """Add the options of a verifier to a command; it is called with `verifier`, which may be None.

    An address that may not be asked is an error before the command does anything.
    """

    @functools.wraps(function)
    def run(
        *args: Any,
        url: str | None,
        verify_model: str | None,
        verify_timeout: int | None,
        allow_remote: bool,
        max_tokens_total: int | None,
        max_cost: float | None,
        price_in: float | None,
        price_out: float | None,
        **kwargs: Any,
    ) -> Any:
        settings = {
            "allow_remote": allow_remote,
            "max_tokens_total": max_tokens_total,
            "max_cost": max_cost,
            "price_in": price_in,
            "price_out": price_out,
            "timeout": verify_timeout,
        }
        given = {name: value for name, value in settings.items() if value not in (None, False)}
        if url is None and (given or verify_model):
            raise OptionError("The options of a verifier need its address: --verify URL.")
        verifier = None if url is None else _verifier(url, verify_model or "", given)
        return function(*args, verifier=verifier, **kwargs)

    made: Any = run
    for option in reversed(_OPTIONS):
        made = option(made)
    return made  # type: ignore[no-any-return]  # click needs the wrapper, callers see the command


def _verifier(url: str, model: str, settings: dict[str, Any]) -> Verifier:
    from auscult.models.verify import Verifier

    verifier = Verifier(url, model, **settings)
    endpoint = verifier.endpoint()
    if not endpoint.is_local:
        # Warnings are printed at the end, which would be too late for this.
        click.echo(f"Text of notes will be sent to {endpoint.host} (--allow-remote).", err=True)
    return verifier
