"""Sensitivity, Table 4: the scores of words by the language model, all occurrences replaced."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_words

REPRODUCTION = of_words(4, "bert", is_multiple=True)
