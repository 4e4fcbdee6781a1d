"""Starting replicas: processes on this machine, or workers of Ray Train on a cluster."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from datetime import timedelta
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

from auscult.core import AuscultError
from auscult.core.threads import cores, environment
from auscult.engine import Engine, Local, Work
from auscult.engine.carrying import Done, Packed, perform

_PATIENCE = timedelta(hours=6)
"""How long replicas wait for the first, which alone judges the network."""
_RETRIES = 3


def together(work: Work[None, None], count: int, engine: Engine, folder: Path) -> None:
    """Do work in so many processes at once, which torch.distributed joins.

    `folder` is one that all of them see. What the work leaves behind is its result.
    """
    if isinstance(engine, Local):
        _here(Packed.of(work), count, engine.threads or max(1, cores() // count))
    else:
        _on_cluster(Packed.of(work), count, getattr(engine, "threads", 1), folder)


def _here(packed: Packed, count: int, threads: int) -> None:
    context = get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="auscult-") as folder:
        started = []
        for rank in range(count):
            ours, theirs = context.Pipe(duplex=False)
            meeting = f"file://{folder}/meeting"
            process = context.Process(
                target=_replica, args=(packed, rank, count, meeting, threads, theirs)
            )
            process.start()
            theirs.close()
            started.append((process, ours))
        try:
            done = [_wait(pipe, process) for process, pipe in started]
        finally:
            for process, pipe in started:
                process.terminate()
                process.join()
                pipe.close()
    for one in done:
        one.opened()


def _wait(pipe: Any, process: Any) -> Done:
    """What a replica says at its end; all end together, so one at a time is waited for."""
    connection.wait([pipe, process.sentinel])
    try:
        found: Done = pipe.recv()
    except EOFError:
        raise AuscultError(
            "One of the processes that train together died, as happens when memory runs out. Give "
            "the same command again: training goes on from its last checkpoint."
        ) from None
    return found


def _replica(packed: Packed, rank: int, count: int, meeting: str, threads: int, pipe: Any) -> None:
    os.environ.update(environment(threads))
    from torch import distributed

    distributed.init_process_group(
        "gloo", init_method=meeting, rank=rank, world_size=count, timeout=_PATIENCE
    )
    pipe.send(perform(packed, None))
    distributed.destroy_process_group()


def _on_cluster(packed: Packed, count: int, threads: int, folder: Path) -> None:
    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.torch import TorchConfig, TorchTrainer

    trainer = TorchTrainer(
        _loop,
        train_loop_config={"packed": packed, "threads": threads},
        scaling_config=ScalingConfig(num_workers=count, resources_per_worker={"CPU": threads}),
        torch_config=TorchConfig(backend="gloo", timeout_s=int(_PATIENCE.total_seconds())),
        run_config=RunConfig(
            name="training",
            storage_path=str(folder.absolute()),
            failure_config=FailureConfig(max_failures=_RETRIES),
        ),
    )
    try:
        found = trainer.fit()
    except Exception as error:  # Ray Train has several kinds, which differ by version
        raise AuscultError(
            f"Training on the cluster failed ({type(error).__name__}), again and again. Give the "
            "same command again: it goes on from its last checkpoint."
        ) from error
    done: Done = (found.metrics or {})["done"]
    done.opened()


def _loop(config: Mapping[str, Any]) -> None:
    """What each worker of Ray Train does; the group is joined already."""
    from ray import train

    os.environ.update(environment(config["threads"]))
    train.report({"done": perform(config["packed"], None)})
