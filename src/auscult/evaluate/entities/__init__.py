"""Concepts in text: who finds them, who knows which is meant, and where each fails."""

from auscult.evaluate.entities.benchmark import evaluate_entities
from auscult.evaluate.entities.causes import Cause
from auscult.evaluate.entities.choosing import systems_in, training_in
from auscult.evaluate.entities.counting import RULES
from auscult.evaluate.entities.gather import as_one
from auscult.evaluate.entities.result import EntitiesResult, Wrong
from auscult.evaluate.entities.settings import CuiLess, Direct, Popular, Settings, Silence

__all__ = [
    "RULES",
    "Cause",
    "CuiLess",
    "Direct",
    "EntitiesResult",
    "Popular",
    "Settings",
    "Silence",
    "Wrong",
    "as_one",
    "evaluate_entities",
    "systems_in",
    "training_in",
]
