"""Combine the findings of a note with the review decisions, and detect conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from auscult.core import AuscultError, CorpusError, OptionError
from auscult.core.names import shown
from auscult.deid.phi_span import PhiSpan, resolved
from auscult.deid.review import ReviewChoice, ReviewDecision, item_id


@dataclass(frozen=True, slots=True)
class DecidedFinding:
    """Each finding with its decision, None where there is none.

    `problems` are decisions that cannot be followed. In a note that goes as a whole all findings
    are decided on.
    """

    findings: Sequence[tuple[PhiSpan, ReviewDecision | None]]
    is_deleted: bool = False
    problems: Sequence[AuscultError] = field(default=())

    @property
    def doubtful(self) -> int:
        """How many findings are in doubt."""
        return sum(bool(found.doubt) for found, _ in self.findings)

    @property
    def undecided(self) -> int:
        """How many of those nobody decided on."""
        if self.is_deleted:
            return 0
        return sum(bool(found.doubt) and decision is None for found, decision in self.findings)


def apply_decisions(
    note_id: str, text: str, found: Sequence[PhiSpan], decisions: Sequence[ReviewDecision]
) -> DecidedFinding:
    """The findings of a note with the decision on each; additions take precedence."""
    if not decisions:
        return DecidedFinding([(one, None) for one in found])
    if any(one.choice is ReviewChoice.DELETE for one in decisions):
        return DecidedFinding([(one, None) for one in found], is_deleted=True)
    by_item = {one.item_id: one for one in decisions}
    there = {item_id(note_id, one): one for one in found}
    # Another version, or other options, may find other things: what was decided holds all the same.
    additions = [one for one in decisions if one.added or one.item_id not in there]
    fitting, problems = _fitting(additions, note_id, text)
    for addition, place in fitting:
        for key, one in there.items():
            decision = by_item.get(key)
            overlaps = one.begin < place.end and place.begin < one.end
            if overlaps and decision is not None and _differs(decision, addition):
                problems.append(_contradiction(decision, addition))
    problems += [_changed(one, note_id) for one in decisions if not _is_written(one, text)]
    made = [
        place._replace(hide=addition.choice is not ReviewChoice.KEEP) for addition, place in fitting
    ]
    listed = resolved(list(found), made, text=text)
    return DecidedFinding(
        [(one, by_item.get(item_id(note_id, one)) or _around(one, fitting)) for one in listed],
        problems=problems,
    )


def _fitting(
    additions: Sequence[ReviewDecision], note_id: str, text: str
) -> tuple[list[tuple[ReviewDecision, PhiSpan]], list[AuscultError]]:
    """The additions that lie in the text and do not overlap, and what is wrong with the others."""
    problems: list[AuscultError] = []
    inside: list[tuple[ReviewDecision, PhiSpan]] = []
    for one in additions:
        place = one.added or one.place
        if place is None:
            problems.append(_changed(one, note_id))
        elif place.end > len(text):
            problems.append(
                CorpusError(
                    f"An addition to note {shown(note_id)} ({one.named}) ends past its "
                    f"{len(text)} characters. Offsets count Unicode code points of the note in "
                    "the corpus."
                )
            )
        else:
            inside.append((one, place))
    inside.sort(key=lambda pair: pair[1])
    for (first, before), (second, after) in pairwise(inside):
        if after.begin < before.end:
            problems.append(
                CorpusError(
                    f"Two additions to note {shown(note_id)} ({first.named} and {second.named}) "
                    f"overlap at character {after.begin}. Merge them into one row."
                )
            )
            return [], problems
    return inside, problems


def _differs(decision: ReviewDecision, addition: ReviewDecision) -> bool:
    same = (decision.choice, decision.replacement) == (addition.choice, addition.replacement)
    return decision.item_id != addition.item_id and not same


def _contradiction(decision: ReviewDecision, addition: ReviewDecision) -> AuscultError:
    return OptionError(
        f"The finding of {decision.named} is decided as {decision.choice}, and an addition over it "
        f"({addition.named}) as {addition.choice}. Keep one of the two rows."
    )


def _changed(decision: ReviewDecision, note_id: str) -> AuscultError:
    return CorpusError(
        f"The finding of {decision.named} is not in note {shown(note_id)}: the note has "
        "changed, or the queue belongs to another corpus. Create the queue again."
    )


def _is_written(decision: ReviewDecision, text: str) -> bool:
    """Whether the words of a row stand where it says; a spreadsheet may have changed blanks."""
    place = decision.place
    if place is None or decision.words is None or place.end > len(text):
        return True
    there = text[place.begin : place.end]
    return "".join(decision.words.split()) == "".join(there.split())


def _around(
    found: PhiSpan, additions: Sequence[tuple[ReviewDecision, PhiSpan]]
) -> ReviewDecision | None:
    """The decision of an addition that a finding grew from."""
    for decision, place in additions:
        same = decision.choice is not ReviewChoice.KEEP and place.kind is found.kind
        if same and found.begin <= place.begin and place.end <= found.end:
            return decision
    return None
