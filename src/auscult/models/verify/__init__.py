"""An optional verifier: a language model accepts, rejects or corrects single codes of a model.

It is asked about one candidate at a time and chooses among answers that the code book allows, so
it never adds a code of its own. Any server with OpenAI's chat completions will do; by default only
one on this machine or in a private network is asked.
"""

from __future__ import annotations

from auscult.models.verify.run import VerifiedResult, verify, verify_corpus
from auscult.models.verify.verifier import Verifier

__all__ = ["VerifiedResult", "Verifier", "verify", "verify_corpus"]
