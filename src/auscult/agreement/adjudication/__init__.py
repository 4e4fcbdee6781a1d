"""Adjudication as data: a queue of disagreements, decisions, and the gold that follows."""

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.gold import gold, reviewed
from auscult.agreement.adjudication.queue import Item, Queue, make_queue
from auscult.agreement.adjudication.settle import Settlement, State, settle

__all__ = [
    "Decision",
    "Item",
    "Queue",
    "Settlement",
    "State",
    "gold",
    "make_queue",
    "reviewed",
    "settle",
]
