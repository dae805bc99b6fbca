"""Kernel principal components of many points by the Nyström approximation.

    K ≈ K_nm K_mm⁻¹ K_mn,   K_mm = U Λ Uᵀ

over m of the n points, the landmarks ("Using the Nyström method to speed up kernel machines",
Williams and Seeger, 2001). ``ψ(x) = Λ^(−1/2) Uᵀ k(x, landmarks)`` reproduces the approximated
kernel, so its principal components over all points are those of kernel PCA on it:

    φ(x) = Vᵀ (ψ(x) − mean_i ψ(x_i)),   V the eigenvectors of the scatter of ψ

It takes any kernel; with all points as landmarks it is exact. O(n m) memory and O(n m² + m³) time,
where all pairs take O(n²) and O(n³).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from nbembed.spectral.subspace import Subspace

#: Up to so many points all of them are landmarks, unless their number is given.
EXACT = 2000
#: Landmarks of more points.
LANDMARKS = 1000
#: Entries of the kernel that are computed at a time: 32 MiB.
ENTRIES = 2**22
#: An eigenvalue is certain if it is this many times its rounding error.
CERTAIN = 1e4


def choose_landmarks(n: int, count: int | None = None) -> NDArray[np.intp] | None:
    """Return landmarks among n points, drawn the same every time; None if all of them are.

    By default all points up to :data:`EXACT`, and :data:`LANDMARKS` of more.
    """
    if count is None:
        count = n if n <= EXACT else LANDMARKS
    if count >= n:
        return None
    return np.sort(np.random.default_rng(0).choice(n, count, replace=False)).astype(np.intp)


def nystrom_coordinates(
    kernel: Callable[[Any], NDArray[np.float64]],
    n: int,
    landmarks: NDArray[np.intp],
    n_pca: int | None = None,
) -> tuple[Subspace, NDArray[np.float64], NDArray[np.float64]]:
    """Return the points in kernel principal components.

    * Shapes: landmarks (m,) int; returns mean (m,).
    * kernel: takes a slice or indices of points and returns their kernel with each landmark.
    * n_pca: keep this many leading components at most.
    * returns coefficients (m, r): ``(k(x, landmarks) − mean) coefficients`` are the coordinates of
      x.

    Raises ValueError if the kernel is not symmetric.
    """
    K = symmetric_kernel(kernel(landmarks))
    values, U = eigh(K)
    kept = values > CERTAIN * rounding(K, values)
    whiten = U[:, kept] / np.sqrt(values[kept])
    psi = np.empty((n, whiten.shape[1]))
    mean = np.zeros(landmarks.size)
    rows = max(1, ENTRIES // landmarks.size)
    for first in range(0, n, rows):
        here = slice(first, min(first + rows, n))
        block = kernel(here)
        mean += block.sum(axis=0)
        np.matmul(block, whiten, out=psi[here])
    mean /= n
    psi -= psi.mean(axis=0)
    scatter = psi.T @ psi
    values, V = eigh(scatter) if len(scatter) else (np.empty(0), scatter)
    kept = values > CERTAIN * rounding(scatter, values)
    V = V[:, kept][:, ::-1][:, :n_pca]
    return Subspace(psi @ V, np.zeros(V.shape[1]), None), whiten @ V, mean


def symmetric_kernel(K: NDArray[Any]) -> NDArray[np.float64]:
    """Return a kernel's symmetric part; raise ValueError unless it is symmetric up to rounding."""
    gap = float(np.abs(K - K.T).max(initial=0))
    if gap > 1e-5 * float(np.abs(K).max(initial=0)):
        raise ValueError(f"kernel must be symmetric, but k(a, b) − k(b, a) is up to {gap:.3g}")
    return np.asarray((K + K.T) / 2)


def rounding(M: NDArray[Any], eigenvalues: NDArray[Any]) -> float:
    """Return the rounding error of the eigenvalues of a matrix, which are ascending."""
    if not len(M):
        return 0.0
    largest = max(float(np.trace(M)) / len(M), float(eigenvalues[-1]))
    return float(len(M) * np.finfo(np.float64).eps * largest)
