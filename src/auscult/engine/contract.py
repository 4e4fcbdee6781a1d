"""The contract between engines and the work they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
TaskOf = TypeVar("TaskOf", contravariant=True)
ResultOf = TypeVar("ResultOf", covariant=True)


class Work(Protocol[TaskOf, ResultOf]):
    """Work to be distributed. It is sent to each worker, initialized there once, and then runs
    tasks.

    A task may be done twice, when a machine dies before it could say that it was done. So a task
    leaves behind the same thing however often it is done.
    """

    def begin(self) -> Callable[[TaskOf], ResultOf]:
        """Make ready, such as by loading a model, and return what does a task."""
        ...


class Engine(Protocol):
    """Runs work. The results do not depend on which engine it is nor on its workers."""

    @property
    def workers(self) -> int:
        """Tasks that are done at once."""
        ...

    def run(self, work: Work[Task, Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The results, in the order of the tasks, as they come.

        Tasks are taken when there is room for them: a few for every worker are under way at any
        time, however many there are.
        """
        ...
