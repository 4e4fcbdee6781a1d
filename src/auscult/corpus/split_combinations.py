"""Dividing each combination of codes between the splits.

Whoever learns from train has then seen every combination that test asks for. Pestian et al. 2007,
section 4, made the 2007 challenge so, of combinations with two documents or more; and found that
what occurs once in train then occurs once in test, which gives it away. Their later rule is the
one here: combinations that occur once are kept, and go to train.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from auscult.core import Code, OptionError
from auscult.core.randomness import shuffled
from auscult.corpus.combinations import Coded, combinations
from auscult.corpus.corpus import Corpus
from auscult.corpus.split import Unit, group_of, place, require_notes, require_shares

TRAIN = "train"
Combination = frozenset[Code]
_MISSED = 0.05
"""How far a split may be from its share without a warning."""


@dataclass(frozen=True, slots=True)
class SplitPart:
    """What is in one split: its documents, and their combinations of codes."""

    split: str
    documents: int
    combinations: int
    only_here: int
    """Combinations that no other split has."""


def split_by_combination(
    corpus: Corpus,
    shares: Mapping[str, float],
    annotator: str,
    *,
    by: Unit = "subject",
    seed: int = 0,
) -> Corpus:
    """Divide the documents of each combination between the splits, by their shares.

    A document is a chart, or a note where `by` is note. The first of each combination goes to
    train; so do all that would be alone in another split with a combination that train lacks.
    With `by` subject, a patient's documents stay together, and shares are kept as far as that
    goes. The same seed and the same ids give the same splits, whatever the order of the notes.
    Shares that are missed by far are warned of, and a split without documents is an error: where
    hardly any two documents have the same codes, hardly any can be tested.

    >>> from auscult.core import Annotation, Note
    >>> cough, fever = Code("ICD-9-CM", "786.2"), Code("ICD-9-CM", "780.6")
    >>> given = {"a": cough, "b": cough, "c": cough, "d": cough, "e": fever}
    >>> coded = [Annotation("ann", code, name, name) for name, code in given.items()]
    >>> corpus = Corpus.of([Note(name, name) for name in given], coded)
    >>> made = split_by_combination(corpus, {"train": 0.5, "test": 0.5}, "ann")
    >>> [(note.note_id, note.split) for note in made.iter_notes()][-1]
    ('e', 'train')
    >>> made.notes["split"].to_list().count("test")
    2
    """
    require_notes(corpus)
    require_shares(shares)
    if TRAIN not in shares:
        raise OptionError(
            f"Combinations that occur once go to {TRAIN}, but there is no such split among "
            f"{', '.join(shares)}. Name one of them {TRAIN}."
        )
    unit: Coded = "note" if by == "note" else "chart"
    given = combinations(corpus, annotator, unit)
    if not any(given.values()):
        raise OptionError(f"{annotator} has no codes on any note, so there are no combinations.")
    owners = dict(
        corpus.lazy_notes.select(f"{unit}_id", group_of(corpus, by)).unique(maintain_order=True)
        .collect().iter_rows()
    )  # fmt: skip
    groups: dict[str, Counter[Combination]] = {}
    for name, codes in given.items():
        groups.setdefault(owners[name], Counter())[codes] += 1
    placed = _divided(groups, shares, random.Random(seed))
    _say_missed(groups, placed, shares)
    how = {"combinations": True, "annotator": annotator}
    return place(corpus, by, placed, {"shares": dict(shares), "by": by, "seed": seed, **how})


def parts_of(corpus: Corpus, annotator: str, unit: Coded = "chart") -> list[SplitPart]:
    """The documents and the combinations of codes that each split of a corpus has."""
    rows = (
        corpus.lazy_notes.select(f"{unit}_id", "split").drop_nulls().unique().collect().iter_rows()
    )
    split_of = dict(rows)
    held: dict[str, list[Combination]] = {}
    for name, codes in combinations(corpus, annotator, unit).items():
        if name in split_of:
            held.setdefault(split_of[name], []).append(codes)
    return [
        SplitPart(
            split,
            len(listed),
            len(set(listed)),
            len(set(listed).difference(*(held[other] for other in held if other != split))),
        )
        for split, listed in sorted(held.items())
    ]


def _say_missed(
    groups: Mapping[str, Counter[Combination]],
    placed: Mapping[str, str],
    shares: Mapping[str, float],
) -> None:
    """An error when a split is empty, a warning when it is far from its share."""
    number = Counter[str]()
    total: Counter[Combination] = Counter()
    for group, held in groups.items():
        number[placed[group]] += held.total()
        total.update(held)
    documents = total.total()
    alone = sum(count == 1 for count in total.values())
    why = (
        f"Of {documents:,} documents {alone:,} have a combination of codes that no other "
        f"document has; these go to {TRAIN}"
    )
    if empty := [name for name in shares if not number[name]]:
        raise OptionError(
            f"No document is left for {' and '.join(empty)}. {why}. Leave out --combinations to "
            "split at random, or remove such documents first: auscult corpus sample "
            "--combination-minimum 2"
        )
    missed = {
        name: number[name] / documents
        for name, share in shares.items()
        if abs(number[name] / documents - share) > _MISSED
    }
    if missed and abs(number[TRAIN] - shares[TRAIN] * documents) >= 1:
        said = ", ".join(
            f"{n} {100 * s:.0f}% for {100 * shares[n]:.0f}%" for n, s in missed.items()
        )
        warnings.warn(f"The requested shares could not be met: {said}. {why}.", stacklevel=3)


def _divided(
    groups: Mapping[str, Counter[Combination]], shares: Mapping[str, float], dice: random.Random
) -> dict[str, str]:
    """The split of each group, combination by combination, the rarest first.

    Iterative stratification (Sechidis et al. 2011), with whole combinations for labels.
    """
    total: Counter[Combination] = Counter()
    for held in groups.values():
        total.update(held)
    needs = {n: {codes: share * total[codes] for codes in total} for n, share in shares.items()}
    room = {name: share * sum(total.values()) for name, share in shares.items()}
    having: dict[Combination, list[str]] = {}
    for group in shuffled(sorted(groups), dice):
        for codes in groups[group]:
            having.setdefault(codes, []).append(group)
    placed: dict[str, str] = {}
    learned: set[Combination] = set()
    for codes in sorted(total, key=lambda codes: (total[codes], sorted(codes))):
        for group in having[codes]:
            if group in placed:
                continue
            name = TRAIN if codes not in learned else _neediest(needs, room, codes)
            placed[group] = name
            if name == TRAIN:
                learned.update(groups[group])
            for one, number in groups[group].items():
                needs[name][one] -= number
            room[name] -= groups[group].total()
    return _with_all_learned(placed, groups)


def _neediest(
    needs: Mapping[str, Mapping[Combination, float]], room: Mapping[str, float], codes: Combination
) -> str:
    """The split that lacks most of a combination; where all lack less than one, most of all."""
    name = max(needs, key=lambda name: needs[name][codes])
    if needs[name][codes] >= 1:
        return name
    lacking = [name for name in needs if needs[name][codes] > 1e-9] or list(needs)
    return max(lacking, key=lambda name: room[name])


def _with_all_learned(
    placed: dict[str, str], groups: Mapping[str, Counter[Combination]]
) -> dict[str, str]:
    """Moved to train: groups elsewhere that have a combination which train lacks.

    A patient placed for one combination may have been the only one with another.
    """
    learned = {codes for group, name in placed.items() if name == TRAIN for codes in groups[group]}
    for group, name in placed.items():
        if name != TRAIN and not learned.issuperset(groups[group]):
            placed[group] = TRAIN
            learned.update(groups[group])
    return placed
