"""Sensitivity, Figure 1: the language model's ranks over how often words come."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_frequency

REPRODUCTION = of_frequency(1, "bert", -0.60)
