"""Data to try methods on: small bundled sets, generators, and a reader for files on disk.

* :func:`load` returns a data set by name, bundled or from a folder; :func:`load_letter`,
  :func:`load_satellite`, :func:`load_vehicle` and :func:`load_ionosphere` return the bundled ones.
* :func:`names` lists the known data sets, and ``CATALOG`` states their sources.
* :func:`fetch` downloads from OpenML; nothing else here uses the network.
* :func:`gaussian_pair` and :func:`crossed_pair` generate problems with known Bayes error.
* :func:`toy_multimodal`, :func:`toy_few_labels` and :func:`toy_neither_alone` generate three
  problems in the plane that distinguish the learners of :mod:`nbembed.spectral`.
"""

from nbembed.datasets.catalog import CATALOG, names
from nbembed.datasets.files import Dataset, MissingDataError, read
from nbembed.datasets.framework import (
    Toy,
    toy_few_labels,
    toy_multimodal,
    toy_neither_alone,
)
from nbembed.datasets.generators import crossed_pair, gaussian_pair
from nbembed.datasets.loading import (
    fetch,
    load,
    load_ionosphere,
    load_letter,
    load_satellite,
    load_vehicle,
)

__all__ = [
    "CATALOG",
    "Dataset",
    "MissingDataError",
    "Toy",
    "crossed_pair",
    "fetch",
    "gaussian_pair",
    "load",
    "load_ionosphere",
    "load_letter",
    "load_satellite",
    "load_vehicle",
    "names",
    "read",
    "toy_few_labels",
    "toy_multimodal",
    "toy_neither_alone",
]
