"""The experiments of "Supervised nonlinear dimensionality reduction by neighbor retrieval" (2009).

1500 random points of Letter, Landsat satellite and LVQ_PAK's phonemes, with ten folds: the labels
of one fold are hidden, all points are embedded in the plane, and the points of the fold are
classified by their five nearest labeled neighbors (section 3). SNeRV's mixture is chosen by
cross-validation within the other folds, and so are S-Isomap's α and number of neighbors, by the
error of its own map. S-Isomap embeds the labeled points only and places the rest by its regression
network, as its authors do. MUHSIC does so too, by interpolation; its penalty ν, number of neighbors
and number of eigenvectors are chosen in the same way. MRE embeds all points, the fold without its
labels; its neighborhood size is chosen with a part of the other labels hidden.

The paper shows errors only in a figure, and states the p-values of paired t-tests between its two
best methods, with the better of SNeRV's two tradeoffs: whether that difference is significant is
judged in the complete protocol. Of the others its text says that MRE is clearly the worst, and
MUHSIC not better than these two: that is judged, and that SNeRV is clearly better than NeRV where
it is significantly better than S-Isomap. On phonemes the paper has S-Isomap ahead, by no
significant difference: there the sign is not judged. Linear discriminant analysis, and in the
complete protocol UMAP with labels if it is installed, stand beside; the paper has neither. The
paper's phonemes have 13 classes, our file, from the same package, has 20: the 13 largest are taken.
The fourth data set, TIMIT, is licensed and not included. The parameters of S-Isomap, MUHSIC and MRE
are chosen by three of the ten inner folds, in the short protocol by one. Beside each difference
stands what these two, and principal components, t-SNE and a random map, which know no labels, have
in place of the first of the two methods. Without the solver of ``nbembed[sdp]`` a warning says that
MUHSIC is left out.

SNeRV in these experiments has our defaults: one width for all points on the map, and a bound below
the probabilities. Its cost as the paper prints it is in ``snerv-letter-printed``: with the width of
each point, without a bound, on straight and on shortest paths of the same metric, which the paper
finds equally good. The published p-value is that of SNeRV by this cost at the paper's better
tradeoff, and stands beside it alone. NeRV is there by both widths, so that each SNeRV has a NeRV
from which it differs by the metric alone.
"""

from __future__ import annotations

import itertools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier

from nbembed.baselines import MRE, MUHSIC, SIsomap
from nbembed.baselines.semidefinite import load_solver
from nbembed.datasets import load, read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.ranges import least_above
from nbembed.experiments.papers.umap_maps import has_umap, umap_map
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.learning_metric import LearningMetric
from nbembed.measures import paired_t_test
from nbembed.methods import HSSNE, NeRV, SNeRV

POINTS = 1500
FOLDS = 10
NEIGHBORS = 5
#: The grid of S-Isomap's parameters: α and the number of neighbors.
OFFSETS = (0.25, 0.5, 0.75)
GRAPHS = (5, 10, 20)
#: The grids of MUHSIC's ν and number of eigenvectors, beside :data:`GRAPHS`, and of MRE.
PENALTIES = (0.1, 1.0, 10.0)
EIGENVECTORS = (10, 20)
PERPLEXITIES = (10.0, 30.0, 100.0)
#: Classes of the paper's phonemes. Our file has 20: seven have 2 to 78 samples, these 106 to 956.
PHONEMES = 13
#: SNeRV with the cost of the paper, and how it is called.
PRINTED = "as printed"
AS_PRINTED: Mapping[str, Any] = {"map_width": "point", "floor": 0.0}
#: The largest p of a difference that counts as one.
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Protocol:
    """The extent to which the protocol is run.

    * folds: how many of the ten folds are hidden in turn.
    * inner: number of folds for the cross-validation of SNeRV's mixture.
    * splits: number of splits by which the parameters of S-Isomap, MUHSIC and MRE are chosen.
    * tradeoffs: tradeoffs of SNeRV.
    """

    folds: int
    inner: int
    splits: int
    tradeoffs: tuple[float, ...]
    max_iter: int


WHOLE = Protocol(FOLDS, 10, 3, (0.1, 0.3), 1000)
SHORT = Protocol(3, 3, 1, (0.1,), 500)


def sample(X: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return :data:`POINTS` random points."""
    chosen = np.random.default_rng(0).choice(len(X), POINTS, replace=False)
    return np.asarray(X[chosen], dtype=np.float64), y[chosen]


def error(Y: NDArray[Any], y: NDArray[Any], known: NDArray[np.bool_]) -> float:
    """Return the percentage of hidden points that their neighbors on the map misclassify."""
    classifier = KNeighborsClassifier(NEIGHBORS).fit(Y[known], y[known])
    return 100 * float(1 - classifier.score(Y[~known], y[~known]))


#: Returns the error of hidden points from data, classes, which of them are known, and parameters.
Scored = Callable[..., float]


def isomap_error(
    X: NDArray[Any], y: NDArray[Any], known: NDArray[np.bool_], **choice: Any
) -> float:
    """Return S-Isomap's error: it embeds the labeled points and places the others."""
    model = SIsomap(**choice).fit(X[known], y[known])
    return error(model.transform(X), y, known)


def muhsic_error(
    X: NDArray[Any], y: NDArray[Any], known: NDArray[np.bool_], **choice: Any
) -> float:
    """Return MUHSIC's error: it embeds the labeled points and places the others."""
    model = MUHSIC(**choice).fit(X[known], y[known])
    return error(model.transform(X), y, known)


def mre_error(X: NDArray[Any], y: NDArray[Any], known: NDArray[np.bool_], **choice: Any) -> float:
    """Return MRE's error: it embeds all points, with the known labels."""
    model = MRE(random_state=0, **choice).fit(X, np.where(known, y, -1))
    return error(model.embedding_, y, known)


def lda_error(X: NDArray[Any], y: NDArray[Any], known: NDArray[np.bool_]) -> float:
    """Return the error on the two leading axes of linear discriminant analysis."""
    model = LinearDiscriminantAnalysis(n_components=2).fit(X[known], y[known])
    return error(model.transform(X), y, known)


def umap_error(X: NDArray[Any], y: NDArray[Any], known: NDArray[np.bool_]) -> float:
    """Return the error of UMAP with the known labels."""
    return error(umap_map(X, np.where(known, y, -1)), y, known)


def best_choice(
    score: Scored,
    choices: Sequence[dict[str, Any]],
    X: NDArray[Any],
    y: NDArray[Any],
    splits: int,
) -> dict[str, Any]:
    """Return the choice with the smallest error on held-out points; the first of several."""
    parts = list(KFold(FOLDS, shuffle=True, random_state=1).split(X))[:splits]
    errors = []
    for choice in choices:
        found = []
        for train, _ in parts:
            known = np.zeros(len(X), dtype=bool)
            known[train] = True
            found.append(score(X, y, known, **choice))
        errors.append(np.mean(found))
    return choices[int(np.argmin(errors))]


def grid(**values: Sequence[Any]) -> list[dict[str, Any]]:
    """Return all combinations of parameters."""
    return [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]


def others_errors(
    X: NDArray[Any], y: NDArray[Any], known: NDArray[np.bool_], protocol: Protocol
) -> dict[str, float]:
    """Return the errors of the other supervised methods, with parameters chosen by known labels."""
    methods: dict[str, tuple[Scored, list[dict[str, Any]]]] = {
        "S-Isomap": (isomap_error, grid(offset=OFFSETS, n_neighbors=GRAPHS)),
        "MUHSIC": (
            muhsic_error,
            grid(penalty=PENALTIES, n_neighbors=GRAPHS, n_eigenvectors=EIGENVECTORS),
        ),
        "MRE": (mre_error, grid(perplexity=PERPLEXITIES, max_iter=(protocol.max_iter,))),
    }
    if not has_solver():
        del methods["MUHSIC"]
    found = {}
    for name, (score, choices) in methods.items():
        choice = best_choice(score, choices, X[known], y[known], protocol.splits)
        found[name] = score(X, y, known, **choice)
    return found


def has_solver() -> bool:
    """Return whether MUHSIC can be run."""
    try:
        load_solver()
    except ImportError:
        return False
    return True


def fold_errors(
    shared: tuple[NDArray[Any], NDArray[Any], Protocol], known: NDArray[np.bool_]
) -> dict[str, float]:
    """Return the error of each method when only the ``known`` labels are given."""
    X, y, protocol = shared
    labels = np.where(known, y, -1)
    found = {}
    metric = LearningMetric(cv=protocol.inner)
    with warnings.catch_warnings():
        # The distances between points whose class is certain are almost zero.
        warnings.filterwarnings("ignore", message=".*equally near neighbors", category=UserWarning)
        warnings.filterwarnings("ignore", message=".*connected components", category=UserWarning)
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        for tradeoff in protocol.tradeoffs:
            model = SNeRV(
                tradeoff=tradeoff, metric=metric, max_iter=protocol.max_iter, random_state=0
            ).fit(X, labels)
            found[f"SNeRV({tradeoff})"] = error(model.embedding_, y, known)
            # The second tradeoff uses the same metric, so it need not be selected again.
            learned = model.learning_metric_
            metric = LearningMetric(
                n_centroids=len(learned.centroids_), width=learned.width_, cv=protocol.inner
            )
        plain = NeRV(max_iter=protocol.max_iter, random_state=0).fit_transform(X)
        found["NeRV"] = error(plain, y, known)
        found |= others_errors(X, y, known, protocol)
        found["LDA"] = lda_error(X, y, known)
        if protocol == WHOLE and has_umap():
            found["UMAP with labels"] = umap_error(X, y, known)
    return found


def figures(
    data: tuple[NDArray[Any], NDArray[Any]], published: str, ahead: bool, protocol: Protocol
) -> Iterator[Figure]:
    """Yield the errors of each fold, means and standard deviations, and the comparisons.

    ``ahead`` is whether SNeRV's mean error is below that of S-Isomap in the paper.
    """
    X, y = sample(*data)
    errors: dict[str, list[float]] = defaultdict(list)
    folds = itertools.islice(KFold(FOLDS, shuffle=True, random_state=0).split(X), protocol.folds)
    told = [np.isin(np.arange(POINTS), train) for train, _ in folds]
    if not has_solver():
        warnings.warn('MUHSIC is left out: pip install "nbembed[sdp]"', stacklevel=2)
    for fold, of_fold in enumerate(in_order(fold_errors, (X, y, protocol), told)):
        for name, found in of_fold.items():
            errors[name].append(found)
            yield Figure(f"fold {fold + 1}: {name}: error, %", "", found, digits=1)
    for name, values in errors.items():
        yield Figure(f"{name}: mean error, %", "", float(np.mean(values)), digits=2)
        yield Figure(f"{name}: standard deviation", "", float(np.std(values, ddof=1)), digits=2)
    of_maps = {name: [error(Y, y, known) for known in told] for name, Y in unsupervised(X).items()}
    of_maps |= {name: errors[name] for name in ("LDA", "UMAP with labels") if name in errors}
    simple = {name: float(np.mean(values)) for name, values in of_maps.items()}
    versions = [name for name in errors if name.startswith("SNeRV")]
    best = min(versions, key=lambda name: np.mean(errors[name]))
    # What the paper says of its own p, where the protocol is its own.
    significant = bool(published) and float(published) <= SIGNIFICANT
    for other in ("NeRV", "S-Isomap", "MUHSIC", "MRE"):
        if other not in errors:
            continue
        for name in versions:
            test = paired_t_test(errors[name], errors[other])
            own = name == best
            claimed = other == "MRE" or (own and (ahead or other != "S-Isomap"))
            yield _difference(name, other, errors, simple, claimed, "< 0" if other == "MRE" else "")
            stated = own and protocol == WHOLE and other == "S-Isomap"
            clear = significant and own and protocol == WHOLE and other in ("NeRV", "S-Isomap")
            yield Figure(
                f"{name} and {other}: p of the paired t-test",
                "",
                test.p_value,
                low=SIGNIFICANT if stated and not significant else -np.inf,
                high=SIGNIFICANT if clear else np.inf,
                digits=5,
                others={
                    simpler: paired_t_test(values, errors[other]).p_value
                    for simpler, values in of_maps.items()
                },
            )
    yield _difference("S-Isomap", "MRE", errors, simple, True, "< 0")


def printed_errors(
    shared: tuple[NDArray[Any], NDArray[Any], Protocol], known: NDArray[np.bool_]
) -> dict[str, float]:
    """Return the errors of SNeRV's printed cost and of ours, in one metric, and of NeRV's both."""
    X, y, protocol = shared
    labels = np.where(known, y, -1)
    tradeoff = protocol.tradeoffs[0]
    keywords: dict[str, Any] = {"max_iter": protocol.max_iter, "random_state": 0}
    found = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*equally near neighbors", category=UserWarning)
        warnings.filterwarnings("ignore", message=".*connected components", category=UserWarning)
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        straight = LearningMetric(cv=protocol.inner, random_state=0).fit(X[known], y[known])
        shortest = copy(straight).set_params(shortest_paths=True)
        for title, metric, form in (
            (PRINTED, straight, AS_PRINTED),
            (f"{PRINTED}, shortest paths", shortest, AS_PRINTED),
            ("ours", straight, {}),
        ):
            model = SNeRV(tradeoff=tradeoff, metric=metric, **form, **keywords).fit(X, labels)
            found[f"SNeRV({tradeoff}), {title}"] = error(model.embedding_, y, known)
        widths: dict[str, Any] = {PRINTED: "point", "one width": "uniform"}
        for title, width in widths.items():
            plain = NeRV(tradeoff=tradeoff, map_width=width, **keywords).fit_transform(X)
            found[f"NeRV({tradeoff}), {title}"] = error(plain, y, known)
        choice = best_choice(
            isomap_error,
            grid(offset=OFFSETS, n_neighbors=GRAPHS),
            X[known],
            y[known],
            protocol.splits,
        )
        found["S-Isomap"] = isomap_error(X, y, known, **choice)
    return found


def printed_figures(
    data: tuple[NDArray[Any], NDArray[Any]], published: str, protocol: Protocol
) -> Iterator[Figure]:
    """Yield the errors of each fold and their means, and the differences that the claims are of."""
    X, y = sample(*data)
    errors: dict[str, list[float]] = defaultdict(list)
    folds = itertools.islice(KFold(FOLDS, shuffle=True, random_state=0).split(X), protocol.folds)
    told = [np.isin(np.arange(POINTS), train) for train, _ in folds]
    for fold, of_fold in enumerate(in_order(printed_errors, (X, y, protocol), told)):
        for name, found in of_fold.items():
            errors[name].append(found)
            yield Figure(f"fold {fold + 1}: {name}: error, %", "", found, digits=1)
    for name, values in errors.items():
        spread = float(np.std(values, ddof=1))
        yield Figure(f"{name}: mean error, %", "", float(np.mean(values)), digits=2, spread=spread)
    printed, paths, ours, narrow, wide, isomap = errors
    for name, other in (
        (printed, isomap),
        (ours, isomap),
        (printed, paths),
        (printed, narrow),
        (ours, wide),
        (printed, ours),
    ):
        gaps = np.subtract(errors[name], errors[other])
        yield Figure(
            f"{name} − {other}: percentage points",
            "",
            float(gaps.mean()),
            digits=2,
            spread=float(gaps.std(ddof=1)),
        )
        yield Figure(
            f"{name} and {other}: p of the paired t-test",
            published if (name, other) == (printed, isomap) else "",
            paired_t_test(errors[name], errors[other]).p_value,
            digits=5,
        )


def unsupervised(X: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return maps that know no labels, one of them at random."""
    return {
        "PCA": PCA(2).fit_transform(X),
        "t-SNE": HSSNE(alpha=1, random_state=0).fit_transform(X),
        "random map": np.random.default_rng(0).standard_normal((len(X), 2)),
    }


def _difference(
    name: str,
    other: str,
    errors: Mapping[str, list[float]],
    simple: Mapping[str, float],
    judged: bool,
    published: str,
) -> Figure:
    """Return by how much the mean error of a method is above that of another one."""
    beaten = float(np.mean(errors[other]))
    return Figure(
        f"{name} − {other}: percentage points",
        published,
        float(np.mean(errors[name])) - beaten,
        high=-least_above(0.0, 2) if judged else np.inf,
        digits=2,
        others={simpler: value - beaten for simpler, value in simple.items()},
    )


def _bundled(name: str) -> Callable[[Path | None], Any]:
    def take(data: Path | None) -> Any:
        found = load(name)
        return found.X, found.y

    return take


def _phoneme(data: Path | None) -> Any:
    found = read(data, "lvq_phoneme")
    return largest_classes(found.X, found.y, PHONEMES)


def largest_classes(
    X: NDArray[Any], y: NDArray[Any], n_classes: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the points of the classes with the most points."""
    classes, sizes = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[np.argsort(-sizes, kind="stable")[:n_classes]])
    return X[kept], y[kept]


def _experiment(
    name: str,
    what: str,
    take: Callable[[Path | None], Any],
    published: str,
    protocol: Protocol,
    *,
    ahead: bool = True,
    files: tuple[str, ...] = (),
) -> Experiment:
    def run(data: Path | None) -> Iterator[Figure]:
        return figures(take(data), published, ahead, protocol)

    return Experiment(name, what, files, protocol is SHORT, run)


_letter = partial(_experiment, take=_bundled("letter"), published="1.5e-4")
_satellite = partial(_experiment, take=_bundled("satellite"), published="0.53")

EXPERIMENTS = (
    _letter(
        "snerv-letter-short",
        "Letter, 1500 points, three folds: SNeRV, NeRV, S-Isomap, MUHSIC, MRE (about 2 min)",
        protocol=SHORT,
    ),
    _letter(
        "snerv-letter", "Letter, 1500 points, complete protocol (about 30 min)", protocol=WHOLE
    ),
    _satellite(
        "snerv-satellite",
        "Landsat satellite, 1500 points, complete protocol (about 25 min)",
        protocol=WHOLE,
    ),
    Experiment(
        "snerv-letter-printed-short",
        "Letter, three folds: SNeRV's cost as printed, by straight and shortest paths, beside ours "
        "(about 4 min)",
        (),
        False,
        lambda data: printed_figures(_bundled("letter")(data), "1.5e-4", SHORT),
    ),
    Experiment(
        "snerv-letter-printed",
        "Letter, complete protocol: SNeRV's cost as printed beside ours (about 25 min)",
        (),
        False,
        lambda data: printed_figures(_bundled("letter")(data), "1.5e-4", WHOLE),
    ),
    _experiment(
        "snerv-phoneme",
        "LVQ_PAK phonemes, the 13 largest of 20 classes, complete protocol (about 30 min)",
        _phoneme,
        "0.54",
        WHOLE,
        ahead=False,
        files=("lvq_phoneme",),
    ),
)
