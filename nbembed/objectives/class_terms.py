"""Margin, balance and label terms of Mbed as functions of class logits, with their derivatives.

    m_ik = Σ_{c of k} e^{s_ic} / Σ_c e^{s_ic},   m̄ = mean_i m_i
    A = −mean_i H(m_i),   B = H(m̄) or −KL(m̄ ‖ π),   D = Σ_i v_i KL(T_i ‖ m_i)

Equations (6), (8), (12) and (15) of "Large Margin Non-Linear Embedding"; v_i = 1 at labeled points
and 0 elsewhere, and means over all points, are the paper's. Several logits of one class are ours,
its centers, and so are points of no class, which no term counts. The derivative by the logit of
center c of class k is that by the class logit log Σ_{c of k} e^{s_ic}, multiplied by the center's
share e^{s_ic} / Σ_{c of k} e^{s_ic}.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from nbembed.kernels.inner_product import dot

#: In place of a probability of 0, whose logarithm is multiplied by 0.
_TINY = 1e-300


class Wanted(NamedTuple):
    """Target memberships and their weights.

    * targets (n_classes, n_samples): v T, each row of T multiplied by how much it counts; 0 where
      it does not count.
    * weights (n_samples,): v ≥ 0.
    * constant: Σ_i v_i Σ_k T_ik log T_ik, the part of D that no layout changes.
    * counted (n_samples,) or float: the share of each point in the means of A and B: 1/n, or 0 for
      points of no class.
    """

    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    constant: float
    counted: Any

    @classmethod
    def of(
        cls,
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
        counted: NDArray[np.bool_] | None = None,
    ) -> Wanted:
        """Make targets from rows T of shape (n_samples, n_classes) with weights v.

        ``counted`` are the points that A and B are means over, by default all of them.
        """
        T = np.where(weights[:, None] > 0, targets, 0.0)
        constant = dot(weights, xlogy(T, T).sum(axis=1))
        share: Any = 1 / weights.size
        if counted is not None and not counted.all():
            share = counted / counted.sum()
        return cls(np.ascontiguousarray((weights[:, None] * T).T), weights, constant, share)


class ClassTerms(NamedTuple):
    """The terms at some logits.

    * cost: −w (A + B) + D.
    * derivative (n_logits, n_samples): of the cost by each logit.
    * responsibility (n_logits, n_samples): the softmax of the logits.
    """

    cost: float
    derivative: NDArray[np.float64]
    responsibility: NDArray[np.float64]


def class_terms(
    logits: NDArray[np.float64],
    owners: NDArray[np.intp],
    wanted: Wanted,
    prior: NDArray[np.float64] | None,
    margin_weight: float,
) -> ClassTerms:
    """Return cost and derivative.

    * logits (n_logits, n_samples): one row each: sums over few classes of many points are several
      times as fast that way.
    * owners (n_logits,): the class of each logit, ascending. Classes without a logit have no
      members.
    * wanted: zero at classes without a logit.
    * prior (n_classes,) or None: π > 0; None is B = H(m̄).
    * margin_weight: w ≥ 0.
    """
    c = wanted.counted
    present, share, log_m = _classes(logits, owners)
    m = np.exp(log_m)
    mean = (m * c).sum(axis=1)
    log_ratio = np.log(np.maximum(mean, _TINY))
    if prior is not None:
        log_ratio -= np.log(prior[present])
    T = wanted.targets if present.size == len(wanted.targets) else wanted.targets[present]
    A, B = dot(m, c * log_m), -dot(mean, log_ratio)
    D = wanted.constant - dot(T, log_m)
    along = log_ratio[:, None] - log_m
    along -= (m * along).sum(axis=0)
    along *= margin_weight * c
    along += wanted.weights
    along *= m
    along -= T
    if isinstance(share, float):
        return ClassTerms(-margin_weight * (A + B) + D, along, m)
    column = np.searchsorted(present, owners)
    return ClassTerms(-margin_weight * (A + B) + D, along[column] * share, m[column] * share)


def memberships(
    logits: NDArray[np.float64], owners: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """Return m, shape (n_samples, n_classes), at logits of shape (n_logits, n_samples)."""
    present, _, log_m = _classes(logits, owners)
    m = np.zeros((logits.shape[1], n_classes))
    m[:, present] = np.exp(log_m).T
    return m


def _classes(
    logits: NDArray[np.float64], owners: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Any, NDArray[np.float64]]:
    """Return the classes that have logits, each logit's share in its class, and log m."""
    present, first = np.unique(owners, return_index=True)
    share: Any = 1.0
    of_class = logits - logits.max(axis=0)
    if present.size < owners.size:
        # Shifted by the largest of each class: one that is far away keeps its digits.
        column = np.searchsorted(present, owners)
        largest = np.maximum.reduceat(of_class, first, axis=0)
        share = np.exp(of_class - largest[column])
        total = np.add.reduceat(share, first, axis=0)
        share /= total[column]
        of_class = largest + np.log(total)
    log_m = of_class - np.log(np.exp(of_class).sum(axis=0))
    return present, share, log_m
