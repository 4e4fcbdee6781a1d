"""A verifier: which language model is asked, where, and within what limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from auscult.codes.home import data_home
from auscult.core import OptionError
from auscult.core.option_names import option
from auscult.models.verify.addresses import Endpoint, find_endpoint
from auscult.models.verify.answer import VerifierAnswer, read_answer
from auscult.models.verify.budget import VerifierBudget, estimated_tokens
from auscult.models.verify.cache import VerifierCache
from auscult.models.verify.client import Completion, VerifierClient
from auscult.models.verify.question import AGAIN, CodeQuestion
from auscult.models.verify.reasons import ANSWERED, UnverifiedError, UnverifiedReason

_FAILURES = 3
"""Questions in a row that the server fails on, before the others are not asked."""


@dataclass(frozen=True)
class Verifier:
    """A language model that checks codes: its server, its name there, and limits.

    `url` is the base address of a server with OpenAI's chat completions, such as
    `http://localhost:11434/v1`; an API key comes from the environment variable
    `AUSCULT_VERIFY_KEY`. Only this machine and private networks are asked, unless `allow_remote`.
    Prices are for a million tokens, `max_cost` is in their currency; both limits are for one call
    of `verify`. `timeout` is for one request, `retry_seconds` for waiting on a busy server, in
    seconds. Answers are kept in the folder `cache` (by default in the user's data folder).
    """

    url: str
    model: str
    allow_remote: bool = False
    max_tokens_total: int | None = None
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    timeout: float = 120.0
    retry_seconds: float = 60.0
    max_answer_tokens: int = 512
    cache: Path | None = None

    def __post_init__(self) -> None:
        if not self.model:
            raise OptionError(
                "A verifier needs the name that its server has for the language model: "
                f"{option('--verify-model NAME', 'model=NAME')}."
            )
        if self.max_cost is not None and self.price_in is None and self.price_out is None:
            raise OptionError(
                f"{option('--max-cost')} needs the prices of a million tokens: "
                f"{option('--price-in')} and {option('--price-out')}."
            )

    def endpoint(self) -> Endpoint:
        """The server, looked up now; an error if it may not be asked."""
        return find_endpoint(self.url, allow_remote=self.allow_remote)


class VerifierSession:
    """Questions to a verifier, one after the other, with what they take."""

    def __init__(self, verifier: Verifier, endpoint: Endpoint) -> None:
        self.budget = VerifierBudget(
            verifier.max_tokens_total, verifier.max_cost, verifier.price_in, verifier.price_out
        )
        self.cached = 0
        """Questions that were answered before."""
        self.problem: str | None = None
        """The last failure of the server."""
        folder = verifier.cache or data_home() / "verify"
        self._cache = VerifierCache(folder, verifier.model, endpoint.name)
        self._client = VerifierClient(
            endpoint,
            verifier.model,
            verifier.timeout,
            verifier.retry_seconds,
            verifier.max_answer_tokens,
        )
        self._failures = 0
        self._given_up: UnverifiedReason | None = None

    @property
    def requests(self) -> int:
        """Requests that were sent, those to a busy server among them."""
        return self._client.requests

    def ask(self, question: CodeQuestion) -> VerifierAnswer | UnverifiedReason:
        """The answer to a question, or why there is none."""
        kept = self._cache.get(question)
        if kept is not None:
            self.cached += 1
            return kept
        if self._given_up is not None:
            return self._given_up
        answer: VerifierAnswer | UnverifiedReason
        try:
            answer = self._answer(question)
        except UnverifiedError as error:
            answer = error.reason
            self._note_failure(error)
        if not isinstance(answer, UnverifiedReason) or answer in ANSWERED:
            self._failures = 0
            self._cache.put(question, answer)
        return answer

    def _note_failure(self, error: UnverifiedError) -> None:
        if error.reason is UnverifiedReason.BUDGET:
            self._given_up = error.reason
        elif error.reason not in ANSWERED:
            self.problem = str(error)
            self._failures += 1
            if error.is_final or self._failures >= _FAILURES:
                self._given_up = error.reason

    def _answer(self, question: CodeQuestion) -> VerifierAnswer:
        """The answer; a broken one is asked for once more."""
        try:
            return read_answer(self._complete(question, again=False).content, question)
        except UnverifiedError as error:
            if error.reason is not UnverifiedReason.BROKEN:
                raise
        return read_answer(self._complete(question, again=True).content, question)

    def _complete(self, question: CodeQuestion, *, again: bool) -> Completion:
        characters = len(question.rules) + len(question.data) + (len(AGAIN) if again else 0)
        size = estimated_tokens(characters), self._client.max_answer_tokens
        if not self.budget.has_room(*size):
            raise UnverifiedError(UnverifiedReason.BUDGET)
        try:
            done = self._client.complete(question.messages(again=again))
        except UnverifiedError as error:
            if error.reason is UnverifiedReason.TIMEOUT:
                # The server may have written, and charged for, an answer that came too late.
                self.budget.spend(*size, estimated=True)
            raise
        self.budget.spend(done.tokens_in, done.tokens_out, estimated=done.estimated)
        return done
