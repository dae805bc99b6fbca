"""What is not legal is refused by name, before work starts; what is odd but legal gives numbers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy import sparse

from nbembed import measures as m

N = 20
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, 4))
Y = RNG.normal(size=(N, 2))
LABELS = np.repeat([0, 1], N // 2)
HOLED = np.where(X.max() - 1e-9 < X, np.nan, X)

OF_BOTH = {
    "continuity": {},
    "neighbor_preservation": {},
    "precision_recall": {"k": 3},
    "r_nx": {},
    "r_nx_auc": {},
    "smoothed_errors": {},
    "trustworthiness": {},
}
OF_CLASSES = {"good_neighbors": "Z", "homogeneity": "Y", "hotelling_lawley": "Y", "knn_error": "Y"}

BAD_DATA = {
    "nothing": (None, "must be"),
    "text": ("abc", "must be a matrix of real numbers"),
    "a number": (3.0, r"must have shape \(n_samples, n_features\), got shape \(\)"),
    "a function": (len, "must be a matrix of real numbers"),
    "one feature": (X[:, 0], r"must have shape \(n_samples, n_features\)"),
    "a block": (X[None], r"must have shape \(n_samples, n_features\)"),
    "one row": (X[:1], "must have at least 2 points"),
    "no row": (X[:0], "must have at least 2 points"),
    "ragged": ([[1, 2], [3]], "must be a matrix of real numbers"),
    "NaN": (HOLED, "must be finite, but it contains NaN"),
    "complex": (X + 1j, "must be a matrix of real numbers"),
    "dates": (X.astype("datetime64[s]"), "must be a matrix of real numbers"),
    "masked": (np.ma.masked_greater(X, 1), "must have no masked values"),
    "huge": (X * 1e200, "must span between 1e-140 and 1e140"),
    "tiny": (X * 1e-200, "must span between 1e-140 and 1e140"),
}


@pytest.mark.parametrize("bad", BAD_DATA)
@pytest.mark.parametrize("name", OF_BOTH)
def test_data_and_map(name, bad):
    value, message = BAD_DATA[bad]
    measure, keywords = getattr(m, name), OF_BOTH[name]
    with pytest.raises(ValueError, match=rf"^X {message}"):
        measure(value, Y, **keywords)
    with pytest.raises(ValueError, match=rf"^Y {message}"):
        measure(X, value, **keywords)


@pytest.mark.parametrize("bad", BAD_DATA)
@pytest.mark.parametrize("name", OF_CLASSES)
def test_map_of_classes(name, bad):
    value, message = BAD_DATA[bad]
    with pytest.raises(ValueError, match=rf"^{OF_CLASSES[name]} {message}"):
        getattr(m, name)(value, LABELS)


@pytest.mark.parametrize("name", OF_BOTH)
def test_data_and_map_are_of_the_same_points(name):
    with pytest.raises(ValueError, match=f"Y must have a row for each of the {N} points of X"):
        getattr(m, name)(X, Y[:-1], **OF_BOTH[name])
    with pytest.raises(
        ValueError, match='X must be a square matrix of dissimilarities with metric="precomputed"'
    ):
        getattr(m, name)(X, Y, metric="precomputed", **OF_BOTH[name])
    with pytest.raises(TypeError, match="metric must be a name, a function"):
        getattr(m, name)(X, Y, metric=3, **OF_BOTH[name])


@pytest.mark.parametrize(
    ("k", "kind"),
    [(0, ValueError), (N, ValueError), (2.0, TypeError), (True, TypeError), ("3", TypeError)],
)
def test_sizes_of_neighborhoods(k, kind):
    for call in (
        lambda: m.nearest_neighbors(X, k),
        lambda: m.neighbor_preservation(X, Y, k),
        lambda: m.precision_recall(X, Y, k),
        lambda: m.precision_recall(None, Y, k, neighbors=np.zeros((N, N), int)),
        lambda: m.trustworthiness(X, Y, k),
        lambda: m.continuity(X, Y, k),
        lambda: m.good_neighbors(X, LABELS, k),
        lambda: m.knn_error(Y, LABELS, k),
    ):
        with pytest.raises(kind, match="k must be"):
            call()


@pytest.mark.parametrize("name", ["neighbor_preservation", "precision_recall"])
@pytest.mark.parametrize(
    ("neighbors", "kind", "message"),
    [
        (np.zeros(N, int), ValueError, r"must have shape \(20, 3\) or more columns"),
        (np.zeros((N - 1, 3), int), ValueError, "must have shape"),
        (np.zeros((N, 2), int), ValueError, "must have shape"),
        ([[1], [2, 3]], ValueError, "must have shape"),
        (np.zeros((N, 3)), TypeError, "must be indices of points, got values of type float64"),
        (np.ones((N, 3), bool), TypeError, "must be indices of points, got values of type bool"),
        (np.full((N, 3), N), ValueError, r"must be indices in \[0, 20\), got 20"),
        (np.full((N, 3), -1), ValueError, r"must be indices in \[0, 20\), got -1"),
        (
            np.tile(np.arange(N)[:, None], 3),
            ValueError,
            "must not contain a point itself, got point 0 as its own",
        ),
    ],
)
def test_neighbors_found_before(name, neighbors, kind, message):
    with pytest.raises(kind, match=f"neighbors {message}"):
        getattr(m, name)(None, Y, 3, neighbors=neighbors)


BAD_LABELS = {
    "a number": (3, ValueError, "must be one label for each point"),
    "short": (LABELS[:-1], ValueError, "must have one label for each of 20 points"),
    "a matrix": (np.zeros((N, 2)), ValueError, "must be one label for each point, got shape"),
    "ragged": ([[0], [1, 2]] * (N // 2), ValueError, "must be one label for each point"),
    "None": ([None, *LABELS[1:]], ValueError, "a label for each point, got none at 0"),
    "NaN": (np.where(LABELS == 1, np.nan, 0), ValueError, "each point, got none at 10"),
    "masked": (np.ma.masked_equal(LABELS, 1), ValueError, "each point, got none at 10"),
    "no order": (np.array(["a", 1] * (N // 2), dtype=object), TypeError, "labels of one type"),
}


@pytest.mark.parametrize("bad", BAD_LABELS)
def test_labels(bad):
    value, kind, message = BAD_LABELS[bad]
    for name in OF_CLASSES:
        argument = "labels" if name == "hotelling_lawley" else "y"
        with pytest.raises(kind, match=f"{argument} must .*{message.removeprefix('must ')}"):
            getattr(m, name)(Y, value)
    with pytest.raises(kind, match=r"[ab] must"):
        m.inconsistent_pairs(value, LABELS)
    with pytest.raises(kind, match="b must"):
        m.inconsistent_pairs(LABELS, value)
    with pytest.raises(kind, match=r"(y|predicted) must"):
        m.class_f_measure(value, LABELS)
    if bad != "a matrix":
        with pytest.raises(kind, match="predicted must"):
            m.class_f_measure(LABELS, value)


def test_labels_of_nothing_and_of_two_kinds():
    with pytest.raises(ValueError, match="a must label at least two points"):
        m.inconsistent_pairs([1], [1])
    with pytest.raises(ValueError, match="y must label at least one point"):
        m.class_f_measure([], [])
    with pytest.raises(TypeError, match="predicted must have labels of the same type as y"):
        m.class_f_measure(LABELS, LABELS.astype(str))
    with pytest.raises(ValueError, match="predicted must have a column for each of the 2 classes"):
        m.class_f_measure(LABELS, np.eye(3)[LABELS])


@pytest.mark.parametrize("bad", [b for b in BAD_DATA if b not in ("one row", "huge", "tiny")])
def test_posteriors_and_their_map(bad):
    value, message = BAD_DATA[bad]
    proba = np.eye(2)[LABELS]
    message = message.replace("at least 2 points", "at least 1 points")
    with pytest.raises(ValueError, match=f"^proba {message}"):
        m.class_precision(value, Y, h=1)
    with pytest.raises(ValueError, match=f"^Y {message}"):
        m.class_precision(proba, value, h=1)
    if value is not None:
        with pytest.raises(ValueError, match=f"^centers {message}"):
            m.class_precision(proba, Y, value, h=1)


@pytest.mark.parametrize(
    ("h", "kind"),
    [
        (0, ValueError),
        (N + 1, ValueError),
        ([], ValueError),
        ([[1, 2]], ValueError),
        (2.0, TypeError),
        ("3", TypeError),
        ([True], TypeError),
        ([[1], [2, 3]], ValueError),
    ],
)
def test_numbers_of_objects(h, kind):
    with pytest.raises(kind, match="h must be"):
        m.class_precision(np.eye(2)[LABELS], Y, h=h)


@pytest.mark.parametrize("wrong", [1, None, "yes", [True, False], np.array([True, False])])
def test_flags_are_flags(wrong):
    for name in (*OF_BOTH, *OF_CLASSES):
        if "per_point" in inspect.signature(getattr(m, name)).parameters:
            arguments = (X, Y) if name in OF_BOTH else (Y, LABELS)
            with pytest.raises(TypeError, match="per_point must be True or False"):
                getattr(m, name)(*arguments, per_point=wrong)
    with pytest.raises(TypeError, match="per_class must be True or False"):
        m.class_precision(np.eye(2)[LABELS], Y, h=3, per_class=wrong)


@pytest.mark.parametrize(
    ("scores", "kind", "message"),
    [
        (["1", "2"], TypeError, "must be real numbers"),
        ([[1], [2, 3]], TypeError, "must be real numbers"),
        ([1j, 2], TypeError, "must be real numbers"),
        (None, TypeError, "must be real numbers"),
        (3.0, ValueError, "must be a score for each of at least two folds"),
        ([1.0], ValueError, "must be a score for each of at least two folds"),
        ([1.0, np.nan], ValueError, "must be finite"),
        ([1e300, -1e300], ValueError, "must be at most 1e.140 in magnitude"),
        (np.ma.masked_equal([1.0, 2.0], 2.0), ValueError, "must have no masked values"),
    ],
)
def test_scores_of_folds(scores, kind, message):
    with pytest.raises(kind, match=f"a {message}"):
        m.paired_t_test(scores, [1.0, 2.0])
    with pytest.raises(kind, match=f"b {message}"):
        m.paired_t_test([1.0, 2.0], scores)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_sparse_map_is_a_map(name):
    measure = getattr(m, name)
    assert measure(sparse.csr_array(Y), LABELS) == pytest.approx(measure(Y, LABELS), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_the_trace_has_no_unit(scale):
    expected = m.hotelling_lawley(Y, LABELS)
    assert m.hotelling_lawley(scale * Y, LABELS) == pytest.approx(expected, rel=1e-9)
