"""Evaluation of named entity recognition and entity linking."""

from auscult.evaluate.entities.benchmark import evaluate_entities
from auscult.evaluate.entities.causes import ErrorCause
from auscult.evaluate.entities.counting import RULES
from auscult.evaluate.entities.gather import as_one
from auscult.evaluate.entities.result import EntitiesResult, EntityMistake
from auscult.evaluate.entities.settings import CuiLess, Direct, EntitySettings, Popular, Silence
from auscult.evaluate.entities.systems import systems_in, training_in

__all__ = [
    "RULES",
    "CuiLess",
    "Direct",
    "EntitiesResult",
    "EntityMistake",
    "EntitySettings",
    "ErrorCause",
    "Popular",
    "Silence",
    "as_one",
    "evaluate_entities",
    "systems_in",
    "training_in",
]
