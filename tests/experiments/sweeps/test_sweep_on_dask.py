"""Sweeps on a Dask cluster of two processes: the scores of a serial run, whatever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import joblib
import pytest
from distributed import Client, KilledWorker, LocalCluster
from distributed.client import FutureCancelledError
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.experiments import sweep
from nbembed.experiments.sweeps.jobs import WorkerLost, _on_dask, completed
from tests.experiments.sweeps.test_sweep import differing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals end processes"),
]

ROOT = Path(nb.__file__).parents[1]
X, Y = load_iris(return_X_y=True)
QUICK = nb.HSSNE(max_iter=5, n_jobs=1)
GRID = {"alpha": [0.5, 1.0, 1.5]}
SEEDS = [0, 1]


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def client(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch_module: pytest.MonkeyPatch
) -> Iterator[Any]:
    # Workers begin with the main module, which a test in a notebook's shell may have emptied.
    monkeypatch_module.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    with (
        # A call is given up when one worker has died, so that second attempts are tested too.
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=0,
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def cost_scorer() -> Any:
    """Return a scorer that is pickled with its code: workers need not import the tests."""

    def cost(model, X, y):
        return model.cost_

    return cost


@pytest.fixture(scope="module")
def serial() -> Any:
    return sweep(QUICK, GRID, X, Y, scoring=cost_scorer(), seeds=SEEDS, cv=2)


def test_scores_are_those_of_a_serial_run(client, serial):
    with joblib.parallel_config(backend="dask"):
        table = sweep(QUICK, GRID, X, Y, scoring=cost_scorer(), seeds=SEEDS, cv=2)
    assert differing(serial, table) == []


def test_fits_of_a_killed_worker_are_made_again(client, serial, tmp_path):
    """The first worker to come along is killed in the middle of a fit, and the data with it."""

    def killed_once(model, X, y):
        if not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return model.cost_

    with joblib.parallel_config(backend="dask"):
        table = sweep(QUICK, GRID, X, Y, scoring=killed_once, seeds=SEEDS, cv=2)
    assert (tmp_path / "killed").exists()
    assert differing(serial, table) == []


#: A sweep in a process of its own, which is killed when half of the results are there.
SCRIPT = """
import pathlib, sys
import joblib
from distributed import Client
from tests.experiments.sweeps.test_sweep_on_dask import GRID, QUICK, SEEDS, X, Y, waiting
from nbembed.experiments import sweep

folder = pathlib.Path(sys.argv[1])
with Client(sys.argv[2]), joblib.parallel_config(backend="dask"):
    sweep(QUICK, GRID, X, Y, scoring=waiting(folder), seeds=SEEDS, cv=2, folder=folder / "kept")
"""


def waiting(folder: Path) -> Any:
    """Return a scorer that waits when there are six results and a file "wait"."""

    def score(model, X, y):
        while (folder / "wait").exists() and len(list((folder / "kept").glob("*.json"))) >= 6:
            time.sleep(0.01)
        return model.cost_

    return score


def test_a_killed_sweep_goes_on_where_it_was(client, serial, tmp_path):
    kept = tmp_path / "kept"

    def written() -> dict[str, tuple[int, int]]:
        return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in kept.glob("*.json")}

    (tmp_path / "wait").touch()
    address = client.scheduler.address
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path), address], cwd=ROOT)
    try:
        while len(written()) < 6:
            assert process.poll() is None
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
        (tmp_path / "wait").unlink()
    before = written()
    assert 6 <= len(before) < 12
    with joblib.parallel_config(backend="dask"):
        scoring = waiting(tmp_path)
        table = sweep(QUICK, GRID, X, Y, scoring=scoring, seeds=SEEDS, cv=2, folder=kept)
    assert differing(serial, table) == []
    after = written()
    assert len(after) == 12
    assert {name: after[name] for name in before} == before  # none was made again


def test_a_call_that_always_kills_its_worker_is_given_up(client):
    def always(shared, item):
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return shared * item

    with joblib.parallel_config(backend="dask"):
        found = dict(completed(always, 10, range(4)))
    lost = found.pop(1)
    assert found == {0: 0, 2: 20, 3: 30}
    assert isinstance(lost, WorkerLost)
    assert "killed each time (KilledWorker" in str(lost)


def test_one_job_stays_in_this_process(client):
    def process(shared, item):
        return os.getpid()

    with joblib.parallel_config(backend="dask"):
        assert {pid for _, pid in completed(process, None, range(3), n_jobs=1)} == {os.getpid()}
        assert os.getpid() not in {pid for _, pid in completed(process, None, range(3))}


def test_what_a_call_raises_goes_through(client):
    def raises(shared, item):
        raise KeyError(item)

    with joblib.parallel_config(backend="dask"), pytest.raises(KeyError, match="3"):
        list(completed(raises, None, [3]))


class Future:
    """A finished call; ``error`` comes where its result is asked for."""

    status = "finished"

    def __init__(self, outcome: Any, error: Exception | None) -> None:
        self.outcome, self.error = outcome, error

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.outcome


class Cluster:
    """Stands for a client; the results of its first calls are lost with their workers."""

    def __init__(self, errors: list[Exception]) -> None:
        self.errors = errors

    def scatter(self, data: list[Any], **_: Any) -> list[Any]:
        return data

    def submit(self, function: Any, *arguments: Any, pure: bool) -> Future:
        error = self.errors.pop(0) if self.errors else None
        return Future(function(*arguments), error)

    def cancel(self, futures: list[Future]) -> None:
        pass


@pytest.mark.parametrize(
    "error",
    [FutureCancelledError("key", "lost"), KilledWorker("task", None, 1)],
    ids=["cancelled", "killed"],
)
def test_a_result_that_is_lost_before_it_is_read_is_made_again(error, monkeypatch):
    monkeypatch.setattr("distributed.as_completed", iter)
    found = list(_on_dask(Cluster([error]), lambda shared, item: shared * item, 10, [1, 2, 3]))
    assert sorted(found) == [(0, 10), (1, 20), (2, 30)]
