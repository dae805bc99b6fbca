"""Cross-validation of the number of Gaussians, their width and the number of iterations.

As in "Supervised nonlinear dimensionality reduction by neighbor retrieval", section 3, the number
of Gaussians and their width maximize the likelihood of held-out labels; no embedding is computed.
The held-out likelihood is recorded along each fit and selects the number of iterations too (early
stopping): run to the end, most mixtures become certain, the metric vanishes on plateaus, and the
held-out likelihood is far below its maximum.

Where classes are well separated, many candidates are nearly certain and their likelihoods nearly
equal. Among candidates within :data:`TIED` of the best the simplest is chosen: the fewest
Gaussians, of these the widest, and the fewest iterations.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.threads import run_chunks
from nbembed.learning_metric.mixture import Start, descend, loss, start
from nbembed.system.work import stage, warn

#: Gaussians tried, as multiples of the number of classes.
MULTIPLES = (1, 2, 4, 8)
#: Labeled points to a Gaussian, at least, where there are more Gaussians than classes.
POINTS_EACH = 10
#: Widths tried, as shares of the root mean squared distance of points to the mean of their class.
SHARES = (0.15, 0.25, 0.4, 0.65, 1.0)
#: A fit whose held-out likelihood has not risen for so many iterations is over.
PATIENCE = 10
#: Candidates whose held-out log-likelihoods differ by less, in nats a point, are equally good.
TIED = 0.01
#: Of more labeled points a stratified sample takes part in the choice.
POINTS = 3000
#: Iterations where nothing can be held out.
BLIND_ITERATIONS = 10


@dataclass(frozen=True)
class Choice:
    """The chosen candidate and the scores of all.

    * results: one entry a candidate: "n_centroids", "width", "n_iter" (the best for it),
      "mean_test_score" and "std_test_score" (over folds; log-likelihood of a held-out point, in
      nats).
    """

    n_centroids: int
    width: float
    n_iter: int
    results: dict[str, NDArray[Any]] = field(default_factory=dict)


def spread_of(X: NDArray[np.float64], T: NDArray[np.float64]) -> float:
    """Return the root mean squared distance of points to the mean of their class.

    Where classes have no spread, as when each has one point, it is that of all points. Raises
    ValueError if all points coincide.
    """
    top = T.argmax(axis=1)
    means = np.zeros((T.shape[1], X.shape[1]))
    np.add.at(means, top, X)
    means /= np.maximum(np.bincount(top, minlength=T.shape[1]), 1)[:, None]
    for center in (means[top], X.mean(axis=0)):
        spread = float(np.sqrt(np.mean(np.sum(np.square(X - center), axis=1))))
        if spread > 1e-12 * float(np.abs(X).max(initial=0.0)):
            return spread
    raise ValueError("X must have distinct labeled points, but all of them coincide")


def numbers_to_try(n_classes: int, n_points: int) -> list[int]:
    """Return numbers of Gaussians: as many as classes, and multiples that have enough points."""
    most = n_points // POINTS_EACH
    return [k * n_classes for k in MULTIPLES if k == 1 or k * n_classes <= most]


def folds_of(top: NDArray[np.intp], n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the fold of each point, dealt out class by class; −1 for those never held out.

    The only point of a class stays with those that are learned from.
    """
    fold = np.full(top.size, -1)
    dealt = 0
    for c in np.unique(top):
        members = rng.permutation(np.flatnonzero(top == c))
        if members.size > 1:
            fold[members] = (dealt + np.arange(members.size)) % n_folds
            dealt += members.size
    return fold


def choose(
    X: NDArray[np.float64],
    T: NDArray[np.float64],
    n_centroids: list[int],
    widths: list[float],
    n_folds: int,
    max_iter: int,
    rng: np.random.Generator,
    n_threads: int,
    verbose: bool = False,
) -> Choice:
    """Return the candidate with the largest likelihood of held-out labels.

    * Shapes: T (n, n_classes).
    * X (n, n_features): labeled points, centered.
    * n_threads: fits that run at the same time; the result does not depend on it.

    Warns if nothing can be held out, because no class has two points: what is then used.

    Raises ValueError if no candidate gives a finite likelihood.
    """
    if len(X) > POINTS:
        keep = _sample(T.argmax(axis=1), POINTS, rng)
        X, T = X[keep], T[keep]
    top = T.argmax(axis=1)
    fold = folds_of(top, min(n_folds, int(np.bincount(top).max())), rng)
    n_folds = int(fold.max()) + 1
    if n_folds < 2:
        chosen = Choice(n_centroids[0], widths[len(widths) // 2], min(BLIND_ITERATIONS, max_iter))
        warn(
            "no class has two labeled points, so n_centroids and width cannot be "
            f"cross-validated; {chosen.n_centroids} Gaussians of width {chosen.width:.4g} are "
            "used",
            stacklevel=3,
        )
        return chosen
    search = _Search(X, T, fold, n_centroids, widths, max_iter, rng, n_threads)
    with _Bar(n_folds * len(n_centroids) * len(widths), verbose) as bar:
        search.run(bar)
    return search.best()


class _Search:
    """Scores of candidates, gathered from few Gaussians to many."""

    def __init__(
        self,
        X: NDArray[np.float64],
        T: NDArray[np.float64],
        fold: NDArray[np.intp],
        n_centroids: list[int],
        widths: list[float],
        max_iter: int,
        rng: np.random.Generator,
        n_threads: int,
    ) -> None:
        self._n_centroids, self._widths, self._max_iter = n_centroids, widths, max_iter
        self._n_threads = n_threads
        self._trials = [
            [
                _Trial(X[fold != f], T[fold != f], X[fold == f], T[fold == f], K, own)
                for f, own in enumerate(rng.spawn(int(fold.max()) + 1))
            ]
            for K in n_centroids
        ]
        #: Mean and deviation over folds, after each iteration, of each candidate that was tried.
        self._scores: dict[tuple[int, int], tuple[NDArray[Any], NDArray[Any]]] = {}

    def run(self, bar: _Bar) -> None:
        """Try all widths with the fewest Gaussians; with more, those next to the best so far.

        More Gaussians are tried for as long as they help.
        """
        near = list(range(len(self._widths)))
        best = -np.inf
        for i in range(len(self._n_centroids)):
            self._try(i, near, bar)
            tops = {j: float(self._scores[i, j][0].max()) for j in near}
            j = max(tops, key=lambda j: tops[j])
            if not tops[j] > best:
                break
            best = tops[j]
            near = [k for k in (j - 1, j, j + 1) if 0 <= k < len(self._widths)]

    def _try(self, i: int, near: list[int], bar: _Bar) -> None:
        trials = self._trials[i]
        curves = np.empty((len(near), len(trials), self._max_iter + 1))
        fitting = stage("fitting mixtures", curves.shape[0] * curves.shape[1])

        def score(job: int) -> None:
            j, f = divmod(job, len(trials))
            curves[j, f] = trials[f].scores(self._widths[near[j]], self._max_iter)
            bar.count()
            fitting.advance(1)

        run_chunks(score, curves.shape[0] * curves.shape[1], self._n_threads)
        for j, curve in zip(near, curves):
            with np.errstate(invalid="ignore"):
                self._scores[i, j] = curve.mean(axis=0), curve.std(axis=0)

    def best(self) -> Choice:
        """Return the plainest of the best candidates and the table of all.

        Raises ValueError if none gives a finite likelihood.
        """
        tried = sorted(self._scores)
        steps = [int(self._scores[at][0].argmax()) for at in tried]
        mean, std = (
            np.array([self._scores[at][part][k] for at, k in zip(tried, steps)]) for part in (0, 1)
        )
        results = {
            "n_centroids": np.array([self._n_centroids[i] for i, _ in tried]),
            "width": np.array([self._widths[j] for _, j in tried]),
            "n_iter": np.array(steps),
            "mean_test_score": mean,
            "std_test_score": std,
        }
        top = int(mean.argmax())
        if not np.isfinite(mean[top]):
            raise ValueError(
                "n_centroids and width cannot be cross-validated: no candidate gives the "
                "held-out labels a finite likelihood; rescale X, or give both"
            )
        enough = mean[top] - TIED
        i, j = min(
            (at for at, score in zip(tried, mean) if score >= enough),
            key=lambda at: (self._n_centroids[at[0]], -self._widths[at[1]]),
        )
        first = int((self._scores[i, j][0] >= enough).argmax())
        return Choice(self._n_centroids[i], float(self._widths[j]), first, results)


class _Trial:
    """One fold and one number of Gaussians; the start is shared by all widths."""

    def __init__(
        self,
        X: NDArray[np.float64],
        T: NDArray[np.float64],
        X_out: NDArray[np.float64],
        T_out: NDArray[np.float64],
        n_centroids: int,
        rng: np.random.Generator,
    ) -> None:
        self._X, self._T, self._X_out, self._T_out = X, T, X_out, T_out
        self._n_centroids, self._rng = min(n_centroids, len(X)), rng
        self._lock = threading.Lock()
        self._start: Start | None = None

    def _begin(self) -> Start:
        with self._lock:
            if self._start is None:
                self._start = start(self._X, self._T, self._n_centroids, self._rng)
            return self._start

    def scores(self, width: float, max_iter: int) -> NDArray[np.float64]:
        """Return the held-out log-likelihood of a point after 0, 1, …, max_iter iterations."""
        begin, scaled = self._begin(), self._X_out / width
        found: list[float] = []

        def watch(theta: NDArray[np.float64]) -> bool:
            found.append(-loss(theta, scaled, self._T_out, len(begin.centroids))[0])
            return len(found) - 1 - int(np.argmax(found)) >= PATIENCE

        descend(self._X, self._T, begin, width, max_iter, watch)
        curve = np.asarray(found)
        curve[~np.isfinite(curve)] = -np.inf
        # The fold was stopped while its likelihood fell: later values count as its last one.
        return np.concatenate([curve, np.full(max_iter + 1 - curve.size, curve[-1])])


def _sample(top: NDArray[np.intp], size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return about ``size`` points, of each class its share and two at least where it has two."""
    parts = []
    for c in np.unique(top):
        members = rng.permutation(np.flatnonzero(top == c))
        parts.append(members[: max(2, round(size * members.size / top.size))])
    return np.sort(np.concatenate(parts))


class _Bar:
    """A tqdm bar that several threads may count on; without ``shown`` nothing is imported."""

    def __init__(self, total: int, shown: bool) -> None:
        self._lock = threading.Lock()
        self._bar: Any = None
        if shown:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, desc="LearningMetric", unit="fit")

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def count(self) -> None:
        if self._bar is not None:
            with self._lock:
                self._bar.update(1)
