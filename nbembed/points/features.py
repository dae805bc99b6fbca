"""The features of the data: the matrix that is embedded, and the data as they were given."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from scipy import sparse
from sklearn.base import clone

from nbembed.data.matrix_input import matrix_of
from nbembed.points.matrix_columns import matrix_columns
from nbembed.points.preparation import Preparation
from nbembed.points.preparation.columns import NO_VALUES, ONE_VALUE
from nbembed.points.preparation.wording import counted
from nbembed.points.table import Table, as_table, is_annotated, is_name, listed
from nbembed.validation import check_flag, shown


@dataclass(frozen=True)
class Features:
    """The features to embed.

    * matrix, of shape (n_samples, n_features): as a session takes it.
    * table: all columns, where the data are a table.
    * names: the columns of the table that are embedded.
    * note: a sentence that says what is embedded.
    * variables: returns a matrix and the names of its columns, where these have names and something
      else is embedded: the variables of an AnnData, the words of texts.
    * original: the features of an array as they were given, where something else is embedded.
    * filled: what stands for missing values, by column; "" where that depends on the row.
    * images: where the data are images.
    * transformer: the fitted one.
    * prepared_by: the fitted transformer that new rows pass, also where ``prepare=None``.
    * constant: columns of the table that say nothing: one value in all rows, or none.
    """

    matrix: Any
    table: Table | None = None
    names: tuple[Hashable, ...] = ()
    note: str = ""
    variables: Callable[[], tuple[Any, Sequence[Any]]] | None = None
    original: Any = None
    filled: Mapping[Any, str] = field(default_factory=dict)
    images: Any = None
    transformer: Any = None
    constant: tuple[Hashable, ...] = ()
    prepared_by: Any = None


def choose_features(
    X: Any,
    features: Any = None,
    standardize: bool | None = None,
    *,
    prepare: Any = "auto",
    missing: str | None = None,
    apart: Iterable[Any] = (),
    distances: bool = False,
    plain: bool = False,
) -> Features:
    """Return what of the data is embedded.

    * features, standardize, missing: as of :class:`Preparation`.
    * prepare: copied and fitted. Without any, numbers are taken as they are.
    * apart: columns that are not embedded unless ``features`` names them; what names none is
      ignored.
    * distances: whether the data are dissimilarities, which are taken as they are.
    * plain: whether "auto" leaves the numbers of a matrix as they are: what a method does with them
      has a meaning of its own.

    Raises ValueError or TypeError if an argument is not legal, or does not go with another one.
    """
    if standardize is not None:
        check_flag("standardize", standardize)
    own = prepare is not None and not (isinstance(prepare, str) and prepare == "auto")
    if own and not (hasattr(prepare, "fit") and hasattr(prepare, "transform")):
        raise TypeError(
            f'prepare must be "auto", None or a transformer of scikit-learn, got {shown(prepare)}'
        )
    if distances:
        if features is not None or standardize or own or missing is not None:
            raise ValueError(
                "features, standardize, prepare and missing must not be given with "
                'metric="precomputed": X holds distances, not features'
            )
        table = as_table(X) if not isinstance(X, dict) else None
        return Features(X, None if table is None else Table({}, table.index, table.n_rows))
    if own and not (features is None and standardize is None and missing is None):
        raise ValueError(
            "features, standardize and missing must not be given with a transformer in prepare; "
            'they need prepare="auto"'
        )
    if own and not isinstance(prepare, Preparation):
        return _by_transformer(X, clone(prepare), tuple(apart))
    if own:
        preparation = clone(prepare)
    elif prepare is None:
        if missing is not None and not (isinstance(missing, str) and missing == "error"):
            raise ValueError(
                f'missing={shown(missing)} needs prepare="auto", which fills values in'
            )
        preparation = Preparation(
            kind="numbers", missing="error", features=features, standardize=bool(standardize)
        )
    else:
        matrix = isinstance(X, np.ndarray) or sparse.issparse(X) or is_annotated(X)
        preparation = Preparation(
            kind="numbers" if plain and matrix else "auto",
            missing="median" if missing is None else missing,
            features=features,
            standardize=standardize,
        )
    source, Z = preparation._fit(X, apart)
    matrix = preparation._run(Z)
    table, variables, original = source.table, None, None
    names: tuple[Hashable, ...] = ()
    if source.of:
        variables = _variables(X)
    elif preparation.kind_ == "texts":
        names = tuple(c.name for c in preparation.columns_ if c.embedded)
        counts = preparation.pipeline_[0].transform(Z)
        words = preparation.pipeline_[0].get_feature_names_out().tolist()
        variables, known = (lambda: (counts, words)), {names[0]: np.array(Z, dtype=object)}
        table = Table(known, None, len(Z)) if table is None else table
        table.others = matrix_columns(counts, words)
    elif source.matrix is None:
        names = tuple(c.name for c in preparation.columns_ if c.embedded)
    elif matrix is not Z and not (sparse.issparse(Z) and preparation.kind_ == "numbers"):
        original = Z
    return Features(
        matrix,
        table,
        names,
        preparation.note_,
        variables,
        original,
        {c.name: c.value for c in preparation.columns_ if c.filled},
        X if isinstance(X, np.ndarray) and X.ndim > 2 else None,
        preparation if prepare is not None else None,
        tuple(c.name for c in preparation.columns_ if c.reason in (ONE_VALUE, NO_VALUES)),
        preparation,
    )


def _variables(X: Any) -> Callable[[], tuple[Any, Sequence[Any]]] | None:
    return None if X.X is None else lambda: (matrix_of(X), list(X.var_names))


def _by_transformer(X: Any, transformer: Any, apart: tuple[Any, ...]) -> Features:
    """Return what a transformer of scikit-learn makes of all columns but those ``apart``."""
    table = None if isinstance(X, np.ndarray) or sparse.issparse(X) else as_table(X)
    names: tuple[Hashable, ...] = ()
    given, variables, original = X, None, None
    if is_annotated(X):
        given, variables = matrix_of(X), _variables(X)
    elif table is not None:
        left = [name for name in apart if is_name(name, table)]
        names = tuple(name for name in table.names if name not in left)
        if not isinstance(X, dict):
            given = nw.to_native(nw.from_native(X).select(list(names)))
        else:
            given = table.numbers(names)
    elif isinstance(X, np.ndarray) or sparse.issparse(X):
        original = matrix_of(X.reshape(len(X), -1) if isinstance(X, np.ndarray) else X)
    try:
        matrix = transformer.fit_transform(given)
    except (TypeError, ValueError) as error:
        raise ValueError(f"prepare cannot be applied to X: {error}") from error
    if np.ndim(matrix) != 2 and not sparse.issparse(matrix):
        raise ValueError(
            f"prepare must return one row for each point, got shape {np.shape(matrix)}"
        )
    rows = (
        table.n_rows if table is not None else len(given) if original is None else original.shape[0]
    )
    if matrix.shape[0] != rows:
        raise ValueError(f"prepare must keep all {rows} rows of X, got {matrix.shape[0]}")
    made = counted(matrix.shape[1], "feature")
    are = "is" if matrix.shape[1] == 1 else "are"
    note = f"{made} {are} embedded, made by {type(transformer).__name__}"
    return Features(
        matrix, table, names, note, variables, original,
        transformer=transformer, prepared_by=transformer,
    )  # fmt: skip


def prepared_rows(prepared_by: Any, X: Any, names: Sequence[Hashable]) -> Any:
    """Return new rows as those of a fit were prepared.

    * names: of the columns that are embedded, where the data were a table.

    Raises ValueError or TypeError, naming X, if the rows are not like those.
    """
    if prepared_by is None or isinstance(prepared_by, Preparation):
        return matrix_of(X) if prepared_by is None else prepared_by.transform(X)
    table = None if isinstance(X, np.ndarray) or sparse.issparse(X) else as_table(X)
    if is_annotated(X) or table is None:
        given = matrix_of(X)
    else:
        if absent := [name for name in names if name not in table]:
            raise ValueError(
                f"X must have the columns that are embedded, but lacks {listed(absent)}"
            )
        given = (
            table.numbers(names)
            if isinstance(X, dict)
            else nw.to_native(nw.from_native(X).select(list(names)))
        )
    try:
        return prepared_by.transform(given)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X must suit the preparation of the map's rows, which failed: {error}"
        ) from error
