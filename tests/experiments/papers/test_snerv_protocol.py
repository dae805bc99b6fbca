"""How SNeRV's protocol chooses the parameters of other methods and reports the differences."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.experiments.papers import snerv
from nbembed.experiments.papers.snerv import Protocol, best_choice, error, grid

QUICK = Protocol(folds=2, inner=2, splits=1, tradeoffs=(0.1,), max_iter=60)


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


@pytest.fixture
def small_grids(monkeypatch):
    for name, values in (
        ("OFFSETS", (0.5,)),
        ("GRAPHS", (10,)),
        ("PENALTIES", (1.0,)),
        ("EIGENVECTORS", (10,)),
        ("PERPLEXITIES", (5.0, 20.0)),
        ("POINTS", 150),
        ("FOLDS", 5),
    ):
        monkeypatch.setattr(snerv, name, values)


def test_a_grid_has_all_combinations():
    assert grid(a=(1, 2), b=("x",)) == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]


def test_the_choice_with_the_smallest_error_on_hidden_points_is_taken(iris):
    hidden = []

    def score(X, y, known, *, value):
        hidden.append(np.flatnonzero(~known))
        return {1: 5.0, 2: 3.0, 3: 3.0}[value]

    assert best_choice(score, grid(value=(1, 2, 3)), *iris, splits=2) == {"value": 2}
    assert len(hidden) == 6
    # Each choice is scored on the same parts, and the parts have no point in common.
    assert all((hidden[k] == hidden[k % 2]).all() for k in range(6))
    assert np.intersect1d(hidden[0], hidden[1]).size == 0
    assert {part.size for part in hidden} == {15}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_other_methods_see_no_hidden_label(iris, small_grids):
    """With other classes for the hidden points, the errors change as the counts say."""
    X, y = iris
    known = np.arange(150) >= 30
    found = snerv.others_errors(X, y, known, QUICK)
    assert list(found) == ["S-Isomap", "MUHSIC", "MRE"]
    assert all(0 <= value < 25 for value in found.values())
    wrong = np.where(known, y, (y + 1) % 3)
    turned = snerv.others_errors(X, wrong, known, QUICK)
    # The maps are the same, so what was right is wrong now.
    assert all(turned[name] >= 100 - found[name] - 1e-9 for name in found)


def test_rows_of_all_methods(iris, small_grids):
    rows = {figure.name: figure for figure in snerv.figures(iris, "1.5e-4", True, QUICK)}
    for name in ("SNeRV(0.1)", "NeRV", "S-Isomap", "MUHSIC", "MRE"):
        mean = np.mean([rows[f"fold {k}: {name}: error, %"].measured for k in (1, 2)])
        assert rows[f"{name}: mean error, %"].measured == pytest.approx(mean)
    gap = rows["S-Isomap − MRE: percentage points"]
    means = [rows[f"{name}: mean error, %"].measured for name in ("S-Isomap", "MRE")]
    assert gap.measured == pytest.approx(means[0] - means[1])
    assert gap.judged
    assert gap.published == "< 0"
    assert set(gap.others) == {"PCA", "t-SNE", "random map", "LDA"}
    assert gap.others["random map"] > 30
    lda = rows["LDA: mean error, %"].measured
    assert gap.others["LDA"] == pytest.approx(lda - means[1])
    p = rows["SNeRV(0.1) and S-Isomap: p of the paired t-test"]
    assert not p.published, "that is of the printed cost"
    assert not p.judged  # two folds are not the paper's ten
    assert rows["LDA: mean error, %"].measured < 10


@pytest.mark.parametrize(
    ("published", "low", "high"), [("1.5e-4", -np.inf, 0.05), ("0.53", 0.05, np.inf)]
)
def test_significance_is_judged_as_the_paper_states_it(
    iris, small_grids, monkeypatch, published, low, high
):
    """Of the better tradeoff, in the complete protocol."""
    errors = {"SNeRV(0.1)": 9.0, "SNeRV(0.3)": 8.0, "NeRV": 20.0, "S-Isomap": 10.0, "MRE": 30.0}

    def fold_errors(shared, known):
        return {name: value + 0.1 * known[0] for name, value in errors.items()}

    monkeypatch.setattr(snerv, "fold_errors", fold_errors)
    monkeypatch.setattr(snerv, "WHOLE", QUICK)
    rows = {figure.name: figure for figure in snerv.figures(iris, published, True, QUICK)}
    p = rows["SNeRV(0.3) and S-Isomap: p of the paired t-test"]
    assert (p.low, p.high) == (low, high)
    assert not rows["SNeRV(0.1) and S-Isomap: p of the paired t-test"].judged
    assert not rows["SNeRV(0.1) − S-Isomap: percentage points"].judged
    assert not rows["SNeRV(0.1) and S-Isomap: p of the paired t-test"].published
    assert rows["SNeRV(0.3) − S-Isomap: percentage points"].judged
    assert all(rows[f"SNeRV({t}) − MRE: percentage points"].judged for t in (0.1, 0.3))
    assert rows["SNeRV(0.3) and NeRV: p of the paired t-test"].judged == (high == 0.05)


def test_where_the_paper_has_s_isomap_ahead_the_sign_is_not_judged(iris, small_grids, monkeypatch):
    errors = {"SNeRV(0.1)": 9.0, "NeRV": 20.0, "S-Isomap": 8.0, "MRE": 30.0}
    monkeypatch.setattr(snerv, "fold_errors", lambda shared, known: errors)
    monkeypatch.setattr(snerv, "WHOLE", QUICK)
    rows = {figure.name: figure for figure in snerv.figures(iris, "0.54", False, QUICK)}
    assert not rows["SNeRV(0.1) − S-Isomap: percentage points"].judged
    assert rows["SNeRV(0.1) − NeRV: percentage points"].judged
    assert rows["SNeRV(0.1) and S-Isomap: p of the paired t-test"].low == 0.05


def test_the_largest_classes_are_taken():
    y = np.array([3, 3, 1, 2, 2, 2, 0, 0])
    X, kept = snerv.largest_classes(np.arange(8)[:, None], y, 3)
    assert kept.tolist() == [3, 3, 2, 2, 2, 0, 0]
    assert X.ravel().tolist() == [0, 1, 3, 4, 5, 6, 7]


def test_without_the_solver_muhsic_is_left_out_with_a_warning(iris, small_grids, monkeypatch):
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.warns(UserWarning, match=r"MUHSIC is left out: pip install \"nbembed\[sdp\]\""):
        rows = [figure.name for figure in snerv.figures(iris, "", True, QUICK)]
    assert not any("MUHSIC" in name for name in rows)
    assert any("MRE" in name for name in rows)


def test_the_error_is_of_hidden_points_only():
    Y = np.repeat([[0.0, 0.0], [9.0, 9.0]], 6, axis=0) + 1e-3 * np.arange(12)[:, None]
    y = np.repeat([0, 1], 6)
    known = np.ones(12, bool)
    known[[0, 6]] = False
    assert error(Y, y, known) == 0
    y[6] = 0
    assert error(Y, y, known) == 50


def test_a_published_p_stands_beside_the_printed_cost_alone(iris, small_grids, monkeypatch):
    def found(shared, known):
        names = ("SNeRV(0.1), as printed", "SNeRV(0.1), as printed, shortest paths",
                 "SNeRV(0.1), ours", "NeRV(0.1), as printed", "NeRV(0.1), one width",
                 "S-Isomap")  # fmt: skip
        return {name: float(k) + known[k] for k, name in enumerate(names)}

    monkeypatch.setattr(snerv, "printed_errors", found)
    rows = list(snerv.printed_figures(iris, "1.5e-4", QUICK))
    told = [row.name for row in rows if row.published]
    assert told == ["SNeRV(0.1), as printed and S-Isomap: p of the paired t-test"]
    gaps = {row.name: row.measured for row in rows if "percentage points" in row.name}
    assert gaps["SNeRV(0.1), as printed − SNeRV(0.1), ours: percentage points"] < 0
