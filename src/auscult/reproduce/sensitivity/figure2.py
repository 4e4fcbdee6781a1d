"""Sensitivity, Figure 2: the trees' ranks over how often words come."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_frequency

REPRODUCTION = of_frequency(2, "trees", -0.62)
