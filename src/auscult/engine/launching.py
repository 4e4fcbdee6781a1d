"""Starting replicas: processes on this machine, or workers on a cluster."""

from __future__ import annotations

import os
import tempfile
import uuid
from datetime import timedelta
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

from auscult.core import AuscultError
from auscult.core.threads import cores, environment
from auscult.engine import Engine, Local, Work
from auscult.engine.local import end_with_parent
from auscult.engine.task_results import PackedWork, TaskResult, perform

_PATIENCE = timedelta(hours=6)
"""How long replicas wait for the first one, which alone evaluates the network."""
_RETRIES = 3


def run_replicas(work: Work[None, None], count: int, engine: Engine, folder: Path) -> None:
    """Run work in several processes at once, joined by torch.distributed.

    `folder` is one that all of them see. What the work leaves behind is its result.
    """
    if isinstance(engine, Local):
        _here(PackedWork.of(work), count, engine.threads or max(1, cores() // count))
    else:
        _on_cluster(PackedWork.of(work), count, getattr(engine, "threads", 1), folder)


def _here(packed: PackedWork, count: int, threads: int) -> None:
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


def _wait(pipe: Any, process: Any) -> TaskResult:
    """What a replica says at its end; all end together, so one at a time is waited for."""
    connection.wait([pipe, process.sentinel])
    try:
        found: TaskResult = pipe.recv()
    except EOFError:
        raise AuscultError(
            "One of the training processes died; usually memory ran out. Run the same command "
            "again: training continues from the last checkpoint."
        ) from None
    return found


def _replica(
    packed: PackedWork, rank: int, count: int, meeting: str, threads: int, pipe: Any
) -> None:
    os.environ.update(environment(threads))
    end_with_parent()
    import torch

    gpu = rank if torch.cuda.device_count() >= count else None
    pipe.send(_member(packed, rank, count, meeting, gpu))


def _member(packed: PackedWork, rank: int, count: int, meeting: str, gpu: int | None) -> TaskResult:
    """Join the process group and do the work, with one GPU per process if there are enough."""
    import torch
    from torch import distributed

    backend = "gloo"
    # A cluster may have GPUs, and a torch that was built without them.
    if gpu is not None and torch.cuda.is_available():
        torch.cuda.set_device(gpu)
        backend = "cpu:gloo,cuda:nccl"
    distributed.init_process_group(
        backend, init_method=meeting, rank=rank, world_size=count, timeout=_PATIENCE
    )
    try:
        return perform(packed, None)
    finally:
        distributed.destroy_process_group()


def _on_cluster(packed: PackedWork, count: int, threads: int, folder: Path) -> None:
    """Workers that start at once or not at all; when one dies, all begin anew at the checkpoint."""
    import ray
    from ray.exceptions import RayError
    from ray.util.placement_group import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    gpus = int(ray.cluster_resources().get("GPU", 0) >= count)
    remote = ray.remote(
        num_cpus=threads,
        num_gpus=gpus,
        max_retries=0,
        runtime_env={"env_vars": environment(threads)},
    )(_member)
    cause: RayError | None = None
    for _ in range(1 + _RETRIES):
        meeting = f"file://{folder.absolute()}/meeting-{uuid.uuid4().hex}"
        room = placement_group(
            [{"CPU": threads, **({"GPU": 1} if gpus else {})}] * count, strategy="SPREAD"
        )
        placed = remote.options(scheduling_strategy=PlacementGroupSchedulingStrategy(room))
        left = [
            placed.remote(packed, rank, count, meeting, 0 if gpus else None)
            for rank in range(count)
        ]
        done: list[TaskResult] = []
        try:
            while left:
                [first], left = ray.wait(left)
                done.append(ray.get(first))
        except RayError as error:
            cause = error
            continue
        finally:
            for reference in left:
                ray.cancel(reference, force=True)
            remove_placement_group(room)
        for one in done:
            one.opened()
        return
    raise AuscultError(
        f"Training on the cluster failed {1 + _RETRIES} times ({type(cause).__name__}). Run the "
        "same command again: training continues from the last checkpoint."
    ) from cause
