"""Sensitivity, Table 8: the ranks of 49 words by clinicians and two classifiers, first half."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_ranks

REPRODUCTION = of_ranks(8)
