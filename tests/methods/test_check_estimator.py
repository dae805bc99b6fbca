"""scikit-learn's own checks of estimators, for every estimator there is.

What a check expects to hold and does not is listed with its reason; a check that passes although it
is listed fails the test as well, so that the list stays true.
"""

from __future__ import annotations

import importlib
import inspect
import warnings

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import nbembed as nb
from nbembed.session.core.estimators import _class_of

#: Parameters with which the checks' small data are legal. Four classes are as many as those name.
SPECIAL = {
    "Mbed": {"n_classes": 4, "max_iter": 40},
    "ParametricEmbedding": {"classifier": "soft-nearest-neighbor"},
    # LearningMetric itself is checked with what it chooses by cross-validation.
    "SNeRV": {"metric": nb.LearningMetric(n_centroids=2, width=1.0)},
}

_ONE_AXIS = (
    "the check sets n_components = 1, and four class directions at equal angles need three axes"
)
EXPECTED = {
    "PropagationClassifier": {
        "check_classifiers_classes": "-1 stands for unlabeled points, and the check has a class "
        "of that name; scikit-learn leaves its own semi-supervised classifiers out by name",
    },
    "Mbed": {
        "check_dont_overwrite_parameters": _ONE_AXIS,
        "check_fit2d_1feature": _ONE_AXIS,
        "check_fit2d_predict1d": _ONE_AXIS,
        "check_methods_sample_order_invariance": _ONE_AXIS,
        "check_methods_subset_invariance": _ONE_AXIS,
    },
}


def estimators():
    """Yield every estimator of the public names, of ``nb.spectral`` and of ``nb.baselines``."""
    homes = [nb]
    for name in ("spectral", "baselines"):
        if importlib.util.find_spec(f"nbembed.{name}") is not None:
            homes.append(importlib.import_module(f"nbembed.{name}"))
    for home in homes:
        for name in home.__all__:
            found = getattr(home, name)
            if (
                inspect.isclass(found)
                and found.__name__ == name  # SELF is SELFDA
                and issubclass(found, BaseEstimator)
                and not inspect.isabstract(found)
            ):
                yield pytest.param(found, id=name)


def quick(kind):
    """Return the estimator with parameters that make it quick and the same every time."""
    known = inspect.signature(kind).parameters
    wanted = {"max_iter": 20, "random_state": 0, **SPECIAL.get(kind.__name__, {})}
    return kind(**{name: value for name, value in wanted.items() if name in known})


@pytest.mark.parametrize("kind", list(estimators()))
def test_scikit_learn_s_checks(kind):
    expected = EXPECTED.get(kind.__name__, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(quick(kind), on_fail=None)
    failed = {
        result["check_name"]: repr(result["exception"])
        for result in results
        if result["status"] == "failed"
    }
    assert {name: why for name, why in failed.items() if name not in expected} == {}
    assert set(expected) <= set(failed), "listed as expected failures, but they pass"
    assert len(results) > 30


@pytest.mark.parametrize("kind", list(estimators()))
def test_make_pipeline_has_a_name_for_it(kind):
    made = make_pipeline(StandardScaler(), quick(kind))
    (name,) = [name for name, step in made.named_steps.items() if isinstance(step, kind)]
    assert clone(made)[name] is not made[name]


def test_self_has_the_name_of_its_paper_as_well():
    assert nb.spectral.SELF is nb.spectral.SELFDA
    assert _class_of("nbembed.SELF") is nb.spectral.SELF
