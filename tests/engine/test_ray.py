"""The engine of a cluster: real raylets on this machine, one of them killed in the middle."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_parts import run, tables
from tests.engine.test_replicas import SETTINGS
from tests.engine.ward import OUTCOME, make, ward
from tests.engine.works import Dying, Failing, Squaring, Telling, Watched

from auscult.audit.run import AuditPlan, audit
from auscult.core import AuscultError, MissingExtraError, OptionError
from auscult.core.digests import directory_digest
from auscult.corpus.corpus import Corpus
from auscult.engine import Engine, Local, open_engine
from auscult.engine.cluster import Cluster
from auscult.models.predicting import predicted
from auscult.models.training import train

_STORE = 100 * 2**20
_TRIES = 3


def node(**more: Any) -> dict[str, Any]:
    """A small machine of a cluster, without what only watches it."""
    return {"num_cpus": 1, "object_store_memory": _STORE, "include_log_monitor": False, **more}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without room for work and two machines with one core each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster as Machines

    # A raylet waits fifteen seconds for a helper to start, which on a busy machine is too short.
    for left in reversed(range(_TRIES)):
        machines = Machines()
        try:
            machines.add_node(**node(num_cpus=0, include_dashboard=False, no_monitor=True))
            machines.add_node(**node())
            machines.add_node(**node())
            break
        except Exception:
            machines.shutdown()
            if not left:
                raise
    yield machines
    machines.shutdown()


@pytest.fixture(scope="module")
def engine(cluster: Any) -> Iterator[Cluster]:
    with open_engine("ray", address=cluster.address) as made:
        assert isinstance(made, Cluster)
        yield made


def test_it_is_an_engine_as_the_other_one(engine: Cluster) -> None:
    assert engine.workers == 2
    assert list(engine.run(Squaring(), range(30))) == [n * n for n in range(30)]
    told = set(engine.run(Telling(), range(9)))
    assert {(threads, omp, polars) for _, threads, omp, polars in told} == {(1, "1", 1)}
    with (
        pytest.warns(UserWarning, match="half a loaf"),
        pytest.raises(MissingExtraError, match=r"The oven needs .*auscult\[bread\]"),
    ):
        list(engine.run(Failing(at=2), range(4)))


def test_a_worker_that_dies_each_time_is_one_sentence(engine: Cluster) -> None:
    with pytest.raises(AuscultError, match=r"died .*finished tasks are kept"):
        list(engine.run(Dying(), range(3, 4)))


def test_an_audit_finds_the_same(engine: Cluster, tmp_path: Path) -> None:
    _, model = make(tmp_path)
    charts = list(ward(12).charts())
    plan = AuditPlan(OUTCOME, ("hypertension", "known", "day"), times=10)
    found = audit(model, charts, plan, tmp_path / "ray", engine=engine)
    expected = audit(model, charts, plan, tmp_path / "local")
    assert found.to_dict() == expected.to_dict()
    scores = (tmp_path / "ray" / "scores.log").read_bytes()
    assert scores == (tmp_path / "local" / "scores.log").read_bytes()
    assert found.found.of("hypertension").score.value


@pytest.mark.filterwarnings("ignore:No chart to tune on")
def test_replicas_on_two_machines_learn_the_same(engine: Cluster, tmp_path: Path) -> None:
    corpus = ward(20).write(tmp_path / "corpus")
    settings = {**SETTINGS, "epochs": 1}
    engines: dict[str, Engine] = {"ray": engine, "local": Local(threads=1)}
    for name, where in engines.items():
        train(corpus, tmp_path / name, "bigru", settings, replicas=2, engine=where)
    weights = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("ray", "local")]
    assert weights[0] == weights[1]
    assert {file.name for file in tmp_path.iterdir()} == {"corpus", "ray", "local"}


def test_with_a_machine_killed_in_the_middle_all_is_done_and_nothing_twice(
    engine: Cluster, cluster: Any, tmp_path: Path
) -> None:
    corpus, model = make(tmp_path, charts=60)
    digest = directory_digest(model)
    traces = tmp_path / "traces"
    traces.mkdir()
    victim = cluster.list_all_nodes()[-1]

    def kill() -> None:
        deadline = time.monotonic() + 60
        begun: list[Path] = []
        while len(begun) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
            begun = list(traces.glob(f"*_{victim.node_id}_*"))
        # As when a machine goes: its workers with it, in the middle of what they were at.
        for pid in {int(file.name.split("_")[2]) for file in begun}:
            os.kill(pid, signal.SIGKILL)
        cluster.remove_node(victim, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    how = Watched(model, digest, traces=traces, pause=0.8)
    opened_corpus = Corpus.open(corpus)
    with predicted(opened_corpus, how, tmp_path / "ray", engine, notes=8) as (found, counts):
        parts = list((tmp_path / ".ray.parts").glob("*.parquet"))
        found.write(tmp_path / "ray")
    killer.join()
    assert len(cluster.list_all_nodes()) == 2
    assert len(parts) == 15
    once = run("predict", model, corpus, tmp_path / "local", "--partition", 8)
    assert tables(tmp_path / "ray") == tables(tmp_path / "local")
    assert {name: counts[name] for name in ("charts", "notes", "codes", "annotations")} == {
        "charts": 60, "notes": 120, "codes": once["codes"], "annotations": once["annotations"],
    }  # fmt: skip
    # What was under way on the dead machine was begun again elsewhere, and is there once.
    tried = Counter(file.name.partition("_")[0] for file in traces.iterdir())
    assert len(tried) == 15
    assert set(tried.values()) == {1, 2}


def test_an_address_that_does_not_answer() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address, said in (
        (f"127.0.0.1:{port}", "No Ray cluster answers"),
        ("head", "HOST:PORT"),
        ("head:no", "HOST:PORT"),
    ):
        with pytest.raises(OptionError, match=said), open_engine("ray", address=address):
            pass


def test_without_ray_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"auscult\[ray\]"), open_engine("ray"):
        pass
