"""What of a table is embedded: its features, and how they are scaled.

Columns of a table have units of their own, which distances would compare. They are standardized,
(x − mean) / standard deviation for each column, unless that is turned off; a constant column
becomes zeros. Arrays and annotated matrices are embedded as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from nbembed.data.matrix_input import check_data, matrix_of
from nbembed.points.table import Table, as_table, is_annotated, is_name, listed
from nbembed.validation import check_flag, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Characters of the columns that a message proposes, at most.
LONGEST_PROPOSAL = 300


@dataclass(frozen=True)
class Features:
    """What is embedded.

    Attributes
    ----------
    matrix : array-like or sparse array of shape (n_samples, n_features)
        As a session takes it.
    table : Table or None
        All columns, where the data are a table.
    names : tuple
        The columns of the table that are embedded.
    note : str
        A sentence that says what is embedded, "" where that is the whole of an array.
    variables : callable or None
        Returns the matrix of an AnnData as it is and the names of its columns, also where something
        else is embedded.
    """

    matrix: Any
    table: Table | None = None
    names: tuple[Hashable, ...] = ()
    note: str = ""
    variables: Callable[[], tuple[Any, Sequence[Any]]] | None = None


def choose_features(
    X: Any,
    features: Any = None,
    standardize: bool | None = None,
    *,
    apart: Iterable[Any] = (),
    distances: bool = False,
) -> Features:
    """Return what of the data is embedded.

    Parameters
    ----------
    X : array-like, sparse array, DataFrame or AnnData
    features : name or list of names, optional
        Columns of a DataFrame; by default those with numbers, truth values not among them. Of an
        AnnData, its variables, or the key of one of its ``obsm``; by default all of ``X``.
    standardize : bool, optional
        By default the columns of a DataFrame are standardized and nothing else is.
    apart : iterable
        Columns that are not embedded unless ``features`` names them; what names none is ignored.
    distances : bool
        Whether the data are dissimilarities, which are taken as they are.

    Raises
    ------
    ValueError
        If a column does not exist, is not numeric, or has missing values; or if there is none.
    TypeError
        If an argument is of the wrong type.
    """
    if standardize is not None:
        check_flag("standardize", standardize)
    if distances:
        if features is not None or standardize:
            raise ValueError(
                'features and standardize are for features; metric="precomputed" takes distances'
            )
        table = as_table(X) if not isinstance(X, dict) else None
        return Features(X, None if table is None else Table({}, table.index, table.n_rows))
    if is_annotated(X):
        return _of_annotated(X, features, bool(standardize))
    table = as_table(X)
    if table is None:
        if features is not None:
            raise ValueError(
                f"features names columns of a DataFrame or AnnData, got X of type "
                f"{type(X).__name__}; give the columns that are to be embedded as X"
            )
        if not standardize:
            return Features(X)
        matrix = _standardized(check_data(X))
        return Features(matrix, note=f"{_count(matrix.shape[1], 'feature')}, standardized")
    names = _numeric(table, apart) if features is None else _named(table, features)
    matrix = table.numbers(names)
    _check_complete(matrix, names, features is not None)
    scaled = standardize is not False
    how = "standardized" if scaled else "as they are"
    part = len(names) < len(table.names)
    of_all = f"{len(names)} of {_count(len(table.names), 'column')}" if part else (
        _count(len(names), "column")
    )  # fmt: skip
    note = f"{of_all} {'is' if len(names) == 1 else 'are'} embedded, {how}: {listed(names)}"
    return Features(_standardized(matrix) if scaled else matrix, table, names, note)


def _numeric(table: Table, apart: Iterable[Any]) -> tuple[Hashable, ...]:
    """Return the columns with numbers, without those that are for looking at."""
    others = [name for name in apart if is_name(name, table) and name in table]
    names = tuple(n for n in table.names if table.is_numeric(n) and n not in others)
    if not names:
        raise ValueError(
            "X must have a column of numbers to embed; its columns are "
            f"{listed(table.names)}. features=[...] names columns of numbers or truth values"
        )
    return names


def _named(table: Table, features: Any) -> tuple[Hashable, ...]:
    """Return the columns that ``features`` names."""
    names = _as_names(features)
    missing = [name for name in names if name not in table]
    if missing:
        raise ValueError(
            f"features must be columns of X, got {listed(missing)}; X has {listed(table.names)}"
        )
    strange = [n for n in names if not (table.is_numeric(n) or table.is_boolean(n))]
    if strange:
        raise ValueError(
            f"features must be columns of numbers or truth values, but {listed(strange)} "
            f"{'is' if len(strange) == 1 else 'are'} not"
        )
    return names


def _as_names(features: Any) -> tuple[Hashable, ...]:
    """Return names as a tuple; one name may stand alone.

    Raises
    ------
    TypeError, ValueError
        If they are no names, none, or a name is there twice.
    """
    single = isinstance(features, str | tuple) or not isinstance(features, Iterable)
    names = (features,) if single else tuple(features)
    for name in names:
        if not isinstance(name, Hashable):
            raise TypeError(f"features must be names of columns, got {shown(name)}")
    if not names:
        raise ValueError("features must name at least one column, got none")
    repeated = [name for k, name in enumerate(names) if name in names[:k]]
    if repeated:
        raise ValueError(f"features must be distinct, got {shown(repeated[0])} twice")
    return names


def _check_complete(matrix: NDArray[Any], names: Sequence[Any], wanted: bool) -> None:
    """Raise ValueError if values are missing or infinite; names the columns, and the others.

    ``wanted`` says whether somebody named the columns.
    """
    bad = np.count_nonzero(~np.isfinite(matrix), axis=0)
    if not bad.any():
        return
    lacking = [name for name, count in zip(names, bad) if count]
    whole = [name for name, count in zip(names, bad) if not count]
    some = f"{bad.sum()} missing or infinite value{'' if bad.sum() == 1 else 's'}"
    without = ""
    if whole and not wanted and len(repr(whole)) <= LONGEST_PROPOSAL:
        without = f": features={whole!r} leaves {'it' if len(lacking) == 1 else 'them'} out"
    raise ValueError(
        f"X must be finite in the columns that are embedded, but {listed(lacking)} "
        f"{'has' if len(lacking) == 1 else 'have'} {some}. Drop or fill them, or name other "
        f"columns with features=[...]{without}"
    )


def _of_annotated(X: Any, features: Any, standardize: bool) -> Features:
    """Return the features of an AnnData."""
    table = as_table(X)
    if features is None:
        matrix, what = matrix_of(X), "all {} of X"
    elif isinstance(features, str) and features in X.obsm:
        matrix, what = matrix_of(X.obsm[features]), f"the {{}} of obsm[{features!r}]"
    else:
        names = _as_names(features)
        missing = [name for name in names if name not in X.var_names]
        if missing:
            raise ValueError(
                f"features must be variables of X or a key of its obsm, got {listed(missing)}; "
                f"its obsm has {listed(list(X.obsm))}"
            )
        matrix = matrix_of(X[:, list(names)])
        what = f"{{}}: {listed(names)}"
    count = _count(int(matrix.shape[1]), "variable" if features is None else "column")
    text = what.format(count)
    if standardize:
        matrix = _standardized(check_data(matrix))
    how = "standardized" if standardize else "as they are"
    variables = None if X.X is None else lambda: (matrix_of(X), list(X.var_names))
    return Features(matrix, table, (), f"Embedded {how}: {text}", variables)


def _standardized(matrix: Any) -> Any:
    """Return each column with mean 0 and variance 1, or 0 where it is constant.

    Raises
    ------
    ValueError
        If the matrix is sparse: centered it would be dense.
    """
    if sparse.issparse(matrix):
        raise ValueError(
            "standardize=True would fill a sparse matrix with numbers; scale its columns with "
            "sklearn.preprocessing.MaxAbsScaler, which keeps zeros"
        )
    return StandardScaler().fit_transform(matrix)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
