"""How far people agree, what the consensus is, and who settles the rest."""

from auscult.agreement.agree import Agreement, CodeAgreement, agree
from auscult.agreement.disagreements import Cause, Disagreement, Statement
from auscult.agreement.ratings import Ratings
from auscult.agreement.said import Seen
from auscult.agreement.similarity import Distance
from auscult.agreement.units import Unit

__all__ = [
    "Agreement",
    "Cause",
    "CodeAgreement",
    "Disagreement",
    "Distance",
    "Ratings",
    "Seen",
    "Statement",
    "Unit",
    "agree",
]
