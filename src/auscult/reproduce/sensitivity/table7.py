"""Sensitivity, Table 7: the scores of words by tf-idf and trees, the first occurrence replaced."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_words

REPRODUCTION = of_words(7, "trees", is_multiple=False)
