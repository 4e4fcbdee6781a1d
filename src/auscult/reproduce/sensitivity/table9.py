"""Sensitivity, Table 9: the ranks of 49 words by clinicians and two classifiers, second half."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_ranks

REPRODUCTION = of_ranks(9)
