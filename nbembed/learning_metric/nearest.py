"""Nearest neighbors in a learning metric without the lengths of all paths.

Twice the Kullback–Leibler divergence of nearby class probabilities is the metric of the sphere on
which ``2√p`` lies (Rao's distance), so no path from x_i to x_j is shorter than the great circle
between the class probabilities at its ends, nor than the chord below it:

    length(i, j) ≥ 2 arccos Σ_c √(p_ic p_jc) ≥ 2 ‖√p_i − √p_j‖

The chord is a Euclidean distance in as many dimensions as there are classes, of which the usual
search finds the nearest points. The candidates of a point are taken in the order of their chords,
until the next chord is longer than the k-th path: no other point can be nearer. On Letter that is
the case within a few times k candidates, where every other search would compute a length to every
other point. All of this is ours.

A length that is computed in few pieces falls below its bound where the class probabilities change
within one of them. So a chord excludes points only if it is longer by :data:`MARGIN`. A point that
a larger error makes near may be left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.threads import run_chunks
from nbembed.neighbors import find_neighbors, k_smallest

#: Candidates of a point at first, in multiples of k; twice as many each time they do not suffice.
CANDIDATES = 3
#: Where the candidates are more than this share of the points, all paths are computed.
SHARE = 0.25
#: A chord excludes a point if it is longer by this share, and by rounding, than the k-th path.
MARGIN, ROUNDING = 0.05, 1e-15
#: Candidates that are held at a time, 256 MiB of them, and points in one chunk of a thread.
HELD, CHUNK = 2**24, 64


def nearest_by_length(
    lengths: Callable[[int, NDArray[np.intp] | None], NDArray[Any]],
    roots: NDArray[np.float64],
    k: int,
    others: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the k nearest neighbors of each point and the lengths of the paths to them.

    * Shapes: returns distances (n, k) float64.
    * lengths: takes a point and the other points, or None for all of them, and returns the lengths
      of the paths between them. It is called by several threads at once.
    * roots (n, C): √p(c|x) of the points.
    * k: at most the number of other points.
    * others (m, C): √p(c|x) of the points among which neighbors are searched; by default the other
      points.
    * returns index (n, k): nearest first; of equally near points the one of lower index.
    """
    n = len(roots)
    among = roots if others is None else others
    index, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    left = np.arange(n)
    count = CANDIDATES * k + 1
    while left.size:
        all_paths = count > SHARE * len(among)
        again = []
        block = max(1, HELD // count)
        for first in range(0, left.size, block):
            rows = left[first : first + block]
            candidates, chords = None, None
            if not all_paths:
                by_chord = find_neighbors(roots[rows], count, others=among, n_jobs=n_threads)
                candidates, chords = by_chord.indices, by_chord.distances
                candidates.sort(axis=1)  # so that ties go to the lower index
            enough = np.ones(rows.size, dtype=bool)

            def search(chunk: int) -> None:
                for r in range(chunk * CHUNK, min((chunk + 1) * CHUNK, rows.size)):  # noqa: B023
                    i = int(rows[r])  # noqa: B023
                    near = None if candidates is None else candidates[r]  # noqa: B023
                    found = np.array(lengths(i, near), dtype=np.float64)
                    if others is None:
                        found[i if near is None else near == i] = np.inf
                    nearest = k_smallest(found[None], k)[0]
                    index[i] = nearest if near is None else near[nearest]
                    distances[i] = found[nearest]
                    if chords is not None:  # noqa: B023
                        bound = 2 * chords[r, -1] - ROUNDING  # noqa: B023
                        enough[r] = bound >= (1 + MARGIN) * distances[i, -1]  # noqa: B023

            run_chunks(search, -(-rows.size // CHUNK), n_threads)
            again.append(rows[~enough])
        left, count = np.concatenate(again), 2 * count
    return index, distances
