"""Labels and links in every estimator that takes them: what is said one way or another is the same,
and it does to a map what it says."""

from __future__ import annotations

import importlib
import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

import nbembed as nb
from nbembed.supervision import Supervision
from tests.methods.helpers import partly

#: Estimators whose neighborhoods take links (spec: must-links mix in, cannot-links take out and
#: push), with parameters; and those that know labels only, or more than that by other means.
LINKED = {
    "HSSNE": {"max_iter": 150},
    "SNE": {"max_iter": 150},
    "NeRV": {"max_iter": 150},
    "Mbed": {"n_classes": 2, "max_iter": 150},
}
#: What others need beyond the common parameters.
SPECIAL = {"ParametricEmbedding": {"classifier": "soft-nearest-neighbor"}}


def everybody():
    """Yield every estimator that embeds and takes a supervision, with quick parameters."""
    for home in (nb, *(importlib.import_module(f"nbembed.{m}") for m in ("spectral", "baselines"))):
        for name in home.__all__:
            kind = getattr(home, name)
            if (
                not inspect.isclass(kind)
                or inspect.isabstract(kind)
                or not hasattr(kind, "fit_transform")
            ):
                continue
            if "supervision" not in inspect.signature(kind.fit).parameters:
                continue
            known = inspect.signature(kind).parameters
            wanted = {"max_iter": 60, "random_state": 0, "rho": 0.5}
            wanted |= LINKED.get(name, {}) | SPECIAL.get(name, {})
            yield pytest.param(
                kind,
                {key: value for key, value in wanted.items() if key in known},
                id=name,
                marks=[pytest.mark.slow] if name == "MRE" else [],
            )


def fit(kind, parameters, X, y=None, supervision=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few labels, of links left out
        return kind(**parameters).fit(X, y, supervision=supervision)


def spellings(y):
    """Return one set of labels in every form that there is."""
    labels = partly(y, 8)
    known = labels >= 0
    rows = np.full((y.size, 2), np.nan)
    rows[known] = np.eye(2)[labels[known]]
    told = Supervision(y.size, ["0", "1"])
    for c in (0, 1):
        told = told.label(np.flatnonzero(labels == c), c)
    return {
        "integers": labels,
        "floats with NaN": np.where(known, labels, np.nan),
        "a list with None": [int(c) if c >= 0 else None for c in labels],
        "text": np.where(known, labels.astype(str), "-1"),
        "objects": np.where(known, labels.astype(str).astype(object), None),
        "a column of pandas": pd.Series(labels),
        "rows of probabilities": rows,
        "a supervision": told,
    }


@pytest.mark.parametrize(("kind", "parameters"), list(everybody()))
def test_every_spelling_of_labels_says_the_same(kind, parameters, pair):
    X, y = pair
    said = spellings(y)
    maps = {}
    for name, value in said.items():
        given = {"supervision" if isinstance(value, Supervision) else "y": value}
        method = fit(kind, parameters, X, **given)
        assert method.supervision_ == said["a supervision"], name
        maps[name] = method.embedding_
    for name, Y in maps.items():
        assert np.array_equal(Y, maps["integers"]), name
    assert np.isfinite(maps["integers"]).all()


@pytest.mark.parametrize(("kind", "parameters"), list(everybody()))
def test_soft_rows_are_taken_and_lie_between(kind, parameters, pair):
    X, y = pair
    labels = partly(y, 8)
    rows = np.full((80, 2), np.nan)
    known = labels >= 0
    rows[known] = np.where(labels[known, None] == [0, 1], 0.8, 0.2)
    method = fit(kind, parameters, X, rows)
    assert np.allclose(method.supervision_.targets()[known], rows[known])
    assert np.isfinite(method.embedding_).all()


def linked():
    for name, parameters in LINKED.items():
        yield pytest.param(getattr(nb, name), {"random_state": 0, **parameters}, id=name)


def gap(Y, a, b):
    """Return the mean distance between two groups in radii of the map."""
    radius = np.sqrt(np.var(Y, axis=0).mean())
    between = np.linalg.norm(Y[a][:, None] - Y[b][None], axis=2)
    return float(between.mean() / radius)


@pytest.mark.parametrize(("kind", "parameters"), list(linked()))
def test_must_links_bring_together(kind, parameters, pair):
    X, _ = pair
    distance = np.linalg.norm(X[0] - X, axis=1)
    far = np.argsort(distance)[-6:]
    group = np.append(far, 0)
    told = Supervision(80).must_link(group)
    free = fit(kind, parameters, X)
    tied = fit(kind, {**parameters, "rho": 0.8}, X, supervision=told)
    assert gap(tied.embedding_, [0], far) < 0.8 * gap(free.embedding_, [0], far)


@pytest.mark.parametrize(("kind", "parameters"), list(linked()))
def test_cannot_links_keep_apart(kind, parameters, pair):
    X, _ = pair
    near = np.argsort(np.linalg.norm(X[0] - X, axis=1))
    told = Supervision(80).cannot_link([0], near[1:9])
    free = fit(kind, parameters, X)
    parted = fit(kind, {**parameters, "rho": 1.0}, X, supervision=told)
    assert gap(parted.embedding_, [0], near[1:9]) > 1.2 * gap(free.embedding_, [0], near[1:9])


@pytest.mark.parametrize(("kind", "parameters"), list(linked()))
def test_at_rho_zero_must_links_say_nothing(kind, parameters, pair):
    X, _ = pair
    told = Supervision(80).must_link([0, 40, 79])
    free = fit(kind, {**parameters, "rho": 0.0}, X)
    tied = fit(kind, {**parameters, "rho": 0.0}, X, supervision=told)
    assert np.array_equal(free.embedding_, tied.embedding_)


@pytest.mark.parametrize(("form", "rho"), [("uniform", 0.5), ("structured", 0.8)])
@pytest.mark.parametrize(("kind", "parameters"), list(linked()))
def test_few_labels_part_what_overlaps(kind, parameters, form, rho, rng):
    """Two classes that lie in one another, half of them labeled: the labeled ones come apart.

    Groups that keep their inner structure part less at the same ρ.
    """
    parameters = {**parameters, "link_form": form, "rho": rho}
    X, y = rng.standard_normal((80, 4)), np.arange(80) % 2
    labels = np.where(np.arange(80) < 40, y, -1)
    free = fit(kind, parameters, X)
    told = fit(kind, parameters, X, labels)
    a, b = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)

    def parting(Y):
        return gap(Y, a, b) / (gap(Y, a, a) + gap(Y, b, b))

    assert parting(told.embedding_) > 1.2 * parting(free.embedding_)
