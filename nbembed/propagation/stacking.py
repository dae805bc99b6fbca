"""The graph, a plane and a discriminant: suggestions where clusters are not classes.

Propagation is right where points of a class are neighbors, logistic regression where classes lie on
two sides of a plane, a discriminant where they differ along few directions among many of noise.
Which of them a data set is cannot be seen from the data; labels tell. Each label that is left out
has probabilities g, l and d by the three from the other labels. Stacking (Wolpert 1992), here of
their logarithms, takes the weights that make the labels likeliest:

    p_ik ∝ g_ik^a l_ik^b d_ik^c
    maximize  Σ_i log p_i,k(i) + log a − a − 3 (b + c)   for a > 0 and b, c ≥ 0

It is one concave problem. The weights need not sum to one, so that they also say how sure the
probabilities may be: with few labels among many points propagation is right long before it is sure,
and a plane through many dimensions is sure long before it is right. The last terms are a prior: 1
for the graph and none for the others, so that nothing changes where labels are too few to tell.
Probabilities are taken a little towards even ones, so that one label that a member takes for
impossible does not decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from nbembed.propagation.discriminant import Discriminant
from nbembed.propagation.folds import folds
from nbembed.propagation.incremental import Propagation, left_out
from nbembed.propagation.linear import LinearClassifier, evenly
from nbembed.propagation.reach import least_reach, none_of_these
from nbembed.propagation.suggestions import Suggestions
from nbembed.supervision import Supervision
from nbembed.system.blas import one_blas_thread

#: The prior rate of a weight beside the graph's: what a weight of one must gain, in nats.
RATE = 3.0
#: Folds of at most 50 labels, and of more: each takes a linear system for each label or class.
FOLDS, FOLDS_OF_MANY, MANY = 10, 5, 50
#: The most labels that the weights are judged by, as many of each class as can be.
JUDGED = 200
#: The share of an even distribution in the probabilities that are mixed.
EVEN = 0.02
#: Weights stay between these bounds; the graph's is above zero.
LEAST, MOST = 1e-3, 20.0
#: The share of the labels that may change before the others are fitted anew.
STALE = 0.1

#: Weights where labels are too few to tell, or propagation is alone.
GRAPH_ALONE = {"graph": 1.0}


class Stacking:
    """Suggestions from propagation and classifiers beside it, from label to label.

    * X (n_samples, n_features), or None: checked data of the same points; ``None`` for
      dissimilarities, of which the graph is alone, with a weight that says how sure it may be.
    """

    def __init__(self, propagation: Propagation, X: Any) -> None:
        self._propagation = propagation
        self._beside: dict[str, LinearClassifier | Discriminant] = {}
        if X is not None:
            plane = LinearClassifier(X)
            if not plane.useless:
                self._beside = {"plane": plane, "discriminant": Discriminant(X)}
        self._labels: NDArray[np.intp] | None = None
        self._classes: tuple[str, ...] = ()
        self._weights = dict(GRAPH_ALONE)
        self._least_reach = 0.0
        # What other labels say of each label (:class:`Suggestions`), for ``_labels``.
        self._suspicion: NDArray[np.float64] = np.zeros(0)
        self._left_out_class: NDArray[np.intp] = np.zeros(0, np.intp)
        self._left_out_confidence: NDArray[np.float64] = np.zeros(0)
        # The sum of the weighted logarithms of the members beside the graph.
        self._found: NDArray[np.float64] | None = None

    def update(
        self,
        supervision: Supervision,
        meanwhile: Callable[[Suggestions], None] = lambda suggestions: None,
    ) -> Suggestions:
        """Return suggestions from the labels and links of ``supervision``.

        The classifiers, the weights, what is suspicious and how far labels must reach are those of
        the last time until a tenth of the labels has changed, so that most labels cost no more than
        propagation. Before they
        are made anew, ``meanwhile`` gets suggestions from the new labels by those of the last time.
        """
        found = self._propagation.update(supervision)
        if self._stale(supervision):
            meanwhile(self._mixed(found, supervision))
            self._fit(supervision, found)
        return self._mixed(found, supervision)

    def _mixed(self, found: Suggestions, supervision: Supervision) -> Suggestions:
        """Return suggestions of propagation and the others by their weights."""
        weights = self._weights
        if self._labels is None or self._classes != supervision.classes:
            return found
        same = found.labeled & (supervision.top_class == self._labels)
        found = replace(
            found,
            suspicion=np.where(same, self._suspicion, 0.0),
            left_out_class=np.where(same, self._left_out_class, -1),
            left_out_confidence=np.where(same, self._left_out_confidence, 0.0),
            none_of_these=none_of_these(
                self._propagation, supervision, found.reach, self._least_reach
            ),
        )
        if weights == GRAPH_ALONE:
            return found
        mixed = weights["graph"] * _log(found.probabilities)
        if self._found is not None:
            mixed += self._found
        mixed = softmax(mixed, axis=1) * (found.prior > 0)  # a prior may exclude classes
        mixed /= mixed.sum(axis=1, keepdims=True)
        kept = found.labeled | ~found.reached
        mixed[kept] = found.probabilities[kept]
        return replace(found, probabilities=mixed, weights=dict(weights))

    def _stale(self, supervision: Supervision) -> bool:
        now, before = supervision.top_class, self._labels
        if before is None or self._classes != supervision.classes:
            return True
        changed = int(np.count_nonzero(now != before))
        return bool(changed > STALE * min((now >= 0).sum(), (before >= 0).sum()))

    @one_blas_thread()
    def _fit(self, supervision: Supervision, propagated: Suggestions) -> None:
        points = supervision.labeled
        classes = supervision.top_class[points]
        confidence = supervision.targets()[points, classes]
        K = len(supervision.classes)
        weights, suspicion, left_out_class, left_out_confidence = self._judged(supervision)
        least = least_reach(self._propagation, supervision, propagated.top_class, propagated.reach)
        found = None
        for name, member in self._beside.items():
            if weights.get(name, 0.0) > 0:
                p = member.probabilities(points, classes, confidence, K)
                found = weights[name] * _log(p) + (0.0 if found is None else found)
        # At once: what is given up on the way is done again the next time.
        self._labels, self._classes = supervision.top_class.copy(), supervision.classes
        self._found, self._weights, self._least_reach = found, weights, least
        self._suspicion, self._left_out_class = suspicion, left_out_class
        self._left_out_confidence = left_out_confidence

    def _judged(
        self, supervision: Supervision
    ) -> tuple[dict[str, float], NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]:
        """Return the weights that make left out labels likeliest, and what is said of each."""
        points = supervision.labeled
        classes = supervision.top_class[points]
        n, K = supervision.n_samples, len(supervision.classes)
        suspicion, left_out_confidence = np.zeros(n), np.zeros(n)
        left_out_class = np.full(n, -1, np.intp)
        counts = np.bincount(classes, minlength=K)
        if (counts >= 2).sum() < 2:
            return dict(GRAPH_ALONE), suspicion, left_out_class, left_out_confidence
        shared = np.flatnonzero(counts[classes] >= 2)
        rows = self._left_out(supervision, shared)
        own = classes[shared]
        judged = evenly(own, JUDGED)
        a = best_weights(rows[:, judged], own[judged])
        p = softmax(np.tensordot(a, _log(rows), 1), axis=1)
        of_own = p[np.arange(own.size), own]
        left_out_class[points[shared]] = p.argmax(axis=1)
        left_out_confidence[points[shared]] = p.max(axis=1)
        suspicion[points[shared]] = p.max(axis=1) - of_own
        weights = dict(zip(("graph", *self._beside), a.tolist()))
        return weights, suspicion, left_out_class, left_out_confidence

    def _left_out(self, supervision: Supervision, places: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return each member's probabilities of labels, each label itself left out.

        Shape (n_members, n_places, n_classes).
        """
        points = supervision.labeled
        classes = supervision.top_class[points]
        confidence = supervision.targets()[points, classes]
        K = len(supervision.classes)
        n_folds = FOLDS if places.size <= MANY else FOLDS_OF_MANY
        fold = folds(classes[places], n_folds)
        out = [places[fold == f] for f in range(n_folds) if (fold == f).any()]
        order = np.argsort(np.concatenate(out))
        rows = [left_out(self._propagation, supervision, [points[part] for part in out])[order]]
        for member in self._beside.values():
            p = np.empty((places.size, K))
            for part in out:
                rest = np.setdiff1d(np.arange(points.size), part)
                p[np.isin(places, part)] = member.probabilities(
                    points[rest], classes[rest], confidence[rest], K, points[part]
                )
            rows.append(p)
        return np.array(rows)


def best_weights(p: NDArray[np.float64], own: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the weights of members from their probabilities p of left out labels.

    p is (n_members, n_labels, n_classes), the graph first; ``own`` holds the classes of the
    labels.
    """
    logs = _log(p)
    labels = np.arange(own.size)
    of_own = logs[:, labels, own].sum(axis=1)

    def cost(a: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_p = log_softmax(np.tensordot(a, logs, 1), axis=1)
        value = -log_p[labels, own].sum() + a[0] - np.log(a[0]) + RATE * a[1:].sum()
        gradient = np.einsum("mik,ik->m", logs, np.exp(log_p)) - of_own + RATE
        gradient[0] += 1 - 1 / a[0] - RATE
        return float(value), gradient

    bounds = [(LEAST, MOST)] + [(0.0, MOST)] * (len(p) - 1)
    found = minimize(cost, np.eye(len(p))[0], jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)


def _log(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log((1 - EVEN) * p + EVEN / p.shape[-1]))
