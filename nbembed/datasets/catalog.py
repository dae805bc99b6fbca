"""The known data sets, their sources and caveats."""

from __future__ import annotations

from dataclasses import dataclass

_LDS = (
    'the benchmark of "Semi-supervised classification by low density separation" (Chapelle and '
    "Zien, 2005), with its ten splits of 50 labels"
)
_BOOK = (
    'the benchmark of the book "Semi-Supervised Learning" (Chapelle, Schölkopf and Zien, 2006), '
    "with its twelve splits of 10 and of 100 labels"
)
_UCI = "UCI Machine Learning Repository"


@dataclass(frozen=True)
class Entry:
    """A data set by its name.

    Attributes
    ----------
    name : str
        Its file is called ``name + ".npz"``.
    source : str
        Its source, for a sentence that begins with "It is".
    bundled : bool
        Whether the package contains it.
    openml : int or None
        Its number at OpenML, if that has the same data.
    note : str
        A caveat for whoever makes a figure from it.
    """

    name: str
    source: str
    bundled: bool = False
    openml: int | None = None
    note: str = ""


_ENTRIES = (
    Entry("letter", f"Letter Recognition, {_UCI}; its 16000 training rows first", True),
    Entry("satellite", f"Statlog (Landsat Satellite), {_UCI}; its 4435 training rows first", True),
    Entry("vehicle", f"Statlog (Vehicle Silhouettes), {_UCI}", True),
    Entry("ionosphere", f"Ionosphere, {_UCI}", True),
    Entry(
        "segment",
        f"Image Segmentation, {_UCI}; its 210 training rows first",
        openml=36,
        note="OpenML has the rows in another order, without a training part.",
    ),
    Entry("balance", f"Balance Scale, {_UCI}", openml=11),
    Entry(
        "lvq_phoneme",
        "the example speech of LVQ_PAK (Kohonen and others, Helsinki), for scientific use only",
        note="20 classes; a paper on supervised retrieval has 13.",
    ),
    Entry("g50c", _LDS, note="gaussian_pair draws more of its kind."),
    Entry("g10n", _LDS, note="crossed_pair draws more of its kind."),
    Entry("text_mac_win", f"TEXT in {_LDS}"),
    Entry("uspst", f"USPS in {_LDS}", note="The test part that LDS used, not the file zip.test."),
    Entry(
        "coil20",
        "COIL-20, Columbia University Image Library, at 32 × 32",
        note="The official splits are not available: those here are drawn at random.",
    ),
    Entry("ssl_bci", f"BCI in {_BOOK}"),
    Entry("ssl_digit1", f"Digit1 in {_BOOK}"),
    Entry("ssl_usps", f"USPS in {_BOOK}", note="Pixels were obscured on purpose."),
    Entry("yaleb_32x32", "Extended Yale B, cropped, at 32 × 32, for research use"),
    Entry("newsgroups20_bow", "20 Newsgroups by date, counts of 5000 words; 11314 training rows"),
    Entry("bbc_news_bow", "BBC News (Greene and Cunningham, 2006), counts of 2949 words"),
    Entry("mnist", "MNIST; its 60000 training rows first", openml=554),
    Entry(
        "pbmc3k",
        "3k PBMCs of 10x Genomics: 50 principal components, and counts in extra",
        note="Classes are clusters that were found in the same data, not a ground truth.",
    ),
    Entry(
        "worm_neurons",
        "neurons of C. elegans, single cells: 50 principal components, and counts in extra",
        note="Classes are clusters that were found in the same data, not a ground truth.",
    ),
    Entry(
        "flow_bal_19k",
        "bronchoalveolar lavage, flow cytometry",
        note='One of the classes is "Unlabeled": 5554 cells that the experts did not name.',
    ),
)

#: All of them by name.
CATALOG = {entry.name: entry for entry in _ENTRIES}


def names() -> tuple[str, ...]:
    """Return the names that :func:`nbembed.datasets.load` knows, the bundled ones first."""
    return tuple(sorted(CATALOG, key=lambda name: not CATALOG[name].bundled))
