"""Adjudication: a queue of disagreements, decisions about them, and the resulting gold standard."""

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.gold import gold, reviewed
from auscult.agreement.adjudication.queue import Queue, QueueItem, make_queue
from auscult.agreement.adjudication.resolution import Resolution, State, resolve

__all__ = [
    "Decision",
    "Queue",
    "QueueItem",
    "Resolution",
    "State",
    "gold",
    "make_queue",
    "resolve",
    "reviewed",
]
