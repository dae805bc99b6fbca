"""The claims of the five papers, and the figures that speak for or against each.

A claim names figures of experiments twice: those of the paper's algorithm as printed and those of
our default. A name that is not among the kept figures is a form that no experiment has; verdicts
are computed from the others (:mod:`nbembed.experiments.papers.verdicts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from nbembed.experiments.papers import (
    causes,
    framework,
    framework_figures,
    hssne,
    parametric_figures,
)
from nbembed.experiments.papers.published import FRAMEWORK, HSSNE, MBED, PE, SNERV, Paper
from nbembed.experiments.papers.verdicts import (
    STAND_INS,
    Above,
    Beyond,
    ByFold,
    Comparisons,
    Evidence,
    Gap,
    InRange,
    Level,
    Numbers,
    Side,
    Times,
)

#: Put behind the name of a method in figures of its printed form.
PRINTED = " as printed"
#: Of Mbed's benchmark.
SPLITS = 10


@dataclass(frozen=True)
class Claim:
    """A claim of a paper in a sentence.

    * default, printed: figures of our default, and of the paper's algorithm as printed.
    * published: the paper's figure, if it is not a number beside which ours are kept.
    """

    paper: Paper
    says: str
    default: Evidence | None = None
    printed: Evidence | None = None
    published: str = ""


#: Deviations of our figures, default or printed, from the paper's.
NOT_THE_PAPERS: Mapping[Paper, str] = MappingProxyType({
    MBED: (
        "With labels our default turns the crude first map to the labels and starts from it; "
        "Algorithm 1 starts from noise. Our default softens labels at 2r, as the text of section 6 "
        "does; equation (21) softens them at r. Conjugate gradients have a preconditioner. COIL is "
        "at 32 × 32 pixels, with splits of our own. k-means begins by k-means++."
    ),
    SNERV: (
        "Our default has one width for all neighborhoods on the map, where the paper has one for "
        "each point, and a floor under the probabilities of the data; NeRV beside it has a width "
        "for each point, so that the two differ by more than the metric. The paper's form was run "
        "on three folds of Letter alone, too few for a test; there it errs more than S-Isomap. The "
        "rivals are written from their formulas, MUHSIC without a last refinement by gradients, "
        "their parameters chosen by three inner folds of ten. Phoneme: the 13 largest of 20 "
        "classes."
    ),
    FRAMEWORK: (
        "Our LFDA orders the axes that its formula leaves open, so that the supervised opponent "
        "is stronger than the printed one; affinities within classes are local scaling instead "
        "of 0 and 1; ε is γ in the experiments, tiny by default. Numbers of labels, the faces, "
        "the toys' points and their γ, chosen for each toy, are ours."
    ),
    PE: (
        "Documents are English newsgroups instead of Japanese web pages, words are of newsgroups "
        "instead of TASA, topics by variational Bayes instead of Gibbs sampling, digits at "
        "14 × 14 pixels. By default the centers are pulled less; probabilities equal in float64 "
        "count as tied, which favors the rivals, and priors are equal."
    ),
    HSSNE: (
        "1 % of the pairs are known, not 10 %; the start is shrunk instead of compressed; "
        "iterations are counted instead of seconds. The rate η and the momentum are those of "
        "t-SNE's authors, as in the paper; by default with their gains, as printed without, which "
        "equation (4) does not have. Which scaling of the data was meant is inferred from the "
        "costs. Our default optimizer is another one."
    ),
})  # fmt: skip

_ERROR = f"mean of the {SPLITS} splits: test error, %"
_MORE_PRINTED = "mbed-printed-text-usps-coil"
_BEST = "the best of ten by J: inconsistent pairs, %"
_MEANS = "k-means, best of ten: inconsistent pairs, %"
_SETS = ("snerv-letter", "snerv-satellite", "snerv-phoneme")


def _error(says: str, experiment: str, title: str, printed: str) -> Claim:
    row = f"{title}, mean of the {SPLITS} splits,{PRINTED}: test error, %"
    own = experiment in STAND_INS
    of_printed = Numbers(printed, (row,), runs=SPLITS, other_data=own)
    return Claim(MBED, says, Numbers(experiment, (_ERROR,)), of_printed)


def _farther(says: str, experiment: str, *titles: str) -> Claim:
    """Return the claim on the errors with labels as certain as a point at 2r is."""
    printed = tuple(f"{title}, mean of the {SPLITS} splits,{PRINTED}" for title in titles)
    rows = tuple(f"{row}, labels at 2r: test error, %" for row in printed)
    beside = tuple(f"{row}: test error, %" for row in printed)
    return Claim(MBED, says, printed=Numbers(experiment, rows, runs=SPLITS, beside=beside))


def _versions(first: str, second: str) -> Comparisons:
    """Return the comparison of two methods on SNeRV's three data sets."""
    return Comparisons([ByFold(name, first, second) for name in _SETS])


def _learners(learner: str, opponent: str) -> Comparisons:
    """Return the comparisons of two learners on all sets, spaces and numbers of labels."""
    linear = "framework-dne-" if learner == "SS-DNE" else "framework-"
    few = ("framework-kernel-", linear)
    more = ("framework-usps-faces-", "framework-kernel-usps-faces-")

    def cells() -> Iterator[Above]:
        for homes, tasks in ((few, framework.TASKS), (more, framework.MORE)):
            for home in homes:
                for labels in (10, 100):
                    for task in tasks:
                        title = f"{task.name}, {labels} labels:"
                        yield Above(
                            f"{home}{labels}",
                            f"{title} {learner}, %",
                            f"{title} {opponent}, %",
                            len(framework.SPLITS),
                            f"{title} {learner} − {opponent}",
                        )

    return Comparisons(tuple(cells()), other=_OTHER_LFDA if opponent == "LFDA" else "")


def _toys() -> Comparisons:
    """Return the comparisons of all learners of the toys with a random axis."""
    runs = len(framework_figures.SEEDS)
    return Comparisons([
        Beyond("framework-toys", f"{title}, {name}: degrees off the axis", runs)
        for title, _, missing, finding in framework_figures.TOYS
        for name in (*missing, *finding)
    ])  # fmt: skip


def _precision() -> Comparisons:
    runs = len(parametric_figures.STARTS)
    return Comparisons([
        Above("pe-curves", f"prec({h}) of PE", f"prec({h}) of {other}", runs)
        for h in parametric_figures.H
        for other in ("SNE", "Isomap2", "MDS2")
    ])  # fmt: skip


def _maps(row: str) -> tuple[str, ...]:
    return tuple(f"{column.title}, {row}" for column in hssne.COLUMNS)


def _tails(first: str, second: str) -> Above:
    runs = len(hssne.DRAWS)
    return Above("hssne-vehicle", f"{first}: homogeneity", f"{second}: homogeneity", runs)


def _printed_descent(rate: int) -> Comparisons:
    """Return the ratios of the fixed point to equation (4), which has no gains, at a rate."""
    return Comparisons([
        Times(
            "hssne-causes",
            causes.to_the_papers_cost(column.title, f"gradient, no gains, η = {rate}"),
            less=True,
        )
        for column in hssne.COLUMNS
    ])  # fmt: skip


_OTHER_LFDA = "another LFDA"
_ALPHAS = ("α = 0", "α = 0.5", "α = 1", "α = 1.5")
_SLOWER = ("Isomap1", "Isomap2", "SNE", "FLDA", "KDA")
_ONE = "distance of the 1's center from the middle, in medians"
_STAR = (
    "certain words nearest to the mean of their topic, %",
    "loosest cluster of certain words, in distances to the next",
    "topic means that are corners of their hull",
)
_RATIO = "iterations, fixed point / gradient"

CLAIMS = (
    _error("With 50 labels Mbed misclassifies 5.3 % of g50c", "mbed-g50c", "g50c", "mbed-printed"),
    _error("… 5.9 % of TEXT", "mbed-text", "TEXT", _MORE_PRINTED),
    _error(
        "… 38 % of g10n, whose classes are not its clusters", "mbed-g10n", "g10n", "mbed-printed"
    ),
    _error("… 31 % of USPS", "mbed-usps", "USPS", _MORE_PRINTED),
    _error("… 40 % of COIL", "mbed-coil", "COIL", _MORE_PRINTED),
    _farther("With labels at 2r, as its text has it: g50c, g10n", "mbed-printed", "g50c", "g10n"),
    _farther("… TEXT, USPS", _MORE_PRINTED, "TEXT", "USPS"),
    Claim(
        MBED,
        "Without labels it and the classes disagree on 10 % of the pairs of TEXT",
        Numbers("mbed-text-unsupervised", (_BEST,)),
    ),
    Claim(
        MBED,
        "… which is 8.75 points less than by k-means",
        Gap("mbed-text-unsupervised", _BEST, _MEANS),
    ),
    Claim(
        SNERV,
        "SNeRV is better than S-Isomap on Letter",
        Comparisons([ByFold("snerv-letter", "SNeRV(0.1)", "S-Isomap")]),
        Comparisons([ByFold("snerv-letter-printed-short", f"SNeRV(0.1),{PRINTED}", "S-Isomap")]),
        published="p = 1.5e-4",
    ),
    Claim(
        SNERV,
        "… and no better or worse on Landsat and Phoneme",
        Level([ByFold(name, "SNeRV(0.3)", "S-Isomap") for name in _SETS[1:]]),
        published="p = .53 / .54",
    ),
    Claim(SNERV, "On TIMIT SNeRV is better than MUHSIC", published="p = 2.5e-6"),
    Claim(
        SNERV,
        "SNeRV and S-Isomap are better than MUHSIC on these three sets",
        Comparisons(
            [
                ByFold(name, first, "MUHSIC")
                for name in _SETS
                for first in ("SNeRV(0.1)", "S-Isomap")
            ]
        ),
        published="Figure 1",
    ),
    Claim(
        SNERV,
        "MRE is clearly worse than SNeRV and S-Isomap",
        Comparisons(
            [ByFold(name, first, "MRE") for name in _SETS for first in ("SNeRV(0.1)", "S-Isomap")]
        ),
        published="Figure 1",
    ),
    Claim(
        SNERV,
        "… and than MUHSIC: Letter, Landsat, Phoneme",
        _versions("MUHSIC", "MRE"),
        published="Figure 1",
    ),
    Claim(
        SNERV,
        "Labels part the classes: SNeRV is better than NeRV, same sets",
        _versions("SNeRV(0.1)", "NeRV"),
        Comparisons(
            [ByFold("snerv-letter-printed-short", f"SNeRV(0.1),{PRINTED}", f"NeRV(0.1),{PRINTED}")]
        ),
        published="Figure 1",
    ),
    Claim(
        SNERV,
        "… and maps without labels often do not: it is better than t-SNE",
        Comparisons(
            [
                ByFold(name, "SNeRV(0.1)", f"t-SNE on {title}", "snerv-unlabeled")
                for name, title in zip(_SETS, ("Letter", "Landsat", "Phoneme"))
            ]
        ),
        published="section 3",
    ),
    Claim(
        SNERV,
        "Straight paths do as well as shortest ones",
        printed=Level(
            [
                ByFold(
                    "snerv-letter-printed-short",
                    f"SNeRV(0.1),{PRINTED}",
                    f"SNeRV(0.1),{PRINTED}, shortest paths",
                )
            ]
        ),
        published="section 2.1",
    ),
    Claim(
        FRAMEWORK,
        "Toys: SS-LFDA finds the axis in all, each other learner in one or none",
        _toys(),
        published="Figures 1 to 5",
    ),
    Claim(
        FRAMEWORK,
        "Heavy links, and the Hadamard power, join points of one class (ionosphere)",
        Comparisons(
            [
                InRange(
                    "framework-neighbors", "ionosphere: gain by heavy links, percentage points"
                ),
                InRange("framework-neighbors", "ionosphere: gain by the power, percentage points"),
            ]
        ),
        published="Figures 6 on",
    ),
    Claim(
        FRAMEWORK,
        "SS-MMC does not handle classes of several clusters: degrees off the axis",
        printed=Comparisons(
            [
                Side(
                    "framework-toys",
                    "all three at one γ, SS-MMC: degrees off the axis at most",
                    framework_figures.FOUND,
                    framework_figures.MISSED,
                )
            ]
        ),
        published="section 4",
    ),
    *(
        Claim(
            FRAMEWORK,
            says,
            _learners(*learners),
            published="numerals lost",
        )
        for says, *learners in (
            ("Unlabeled points help: SS-LFDA is better than LFDA", "SS-LFDA", "LFDA"),
            ("… SS-DNE than DNE", "SS-DNE", "DNE"),
            ("Labels help: SS-LFDA is better than LPP*", "SS-LFDA", "LPP*"),
            ("… SS-DNE than LPP*", "SS-DNE", "LPP*"),
            ("SS-LFDA is better than SELF", "SS-LFDA", "SELF"),
        )
    ),
    Claim(
        PE,
        "A class's likeliest objects are nearest to it, more than by SNE, Isomap, MDS",
        _precision(),
        published="Figure 2",
    ),
    Claim(
        PE,
        "More objects take no more iterations",
        Comparisons(
            [InRange("pe-newsgroups", "iterations more at 18846 objects than at 1000, means")]
        ),
        published="Figure 3",
    ),
    Claim(
        PE,
        "PE's time grows with the number of objects by this power",
        Numbers("pe-times", ("PE: slope of log time",)),
    ),
    Claim(
        PE,
        "It is faster than Isomap, SNE, FLDA and KDA: their times in its own",
        Comparisons(
            [
                Times("pe-times", f"{name}: times the seconds of PE at 4000 objects")
                for name in _SLOWER
            ],
            shown=len(_SLOWER),
        ),
        published="67 to 2157",
    ),
    Claim(
        PE,
        "The 1 is in the middle of the digits, with 10 and with 100 labels",
        Comparisons(
            [
                Beyond(
                    "pe-mnist", f"{count} labels per class: {_ONE}", len(parametric_figures.STARTS)
                )
                for count in parametric_figures.LABELS
            ]
        ),
        published="Figure 5",
    ),
    Claim(
        PE,
        "Words of one topic are tight clusters at the corners of a star",
        Comparisons([InRange("pe-words", row) for row in _STAR], shown=0),
        published="Figure 6",
    ),
    Claim(PE, "… and dense curves of words join every pair of topics", published="Figure 6"),
    Claim(
        HSSNE,
        "Homogeneity of fixed-point t-SNE: iris, wine, segmentation",
        Numbers("hssne-unsupervised", _maps("default optimizer: homogeneity"), "higher"),
        Numbers("hssne-unsupervised", _maps("fixed point: homogeneity"), "higher"),
    ),
    Claim(
        HSSNE,
        "… and its cost",
        Numbers("hssne-unsupervised", _maps("default optimizer: cost")),
        Numbers("hssne-unsupervised", _maps("fixed point: cost")),
    ),
    Claim(
        HSSNE,
        "The fixed point takes fewer iterations than gradient descent: ratios",
        Comparisons(
            [
                Times("hssne-unsupervised", f"{column.title}: {_RATIO}", less=True)
                for column in hssne.COLUMNS
            ],
        ),
        _printed_descent(100),
        published="< 1",
    ),
    Claim(
        HSSNE,
        "… and at η = 25, which leaves out the gradient's factor 4",
        printed=_printed_descent(25),
        published="< 1",
    ),
    Claim(
        HSSNE,
        "Laplacian eigenmaps show no classes: their homogeneity",
        printed=Numbers("hssne-unsupervised", _maps("Laplacian eigenmap: homogeneity"), "neither"),
    ),
    Claim(
        HSSNE,
        "Vehicle: homogeneity of gradient t-SNE without and with pairs",
        printed=Numbers(
            "hssne-vehicle",
            (
                "unsupervised gradient t-SNE: homogeneity",
                "gradient t-SNE with pairs: homogeneity",
            ),
            "higher",
        ),
    ),
    Claim(
        HSSNE,
        "… by the fixed point with α = 0, ½, 1, 1½",
        printed=Numbers(
            "hssne-vehicle", tuple(f"{alpha}: homogeneity" for alpha in _ALPHAS), "higher"
        ),
    ),
    Claim(
        HSSNE,
        "… and its cost",
        printed=Numbers("hssne-vehicle", tuple(f"{alpha}: cost" for alpha in _ALPHAS), "neither"),
    ),
    Claim(
        HSSNE,
        "Heavier tails raise the homogeneity, step by step",
        printed=Comparisons([_tails(more, less) for less, more in pairwise(_ALPHAS)]),
        published="3 of 3",
    ),
    Claim(
        HSSNE,
        "With α = 1 and 1½ it is above that of gradient t-SNE",
        printed=Comparisons([_tails(alpha, "gradient t-SNE with pairs") for alpha in _ALPHAS[2:]]),
        published="2 of 2",
    ),
)
