"""The working directory of reproductions: shared stages are computed once and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from auscult.core import OptionError
from auscult.core.digests import digest_of
from auscult.core.storage import drafted
from auscult.core.version import __version__
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.sources import DataSources, Digests

T = TypeVar("T")
_MARKER = ".auscult-reproduce"


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the stand-ins are, and how long networks learn.

    The first values are for stand-ins on two cores. `PAPER` has those of the papers, for the real
    data and a GPU.
    """

    patients: int = 160
    """Of the synthetic hospital."""
    second_patients: int = 80
    """Of the hospital that models have not seen."""
    runs: int = 3
    """Number of training runs of each network, with seeds 0, 1…"""
    network: Mapping[str, Any] = field(
        default_factory=lambda: {
            "epochs": 6, "max_length": 1000, "embedding_dim": 40, "narrow": 24, "threads": 1,
        }
    )  # fmt: skip
    """Settings of the convolutional models."""
    networks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of one of them in particular."""
    charts: int | None = 64
    """Maximum number of training charts, without rare codes; None: no limits."""
    least: int = 4
    """Of these charts, those that a code must have."""
    trees: tuple[int, ...] = (24, 42, 61)
    """Seeds of the boosted trees."""
    bert: Mapping[str, Any] = field(
        default_factory=lambda: {
            "epochs": 3, "max_length": 600, "threads": 1, "learning_rate": 5e-4, "batch_size": 8,
        }
    )  # fmt: skip
    """Settings of the language model that is fine-tuned."""
    bert_seeds: tuple[int, ...] = (0, 1)
    language_model: int = 200
    """Training steps of the small language model that replaces a clinical BERT."""
    audited: int = 16
    """Charts in which words are replaced at most."""
    generator: Mapping[str, Any] = field(default_factory=lambda: {"epochs": 6, "threads": 1})
    classifier: Mapping[str, Any] = field(default_factory=lambda: {"epochs": 8, "threads": 1})
    records: int = 2000
    """Maximum number of emergency records for training the text generator."""
    concept_notes: int = 10
    """Training charts for concepts; half as many are used for testing."""
    resamples: int = 200


PAPER = Scale(
    network={
        "max_length": 3500, "epochs": 30, "tagger_loss": "mean",
        "descriptions": False, "match": False,
    },
    networks={
        "caml": {
            "out_channels": 50, "kernel_size": 10, "learning_rate": 1e-4, "optimizer": "adam",
            "lr_scheduler_type": "constant", "batch_size": 16, "epochs": 200, "patience": 10,
        },
        "effectivecan": {"out_channels": 300, "kernel_size": 9, "key_dim": 300},
    },
    charts=None,
    trees=(24, 42, 61, 67, 70),
    bert={"epochs": 10, "max_length": None, "learning_rate": 2e-5, "batch_size": 8},
    bert_seeds=(0, 1, 2, 3, 4),
    language_model=20_000,
    audited=1_000_000,
    generator={"epochs": 30},
    classifier={"epochs": 30},
    records=1_000_000_000,
    resamples=1000,
)  # fmt: skip
"""As in the papers; what they do not state is Auscult's default."""


class Workspace:
    """A folder, the sources that are there, and what was made in it already."""

    def __init__(
        self, folder: Path, sources: DataSources | None = None, *, scale: Scale | None = None
    ) -> None:
        is_taken = folder.exists() and (folder.is_file() or any(folder.iterdir()))
        if is_taken and not (folder / _MARKER).exists():
            raise OptionError(
                f"{folder} exists but is not a working directory of `auscult reproduce`. "
                "Choose another name."
            )
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARKER).touch()
        self.folder = folder
        self.sources = sources or DataSources()
        self.scale = scale or (PAPER if self.sources.get("mimic3") else Scale())
        self._digests = Digests(folder / "digests.json")
        self._held: dict[str, Any] = {}

    def kept(self, name: str, about: Mapping[str, Any], make: Callable[[Path], object]) -> Path:
        """The place of a stage, made if it is not there.

        `about` is all that it depends on: with anything else it is another stage. `make` writes
        it to a place that becomes the stage when it is whole, so that being killed leaves none.
        """
        place = self.place(name, about)
        if not place.exists():
            with drafted(place) as draft:
                make(draft)
        return place

    def once(self, name: str, make: Callable[[], T]) -> T:
        """A value shared by several reproductions of a run, computed once."""
        if name not in self._held:
            self._held[name] = make()
        held: T = self._held[name]
        return held

    def place(self, name: str, about: Mapping[str, Any]) -> Path:
        """Where a stage is kept, for what keeps and resumes itself, as training does."""
        mark = digest_of(__version__, name, about)[:10]
        (self.folder / "stages").mkdir(exist_ok=True)
        return self.folder / "stages" / f"{name}-{mark}"

    def digest(self, *paths: Path) -> str:
        """SHA-256 of files and folders."""
        return self._digests.of(*paths)

    def used(self, name: str, basis: Basis, description: str, *paths: Path) -> UsedData:
        """Some data, as a result names it."""
        return UsedData(name, basis, self.digest(*paths), description)

    def fingerprint(self) -> str:
        """What every result depends on: version, scale, and the sources with their contents."""
        sources = {name: self.digest(path) for name, path in sorted(self.sources.paths.items())}
        return digest_of(__version__, asdict(self.scale), sources)
