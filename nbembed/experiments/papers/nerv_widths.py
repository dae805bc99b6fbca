"""NeRV's two forms of width on the map, on texts with and without isolated ones (ours).

A text that shares few words with any other has a narrow width; with the same width on the map,
``map_width="point"``, it may lie far outside. The figures are the distance of the farthest text
from the middle of the map, in medians of all, and the share of the twenty nearest neighbors that
the map keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer

from nbembed.datasets import read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.methods import NeRV
from nbembed.neighbors import nearest_neighbors

NEIGHBORS = 20
TRADEOFF = 0.1
WIDTHS: tuple[Literal["point", "uniform"], ...] = ("point", "uniform")


def farthest(Y: NDArray[Any]) -> float:
    """Return the distance of the farthest point from the middle, in medians of all."""
    lengths = np.linalg.norm(Y - np.median(Y, axis=0), axis=1)
    return float(lengths.max() / np.median(lengths))


def kept(X: Any, Y: NDArray[Any]) -> float:
    """Return the share of the neighbors in the data that are neighbors on the map, in percent."""
    near, shown = nearest_neighbors(X, NEIGHBORS), nearest_neighbors(Y, NEIGHBORS)
    return 100 * float(np.mean([np.isin(a, b).mean() for a, b in zip(near, shown)]))


def _figures(data: Path | None) -> Iterator[Figure]:
    counts = read(data, "bbc_news_bow").X
    for title, X in (
        ("TEXT", read(data, "text_mac_win").X),
        ("BBC news", TfidfTransformer(sublinear_tf=True).fit_transform(counts)),
    ):
        for width in WIDTHS:
            model = NeRV(tradeoff=TRADEOFF, map_width=width, random_state=0).fit(X)
            Y = np.asarray(model.embedding_, np.float64)
            name = f"{title}, map_width={width}:"
            yield Figure(f"{name} farthest text, in medians", "", farthest(Y), digits=1)
            yield Figure(f"{name} neighbors kept, %", "", kept(X, Y), digits=1)


EXPERIMENTS = (
    Experiment(
        "nerv-widths",
        "two sets of texts with a width for each point and with one for all (about 1 min)",
        ("text_mac_win", "bbc_news_bow"),
        False,
        _figures,
    ),
)
