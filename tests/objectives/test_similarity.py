"""HSSNE over a similarity of one's own, against the family and central differences."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy import sparse

from nbembed.objectives import HeavyTailed, Similarity
from nbembed.supervision import Supervision

N = 45


def student(tau):
    return 1 / (1 + tau)


def gaussian(tau):
    return math.exp(-tau)


def one(tau):
    return 1.0


def mixed(tau):
    return 0.7 * math.exp(-tau / 3) + 0.3 / (1 + tau) ** 2


def mixed_score(tau):
    slope = 0.7 / 3 * math.exp(-tau / 3) + 0.6 / (1 + tau) ** 3
    return slope / (0.7 * math.exp(-tau / 3) + 0.3 / (1 + tau) ** 2)


#: H and S of similarities, each compiled by the first test that makes one.
STUDENT = (student, student)  # the score of 1/(1 + τ) is 1/(1 + τ)
GAUSSIAN = (gaussian, one)
MIXED = (mixed, mixed_score)


@pytest.fixture
def P(rng):
    found = rng.random((N, N)) ** 3
    found += found.T
    np.fill_diagonal(found, 0)
    return found / found.sum()


def labeled():
    """Return labels and a cannot-link, whose pull a similarity has in common with the family."""
    named = Supervision(N).label(range(8), "a").label(range(8, 14), "b", 0.8)
    return named.cannot_link([1, 2], [15, 16])


def told():
    return labeled().must_link([20, 21, 30])


@pytest.mark.parametrize(
    ("own", "alpha", "supervision", "dtype", "form"),
    [
        pytest.param(STUDENT, 1.0, labeled(), np.float32, np.asarray, id="Student, float32"),
        pytest.param(STUDENT, 1.0, labeled(), np.float64, sparse.csr_array, id="Student, sparse"),
        pytest.param(GAUSSIAN, 0.0, told(), np.float64, np.asarray, id="Gaussian, links"),
        pytest.param(GAUSSIAN, 0.0, None, np.float32, np.asarray, id="Gaussian, float32"),
    ],
)
def test_members_of_the_family_given_as_functions(P, own, alpha, supervision, dtype, form, rng):
    Y = rng.standard_normal((N, 2)).astype(dtype)
    options = {"supervision": supervision, "rho": 0.3, "exaggeration": 2.0, "compactness": 6.0}
    some = np.where(np.median(P) < P, P, 0)
    given = form(some / some.sum()).astype(dtype)
    mine = HeavyTailed(given, Similarity(*own), **options).evaluate(Y)
    theirs = HeavyTailed(given, alpha, **options).evaluate(Y)
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    assert mine.cost == pytest.approx(theirs.cost, rel=rtol)
    assert mine.auxiliary_cost == pytest.approx(theirs.auxiliary_cost, rel=rtol)
    assert mine.gradient.dtype == dtype
    scale = np.abs(theirs.gradient).max()
    np.testing.assert_allclose(mine.gradient, theirs.gradient, atol=20 * rtol * scale)
    np.testing.assert_allclose(mine.curvature, theirs.curvature, rtol=20 * rtol)


@pytest.mark.parametrize("supervision", [None, told()], ids=["plain", "links"])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_gradient_is_the_derivative_of_the_cost(P, supervision, d, rng):
    objective = HeavyTailed(P, Similarity(*MIXED), supervision=supervision, rho=0.4)
    Y = 2 * rng.standard_normal((N, d))
    _, gradient = objective.cost_and_gradient(Y)
    step = 1e-5
    for i, k in [(0, 0), (9, d - 1), (20, 0), (44, d - 1)]:
        aside = np.zeros_like(Y)
        aside[i, k] = step
        slope = (objective.cost(Y + aside) - objective.cost(Y - aside)) / (2 * step)
        assert slope == pytest.approx(gradient[i, k], abs=1e-6 * np.abs(gradient).max())


def test_threads_change_nothing(P, rng):
    Y = rng.standard_normal((N, 2))
    one, three = (HeavyTailed(P, Similarity(*MIXED), n_jobs=k).evaluate(Y) for k in (1, 3))
    assert one.cost == three.cost
    assert np.array_equal(one.gradient, three.gradient)


def test_parameters(P, rng):
    Y = rng.standard_normal((N, 2))
    objective = HeavyTailed(P, Similarity(*MIXED))
    assert "alpha" not in objective.parameters
    assert objective.length_scale == pytest.approx(mixed_score(0.0) ** -0.5)
    assert objective.with_parameters(exaggeration=3.0).parameters["exaggeration"] == 3
    back = objective.with_parameters(alpha=1.0)
    assert back.parameters["alpha"] == 1
    assert back.length_scale == 1
    assert back.cost(Y) == HeavyTailed(P, 1.0).cost(Y)
    assert back.with_parameters(alpha=Similarity(*MIXED)).cost(Y) == objective.cost(Y)


def test_a_map_so_wide_that_all_similarities_underflow(P, rng):
    seen = HeavyTailed(P, Similarity(*GAUSSIAN)).evaluate(1e3 * rng.standard_normal((N, 2)))
    assert np.isfinite(seen.cost)
    assert np.isfinite(seen.gradient).all()


def test_it_is_a_value():
    one, again = Similarity(*MIXED), Similarity(*MIXED)
    assert again == one
    assert hash(again) == hash(one)
    assert again != Similarity(*STUDENT)
    assert repr(one) == "Similarity(mixed, mixed_score)"
    assert pickle.loads(pickle.dumps(one)) == one


def nothing(tau):
    return np.nan


def rising(tau):
    return 1 + tau


def flat(tau):
    return 0.5


def singular(tau):
    return 1 / tau


def wrong_score(tau):
    return 1.01 / (1 + tau)


def negative(tau):
    return -1 / (1 + tau)


def text(tau):
    return "far"


def uncompilable(tau):
    return open(str(tau))


@pytest.mark.parametrize(
    ("H", "score", "message"),
    [
        (nothing, one, "H must be positive and finite, got nan"),
        (negative, one, "H must be positive and finite"),
        (singular, one, "H must be positive and finite, got inf at τ = 0"),
        (rising, one, "H must decrease with τ"),
        (flat, one, "H must decrease with τ"),
        (student, wrong_score, "score must equal −d log H/dτ"),
        (student, one, "score must equal −d log H/dτ"),
        (student, negative, "score must be finite and not negative"),
        (student, nothing, "score must be finite and not negative"),
        (text, one, "H must return a float"),
        (student, text, "score must return a float"),
        (uncompilable, one, "H must be a function of one number that numba can compile"),
        (student, lambda: 1.0, "score must be a function of one number that numba can compile"),
    ],
)
def test_bad_pairs_are_refused(H, score, message):
    with pytest.raises(ValueError, match=message):
        Similarity(H, score)


def test_what_cannot_be_called():
    with pytest.raises(TypeError, match="H must be a function"):
        Similarity(1.0, one)
    with pytest.raises(TypeError, match="score must be a function"):
        Similarity(student, None)
    with pytest.raises(TypeError, match="alpha must be a number"):
        HeavyTailed((1 - np.eye(3)) / 6, student)


def ratio(q, near, far):
    """Return how similar two points are at the distance ``far``, relative to ``near``."""
    return q(far * far) / q(near * near)


@pytest.mark.parametrize("near", [0.0, 0.3, 20.0])
@pytest.mark.parametrize("alpha", [1e-7, 0.5, 1.0, 2.0, 3.0])
def test_far_away_all_points_together_are_felt_like_one_neighbor(P, alpha, near):
    far = HeavyTailed(P, alpha).far(near)
    q = lambda tau: math.exp(-math.log1p(alpha * tau) / alpha)  # noqa: E731
    assert far > near
    assert q(near**2) == 0 or ratio(q, near, far) == pytest.approx(1 / N, rel=1e-4)


def test_far_is_continuous_at_the_gaussian(P):
    gaussian_far = HeavyTailed(P, 0.0).far(0.7)
    assert ratio(gaussian, 0.7, gaussian_far) == pytest.approx(1 / N)
    assert HeavyTailed(P, 1e-9).far(0.7) == pytest.approx(gaussian_far, rel=1e-6)


@pytest.mark.parametrize("own", [STUDENT, GAUSSIAN, MIXED])
@pytest.mark.parametrize("near", [0.0, 1.5])
def test_far_of_a_similarity_of_ones_own(P, own, near):
    q, _ = own
    far = HeavyTailed(P, Similarity(*own)).far(near)
    assert ratio(q, near, 1.02 * far) < 1 / N < ratio(q, near, 0.98 * far)


def slow(tau):
    return (1 + math.log1p(tau)) ** -0.1


def slow_score(tau):
    return 0.1 / ((1 + math.log1p(tau)) * (1 + tau))


def test_where_no_distance_is_far_enough_none_is_returned(P):
    assert HeavyTailed(P, 300.0).far(1.0) is None
    assert HeavyTailed(P, 1.0).far(1e200) is None
    assert HeavyTailed(P, Similarity(slow, slow_score)).far(1.0) is None


@pytest.mark.parametrize("near", [-1.0, math.nan, math.inf])
def test_a_distance_that_is_none_is_refused(P, near):
    for own in (1.0, Similarity(*STUDENT)):
        with pytest.raises(ValueError, match="near"):
            HeavyTailed(P, own).far(near)
