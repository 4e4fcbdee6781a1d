"""Recognisers, one file each: what in a note may identify someone."""

from auscult.corpus.deid.recognisers.ages import Ages
from auscult.corpus.deid.recognisers.contacts import Contacts
from auscult.corpus.deid.recognisers.contract import Recogniser, Sight
from auscult.corpus.deid.recognisers.dates import Dates
from auscult.corpus.deid.recognisers.hospitals import Hospitals
from auscult.corpus.deid.recognisers.ids import Ids
from auscult.corpus.deid.recognisers.names import Names
from auscult.corpus.deid.recognisers.phones import Phones
from auscult.corpus.deid.recognisers.places import Places
from auscult.corpus.deid.recognisers.scripts import Scripts
from auscult.corpus.deid.recognisers.small import SmallNames

__all__ = ["Recogniser", "Sight", "builtin"]


def builtin() -> tuple[Recogniser, ...]:
    """The recognisers that come with Auscult."""
    return (
        Names(),
        SmallNames(),
        Scripts(),
        Dates(),
        Ages(),
        Phones(),
        Ids(),
        Contacts(),
        Hospitals(),
        Places(),
    )
