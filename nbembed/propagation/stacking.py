"""The graph and a plane: what is suggested where clusters are not classes.

Propagation is right where points of a class are neighbors, a linear classifier where classes lie on
two sides of a plane. Which of them a data set is cannot be seen from the data; labels tell. Each
label that is left out has probabilities from the other labels, g_i by propagation and l_i by the
linear classifier. Stacking (Wolpert 1992), here of their logarithms, takes the share w that makes
the labels likeliest:

    p_k ∝ g_k^(1 − w) l_k^w
    w = argmax max_τ Σ_i log softmax(τ ((1 − w) log g_i + w log l_i))_k(i) + m log(1 − w)

The sharpness τ is there so that who is right counts, and not who is sure: with few labels among
many points propagation is right long before it is sure. The last term is that of m = 5 labels which
only the graph explains, so that w is 0 where labels are too few to tell. Probabilities are taken a
little towards even ones, so that one label that a method takes for impossible does not decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import log_softmax, softmax

from nbembed.blas import one_blas_thread
from nbembed.propagation.incremental import left_out
from nbembed.propagation.linear import LinearClassifier, evenly
from nbembed.validation import check_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.propagation.incremental import Propagation
    from nbembed.propagation.suggestions import Suggestions
    from nbembed.supervision import Supervision

#: m, the labels that count for the graph beforehand.
PRIOR_LABELS = 5
FOLDS = 5
#: The most labels that are left out, fold by fold.
JUDGED = 200
#: The share of an even distribution in the probabilities that are compared.
EVEN = 0.02
#: The shares that are compared, each with the best of these sharpnesses.
SHARES = np.linspace(0.0, 0.98, 50)
SHARPNESS = 2.0 ** np.arange(-2, 5)
#: The share of the labels that may change before the linear classifier is fitted anew.
STALE = 0.1


class Stacking:
    """Suggestions from propagation and a linear classifier, from label to label.

    Parameters
    ----------
    propagation : Propagation
    X : ndarray or sparse array of shape (n_samples, n_features)
        Checked data of the same points; no dissimilarities.
    linear_share : float or "cv", default="cv"
        w in [0, 1), or chosen by the labels.
    """

    def __init__(
        self, propagation: Propagation, X: Any, linear_share: float | Literal["cv"] = "cv"
    ) -> None:
        self._propagation = propagation
        self._linear = LinearClassifier(X)
        self._given = linear_share
        self._labels: NDArray[np.intp] | None = None
        self._classes: tuple[str, ...] = ()
        self._share = 0.0
        self._found: NDArray[np.float64] | None = None

    def update(
        self,
        supervision: Supervision,
        meanwhile: Callable[[Suggestions], None] = lambda suggestions: None,
    ) -> Suggestions:
        """Return suggestions from the labels and links of ``supervision``.

        The linear classifier and its share are those of the last time until a tenth of the labels
        has changed, so that most labels cost no more than propagation. Before they are made anew,
        ``meanwhile`` gets suggestions from the new labels by those of the last time.
        """
        found = self._propagation.update(supervision)
        if self._stale(supervision):
            meanwhile(self._mixed(found, supervision))
            self._fit(supervision)
        return self._mixed(found, supervision)

    def _mixed(self, found: Suggestions, supervision: Supervision) -> Suggestions:
        """Return suggestions of propagation with the linear classifier's share."""
        if self._found is None or self._share == 0 or self._classes != supervision.classes:
            return found
        mixed = (1 - self._share) * _log(found.probabilities) + self._share * _log(self._found)
        mixed = softmax(mixed, axis=1) * (found.prior > 0)  # a prior may exclude classes
        mixed /= mixed.sum(axis=1, keepdims=True)
        kept = found.labeled | ~found.reached
        mixed[kept] = found.probabilities[kept]
        return replace(found, probabilities=mixed, linear_share=self._share)

    def _stale(self, supervision: Supervision) -> bool:
        now, before = supervision.top_class, self._labels
        if before is None or self._classes != supervision.classes:
            return True
        changed = int(np.count_nonzero(now != before))
        return bool(changed > STALE * min((now >= 0).sum(), (before >= 0).sum()))

    @one_blas_thread()
    def _fit(self, supervision: Supervision) -> None:
        points = supervision.labeled
        classes = supervision.top_class[points]
        confidence = supervision.targets()[points, classes]
        K = len(supervision.classes)
        found, share = None, 0.0
        if not self._linear.useless and np.unique(classes).size > 1:
            share = float(self._given) if self._given != "cv" else self._judged(supervision)
        if share > 0:
            found = self._linear.probabilities(points, classes, confidence, K)
        # At once: what is given up on the way is done again the next time.
        self._labels, self._classes = supervision.top_class.copy(), supervision.classes
        self._found, self._share = found, share

    def _judged(self, supervision: Supervision) -> float:
        """Return the share that makes left out labels likeliest."""
        points = supervision.labeled
        classes = supervision.top_class[points]
        K = len(supervision.classes)
        counts = np.bincount(classes, minlength=K)
        if (counts >= 2).sum() < 2:
            return 0.0
        confidence = supervision.targets()[points, classes]
        shared = np.flatnonzero(counts[classes] >= 2)
        judged = shared[evenly(classes[shared], JUDGED)]
        fold = _folds(classes[judged], FOLDS)
        out = [judged[fold == f] for f in range(FOLDS) if (fold == f).any()]
        graph = left_out(self._propagation, supervision, [points[part] for part in out])
        linear = np.empty((judged.size, K))
        for part in out:
            rest = np.setdiff1d(np.arange(points.size), part)
            linear[np.isin(judged, part)] = self._linear.probabilities(
                points[rest], classes[rest], confidence[rest], K, points[part]
            )
        place = np.argsort(np.concatenate(out))
        return best_share(graph[place], linear, classes[judged])


def check_linear_share(share: Any) -> float | Literal["cv"]:
    """Return a share in [0, 1) or "cv".

    Raises
    ------
    ValueError, TypeError
        If it is neither.
    """
    if isinstance(share, str):
        if share != "cv":
            raise ValueError(f'linear_share must be "cv" or a number in [0, 1), got {share!r}')
        return "cv"
    number = check_real("linear_share", share, low=0, high=1)
    if number == 1:
        raise ValueError('linear_share must be "cv" or a number in [0, 1), got 1.0')
    return number


def best_share(
    graph: NDArray[np.float64], linear: NDArray[np.float64], own: NDArray[np.intp]
) -> float:
    """Return w from the probabilities of left out labels, and their classes."""
    g, f = _log(graph), _log(linear)
    best = np.empty(SHARES.size)
    for at, share in enumerate(SHARES):
        mixed = (1 - share) * g + share * f
        best[at] = max(_likelihood(sharpness * mixed, own) for sharpness in SHARPNESS)
    return float(SHARES[np.argmax(best + PRIOR_LABELS * np.log1p(-SHARES))])


def _likelihood(scores: NDArray[np.float64], own: NDArray[np.intp]) -> float:
    return float(log_softmax(scores, axis=1)[np.arange(own.size), own].sum())


def _log(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log((1 - EVEN) * p + EVEN / p.shape[1]))


def _folds(classes: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    """Return the fold of each label: as many of each class in each as can be, drawn at random."""
    order = np.random.default_rng(0).permutation(classes.size)
    fold = np.empty(classes.size, np.intp)
    fold[order[np.argsort(classes[order], kind="stable")]] = np.arange(classes.size) % n_folds
    return fold
