"""Every table and every figure with data of the five papers, one row each, as data.

A table or figure of several data sets has a row for each of them, where the experiments differ.
Left out are drawings without data: the logistic function (Figure 1) of Mbed, the power family
(Figure 1) of HSSNE, and the steps of the KPCA trick (Figure 2) of the framework. The text of the
framework's paper that these rows were checked against has lost its numerals, so its figures and
tables are counted in the order in which they are mentioned, and its numbers are not available.

:mod:`nbembed.experiments.papers.paper_rows` prints the rows and says what the states mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["reproduced", "in part", "short form only", "not yet", "data not to be had"]


@dataclass(frozen=True)
class Paper:
    """A paper: a short name, and what to cite."""

    name: str
    title: str
    reference: str


@dataclass(frozen=True)
class Row:
    """A table or a figure, or its part on one data set.

    * number: "Table 1", "Figure 3".
    * data: the data set of the paper.
    * state: "reproduced": the experiments compute all that it shows. "in part": some of it, see
      ``note``. "short form only": a shortened protocol. "not yet": nothing. "data not to be had":
      the paper's data are not public; ``stand_in`` took their place if there are experiments.
    * experiments: their names in ``nbembed reproduce NAME``.
    * stand_in: what is taken instead of the paper's data.
    * note: what differs or is missing.
    """

    paper: Paper
    number: str
    shows: str
    data: str
    state: State
    experiments: tuple[str, ...] = ()
    stand_in: str = ""
    note: str = ""


MBED = Paper("Mbed", "Large Margin Non-Linear Embedding", "Zien and Quiñonero Candela, ICML 2005")
SNERV = Paper(
    "SNeRV",
    "Supervised Nonlinear Dimensionality Reduction by Neighbor Retrieval",
    "Peltonen, Aidos and Kaski, ICASSP 2009",
)
FRAMEWORK = Paper(
    "Framework",
    "A Unified Semi-Supervised Dimensionality Reduction Framework for Manifold Learning",
    "Chatpatanasiri and Kijsirikul, 2008",
)
PE = Paper(
    "PE",
    "Parametric Embedding for Class Visualization",
    "Iwata, Saito, Ueda, Stromsten, Griffiths and Tenenbaum, Neural Computation 2007",
)
HSSNE = Paper(
    "HSSNE",
    "Heavy-Tailed Symmetric Stochastic Neighbor Embedding",
    "Yang, King, Xu and Oja, NIPS 2009",
)
PAPERS = (MBED, SNERV, FRAMEWORK, PE, HSSNE)

_PAIRS = "unsupervised: pairs on which clusters and classes disagree, Mbed and k-means"
_ERROR = "semi-supervised: test error over ten splits of 50 labels"
_OTHERS = "Manifold, TSVM and LDS are other authors' methods; 1-NN and LabelSpreading stand beside."
_FIVE_NN = "5-NN error in the map over ten folds, and the paired t-test of the two best methods"
_BARS = "Figure 1, top left"
_SHOWN = "mean error and standard deviation of SNeRV, S-Isomap, MUHSIC and MRE"
_UNPRINTED = "Bars without printed values: what the text says of them is judged."
_SPEECH = "The package's file has 20 classes, the paper 13 of them: the largest ones are taken."
_INNER = "Parameters of S-Isomap, MUHSIC and MRE by three of the ten inner folds (short form: one)."
_WEB = "5000 Japanese web pages of 10 topics"
_NEWS = "20 Newsgroups with naive Bayes posteriors"
_LOST = "The paper's numbers are not available: its claims are judged."
_COUNTS = "Ten and a hundred labels stand for the paper's numbers of labels."
_FACES = "our own draw from Extended Yale B, five classes of two persons, 32 images of each"
_MORE = ("framework-usps-faces-10", "framework-usps-faces-100")
_KERNEL = ("framework-kernel-usps-faces-10", "framework-kernel-usps-faces-100")

ROWS = (
    Row(
        MBED,
        "Figure 2",
        "SNE's map and Mbed's clustering of three digits, side by side",
        "USPS test part, digits 2, 4, 8",
        "reproduced",
        ("mbed-digits-2-4-8",),
        note="A picture, drawn below; what is judged is how many digits are misplaced.",
    ),
    Row(
        MBED,
        "Figure 3",
        "50 labels reduce the misclassified digits; the map along the annealing",
        "USPS test part, digits 2, 4, 8",
        "reproduced",
        ("mbed-digits-2-4-8",),
        note="A picture, drawn below: the paper's criterion takes steps 20 and 9.",
    ),
    Row(MBED, "Table 1", _PAIRS, "g50c", "reproduced", ("mbed-g50c-unsupervised",)),
    Row(MBED, "Table 1", _PAIRS, "g10n", "reproduced", ("mbed-g10n-unsupervised",)),
    Row(
        MBED,
        "Table 1",
        _PAIRS,
        "TEXT",
        "reproduced",
        ("mbed-text-unsupervised", "mbed-causes"),
    ),
    Row(
        MBED,
        "Table 1",
        _PAIRS,
        "COIL",
        "reproduced",
        ("mbed-coil-unsupervised", "mbed-causes"),
    ),
    Row(MBED, "Table 2", _ERROR, "g50c", "reproduced", ("mbed-g50c", "mbed-printed"), note=_OTHERS),
    Row(MBED, "Table 2", _ERROR, "g10n", "reproduced", ("mbed-g10n", "mbed-printed"), note=_OTHERS),
    Row(
        MBED,
        "Table 2",
        _ERROR,
        "TEXT",
        "reproduced",
        ("mbed-text", "mbed-printed-text-usps-coil"),
        note=_OTHERS,
    ),
    Row(MBED, "Table 2", _ERROR, "USPS", "reproduced", ("mbed-usps",), note=_OTHERS),
    Row(
        MBED,
        "Table 2",
        _ERROR,
        "COIL",
        "reproduced",
        ("mbed-coil",),
        stand_in="COIL-20 at 32 × 32 with ten drawn splits of 40 labels, two of each class",
        note=_OTHERS,
    ),
    Row(
        SNERV,
        _BARS,
        _SHOWN,
        "Letter",
        "reproduced",
        ("snerv-letter-short", "snerv-letter"),
        note=f"{_UNPRINTED} {_INNER}",
    ),
    Row(
        SNERV,
        _BARS,
        _SHOWN,
        "Landsat",
        "reproduced",
        ("snerv-satellite",),
        note=f"{_UNPRINTED} {_INNER}",
    ),
    Row(
        SNERV,
        _BARS,
        _SHOWN,
        "Phoneme",
        "reproduced",
        ("snerv-phoneme",),
        note=f"{_UNPRINTED} {_SPEECH}",
    ),
    Row(SNERV, _BARS, _SHOWN, "TIMIT", "data not to be had", note="A licensed speech corpus."),
    Row(
        SNERV,
        "Figure 1, maps",
        "example maps by the four supervised methods and NeRV",
        "Letter",
        "reproduced",
        ("snerv-letter",),
        note="Pictures, drawn below with fixed parameters: the errors of the methods are judged.",
    ),
    Row(
        SNERV,
        "Table 1",
        _FIVE_NN,
        "Letter",
        "reproduced",
        ("snerv-letter", "snerv-letter-printed-short", "snerv-letter-printed"),
        note=_INNER,
    ),
    Row(SNERV, "Table 1", _FIVE_NN, "Landsat", "reproduced", ("snerv-satellite",), note=_INNER),
    Row(
        SNERV,
        "Table 1",
        _FIVE_NN,
        "Phoneme",
        "reproduced",
        ("snerv-phoneme",),
        note=f"{_INNER} {_SPEECH}",
    ),
    Row(
        SNERV,
        "Table 1",
        _FIVE_NN,
        "TIMIT",
        "data not to be had",
        note="A licensed speech corpus.",
    ),
    Row(
        FRAMEWORK,
        "Figures 1 and 3",
        "many labels, a class of several clusters: LFDA finds the axis, FDA, PCA and SS-FDA not",
        "points in the plane",
        "reproduced",
        ("framework-toys",),
        stand_in="a problem of the same kind: the paper's points are not printed",
    ),
    Row(
        FRAMEWORK,
        "Figure 4",
        "few labels: LPP and SS-LFDA find the axis, FDA, LFDA, PCA and SELF do not",
        "points in the plane",
        "reproduced",
        ("framework-toys",),
        stand_in="a problem of the same kind: the paper's points are not printed",
    ),
    Row(
        FRAMEWORK,
        "Figure 5",
        "SS-LFDA finds the axis where neither LFDA nor LPP does",
        "points in the plane",
        "reproduced",
        ("framework-toys",),
        stand_in="a problem of the same kind: the paper's points are not printed",
    ),
    Row(
        FRAMEWORK,
        "Figures 6 on",
        "which linked pairs share a class, before and after the Hadamard power",
        "ionosphere",
        "reproduced",
        ("framework-neighbors",),
        note=_LOST,
    ),
    Row(
        FRAMEWORK,
        "Table 1",
        "the data sets, and how often a nearest neighbor has the same class, linear and quadratic",
        "ionosphere, balance, BCI, USPS, M-Eyale",
        "in part",
        ("framework-neighbors",),
        stand_in=f"for M-Eyale {_FACES}",
        note=_LOST,
    ),
    Row(
        FRAMEWORK,
        "Table 2",
        "accuracy of the linear learners with few and with many labels",
        "ionosphere, balance, BCI",
        "in part",
        (
            "framework-10",
            "framework-100",
            "framework-dne-10",
            "framework-dne-100",
            "framework-best",
        ),
        note=f"{_LOST} {_COUNTS}",
    ),
    Row(
        FRAMEWORK,
        "Table 2",
        "accuracy of the linear learners with few and with many labels",
        "USPS",
        "in part",
        _MORE,
        note=f"{_LOST} {_COUNTS}",
    ),
    Row(
        FRAMEWORK,
        "Table 2",
        "accuracy of the linear learners with few and with many labels",
        "M-Eyale",
        "data not to be had",
        _MORE,
        stand_in=_FACES,
        note=f"{_LOST} {_COUNTS}",
    ),
    Row(
        FRAMEWORK,
        "Table 3",
        "accuracy of the learners by the KPCA trick with a quadratic kernel",
        "ionosphere, balance, BCI",
        "in part",
        ("framework-kernel-10", "framework-kernel-100"),
        note=f"{_LOST} {_COUNTS}",
    ),
    Row(
        FRAMEWORK,
        "Table 3",
        "accuracy of the learners by the KPCA trick with a quadratic kernel",
        "USPS",
        "in part",
        _KERNEL,
        note=f"{_LOST} {_COUNTS} With the 200 leading kernel components of 1499.",
    ),
    Row(
        FRAMEWORK,
        "Table 3",
        "accuracy of the learners by the KPCA trick with a quadratic kernel",
        "M-Eyale",
        "data not to be had",
        _KERNEL,
        stand_in=_FACES,
        note=f"{_LOST} {_COUNTS}",
    ),
    Row(
        PE,
        "Table 1",
        "F-measure of the classifier for each class",
        _WEB,
        "data not to be had",
        ("pe-newsgroups",),
        stand_in=_NEWS,
        note="The mean over the classes is compared.",
    ),
    Row(
        PE,
        "Figure 1",
        "maps of PE, MDS, Isomap, SNE, FLDA and KDA: where classes part and where they overlap",
        _WEB,
        "data not to be had",
        ("pe-maps",),
        stand_in=_NEWS,
        note="Pictures: the error of ten neighbors in the map stands for them.",
    ),
    Row(
        PE,
        "Figure 2",
        "precision of the objects nearest to a class center, against their number h",
        _WEB,
        "data not to be had",
        ("pe-newsgroups", "pe-curves", "pe-digits", "pe-causes"),
        stand_in=_NEWS,
    ),
    Row(
        PE,
        "Figure 3",
        "the number of iterations does not grow with the number of objects",
        _WEB,
        "data not to be had",
        ("pe-newsgroups",),
        stand_in=_NEWS,
    ),
    Row(
        PE,
        "Figure 4 and Table 2",
        "time against the number of objects, and its slope on logarithmic axes",
        _WEB,
        "data not to be had",
        ("pe-times",),
        stand_in=_NEWS,
        note="To 4000 objects; benchmarks/parametric.py goes to a million.",
    ),
    Row(
        PE,
        "Figure 5",
        "maps of digits from a classifier with 10 and with 100 labels a class",
        "2558 MNIST digits, 0 to 4",
        "reproduced",
        ("pe-mnist", "pe-mnist-causes"),
        note="Pictures: what the text reads off them is judged. Ours are at 14 × 14 pixels.",
    ),
    Row(
        PE,
        "Figure 6",
        "map of 26 243 words and 5 of 50 topics of a latent Dirichlet allocation",
        "TASA corpus",
        "data not to be had",
        ("pe-words",),
        stand_in="5000 words of 20 Newsgroups, topics by variational Bayes",
        note="A picture: what the text reads off it is judged.",
    ),
    Row(
        HSSNE,
        "Figure 2",
        "homogeneity, cost and speed: Laplacian eigenmap, gradient and fixed-point t-SNE",
        "iris, wine, segmentation",
        "reproduced",
        ("hssne-unsupervised", "hssne-causes"),
    ),
    Row(
        HSSNE,
        "Figure 3",
        "homogeneity and cost with known pairs: t-SNE without and with them, four α",
        "vehicle",
        "reproduced",
        ("hssne-vehicle",),
        note="With 1 % of the pairs, not with the 10 % that the paper states.",
    ),
)

#: What the other experiments are about.
BEYOND = {
    "labels-structure-short": "the effect of labels on the inner structure of digits",
    "labels-structure": "the effect of labels on the inner structure of a group",
    "labels-benchmark": "whether labels make a map worse, on the benchmarks' splits",
    "labels-accepted": "the effect of accepted suggestions on a map",
    "mbed-centers": "Mbed in the plane with regions around centers",
    **{
        f"mbed-label-distance-{name}": f"Mbed with labels at r and at 2r, {title}"
        for name, title in (
            ("digits", "digits"),
            ("satellite", "Landsat satellite"),
            ("cells", "single cells"),
            ("letter", "Letter"),
            ("official", "the paper's splits"),
        )
    },
    "few-labels-short": "classifiers with few labels side by side, three splits",
    "few-labels": "classifiers with few labels side by side, the book's benchmark",
    "few-labels-50": "classifiers with 50 labels side by side, Mbed's benchmark",
    "none-of-these": "a class without labels among others with ten",
    "framework-epsilon": "maps of few labels by the regularization of the framework's constraint",
    "labels-causes": "causes of what labels do not do to a group",
    "few-labels-causes": "causes of where propagation is not ahead",
    "nerv-widths": "the effect of the width on the map on maps of texts",
    "snerv-unlabeled": "a map without labels on SNeRV's data",
}
