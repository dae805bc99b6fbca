"""Figure 6 of "Parametric Embedding for Class Visualization": words and topics of a topic model.

The paper fits 50 topics to the TASA corpus, a licensed one, by Gibbs sampling, and shows 26 243
words in the posteriors of five of the topics,

    p(topic k | word w) = ψ_kw p(k) / Σ_l ψ_lw p(l)    over the five (appendix E).

The 5000 words of 20 Newsgroups stand in for them, and scikit-learn's latent Dirichlet allocation by
online variational Bayes for the sampler. The paper does not say which five topics it took: here
these are the five to which most of the text belongs.

The figure is a picture; what section 7 reads off it is judged. Certain words, of probability above
:data:`CERTAIN` for one topic, are in a tight cluster at that topic's corner: all are nearest to its
mean, and their median distance from the cluster's center is a small part of that to the next one.
The topics are arranged like a star: every mean is a corner of their convex hull. Words of two
topics are on a curve between the two: their order along the line through both means is that of
their probabilities, for every pair. Beside these stand classical scaling of the same posteriors
(MDS2), whose topic means are means weighted by probabilities, and a random map.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from scipy.stats import spearmanr
from sklearn.decomposition import LatentDirichletAllocation

from nbembed.datasets import read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.parametric import distances
from nbembed.methods import ParametricEmbedding
from nbembed.methods.initialization import scaling_axes

TOPICS, SHOWN = 50, 5
PASSES, BATCH = 5, 512
STARTS = range(3)
#: A word is of one topic above, and of two if both have more than the other number.
CERTAIN, SHARED = 0.99, 0.1
RANDOM_MAPS = 20


class Reading(NamedTuple):
    """Measurements of a map of words and topics.

    * nearest: share of the certain words that are nearest to the mean of their topic, in percent.
    * size: of the loosest cluster of certain words: median distance from its center, in distances
      to the next cluster's center.
    * corners: topic means that are corners of the convex hull of all.
    * order: least rank correlation, over the pairs of topics, between the share of the one topic
      in the words of both and their places along the line through the two means.
    """

    nearest: float
    size: float
    corners: float
    order: float


def posteriors(counts: Any) -> NDArray[np.float64]:
    """Return p(topic | word) over the largest topics, shape (n_words, :data:`SHOWN`)."""
    model = LatentDirichletAllocation(
        TOPICS, learning_method="online", batch_size=BATCH, max_iter=PASSES, random_state=0
    ).fit(counts)
    expected = np.asarray(model.components_, dtype=np.float64)  # number of each word in each topic
    largest = np.argsort(-expected.sum(axis=1), kind="stable")[:SHOWN]
    joint = expected[largest].T
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def reading(proba: NDArray[Any], Y: NDArray[Any], means: NDArray[Any]) -> Reading:
    """Return the measurements of a map ``Y`` of words and the ``means`` of topics."""
    own = proba.argmax(axis=1)
    certain = proba.max(axis=1) > CERTAIN
    away = np.linalg.norm(Y[certain][:, None] - means, axis=2)
    nearest = 100 * float(np.mean(away.argmin(axis=1) == own[certain]))
    groups = [Y[certain & (own == k)] for k in range(proba.shape[1])]
    centers = np.array([np.median(group, axis=0) for group in groups])
    apart = np.linalg.norm(centers[:, None] - centers, axis=2)
    np.fill_diagonal(apart, np.inf)
    sizes = [
        float(np.median(np.linalg.norm(group - center, axis=1))) / float(gaps.min())
        for group, center, gaps in zip(groups, centers, apart)
    ]
    orders = []
    for k, m in itertools.combinations(range(proba.shape[1]), 2):
        both = of_two(proba, k, m)
        line = means[k] - means[m]
        along = Y[both] @ line
        orders.append(float(spearmanr(proba[both, k] / proba[both][:, [k, m]].sum(1), along)[0]))
    return Reading(nearest, max(sizes), float(len(ConvexHull(means).vertices)), min(orders))


def of_two(proba: NDArray[Any], k: int, m: int) -> NDArray[np.bool_]:
    """Return the words of the two topics ``k`` and ``m``, and of no other."""
    rest = 1 - proba[:, k] - proba[:, m]
    return np.asarray((np.minimum(proba[:, k], proba[:, m]) > SHARED) & (rest < 1 - CERTAIN))


def _weighted(proba: NDArray[Any], Y: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(proba.T @ Y / proba.sum(axis=0)[:, None])


def _words(data: Path | None) -> Iterator[Figure]:
    proba = posteriors(read(data, "newsgroups20_bow").X)
    pairs = itertools.combinations(range(SHOWN), 2)
    fewest = min(int(of_two(proba, k, m).sum()) for k, m in pairs)
    certain = 100 * float(np.mean(proba.max(axis=1) > CERTAIN))
    yield Figure("words of one topic, %", "", certain, digits=1)
    yield Figure("fewest words of any two topics", "> 0", float(fewest), low=1.0, digits=0)
    began = time.perf_counter()
    fits = [ParametricEmbedding(random_state=seed).fit(proba) for seed in STARTS]
    seconds = (time.perf_counter() - began) / len(fits)
    yield Figure("seconds of a map", "60", seconds, digits=1)
    found = np.array([reading(proba, fit.embedding_, fit.class_embedding_) for fit in fits])
    scaled = scaling_axes(distances(proba), 2)
    rng = np.random.default_rng(0)
    random = np.mean(
        [
            reading(proba, rng.standard_normal((len(proba), 2)), rng.standard_normal((SHOWN, 2)))
            for _ in range(RANDOM_MAPS)
        ],
        axis=0,
    )
    simple: dict[str, Sequence[float]] = {
        "MDS2": reading(proba, scaled, _weighted(proba, scaled)),
        "random map": random.tolist(),
    }
    for k, (name, says, low, high, digits) in enumerate((
        ("certain words nearest to the mean of their topic, %", "all", 99.0, np.inf, 1),
        ("loosest cluster of certain words, in distances to the next", "tight", -np.inf, 0.1, 3),
        ("topic means that are corners of their hull", "5", 5.0, np.inf, 1),
        ("words of two topics: order between the two, least of all pairs", "> 0", 0.5, np.inf, 2),
    )):  # fmt: skip
        yield Figure(
            name,
            says,
            float(found[:, k].mean()),
            low,
            high,
            digits=digits,
            spread=float(found[:, k].std(ddof=1)),
            others={method: float(values[k]) for method, values in simple.items()},
        )


EXPERIMENTS = (
    Experiment(
        "pe-words",
        "5000 words of 20 Newsgroups in five of 50 topics, three starts (about 2 min)",
        ("newsgroups20_bow",),
        False,
        _words,
    ),
)
