"""Sensitivity, Table 6: word sensitivity of the language model, first occurrences replaced."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_words

REPRODUCTION = of_words(6, "bert", is_multiple=False)
