"""Sensitivity, Figure 1: the language model's ranks by word frequency."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_frequency

REPRODUCTION = of_frequency(1, "bert", -0.60)
