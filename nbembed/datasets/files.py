"""Data sets as compressed ``.npz`` files: one format for those bundled and those on disk.

A file holds ``X`` (or the parts of a CSR matrix: ``X_data``, ``X_indices``, ``X_indptr``,
``X_shape``), ``y`` as integers from 0, ``target_names``, and where there are any: splits
``labeled_idx_L`` (splits × L), the indices of the points whose labels a method may see;
``n_train``, the number of rows that are the official training part and come first;
``feature_names`` or ``vocabulary``; and further arrays.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.datasets.catalog import CATALOG
from nbembed.validation import check_count, check_path, check_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Larger arrays stay in single precision: double would take gigabytes.
MOST_IN_DOUBLE = 10_000_000
_SPLIT = re.compile(r"(?:generated_)?labeled_idx_(\d+)")


class MissingDataError(FileNotFoundError):
    """Required data are missing; the message says which, and where they come from."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points, their classes, and official splits.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        In float64; float32 beyond ten million values.
    y : ndarray of int, shape (n_samples,)
    target_names : list of str
        Name of each class.
    labeled : dict of int to ndarray
        Number of labels to the splits' indices, shape (n_splits, n_labels).
    feature_names : list of str
        Names of columns, [] where there are none.
    n_train : int or None
        Number of first rows that are the official training part.
    note : str
        A caveat for whoever makes a figure from them.
    extra : dict of str to array
        Other arrays of the file, such as raw counts.
    """

    X: Any
    y: NDArray[np.int64]
    target_names: list[str]
    labeled: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    feature_names: list[str] = field(default_factory=list)
    n_train: int | None = None
    note: str = ""
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    def masked(self, split: int, n_labels: int) -> NDArray[np.int64]:
        """Return ``y`` with −1 wherever a split hides the label.

        Raises
        ------
        ValueError
            If there is no such split.
        """
        if n_labels not in self.labeled:
            raise ValueError(f"n_labels must be one of {sorted(self.labeled)}, got {n_labels!r}")
        splits = self.labeled[n_labels]
        if not 0 <= check_count("split", split, low=0) < len(splits):
            raise ValueError(f"split must be in [0, {len(splits)}), got {split}")
        known = np.full_like(self.y, -1)
        index = splits[split]
        known[index] = self.y[index]
        return known


def read(directory: str | os.PathLike[str] | None, name: str) -> Dataset:
    """Return the data set in ``directory / (name + ".npz")``.

    Raises
    ------
    MissingDataError
        If there is no such file, or no directory was given.
    """
    check_text("name", name)
    path = None if directory is None else check_path("directory", directory) / f"{name}.npz"
    if path is None or not path.is_file():
        where = "no data directory was given" if path is None else f"there is none in {directory}"
        raise MissingDataError(f"{name}.npz is needed and {where}." + _about(name))
    return read_file(path)


def read_file(path: str | os.PathLike[str]) -> Dataset:
    """Return the data set in one file, whatever it is called.

    Raises
    ------
    MissingDataError
        If there is no such file.
    ValueError
        If it has another format; the message says what is missing.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}")
    with path.open("rb") as file:
        return unpack(file, path.stem)


def unpack(file: Any, name: str) -> Dataset:
    """Return the data set in an open file."""
    found = np.load(file, allow_pickle=False)
    if not isinstance(found, np.lib.npyio.NpzFile):
        raise ValueError(f"{name}.npz must be a file of several arrays, got a single one")
    with found:
        parts = dict(found)
    X = _matrix(parts, "X", name)
    missing = [key for key in ("y", "target_names") if key not in parts]
    if X is None or missing:
        raise ValueError(
            f"{name}.npz must hold X (or the parts of a CSR matrix), y and target_names; it has "
            f"{sorted(parts)}"
        )
    y = parts.pop("y").astype(np.int64)
    if y.shape != (X.shape[0],):
        raise ValueError(f"{name}.npz must hold one y a row of X, {X.shape[0]}, got {y.shape}")
    double = (X.size if isinstance(X, np.ndarray) else X.nnz) <= MOST_IN_DOUBLE
    labeled = {
        int(match[1]): parts.pop(key).astype(np.int64)
        for key in list(parts)
        if (match := _SPLIT.fullmatch(key))
    }
    n_train = parts.pop("n_train", None)
    columns = parts.pop("feature_names", parts.pop("vocabulary", None))
    entry = CATALOG.get(name)
    return Dataset(
        X.astype(np.float64 if double else np.float32),
        y,
        [str(target) for target in parts.pop("target_names")],
        labeled,
        [] if columns is None else [str(column) for column in columns],
        None if n_train is None else int(n_train),
        "" if entry is None else entry.note,
        _rest(parts, name),
    )


def _matrix(parts: dict[str, Any], key: str, name: str) -> Any:
    """Take a dense or sparse matrix out of a file's parts; None if there is none."""
    if key in parts:
        return parts.pop(key)
    pieces = [f"{key}_{piece}" for piece in ("data", "indices", "indptr", "shape")]
    if not all(piece in parts for piece in pieces):
        return None
    data, indices, indptr, shape = (parts.pop(piece) for piece in pieces)
    return sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))


def _rest(parts: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the remaining parts, sparse matrices assembled."""
    for key in [key.removesuffix("_indptr") for key in parts if key.endswith("_indptr")]:
        parts[key] = _matrix(parts, key, name)
    return parts


def _about(name: str) -> str:
    """Return a sentence on where a known data set comes from."""
    entry = CATALOG.get(name)
    if entry is None:
        return ""
    text = f" It is {entry.source}."
    if entry.openml is not None:
        text += f' nbembed.datasets.fetch("{name}") downloads it.'
    return text
