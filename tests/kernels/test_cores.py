"""Available cores: affinity, and a container's CPU quota in both versions of control groups."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbembed.kernels import cores
from nbembed.kernels.cores import available_cores, cpu_quota


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def quota(tmp_path: Path, membership: str, files: dict[str, str]) -> float | None:
    """Return the quota that the given control groups set."""
    write(tmp_path / "membership", membership)
    for name, text in files.items():
        write(tmp_path / "cgroup" / name, text)
    return cpu_quota(tmp_path / "cgroup", tmp_path / "membership")


V1 = "9:name=systemd:/\n4:memory:/job\n1:cpu,cpuacct:/job\n"


@pytest.mark.parametrize(
    ("membership", "files", "expected"),
    [
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/\n", {"cpu.max": "max 100000\n"}, None),
        ("0::/\n", {}, None),
        # The least of the group and those above it.
        ("0::/a/b\n", {"a/b/cpu.max": "400000 100000", "a/cpu.max": "200000 100000"}, 2.0),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "cpu.max": "300000 100000"}, 3.0),
        # The host's path, which the container does not mount.
        ("0::/docker/1234\n", {"cpu.max": "50000 100000"}, 0.5),
        ("0::/../elsewhere\n", {"cpu.max": "50000 100000"}, 0.5),
        (V1, {"cpu,cpuacct/job/cpu.cfs_quota_us": "250000",
              "cpu,cpuacct/job/cpu.cfs_period_us": "100000"}, 2.5),
        (V1, {"cpu/job/cpu.cfs_quota_us": "250000", "cpu/job/cpu.cfs_period_us": "100000"}, 2.5),
        (V1, {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "100000"}, 1.0),
        (V1, {"cpu/job/cpu.cfs_quota_us": "-1", "cpu/job/cpu.cfs_period_us": "100000"}, None),
        (V1, {"memory/job/cpu.cfs_quota_us": "1", "memory/job/cpu.cfs_period_us": "1"}, None),
        ("0::/\n", {"cpu.max": "nonsense\n"}, None),
        ("", {"cpu.max": "1 1"}, None),
    ],
)  # fmt: skip
def test_quota(
    tmp_path: Path, membership: str, files: dict[str, str], expected: float | None
) -> None:
    assert quota(tmp_path, membership, files) == expected


def test_no_control_groups(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path / "none", tmp_path / "none") is None


@pytest.mark.parametrize(
    ("share", "expected"),
    [("50000 100000", 1), ("200000 100000", 2), ("250000 100000", 3), ("6400000 100000", 12),
     ("max 100000", 12)],
)  # fmt: skip
def test_a_quota_is_rounded_up_and_bounded_by_the_affinity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: str, expected: int
) -> None:
    write(tmp_path / "cgroup" / "cpu.max", share)
    write(tmp_path / "membership", "0::/\n")
    monkeypatch.setattr(cores, "CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(cores, "MEMBERSHIP", tmp_path / "membership")
    monkeypatch.setattr(os, "process_cpu_count", lambda: 12, raising=False)
    assert available_cores() == expected


def test_affinity_counts_where_python_does_not_count_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "MEMBERSHIP", tmp_path / "none")
    monkeypatch.delattr(os, "process_cpu_count", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    assert available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1
