"""The value: neighbor probabilities in a form, and what they were made from."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.affinities.rows import FEWER_PAIRS, check_neighbor_memory, nearest_rows
from nbembed.data.distances import Distances, Metric
from nbembed.data.probabilities import (
    FORMS,
    Form,
    as_stored,
    canonical,
    check_matrix,
    frozen,
    frozen_matrix,
    row_sums,
)
from nbembed.system.memory import check_memory
from nbembed.system.work import stage
from nbembed.validation import check_choice, check_real


@dataclass(frozen=True, eq=False)
class Affinities:
    """Neighbor probabilities and what they were made from: a value, its arrays read only.

    Made by the functions of this package; :func:`as_affinities` and :meth:`from_probabilities`
    check probabilities that are given.

    Attributes
    ----------
    P : ndarray or csr_array of shape (n_samples, n_samples), float32 or float64
        Zero diagonal. Each row sums to one (``form="row"``), or P is symmetric and all of it sums
        to one (``form="joint"``). C-contiguous, or CSR with sorted indices and no duplicates.
    form : {"row", "joint"}
    beta : ndarray of shape (n_samples,) or None
        Precisions β_i in inverse squared units of the metric; None for given probabilities.
    perplexity : float or None
        The perplexity that the rows were calibrated to, if any.
    sigma : float or None
        The width shared by all points, in units of the metric, if there is one.
    metric : str
        Name of the metric; "given" for given probabilities.
    source : tuple of data and metric, or None
        What P was computed from; logarithms of probabilities that underflow are computed from it.
    floor : float
        ε: probabilities below it are zero, in P and in :attr:`log_P`. 0.0 keeps all of them.
    n_neighbors : int or None
        How many nearest neighbors each row is over; None for all pairs, or given probabilities.
    recall : float or None
        Share of the true neighbors among those, estimated on a sample; 1.0 if the search was exact.
    nearest : ndarray of shape (n_samples, k), int32, or None
        The first k ≤ :data:`~nbembed.affinities.rows.NEAREST` of those neighbors, nearest first,
        for who asks for neighbors again: P has all of them, in no order.
    """

    P: Any
    form: Form
    beta: NDArray[np.float64] | None = None
    perplexity: float | None = None
    sigma: float | None = None
    metric: str = "given"
    source: tuple[Any, Metric] | None = field(default=None, repr=False)
    floor: float = 0.0
    n_neighbors: int | None = None
    recall: float | None = None
    nearest: NDArray[np.int32] | None = field(default=None, repr=False)
    _cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_choice("form", self.form, FORMS)
        object.__setattr__(self, "P", frozen_matrix(self.P))
        for name in ("beta", "nearest"):
            if isinstance(getattr(self, name), np.ndarray):
                object.__setattr__(self, name, frozen(getattr(self, name)))

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without what was computed from them."""
        state = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {**state, "_cache": {}}

    @classmethod
    def from_probabilities(cls, P: Any, form: Form = "row") -> Affinities:
        """Return a copy of given probabilities as affinities.

        Parameters
        ----------
        P : array-like or sparse matrix of shape (n_samples, n_samples)
            Non-negative with an empty diagonal.
        form : {"row", "joint"}

        Raises
        ------
        TypeError, ValueError
            As :func:`as_affinities`.
        """
        check_choice("form", form, FORMS)
        stored = check_matrix(as_stored(P).copy(), form)
        if sparse.issparse(stored):
            stored.eliminate_zeros()
        return cls(stored, form)

    # -- what it is --------------------------------------------------------------------------

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.P.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Either float32 or float64."""
        dtype: np.dtype[Any] = self.P.dtype
        return dtype

    @property
    def is_sparse(self) -> bool:
        """True if P is CSR rather than dense."""
        return bool(sparse.issparse(self.P))

    @property
    def kernel_argument(self) -> Any:
        """P as the kernels take it: the dense array, or the parts (indptr, indices, data)."""
        return (self.P.indptr, self.P.indices, self.P.data) if self.is_sparse else self.P

    @property
    def learned_metric(self) -> Any:
        """The fitted metric object that P was computed with; None for metrics that have a name."""
        metric = None if self.source is None else self.source[1]
        return metric if hasattr(metric, "squared_rows") else None

    def cached(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the result of ``make`` at the first call with this name.

        For arrays as large as P that objectives of the same affinities share; they are kept for as
        long as the affinities.
        """
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]

    # -- forms -------------------------------------------------------------------------------

    def rows(self) -> Affinities:
        """Return the row form: itself, or the rows that a joint form was made from.

        Given joint probabilities become rows by ``p_{j|i} = P_ij / Σ_j P_ij``. Rows over nearest
        neighbors are searched anew at the first call, on all cores.

        Raises
        ------
        ValueError
            If a point of a given joint form has no neighbor.
        """
        return self if self.form == "row" else self._rows

    def joint(self) -> Affinities:
        """Return the joint form ``(p_{j|i} + p_{i|j}) / 2n``, or itself."""
        return self if self.form == "joint" else self._joint

    def truncated(self, floor: float) -> Affinities:
        """Return the same affinities with all probabilities below ``floor`` set to zero.

        Rows are not normalized anew.

        Raises
        ------
        ValueError
            If ``floor`` is not in (0, 1).
        """
        check_real("floor", floor, low=0, high=1, open_low=True)
        if self.is_sparse:
            P = self.P.copy()
            P.data = np.where(P.data >= floor, P.data, P.dtype.type(0))
            P.eliminate_zeros()
        else:
            P = np.where(floor <= self.P, self.P, self.dtype.type(0))
        return replace(self, P=P, floor=floor)

    @cached_property
    def _rows(self) -> Affinities:
        if self.n_neighbors is not None:
            # The joint form does not hold its rows: they take as much memory, and few ask for them.
            # They are searched anew, once.
            assert self.source is not None
            assert self.perplexity is not None
            data, metric = self.source
            check_neighbor_memory(self.n_samples, self.n_neighbors, self.dtype)
            found = nearest_rows(data, self.perplexity, metric, self.n_neighbors, self.dtype)
            made = replace(self, P=found.P, form="row", floor=0.0)
            return made.truncated(self.floor) if self.floor > 0 else made
        if self.source is not None:
            P = np.exp(self._log_rows())
            P[max(np.finfo(self.dtype).tiny, self.floor) > P] = 0
            return replace(self, P=P, form="row")
        sums = row_sums(self.P)
        if (sums <= 0).any():
            i = int(np.flatnonzero(sums <= 0)[0])
            raise ValueError(f"P has no neighbor for point {i}, so its row cannot be normalized")
        share = (1 / sums).astype(self.dtype)
        if self.is_sparse:
            P = canonical(sparse.csr_array(sparse.diags_array(share) @ self.P))
            return replace(self, P=P, form="row")
        return replace(self, P=self.P * share[:, None], form="row")

    @cached_property
    def _joint(self) -> Affinities:
        if not self.is_sparse:
            n = self.n_samples
            what = f"affinities of all {n} × {n} pairs, beside the rows that they are made from,"
            check_memory(2 * self.dtype.itemsize * n**2, what, FEWER_PAIRS)
        half = self.dtype.type(0.5 / self.n_samples)
        stage("making probabilities symmetric", 0)
        if self.is_sparse:
            P = canonical(sparse.csr_array(self.P + self.P.T))
            P.data *= half
        else:
            P = self.P + self.P.T
            P *= half
        return replace(self, P=P, form="joint")

    # -- logarithms --------------------------------------------------------------------------

    @cached_property
    def log_P(self) -> Any:
        """Log P; −inf on the diagonal. Dense, or CSR on P's own pattern.

        Computed from the distances where a dense P was, and then exact also where p underflows to
        zero.
        """
        if self.is_sparse:
            logs = self.P.copy()
            with np.errstate(divide="ignore"):
                logs.data = np.log(self.P.data)
            logs.data.flags.writeable = False
            return logs
        if self.source is None or self.floor > 0:
            with np.errstate(divide="ignore"):
                logs = np.log(self.P)
        else:
            logs = self._log_rows()
            if self.form == "joint":
                logs = np.logaddexp(logs, logs.T)
                logs -= np.log(2 * self.n_samples)
        logs.flags.writeable = False
        return logs

    def _log_rows(self) -> NDArray[Any]:
        """Return log p_{j|i}, computed from the distances."""
        assert self.source is not None
        assert self.beta is not None
        logs = np.empty((self.n_samples, self.n_samples), self.dtype)
        for here, D2 in Distances(*self.source).blocks():
            own = np.arange(here.start, here.stop)
            D2[own - here.start, own] = np.inf
            D2 -= D2.min(axis=1, keepdims=True)
            D2 *= -self.beta[here, None]
            D2 -= np.log(np.exp(D2).sum(axis=1, keepdims=True))
            logs[here] = D2
        return logs


def as_affinities(P: Any, form: Form) -> Affinities:
    """Return an objective's input as :class:`Affinities` of the form that it needs.

    Parameters
    ----------
    P : ndarray, sparse matrix or array, or Affinities
        Square, finite, non-negative, with an empty diagonal. Affinities are brought to ``form``; an
        array must have it already, and a well-formed one is not copied: it must not be changed
        afterwards.
    form : {"row", "joint"}

    Raises
    ------
    TypeError
        If ``P`` is neither a matrix nor Affinities.
    ValueError
        If ``P`` breaks a condition; the message says which.
    """
    check_choice("form", form, FORMS)
    if isinstance(P, Affinities):
        return P.joint() if form == "joint" else P.rows()
    return Affinities(check_matrix(as_stored(P), form), form)
