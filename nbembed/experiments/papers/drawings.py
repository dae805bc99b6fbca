"""The figures of the papers that are pictures, drawn from our maps: one run of each.

    python -m nbembed.experiments.papers.drawings --data DIR

writes those to ``docs/images/reproduction`` that are not there, or were drawn with other sources; a
full run of ``nbembed reproduce`` does so at its end. What the paper's text reads off a picture is
judged by the experiments, as far as it can be put in numbers. Where there is no data file a
sentence says which one it is, and the others are drawn.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.model_selection import KFold

from nbembed.baselines import MRE, MUHSIC, SIsomap
from nbembed.datasets import load, load_vehicle, read
from nbembed.drawing.panels import CurvePanel, MapPanel, png, text_in
from nbembed.experiments.papers import (
    framework_figures,
    hssne,
    mbed,
    parametric,
    parametric_figures,
    parametric_times,
    snerv,
)
from nbembed.experiments.papers.base import missing_data
from nbembed.experiments.papers.catalog import NAMES
from nbembed.experiments.papers.parametric_topics import posteriors
from nbembed.experiments.papers.published import FRAMEWORK, HSSNE, MBED, PE, SNERV, Paper
from nbembed.experiments.papers.results import KEPT
from nbembed.experiments.papers.sources import digest_of, protocol_files
from nbembed.learning_metric import LearningMetric
from nbembed.measures import class_precision, homogeneity
from nbembed.methods import HSSNE as HeavyTailedSNE
from nbembed.methods import SNE, Geometry, Mbed, NeRV, ParametricEmbedding, SNeRV
from nbembed.posteriors import NaiveBayes, SoftNearestNeighbor, class_posteriors
from nbembed.supervision import Supervision
from nbembed.system.atomic import write_atomically

FOLDER = KEPT.parent / "images" / "reproduction"
#: A tEXt chunk with this key has the digest of the sources that a picture was drawn with.
KEY = "nbembed-source"

Panel = MapPanel | CurvePanel


@dataclass(frozen=True)
class Drawing:
    """A figure of a paper.

    * number: as the catalog has it.
    * shows: what is drawn, from left to right and from top to bottom.
    * experiment: the one whose protocol and data files it uses.
    * panels: takes the directory of the data files and yields panels.
    """

    paper: Paper
    number: str
    shows: str
    experiment: str
    columns: int
    panels: Callable[[Path | None], Iterator[Panel]]

    @property
    def file(self) -> Path:
        """The path of the picture."""
        words = f"{self.paper.name} {self.number}".lower().replace(",", "").split()
        return FOLDER / f"{'-'.join(words)}.png"

    @property
    def digest(self) -> str:
        """Of the sources that the picture depends on."""
        return digest_of((*protocol_files(self.experiment), Path(__file__)))

    @property
    def up_to_date(self) -> bool:
        """True if the picture was drawn with the present sources."""
        return text_in(self.file, KEY) == self.digest

    def draw(self, data: Path | None) -> None:
        """Draw the picture and write its file; raise MissingDataError if a data file is missing."""
        digest = self.digest
        content = png(list(self.panels(data)), self.columns, {KEY: digest})
        self.file.parent.mkdir(parents=True, exist_ok=True)

        def write(opened: BinaryIO) -> None:
            opened.write(content)

        write_atomically(self.file, write)


def draw_all(data: Path | None) -> int:
    """Draw what is not up to date; return 0, or 2 if data are missing."""
    status = 0
    for drawing in DRAWINGS:
        if drawing.up_to_date:
            continue
        missing = missing_data(NAMES[drawing.experiment], data)
        if missing:
            print(missing, file=sys.stderr)
            status = 2
            continue
        print(f"{drawing.paper.name}, {drawing.number}: {drawing.shows}", flush=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drawing.draw(data)
    return status


# -- HSSNE -------------------------------------------------------------------------------------


def _hssne_2(data: Path | None) -> Iterator[Panel]:
    rows: dict[str, list[Panel]] = {name: [] for name in ("cost", "eigenmap", "grad", "fixed")}
    for column, X, y in hssne.sets(data):
        recipe = HeavyTailedSNE(perplexity=hssne.PERPLEXITY, **hssne.PAPER).recipe
        affinities = recipe.make_affinities(X)
        objective = recipe.make_objective(affinities, Supervision(len(X)), Geometry())
        P = np.asarray(affinities.P, dtype=np.float64)
        D = np.diag(P.sum(axis=1))
        start = hssne.common_start(objective, 0)
        descents = {
            "gradient": hssne.gradient_descent(objective, start),
            "fixed point": hssne.fixed_point(objective, start),
        }
        title = column.title.partition(",")[0]
        curves = {name: (1 + np.arange(len(d.costs)), d.costs) for name, d in descents.items()}
        rows["cost"].append(CurvePanel(f"{title}: cost, iterations", curves, logarithmic=True))
        for row, name, Y in (
            ("eigenmap", "eigenmap", eigh(D - P, D, subset_by_index=(1, 2))[1]),
            ("grad", "gradient", descents["gradient"].Y),
            ("fixed", "fixed point", descents["fixed point"].Y),
        ):
            right = homogeneity(Y, y)
            rows[row].append(MapPanel(f"{title}, {name}: homogeneity {right:.2f}", Y, _codes(y)))
    for panels in rows.values():
        yield from panels


def _hssne_3(data: Path | None) -> Iterator[Panel]:
    vehicle = load_vehicle()
    X, y = hssne.to_unit_range(vehicle.X), _codes(vehicle.y)
    known = hssne.known_pairs(y, hssne.KNOWN_PAIRS, np.random.default_rng(0))
    recipe = HeavyTailedSNE(perplexity=hssne.PERPLEXITY, **hssne.PAPER).recipe
    affinities = recipe.make_affinities(X)
    for title, supervision in (("unsupervised", Supervision(y.size)), ("with pairs", known)):
        objective = recipe.make_objective(affinities, supervision, Geometry())
        found = hssne.gradient_descent(objective, hssne.common_start(objective, 0))
        right = homogeneity(found.Y, y)
        yield MapPanel(f"gradient t-SNE, {title}: homogeneity {right:.2f}", found.Y, y)
    for alpha in (0.0, 0.5, 1.0, 1.5):
        Y, _ = hssne.with_pairs((X, alpha), (0, known))
        yield MapPanel(f"alpha = {alpha:g}: homogeneity {homogeneity(Y, y):.2f}", Y, y)


# -- Mbed --------------------------------------------------------------------------------------


def _mbed_2(data: Path | None) -> Iterator[Panel]:
    X, y = mbed.three_digits(data)
    yield MapPanel("SNE", SNE(random_state=0).fit_transform(X), y)
    free = Mbed(n_classes=len(mbed.DIGITS), random_state=0).fit(X)
    yield MapPanel("Mbed without labels", in_class_plane(free), y)


def _mbed_3(data: Path | None) -> Iterator[Panel]:
    X, y = mbed.three_digits(data)
    free = Mbed(n_classes=len(mbed.DIGITS), random_state=0).fit(X)
    known = mbed.fifty_labels(y, 0)
    model = Mbed(random_state=0).fit(X, known)
    for title, found in (("without labels", free), ("50 labels", model)):
        best = 1 + int(np.nanargmax([step.criterion for step in found.path_]))
        marked = None if found is free else known >= 0
        yield MapPanel(f"{title}: step {best} of the path", in_class_plane(found), y, marked)
    for number in (1, 5, 13, 17):
        if number <= len(model.path_):
            step = model.path_[number - 1]
            title = f"50 labels, step {number}: lambda = {step.value:.2g} radii"
            yield MapPanel(title, in_class_plane(model, step.embedding), y, known >= 0)


def in_class_plane(model: Mbed, Y: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """Return a map of three classes, or one of its path, in the plane of their directions."""
    _, _, axes = np.linalg.svd(np.asarray(model.directions_))
    return np.asarray((model.embedding_ if Y is None else Y) @ axes[:2].T)


# -- SNeRV -------------------------------------------------------------------------------------


def _snerv_maps(data: Path | None) -> Iterator[Panel]:
    """Yield the maps of one fold, with fixed parameters: what is chosen costs hours.

    MRE weights the axes of a map for each of its relations, so that their lengths beside each other
    mean nothing: in its panel both fill the frame.
    """
    letter = load("letter")
    X, y = snerv.sample(letter.X, letter.y)
    y = _codes(y)
    train, _ = next(iter(KFold(snerv.FOLDS, shuffle=True, random_state=0).split(X)))
    known = np.isin(np.arange(len(X)), train)
    labels = np.where(known, y, -1)
    iterations = snerv.SHORT.max_iter
    metric = LearningMetric(cv=snerv.SHORT.inner)
    makers: dict[str, Callable[[], Any]] = {
        "SNeRV, 0.1": lambda: (
            SNeRV(tradeoff=0.1, metric=metric, max_iter=iterations, random_state=0)
            .fit(X, labels)
            .embedding_
        ),
        "S-Isomap": lambda: SIsomap().fit(X[known], y[known]).transform(X),
        "MUHSIC": lambda: MUHSIC().fit(X[known], y[known]).transform(X),
        "MRE": lambda: MRE(max_iter=iterations, random_state=0).fit(X, labels).embedding_,
        "NeRV": lambda: NeRV(max_iter=iterations, random_state=0).fit_transform(X),
    }
    if not snerv.has_solver():
        del makers["MUHSIC"]
    for name, make in makers.items():
        Y = make()
        title = f"{name}: {snerv.error(Y, y, known):.0f} % of hidden points wrong"
        yield MapPanel(title, Y, y, ~known, stretched=name == "MRE")


# -- the framework -----------------------------------------------------------------------------


def _toys(data: Path | None) -> Iterator[Panel]:
    for title, toy, missing, finding in framework_figures.TOYS:
        problem = toy(random_state=0)
        axes = {
            name: learner.fit(problem.X, problem.labels).components_[0]
            for name, learner in (missing | finding).items()
        }
        yield MapPanel(title, problem.X, problem.y, problem.labels >= 0, axes)


def _framework_6(data: Path | None) -> Iterator[Panel]:
    found = load("ionosphere", data)
    weights, i, j = framework_figures.links(found.X)
    same = found.y[i] == found.y[j]
    curves = {}
    for power in framework_figures.POWERS:
        heaviest = np.argsort(-weights, kind="stable")
        share = np.cumsum(same[heaviest]) / np.arange(1, same.size + 1)
        curves[f"power {power:g}"] = ((weights[heaviest] ** power).round(3), share)
    yield CurvePanel("share within one class, least weight", curves)


# -- Parametric Embedding ----------------------------------------------------------------------


def _pe_1(data: Path | None) -> Iterator[Panel]:
    X, y = parametric_figures.news(data)
    for name, make in parametric_figures.map_makers(X, y).items():
        yield MapPanel(name, make(), y)


def _pe_2(data: Path | None) -> Iterator[Panel]:
    X, y = parametric_figures.news(data)
    proba = NaiveBayes().fit(X, y).predict_proba(X)
    fit = ParametricEmbedding(random_state=0).fit(proba)
    h = list(parametric_figures.H)
    curves = {"PE": class_precision(proba, fit.embedding_, fit.class_embedding_, h)}
    makers = parametric_figures.map_makers(X, y)
    for name in ("MDS2", "Isomap2", "SNE"):
        curves[name] = class_precision(proba, makers[name](), h=h)
    yield CurvePanel("prec(h), h", {name: (h, curve) for name, curve in curves.items()})


def _pe_3(data: Path | None) -> Iterator[Panel]:
    counts = parametric.iterations(data)
    curves = {
        name: (list(counts), [of(found) for found in counts.values()])
        for name, of in (("most", max), ("median", np.median), ("fewest", min))
    }
    yield CurvePanel("iterations, objects", curves)


def _pe_4(data: Path | None) -> Iterator[Panel]:
    given = parametric_times.documents(data)
    sizes = parametric_times.SIZES
    curves = {
        name: (sizes, parametric_times.seconds(given, make))
        for name, make in parametric_times.MAKERS.items()
    }
    yield CurvePanel("seconds, objects", curves, logarithmic=True)


def _pe_5(data: Path | None) -> Iterator[Panel]:
    X, y = parametric_figures.five_digits(data)
    for count in parametric_figures.LABELS:
        known = parametric_figures.some_labels(y, count, 0)
        proba = class_posteriors(SoftNearestNeighbor(), X, known).proba
        fit = ParametricEmbedding(random_state=0).fit(proba)
        yield MapPanel(f"{count} labels of each digit", fit.embedding_, y, known >= 0)


def _pe_6(data: Path | None) -> Iterator[Panel]:
    proba = posteriors(read(data, "newsgroups20_bow").X)
    fit = ParametricEmbedding(random_state=0).fit(proba)
    yield MapPanel("5000 words by their first topic", fit.embedding_, proba.argmax(axis=1))


def _codes(y: Any) -> Any:
    return np.unique(y, return_inverse=True)[1]


_hssne = partial(Drawing, HSSNE)
_pe = partial(Drawing, PE)
DRAWINGS = (
    Drawing(
        MBED,
        "Figure 2",
        "digits 2, 4 and 8 of USPS by SNE and by Mbed",
        "mbed-digits-2-4-8",
        2,
        _mbed_2,
    ),
    Drawing(
        MBED,
        "Figure 3",
        "without labels, with 50 labels, and steps of the annealing with labels",
        "mbed-digits-2-4-8",
        2,
        _mbed_3,
    ),
    Drawing(
        SNERV,
        "Figure 1, maps",
        "1500 letters by five methods with fixed parameters; large points had no label; MRE's axes "
        "are drawn at scales of their own",
        "snerv-letter-short",
        3,
        _snerv_maps,
    ),
    Drawing(
        FRAMEWORK,
        "Figures 1 and 3",
        "the three problems in the plane and the axes that learners find; large points are labeled "
        "(Figures 1 and 3, 4, 5)",
        "framework-toys",
        3,
        _toys,
    ),
    Drawing(
        FRAMEWORK,
        "Figures 6 on",
        "ionosphere: of the links with at least a weight, the share within one class, before and "
        "after the Hadamard power",
        "framework-neighbors",
        1,
        _framework_6,
    ),
    _pe("Figure 1", "ten newsgroups by eight methods", "pe-maps", 4, _pe_1),
    _pe("Figure 2", "precision against the number of objects h", "pe-curves", 1, _pe_2),
    _pe("Figure 3", "iterations of seven starts against the objects", "pe-newsgroups", 1, _pe_3),
    _pe("Figure 4 and Table 2", "time of eight methods against the objects", "pe-times", 1, _pe_4),
    _pe("Figure 5", "MNIST digits 0 to 4, 10 and 100 labels of each", "pe-mnist", 2, _pe_5),
    _pe("Figure 6", "words of 20 Newsgroups in five topics", "pe-words", 1, _pe_6),
    _hssne(
        "Figure 2",
        "iris, wine and segmentation: cost against iterations, Laplacian eigenmap, gradient and "
        "fixed-point t-SNE",
        "hssne-unsupervised",
        3,
        _hssne_2,
    ),
    _hssne("Figure 3", "vehicle, without and with 891 known pairs", "hssne-vehicle", 3, _hssne_3),
)


def main(arguments: list[str] | None = None) -> int:
    """Draw what is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the directory with the experiments' data files")
    return draw_all(parser.parse_args(arguments).data)


if __name__ == "__main__":
    sys.exit(main())
