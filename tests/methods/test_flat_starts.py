"""A first layout on a line, or at a point: no force leads off it, so a little noise is added."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb

X = load_iris().data[::2]
N = len(X)
ORDER = np.linspace(-1.0, 1.0, N)
FLAT = {
    "line": np.c_[ORDER, np.zeros(N)],
    "oblique line": np.c_[ORDER, 2 * ORDER + 1],
    "point": np.full((N, 2), 3.0),
}
METHODS = [
    nb.HSSNE(),
    nb.SNE(),
    nb.NeRV(),
    nb.Mbed(n_classes=3, directions="plane"),
    nb.Mbed(n_classes=4, directions="plane"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", FLAT)
@pytest.mark.parametrize("method", METHODS, ids=["HSSNE", "SNE", "NeRV", "Mbed", "Mbed centers"])
def test_a_map_leaves_a_line(method, kind):
    method.set_params(init=FLAT[kind], random_state=0)
    with pytest.warns(UserWarning, match=f"init varies in only {int(kind != 'point')} of") as seen:
        Y = method.fit(X).embedding_
    assert sum("init varies in only" in str(w.message) for w in seen) == 1
    lengths = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
    assert lengths[1] > 0.02 * lengths[0]  # a map of the default start: 0.06 and more
    with pytest.warns(UserWarning, match="init varies in only"):
        np.testing.assert_array_equal(method.fit(X).embedding_, Y)


@pytest.mark.filterwarnings("ignore:init varies in only")
def test_noise_is_small_and_across_the_line_alone():
    start = unfolded_start(FLAT["line"], [])
    np.testing.assert_array_equal(start[:, 0], ORDER)
    assert 0 < np.abs(start[:, 1]).max() < 0.05


def test_pinned_points_stay(recwarn):
    start = unfolded_start(FLAT["line"], [0, 5])
    np.testing.assert_array_equal(start[[0, 5]], FLAT["line"][[0, 5]])
    flat = FLAT["line"]
    pins = nb.Supervision(N).pin(np.arange(N))
    Y = nb.HSSNE(init=flat, max_iter=3).fit(X, supervision=pins).embedding_
    np.testing.assert_array_equal(Y, flat.astype(np.float32))


@pytest.mark.parametrize("init", [np.c_[ORDER, ORDER**2], np.c_[ORDER, 1e-4 * ORDER**2]])
def test_other_layouts_are_taken_as_they_are(init, recwarn):
    np.testing.assert_array_equal(unfolded_start(init, []), init)
    two = nb.HSSNE(init=[[0.0, 0.0], [1.0, 0.0]], max_iter=3).fit(X[:2]).embedding_
    assert not any("extent" in str(w.message) for w in recwarn)
    assert not two[:, 1].any()


def test_class_centers_leave_a_line():
    proba = np.random.default_rng(0).dirichlet(np.ones(4), 40)
    best = nb.ParametricEmbedding(random_state=0).fit(proba).cost_
    for init in (np.c_[np.arange(4.0), np.zeros(4)], np.zeros((44, 2))):
        with pytest.warns(UserWarning, match="init varies in only"):
            assert nb.ParametricEmbedding(init=init).fit(proba).cost_ < best * 1.01
    two = proba[:, :2] / proba[:, :2].sum(axis=1, keepdims=True)
    nb.ParametricEmbedding(init=[[0.0, 0.0], [1.0, 0.0]]).fit(two)  # two centers are a line


def unfolded_start(init, pinned):
    supervision = nb.Supervision(N)
    if len(pinned):
        supervision = supervision.pin(pinned)
    recipe = nb.HSSNE(init=init).recipe
    rng = np.random.default_rng(0)
    return recipe.make_start(X, recipe.make_affinities(X), supervision, rng).Y
