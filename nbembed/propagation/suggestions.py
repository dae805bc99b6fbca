"""Suggestions: what propagation says of every point, as a frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nbembed.propagation.accuracy import accuracy_interval
from nbembed.validation import check_count, check_real


@dataclass(frozen=True, eq=False)
class Suggestions:
    """Class probabilities of all points, and how sure they are; arrays are read only.

    Attributes
    ----------
    probabilities : ndarray of shape (n_samples, n_classes), float64
        Rows sum to one. A labeled point's row is its label, as ``Supervision.targets`` gives it; a
        point that no label reaches has the prior.
    classes : tuple of str
        Names of the columns, those of the supervision.
    prior : ndarray of shape (n_classes,)
        The class prior that the probabilities are scaled to.
    labeled : ndarray of bool, shape (n_samples,)
        Which points are labeled.
    reached : ndarray of bool, shape (n_samples,)
        Whether any label is in the point's connected piece of the graph.
    piece_size : ndarray of int, shape (n_samples,)
        Number of points in the point's connected piece of the graph.
    reach : ndarray of shape (n_samples,)
        The probability that a walk along the graph from the point meets a label before it ends.
    none_of_these : ndarray of bool, shape (n_samples,)
        Which points are said to be of no class that has a label: groups that labels reach less
        than 95 % of their own classes (:mod:`nbembed.propagation.reach`). Their probabilities are
        of the classes there are.
    weights : mapping of str to float
        Weights of the members that the probabilities are of (:mod:`nbembed.propagation.stacking`):
        ``"graph"`` is propagation, which is alone with a weight of 1.
    suspicion : ndarray of shape (n_samples,)
        By how much another class is likelier than a point's label by the other labels, in [0, 1]; 0
        at other points, at labels that nothing contradicts, and at the only label of a class.
    left_out_class : ndarray of int, shape (n_samples,)
        The likeliest class of a labeled point by the other labels, −1 where that was not asked.
    left_out_confidence : ndarray of shape (n_samples,)
        The probability of that class, 0 where it was not asked.
    """

    probabilities: NDArray[np.float64] = field(repr=False)
    classes: tuple[str, ...]
    prior: NDArray[np.float64]
    labeled: NDArray[np.bool_] = field(repr=False)
    reached: NDArray[np.bool_] = field(repr=False)
    piece_size: NDArray[np.intp] = field(repr=False)
    reach: NDArray[np.float64] = field(repr=False)
    none_of_these: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool), repr=False)
    weights: Mapping[str, float] = field(default_factory=lambda: {"graph": 1.0})
    suspicion: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0), repr=False)
    left_out_class: NDArray[np.intp] = field(
        default_factory=lambda: np.zeros(0, np.intp), repr=False
    )
    left_out_confidence: NDArray[np.float64] = field(
        default_factory=lambda: np.zeros(0), repr=False
    )

    def __post_init__(self) -> None:
        if not self.none_of_these.size:
            object.__setattr__(self, "none_of_these", np.zeros(self.n_samples, bool))
        if not self.suspicion.size:  # propagation alone asks nothing of its labels
            object.__setattr__(self, "suspicion", np.zeros(self.n_samples))
            object.__setattr__(self, "left_out_class", np.full(self.n_samples, -1, np.intp))
            object.__setattr__(self, "left_out_confidence", np.zeros(self.n_samples))
        for name in (
            *("probabilities", "prior", "labeled", "reached", "piece_size"),
            *("reach", "none_of_these", "suspicion", "left_out_class", "left_out_confidence"),
        ):
            getattr(self, name).flags.writeable = False

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.probabilities.shape[0])

    @cached_property
    def top_class(self) -> NDArray[np.intp]:
        """Each point's likeliest class as an index into ``classes``; the first of equal ones."""
        return _frozen(self.probabilities.argmax(axis=1))

    @cached_property
    def confidence(self) -> NDArray[np.float64]:
        """The probability of each point's top class."""
        return _frozen(self.probabilities.max(axis=1))

    @cached_property
    def doubt(self) -> NDArray[np.float64]:
        """One less the distance between the two largest probabilities: 0 sure, 1 a tie.

        1 at points that no label reaches, 0 at labeled points.
        """
        doubt = np.zeros(self.n_samples)
        if len(self.classes) > 1:
            two = np.partition(self.probabilities, -2, axis=1)[:, -2:]
            doubt = 1 - (two[:, 1] - two[:, 0])
        doubt[~self.reached] = 1.0
        doubt[self.labeled] = 0.0
        return _frozen(doubt)

    def doubtful(self, k: int | None = None) -> NDArray[np.intp]:
        """Return unlabeled points, the most doubtful first.

        Points that no label reaches come first, those of the largest piece of the graph before
        others: one label there answers for all of them. Equal doubts are in order of index.

        Parameters
        ----------
        k : int, optional
            At most so many; all unlabeled points by default.
        """
        count = self.n_samples if k is None else check_count("k", k)
        unlabeled = np.flatnonzero(~self.labeled)
        size = np.where(self.reached, 0, self.piece_size)[unlabeled]
        order = np.lexsort((unlabeled, -self.doubt[unlabeled], -size))
        return unlabeled[order][:count]

    def suspicious(self, k: int | None = None) -> NDArray[np.intp]:
        """Return labeled points whose label the other labels contradict, the most so first.

        Each label is compared with what is suggested for its point without it, in five folds (ten
        of at most 50 labels).

        Parameters
        ----------
        k : int, optional
            At most so many; all of them by default.
        """
        count = self.n_samples if k is None else check_count("k", k)
        points = np.flatnonzero(self.suspicion > 0)
        return points[np.argsort(-self.suspicion[points], kind="stable")][:count]

    def above(self, confidence: float) -> NDArray[np.intp]:
        """Return the unlabeled points of a class that has a label, with at least this confidence.

        Without those that no label reaches, and those of :attr:`none_of_these`.

        Parameters
        ----------
        confidence : float
            In [0, 1].
        """
        least = check_real("confidence", confidence, low=0, high=1)
        named = self.reached & ~self.none_of_these
        return np.flatnonzero(~self.labeled & named & (self.confidence >= least))

    def expected_right(self, confidence: float) -> float:
        """Return the share of :meth:`above` that is expected to be right: its mean confidence.

        NaN if nothing is so sure. Confidences are judged by labels that were left out: with few of
        them they may be far off, which :meth:`expected_interval` says.
        """
        sure = self.confidence[self.above(confidence)]
        return float(sure.mean()) if sure.size else float("nan")

    def judged(self, confidence: float) -> tuple[int, int]:
        """Return the number of labels that others predict so surely, and of these the correct ones.

        Parameters
        ----------
        confidence : float
            In [0, 1].
        """
        least = check_real("confidence", confidence, low=0, high=1)
        foretold = (self.left_out_class >= 0) & (self.left_out_confidence >= least)
        right = foretold & (self.left_out_class == self.top_class)
        return int(foretold.sum()), int(right.sum())

    def expected_interval(self, confidence: float) -> tuple[float, float]:
        """Return the 95 % interval of :meth:`expected_right`, as left out labels have it.

        Wilson's interval (:func:`~nbembed.propagation.accuracy_interval`) of the share of labels
        that the others foretell rightly, of those which they foretell with at least this
        confidence: (0, 1) where there are none. It takes labels for a random sample of what is
        suggested, and is a little low, since each is foretold from fewer labels. Where labels are
        easier than what is suggested, as those of a lasso are, it is widened to hold the share.

        Parameters
        ----------
        confidence : float
            In [0, 1].
        """
        n, right = self.judged(confidence)
        low, high = accuracy_interval(right, n) if n else (0.0, 1.0)
        expected = self.expected_right(confidence)  # NaN is neither smaller nor larger
        return min(low, expected), max(high, expected)

    def least_confidence(self, right: float = 0.95) -> float | None:
        """Return the least confidence above which so large a share is expected to be right.

        Parameters
        ----------
        right : float, default=0.95
            In [0, 1], as :meth:`expected_right`.

        Returns
        -------
        float or None
            ``None`` if even the surest suggestions are less sure.
        """
        check_real("right", right, low=0, high=1)
        sure = np.sort(self.confidence[self.above(0.0)])[::-1]
        enough = np.cumsum(sure) >= right * np.arange(1, sure.size + 1)
        enough &= np.append(sure[1:] < sure[:-1], True)[: sure.size]  # equal ones go together
        last = np.flatnonzero(enough)
        return min(float(sure[last[-1]]), 1.0) if last.size else None


def _frozen(array: NDArray) -> NDArray:  # type: ignore[type-arg]
    array.flags.writeable = False
    return array
