"""Long work counts its rows, to the last of them, and ends where a report gives it up."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nbembed.affinities import global_affinities, perplexity_affinities
from nbembed.kernels.threads import Interrupted
from nbembed.learning_metric import LearningMetric
from nbembed.system.work import reported, stage, warn


class Heard:
    """Keeps what was counted; gives the work up at a stage."""

    def __init__(self, until: str = "") -> None:
        self.counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.remarks: list[str] = []
        self._until = until
        self._lock = threading.Lock()

    def count(self, name: str, done: int, total: int) -> None:
        with self._lock:
            self.counts[name].append((done, total))
        if name == self._until and done:
            raise Interrupted

    def remark(self, text: str) -> None:
        self.remarks.append(text)


def data(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def learned() -> Any:
    X = data(120, 3)
    return LearningMetric(random_state=0).fit(X, np.repeat([0, 1, 2], 40) * (X[:, 0] > -1))


WORK: dict[str, tuple[set[str], Callable[[], Any]]] = {
    "dense": ({"finding neighborhoods"}, lambda: perplexity_affinities(data(700, 4), 10)),
    "tree": (
        {"finding neighbors", "weighing neighbors"},
        lambda: perplexity_affinities(data(9000, 3), 5, n_neighbors=15),
    ),
    "all distances": (
        {"finding neighbors", "weighing neighbors"},
        lambda: perplexity_affinities(data(5000, 12), 5, n_neighbors=15),
    ),
    "cells": (
        {"building search index", "finding neighbors"},
        lambda: perplexity_affinities(data(6000, 12), 5, n_neighbors=15),
    ),
    "another metric": (
        {"finding neighbors", "weighing neighbors"},
        lambda: perplexity_affinities(data(900, 4), 5, "cityblock", n_neighbors=15),
    ),
    "one width": (
        {"measuring distances", "finding neighborhoods"},
        lambda: global_affinities(data(700, 4), 3),
    ),
    "a learned metric": ({"fitting mixtures"}, learned),
}


@pytest.mark.parametrize("name", WORK)
def test_rows_are_counted_to_the_last(name, monkeypatch):
    if name == "cells":
        monkeypatch.setattr("nbembed.neighbors.search.MANY", 6000)
    stages, work = WORK[name]
    heard = Heard()
    with reported(heard):
        work()
    assert stages <= heard.counts.keys()
    for stage_ in stages:
        counts = heard.counts[stage_]
        assert counts[0][0] == 0
        assert counts[-1][0] == counts[-1][1] > 0, "all of it was counted"


@pytest.mark.parametrize("name", WORK)
def test_work_is_given_up_where_it_counts(name, monkeypatch):
    if name == "cells":
        monkeypatch.setattr("nbembed.neighbors.search.MANY", 6000)
    stages, work = WORK[name]
    for stage_ in stages:
        with reported(Heard(stage_)), pytest.raises(Interrupted):
            work()


def test_counting_changes_nothing():
    plain = perplexity_affinities(data(700, 4), 10)
    with reported(Heard()):
        counted = perplexity_affinities(data(700, 4), 10)
    assert plain.P.tobytes() == counted.P.tobytes()


def test_nobody_hears_of_other_threads():
    heard = Heard()
    with reported(heard):
        other = threading.Thread(target=lambda: stage("elsewhere", 3).advance(2))
        other.start()
        other.join()
    stage("outside", 3).advance(2)
    assert not heard.counts


def test_a_warning_is_heard_and_still_a_warning():
    heard = Heard()
    with reported(heard), pytest.warns(UserWarning, match="equally near neighbors"):
        perplexity_affinities(np.ones((40, 2)), 5)
    assert len(heard.remarks) == 1
    with pytest.warns(UserWarning, match="alone") as caught:
        warn("alone", stacklevel=1)
    assert caught[0].filename == __file__


def test_counts_of_helper_threads_are_heard_in_their_order() -> None:
    class Late(Heard):
        """Lets another thread count before it has heard the first count."""

        def count(self, name: str, done: int, total: int) -> None:
            if done == 1:
                helper.start()
                helper.join(0.05)
            super().count(name, done, total)

    heard = Late()
    with reported(heard):
        work = stage("finding neighbors", 2)
    helper = threading.Thread(target=work.advance, args=(1,))
    work.advance(1)
    helper.join()
    assert heard.counts["finding neighbors"] == [(0, 2), (1, 2), (2, 2)]
