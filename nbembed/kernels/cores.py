"""The cores that this process may use, less those that affinity and containers withhold.

A container's share is a quota of CPU time per period, kept in files of Linux's control groups.
A process that starts more threads than its quota covers is paused for the rest of each period,
which makes every wait for a thread unpredictable.
"""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path

#: Where Linux mounts control groups, and where it tells a process which groups it belongs to.
CGROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")


def available_cores() -> int:
    """Return the number of cores that this process may use, at least 1.

    These are the cores in the process's affinity, or the container's CPU quota rounded up where
    that is less.
    """
    if hasattr(os, "process_cpu_count"):  # Python 3.13; heeds PYTHON_CPU_COUNT as well
        cores = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    quota = cpu_quota(CGROUPS, MEMBERSHIP)
    return max(1, cores if quota is None else min(cores, math.ceil(quota)))


@cache
def cpu_quota(cgroups: Path, membership: Path) -> float | None:
    """Return the least CPU quota of this process's control groups, in cores.

    Read from the process's group and the groups above it, in either version of control groups
    (:data:`CGROUPS`, :data:`MEMBERSHIP`). None without a quota, and outside Linux.
    """
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    quotas = []
    for line in lines:  # "hierarchy:controllers:path"; version 2 is hierarchy 0
        hierarchy, controllers, group = [*line.split(":", 2), "", ""][:3]
        if hierarchy == "0" and not controllers:
            quotas += [_quota_v2(folder) for folder in _folders(cgroups, group)]
        elif "cpu" in controllers.split(","):
            for mount in dict.fromkeys((controllers, "cpu", "cpu,cpuacct")):
                quotas += [_quota_v1(folder) for folder in _folders(cgroups / mount, group)]
    found = [quota for quota in quotas if quota is not None]
    return min(found, default=None)


def _folders(mount: Path, group: str) -> list[Path]:
    """Return the folder of a group and those of the groups above it.

    Inside a container the path of the group may be the host's, which is not mounted there; the
    container's own group is then the mount itself.
    """
    folder = mount / group.lstrip("/")
    above = [folder, *folder.parents]
    return above[: above.index(mount) + 1] if mount in above else [mount]


def _quota_v2(folder: Path) -> float | None:
    numbers = _numbers(folder / "cpu.max")  # "quota period", in microseconds, or "max period"
    return numbers[0] / numbers[1] if len(numbers) == 2 and numbers[1] > 0 else None


def _quota_v1(folder: Path) -> float | None:
    quota, period = _numbers(folder / "cpu.cfs_quota_us"), _numbers(folder / "cpu.cfs_period_us")
    if not quota or not period or quota[0] <= 0 or period[0] <= 0:  # −1: no quota
        return None
    return quota[0] / period[0]


def _numbers(file: Path) -> list[float]:
    """Return the numbers in a file; none if it cannot be read or says anything else."""
    try:
        return [float(word) for word in file.read_text(encoding="utf-8").split()]
    except (OSError, ValueError):
        return []
