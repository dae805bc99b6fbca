"""Margin, balance and label terms of Mbed as functions of class logits, with their derivatives.

    m_ik = Σ_{c of k} e^{s_ic} / Σ_c e^{s_ic},   m̄ = mean_i m_i
    A = −mean_i H(m_i),   B = H(m̄) or −KL(m̄ ‖ π),   D = Σ_i v_i KL(T_i ‖ m_i)

Equations (6), (8), (12) and (15) of "Large Margin Non-Linear Embedding"; v_i = 1 at labeled points
and 0 elsewhere are the paper's. Several logits of one class are ours: its centers. The derivative
by the logit of center c of class k is that by the class logit log Σ_{c of k} e^{s_ic}, multiplied
by the center's share e^{s_ic} / Σ_{c of k} e^{s_ic}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: In place of a probability of 0, whose logarithm is multiplied by 0.
_TINY = 1e-300


class ClassTerms(NamedTuple):
    """The terms at some logits.

    Attributes
    ----------
    cost : float
        −w (A + B) + D.
    derivative : ndarray of shape (n_samples, n_logits)
        Of the cost by each logit.
    responsibility : ndarray of shape (n_samples, n_logits)
        The softmax of the logits.
    membership : ndarray of shape (n_samples, n_classes)
    """

    cost: float
    derivative: NDArray[np.float64]
    responsibility: NDArray[np.float64]
    membership: NDArray[np.float64]


def class_terms(
    logits: NDArray[np.float64],
    owners: NDArray[np.intp],
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
    prior: NDArray[np.float64] | None,
    margin_weight: float,
) -> ClassTerms:
    """Return cost, derivative and memberships.

    Parameters
    ----------
    logits : ndarray of shape (n_samples, n_logits)
    owners : ndarray of shape (n_logits,)
        The class of each logit, ascending. Classes without a logit have no members.
    targets : ndarray of shape (n_samples, n_classes)
        T; read only where weights are positive, and zero at classes without a logit there.
    weights : ndarray of shape (n_samples,)
        v ≥ 0.
    prior : ndarray of shape (n_classes,) or None
        π > 0; None is B = H(m̄).
    margin_weight : float
        w ≥ 0.
    """
    n, n_classes = targets.shape
    present, share, log_m = _classes(logits, owners)
    m = np.exp(log_m)
    mean = m.mean(axis=0)
    log_ratio = np.log(np.maximum(mean, _TINY))
    if prior is not None:
        log_ratio -= np.log(prior[present])
    negative_entropy = np.einsum("ik,ik->i", m, log_m)
    A, B = float(negative_entropy.mean()), -float(mean @ log_ratio)
    pull = m * (log_ratio - log_m)
    pull += m * (negative_entropy - m @ log_ratio)[:, None]
    pull *= margin_weight / n
    held = np.flatnonzero(weights)
    T, v, log_held = targets[np.ix_(held, present)], weights[held], log_m[held]
    pull[held] += v[:, None] * (m[held] * T.sum(axis=1, keepdims=True) - T)
    D = float(v @ np.einsum("ik,ik->i", T, np.log(np.maximum(T, _TINY)) - log_held))
    membership = np.zeros((n, n_classes))
    membership[:, present] = m
    column = np.searchsorted(present, owners)
    return ClassTerms(
        -margin_weight * (A + B) + D,
        pull[:, column] * share,
        m[:, column] * share,
        membership,
    )


def memberships(
    logits: NDArray[np.float64], owners: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """Return m alone, shape (n_samples, n_classes)."""
    present, _, log_m = _classes(logits, owners)
    m = np.zeros((len(logits), n_classes))
    m[:, present] = np.exp(log_m)
    return m


def _classes(
    logits: NDArray[np.float64], owners: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Any, NDArray[np.float64]]:
    """Return the classes that have logits, each logit's share in its class, and log m."""
    present, first = np.unique(owners, return_index=True)
    shifted = logits - logits.max(axis=1, keepdims=True)
    if present.size == owners.size:
        share: Any = 1.0
        of_class = shifted
    else:
        # Shifted by the largest of each class: one that is far away keeps its digits.
        column = np.searchsorted(present, owners)
        largest = np.maximum.reduceat(shifted, first, axis=1)
        share = np.exp(shifted - largest[:, column])
        total = np.add.reduceat(share, first, axis=1)
        share /= total[:, column]
        of_class = largest + np.log(total)
    log_m = of_class - np.log(np.exp(of_class).sum(axis=1, keepdims=True))
    return present, share, log_m
