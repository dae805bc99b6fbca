"""Propagation that goes on from label to label, and ``propagate``, which does it once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nbembed.affinities import Affinities
from nbembed.propagation.graph import graph_perplexity, symmetric_weights, with_links
from nbembed.propagation.solver import solve
from nbembed.propagation.suggestions import Suggestions
from nbembed.supervision import Supervision
from nbembed.validation import check_class_prior, check_instance, check_real

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Propagation:
    """Label propagation on a fixed graph, from label to label.

    Parameters
    ----------
    affinities : Affinities
        Of any method, dense or sparse: :meth:`nbembed.Session` 's own or
        :func:`~nbembed.propagation.neighbor_affinities` of the data.
    perplexity : float, "auto" or None, default="auto"
        That the rows are cut and calibrated to; "auto" is 10, or (n_samples − 1)/3 if that is less.
        None takes P as it is.
    neighbor_share : float, default=0.99
        a in [0, 1): the share of a point's scores that comes from its neighbors.
    class_prior : array-like of shape (n_classes,) or None, default=None
        What the class masses are scaled to; None estimates it from the labels.
    n_jobs : int, optional
        Threads; None is all cores. The bits of the result do not depend on it.
    """

    def __init__(
        self,
        affinities: Affinities,
        *,
        perplexity: float | Literal["auto"] | None = "auto",
        neighbor_share: float = 0.99,
        class_prior: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        check_instance("affinities", affinities, Affinities)
        a = check_real("neighbor_share", neighbor_share, low=0, high=1)
        if a == 1:
            raise ValueError("neighbor_share must be less than 1, got 1.0")
        if perplexity is not None:
            perplexity = graph_perplexity(perplexity, affinities.n_samples)
        self.n_samples = affinities.n_samples
        self.neighbor_share = a
        self.class_prior = class_prior
        self._W = symmetric_weights(affinities, perplexity)
        self._n_jobs = n_jobs
        self._links: Any = None
        self._T: NDArray[np.float64] = np.zeros((self.n_samples, 0))
        self._F: NDArray[np.float64] = np.zeros((self.n_samples, 0))

    def update(self, supervision: Supervision) -> Suggestions:
        """Return suggestions from the labels and links of ``supervision``.

        Only the columns of classes whose labels differ from the last call's are solved for, from
        the last solution on.

        Parameters
        ----------
        supervision : Supervision
            Of the same points, with at least one label.

        Raises
        ------
        ValueError
            If it has no label or is of another number of points.
        """
        check_instance("supervision", supervision, Supervision)
        if supervision.n_samples != self.n_samples:
            raise ValueError(
                f"supervision must be of {self.n_samples} points, got {supervision.n_samples}"
            )
        where = supervision.labeled
        if where.size == 0:
            raise ValueError("supervision must have at least one label to propagate, got none")
        self._set_links(supervision)
        n, K = self.n_samples, len(supervision.classes)
        targets = supervision.targets()
        T = np.zeros((self._S.shape[0], K))
        T[where] = targets[where]
        F = np.zeros_like(T)
        common = min(K, self._T.shape[1])
        F[:, :common] = self._F[:, :common]
        old = np.zeros_like(T)
        old[:, :common] = self._T[:, :common]
        changed = np.flatnonzero((old != T).any(axis=0))
        F[:, changed] = solve(self._S, T[:, changed], F[:, changed], self.neighbor_share)
        F[:, ~T.any(axis=0)] = 0.0
        self._T, self._F = T, F

        labeled = np.zeros(n, bool)
        labeled[where] = True
        share = T[where].sum(axis=0) / where.size
        prior = share
        if self.class_prior is not None:
            prior = check_class_prior(self.class_prior, K, allow_zero=True)
        found = np.zeros(self._piece.max() + 1, bool)
        found[self._piece[where]] = True
        reached = found[self._piece[:n]]
        mass = F[:n].sum(axis=0)
        scale = np.divide(prior, mass, out=np.zeros(K), where=mass > 0)
        rows = np.maximum(F[:n], 0) * scale
        sums = rows.sum(axis=1)
        reached &= sums > 0
        rows[~reached] = prior
        sums[~reached] = prior.sum()
        rows /= sums[:, None]
        rows[where] = targets[where]
        reached[where] = True
        return Suggestions(rows, supervision.classes, prior, labeled, reached, self._piece_size)

    def _set_links(self, supervision: Supervision) -> None:
        links = supervision.links, supervision.cannot_links
        key = [g.tobytes() for g in links[0]], [(a.tobytes(), b.tobytes()) for a, b in links[1]]
        if key == self._links:
            return
        self._links = key
        W = with_links(self._W, supervision)
        degree = np.asarray(W.sum(axis=1)).ravel()
        root = np.divide(1.0, np.sqrt(degree), out=np.zeros(degree.size), where=degree > 0)
        self._S = sparse.csr_array(sparse.diags_array(root) @ W @ sparse.diags_array(root))
        _, self._piece = connected_components(W, directed=False)
        count = np.bincount(self._piece[: self.n_samples], minlength=self._piece.max() + 1)
        self._piece_size = count[self._piece[: self.n_samples]]
        self._T = self._F = np.zeros((W.shape[0], 0))


def propagate(
    affinities: Affinities,
    supervision: Supervision,
    *,
    perplexity: float | Literal["auto"] | None = "auto",
    neighbor_share: float = 0.99,
    class_prior: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return class probabilities of all points from the labels of a few, by label propagation.

    Parameters
    ----------
    affinities : Affinities
        Of any method, dense or sparse, or :func:`~nbembed.propagation.neighbor_affinities`.
    supervision : Supervision
        With at least one label. Must-linked points share their scores, cannot-linked ones have no
        edge.
    perplexity, neighbor_share, class_prior, n_jobs
        As in :class:`Propagation`.

    Returns
    -------
    ndarray of shape (n_samples, n_classes), float64
        In the order of ``supervision.classes``; every row sums to one. A labeled point's row is its
        label; a point that no label reaches has the prior. With one class all are ones.

    Raises
    ------
    ValueError
        If there is no label, or an argument is out of range.
    """
    made = Propagation(
        affinities,
        perplexity=perplexity,
        neighbor_share=neighbor_share,
        class_prior=class_prior,
        n_jobs=n_jobs,
    )
    return made.update(supervision).probabilities
