"""Turn filled-in rows or JSON lines into decisions, with the checks that both share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from auscult.agreement.adjudication.decision import Decision, outcome, read_choice
from auscult.agreement.adjudication.people import named
from auscult.agreement.adjudication.queue import Queue, QueueItem
from auscult.agreement.disagreements import Statement
from auscult.core import OptionError

_ITEM_ID = re.compile(r"q[0-9a-f]{4,20}")


@dataclass(frozen=True, slots=True)
class DecisionReader:
    """The queue that decisions refer to, and default values for who decided and when."""

    queue: Queue
    who: str | None = None
    when: str | None = None
    _items: dict[str, QueueItem] = field(default_factory=dict, repr=False)
    _annotators: list[str] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, queue: Queue, *, who: str | None = None, when: str | None = None) -> DecisionReader:
        """With the names of all who annotated the corpus, so that they are known apart."""
        table = queue.annotations.corpus.lazy_annotations.select("annotator").unique().collect()
        return cls(queue, who, when, queue.by_id(), table["annotator"].to_list())

    def item(self, item_id: str) -> QueueItem:
        """The item of an id; an error repeats nothing that does not look like one."""
        found = self._items.get(item_id)
        if found is None:
            shown = item_id if _ITEM_ID.fullmatch(item_id) else "The cell under item"
            raise OptionError(f"{shown} is not an item of this queue. {self.queue.why_unknown}.")
        return found

    def made(
        self,
        item: QueueItem,
        choice: str,
        *,
        who: str,
        when: str,
        why: str,
        round: int,  # noqa: A002 - the word that people use
        supervisor: bool,
        edit: tuple[Statement, ...],
    ) -> list[Decision]:
        """The decision, or none where nothing was chosen."""
        if not choice.strip():
            if edit:
                raise OptionError("the row has an edit but no decision; write edit under decision")
            return []
        if not (who.strip() or self.who):
            raise OptionError("who is empty; fill it in, or pass --decided-by")
        if not (when.strip() or self.when):
            raise OptionError("when is empty; fill it in, or pass --decided-on")
        person = who.strip() or self.who or ""
        decision = Decision(
            item.item_id,
            read_choice(choice, item.annotators),
            person if supervisor else named(person, item.annotators, self._annotators),
            when.strip() or self.when or "",
            why,
            round,
            supervisor,
            edit,
        )
        outcome(item, decision)
        return [decision]
