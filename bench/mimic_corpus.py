"""Charts of the size and shape of MIMIC-III's, made at random: tables and evidence.

One discharge summary a chart, of 1,400 words on average (log-normal), in sections. Words and stock
phrases follow Zipf's law. There are up to 8,921 codes, ten to a category, about 14 on a chart, and
most codes are rare. Each code has three phrases of its own, made of words that other phrases use
too, one of them with the word of its category. A chart mentions six of seven of its codes, and a
few codes that it does not have. The same seed gives the same bytes.

Words are made up, so that no language and no code book knows them. In the English form the codes
are those of ICD-9-CM, and the text is English (`bench/mimic_english.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from bench import mimic_english as english

CODES = 8_921
WORDS, STOCK = 50_000, 40_000
"""Number of words, and of stock phrases of two to five words."""
MEAN, SIGMA = 1_400, 0.5
"""Mean length of a chart, and the standard deviation of its logarithm."""
PER_CHART = 15
"""Mean number of codes drawn for a chart; about 14 are different."""
MENTIONED = 6 / 7
"""Share of the codes of a chart that its text mentions."""
OTHERS = 5
"""Mean number of codes that a chart mentions and does not have."""
PHRASES = 3
EVIDENCE = 300
"""Number of charts with evidence."""
NAMES = 20_000
"""Number of people's names in English charts."""
_BATCH = 2_000
_HEADINGS = (
    "Chief Complaint", "History of Present Illness", "Past Medical History", "Social History",
    "Physical Exam", "Pertinent Results", "Brief Hospital Course", "Medications on Admission",
    "Discharge Medications", "Discharge Diagnosis", "Discharge Condition", "Followup Instructions",
)  # fmt: skip
_ONSETS = ("b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl")

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Language:
    """The units that charts are made of: words, stock phrases, phrases of codes, headings.

    After these come beginnings of sentences for phrases, if there are any, and the full stop.
    """

    units: list[str]
    length: Numbers
    """The number of words of each unit."""
    values: list[str]
    """The codes, the most frequent first, dotted."""
    words: int = WORDS
    """How many of the units are words."""
    stock: float = 0.33
    """Share of stock phrases among the units that are neither headings nor phrases of codes."""
    stops: float = 0.08
    """Share of full stops among these."""
    mean: float = 1.75
    """How many words such a unit has on average."""
    own: int = 0
    other: int = 0
    """Number of beginnings of sentences for codes of the chart, and for others."""

    @classmethod
    def make(cls, codes: int, seed: int) -> Language:
        """Draw words, phrases and the categories of codes."""
        dice = np.random.default_rng((seed, 0))
        words = _words(dice)
        sizes = dice.integers(2, 6, STOCK)
        drawn = [words[at] for at in zipf(dice, WORDS, int(sizes.sum()), 3).tolist()]
        edges = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        stock = [" ".join(drawn[edges[at] : edges[at + 1]]) for at in range(STOCK)]
        category = dice.permutation(codes) // 10
        heads = dice.choice(np.arange(500, WORDS // 3), category.max() + 1, replace=False)
        own = dice.integers(300, WORDS // 3, (codes, 5)).tolist()
        phrases: list[str] = []
        values: list[str] = []
        taken: dict[int, int] = {}
        for code, number in enumerate(category.tolist()):
            one, two, three, four, five = (words[at] for at in own[code])
            phrases += [f"{one} {words[heads[number]]}", f"{two} {three}", f"{four} {five} {one}"]
            taken[number] = place = taken.get(number, -1) + 1
            # Three digits before the dot, as in ICD-9-CM: more categories have one after it.
            few = category.max() + 1 < 1_000
            values.append(
                f"{number + 1:03d}.{place}" if few else f"{number // 10:03d}.{number % 10}{place}"
            )
        headings = [f"\n\n{heading}:\n" for heading in _HEADINGS]
        units = [*words, *stock, *phrases, *headings, ".\n"]
        return cls(units, np.array([len(unit.split()) for unit in units]), values)

    @classmethod
    def english(cls, codes: int, seed: int) -> Language:
        """Draw codes of ICD-9-CM, and fill stock sentences."""
        dice = np.random.default_rng((seed, 0))
        people = english.names(dice, NAMES)
        stock = english.sentences(dice, STOCK, people)
        drawn = english.descriptions(dice, codes)
        phrases = [phrase for _, said in drawn for phrase in english.wordings(said)]
        headings = [f"\n\n{heading}:\n" for heading in _HEADINGS]
        people = [f"Seen with Dr. {name}.\n" for name in people]
        begins = (*english.OWN, *english.OTHER)
        units = [*people, *stock, *phrases, *headings, *begins, ".\n"]
        length = np.array([len(unit.split()) for unit in units])
        often = 1 / (np.arange(STOCK) + 3)
        mean = float(length[NAMES : NAMES + STOCK] @ often / often.sum())
        return cls(
            units, length, [value for value, _ in drawn], NAMES,
            stock=0.95, stops=0.0, mean=mean, own=len(english.OWN), other=len(english.OTHER),
        )  # fmt: skip

    @property
    def first_phrase(self) -> int:
        """The first unit that is a phrase of a code."""
        return self.words + STOCK

    @property
    def first_heading(self) -> int:
        """The first unit that is a heading."""
        return self.first_phrase + PHRASES * len(self.values)

    @property
    def first_begin(self) -> int:
        """The first unit that begins a sentence."""
        return self.first_heading + len(_HEADINGS)


@dataclass(frozen=True, eq=False)
class MadeChart:
    """A chart: its codes, and its units with the code that each is a phrase of, or -1."""

    codes: list[int]
    units: list[int]
    of_code: list[int]


def write_tables(
    folder: Path,
    charts: int,
    *,
    codes: int = CODES,
    evidence: int = EVIDENCE,
    seed: int = 0,
    is_english: bool = False,
) -> None:
    """Write NOTEEVENTS and DIAGNOSES_ICD, and the evidence of some charts as JSON lines."""
    language = Language.english(codes, seed) if is_english else Language.make(codes, seed)
    (folder / "mimic3").mkdir(parents=True)
    (folder / "evidence").mkdir()
    drawn = np.random.default_rng((seed, 1)).permutation(charts)
    with_evidence = set(drawn[:evidence].tolist())
    row = 0
    with (
        (folder / "mimic3" / "NOTEEVENTS.csv").open("w", encoding="utf-8") as notes,
        (folder / "mimic3" / "DIAGNOSES_ICD.csv").open("w", encoding="utf-8") as billed,
        (folder / "evidence" / "annotations.jsonl").open("w", encoding="utf-8") as pointed,
    ):
        notes.write("ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CATEGORY,TEXT\n")
        billed.write("ROW_ID,SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n")
        for at, one in enumerate(_charts(language, charts, codes, seed)):
            # Every fifth chart is of the patient of the one before.
            admission, patient = 100_000 + at, 10_000 + at - at // 5
            parts = [language.units[unit] for unit in one.units]
            notes.write(f"{at + 1},{patient},{admission},2150-01-01,Discharge summary,")
            notes.write(f'"{" ".join(parts)}"\n')
            for place, code in enumerate(one.codes, 1):
                row += 1
                value = language.values[code].replace(".", "")
                billed.write(f"{row},{patient},{admission},{place},{value}\n")
            if at in with_evidence:
                for found in _evidence(language, one, parts):
                    line = {"note_id": str(at + 1), "chart_id": str(admission), **found}
                    pointed.write(json.dumps(line) + "\n")


def zipf(
    dice: np.random.Generator, size: int, many: int, shift: float, slope: float = 1.0
) -> Numbers:
    """Ranks by Zipf's law, the most frequent ones flattened by a shift."""
    share = np.cumsum(1 / (np.arange(size) + shift) ** slope)
    found: Numbers = np.searchsorted(share, dice.random(many) * share[-1])
    return np.minimum(found, size - 1)


def _words(dice: np.random.Generator) -> list[str]:
    """Different words, frequent ones shorter."""
    syllables = [onset + vowel for onset in _ONSETS for vowel in "aeiou"]
    found: dict[str, None] = {}
    while len(found) < WORDS:
        size = 1 + min(4, len(found) // 50 and 1 + len(found) // 2_000)
        found["".join(syllables[at] for at in dice.integers(0, len(syllables), size).tolist())] = (
            None
        )
    return list(found)


def _charts(language: Language, charts: int, codes: int, seed: int) -> Iterator[MadeChart]:
    for first in range(0, charts, _BATCH):
        dice = np.random.default_rng((seed, 2, first))
        yield from _batch(dice, language, min(_BATCH, charts - first), codes)


def _batch(
    dice: np.random.Generator, language: Language, charts: int, codes: int
) -> Iterator[MadeChart]:
    every = np.arange(charts)
    how_many = np.maximum(1, dice.lognormal(np.log(PER_CHART) - 0.08, 0.4, charts)).astype(np.int64)
    drawn = zipf(dice, codes, int(how_many.sum()), 7, 1.1)
    owner, code = np.unique(np.stack([np.repeat(every, how_many), drawn]), axis=1)
    said = np.flatnonzero(dice.random(len(code)) < MENTIONED)
    said = np.repeat(said, 1 + dice.poisson(0.7, len(said)))
    foreign = dice.poisson(OTHERS, charts)
    named = np.concatenate([code[said], zipf(dice, codes, int(foreign.sum()), 7, 1.1)])
    phrases = language.first_phrase + named * PHRASES + dice.integers(0, PHRASES, len(named))
    phrase_owner = np.concatenate([owner[said], np.repeat(every, foreign)])
    length = np.maximum(60, dice.lognormal(np.log(MEAN) - SIGMA**2 / 2, SIGMA, charts))
    length -= np.bincount(phrase_owner, language.length[phrases], charts)
    filling = np.maximum(10, length / language.mean).astype(np.int64)
    total = int(filling.sum())
    kind = dice.random(total)
    fill = np.where(
        kind < language.stock,
        language.words + zipf(dice, STOCK, total, 3),
        zipf(dice, language.words, total, 3),
    )
    fill[kind > 1 - language.stops] = len(language.units) - 1
    headings = np.arange(len(_HEADINGS))
    units = np.concatenate([phrases, fill, np.tile(language.first_heading + headings, charts)])
    owners = np.concatenate(
        [phrase_owner, np.repeat(every, filling), np.repeat(every, len(headings))]
    )
    place = np.concatenate(
        [dice.random(len(phrases) + total), np.tile(headings / len(headings), charts)]
    )
    if language.own:
        begins = np.concatenate(
            [
                dice.integers(0, language.own, len(said)),
                language.own + dice.integers(0, language.other, int(foreign.sum())),
            ]
        )
        stops = np.full(len(phrases), len(language.units) - 1)
        units = np.concatenate([language.first_begin + begins, units, stops])
        owners = np.concatenate([phrase_owner, owners, phrase_owner])
        # Equal places stay in this order: beginning, phrase, full stop.
        place = np.concatenate([place[: len(phrases)], place, place[: len(phrases)]])
    order = np.argsort(owners + place, kind="stable")
    units, owners = units[order], owners[order]
    of_code = np.where(
        (units >= language.first_phrase) & (units < language.first_heading),
        (units - language.first_phrase) // PHRASES,
        -1,
    )
    edges = np.searchsorted(owners, np.arange(charts + 1)).tolist()
    starts = np.searchsorted(owner, np.arange(charts + 1)).tolist()
    for at in range(charts):
        part = slice(edges[at], edges[at + 1])
        having = dice.permutation(code[starts[at] : starts[at + 1]]).tolist()
        yield MadeChart(having, units[part].tolist(), of_code[part].tolist())


def _evidence(
    language: Language, chart: MadeChart, parts: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The phrases of a chart's own codes, as annotations."""
    has, begin = set(chart.codes), 0
    for code, part in zip(chart.of_code, parts, strict=True):
        if code in has:
            value = language.values[code]
            yield {
                "annotator": "billing",
                "system": "ICD-9-CM",
                "code": value,
                "spans": [[begin, begin + len(part)]],
                "score": None,
            }
        begin += len(part) + 1
