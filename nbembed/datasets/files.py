"""Data sets as compressed ``.npz`` files: one format for those bundled and those on disk.

A file holds ``X`` (or the parts of a CSR matrix: ``X_data``, ``X_indices``, ``X_indptr``,
``X_shape``), ``y`` as integers from 0, ``target_names``, and where there are official splits
``labeled_idx_L`` (splits × L), the indices of the points whose labels a method may see.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Where files that the package does not ship come from.
SOURCES = {
    "segment": "Image Segmentation, UCI Machine Learning Repository; its 210 training rows first",
    "g50c": 'the benchmark of "Semi-supervised classification by low density separation" '
    "(Chapelle and Zien, 2005), with its ten splits",
    "text_mac_win": 'TEXT in the benchmark of "Semi-supervised classification by low density '
    'separation" (Chapelle and Zien, 2005), with its ten splits',
}


class MissingDataError(FileNotFoundError):
    """A data file that is needed is not there; the message says which and where it comes from."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points, their classes, and official splits.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
    target_names : list of str
        Name of each class.
    labeled : dict of int to ndarray
        Number of labels to the splits' indices, shape (n_splits, n_labels).
    """

    X: Any
    y: NDArray[np.int64]
    target_names: list[str]
    labeled: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    def masked(self, split: int, n_labels: int) -> NDArray[np.int64]:
        """Return ``y`` with −1 wherever a split keeps the label back."""
        known = np.full_like(self.y, -1)
        index = self.labeled[n_labels][split]
        known[index] = self.y[index]
        return known


def read(directory: Path | None, name: str) -> Dataset:
    """Return the data set in ``directory / (name + ".npz")``.

    Raises
    ------
    MissingDataError
        If there is no such file, or no directory was given.
    """
    path = None if directory is None else Path(directory) / f"{name}.npz"
    if path is None or not path.is_file():
        source = SOURCES.get(name)
        where = "no data directory was given" if path is None else f"there is none in {directory}"
        raise MissingDataError(
            f"{name}.npz is needed and {where}." + (f" It is {source}." if source else "")
        )
    with path.open("rb") as file:
        return _dataset(file)


def load_vehicle() -> Dataset:
    """Return Statlog (Vehicle Silhouettes): 846 silhouettes, 18 features, 4 vehicles.

    Bundled. Collected by J. P. Siebert at the Turing Institute, Glasgow, in 1987; from the UCI
    Machine Learning Repository.
    """
    bundled = resources.files("nbembed.datasets") / "bundled" / "vehicle.npz"
    with bundled.open("rb") as file:
        return _dataset(file)


def _dataset(file: Any) -> Dataset:
    with np.load(file, allow_pickle=False) as parts:
        if "X" in parts:
            X = parts["X"].astype(np.float64)
        else:
            X = sparse.csr_array(
                (parts["X_data"].astype(np.float64), parts["X_indices"], parts["X_indptr"]),
                shape=tuple(parts["X_shape"].tolist()),
            )
        prefix = "labeled_idx_"
        return Dataset(
            X,
            parts["y"].astype(np.int64),
            [str(name) for name in parts["target_names"]],
            {
                int(key.removeprefix(prefix)): parts[key].astype(np.int64)
                for key in parts.files
                if key.startswith(prefix)
            },
        )
