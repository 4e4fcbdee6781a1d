"""How a condition is meant where it is named: present, negated, uncertain and so on."""

from __future__ import annotations

from auscult.assertion.assertion import Assertion
from auscult.assertion.scopes import Scope, Scopes

__all__ = ["Assertion", "Scope", "Scopes"]
