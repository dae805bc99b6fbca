"""Propagation that goes on from label to label, and ``propagate``, which does it once.

Scores F (:mod:`nbembed.propagation.system`) become probabilities in two steps. Their masses
``m_k = Σ_i F_ik`` depend on where the labels happen to lie and on how many there are, so columns
are scaled to other masses, as class mass normalization does (Zhu, Ghahramani and Lafferty 2003),
then rows to one:

    p_ik ∝ F_ik m_k^(θ − 1)

θ = 1 leaves the masses as they are, θ = 0 makes them equal; θ = ½ is halfway between. Given priors
π take the place of ``m_k^θ``.
"""

from __future__ import annotations

import copy
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.affinities import Affinities
from nbembed.data.class_probabilities import check_class_prior
from nbembed.kernels.threads import resolve_threads
from nbembed.propagation.graph import graph_perplexity, symmetric_weights, with_links
from nbembed.propagation.suggestions import Suggestions
from nbembed.propagation.system import TOLERANCE, Graph, Solution, scores, solved
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import check_covers
from nbembed.validation import check_flag, check_instance, check_real

#: The least total score of a point that a label reaches: below it the solver's tolerance shows.
REACH = 1e-6
#: As :data:`~nbembed.propagation.system.TOLERANCE`, where probabilities are only compared.
LEFT_OUT_TOLERANCE = 1e-5


class Propagation:
    """Label propagation on the graph of given affinities, from label to label.

    Parameters
    ----------
    affinities : Affinities
        Of any method and in any form, dense or sparse;
        :func:`~nbembed.propagation.neighbor_affinities` makes them from data without an n × n
        array.
    perplexity : float, "auto" or None, default="auto"
        That rows are cut and calibrated to, whatever perplexity they have; "auto" is 10, or
        (n_samples − 1)/3 if that is less. None takes P as it is, ``W = (P + Pᵀ)/2``.
    neighbor_share : float, default=0.99
        a in [0, 1], less than 1 without ``clamp``: how far labels reach, about 1/(1 − a) steps
        along the graph.
    clamp : bool, default=True
        Whether a label holds at its own point, so that a walk ends at the first label that it
        meets. False is the form of Zhou et al. [1]_, in which labels add up.
    mass_exponent : float, default=0.5
        θ in [0, 1]: 1 leaves the masses of the classes as they are found, 0 makes them equal.
    class_prior : array-like of shape (n_classes,) or None, default=None
        Masses of the classes, in place of those found.
    n_jobs : int, optional
        Threads; None is all cores.

    Attributes
    ----------
    n_samples : int

    Notes
    -----
    Labels are a point's row of probabilities, so a soft label and its confidence count as such. A
    point of the graph's piece without labels gets the prior and counts as not reached; so does one
    that a walk leads to a label with a probability below 1e-6.

    A new, changed or withdrawn label takes the solution of one linear system, some 40 iterations at
    20 000 points, whatever the number of classes; several at once take at most one a class.
    The first labels take one a class, and so does every 50th update, which starts anew, so that
    errors do not add up. Links change the graph, which costs a new start as well.

    The bits of the result depend on the sequence of updates since the last start, but not on the
    number of threads, nor on time: replaying a sequence repeats them. Between two sequences that
    end in the same supervision, scores differ by about 1e-8.

    References
    ----------
    .. [1] D. Zhou, O. Bousquet, T. Lal, J. Weston, B. Schölkopf (2004), "Learning with local and
       global consistency", Advances in Neural Information Processing Systems 16.
    .. [2] X. Zhu, Z. Ghahramani, J. Lafferty (2003), "Semi-supervised learning using Gaussian
       fields and harmonic functions", Proceedings of the 20th International Conference on Machine
       Learning.

    Examples
    --------
    >>> import nbembed as nb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> propagation = nb.Propagation(nb.propagation.neighbor_affinities(X))
    >>> labels = nb.Supervision(150).label(0, "setosa").label(60, "versicolor")
    >>> found = propagation.update(labels.label(120, "virginica"))
    >>> bool((found.top_class[:50] == 0).all())
    True
    """

    n_samples: int

    def __init__(
        self,
        affinities: Affinities,
        *,
        perplexity: float | Literal["auto"] | None = "auto",
        neighbor_share: float = 0.99,
        clamp: bool = True,
        mass_exponent: float = 0.5,
        class_prior: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        check_instance("affinities", affinities, Affinities)
        n = affinities.n_samples
        self._clamp = check_flag("clamp", clamp)
        self._share = check_real("neighbor_share", neighbor_share, low=0, high=1)
        if self._share == 1 and not self._clamp:
            raise ValueError("neighbor_share must be less than 1 with clamp=False, got 1.0")
        self._exponent = check_real("mass_exponent", mass_exponent, low=0, high=1)
        self._prior = class_prior
        if class_prior is not None:
            check_class_prior(class_prior, np.size(class_prior), allow_zero=True)
        self._n_threads = resolve_threads(n_jobs)
        if perplexity is not None:
            perplexity = graph_perplexity(perplexity, n)
        self.n_samples = n
        self._W = symmetric_weights(affinities, perplexity, self._n_threads)
        self._graph = Graph.of(self._W)
        self._linked = Supervision(n)
        self._last = Solution.empty(n, 0)

    def update(self, supervision: Supervision) -> Suggestions:
        """Return suggestions from the labels and links of ``supervision``.

        Parameters
        ----------
        supervision : Supervision
            Of the same points, with at least one label.

        Returns
        -------
        Suggestions

        Raises
        ------
        ValueError
            If it has no label, is of another number of points, or has another number of classes
            than ``class_prior``.
        """
        check_instance("supervision", supervision, Supervision)
        n, K = self.n_samples, len(supervision.classes)
        check_covers(supervision, n)
        where = supervision.labeled
        if where.size == 0:
            raise ValueError("supervision must have at least one label to propagate, got none")
        prior = None
        if self._prior is not None:
            prior = check_class_prior(self._prior, K, allow_zero=True)
        self._link(supervision)
        T = np.zeros((self._graph.n, K))
        T[where] = supervision.targets()[where]
        self._last = self._solved(where, T)
        F, prior, reach = self._scaled(self._last, prior)
        return _suggestions(F, T[:n], reach, prior, self._graph.piece[:n], supervision)

    def _solved(
        self, where: NDArray[np.intp], T: NDArray[np.float64], tolerance: float = TOLERANCE
    ) -> Solution:
        labeled = np.zeros(self._graph.n, bool)
        labeled[where] = True
        return solved(
            self._graph,
            labeled,
            T,
            self._share,
            self._clamp,
            self._last,
            self._n_threads,
            tolerance,
        )

    def _scaled(
        self, solution: Solution, prior: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return scores scaled to masses, these masses, and how far each point is reached."""
        F = scores(self._graph, solution, self._clamp)[: self.n_samples]
        mass = F.sum(axis=0)
        if prior is None:
            prior = mass**self._exponent * (mass > 0)
            prior /= prior.sum()
        reach = F.sum(axis=1)
        F *= np.divide(prior, mass, out=np.zeros(mass.size), where=mass > 0)
        return F, prior, reach

    def _link(self, supervision: Supervision) -> None:
        """Change the graph if links changed; the last solution is none on another graph."""
        if _same_links(supervision, self._linked):
            return
        self._graph = Graph.of(with_links(self._W, supervision))
        self._linked = supervision
        self._last = Solution.empty(self._graph.n, 0)


def from_zero(
    propagation: Propagation, supervision: Supervision, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return class probabilities and reach of all points, solved from zero.

    The bits do not depend on earlier updates of ``propagation``, which is not changed.
    Probabilities (n_samples, n_classes) are 0 where no label reaches a point; reach (n_samples,)
    is the probability that a walk from a point meets a label. ``tolerance`` is as
    :data:`.system.TOLERANCE`.
    """
    anew = copy.copy(propagation)
    anew._link(supervision)
    K, where = len(supervision.classes), supervision.labeled
    anew._last = Solution.empty(anew._graph.n, K)
    T = np.zeros((anew._graph.n, K))
    T[where] = supervision.targets()[where]
    F, _, reach = anew._scaled(anew._solved(where, T, tolerance), None)
    total = F.sum(axis=1, keepdims=True)
    return np.divide(F, total, out=np.zeros_like(F), where=total > 0), np.minimum(reach, 1.0)


def left_out(
    propagation: Propagation, supervision: Supervision, parts: list[NDArray[np.intp]]
) -> NDArray[np.float64]:
    """Return class probabilities of labeled points, each part from all labels but its own.

    Shape (n_points, n_classes), rows in the order of the parts; 0 where no other label reaches a
    point. ``supervision`` is that of the last update of ``propagation``, which is not changed.
    """
    T = np.zeros((propagation._graph.n, len(supervision.classes)))
    T[supervision.labeled] = supervision.targets()[supervision.labeled]
    rows = []
    for part in parts:
        others = T.copy()
        others[part] = 0.0
        kept = np.setdiff1d(supervision.labeled, part)
        solution = propagation._solved(kept, others, LEFT_OUT_TOLERANCE)
        F = propagation._scaled(solution, None)[0]
        total = F[part].sum(axis=1, keepdims=True)
        rows.append(np.divide(F[part], total, out=np.zeros_like(F[part]), where=total > 0))
    return np.concatenate(rows)


def propagate(
    affinities: Affinities,
    supervision: Supervision,
    *,
    perplexity: float | Literal["auto"] | None = "auto",
    neighbor_share: float = 0.99,
    clamp: bool = True,
    mass_exponent: float = 0.5,
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
    perplexity, neighbor_share, clamp, mass_exponent, class_prior, n_jobs
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
        clamp=clamp,
        mass_exponent=mass_exponent,
        class_prior=class_prior,
        n_jobs=n_jobs,
    )
    return made.update(supervision).probabilities


def _suggestions(
    F: NDArray[np.float64],
    T: NDArray[np.float64],
    reach: NDArray[np.float64],
    prior: NDArray[np.float64],
    piece: NDArray[np.intp],
    supervision: Supervision,
) -> Suggestions:
    """Return the suggestions of scaled scores, which become the probabilities."""
    where = supervision.labeled
    labeled = np.zeros(supervision.n_samples, bool)
    labeled[where] = True
    reached = (reach >= REACH) & (F.sum(axis=1) > 0)
    F[~reached] = prior
    F /= F.sum(axis=1, keepdims=True)
    F[where] = T[where]
    size = np.bincount(piece)[piece]
    reached |= labeled
    return Suggestions(F, supervision.classes, prior, labeled, reached, size, np.minimum(reach, 1))


def _same_links(a: Supervision, b: Supervision) -> bool:
    if len(a.links) != len(b.links) or len(a.cannot_links) != len(b.cannot_links):
        return False
    same = all(np.array_equal(x, y) for x, y in zip(a.links, b.links))
    return same and all(
        np.array_equal(x[0], y[0]) and np.array_equal(x[1], y[1])
        for x, y in zip(a.cannot_links, b.cannot_links)
    )
