"""Data sets as compressed ``.npz`` files: one format for bundled files and files on disk.

A file contains ``X`` (or the parts of a CSR matrix: ``X_data``, ``X_indices``, ``X_indptr``,
``X_shape``), ``y`` as integers from 0, and ``target_names``. Optional: splits ``labeled_idx_L``
(splits × L), the indices of the points whose labels a method may use; ``n_train``, the number of
rows of the official training part, which come first; ``feature_names`` or ``vocabulary``; and
further arrays.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.sparse_format import csr_from_parts
from nbembed.datasets.catalog import CATALOG
from nbembed.validation import check_count, check_path, check_text, shown

#: Larger arrays stay in single precision: double precision would take gigabytes.
MOST_IN_DOUBLE = 10_000_000
_SPLIT = re.compile(r"(?:generated_)?labeled_idx_(\d+)")


class MissingDataError(FileNotFoundError):
    """Required data are missing; the message names them and their source."""


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
        Maps a number of labels to the indices of the splits, shape (n_splits, n_labels).
    feature_names : list of str
        Names of the columns; empty if unknown.
    n_train : int or None
        Number of rows of the official training part, which come first.
    note : str
        A caveat for anyone who makes a figure from the data.
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
            If the split does not exist.
        """
        if check_count("n_labels", n_labels) not in self.labeled:
            raise ValueError(
                f"n_labels must be one of {sorted(self.labeled)}, got {shown(n_labels)}"
            )
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
        If the file does not exist, or no directory was given.
    """
    check_text("name", name)
    path = None if directory is None else check_path("directory", directory) / f"{name}.npz"
    if path is None or not path.is_file():
        where = "no data directory was given" if path is None else f"it is not in {directory}"
        raise MissingDataError(f"{name}.npz is needed, but {where}." + _about(name))
    return read_file(path)


def read_file(path: str | os.PathLike[str]) -> Dataset:
    """Return the data set in a file of any name; the error says what is missing."""
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"the file {path} does not exist")
    with path.open("rb") as file:
        return unpack(file, path.stem)


def unpack(file: Any, name: str) -> Dataset:
    """Return the data set in an open file."""
    found = np.load(file, allow_pickle=False)
    if not isinstance(found, np.lib.npyio.NpzFile):
        raise ValueError(f"{name}.npz must hold several arrays, got a single one")
    with found:
        parts = dict(found)
    X = _matrix(parts, "X", name)
    missing = [key for key in ("y", "target_names") if key not in parts]
    if X is None or missing:
        raise ValueError(
            f"{name}.npz must contain X (or the parts of a CSR matrix), y and target_names, got "
            f"{sorted(parts)}"
        )
    y = parts.pop("y").astype(np.int64)
    if y.shape != (X.shape[0],):
        raise ValueError(
            f"{name}.npz: y must have one value per row of X, shape ({X.shape[0]},), got {y.shape}"
        )
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
    """Remove a dense or sparse matrix from a file's parts and return it; None if it is missing."""
    if key in parts:
        return parts.pop(key)
    pieces = [f"{key}_{piece}" for piece in ("data", "indices", "indptr", "shape")]
    if not all(piece in parts for piece in pieces):
        return None
    data, indices, indptr, shape = (parts.pop(piece) for piece in pieces)
    return csr_from_parts(data, indices, indptr, shape, f"{name}.npz: {key}")


def _rest(parts: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the remaining parts, with sparse matrices assembled."""
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
