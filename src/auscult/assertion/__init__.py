"""Assertion detection: whether a condition is present, negated, uncertain and so on."""

from __future__ import annotations

from auscult.assertion.assertion import Assertion
from auscult.assertion.scopes import Scope, Scopes

__all__ = ["Assertion", "Scope", "Scopes"]
