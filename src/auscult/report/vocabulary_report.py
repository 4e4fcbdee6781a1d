"""A vocabulary as a page: terms found in notes, and concept suggestions for selected text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from auscult.codes import describe
from auscult.codes.find import TermFinder, longest
from auscult.codes.mapping import Mapped
from auscult.codes.suggest import Suggester, Suggestion
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note
from auscult.core.progress import track
from auscult.core.segments import segments
from auscult.report.page import write_page

_LOOKS = 6
_FREQUENT = 12
_SHOWN = 3
_EXAMPLES = 5
_CHARACTERS = 1_800


@dataclass(frozen=True, slots=True, repr=False)
class MarkedText:
    """Annotated text, the codes assigned to it, and the note it is from."""

    text: str
    codes: frozenset[Code]
    note: str


@dataclass(frozen=True, slots=True, repr=False)
class RankedSuggestions:
    """The suggestions for annotated text, and the rank of the first correct one, if any."""

    marked: MarkedText
    suggestions: tuple[Suggestion, ...]
    rank: int | None


def ask(
    suggester: Suggester, marked: Sequence[MarkedText], *, in_note: bool
) -> list[RankedSuggestions]:
    """Ten suggestions for each annotated text, as its annotator would have seen them."""
    answers = []
    for one in track(marked, "computing suggestions"):
        found = suggester.suggest(one.text, note=one.note if in_note else None)
        right = (at for at, suggestion in enumerate(found, 1) if suggestion.code in one.codes)
        answers.append(RankedSuggestions(one, tuple(found), next(right, None)))
    return answers


def vocabulary_report(
    file: Path,
    vocabulary: Vocabulary,
    *,
    note: Note,
    found: Sequence[Annotation],
    ways: Mapping[str, Sequence[RankedSuggestions]],
    mapped: Sequence[Mapped],
    steps: Mapping[str, int],
    made: dict[str, str],
    shows_text: str,
) -> None:
    """Write the page.

    `note` is shown with its terms highlighted; `found` are the terms of all notes; `ways` are
    suggestions for the same texts by several methods, the last of them shown by example; `mapped`
    are codes mapped to another system, and `steps` counts the mapping rules applied to all codes.
    """
    names = {code: vocabulary.require(code.value).name for code in {a.code for a in found}}
    write_page(
        file,
        "vocabulary.html",
        title="Vocabulary and code mapping",
        made=made,
        shows_text=shows_text,
        tiles=[
            ("concepts", vocabulary.manifest.concepts),
            ("terms", vocabulary.manifest.terms),
            ("terms found", len({(a.note_id, a.spans) for a in found})),
            ("concepts found", len(names)),
            ("texts with suggestions", max(map(len, ways.values()), default=0)),
        ],
        note=_note_values(note, vocabulary),
        ways=[_way(name, answers) for name, answers in ways.items()],
        examples=[_example(answer, vocabulary) for answer in _telling(list(ways.values())[-1])],
        frequent=_frequent(found, names),
        mapped=[_mapped(one) for one in mapped],
        steps=_bars(steps),
    )


def _note_values(note: Note, vocabulary: Vocabulary) -> dict[str, Any]:
    """The beginning of a note, its outermost terms marked and named by concept."""
    text = (note.text or "")[:_CHARACTERS]
    text = text[: text.rfind("\n") + 1] or text
    outer = longest(TermFinder(vocabulary).find(text))
    types = list(dict.fromkeys(_type(vocabulary, o.code) for o in outer))
    on = [Annotation("vocabulary", o.code, note.chart_id, note.note_id, (o.span,)) for o in outer]

    def title(number: int) -> str:
        concept = vocabulary.require(on[number].code.value)
        return f"{concept.name} ({concept.id}) {'; '.join(concept.types)}".strip()

    def look(number: int) -> str:
        return f"s{types.index(_type(vocabulary, on[number].code)) % _LOOKS + 1}"

    return {
        "category": note.category,
        "note_id": note.note_id,
        "segments": [
            {
                "text": s.text,
                "title": "\n".join(dict.fromkeys(title(n) for n in s.on)),
                "look": look(s.on[0]) if s.on else "",
            }
            for s in segments(text, on)
        ],
    }


def _type(vocabulary: Vocabulary, code: Code) -> str:
    return next(iter(vocabulary.require(code.value).types), "")


def _way(name: str, answers: Sequence[RankedSuggestions]) -> dict[str, Any]:
    def share(within: int) -> float:
        hits = sum(a.rank is not None and a.rank <= within for a in answers)
        return 100 * hits / len(answers) if answers else 0.0

    return {"name": name, "shares": [round(share(within), 1) for within in (1, 3, 10)]}


def _telling(answers: Sequence[RankedSuggestions]) -> list[RankedSuggestions]:
    """Examples of each kind, no text twice: ambiguous, near, lower-ranked, missed."""
    kinds: dict[str, dict[str, RankedSuggestions]] = {
        "several": {},
        "near": {},
        "later": {},
        "missed": {},
    }
    for answer in answers:
        scores = [suggestion.score for suggestion in answer.suggestions]
        if answer.rank is None:
            kind = "missed"
        elif answer.rank > 1:
            kind = "later"
        elif scores[0] < 1:
            kind = "near"
        elif scores.count(1.0) > 1:
            kind = "several"
        else:
            continue  # an exact match needs no example
        kinds[kind].setdefault(answer.marked.text.casefold(), answer)
    return [answer for alike in kinds.values() for answer in islice(alike.values(), _EXAMPLES)]


def _example(answer: RankedSuggestions, vocabulary: Vocabulary) -> dict[str, Any]:
    meant = [vocabulary.require(code.value).name for code in sorted(answer.marked.codes)]
    return {
        "text": " ".join(answer.marked.text.split()),
        "meant": " or ".join(meant),
        "rank": answer.rank,
        "suggestions": [
            {"name": s.name, "why": s.why, "right": s.code in answer.marked.codes}
            for s in answer.suggestions[:_SHOWN]
        ],
    }


def _frequent(found: Sequence[Annotation], names: Mapping[Code, str]) -> list[dict[str, Any]]:
    counts = Counter(names[a.code] for a in found if (a.score or 0) >= 1)
    return _bars(dict(counts.most_common(_FREQUENT)))


def _bars(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    top = max(counts.values(), default=1)
    return [
        {"name": name, "count": count, "share": round(100 * count / top)}
        for name, count in counts.items()
    ]


def _mapped(one: Mapped) -> dict[str, Any]:
    return {
        "source": one.source.value,
        "described": describe(one.source) or "",
        "target": "none" if one.code is None else one.code.value,
        "means": "" if one.code is None else describe(one.code) or "",
        "step": f"{one.step.value}, by {one.by}" if one.by else one.step.value,
        "alternatives": ", ".join(one.alternatives[:6])
        + (" …" if len(one.alternatives) > 6 else ""),
    }
