"""Sweeps: what is fitted, what is scored, what is kept, and what happens when something fails."""

from __future__ import annotations

import json
import math
import os
import pickle
import signal
import threading
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib.parallel import ThreadingBackend
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import make_scorer
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nbembed as nb
from nbembed.experiments import sweep
from nbembed.experiments.sweeps import sweeping
from nbembed.experiments.sweeps.fingerprint import fingerprint
from nbembed.experiments.sweeps.jobs import WorkerLost, completed, in_order, processes

X, Y = load_iris(return_X_y=True)
QUICK = nb.HSSNE(max_iter=5, n_jobs=1)


class Recorder(BaseEstimator):
    """An estimator whose score tells what it was fitted to."""

    def __init__(self, a=1, b=2, random_state=None):
        self.a = a
        self.b = b
        self.random_state = random_state

    def fit(self, X, y=None):
        if self.a == "fails":
            raise ValueError("a must not fail\nreally")
        self.X_, self.y_ = X, y
        return self

    def score(self, X, y=None):
        return 100 * len(self.X_) + len(X)


def cost(model, X, y):
    return model.cost_


def differing(one, other):
    """Return what two tables differ in, bit by bit and seconds aside: place, column and values."""
    assert one.columns == other.columns
    assert len(one) == len(other)
    columns = [c for c in one.columns if c != "seconds"]
    return [
        (i, column, row[column], again[column])
        for i, (row, again) in enumerate(zip(one, other, strict=True))
        for column in columns
        if pickle.dumps(row[column]) != pickle.dumps(again[column])
    ]


# -- what is fitted and scored ------------------------------------------------------------------


def test_rows_are_all_settings_seeds_and_folds_in_order():
    table = sweep(Recorder(), {"a": [3, 4], "b": [5]}, X, cv=3, seeds=[7, 8])
    found = [(row["a"], row["b"], row["seed"], row["fold"]) for row in table]
    assert found == [(a, 5, seed, fold) for a in (3, 4) for seed in (7, 8) for fold in (0, 1, 2)]
    assert table.columns == (*("setting", "a", "b", "seed", "fold", "score", "seconds", "error"),)
    assert (table["score"] == 100 * 100 + 50).all()
    assert (table["setting"] == np.repeat([0, 1], 6)).all()


def test_scores_are_those_of_scikit_learn():
    model, grid = KNeighborsClassifier(), {"n_neighbors": [1, 5], "p": [1, 2]}
    table = sweep(model, grid, X, Y, cv=4, scoring="balanced_accuracy")
    search = GridSearchCV(model, grid, cv=4, scoring="balanced_accuracy").fit(X, Y)
    np.testing.assert_array_equal(table.mean()["score"], search.cv_results_["mean_test_score"])
    assert table.best() == search.best_params_
    for splitter in (KFold(3, shuffle=True, random_state=0), list(KFold(4).split(X))):
        expected = cross_val_score(model, X, Y, cv=splitter)
        np.testing.assert_array_equal(sweep(model, {}, X, Y, cv=splitter)["score"], expected)


def test_each_seed_is_the_random_state_also_of_parts():
    pipeline = make_pipeline(StandardScaler(), nb.HSSNE(max_iter=5, init="random", n_jobs=1))

    def drawn(model, X, y):
        return model[-1].cost_

    table = sweep(pipeline, {"hssne__alpha": [0.5]}, X, scoring=drawn, seeds=[0, 1, 0])
    assert table["score"][0] == table["score"][2] != table["score"][1]


def test_labels_of_a_fold_are_hidden_and_its_points_are_not():
    seen = []

    class Spy(Recorder):
        def fit(self, X, y=None):
            seen.append(y)
            return super().fit(X, y)

    for labels, hidden in (
        (np.where(np.arange(150) % 5 == 0, Y, -1), lambda y: y == -1),
        (np.where(np.arange(150) % 5 == 0, Y, np.nan), np.isnan),
        (np.where(np.arange(150) % 5 == 0, Y.astype(str), None), lambda y: y == None),  # noqa: E711
    ):
        seen.clear()
        table = sweep(Spy(), {}, X, labels, cv=3, held_out="labels")
        assert (table["score"] == 100 * 150 + 10).all()
        assert [int((~hidden(y)).sum()) for y in seen] == [20, 20, 20]
        known = np.array([~hidden(y) for y in seen])
        assert (known.sum(axis=0)[::5] == 2).all()


def test_folds_are_stratified_where_unlabeled_points_are_none():
    """Beside None, classes have no type that scikit-learn stratifies by."""
    seen = []

    class Spy(Recorder):
        def fit(self, X, y=None):
            seen.append(y)
            return super().fit(X, y)

    for zero, one in ((0, 1), ("a", "b"), (0, "b")):
        labels = np.array([zero] * 4 + [None] * 2 + [one] * 4, dtype=object)
        for cv in (2, StratifiedKFold(2)):
            seen.clear()
            sweep(Spy(), {}, X[:10], labels, cv=cv, held_out="labels", error_score="raise")
            assert [(list(y).count(zero), list(y).count(one)) for y in seen] == [(2, 2), (2, 2)]
        seen.clear()
        sweep(Spy(), {}, X[:10], labels, cv=2, error_score="raise")
        assert [[list(y).count(c) for c in (zero, None, one)] for y in seen] == [[2, 1, 2]] * 2


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int8])
def test_labels_of_unsigned_integers_are_hidden(kind):
    options = {"cv": 2, "scoring": cost, "held_out": "labels", "seeds": [0]}
    expected = sweep(QUICK, {}, X, Y, **options)
    found = sweep(QUICK, {}, X, Y.astype(kind), **options)
    assert differing(expected, found) == []
    assert found["error"].tolist() == [None, None]


def test_dissimilarities_are_split_on_both_sides():
    D, near = euclidean_distances(X), KNeighborsClassifier(metric="precomputed")
    table = sweep(near, {"n_neighbors": [1, 3]}, D, Y, cv=3)
    expected = sweep(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, X, Y, cv=3)
    np.testing.assert_array_equal(table["score"], expected["score"])

    def on_the_map(model, D, y):
        distances = euclidean_distances(model.transform(D), model.embedding_)
        return float((distances.min(axis=1) == 0).mean())

    given = nb.HSSNE(max_iter=5, metric="precomputed", n_jobs=1)
    table = sweep(given, {}, D, Y, cv=2, scoring=on_the_map, held_out="labels")
    assert (table["score"] == 1).all()
    table = sweep(given, {}, D, Y, cv=2, scoring=on_the_map, held_out="points")
    assert (table["score"] < 0.1).all()


def test_scoring_may_have_names_and_several_values():
    table = sweep(QUICK, {}, X, scoring={"c": cost, "d": lambda m, X, y: 2 * m.cost_})
    assert table.scores == ("c", "d")
    assert table["d"][0] == 2 * table["c"][0] == 2 * table["cost"][0]
    table = sweep(QUICK, {}, sparse.csr_array(X), scoring=lambda m, X, y: {"e": 1, "f": math.inf})
    assert table.scores == ("e", "f")
    assert (table["e"][0], table["f"][0]) == (1.0, math.inf)
    assert table.best("f", largest=False) == {}


def test_a_name_that_a_fit_did_not_return_is_no_failure():
    def sometimes(model, X, y):
        return {"c": 1.0} if model.a == 1 else {"c": 1.0, "d": 2.0}

    for error_score in ("raise", -5):
        table = sweep(Recorder(), {"a": [1, 2]}, X, scoring=sometimes, error_score=error_score)
        assert table["error"].tolist() == [None, None]
        np.testing.assert_array_equal(table["d"], [math.nan, 2.0])
        np.testing.assert_array_equal(table.mean()["d"], [math.nan, 2.0])
        assert table.best("d") == {"a": 2}


def test_a_score_does_not_overwrite_a_parameter_of_another_grid(tmp_path):
    def named_b(model, X, y):
        return {"b": 7.0}

    alone = sweep(Recorder(), {"a": [1]}, X, scoring=named_b, folder=tmp_path)
    assert alone["b"].tolist() == [7.0]
    grids = [{"a": [1]}, {"b": [5]}]
    for folder in (None, tmp_path):  # where a result with that name is kept
        with pytest.warns(
            FitFailedWarning, match="2 of 2 fits failed.*must not return a score named 'b'"
        ):
            table = sweep(Recorder(), grids, X, scoring=named_b, folder=folder)
        assert table["b"].tolist() == [None, 5]


# -- failures -----------------------------------------------------------------------------------


def test_a_failed_fit_is_recorded_and_the_others_go_on():
    with pytest.warns(FitFailedWarning, match="1 of 3 fits failed.*a must not fail"):
        table = sweep(Recorder(), {"a": [1, "fails", 2]}, X, error_score=-5)
    assert table["error"].tolist() == [None, "ValueError: a must not fail\nreally", None]
    assert table["score"].tolist() == [15150.0, -5, 15150.0]
    assert [row["a"] for row in table.failed] == ["fails"]
    assert table.mean()["failed"].tolist() == [0, 1, 0]
    assert table.best() == {"a": 1}
    with pytest.warns(FitFailedWarning):
        nothing = sweep(Recorder(), {"a": ["fails"]}, X)
    assert math.isnan(nothing["score"][0])
    with pytest.raises(ValueError, match="'score' has none"):
        nothing.best()


def test_an_error_comes_through_when_asked():
    with pytest.raises(ValueError, match="a must not fail") as caught:
        sweep(Recorder(), {"a": [1, "fails", 2]}, X, error_score="raise")
    assert "'a': 'fails'" in caught.value.__notes__[0]


def test_a_scorer_that_returns_no_number_is_an_error_of_the_fit():
    for strange in ("text", None, [1.0], {"seed": 1.0}):
        with pytest.warns(FitFailedWarning, match="scoring must"):
            sweep(Recorder(), {}, X, scoring=lambda m, X, y, s=strange: s)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"estimator": nb.HSSNE}, TypeError, "estimator must be a scikit-learn estimator"),
        ({"estimator": 3}, TypeError, "estimator must be"),
        ({"param_grid": {"alpah": [1]}}, ValueError, "param_grid must name parameters of HSSNE"),
        ({"param_grid": {"alpha": 1.0}}, TypeError, "param_grid must be"),
        ({"param_grid": {"alpha": []}}, ValueError, "param_grid must be"),
        ({"param_grid": 3}, TypeError, "param_grid must be"),
        ({"param_grid": []}, ValueError, "param_grid must have at least one setting"),
        ({"X": 3}, ValueError, "X must have a row"),
        ({"y": [1, 2]}, ValueError, "y must have one label for each of 150 rows"),
        ({"scoring": None}, ValueError, "scoring must be given, because HSSNE"),
        ({"scoring": "no such"}, ValueError, "scoring must be a scorer"),
        ({"scoring": 3}, TypeError, "scoring must be the name of a scorer or a function"),
        ({"scoring": {}}, ValueError, "scoring must have at least one"),
        ({"scoring": {"seed": cost}}, ValueError, "scoring must not have a score named"),
        ({"cv": 1}, ValueError, "cv must be at least 2"),
        ({"cv": 151}, ValueError, "cv must be None, a number of folds"),
        ({"cv": "five"}, ValueError, "cv must be None, a number of folds"),
        ({"cv": [([0], [500])]}, ValueError, "cv must be None, a number of folds"),
        ({"held_out": "all"}, ValueError, "held_out must be"),
        ({"held_out": "labels"}, ValueError, "y must be given with held_out"),
        ({"held_out": "labels", "y": Y}, ValueError, "cv must be given with held_out"),
        ({"seeds": 3}, TypeError, "seeds must be integers"),
        ({"seeds": [0.5]}, TypeError, "seeds must be an integer"),
        ({"seeds": []}, ValueError, "seeds must be at least one"),
        ({"seeds": [2**32]}, ValueError, "seeds must be below"),
        (
            {"seeds": [0], "estimator": StandardScaler(), "param_grid": {}},
            ValueError,
            "seeds must be None: StandardScaler",
        ),
        ({"folder": 3}, TypeError, "folder must be a path"),
        (
            {"folder": __file__},
            ValueError,
            "folder must be a directory in which files can be written",
        ),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or"),
        ({"error_score": "ignore"}, ValueError, "error_score must be"),
        ({"error_score": None}, TypeError, "error_score must be"),
        ({"verbose": "yes"}, TypeError, "verbose must be"),
    ],
)
def test_bad_arguments_are_named_before_any_fit(change, error, match):
    def never(model, X, y):
        raise AssertionError

    given = {"estimator": QUICK, "param_grid": {"alpha": [1.0]}, "X": X, "scoring": never}
    with pytest.raises(error, match=match):
        sweep(**{**given, "error_score": "raise", **change})


# -- results that are kept ----------------------------------------------------------------------


def counted(folder, model, X, y):
    """Score a fit and leave a trace of it."""
    with open(folder / "trace", "a") as file:
        file.write("x")
    return model.cost_


def traces(folder):
    return (folder / "trace").read_text().count("x") if (folder / "trace").exists() else 0


def test_a_finished_fit_is_not_done_again(tmp_path):
    scoring, kept = partial(counted, tmp_path), tmp_path / "kept"
    first = sweep(QUICK, {"alpha": [0.5, 1.0]}, X, scoring=scoring, seeds=[0, 1], folder=kept)
    assert traces(tmp_path) == 4
    again = sweep(QUICK, {"alpha": [0.5, 1.0]}, X, scoring=scoring, seeds=[0, 1], folder=kept)
    assert traces(tmp_path) == 4
    assert differing(first, again) == []
    assert again["seconds"].tolist() == first["seconds"].tolist()
    longer = sweep(QUICK, {"alpha": [1.0, 2.0]}, X, scoring=scoring, seeds=[1, 2], folder=kept)
    assert traces(tmp_path) == 7
    assert longer["score"][0] == first["score"][3]
    for changed in (X + 1e-9, X.astype(np.float32)):
        sweep(QUICK, {"alpha": [0.5]}, changed, scoring=scoring, seeds=[0], folder=kept)
    assert traces(tmp_path) == 9
    sweep(nb.HSSNE(max_iter=6), {"alpha": [0.5]}, X, scoring=scoring, seeds=[0], folder=kept)
    assert traces(tmp_path) == 10


def test_kept_results_are_readable_and_a_damaged_file_is_written_anew(tmp_path):
    table = sweep(QUICK, {"alpha": [0.5]}, X, scoring=cost, seeds=[3], folder=tmp_path)
    (file,) = tmp_path.glob("*.json")
    content = json.loads(file.read_text())
    assert content["about"] == {"alpha": "0.5", "seed": "3", "fold": "None"}
    assert content["result"]["scores"] == {"score": table["score"][0]}
    result = content["result"]
    ill_formed = [
        [],
        {**result, "scores": {"score": None}},
        {**result, "scores": {"score": "high"}},
        {**result, "scores": {"score": [1.0]}},
        {**result, "scores": {"score": True}},
        {**result, "scores": {"score": 10**400}},
        {**result, "scores": [1.0]},
        {**result, "error": "ValueError"},
        {**result, "seconds": "1"},
        {**result, "cost": None},
        {name: result[name] for name in ("scores", "error")},
        {name: result[name] for name in ("scores", "seconds")},
    ]
    texts = ["", "{", "[]", '{"format": 1}', '{"format": 2, "result": {"scores": {}}}', "[" * 10**5]
    texts += [json.dumps({**content, "result": wrong}) for wrong in ill_formed]
    for damaged in texts:
        file.write_text(damaged)
        again = sweep(QUICK, {"alpha": [0.5]}, X, scoring=cost, seeds=[3], folder=tmp_path)
        assert differing(table, again) == []
        assert json.loads(file.read_text())["result"]["scores"] == content["result"]["scores"]


def test_failed_fits_are_tried_again(tmp_path):
    def flaky(model, X, y):
        if not (tmp_path / "once").exists():
            (tmp_path / "once").touch()
            raise OSError("the first time")
        return math.nan

    with pytest.warns(FitFailedWarning, match="the first time"):
        sweep(Recorder(), {}, X, scoring=flaky, folder=tmp_path)
    assert sweep(Recorder(), {}, X, scoring=flaky, folder=tmp_path)["error"][0] is None
    kept = sweep(Recorder(), {}, X, scoring=flaky, folder=tmp_path)
    assert math.isnan(kept["score"][0])


def test_values_are_recognized_by_content():
    def one(x):
        return x + 1

    def two(x):
        return x + 2

    def enclosing(value):
        return lambda: value

    values = [
        X,
        X.astype(np.float32),
        X[:-1],
        sparse.csr_array(X),
        one,
        two,
        enclosing(1),
        enclosing(2),
        partial(one, 3),
        nb.HSSNE(),
        nb.HSSNE(alpha=2),
        nb.SNE(),
        nb.HSSNE,
        np.random.default_rng(0),
        np.random.default_rng(1),
        np.random.RandomState(0),
        {"a": 1},
        {"a": 2},
        [1, 2],
        None,
        "None",
        nb.LearningMetric(n_centroids=2),
        nb.LearningMetric(n_centroids=3),
    ]
    digests = [fingerprint(value) for value in values]
    assert len(set(digests)) == len(values)
    assert fingerprint(np.array(X, order="F").copy()) == fingerprint(X.copy())
    assert fingerprint(enclosing(1)) == fingerprint(enclosing(1))
    assert fingerprint(np.array(["a", None], object)) == fingerprint(np.array(["a", None], object))
    with pytest.raises(TypeError, match="cannot be pickled"):
        fingerprint(iter(open(os.devnull)))  # noqa: SIM115


def fitted(values):
    return StandardScaler().fit(values)


def test_fitted_estimators_count_with_what_they_learned():
    def enclosing(model):
        return lambda: model

    for around in (FrozenEstimator, enclosing, lambda m: m.transform, lambda m: partial(max, m)):
        other = fingerprint(around(fitted(X + 1)))
        assert fingerprint(around(fitted(X))) == fingerprint(around(fitted(X)))
        assert fingerprint(around(fitted(X))) != other
        assert fingerprint(around(StandardScaler())) != other


def test_an_estimator_is_recognized_before_and_after_its_fit(tmp_path):
    scoring, kept = partial(counted, tmp_path), tmp_path / "kept"
    model = nb.HSSNE(max_iter=5, n_jobs=1)
    for _ in range(2):
        sweep(model, {}, X, scoring=scoring, folder=kept)
        model.fit(X)
    assert traces(tmp_path) == 1

    part, whole = StandardScaler(), make_pipeline(StandardScaler(), Recorder())
    for _ in range(2):
        sweep(whole, {"standardscaler": [part]}, X, folder=tmp_path / "parts")
        part.fit(X)
    assert len(list((tmp_path / "parts").iterdir())) == 1
    for values in (X, X + 1):  # which a clone keeps as it is
        frozen = make_pipeline(FrozenEstimator(fitted(values)), Recorder())
        sweep(frozen, {}, X, folder=tmp_path / "frozen")
    assert len(list((tmp_path / "frozen").iterdir())) == 2


def test_functions_count_with_the_plain_global_values_that_they_name():
    source = """
def score(model, X, y):
    return [K for _ in X]
"""

    def with_global(**values):
        names = {"__name__": "somewhere", **values}
        exec(source, names)
        return names["score"]

    values = [1, 2, 2.5, "2", b"2", np.float32(2), np.arange(3), np.arange(4), [1, (2,)], [1, (3,)]]
    digests = [fingerprint(with_global(K=value)) for value in values]
    assert len(set(digests)) == len(values)
    assert fingerprint(with_global(K=1, other=1)) == fingerprint(with_global(K=1, other=2))
    assert fingerprint(with_global(K=1)) == digests[0]
    scorers = [fingerprint(make_scorer(with_global(K=value))) for value in values]
    assert len(set(scorers)) == len(values)


def test_what_cannot_be_recognized_is_named(tmp_path):
    with open(os.devnull) as file, pytest.raises(TypeError, match="use folder=None"):
        sweep(Recorder(), {"a": [file]}, X, folder=tmp_path)


# -- the table ----------------------------------------------------------------------------------


def test_a_table_is_read_in_many_ways():
    with pytest.warns(FitFailedWarning):
        table = sweep(Recorder(), {"a": [1, "fails"], "b": ["<b>", [0.0] * 50]}, X, seeds=[0, 1])
    assert len(table) == 8
    frame = table.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == list(table.columns)
    assert frame["score"].tolist()[:4] == [15150.0] * 4
    assert table["b"].dtype == object
    lines = repr(table).splitlines()
    assert len(lines) == 9
    assert lines[0].split() == list(table.columns)
    page = table._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    with pytest.raises(KeyError, match="column must be one of setting, a, b"):
        table["c"]
    with pytest.raises(ValueError, match="score must be"):
        table.best("b")
    long = sweep(Recorder(), {"a": list(range(100))}, X)
    assert "…" in repr(long).splitlines()[31]
    assert len(repr(long).splitlines()) == 62


# -- processes ----------------------------------------------------------------------------------


def doubled(shared, item):
    return shared * item


def test_calls_come_back_with_their_numbers():
    assert dict(completed(doubled, 2, [3, 4, 5])) == {0: 6, 1: 8, 2: 10}
    assert list(in_order(doubled, 2, [3, 4, 5])) == [6, 8, 10]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert list(in_order(doubled, 2, range(50))) == [2 * i for i in range(50)]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals end processes")
def test_killed_processes_are_replaced_and_what_always_kills_is_given_up(tmp_path):
    def killed_once(shared, item):
        if item == 2 and not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return shared * item

    with processes(2):
        assert list(in_order(killed_once, 10, range(6))) == [0, 10, 20, 30, 40, 50]
    assert (tmp_path / "killed").exists()

    def always(shared, item):
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return shared * item

    found = dict(completed(always, 10, range(4), n_jobs=2))
    lost = found.pop(1)
    assert found == {0: 0, 2: 20, 3: 30}
    assert isinstance(lost, WorkerLost)
    assert "killed each time (TerminatedWorkerError" in str(lost)


class Elsewhere(ThreadingBackend):
    """A backend that must not be used, and like Dask's counts its own workers."""

    def effective_n_jobs(self, n_jobs):
        return 2

    def submit(self, *arguments, **options):
        raise AssertionError

    apply_async = submit


def here(shared, item):
    return threading.get_ident()


def test_one_job_is_done_here_whatever_the_backend():
    me = threading.get_ident()
    for configured, given in ((2, 1), (1, None)):
        with joblib.parallel_config(backend=Elsewhere(), n_jobs=configured):
            assert dict(completed(here, None, range(3), given)) == dict.fromkeys(range(3), me)
            with processes(1):
                assert list(in_order(here, None, range(3))) == [me] * 3
            table = sweep(Recorder(), {"a": [1, 2]}, X, n_jobs=1)
            assert len(table) == 2


def test_what_a_call_raises_goes_through():
    def raises(shared, item):
        raise KeyError(item)

    with pytest.raises(KeyError, match="3"):
        list(in_order(raises, None, [3]))


def test_a_lost_fit_is_a_row_with_an_error(monkeypatch):
    def losing(function, shared, items, n_jobs):
        for number, item in enumerate(items):
            lost = item.parameters["a"] == 2
            yield number, WorkerLost("killed") if lost else function(shared, item)

    monkeypatch.setattr(sweeping, "completed", losing)
    with pytest.warns(FitFailedWarning, match="1 of 3 fits failed.*WorkerLost: killed"):
        table = sweep(Recorder(), {"a": [1, 2, 3]}, X)
    assert table["error"].tolist() == [None, "WorkerLost: killed", None]
    with pytest.raises(WorkerLost):
        sweep(Recorder(), {"a": [1, 2, 3]}, X, error_score="raise")
