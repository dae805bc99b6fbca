"""How much of a picture a map fills, at tails of any weight, beside openTSNE at the same tails.

    python benchmarks/readable.py                         digits and separated blobs (minutes)
    python benchmarks/readable.py --data DIR              and data sets of that folder
    python benchmarks/readable.py --picture out.png       draw the maps, 700 × 500 pixels each
    python benchmarks/readable.py --json out.json         write the figures as JSON

Groups without a common neighbor drift apart as far as an optimizer goes, so that a map of heavy
tails may be ten dots on white paper. Occupancy is the share of the cells of a 64 × 64 grid over the
map's square box that hold a point. It stands beside the divergence and the share of the ten nearest
neighbors kept: a map that fills its picture at their cost would be worth little. openTSNE runs its
defaults with ``dof`` = 1/α; "unbounded" is nbembed with ``compactness=0``. One thread.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from openTSNE import TSNE
from PIL import Image, ImageDraw
from scipy import sparse
from scipy.spatial import cKDTree
from sklearn.datasets import load_digits, make_blobs
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

import nbembed as nb
from nbembed.affinities import perplexity_affinities
from nbembed.objectives import HeavyTailed

sys.path.insert(0, str(Path(__file__).parent))
from report import Report

ALPHAS = (0.5, 1.0, 1.5, 2.0, 3.0)
CELLS, NEIGHBORS = 64, 10
#: Files of ``--data``: text as counts, single cells as principal components, images.
FILES = ("bbc_news_bow", "pbmc3k", "coil20")
#: A panel of the picture, its margin, and how many times larger than the picture it is drawn.
WIDTH, HEIGHT, MARGIN, SCALE = 700, 500, 20, 2
COLORS = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee",
    "#aa3377", "#bb5566", "#999933", "#44aa99", "#882255",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of data sets")
    parser.add_argument("--alphas", nargs="*", type=float, default=ALPHAS)
    parser.add_argument("--picture", type=Path, help="file to draw the maps in")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    report = Report("readable")
    rows: list[list[Image.Image]] = []
    for name, X, y in data_sets(options.data):
        P = perplexity_affinities(X, min(30.0, (len(X) - 1) / 3)).joint()
        near = NearestNeighbors(n_neighbors=NEIGHBORS).fit(X).kneighbors(return_distance=False)
        rows.append([])
        for alpha in options.alphas:
            objective = HeavyTailed(P, alpha, n_jobs=1)
            maps = {
                "nbembed": nb.HSSNE(alpha=alpha, random_state=0, n_jobs=1).fit_transform(X),
                "unbounded": nb.HSSNE(
                    alpha=alpha, compactness=0.0, random_state=0, n_jobs=1
                ).fit_transform(X),
                "openTSNE": np.asarray(TSNE(dof=1 / alpha, n_jobs=1, random_state=0).fit(X)),
            }
            filled = {}
            for who, Y in maps.items():
                filled[who] = occupancy(Y)
                cost = objective.cost(np.ascontiguousarray(Y, np.float32))
                kept = recall(near, Y)
                print(
                    f"{name:14s} α = {alpha:3.1f} {who:9s} occupancy {filled[who]:.3f}  "
                    f"divergence {cost:.3f}  recall {kept:.3f}",
                    flush=True,
                )
            work = f"{name}, α = {alpha}: occupancy in units of openTSNE's"
            report.value(work, filled["nbembed"] / filled["openTSNE"], "")
            rows[-1] += [drawn(maps["nbembed"], y), drawn(maps["openTSNE"], y)]
    if options.picture:
        sheet(rows).save(options.picture, optimize=True)
    report.write(options.json)


def data_sets(folder: Path | None) -> Iterator[tuple[str, Any, Any]]:
    """Yield names, rows and classes."""
    yield "digits", *load_digits(return_X_y=True)
    for k in (8, 16):
        yield f"{k} blobs", *make_blobs(50 * k, 20, centers=k, random_state=0)
    for name in FILES if folder else ():
        file = np.load(folder / f"{name}.npz", allow_pickle=True)
        if "X_data" in file:
            parts = file["X_data"], file["X_indices"], file["X_indptr"]
            weights = TfidfTransformer(sublinear_tf=True).fit_transform(
                sparse.csr_array(parts, shape=tuple(file["X_shape"]))
            )
            X = normalize(TruncatedSVD(100, random_state=0).fit_transform(weights))
        else:
            X = file["X"].astype(np.float64)
            X = PCA(50, random_state=0).fit_transform(X) if X.shape[1] > 50 else X
        yield name, X, file["y"]


def occupancy(Y: Any) -> float:
    """Return the share of the cells over the map's square box that hold a point."""
    side = float(np.ptp(Y, axis=0).max())
    cells = np.minimum(((Y - Y.min(axis=0)) / side * CELLS).astype(int), CELLS - 1)
    return len(np.unique(cells, axis=0)) / CELLS**2


def recall(near: Any, Y: Any) -> float:
    """Return the share of the nearest neighbors in the data that are so on the map."""
    on_map = cKDTree(Y).query(Y, NEIGHBORS + 1)[1][:, 1:]
    return float(np.mean([np.intersect1d(*pair).size for pair in zip(near, on_map)]) / NEIGHBORS)


def drawn(Y: Any, y: Any) -> Image.Image:
    """Return a picture of a map with a color for each class."""
    panel = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(panel)
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    middle = (Y.min(axis=0) + Y.max(axis=0)) / 2
    scale = float((room / np.ptp(Y, axis=0)).min())
    places = np.array([WIDTH, HEIGHT]) / 2 + (Y - middle) * scale * [1, -1]
    for (across, down), c in zip(places, y):
        box = (across - 2, down - 2, across + 2, down + 2)
        draw.ellipse(box, fill=COLORS[int(c) % len(COLORS)])
    draw.rectangle((0, 0, WIDTH - 1, HEIGHT - 1), outline="#cccccc")
    return panel.resize((WIDTH // SCALE, HEIGHT // SCALE), Image.Resampling.LANCZOS)


def sheet(rows: list[list[Image.Image]]) -> Image.Image:
    """Return all panels, a row a data set: nbembed and openTSNE in turns, α from left to right."""
    width, height = WIDTH // SCALE, HEIGHT // SCALE
    whole = Image.new("RGB", (width * len(rows[0]), height * len(rows)), "white")
    for i, row in enumerate(rows):
        for j, panel in enumerate(row):
            whole.paste(panel, (j * width, i * height))
    return whole.quantize(64)


if __name__ == "__main__":
    main()
