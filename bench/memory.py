"""How much memory a process has had at most.

Linux keeps `ru_maxrss` over fork and exec, so that a process started by a larger one is said to
have been as large as that. What `/proc` says is of the process alone.
"""

from __future__ import annotations

from pathlib import Path


def peak_megabytes() -> float:
    """The most that this process has had, since it is what it is."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
