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
_LDS_HOME = "http://olivier.chapelle.cc/lds/"
_BOOK_HOME = "http://olivier.chapelle.cc/ssl-book/benchmarks.html"
_UCI_HOME = "https://archive.ics.uci.edu"


@dataclass(frozen=True)
class Entry:
    """A known data set.

    * name: the file is ``name + ".npz"``.
    * source: the source, to complete a sentence that begins with "It is".
    * bundled: whether the package contains the file.
    * openml: the OpenML data set id, if OpenML has the same data.
    * note: a caveat for anyone who makes a figure from the data.
    * home: the address where its makers publish it, if there is one; it may have another format
      there.
    """

    name: str
    source: str
    bundled: bool = False
    openml: int | None = None
    note: str = ""
    home: str = ""


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
        home=_UCI_HOME,
    ),
    Entry("balance", f"Balance Scale, {_UCI}", openml=11, home=_UCI_HOME),
    Entry(
        "lvq_phoneme",
        "the example speech of LVQ_PAK (Kohonen and others, Helsinki), for scientific use only",
        note="20 classes; the SNeRV paper has 13, as many as have 100 samples here.",
        home="http://www.cis.hut.fi/research/lvq_pak/",
    ),
    Entry("g50c", _LDS, note="gaussian_pair draws from the same distribution.", home=_LDS_HOME),
    Entry("g10n", _LDS, note="crossed_pair draws from a similar distribution.", home=_LDS_HOME),
    Entry("text_mac_win", f"TEXT in {_LDS}", home=_LDS_HOME),
    Entry(
        "uspst",
        f"USPS in {_LDS}",
        note="The test part that LDS used, not the file zip.test.",
        home=_LDS_HOME,
    ),
    Entry(
        "coil20",
        "COIL-20, Columbia University Image Library, at 32 × 32",
        note="The official splits are not available; these are drawn at random.",
        home="https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
    ),
    Entry("ssl_bci", f"BCI in {_BOOK}", home=_BOOK_HOME),
    Entry("ssl_digit1", f"Digit1 in {_BOOK}", home=_BOOK_HOME),
    Entry("ssl_usps", f"USPS in {_BOOK}", note="Pixels were obscured on purpose.", home=_BOOK_HOME),
    Entry(
        "yaleb_32x32",
        "Extended Yale B, cropped, at 32 × 32, for research use",
        home="http://www.cad.zju.edu.cn/home/dengcai/Data/FaceData.html",
    ),
    Entry(
        "newsgroups20_bow",
        "20 Newsgroups by date, counts of 5000 words; 11314 training rows",
        home="http://qwone.com/~jason/20Newsgroups/",
    ),
    Entry(
        "bbc_news_bow",
        "BBC News (Greene and Cunningham, 2006), counts of 2949 words",
        home="http://mlg.ucd.ie/datasets/bbc.html",
    ),
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
