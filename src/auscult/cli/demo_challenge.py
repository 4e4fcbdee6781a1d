"""The part of the demo about shared tasks: a vote as gold, submissions, and who won."""

from __future__ import annotations

import csv
import random
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from auscult.agreement.majority import Level, majority
from auscult.challenge import Challenge, create, leaderboard, submit
from auscult.cli.demo_agreement import CODERS
from auscult.cli.demo_part import DemoPart
from auscult.core import Code
from auscult.corpus import Corpus
from auscult.corpus.sampling import SamplingPlan, sample
from auscult.corpus.split import split_at_random
from auscult.evaluate.system_ranking import analyze
from auscult.report.challenge_report import challenge_report
from auscult.report.page import PageLink
from auscult.synth.submissions import noisy_answers

PAGE = "challenge.html"
_TEAMS = 16
_RESAMPLES = 300
_SHARES = {"train": 0.5, "test": 0.5}
_CHARTS = 4
"""Charts a code needs to be asked for: with fewer, train would seldom have it."""
_CODES = 10
"""Codes to be asked for at least; in a small hospital rare ones have to do."""


def show_challenge(coded: Corpus, out: Path, *, seed: int) -> DemoPart:
    """Make a challenge of the charts that three people coded, and let made-up teams take part.

    Leaves the challenge `challenge` and the files `submissions` in `out`.
    """
    vote = majority(coded, CODERS, votes=2, unit=Level.CHART)
    asked = _asked(Counter(one.code for one in vote.annotations))
    said = [one for one in (*coded.iter_annotations(), *vote.annotations) if one.code in asked]
    voted = coded.select(annotators=[]).with_annotations(said)
    kept = sample(voted, SamplingPlan(annotator="majority", coded=True)).corpus
    split = split_at_random(kept, _SHARES, seed=seed)
    with warnings.catch_warnings():
        # Charts have many codes, so that combinations seldom recur, and test may have codes that
        # train lacks. The page says what that does to the systems.
        warnings.filterwarnings("ignore", message=r".* (codes|documents) of test")
        task = create(split, out / "challenge", gold="majority", humans=CODERS)
    files = _submissions(task, out / "submissions", random.Random(seed))
    for team, file in files.items():
        submit(task, team, file)
    found = leaderboard(task, times=_RESAMPLES)
    challenge_report(
        found,
        analyze(found),
        out / "report" / PAGE,
        name="A challenge on the synthetic hospital",
        home="index.html",
    )
    names = [row.name for row in found.rows]
    behind = sum(names.index(row.name) > names.index(found.systems[0].name) for row in found.humans)
    page = PageLink(
        PAGE,
        "A shared task",
        f"{len(files)} made-up systems and {len(CODERS)} people, ranked with intervals: the best "
        f"system is ahead of {behind} of the people",
    )
    return DemoPart((page,))


def _asked(often: Mapping[Code, int]) -> set[Code]:
    """The codes that are frequent enough to be a task, or all where there are few of those."""
    frequent = {code for code, number in often.items() if number >= _CHARTS}
    return frequent if len(frequent) >= _CODES else set(often)


def _submissions(task: Challenge, folder: Path, dice: random.Random) -> dict[str, Path]:
    """A file from each team: gold as far as systems may give it, codes missed and added."""
    folder.mkdir()
    gold, labels = task.gold(), task.settings.label_set
    files = {}
    for number in range(1, _TEAMS + 1):
        file = folder / f"team-{number:02}.csv"
        missed, added = dice.uniform(0.02, 0.5), dice.uniform(0, 3)
        _write(noisy_answers(gold, labels, dice, missed=missed, added=added), file)
        files[f"Team {number:02}"] = file
    return files


def _write(answers: Mapping[str, set[Code]], file: Path) -> None:
    with file.open("w", newline="", encoding="utf-8") as handle:
        rows = csv.writer(handle)
        rows.writerow(["document", "code"])
        for document, codes in answers.items():
            rows.writerows([document, code] for code in sorted(c.value for c in codes) or [""])
