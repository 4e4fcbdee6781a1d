"""Assertion detection: whether a condition is present, negated, uncertain and so on."""

from __future__ import annotations

from auscult.assertion.assertion import Assertion
from auscult.assertion.scopes import Scope, Scopes
from auscult.assertion.sentences import sentence_edges

__all__ = ["Assertion", "Scope", "Scopes", "sentence_edges"]
