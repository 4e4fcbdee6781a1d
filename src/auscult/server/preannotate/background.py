"""Pre-annotating projects in the background, so that no coder waits for a model."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

from sqlalchemy.exc import SQLAlchemyError

from auscult.core import Annotation, AuscultError
from auscult.server.database.engine import Database
from auscult.server.event_stream import Bell
from auscult.server.preannotate.model_process import (
    ChartPredictor,
    EndedError,
    ModelProcess,
    UnreadableError,
)
from auscult.server.preannotate.pending import (
    PendingChart,
    Wanted,
    is_wanted,
    log_added,
    pending_charts,
    read_chart,
    untouched,
    wanted,
    write,
)

_TURN = 200
"""Charts of one project before another project has its turn."""
_TOGETHER, _SECONDS = 8, 1.0
"""Charts that are written at once, and how long the first of them waits for that."""
_RETRY_SECONDS = 5.0
_LOOK_SECONDS = 60.0
"""How often notes are looked for that came in without a word, from another process say."""
_TRIES = 2
logger = logging.getLogger("auscult.server")


class PreAnnotation:
    """Has models pre-annotate what is left of all projects, a few charts at a time.

    Nothing happens before `start`. `wake` says that there may be something to do: a new project, a
    switch, new notes.
    """

    def __init__(
        self,
        database: Database,
        bell: Bell,
        load: Callable[[str, str], ChartPredictor] = ModelProcess,
    ) -> None:
        self._database = database
        self._bell = bell
        self._load = load
        self._models: dict[str, ChartPredictor] = {}
        self._problems: dict[int, tuple[str, str]] = {}
        self._added = 0
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, or go on where the last run stopped."""
        self._thread = threading.Thread(target=self._work, name="auscult-pre-annotate", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Look for something to do. A model that failed is tried again."""
        self._problems.clear()
        self._woken.set()

    def problem(self, project: int) -> str | None:
        """Why the pre-annotation of a project has stopped; None while all is well."""
        found = self._problems.get(project)
        return None if found is None else found[1]

    def close(self) -> None:
        """Stop. What is written stays; the rest is done at the next start."""
        self._closed.set()
        self._woken.set()
        with self._lock:
            for model in self._models.values():
                model.close()
        if self._thread is not None:
            self._thread.join(_RETRY_SECONDS)

    def _work(self) -> None:
        while not self._closed.is_set():
            self._woken.clear()  # before looking, so that nothing falls between
            try:
                is_left = self._round()
            except (SQLAlchemyError, OSError) as error:
                logger.warning("pre-annotation: %s", type(error).__name__)
                self._closed.wait(_RETRY_SECONDS)
                continue
            if not is_left:
                self._drop_models()
                self._woken.wait(_LOOK_SECONDS)

    def _round(self) -> bool:
        """Give each project its turn; says whether one of them has charts left."""
        with self._database.reading() as connection:
            projects = wanted(connection)
        left = [self._turn(one) for one in projects]
        return any(left)

    def _turn(self, one: Wanted) -> bool:
        if self._problems.get(one.project, ("", ""))[0] == one.choice:
            return False
        with self._database.reading() as connection:
            charts = pending_charts(connection, one, _TURN)
        before = self._added
        try:
            self._do(one, charts)
        except AuscultError as error:
            if self._closed.is_set():
                return False
            self._drop(one.choice)
            logger.warning("pre-annotation of project %d: %s", one.project, error)
            self._problems[one.project] = one.choice, str(error)
        if self._added > before:
            with self._database.writing() as connection:
                log_added(connection, one, self._added - before)
        return len(charts) == _TURN

    def _do(self, one: Wanted, charts: Sequence[int]) -> None:
        """Read and write charts, a few at a time; stop when the project is switched off."""
        done: list[tuple[PendingChart, Sequence[Annotation] | None]] = []
        since = time.monotonic()
        for at, key in enumerate(charts):
            with self._database.reading() as connection:
                if not is_wanted(connection, one):
                    return
                chart = read_chart(connection, one, key)
                is_free = not untouched(connection, one, key).isdisjoint(chart.pending.values())
            done.append((chart, self._predicted(one, chart) if is_free else []))
            if self._closed.is_set():
                return
            # The very first chart is shown at once: somebody is reading it.
            is_first = at == 0
            if is_first or len(done) >= _TOGETHER or time.monotonic() - since > _SECONDS:
                self._write(one, done)
                done, since = [], time.monotonic()
        self._write(one, done)

    def _predicted(self, one: Wanted, chart: PendingChart) -> list[Annotation] | None:
        """What the model says of a chart; None if it cannot read it."""
        for _ in range(_TRIES):
            model = self._model(one)
            try:
                return model.predict(chart.notes)
            except UnreadableError as error:
                logger.warning("pre-annotation of chart %d failed: %s", chart.chart, error)
                return None
            except EndedError:
                # Somebody ended the process, or this chart did: once more, with a new one.
                if self._closed.is_set():
                    raise
                self._drop(one.choice)
        logger.warning("pre-annotation of chart %d failed: the model ended twice", chart.chart)
        return None

    def _write(
        self, one: Wanted, done: Sequence[tuple[PendingChart, Sequence[Annotation] | None]]
    ) -> None:
        if not done:
            return
        with self._database.writing() as connection:
            if not is_wanted(connection, one):
                return
            added = write(connection, one, done)
        self._added += added
        if added:
            self._bell.ring(one.project)

    def _model(self, one: Wanted) -> ChartPredictor:
        if one.choice not in self._models:
            model = self._load(one.choice, one.source)
            with self._lock:
                self._models[one.choice] = model
                if self._closed.is_set():
                    model.close()
                    raise AuscultError("The server stops.")
        return self._models[one.choice]

    def _drop(self, choice: str) -> None:
        with self._lock:
            model = self._models.pop(choice, None)
        if model is not None:
            model.close()

    def _drop_models(self) -> None:
        """Free the memory: there is nothing to do for now."""
        for choice in list(self._models):
            self._drop(choice)
