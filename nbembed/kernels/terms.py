"""The types that kernels return, and numbers that several of them or their callers agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Stands for log p_ij = log 0 in packed log-affinities. Above every logarithm: p̃ is at most 1, and
#: its logarithm is stored less that of a share of 1e-16 or more.
NO_AFFINITY = 1000.0
#: Stands for the logarithm of a zero class prior: finite, so that 0 · log 0 is 0.
NEVER = -1e300
#: Below this α the heavy-tailed family is the Gaussian, to double precision: q differs by ατ²/2.
GAUSSIAN_BELOW = 1e-16
#: Squared distances that differ by this share of the nearest, or less, tie: rounding may have made
#: the difference.
TIE = 1e-10


class HeavyTailedTerms(NamedTuple):
    """Sums over pairs; q is not normalized.

    Attributes
    ----------
    attraction : ndarray of shape (d, n)
        Σ_j P_ij S_ij (y_i − y_j), in the type of the points.
    repulsion : ndarray of shape (d, n)
        Σ_j q_ij S_ij (y_i − y_j).
    curvature : ndarray of shape (n,)
        Σ_j P_ij S_ij.
    normalizer : float
        Z = Σ_{i≠j} q_ij.
    cross : float
        −Σ_ij P_ij log q_ij, in nats; NaN if it was not wanted.
    """

    attraction: Any
    repulsion: Any
    curvature: Any
    normalizer: float
    cross: float


class OwnRows(NamedTuple):
    """Own affinities of a group, as the parts of a canonical CSR array of shape (m, m).

    Attributes
    ----------
    bounds : ndarray of int64, shape (m + 1,)
    columns : ndarray of int32
        Places among the members.
    values : ndarray of float64
        Greater than zero; each row that has any sums to 1.
    """

    bounds: Any
    columns: Any
    values: Any


class SparseTerms(NamedTuple):
    """Sums along the entries of a sparse matrix.

    Attributes
    ----------
    force : ndarray of shape (d, n)
    curvature : ndarray of shape (n,)
    cross : float
        −Σ_ij P_ij log q_ij over all stored entries, NaN if it was not wanted.
    """

    force: Any
    curvature: Any
    cross: float


class RadialTerms(NamedTuple):
    """Sums of a radial kernel K over the other points.

    Attributes
    ----------
    potential : ndarray of shape (n,), float64
        φ_i = Σ_{j≠i} c_j K(τ_ij).
    gradient : ndarray of shape (d, n)
        ∂φ_i/∂y_i, in the type of the points.
    """

    potential: Any
    gradient: Any


class GaussianRowsTerms(NamedTuple):
    """Sums over pairs.

    Attributes
    ----------
    attraction : ndarray of shape (d, n)
        Σ_j W_ij (y_i − y_j), in the type of the points.
    repulsion : ndarray of shape (d, n)
        Σ_j (q_ij + q_ji)(y_i − y_j), q normalized.
    log_normalizers : ndarray of shape (n,), float64
        log Z_i.
    cross : float
        ½ Σ_ij W_ij τ_ij, in nats; NaN if it was not wanted.
    """

    attraction: Any
    repulsion: Any
    log_normalizers: Any
    cross: float


class RetrievalTerms(NamedTuple):
    """Sums over pairs.

    Attributes
    ----------
    force : ndarray of shape (d, n)
        Half the gradient, in the type of the points.
    log_normalizers : ndarray of shape (n,), float64
        log Z_i.
    divergences : ndarray of shape (n,), float64
        F_i = KL(q_i‖p_i), in nats.
    cross : float
        Σ_ij p_ij w_i τ_ij, in nats.
    """

    force: Any
    log_normalizers: Any
    divergences: Any
    cross: float


class LogRowsTerms(NamedTuple):
    """What is made of logarithms; sums are float64.

    Attributes
    ----------
    packed : ndarray of shape (n, n), in the type of ``logs``
        log p, as :func:`nbembed.kernels.codegen.tiles.half_square` wants it with ``both``.
    shifts : ndarray of shape (n,)
        log p_ij = κ logs_ij − shifts_i.
    masses, entropies : ndarray of shape (n,)
        Σ_j p_ij and Σ_j p_ij log p_ij over the points j that are not linked to i, in nats.
    inward : ndarray of shape (2, n)
        Σ_i w_i (1 − t_i) p_ij and Σ_i w_i t_i p_ij: how much the others attend to point j.
    """

    packed: Any
    shifts: Any
    masses: Any
    entropies: Any
    inward: Any


class UnlinkedTerms(NamedTuple):
    """Sums over the points j that are not linked to point i.

    Attributes
    ----------
    masses, entropies : ndarray of shape (n,), float64
        Σ_j p_ij, and Σ_j p_ij log p_ij in nats.
    """

    masses: Any
    entropies: Any


class GroupTerms(NamedTuple):
    """Sums over the pairs of all groups.

    Attributes
    ----------
    force : ndarray of shape (d, n)
        Σ_j g_ij S_ij (y_i − y_j), in the type of the points.
    curvature : ndarray of shape (n,)
        Σ_j g_ij S_ij.
    cross : float
        −Σ_{i≠j} g_ij log q_ij over both orders of each pair, q = (1 + ατ)^(−1/α) or exp(−τ).
    """

    force: Any
    curvature: Any
    cross: float


class MarginTerms(NamedTuple):
    """Large-margin terms of Mbed.

    Attributes
    ----------
    cost : float
        −u(A + B) + D with u the margin weight, in nats.
    gradient : ndarray of shape (d, n)
        Of the cost, in the type of the points.
    membership : ndarray of shape (n, K), float64
        m_ik; rows sum to one.
    margin, balance, labels : float
        A, B and D.
    """

    cost: float
    gradient: Any
    membership: Any
    margin: float
    balance: float
    labels: float


class ParametricTerms(NamedTuple):
    """Objects, and the sums over them.

    Attributes
    ----------
    objects : ndarray of shape (n, d)
        Where they are now, in the type they came in.
    cost : float
        Σ_n f_n, in nats.
    gradient : ndarray of shape (n, d)
        ∂f_n/∂r_n, in the type of the objects.
    curvature : ndarray of shape (n,), float64
        tr Cov_{q_n}(φ) + 2η, which no eigenvalue of the Hessian exceeds.
    class_gradient : ndarray of shape (K, d), float64
        Σ_n ∂f_n/∂φ_k.
    class_curvature : ndarray of shape (K,), float64
        Σ_n q_nk (1 − q_nk) ‖r_n − φ_k‖² + |Σ_n (p_nk − q_nk)|, which no eigenvalue of ∂²/∂φ_k²
        exceeds.
    unsolved : int
        Objects that Newton's method gave up on (η next to nothing); none where it was not asked to.
    """

    objects: Any
    cost: float
    gradient: Any
    curvature: Any
    class_gradient: Any
    class_curvature: Any
    unsolved: int


class Calibration(NamedTuple):
    """Rows of neighbor probabilities.

    Attributes
    ----------
    P : ndarray of shape (n, m)
        Each row sums to one.
    beta : ndarray of float64, shape (n,)
        p_j ∝ exp(−β d_j²); positive and finite.
    tied : ndarray of int64, shape (n,)
        How many points tie for nearest.
    """

    P: NDArray[Any]
    beta: NDArray[np.float64]
    tied: NDArray[np.int64]


class Shortlist(NamedTuple):
    """The smallest entries of rows so far.

    Attributes
    ----------
    values, columns : ndarray of shape (n, room), float32 and int32
        Entries and their columns; the first ``counts[i]`` of a row are in use.
    counts : ndarray of int64, shape (n,)
    bounds : ndarray of float32, shape (n,)
        Every entry that was dropped is at least as large; ∞ where none was.
    k : int
        Number of smallest entries that are wanted.
    """

    values: NDArray[np.float32]
    columns: NDArray[np.int32]
    counts: NDArray[np.int64]
    bounds: NDArray[np.float32]
    k: int


class Loops(NamedTuple):
    """Loops for one similarity and its score."""

    values: Any
    dense: Any
    repulsion: Any
    attraction: Any
    groups: Any
    terms: Any
