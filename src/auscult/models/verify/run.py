"""Verifying annotations: each candidate is asked about once, and its annotations follow."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auscult.codes.tabular import TabularList
from auscult.codes.tabular.current import tabular_list
from auscult.core import Annotation, Code, Metric, Note, Status
from auscult.core.annotation import WHY
from auscult.core.plurals import counted
from auscult.core.progress import track
from auscult.core.results import MetricRow, Result
from auscult.corpus import Corpus, schema
from auscult.models.chart_inputs import Texts, notes_of
from auscult.models.predictions import Predictions
from auscult.models.verify.answer import CandidateVerdict, VerifierAnswer
from auscult.models.verify.passages import passages_of, words_of
from auscult.models.verify.question import CodeQuestion, question_of
from auscult.models.verify.reasons import UnverifiedReason
from auscult.models.verify.verifier import Verifier, VerifierSession

VERDICT, VERIFIED_BY = "verdict", "verified_by"
"""Keys of an annotation's `meta`: what the verifier said, and the name of its language model."""
_Key = tuple[str, str, Code]
_Outcome = tuple[CodeQuestion, VerifierAnswer] | UnverifiedReason


@dataclass(frozen=True, slots=True, repr=False)
class VerifiedResult(Result):
    """Annotations after verification, and how many candidates had which verdict.

    A candidate is a code that an annotator gave to a chart, with all its evidence.
    """

    annotations: Predictions
    accepted: int
    rejected: int
    changed: int
    unverified: Mapping[UnverifiedReason, int]
    model: str
    requests: int
    cached: int
    tokens_in: int
    tokens_out: int
    estimated: int
    """Requests whose tokens the server did not count, so that they are estimated."""
    cost: float | None
    """In the currency of the prices; None without any."""
    problem: str | None = field(default=None)
    """The last failure of the server."""

    @property
    def candidates(self) -> int:
        """How many there were."""
        return self.accepted + self.rejected + self.changed + self.unverified_total

    @property
    def unverified_total(self) -> int:
        """How many stay as they were for want of a verdict."""
        return sum(self.unverified.values())

    def headline(self) -> str:
        """Who verified how many."""
        return f"{counted(self.candidates, 'candidate')}, verified by {self.model}"

    def metric_rows(self) -> Iterator[MetricRow]:
        """The counts."""
        for name, said in _DEFINITIONS.items():
            yield {}, Metric(name, said, float(self.counts()[name]), n=self.candidates)
        for reason, number in self.unverified.items():
            said = _DEFINITIONS["unverified"]
            yield (
                {"reason": str(reason)},
                Metric("unverified", said, float(number), n=self.candidates),
            )

    def counts(self) -> dict[str, int]:
        """Candidates by verdict."""
        return {
            "accepted": self.accepted,
            "rejected": self.rejected,
            "changed": self.changed,
            "unverified": self.unverified_total,
        }

    def to_dict(self) -> dict[str, object]:
        """For JSON, without the annotations."""
        return {
            "model": self.model,
            "candidates": self.candidates,
            **self.counts(),
            "unverified_by_reason": {str(key): many for key, many in self.unverified.items()},
            "requests": self.requests,
            "from_cache": self.cached,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "tokens_are_estimated": bool(self.estimated),
            "cost": self.cost,
        }

    def __str__(self) -> str:
        """The counts in a sentence or two."""
        reasons = ", ".join(f"{many:,} {key}" for key, many in self.unverified.items())
        verdicts = ", ".join(f"{many:,} {name}" for name, many in self.counts().items())
        tokens = counted(self.tokens_in + self.tokens_out, "token")
        cost = "" if self.cost is None else f", cost {self.cost:.4f}"
        return (
            f"Verified by {self.model}: {verdicts}{f' ({reasons})' if reasons else ''}. "
            f"{counted(self.requests, 'request')}, {self.cached:,} from the cache, "
            f"{tokens}{' (estimated)' if self.estimated else ''}{cost}."
        )


_DEFINITIONS = {
    "accepted": "candidates that the verifier accepts",
    "rejected": "candidates that it rejects; their status is ranked",
    "changed": "candidates for which it chose another code of the category",
    "unverified": "candidates without a verdict; they stay as they were",
}


def verify(annotations: Iterable[Annotation], notes: Texts, verifier: Verifier) -> VerifiedResult:
    """Ask a language model about each code given, and return the annotations as they then are.

    `notes` are those that were annotated: a text, a note, several of either, or a corpus.

    An accepted code stays. A rejected one is no longer given: its status is ranked. Where another
    code of the category fits better, that code is given with the quote as its evidence, and the
    candidate is ranked. A candidate without a valid verdict stays as it was and is counted, with
    the reason. `meta` says what was verified, and by which language model. Only codes of
    ICD-10-CM with evidence are asked about; annotations that were not given pass through.
    """
    endpoint = verifier.endpoint()
    if not endpoint.is_local:
        warnings.warn(
            f"Text of notes is sent to {endpoint.host}, outside of your network. Make sure that "
            "this is allowed for these patients' data.",
            stacklevel=2,
        )
    made = list(annotations)
    candidates: dict[_Key, list[Annotation]] = {}
    for one in made:
        if one.status is Status.GIVEN:
            candidates.setdefault(_key(one), []).append(one)
    needed = {one.note_id for mentions in candidates.values() for one in mentions}
    by_id = {note.note_id: note for note in notes_of(notes, None) if note.note_id in needed}
    book, session = tabular_list(), VerifierSession(verifier, endpoint)
    outcomes = {
        key: _outcome(mentions, by_id, book, session.ask)
        for key, mentions in track(candidates.items(), "verifying", len(candidates))
    }
    _drop_contradictions(outcomes)
    verdicts = Counter(
        one if isinstance(one, UnverifiedReason) else one[1].verdict for one in outcomes.values()
    )
    unverified = {reason: verdicts[reason] for reason in UnverifiedReason if verdicts[reason]}
    if session.problem is not None:
        left = sum(unverified.values())
        warnings.warn(
            f"{session.problem} Without a verdict, and left as predicted: "
            f"{counted(left, 'candidate')}. Run it again to ask about those without an answer.",
            stacklevel=2,
        )
    budget = session.budget
    return VerifiedResult(
        Predictions(_applied(made, outcomes, verifier.model)),
        verdicts[CandidateVerdict.ACCEPT],
        verdicts[CandidateVerdict.REJECT],
        verdicts[CandidateVerdict.OTHER],
        unverified,
        verifier.model,
        session.requests,
        session.cached,
        budget.tokens_in,
        budget.tokens_out,
        budget.estimated,
        budget.cost,
        session.problem,
    )


def verify_corpus(corpus: Corpus, verifier: Verifier) -> tuple[Corpus, VerifiedResult]:
    """The corpus with its annotations verified, and the counts."""
    made = corpus.iter_annotations(every_status=True)
    result = verify(made, corpus, verifier)
    table = schema.annotations_table(result.annotations)
    return replace(corpus, lazy_all_annotations=table.lazy(), path=None), result


def was_rejected(annotation: Annotation) -> bool:
    """Whether a verifier took the code of an annotation back."""
    return annotation.status is Status.RANKED and VERIFIED_BY in annotation.meta


def _key(one: Annotation) -> _Key:
    return one.annotator, one.chart_id, one.code


def _outcome(
    mentions: Sequence[Annotation],
    notes: Mapping[str, Note],
    book: TabularList,
    ask: Callable[[CodeQuestion], VerifierAnswer | UnverifiedReason],
) -> _Outcome:
    code = mentions[0].code
    entry = book.get(code.value) if code.system == book.system else None
    if entry is None:
        return UnverifiedReason.NOT_IN_BOOK
    passages = passages_of(mentions, notes)
    if not passages:
        return UnverifiedReason.NO_EVIDENCE
    question = question_of(entry, passages, words_of(mentions, notes), book)
    answer = ask(question)
    return answer if isinstance(answer, UnverifiedReason) else (question, answer)


def _drop_contradictions(outcomes: dict[_Key, _Outcome]) -> None:
    """A code that was rejected in a chart is not given to it in place of another."""
    rejected = {
        key
        for key, one in outcomes.items()
        if not isinstance(one, UnverifiedReason) and one[1].verdict is CandidateVerdict.REJECT
    }
    for key, one in outcomes.items():
        if isinstance(one, UnverifiedReason) or one[1].other is None:
            continue
        annotator, chart_id, code = key
        if (annotator, chart_id, Code(code.system, one[1].other)) in rejected:
            outcomes[key] = UnverifiedReason.CONTRADICTORY


def _applied(
    made: Iterable[Annotation], outcomes: Mapping[_Key, _Outcome], model: str
) -> Iterator[Annotation]:
    """The annotations as the verdicts have them, in their order."""
    made = list(made)
    there = {(*_key(one), one.note_id, one.spans) for one in made if one.status is Status.GIVEN}
    done: set[_Key] = set()
    for one in made:
        outcome = outcomes.get(_key(one)) if one.status is Status.GIVEN else None
        if outcome is None or isinstance(outcome, UnverifiedReason):
            yield one
            continue
        question, answer = outcome
        verdict = str(answer.verdict)
        if answer.other is not None:
            if _key(one) not in done:
                new = _changed(one, question, answer, model)
                if (*_key(new), new.note_id, new.spans) not in there:
                    yield new
            done.add(_key(one))
            verdict = f"other: {answer.other}"
        meta = {**one.meta, VERDICT: verdict, VERIFIED_BY: model}
        accepted = answer.verdict is CandidateVerdict.ACCEPT
        yield replace(one, status=one.status if accepted else Status.RANKED, meta=meta)


def _changed(
    one: Annotation, question: CodeQuestion, answer: VerifierAnswer, model: str
) -> Annotation:
    """The code that was chosen instead, with the quote as its evidence."""
    note_id, span = answer.place(question)
    other = answer.other or ""
    meta = {
        WHY: f"{one.code.value} → {other}",
        VERDICT: f"instead of {one.code.value}",
        VERIFIED_BY: model,
    }
    code = Code(one.code.system, other)
    return replace(one, code=code, note_id=note_id, spans=(span,), meta=meta)
