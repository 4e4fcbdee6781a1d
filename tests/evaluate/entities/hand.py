"""Small corpora to work out by hand, and the metrics once more as loops and sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus

LESS = "CUI-less"
Place = tuple[str, frozenset[int]]
"""A note and the characters of a span in it."""


class Said(NamedTuple):
    """A concept on the characters begin to end of a note; several ranges when discontinuous."""

    concept: str
    begin: int
    end: int
    note: str = "n1"
    score: float | None = None
    more: tuple[tuple[int, int], ...] = ()


def corpus(
    who: str, rows: Iterable[Said], texts: Mapping[str, str | None], meta: str | None = None
) -> Corpus:
    return Corpus.of(
        [Note(note, f"chart {note}", text=text, read_by=(who,)) for note, text in texts.items()],
        [
            Annotation(
                who,
                Code("UMLS", row.concept),
                f"chart {row.note}",
                row.note,
                tuple(Span(*part) for part in ((row.begin, row.end), *row.more)),
                row.score,
                meta={} if meta is None else {"type": meta},
            )
            for row in rows
        ],
    )


def places(rows: Iterable[Said]) -> dict[Place, set[str]]:
    found: dict[Place, set[str]] = {}
    for row in rows:
        parts = ((row.begin, row.end), *row.more)
        characters = frozenset(at for begin, end in parts for at in range(begin, end))
        if characters:
            found.setdefault((row.note, characters), set()).add(row.concept)
    return found


def overlap(one: Place, other: Place) -> bool:
    return one[0] == other[0] and bool(one[1] & other[1])


def any_right(gold: dict[Place, set[str]], given: dict[Place, set[str]]) -> list[bool]:
    return [bool(concepts & given.get(place, set())) for place, concepts in gold.items()]


def lenient(gold: dict[Place, set[str]], given: dict[Place, set[str]]) -> list[bool]:
    right = []
    for place, concepts in gold.items():
        hit = any(
            overlap(place, other) and (concepts & theirs) - {LESS}
            for other, theirs in given.items()
        )
        silent = not given.get(place, set()) - {LESS}
        right.append(hit or (LESS in concepts and silent))
    return right


def panel(
    gold: dict[Place, set[str]], given: dict[Place, set[str]]
) -> dict[str, tuple[int, int, int, int]]:
    """Found, to be found, right, given; without CUI-less but for spans."""
    held = {place: concepts - {LESS} for place, concepts in gold.items() if concepts - {LESS}}
    claims = [(place, c) for place, cs in given.items() for c in cs if c != LESS]
    pairs = [(place, c) for place, cs in held.items() for c in cs]
    strict_found = sum(bool(cs & given.get(place, set())) for place, cs in held.items())
    strict_right = sum(c in held.get(place, set()) for place, c in claims)

    def touches(place: Place, concept: str, sides: Sequence[tuple[Place, str]]) -> bool:
        return any(concept == c and overlap(place, other) for other, c in sides)

    found = sum(any(touches(place, c, claims) for c in cs) for place, cs in held.items())
    right = sum(touches(place, c, pairs) for place, c in claims)
    in_notes = {(place[0], c) for place, c in pairs}
    claimed = {(place[0], c) for place, c in claims}
    both = len(in_notes & claimed)
    letters = {(place[0], c, at) for place, c in pairs for at in place[1]}
    claimed_letters = {(place[0], c, at) for place, c in claims for at in place[1]}
    shared = len(letters & claimed_letters)
    matched = largest_matching(pairs, claims)
    same = sum(place in given for place in gold)
    return {
        "strict": (strict_found, len(held), strict_right, len(claims)),
        "overlap": (found, len(held), right, len(claims)),
        "overlap_paired": (matched, len(pairs), matched, len(claims)),
        "span": (same, len(gold), same, len(given)),
        "span_overlap": (
            sum(any(overlap(p, o) for o in given) for p in gold),
            len(gold),
            sum(any(overlap(p, o) for o in gold) for p in given),
            len(given),
        ),
        "note": (both, len(in_notes), both, len(claimed)),
        "characters": (shared, len(letters), shared, len(claimed_letters)),
    }


def largest_matching(
    pairs: Sequence[tuple[Place, str]], claims: Sequence[tuple[Place, str]]
) -> int:
    """By trying every order in which the shorter side chooses; for a handful only."""
    few, many = sorted((list(pairs), list(claims)), key=len)
    edges = [
        [at for at, (o, c) in enumerate(many) if c == concept and overlap(place, o)]
        for place, concept in few
    ]
    best = 0
    wanted = [e for e in edges if e]
    for order in permutations(wanted):
        taken: set[int] = set()
        for choices in order:
            free = [at for at in choices if at not in taken]
            taken.update(free[:1])
        best = max(best, len(taken))
        if best == len(wanted):
            break
    return best
