"""The estimators (a classifier, a learning metric) that a file or log may hold, and their parts.

A session file may come from somebody else. What may be restored is therefore a stated list:

* Classes. Of this package the learning metric, the two classifiers, and the methods that sessions
  can switch to; of scikit-learn the classes in :data:`SCIKIT_LEARN`: classifiers, and the scalings,
  projections and compositions that classifiers are built of. None of them calls a function, reads
  a file or imports a module that a parameter names. A file selects from this list; no path in it is
  imported.
* Values of parameters. ``None``, truth values, numbers, text, arrays, lists, tuples and maps of
  these, and estimators of the list. Functions have no stored form.
* Caches. ``memory`` names a folder of pickles, from which results would be loaded. It changes no
  result: it is stored as ``None``, and a file in which it is something else is read with a warning
  and without it.
* Fitted attributes. Of this package's estimators alone, as plain values; those of a learning metric
  must fit together. A fitted estimator of scikit-learn is refused, because its fitted attributes
  are not a stable format.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from nbembed.learning_metric import LearningMetric
from nbembed.methods.registry import estimator_of, registered
from nbembed.posteriors import NaiveBayes, SoftNearestNeighbor
from nbembed.validation import shown

#: Packages whose estimators are parameters of their own kind: copied, and compared by parameters.
PACKAGES = ("sklearn", "nbembed")

#: Parameters that name a cache.
CACHES = ("memory",)

_SCIKIT_LEARN = {
    "calibration": "CalibratedClassifierCV",
    "compose": "ColumnTransformer",
    "decomposition": (
        "FactorAnalysis FastICA IncrementalPCA KernelPCA LatentDirichletAllocation "
        "MiniBatchNMF MiniBatchSparsePCA NMF PCA SparsePCA TruncatedSVD"
    ),
    "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "dummy": "DummyClassifier",
    "ensemble": (
        "AdaBoostClassifier BaggingClassifier ExtraTreesClassifier GradientBoostingClassifier "
        "HistGradientBoostingClassifier RandomForestClassifier StackingClassifier "
        "VotingClassifier"
    ),
    "feature_extraction.text": "TfidfTransformer",
    "feature_selection": "VarianceThreshold",
    "gaussian_process": "GaussianProcessClassifier",
    "kernel_approximation": "AdditiveChi2Sampler Nystroem RBFSampler SkewedChi2Sampler",
    "linear_model": (
        "LogisticRegression LogisticRegressionCV Perceptron RidgeClassifier RidgeClassifierCV "
        "SGDClassifier"
    ),
    "multiclass": "OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier",
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "neighbors": (
        "KNeighborsClassifier NearestCentroid NeighborhoodComponentsAnalysis "
        "RadiusNeighborsClassifier"
    ),
    "neural_network": "BernoulliRBM MLPClassifier",
    "pipeline": "FeatureUnion Pipeline",
    "preprocessing": (
        "Binarizer KBinsDiscretizer KernelCenterer MaxAbsScaler MinMaxScaler Normalizer "
        "PolynomialFeatures PowerTransformer QuantileTransformer RobustScaler "
        "SplineTransformer StandardScaler"
    ),
    "random_projection": "GaussianRandomProjection SparseRandomProjection",
    "semi_supervised": "LabelPropagation LabelSpreading SelfTrainingClassifier",
    "svm": "LinearSVC NuSVC SVC",
    "tree": "DecisionTreeClassifier ExtraTreeClassifier",
}
#: The estimators of scikit-learn that may be stored, by module.
SCIKIT_LEARN: Mapping[str, tuple[str, ...]] = {
    module: tuple(names.split()) for module, names in _SCIKIT_LEARN.items()
}


def is_estimator(value: Any) -> bool:
    """Return whether ``value`` is an estimator of this package or of scikit-learn."""
    return isinstance(value, BaseEstimator) and type(value).__module__.split(".")[0] in PACKAGES


def path_of(cls: type) -> str:
    """Return the dotted path of an estimator's class, without private modules where it can be."""
    name = cls.__qualname__
    parts = cls.__module__.split(".")
    for end in range(1, len(parts) + 1):
        if any(part.startswith("_") for part in parts[1:end]):
            break
        module = ".".join(parts[:end])
        # Nothing is imported for the sake of a shorter name.
        if vars(sys.modules.get(module, sys)).get(name) is cls:
            return f"{module}.{name}"
    return f"{cls.__module__}.{name}"


def fitted_attributes(value: BaseEstimator) -> dict[str, Any]:
    """Return the attributes that fitting has set, which by convention end with an underscore."""
    return {k: v for k, v in vars(value).items() if k.endswith("_") and not k.startswith("_")}


def estimator_parts(value: BaseEstimator, name: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return path, parameters and fitted attributes of an estimator, as they may be stored.

    Raises TypeError if it may not be; the message begins with ``name``.
    """
    path = path_of(type(value))
    if _class_of(path) is not type(value):
        raise TypeError(
            f"{name} is a {type(value).__name__}, which has no JSON form; only the classifiers, "
            f"scalings and projections listed in nbembed.session.core.estimators can be stored"
        )
    learned = fitted_attributes(value)
    if learned and not path.startswith("nbembed."):
        raise TypeError(
            f"{name} is a fitted {type(value).__name__}, but only the parameters of estimators "
            "can be stored; pass an unfitted one, such as sklearn.base.clone returns"
        )
    parameters = value.get_params(deep=False)
    return path, {k: None if k in CACHES else v for k, v in parameters.items()}, learned


def make_estimator(
    path: Any, parameters: Mapping[str, Any], learned: Mapping[str, Any]
) -> BaseEstimator:
    """Return the estimator of a path in a file with these decoded parameters and fitted attributes.

    Warns if a parameter names a cache. Raises ValueError if the path is not that of a class of the
    list, the class does not take a parameter, or the fitted attributes do not fit together.
    """
    cls = _class_of(path)
    if cls is None:
        raise ValueError(
            f"{shown(path)} is not one of the estimators that can be loaded, listed in "
            "nbembed.session.core.estimators"
        )
    for name in CACHES:
        if parameters.get(name) is not None:
            warnings.warn(
                f"{name}={parameters[name]!r} of {cls.__name__} was not restored, because a file "
                "must not set a cache; results are the same without it",
                stacklevel=2,
            )
            parameters = {**parameters, name: None}
    try:
        made: BaseEstimator = cls(**parameters)
    except TypeError as error:
        raise ValueError(f"{path} cannot be made with the stored parameters: {error}") from None
    plain = all(k.endswith("_") and not k.startswith("_") for k in learned)
    if not plain or (learned and not path.startswith("nbembed.")):
        raise ValueError(f"the stored attributes of {path} are not fitted attributes")
    vars(made).update(learned)
    if isinstance(made, LearningMetric) and learned:
        _check_learned(made)
    return made


def _class_of(path: Any) -> type[BaseEstimator] | None:
    """Return the class of the list that a path names, ``None`` if it is none or not known here."""
    if not isinstance(path, str):
        return None
    package, *modules = path.split(".")
    if not modules:
        return None
    name = modules.pop()
    if package == "nbembed":
        return _own_classes().get(name)
    # Where a class is defined inside its public module is not part of its name.
    private = [i for i, part in enumerate(modules) if part.startswith("_")]
    module = ".".join(modules[: private[0]] if private else modules)
    if package != "sklearn" or name not in SCIKIT_LEARN.get(module, ()):
        return None
    found = getattr(importlib.import_module(f"sklearn.{module}"), name, None)
    return found if isinstance(found, type) and issubclass(found, BaseEstimator) else None


def _own_classes() -> dict[str, type[BaseEstimator]]:
    """Return this package's estimators that may be stored, by name."""
    named = {name: estimator_of(recipe) for name, recipe in registered().items()}
    known = [LearningMetric, NaiveBayes, SoftNearestNeighbor, *named.values()]
    # Of a class with two names files may have either.
    named |= {cls.__name__: cls for cls in known if cls is not None}
    return {
        name: cls
        for name, cls in named.items()
        if cls is not None and cls.__module__.startswith("nbembed.")
    }


def _check_learned(metric: LearningMetric) -> None:
    """Raise unless the fitted attributes of a learning metric fit together."""
    found = fitted_attributes(metric)
    arrays: list[NDArray[Any]] = [
        a if isinstance(a := found.get(name), np.ndarray) else np.empty(0)
        for name in ("centroids_", "class_given_centroid_")
    ]
    centroids, shares = arrays
    width, classes = found.get("width_"), np.atleast_1d(found.get("classes_", 0))
    if not (
        centroids.dtype == shares.dtype == np.float64
        and centroids.ndim == shares.ndim == 2
        and centroids.shape[0] == shares.shape[1] >= 1
        and centroids.shape[1] == found.get("n_features_in_") != 0
        and np.isfinite(centroids).all()
        and np.isfinite(shares).all()
        and (shares >= 0).all()
        and len(classes) == shares.shape[0]
        and isinstance(width, int | float)
        and 0 < width < np.inf
    ):
        raise ValueError("the fitted attributes of a LearningMetric are inconsistent")
    metric.check_parameters()
