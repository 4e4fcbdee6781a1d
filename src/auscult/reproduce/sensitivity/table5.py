"""Sensitivity, Table 5: the scores of words by tf-idf and trees, all occurrences replaced."""

from __future__ import annotations

from auscult.reproduce.sensitivity.scores import of_words

REPRODUCTION = of_words(
    5,
    "trees",
    is_multiple=True,
    remark="As printed, ten of its scores are those of Table 4, and its ranks do not "
    "follow its scores: the scores are an error in the paper, the ranks may be "
    "correct.",
)
