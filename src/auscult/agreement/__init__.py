"""Inter-annotator agreement, majority annotations and adjudication."""

from auscult.agreement.agree import Agreement, CodeAgreement, agree
from auscult.agreement.annotation_table import SeenCharts
from auscult.agreement.disagreements import Disagreement, DisagreementCause, Statement
from auscult.agreement.ratings import Ratings
from auscult.agreement.similarity import Distance
from auscult.agreement.units import AgreementUnit
from auscult.core.callable_module import make_callable

__all__ = [
    "Agreement",
    "AgreementUnit",
    "CodeAgreement",
    "Disagreement",
    "DisagreementCause",
    "Distance",
    "Ratings",
    "SeenCharts",
    "Statement",
    "agree",
]

make_callable(__name__)
