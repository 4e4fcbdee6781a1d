"""PHI recognizers, one module each."""

from auscult.deid.recognizers.ages import AgeRecognizer
from auscult.deid.recognizers.contacts import ContactRecognizer
from auscult.deid.recognizers.contract import NoteView, Recognizer
from auscult.deid.recognizers.dates import DateRecognizer
from auscult.deid.recognizers.hospitals import HospitalRecognizer
from auscult.deid.recognizers.ids import IdRecognizer
from auscult.deid.recognizers.lowercase_names import LowercaseNameRecognizer
from auscult.deid.recognizers.names import NameRecognizer
from auscult.deid.recognizers.phones import PhoneRecognizer
from auscult.deid.recognizers.places import PlaceRecognizer
from auscult.deid.recognizers.scripts import ScriptRecognizer

__all__ = ["NoteView", "Recognizer", "builtin"]


def builtin() -> tuple[Recognizer, ...]:
    """The built-in recognizers."""
    return (
        NameRecognizer(),
        LowercaseNameRecognizer(),
        ScriptRecognizer(),
        DateRecognizer(),
        AgeRecognizer(),
        PhoneRecognizer(),
        IdRecognizer(),
        ContactRecognizer(),
        HospitalRecognizer(),
        PlaceRecognizer(),
    )
