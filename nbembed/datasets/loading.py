"""Data sets by name: bundled ones, files in a folder, and, only on request, OpenML."""

from __future__ import annotations

import os
from importlib import resources
from typing import Any

import numpy as np

from nbembed.datasets.catalog import CATALOG
from nbembed.datasets.files import Dataset, MissingDataError, read, read_file, unpack
from nbembed.validation import check_choice, check_path, check_text, shown


def load(name: str, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Return a data set by name, without using the network (see :func:`fetch`).

    Parameters
    ----------
    name : str
        One of :func:`nbembed.datasets.names`, or the name of any file in ``folder`` without
        ".npz".
    folder : path, optional
        Directory of files that the package does not contain, or the path of a single file. Files
        there take precedence over bundled ones.

    Returns
    -------
    data : Dataset

    Raises
    ------
    ValueError
        If the name is unknown.
    MissingDataError
        If the file is missing; the message names the source of the data.

    Examples
    --------
    >>> load("ionosphere").X.shape
    (351, 34)
    """
    check_text("name", name)
    if folder is not None:
        path = check_path("folder", folder)
        if path.suffix == ".npz":
            return read_file(path)
        if (path / f"{name}.npz").is_file():
            return read(path, name)
    if name in CATALOG and CATALOG[name].bundled:
        return _bundled(name)
    if name not in CATALOG:
        known = ", ".join(sorted(CATALOG))
        where = "" if folder is None else f", or of a file in {folder}"
        raise ValueError(f"name must be one of {known}{where}, got {shown(name)}")
    return read(folder, name)


def load_letter() -> Dataset:
    """Return Letter Recognition: 20000 distorted capital letters, 16 features, 26 classes.

    Bundled. The first 16000 rows are the training part. By D. J. Slate (Odesta Corporation), 1991;
    from the UCI Machine Learning Repository.
    """
    return _bundled("letter")


def load_satellite() -> Dataset:
    """Return Statlog (Landsat Satellite): 6435 pixels with their neighbors, 36 features, 6 soils.

    Bundled. The first 4435 rows are the training part. By A. Srinivasan (University of
    Strathclyde), 1993, from data of the Australian Centre for Remote Sensing; from the UCI Machine
    Learning Repository.
    """
    return _bundled("satellite")


def load_vehicle() -> Dataset:
    """Return Statlog (Vehicle Silhouettes): 846 silhouettes, 18 features, 4 vehicles.

    Bundled. Collected by J. P. Siebert at the Turing Institute, Glasgow, in 1987; from the UCI
    Machine Learning Repository.
    """
    return _bundled("vehicle")


def load_ionosphere() -> Dataset:
    """Return Ionosphere: 351 radar returns, 34 features, good ones and bad ones.

    Bundled. By V. Sigillito (Johns Hopkins University), 1989; from the UCI Machine Learning
    Repository.
    """
    return _bundled("ionosphere")


def fetch(name: str, data_home: str | os.PathLike[str] | None = None) -> Dataset:
    """Download a data set from OpenML; scikit-learn caches it.

    Parameters
    ----------
    name : str
        "segment", "balance" or "mnist", the data sets that are also on OpenML.
    data_home : path, optional
        Cache directory for downloads; by default scikit-learn's own.

    Returns
    -------
    data : Dataset
        Classes in the order of their names.

    Raises
    ------
    ValueError
        If the data set is not on OpenML.
    MissingDataError
        If OpenML cannot be reached.
    """
    from sklearn import datasets

    check_choice("name", name, [entry.name for entry in CATALOG.values() if entry.openml])
    entry = CATALOG[name]
    try:
        found = datasets.fetch_openml(
            data_id=entry.openml, data_home=data_home, as_frame=False, parser=_parser()
        )
    except OSError as error:  # includes timeouts and HTTP errors
        raise MissingDataError(
            f"{name} could not be downloaded from OpenML ({error}). It is {entry.source}."
        ) from error
    targets, y = np.unique(np.asarray(found.target).astype(str), return_inverse=True)
    X = np.asarray(found.data)
    large = X.size > 10_000_000
    return Dataset(
        X.astype(np.float32 if large else np.float64),
        y.astype(np.int64),
        targets.tolist(),
        feature_names=[str(column) for column in found.feature_names],
        note=entry.note,
    )


def _bundled(name: str) -> Dataset:
    path = resources.files("nbembed.datasets") / "bundled" / f"{name}.npz"
    with path.open("rb") as file:
        return unpack(file, name)


def _parser() -> Any:
    """Return scikit-learn's fast ARFF parser if pandas, which it needs, is installed."""
    from importlib.util import find_spec

    return "pandas" if find_spec("pandas") else "liac-arff"
