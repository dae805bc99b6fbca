"""From labels to posteriors: a classifier is fitted to labeled objects and applied to all of them.

Labels are a :class:`~nbembed.supervision.Supervision` or what converts to one. A soft label counts
as its most probable class, with the weight of its confidence
(:attr:`~nbembed.supervision.Supervision.label_weights`) where the classifier takes weights. Labels
of weight zero are ignored. Classes without a label have posterior and prior zero.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from nbembed.data.class_probabilities import check_posteriors
from nbembed.data.matrix_input import check_data
from nbembed.posteriors.naive_bayes import NaiveBayes
from nbembed.posteriors.soft_nearest import SoftNearestNeighbor
from nbembed.posteriors.value import Posteriors
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.conversion import check_covers
from nbembed.validation import check_instance, shown

#: Classifiers by name. Where labels are few and dimensions many, a covariance that is half shrunk
#: is the better judge: digits from ten labels a class are right in 90 % of cases, not in 70.
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "soft-nearest-neighbor": lambda: SoftNearestNeighbor(shrinkage=0.5),
    "naive-bayes": NaiveBayes,
}


@dataclass(frozen=True, eq=False)
class Learned:
    """A classifier that was fitted to labels.

    Attributes
    ----------
    classifier : estimator
        Fitted; its classes are numbers of ``classes``.
    classes : tuple of str
        All classes that were named, labeled or not.
    """

    classifier: Any
    classes: tuple[str, ...]

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return class probabilities of data, shape (n, n_classes)."""
        return self._spread(self.classifier.predict_proba(X))

    @property
    def prior(self) -> NDArray[Any]:
        """p(c) of the classifier where it has ``class_log_prior_``, else equal; unlabeled: 0."""
        count = len(self.classifier.classes_)
        logs = getattr(self.classifier, "class_log_prior_", np.full(count, -np.log(count)))
        prior: NDArray[Any] = self._spread(np.exp(np.atleast_2d(logs)))[0]
        return prior

    def _spread(self, proba: Any) -> NDArray[Any]:
        """Return columns of the classifier's classes among those of all classes."""
        columns = np.asarray(self.classifier.classes_, dtype=np.intp)
        rows = np.zeros((len(proba), len(self.classes)))
        rows[:, columns] = proba
        return check_posteriors(rows, "classifier.predict_proba")


def resolve_classifier(classifier: Any) -> Any:
    """Return a new, unfitted classifier for a word or a scikit-learn classifier.

    Raises ValueError if it is an unknown word, or a classifier without ``predict_proba``;
    TypeError if it is no estimator.
    """
    if isinstance(classifier, str):
        if classifier not in CLASSIFIERS:
            words = ", ".join(map(repr, CLASSIFIERS))
            raise ValueError(
                f"classifier must be one of {words} or a scikit-learn classifier, "
                f"got {shown(classifier)}"
            )
        return CLASSIFIERS[classifier]()
    if isinstance(classifier, type) or not hasattr(classifier, "fit"):
        raise TypeError(f"classifier must be a scikit-learn classifier, got {shown(classifier)}")
    if not hasattr(classifier, "predict_proba"):
        raise ValueError(
            f"classifier must have predict_proba, got {type(classifier).__name__}, which does "
            "not provide it with these parameters; CalibratedClassifierCV adds it"
        )
    return clone(classifier)


def labeled_classes(supervision: Supervision) -> NDArray[np.intp]:
    """Return the classes, by number, that at least one object has a label of that counts."""
    found: NDArray[np.intp] = np.unique(supervision.top_class[supervision.label_weights > 0])
    return found


def learn(classifier: Any, X: Any, supervision: Supervision) -> Learned:
    """Return a new classifier fitted to the labeled rows of the data.

    Classifiers that learn from unlabeled data too (scikit-learn's semi-supervised ones, and those
    with a true attribute ``takes_unlabeled``) are given all rows, −1 for those without a label.

    Raises
    ------
    ValueError
        If fewer than two classes are labeled, ``supervision`` is of another number of points, or
        the data are not legal.
    TypeError
        If ``supervision`` is not a Supervision.
    """
    model = resolve_classifier(classifier)
    X = check_data(X)
    check_instance("supervision", supervision, Supervision)
    check_covers(supervision, X.shape[0])
    if labeled_classes(supervision).size < 2:
        raise ValueError(
            "y (or supervision) must label points of at least two classes, got "
            f"{labeled_classes(supervision).size}"
        )
    weights = supervision.label_weights
    codes = np.where(weights > 0, supervision.top_class, -1)
    rows = np.arange(codes.size) if _takes_unlabeled(model) else np.flatnonzero(weights > 0)
    # An unlabeled row counts once, as data.
    weights = np.where(codes < 0, 1.0, weights)[rows]
    keywords = {"sample_weight": weights} if _takes_weights(model) and (weights < 1).any() else {}
    model.fit(X[rows], codes[rows], **keywords)
    return Learned(model, supervision.classes)


def class_posteriors(
    classifier: Any,
    X: ArrayLike,
    y: Any,
    *,
    cv: Any = None,
) -> Posteriors:
    """Return the posteriors of data of which a classifier is fitted to the labeled part.

    Parameters
    ----------
    classifier : "soft-nearest-neighbor", "naive-bayes" or scikit-learn classifier
        With ``predict_proba``; cloned. The words stand for ``SoftNearestNeighbor(shrinkage=0.5)``
        and ``NaiveBayes()``.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,), rows of probabilities, or Supervision
        Labels, with −1, None or NaN for objects without one.
    cv : None, "leave-one-out", int or splitter, default=None
        Which classifier gives the posteriors of labeled objects. None: the one that was fitted to
        them, as in the paper; the posteriors then show how well the model fits. Else one that has
        not seen them; the posteriors then show how it generalizes. "leave-one-out" is for
        :class:`NaiveBayes`, which needs no refit; others take the number of folds or a splitter,
        as ``cross_val_predict`` does. Unlabeled objects are new to the classifier anyway.

    Returns
    -------
    Posteriors
        Columns in the order of the classes of ``y``. ``prior`` is that of classifiers that have one
        (``class_log_prior_``: by :class:`NaiveBayes` the shares of the classes among the labels);
        with others it is the same for each labeled class.

    Raises
    ------
    ValueError
        If fewer than two classes are labeled, or a fold lacks a class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> class_posteriors(LogisticRegression(max_iter=500), X, y, cv=5).shape
    (150, 3)
    """
    data = check_data(X)
    supervision = as_supervision(y, data.shape[0])
    learned = learn(classifier, data, supervision)
    proba = np.array(learned.predict_proba(data))
    if cv is not None:
        where = np.flatnonzero(supervision.label_weights > 0)
        held_out = _held_out(classifier, learned, data[where], supervision.top_class[where], cv)
        proba[where] = learned._spread(held_out)
    rows = check_posteriors(proba, "classifier.predict_proba")
    return Posteriors(rows, supervision.classes, learned.prior, learned=learned)


def learned_posteriors(classifier: Any, X: Any, supervision: Supervision) -> Posteriors:
    """Return the posteriors of all rows of checked data; uninformative ones with too few labels.

    With fewer than two labeled classes every class is as probable as any other.
    """
    n, K = supervision.n_samples, len(supervision.classes)
    if labeled_classes(supervision).size < 2:
        rows = np.full((n, K), 1 / K) if K else np.empty((n, 0))
        rows.flags.writeable = False
        return Posteriors(rows, supervision.classes, informative=False)
    learned = learn(classifier, X, supervision)
    return Posteriors(learned.predict_proba(X), supervision.classes, learned.prior, learned=learned)


def _held_out(classifier: Any, learned: Learned, X: Any, codes: NDArray[np.intp], cv: Any) -> Any:
    """Return posteriors of the labeled rows ``X``, each by a classifier that has not seen it."""
    if isinstance(cv, str):
        if cv != "leave-one-out":
            raise ValueError(
                f'cv must be None, "leave-one-out", folds or a splitter, got {shown(cv)}'
            )
        if not hasattr(learned.classifier, "leave_one_out_proba"):
            raise ValueError(
                'cv="leave-one-out" is for NaiveBayes; give a number of folds or LeaveOneOut()'
            )
        return learned.classifier.leave_one_out_proba(X, codes)
    model = resolve_classifier(classifier)
    try:
        return cross_val_predict(model, X, codes, cv=cv, method="predict_proba")
    except ValueError as error:
        raise ValueError(
            f"cv must be folds that suit these labels, got {shown(cv)}: {error}"
        ) from error


def _takes_unlabeled(model: Any) -> bool:
    return bool(
        getattr(model, "takes_unlabeled", False)
        or type(model).__module__.startswith("sklearn.semi_supervised")
    )


def _takes_weights(model: Any) -> bool:
    return "sample_weight" in inspect.signature(model.fit).parameters
