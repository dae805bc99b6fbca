"""Kernel by kernel, the compiled code and the plain NumPy formulas of ``reference`` agree."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array as sparse_matrix

from nbembed.kernels import (
    calibration,
    custom_similarity,
    distances,
    fisher_paths,
    gaussian_rows,
    graph_solve,
    heavy_tailed,
    linked_entropy,
    links,
    log_rows,
    neighbor_retrieval,
    parametric,
    placement,
    polynomial_inverse,
    sparse,
)
from nbembed.kernels.packing import packed, packed_row
from nbembed.kernels.terms import NEVER, NO_AFFINITY
from tests.kernels import helpers, reference

ROOT = Path(__file__).parents[2]
N = 41
GROUPS = np.array([0, 2, 9, 15]), np.arange(15) * 2, np.linspace(0.3, 1, 15)
#: Affinities within a group.
OWN = helpers.csr_parts(
    np.pad(1 - np.eye(13), (4, N - 17))
    * (np.arange(N) % 2 == 0)[:, None]
    * (np.arange(N) % 2 == 0)
    * 0.01
)


def similarity(tau: float) -> float:
    return math.exp(-tau) + 0.01 / (1.0 + tau)


def score(tau: float) -> float:
    slope = -math.exp(-tau) - 0.01 / (1.0 + tau) ** 2
    return -slope / (math.exp(-tau) + 0.01 / (1.0 + tau))


def log_p(rng: np.random.Generator) -> Any:
    logs = np.log(rng.random((N, N)) ** 4)
    logs[rng.random((N, N)) < 0.2] = -np.inf
    logs[np.arange(N), (np.arange(N) + 1) % N] = -1.0
    return logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))


def rewritten(rewrite: Any) -> Any:
    """Return a function that also returns the array that ``rewrite`` changes."""

    @wraps(rewrite)
    def call(packed: Any, *arguments: Any) -> tuple[Any, float]:
        packed = packed.copy()
        entropy = rewrite(packed, *arguments)
        return packed, entropy

    return call


def from_afar(kernel: Any) -> Any:
    """Return the pull of must-links."""

    @wraps(kernel)
    def called(*args: Any) -> Any:
        return kernel(*args, far=True)

    return called


def with_factors(kernel: Any) -> Any:
    """Return a function that gives ``kernel`` factors of rows."""

    @wraps(kernel)
    def call(*arguments: Any) -> Any:
        return kernel(*arguments, keep=np.linspace(1e-3, 1, N))

    return call


def with_own(kernel: Any) -> Any:
    """Return a function that gives ``kernel`` own affinities."""

    @wraps(kernel)
    def call(*arguments: Any) -> Any:
        return kernel(*arguments, own=OWN)

    return call


def solution(kernel: Any) -> Any:
    """Return a function that leaves the number of iterations out."""

    @wraps(kernel)
    def call(*arguments: Any) -> Any:
        return kernel(*arguments)[0]

    return call


def cases(rng: np.random.Generator) -> dict[str, tuple[Any, Any, tuple[Any, ...]]]:
    """Return, for each kernel: compiled function, reference, and arguments for both."""
    Yt, P = helpers.layout(rng, N, 2, outliers=1), helpers.affinities(rng, N)
    csr, rates = helpers.csr_parts(P), rng.random(N)
    centers, proba = rng.normal(size=(4, 2)), rng.dirichlet(np.ones(4), N)
    log_prior = np.array([-1.0, -1.0, -2.0, NEVER])
    exponents = rng.chisquare(5, size=(N, 6))
    beta = rng.dirichlet(np.ones(3), 6).T
    logs = log_p(rng)
    marked = np.where(np.isfinite(logs), logs, NO_AFFINITY)
    np.fill_diagonal(marked, NO_AFFINITY)
    pattern = sparse_matrix((marked < NO_AFFINITY) | (marked.T < NO_AFFINITY))
    i, j = np.repeat(np.arange(N), np.diff(pattern.indptr)), pattern.indices
    entries = pattern.indptr, j, marked[i, j], marked[j, i]
    halves = pattern.indptr, j, np.exp(logs[i, j]), np.exp(logs[j, i])
    D2, own = rng.chisquare(4, size=(N, N)), np.arange(N)
    direct = rng.random((5, N)) + 1
    D = np.abs(rng.random((N, N)))
    D = D + D.T
    np.fill_diagonal(D, 0)
    fitted, hidden = rng.normal(size=(2, N)), rng.normal(size=(9, 2))
    near = -3 * reference.squared_distances(hidden, fitted.T)
    near -= np.log(np.exp(near).sum(axis=1, keepdims=True))
    starts = hidden[:, None] + 0.3 * rng.normal(size=(9, 3, 2))
    pair = (similarity, score)
    made: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {}
    for form, value in (("dense", P), ("sparse", csr)):
        for alpha in (0.0, 0.4, 1.0):
            made[f"heavy_tailed {form} {alpha}"] = (
                heavy_tailed.heavy_tailed, reference.heavy_tailed, (Yt, value, alpha, True, 1)
            )  # fmt: skip
        made[f"gaussian_rows {form}"] = (
            gaussian_rows.gaussian_rows, reference.gaussian_rows, (Yt, value, True, 1)
        )  # fmt: skip
        made[f"custom_pairs {form}"] = (
            custom_similarity.custom_pairs, reference.custom_pairs, (*pair, Yt, value, True, 1)
        )  # fmt: skip
        made[f"unlinked_sums {form}"] = (
            linked_entropy.unlinked_sums, reference.unlinked_sums, (value, GROUPS, 1)
        )  # fmt: skip
        made[f"linked_entropy {form}"] = (
            linked_entropy.linked_entropy, reference.linked_entropy,
            (value, GROUPS, rates[:15], 1 - rates, 1),
        )  # fmt: skip
        made[f"linked_entropy {form}, own"] = (
            with_own(linked_entropy.linked_entropy), with_own(reference.linked_entropy),
            (value, GROUPS, rates[:15], 1 - rates, 1),
        )  # fmt: skip
        made[f"joint_entropy {form}"] = (
            linked_entropy.joint_entropy, reference.joint_entropy,
            (value, np.arange(0, 31), GROUPS, rates[:15], OWN, 1 - rates, 1),
        )  # fmt: skip
        made[f"custom_pairs {form}, factors"] = (
            with_factors(custom_similarity.custom_pairs), with_factors(reference.custom_pairs),
            (*pair, Yt, value, True, 1),
        )  # fmt: skip
        for alpha in (0.0, 0.4, 1.0):
            made[f"heavy_tailed {form} {alpha}, factors"] = (
                with_factors(heavy_tailed.heavy_tailed), with_factors(reference.heavy_tailed),
                (Yt, value, alpha, True, 1),
            )  # fmt: skip
    made |= {
        "sparse_attraction": (
            sparse.sparse_attraction, reference.sparse_attraction, (Yt, csr, 0.4, True, 1)
        ),
        "gaussian_rows dense, factors": (
            with_factors(gaussian_rows.gaussian_rows), with_factors(reference.gaussian_rows),
            (Yt, packed(P), True, 1),
        ),
        "gaussian_rows sparse, factors": (
            with_factors(gaussian_rows.gaussian_rows), with_factors(reference.gaussian_rows),
            (Yt, halves, True, 1),
        ),
        "sparse_attraction, factors": (
            with_factors(sparse.sparse_attraction), with_factors(reference.sparse_attraction),
            (Yt, halves, 0.4, True, 1),
        ),
        "neighbor_retrieval dense": (
            neighbor_retrieval.neighbor_retrieval, reference.neighbor_retrieval,
            (Yt, packed(marked), rates + 0.1, 0.3, -15.0, 1),
        ),
        "neighbor_retrieval sparse": (
            neighbor_retrieval.neighbor_retrieval, reference.neighbor_retrieval,
            (Yt, entries, rates + 0.1, 0.3, -15.0, 1),
        ),
        "neighbor_retrieval dense, factors": (
            with_factors(neighbor_retrieval.neighbor_retrieval),
            with_factors(reference.neighbor_retrieval),
            (Yt, packed(marked), rates + 0.1, 0.3, -15.0, 1),
        ),
        "neighbor_retrieval sparse, factors": (
            with_factors(neighbor_retrieval.neighbor_retrieval),
            with_factors(reference.neighbor_retrieval),
            (Yt, entries, rates + 0.1, 0.3, -15.0, 1),
        ),
        "group_attraction": (
            links.group_attraction, reference.group_attraction, (Yt, *GROUPS, rates[:15], 0.4, 1)
        ),
        "group_attraction, far": (
            from_afar(links.group_attraction),
            from_afar(reference.group_attraction),
            (Yt, *GROUPS, rates[:15], 0.4, 1),
        ),
        "cannot_link": (
            links.cannot_link, reference.cannot_link,
            (Yt, np.array([0, 2, 5]), np.arange(5), np.array([0, 3, 4]), np.arange(9, 13), 1),
        ),
        "packed_log_rows": (
            log_rows.packed_log_rows, reference.packed_log_rows,
            (logs, 0.7, GROUPS, rates + 1, rates, 1),
        ),
        "rewrite_links": (
            rewritten(log_rows.rewrite_links), rewritten(reference.rewrite_links),
            (packed(marked), logs, 0.7, rates, GROUPS, rates[:15], 1 - rates, 1),
        ),
        "custom_values": (
            custom_similarity.custom_values, reference.custom_values, (*pair, np.linspace(0, 9, 7))
        ),
        "custom_groups": (
            custom_similarity.custom_groups, reference.custom_groups,
            (*pair, Yt, *GROUPS, rates[:15]),
        ),
        "custom_entries": (
            custom_similarity.custom_entries, reference.custom_entries, (*pair, Yt, csr, True)
        ),
        "squared_distances": (
            distances.squared_distances, reference.squared_distances,
            (rng.normal(size=(N, 30)), rng.normal(size=(7, 30))),
        ),
        "squared_distances, few axes": (
            distances.squared_distances, reference.squared_distances,
            (rng.normal(size=(N, 3)), rng.normal(size=(7, 3))),
        ),
        "path_lengths": (
            fisher_paths.path_lengths, reference.path_lengths,
            (exponents, None, beta, 5, np.float64, 1),
        ),
        "path_lengths between": (
            fisher_paths.path_lengths, reference.path_lengths,
            (exponents, exponents[:9] + 1, beta, 5, np.float64, 1),
        ),
        "detours": (fisher_paths.detours, reference.detours, (direct, D, 1)),
        "parametric": (
            parametric.parametric, reference.parametric,
            (Yt.T.copy(), centers, proba, log_prior, 0.2, False, own[:0], 0.0, 1),
        ),
        "parametric solved": (
            parametric.parametric, reference.parametric,
            (Yt.T.copy(), centers, proba, log_prior, 0.2, True, own[:3], 1e-9, 1),
        ),
        "calibrate": (calibration.calibrate, reference.calibrate, (D2, own, 9.0, 1)),
        "calibrate ties": (
            calibration.calibrate, reference.calibrate, (np.round(D2), own - 1, 3.0, 1)
        ),
        "calibrate all": (calibration.calibrate, reference.calibrate, (D2, own, N - 1.0, 1)),
        "normalize": (calibration.normalize, reference.normalize, (D2, own, 0.7, 1)),
        "descend": (
            placement.descend, reference.descend,
            (fitted, np.exp(near), None, np.full(9, 2.0), 0.5, 1.0, 1e-3, starts, 1.0, 1),
        ),
        "descend, retrieval": (
            placement.descend, reference.descend,
            (fitted, np.exp(near), near, np.full(9, 2.0), 0.0, 0.4, 1e-3, starts, 1.0, 1),
        ),
        "solve_on_graph": (
            solution(graph_solve.solve_on_graph), solution(reference.solve_on_graph),
            (helpers.csr_parts(D / D.sum(axis=1).max()), 0.99, own % 3 > 0, direct.T, 1e-14, 99, 1),
        ),
        "polynomial_inverse": (
            lambda S, B, *rest: polynomial_inverse.PolynomialInverse(S, *rest)(B),
            reference.polynomial_inverse,
            (helpers.csr_parts(D / D.sum(axis=1).max()), direct.T[:, :7].copy(), 0.02, 20),
        ),
    }  # fmt: skip
    return made


NAMES = list(cases(np.random.default_rng(0)))
#: Where minima are found by different steps, where an equation is solved to a tolerance, and where
#: the terms of an outlier cancel.
TOLERANCES = {
    "neighbor_retrieval dense": 1e-10,
    "neighbor_retrieval sparse": 1e-10,
    "neighbor_retrieval dense, factors": 1e-10,
    "neighbor_retrieval sparse, factors": 1e-10,
    "parametric solved": 1e-7,
    "descend": 1e-5,
    "descend, retrieval": 1e-5,
    "solve_on_graph": 1e-10,
    "calibrate": 1e-8,
    "calibrate ties": 1e-8,
}


@pytest.mark.parametrize("name", NAMES)
def test_kernel_and_formula_agree(rng: np.random.Generator, name: str) -> None:
    kernel, formula, arguments = cases(rng)[name]
    values, expected = kernel(*arguments), formula(*arguments)
    assert type(values) is type(expected)
    if not isinstance(values, tuple):
        values, expected = (values,), (expected,)
    for value, correct in zip(values, expected, strict=True):
        value, correct = np.asarray(value), np.asarray(correct)
        assert value.shape == correct.shape
        assert value.dtype == correct.dtype
        scale = max(np.abs(correct).max(initial=0), 1e-300)
        difference = np.abs(value - correct).max(initial=0)
        assert difference <= TOLERANCES.get(name, 1e-12) * scale


def test_shortest_paths_agree(rng: np.random.Generator) -> None:
    D = rng.random((30, 30))
    D = D + D.T
    np.fill_diagonal(D, 0)
    again = D.copy()
    fisher_paths.shorten(D, 1)
    reference.shorten(again, 1)
    np.testing.assert_array_equal(D, again)


def test_every_formula_is_compared() -> None:
    compared = {cases(np.random.default_rng(0))[name][1].__name__ for name in NAMES}
    assert set(reference.__all__) - compared == {
        "shorten",
        "loops",
        # test_nearest and test_field_placement compare these.
        "keep_smallest",
        "cut_lists",
        "pair_distances",
        "potentials",
        "descend_on_field",
        # kernels/grid/test_grid_sums compares these.
        "grid_that_pays",
        "radial_sums",
        # test_graph_solve compares this.
        "factorize",
        # test_largest compares this.
        "largest_entries",
        # test_own_affinities compares these.
        "own_rows",
        "sum_both_ways",
        "place_rows",
    }


def test_scores_of_a_custom_similarity_agree() -> None:
    e, other = np.linspace(0, 5, 9), np.linspace(0, 5, 9)
    scores, others = np.empty(9), np.empty(9)
    custom_similarity.loops(similarity, score).terms(e, scores, 0.7, 1.0)
    reference.loops(similarity, score).terms(other, others, 0.7, 1.0)
    np.testing.assert_allclose(e, other, rtol=1e-12)
    np.testing.assert_allclose(scores, others, rtol=1e-12)


@pytest.mark.parametrize("given", [lambda tau: "none", lambda: 1.0, lambda tau: 1 / 0])
def test_an_unfit_similarity_is_named(given: Any) -> None:
    with pytest.raises(ValueError, match="H must"):
        reference.loops(given, score)


def test_packing(rng: np.random.Generator) -> None:
    square = rng.random((6, 6))
    np.fill_diagonal(square, NO_AFFINITY)
    found = packed(square)
    np.testing.assert_array_equal([packed_row(found, i) for i in range(6)], square)


def test_numba_told_not_to_compile_is_refused_with_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import nbembed; nbembed.SNE"],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "NUMBA_DISABLE_JIT is set; unset it" in done.stderr.splitlines()[-1]
