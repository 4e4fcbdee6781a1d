"""Surnames that are words, or that no list has, behind a title and an initial: none may show."""

from __future__ import annotations

from itertools import product

from auscult.core import Note
from auscult.deid import builtin, detect

TITLES = ("Dr.", "Mr.", "Mrs.", "Ms.", "Prof.")
INITIALS = ("A.", "J.", "S.")
WORDS = (
    "Long", "Short", "Young", "White", "Black", "Brown", "Green", "Gray", "Day", "May", "Good",
    "Best", "Rich", "Wise", "Sharp", "Strong", "Small", "Little", "Low", "Hall", "Hill", "Stone",
    "Wood", "Cook", "Baker", "Head", "Hand", "Foot", "Child", "Ward", "Page", "Price", "Love",
    "Hope", "Fall", "Winter", "Burns", "Payne", "Most", "Last", "Will", "Can", "Her", "He", "On",
    "In", "An", "So", "No", "My", "You", "Both", "Patient",
)  # fmt: skip
FOREIGN = (
    "Kiraly", "Yilmaz", "Ganguly", "Elsayed", "Okonkwo", "Venkataraman", "Szczepanski", "Nguyen",
    "Adeyemi", "Thorvaldsen", "Petrossian", "Kowalczyk", "Bhattacharya", "Haile", "Quispe",
    "Tsang", "Ozturk", "Papadakis", "Mbeki", "Lindqvist", "Horvath", "Demir", "Ismail", "Xiong",
)  # fmt: skip
FRAMES = (
    "Seen by {} yesterday.",
    "{} saw him in clinic.",
    "{} will follow him tomorrow.",
    "Case discussed with {}, who agrees.",
    "{} recommends a scan.",
    "{} and the team were at the bedside.",
    "Paged {} at 14:30.",
    "{} - cardiology",
    "{} Phone 555 0100",
    "f/u w/ {} next week",
    "Reviewed {}'s note.",
    "Seen by {}\nPlan: rest.",
    "{} & family spoke.",
    "{}, MD, signed.",
    "Per {} hold the warfarin.",
    "{} is on call tonight.",
    "{} put in a central line.",
    "{} therapy notes were reviewed.",
    "{} notified of results (see chart).",
    "{} has been paged twice.",
    "{} thinks that this is viral.",
    "Attending: {}",
    "{} for the surgical team",
    "{} at bedside, updated the family.",
    "{} to see in the morning.",
    "{} count was discussed.",
    "{} started him on heparin.",
    "{} does not want further tests.",
    "{} family meeting was arranged.",
    "{} pain clinic was called.",
    "{} with the residents on rounds",
    "{} on the phone.",
    "{} discharge summary to follow.",
    "{} was admitted last week.",
    "{} denied the request, per nurse.",
)


def test_surnames_that_are_words_are_hidden_behind_title_and_initial() -> None:
    notes, asked = [], []
    for title, initial, name, frame in product(TITLES, INITIALS, WORDS + FOREIGN, FRAMES):
        text = frame.format(f"{title} {initial} {name}")
        begin = text.index(f" {initial} {name}") + len(initial) + 2
        notes.append(text)
        asked.append((begin, begin + len(name)))
    shown = []
    for text, (begin, end) in zip(notes, asked, strict=True):
        (found,) = detect([Note("n", "c", text=text)], builtin())
        if not any(one.hide and one.begin <= begin and end <= one.end for one in found):
            shown.append(text)
    assert len(notes) > 30_000
    assert len(shown) <= 0.01 * len(notes), sorted(set(shown))[:20]
