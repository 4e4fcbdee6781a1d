"""From what people fill in, in a sheet or in lines, to decisions: what both have to hold."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from auscult.agreement.adjudication.decision import Decision, outcome, read_choice
from auscult.agreement.adjudication.people import named
from auscult.agreement.adjudication.queue import Item, Queue
from auscult.agreement.disagreements import Statement
from auscult.core import OptionError

_ITEM_ID = re.compile(r"q[0-9a-f]{4,20}")


@dataclass(frozen=True, slots=True)
class Deciding:
    """A queue that decisions are about, and who decided and when where they do not say."""

    queue: Queue
    who: str | None = None
    when: str | None = None
    _items: dict[str, Item] = field(default_factory=dict, repr=False)
    _annotators: list[str] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, queue: Queue, *, who: str | None = None, when: str | None = None) -> Deciding:
        """With the names of all who annotated the corpus, so that they are known apart."""
        table = queue.said.corpus.annotations.select("annotator").unique().collect()
        return cls(queue, who, when, queue.by_id(), table["annotator"].to_list())

    def item(self, item_id: str) -> Item:
        """The item of an id; an error repeats nothing that does not look like one."""
        found = self._items.get(item_id)
        if found is None:
            shown = item_id if _ITEM_ID.fullmatch(item_id) else "What is under item"
            raise OptionError(f"{shown} is no item of this queue. {self.queue.why_unknown}.")
        return found

    def made(
        self,
        item: Item,
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
                raise OptionError("there is an edit and no decision; write edit")
            return []
        if not (who.strip() or self.who):
            raise OptionError("it does not say who decided; fill in who, or pass --who")
        if not (when.strip() or self.when):
            raise OptionError("it does not say when it was decided; fill in when, or pass --when")
        person = who.strip() or self.who or ""
        decision = Decision(
            item.item_id,
            read_choice(choice, item.coders),
            person if supervisor else named(person, item.coders, self._annotators),
            when.strip() or self.when or "",
            why,
            round,
            supervisor,
            edit,
        )
        outcome(item, decision)
        return [decision]
