"""Independent calls of one function, made by joblib or by the Dask cluster that it is set to.

    for number, outcome in completed(function, shared, items):  # as they finish
    for outcome in in_order(function, shared, items):           # in the order of the items

Both call ``function(shared, item)``. Without more, and with ``n_jobs=1``, the calls are made here,
one after the other. ``joblib.parallel_config(n_jobs=4)`` spreads them over processes, and
``backend="dask"`` over the workers of the active ``dask.distributed.Client``. With Dask the calls
are submitted by the client itself: joblib's backend keeps one copy of large arguments on one
worker, and waits forever for a call whose worker was killed too often.

A killed worker takes its calls with it, and they are made again. A call that kills its worker
whenever it is made is given up: its outcome is a :class:`WorkerLost`, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError
from joblib.parallel import get_active_backend

from nbembed.validation import check_count

#: How often the pool of processes may break before calls are made one at a time, to find the one
#: that breaks it; and how often that one may break it alone.
BREAKDOWNS = 2
ALONE = 2

Function = Callable[[Any, Any], Any]


class WorkerLost(RuntimeError):
    """The process that made a call was killed, repeatedly: by the system where memory ran out?"""


def processes(n_jobs: Any) -> AbstractContextManager[Any]:
    """Return a block in which calls are spread over so many processes; None changes nothing."""
    n_jobs = check_n_jobs(n_jobs)
    return nullcontext() if n_jobs is None else joblib.parallel_config(n_jobs=n_jobs)


def check_n_jobs(n_jobs: Any) -> int | None:
    """Return a number of processes as joblib takes it, −1 for one on each core, or None."""
    if n_jobs is None or check_count("n_jobs", n_jobs, low=-(2**31)) != 0:
        return None if n_jobs is None else int(n_jobs)
    raise ValueError("n_jobs must be None or an integer other than 0, got 0")


def completed(
    function: Function, shared: Any, items: Sequence[Any], n_jobs: int | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the number of an item and the outcome of its call, as the calls finish.

    * function: ``function(shared, item)``, for processes one that can be pickled. What it raises
      goes through and ends the iteration.
    * shared: sent once to each Dask worker.
    * n_jobs: number of processes; None takes what ``joblib.parallel_config`` says, or 1. With 1
      the calls are made here, whatever the backend; with others a Dask cluster decides by itself.
    """
    backend, configured = get_active_backend()
    client = getattr(backend, "client", None)
    if (configured if n_jobs is None else n_jobs) == 1:
        for number, item in enumerate(items):
            yield _numbered(function, shared, number, item)
    elif client is not None:
        yield from _on_dask(client, function, shared, items)
    else:
        yield from _on_joblib(function, shared, items, n_jobs)


def in_order(function: Function, shared: Any, items: Sequence[Any]) -> Iterator[Any]:
    """Yield the outcomes in the order of the items, each as soon as those before it are there.

    An outcome that is a WorkerLost is raised.
    """
    waiting: dict[int, Any] = {}
    following = 0
    for number, outcome in completed(function, shared, items):
        if isinstance(outcome, WorkerLost):
            raise outcome
        waiting[number] = outcome
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _on_joblib(
    function: Function, shared: Any, items: Sequence[Any], n_jobs: int | None
) -> Iterator[tuple[int, Any]]:
    left = dict(enumerate(items))
    breakdowns = 0
    alone: dict[int, int] = {}
    while left:
        one_at_a_time = breakdowns >= BREAKDOWNS
        batch = list(left.items())[:1] if one_at_a_time else list(left.items())
        try:
            for number, outcome in _in_parallel(function, shared, batch, n_jobs, one_at_a_time):
                yield number, outcome
                del left[number]
        except TerminatedWorkerError as error:
            breakdowns += 1
            if not one_at_a_time:
                continue
            number, _ = batch[0]
            alone[number] = alone.get(number, 0) + 1
            if alone[number] >= ALONE:
                yield number, _lost(error)
                del left[number]
                breakdowns = 0


def _in_parallel(
    function: Function,
    shared: Any,
    batch: Sequence[tuple[int, Any]],
    n_jobs: int | None,
    elsewhere: bool,
) -> Iterator[tuple[int, Any]]:
    """Yield the outcomes of a batch; ``elsewhere`` never calls in this process."""
    backend, _ = get_active_backend()
    unordered = getattr(backend, "supports_return_generator", False)
    pool = joblib.Parallel(
        n_jobs=2 if elsewhere else n_jobs,
        return_as="generator_unordered" if unordered else "list",
    )
    yield from pool(
        joblib.delayed(_numbered)(function, shared, number, item) for number, item in batch
    )


def _on_dask(
    client: Any, function: Function, shared: Any, items: Sequence[Any]
) -> Iterator[tuple[int, Any]]:
    """Submit all calls to the cluster, then one at a time those that its scheduler gave up.

    The scheduler gives up a call that was assigned to several workers that died, whether or not it
    was the one that killed them.
    """
    from distributed import KilledWorker, as_completed

    def submitted(numbers: Iterable[int]) -> Iterator[tuple[int, Any, Any]]:
        """Yield the number, the outcome and the error of each; calls without data are repeated."""
        todo = list(numbers)
        while todo:
            (data,) = client.scatter([shared], broadcast=True, hash=False)
            futures = {
                client.submit(_numbered, function, data, n, items[n], pure=False): n for n in todo
            }
            todo = []
            try:
                for future in as_completed(list(futures)):
                    number = futures.pop(future)
                    outcome, error = _outcome(future)
                    if isinstance(error, CancelledError):
                        todo.append(number)
                    else:
                        yield number, outcome, error
            finally:
                client.cancel(list(futures))

    given_up = []
    for number, outcome, error in submitted(range(len(items))):
        if isinstance(error, KilledWorker):
            given_up.append(number)
        elif error is not None:
            raise error
        else:
            yield number, outcome
    for suspect in given_up:
        for number, outcome, error in submitted([suspect]):
            if error is not None and not isinstance(error, KilledWorker):
                raise error
            yield number, outcome if error is None else _lost(error)


def _outcome(future: Any) -> tuple[Any, Exception | None]:
    """Return a future's result, or the error in its place.

    CancelledError says that the workers that had the data were killed.
    """
    if future.status == "error":
        return None, future.exception()
    if future.status != "finished":
        return None, CancelledError()
    try:
        return future.result()[1], None
    except Exception as error:  # it lay on a worker that was killed meanwhile, and was made again
        return None, error


def _numbered(function: Function, shared: Any, number: int, item: Any) -> tuple[int, Any]:
    return number, function(shared, item)


def _lost(error: BaseException) -> WorkerLost:
    lines = str(error).strip().splitlines() or [""]
    return WorkerLost(f"the process was killed each time ({type(error).__name__}: {lines[0]})")
