"""Sensitivity, Figure 2: the tree model's ranks by word frequency."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_frequency

REPRODUCTION = of_frequency(2, "trees", -0.62)
