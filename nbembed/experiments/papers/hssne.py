"""The experiments of "Heavy-Tailed Symmetric Stochastic Neighbor Embedding" (NIPS 2009).

Section 6.1 (Figure 2): unsupervised, α = 1, a fixed-point iteration and gradient descent with
momentum from the same start, and Laplacian eigenmaps. Section 6.2 (Figure 3): vehicle with known
intra-class pairs, ρ = 0.5. The paper says that 10 % of these pairs are known, but its numbers fit
1 % (891 of 89 156), with features scaled to [−1, 1] as in its source: at 1 % the cost of the
unsupervised map with respect to P̃ is near the paper's 3.24, at 10 % it is far lower.
That 1 % was meant is our inference.

Each published figure is of one map, and no spread is stated. So a mean over our starts is accepted
if it is not worse than the published figure by more than chance
(:mod:`~nbembed.experiments.papers.ranges` says how much that is); a higher homogeneity or a lower
cost is not held against a map. The exception is the cost of Laplacian eigenmaps: their coordinates
are so small that it is the divergence of P from equal probabilities, the same for any such map. It
is judged on both sides, because it says whether P is the paper's: perplexity 30, iris as it is,
wine standardized.

The paper does not say when it stops; our costs after a thousand iterations are below its own.
Speed is compared by the iterations that both take from the common start to within a twentieth of
the lower end.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from nbembed.datasets import load_vehicle, read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.ranges import least_above, margin_of_one
from nbembed.experiments.papers.umap_maps import has_umap, umap_map
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.measures import homogeneity
from nbembed.methods import HSSNE, Geometry
from nbembed.methods.initialization import best_scale
from nbembed.optimizers import FixedPoint
from nbembed.run import Run
from nbembed.supervision import Supervision

PERPLEXITY = 30
#: Starts of the unsupervised maps; draws of known pairs, each with its start.
SEEDS, DRAWS = range(10), range(5)
#: Of the common start, and the standard deviations of the layout before it and after it.
EARLY_ITERATIONS, SMALL, COMPRESSED = 50, 1e-4, 1e-2
#: Initial layout, optimizer and form of links of the paper.
#: The fixed point creeps: its rest is that of the last digits.
PAPER: dict[str, Any] = {
    "init": "random",
    "optimizer": "fixed-point",
    "link_form": "uniform",
    "compactness": 0.0,
    "tol": 2e-7,
}
#: Number of known intra-class pairs of vehicle.
KNOWN_PAIRS = 891
#: Iterations after the common start.
ITERATIONS = 1000
#: A cost is near the end below this multiple of it.
NEAR = 1.05
#: Gradient t-SNE, as its authors set it: learning rate, momentum before and after the switch, and
#: the smallest gain.
RATE, EARLY, LATE, SWITCH, LEAST_GAIN = 100.0, 0.5, 0.8, 250, 0.01


class Column(NamedTuple):
    """Figure 2's numbers of a data set: homogeneity and cost of each of three maps."""

    title: str
    eigenmap: tuple[float, float]
    gradient: tuple[float, float]
    fixed_point: tuple[float, float]


COLUMNS = (
    Column("iris", (0.47, 1.52), (0.96, 0.15), (0.95, 0.16)),
    Column("wine, standardized", (0.38, 1.67), (0.96, 0.36), (0.97, 0.37)),
    Column("segmentation, standardized", (0.42, 1.86), (0.86, 0.24), (0.83, 0.24)),
)


def standardized(X: NDArray[Any]) -> NDArray[Any]:
    """Return columns with zero mean and unit variance; constant columns become zero."""
    std = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(std > 0, std, 1.0))


def to_unit_range(X: NDArray[Any]) -> NDArray[Any]:
    """Return columns scaled to [−1, 1]; constant columns become −1."""
    low, high = X.min(axis=0), X.max(axis=0)
    return np.asarray(2 * (X - low) / np.where(high > low, high - low, 1.0) - 1)


def sets(data: Path | None) -> list[tuple[Column, NDArray[Any], NDArray[Any]]]:
    """Return each data set's numbers in Figure 2, its points and its classes."""
    iris, wine = load_iris(return_X_y=True), load_wine(return_X_y=True)
    segment = read(data, "segment")
    return [
        (COLUMNS[0], iris[0], iris[1]),
        (COLUMNS[1], standardized(wine[0]), wine[1]),
        (COLUMNS[2], standardized(segment.X[:210]), segment.y[:210]),
    ]


def _unsupervised(data: Path | None) -> Iterator[Figure]:
    for column, X, y in sets(data):
        yield from _of_column(column, X, y)


def _of_column(column: Column, X: NDArray[Any], y: NDArray[Any]) -> Iterator[Figure]:
    title = column.title
    recipe = HSSNE(perplexity=PERPLEXITY, **PAPER).recipe
    affinities = recipe.make_affinities(X)
    objective = recipe.make_objective(affinities, Supervision(len(X)), Geometry())
    P = np.asarray(affinities.P, dtype=np.float64)
    scattered = np.random.default_rng(0).standard_normal((len(X), 2))
    shapes = {"random": scattered, "PCA": PCA(2).fit_transform(X)}
    simple = {name: homogeneity(Y, y) for name, Y in shapes.items()} | _umap(X, y)
    simple_costs = _least_costs(objective, shapes)
    yield from _eigenmap(column, P, objective, y, shapes)

    starts = [common_start(objective, seed) for seed in SEEDS]
    descents = {
        "gradient": [gradient_descent(objective, Y) for Y in starts],
        "fixed point": [fixed_point(objective, Y) for Y in starts],
    }
    published = (("gradient", column.gradient), ("fixed point", column.fixed_point))
    for name, (printed, printed_cost) in published:
        found = descents[name]
        kept = [homogeneity(descent.Y, y) for descent in found]
        yield Figure(
            f"{title}, {name}: homogeneity",
            f"{printed:.2f}",
            float(np.mean(kept)),
            low=printed - _margin(kept, len(y)),
            spread=float(np.std(kept, ddof=1)),
            others=simple,
        )
        costs = [descent.costs[-1] for descent in found]
        yield Figure(
            f"{title}, {name}: cost",
            f"{printed_cost:.2f}",
            float(np.mean(costs)),
            high=printed_cost + margin_of_one(costs, 2),
            spread=float(np.std(costs, ddof=1)),
            others=simple_costs,
        )
    # Judged by iterations, which cost the same here: no clock decides. Both go on for so long that
    # they end below the paper's costs; near is within a twentieth of the lower end.
    near: dict[str, list[tuple[float, float]]] = {name: [] for name in descents}
    for pair in zip(*descents.values()):
        target = NEAR * min(descent.costs[-1] for descent in pair)
        for name, descent in zip(descents, pair):
            near[name].append(descent.passes(target))
    for name, reached in near.items():
        iterations, seconds = np.median(reached, axis=0)
        yield Figure(f"{title}, {name}: iterations", "", float(iterations), digits=0)
        yield Figure(f"{title}, {name}: milliseconds", "", 1000 * float(seconds), digits=0)
    ratios = [f[0] / g[0] for f, g in zip(near["fixed point"], near["gradient"])]
    yield Figure(
        f"{title}: iterations, fixed point / gradient",
        "< 1",
        float(np.median(ratios)),
        high=-least_above(-1.0, 2),
        digits=2,
    )
    # One map against one map, with the spread of the method that prints the better figure.
    default = HSSNE(perplexity=PERPLEXITY, random_state=0).fit(X)
    name, best = min(published, key=lambda one: one[1][1])
    margin = margin_of_one([descent.costs[-1] for descent in descents[name]], 2)
    yield Figure(
        f"{title}, default optimizer: cost",
        f"{best[1]:.2f}",
        default.cost_,
        high=best[1] + margin,
        others=simple_costs,
    )
    name, best = max(published, key=lambda one: one[1][0])
    margin = _margin([homogeneity(descent.Y, y) for descent in descents[name]], len(y))
    yield Figure(
        f"{title}, default optimizer: homogeneity",
        f"{best[0]:.2f}",
        float(homogeneity(default.embedding_, y)),
        low=best[0] - margin,
        others=simple,
    )


def _umap(X: NDArray[Any], y: NDArray[Any]) -> dict[str, float]:
    """Return the homogeneity of UMAP's map by its name; nothing if it is not installed."""
    return {"UMAP": float(homogeneity(umap_map(X), y))} if has_umap() else {}


def _least_costs(objective: Any, shapes: Mapping[str, NDArray[Any]]) -> dict[str, float]:
    """Return the cost of each layout, enlarged or shrunk to where it is least."""
    found = {}
    for name, Y in shapes.items():
        scale = best_scale(lambda Z: float(objective.cost(np.asarray(Z))), Y)
        found[name] = float(objective.cost(scale * Y))
    return found


def _mean_costs(objectives: Sequence[Any], shapes: Mapping[str, NDArray[Any]]) -> dict[str, float]:
    found = [_least_costs(objective, shapes) for objective in objectives]
    return {name: float(np.mean([costs[name] for costs in found])) for name in shapes}


def _margin(values: list[float], n: int) -> float:
    """Return the margin of a share of n points: that of one map, and a point."""
    return margin_of_one(values, 2) + 1 / n


def _eigenmap(
    column: Column,
    P: NDArray[np.float64],
    objective: Any,
    y: NDArray[Any],
    shapes: Mapping[str, NDArray[Any]],
) -> Iterator[Figure]:
    """Yield the figures of Laplacian eigenmaps of the graph P."""
    degrees = P.sum(axis=1)
    _, vectors = eigh(np.diag(degrees) - P, np.diag(degrees), subset_by_index=(1, 2))
    Y = vectors / abs(vectors).max()
    published, published_cost = column.eigenmap
    margin = 0.005 + 1 / len(y)  # half of the last printed digit, and a point
    yield Figure(
        f"{column.title}, Laplacian eigenmap: homogeneity",
        f"{published:.2f}",
        float(homogeneity(Y, y)),
        published - margin,
        published + margin,
        others={name: homogeneity(shape, y) for name, shape in shapes.items()},
    )
    # The limit of small coordinates; the paper's are below 0.05, which takes away 0.005 at most.
    yield Figure(
        f"{column.title}, Laplacian eigenmap: cost",
        f"{published_cost:.2f}",
        float(objective.cost(1e-4 * Y)),
        published_cost - 0.01,
        published_cost + 0.01,
        others={
            name: float(objective.cost(1e-4 * shape / abs(shape).max()))
            for name, shape in shapes.items()
        },
    )


class Descent(NamedTuple):
    """A map, and the cost before each iteration and the seconds until then."""

    Y: NDArray[np.float64]
    costs: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def passes(self, cost: float) -> tuple[float, float]:
        """Return the iteration, from 1, and the seconds until a cost; all and one if never."""
        below = np.flatnonzero(self.costs <= cost)
        reached = below[0] if below.size else len(self.costs)
        return 1.0 + reached, float(self.seconds[min(reached, len(self.seconds) - 1)])


def common_start(objective: Any, seed: int) -> NDArray[np.float64]:
    """Return the common start: fifty iterations of gradient descent from a small random layout.

    The paper compresses the layout meanwhile, by a penalty on large coordinates whose weight it
    does not state; its curves begin at the cost of a tiny map. Here the layout is shrunk after it.
    """
    rng = np.random.default_rng(seed)
    Y = SMALL * rng.standard_normal((objective.n_samples, 2))
    Y = gradient_descent(objective, Y, EARLY_ITERATIONS).Y
    return np.asarray(COMPRESSED * (Y - Y.mean(axis=0)) / Y.std())


def gradient_descent(
    objective: Any,
    Y: NDArray[np.float64],
    iterations: int = ITERATIONS,
    *,
    rate: float = RATE,
    gains: bool = True,
) -> Descent:
    """Minimize as gradient t-SNE does: momentum, and a gain for each coordinate.

    Without ``gains`` it is equation (4) as printed.
    """
    velocity, gain = np.zeros_like(Y), np.ones_like(Y)
    costs, seconds = [], []
    began = time.perf_counter()
    for iteration in range(iterations):
        cost, gradient = objective.cost_and_gradient(Y)
        costs.append(cost)
        seconds.append(time.perf_counter() - began)
        if gains:
            agree = np.sign(gradient) == np.sign(velocity)
            gain = np.maximum(np.where(agree, 0.8 * gain, gain + 0.2), LEAST_GAIN)
        velocity = (EARLY if iteration < SWITCH else LATE) * velocity - rate * gain * gradient
        Y = Y + velocity
    return Descent(Y, np.array(costs), np.array(seconds))


def fixed_point(objective: Any, Y: NDArray[np.float64]) -> Descent:
    """Minimize by the fixed-point iteration."""
    run = Run(objective, FixedPoint(), Y, tol=0.0, cost_every=1)
    costs, seconds = [float(objective.cost(Y))], [0.0]
    began = time.perf_counter()
    for _ in range(ITERATIONS):
        run.step()
        seconds.append(time.perf_counter() - began)
        costs.append(run.trace[-1].cost)
    return Descent(np.asarray(run.embedding, np.float64), np.array(costs), np.array(seconds))


def known_pairs(y: NDArray[Any], count: int, rng: np.random.Generator) -> Supervision:
    """Return must-links on ``count`` random pairs of points of the same class."""
    i, j = np.triu_indices(y.size, 1)
    same = np.flatnonzero(y[i] == y[j])
    supervision = Supervision(y.size)
    for pair in rng.choice(same, count, replace=False):
        supervision = supervision.must_link([int(i[pair]), int(j[pair])])
    return supervision


def _vehicle(data: Path | None) -> Iterator[Figure]:
    vehicle = load_vehicle()
    X, y = to_unit_range(vehicle.X), vehicle.y
    links = [known_pairs(y, KNOWN_PAIRS, np.random.default_rng(seed)) for seed in DRAWS]
    recipe = HSSNE(perplexity=PERPLEXITY, **PAPER).recipe
    affinities = recipe.make_affinities(X)
    objectives = [recipe.make_objective(affinities, known, Geometry()) for known in links]
    nothing = recipe.make_objective(affinities, Supervision(y.size), Geometry())
    plain = [gradient_descent(nothing, common_start(nothing, seed)).Y for seed in DRAWS]
    scattered = np.random.default_rng(0).standard_normal((y.size, 2))
    shapes = {"random": scattered, "PCA": PCA(2).fit_transform(X)}
    simple = {name: homogeneity(Y, y) for name, Y in shapes.items()} | _umap(X, y)
    yield _homogeneity("unsupervised gradient t-SNE", 0.69, plain, y, simple)
    simple["t-SNE"] = float(np.mean([homogeneity(Y, y) for Y in plain]))
    against = [float(objective.cost(Y)) for objective, Y in zip(objectives, plain)]
    # Judged on both sides: it says how many pairs are known, and little else.
    margin = margin_of_one(against, 2)
    yield Figure(
        "unsupervised gradient t-SNE: cost against P̃",
        "3.24",
        float(np.mean(against)),
        3.24 - margin,
        3.24 + margin,
        spread=float(np.std(against, ddof=1)),
        others=_mean_costs(objectives, shapes),
    )
    taught = [
        gradient_descent(objective, common_start(objective, seed))
        for objective, seed in zip(objectives, DRAWS)
    ]
    yield _homogeneity("gradient t-SNE with pairs", 0.92, [d.Y for d in taught], y, simple)
    simple_costs = _mean_costs(objectives, shapes) | {"t-SNE": float(np.mean(against))}
    yield _cost("gradient t-SNE with pairs", 2.58, [d.costs[-1] for d in taught], simple_costs)
    for alpha, published, published_cost in (
        (0.0, 0.79, 2.78),
        (0.5, 0.87, 2.71),
        (1.0, 0.94, 2.60),
        (1.5, 0.96, 2.61),
    ):
        maps, ends = zip(*in_order(with_pairs, (X, alpha), list(zip(DRAWS, links))))
        tailed = recipe.replace(alpha=alpha)
        tasks = [tailed.make_objective(affinities, known, Geometry()) for known in links]
        simple_costs = _mean_costs(tasks, shapes | {"t-SNE": plain[0]})
        yield _homogeneity(f"α = {alpha:g}", published, list(maps), y, simple)
        yield _cost(f"α = {alpha:g}", published_cost, list(ends), simple_costs)


def with_pairs(
    shared: tuple[NDArray[Any], float], draw: tuple[int, Supervision]
) -> tuple[NDArray[Any], float]:
    """Return the map of a draw of known pairs, and its cost."""
    X, alpha = shared
    seed, known = draw
    model = HSSNE(alpha=alpha, rho=0.5, perplexity=PERPLEXITY, random_state=seed, **PAPER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, supervision=known)
    return model.embedding_, model.cost_


def _homogeneity(
    title: str,
    published: float,
    maps: list[NDArray[Any]],
    y: NDArray[Any],
    simple: Mapping[str, float],
) -> Figure:
    values = [homogeneity(Y, y) for Y in maps]
    return Figure(
        f"{title}: homogeneity",
        f"{published:.2f}",
        float(np.mean(values)),
        low=published - _margin(values, len(y)),
        spread=float(np.std(values, ddof=1)),
        others=dict(simple),
    )


def _cost(title: str, published: float, costs: list[float], simple: Mapping[str, float]) -> Figure:
    return Figure(
        f"{title}: cost",
        f"{published:.2f}",
        float(np.mean(costs)),
        high=published + margin_of_one(costs, 2),
        spread=float(np.std(costs, ddof=1)),
        others=dict(simple),
    )


EXPERIMENTS = (
    Experiment(
        "hssne-unsupervised",
        "iris, wine and image segmentation: three maps of each, ten starts (about 20 s)",
        ("segment",),
        True,
        _unsupervised,
    ),
    Experiment(
        "hssne-vehicle",
        "vehicle with 891 intra-class pairs known, ρ = 0.5, five draws (about 60 s)",
        (),
        True,
        _vehicle,
    ),
)
