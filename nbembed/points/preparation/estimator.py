"""Preparation: what is done with data before distances are taken, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from nbembed.data.matrix_input import check_magnitude
from nbembed.points.preparation.columns import (
    MOST_CATEGORIES,
    PreparedColumn,
    coded,
    column_transformer,
    filled_values,
    imputer,
    judged_column,
)
from nbembed.points.preparation.matrices import MOST_FEATURES, kind_of_matrix, steps_of
from nbembed.points.preparation.reading import Source, as_names, read, texts_of, without_infinite
from nbembed.points.preparation.weighing import has_uses, weighing, with_uses
from nbembed.points.preparation.wording import (
    check_complete,
    counted,
    filled_note,
    how,
    left_out_note,
    use_note,
)
from nbembed.points.table import Table, is_name, listed
from nbembed.system.blas import one_blas_thread
from nbembed.validation import check_choice, check_count, check_flag

KINDS = ("auto", "numbers", "table", "wide", "words", "cells", "texts")
MISSING = ("median", "mean", "neighbors", "error")
#: Words of texts that are counted, the most frequent ones.
MOST_WORDS = 20_000


class Preparation(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Prepare data as their kind asks, and fill in missing values.

    Distances compare numbers as they are. Counts of words, columns of a table in units of their
    own, and hundreds of noisy features give better maps when they are prepared as their field does
    it. What the data are is recognized, or said by ``kind``; :attr:`note_` says what was done.

    Parameters
    ----------
    n_components : "auto", int or None, default="auto"
        How many components are made of more features. By default as the kind asks; ``None`` makes
        none.
    kind : {"auto", "numbers", "table", "wide", "words", "cells", "texts"}, default="auto"
        "numbers" stay as they are, of a table the columns of numbers. The columns of a "table" are
        embedded as numbers, truth values 0 and 1, the order of ordered categories, and indicators
        of categories, each column to the same weight; left out are IDs, constant columns, times,
        texts, and columns of more than 20 categories. "wide" data of over 100 features become
        50 principal components. Counts of "words" and "texts" become TF-IDF with 100 singular
        vectors and rows of length 1, counts of genes in "cells" logarithms at equal library size
        with 50 principal components. An AnnData with ``obsm["X_pca"]`` is prepared already, and
        images of shape (n_samples, height, width) or with colors as a last axis are wide.
    missing : {"median", "mean", "neighbors", "error"}, default="median"
        What fills missing and infinite numbers: the median or mean of their column, or the mean of
        their five nearest rows. Of categories it is the most frequent one. A column of a table in
        which a fifth is missing has an indicator of that beside it.
    features : name or list of names, optional
        The columns of a table that are embedded, or the variables of an AnnData or a key of its
        ``obsm``, which are taken as they are.
    standardize : bool, optional
        Whether numbers are scaled to mean 0 and variance 1: by default those of a table are.
    weights : mapping of names to numbers in [0, 3], optional
        What the differences in embedded columns of a table are multiplied by, 1 where none is
        given. A column of categories is weighed as one, and one of weight 0 is only looked at.
    log : name or list of names, optional
        Embedded columns of a table, without negative numbers, of which log(1 + x) is taken before
        it is scaled.

    Attributes
    ----------
    kind_ : str
        What the data were recognized as; "components" are those of ``obsm``.
    note_ : str
        What was done, in a sentence or two.
    columns_ : list of PreparedColumn
        Of each column: ``name``, what it is embedded as or why it is left out (``use``,
        ``reason``), how many values were ``filled``, and with what ``value``, its ``weight`` and
        whether it is its ``log``.
    pipeline_ : sklearn.pipeline.Pipeline
        Takes the matrix; of a table the embedded columns as numbers, of texts their list.
    n_features_in_ : int
        Columns of the data.

    Notes
    -----
    The same data are prepared to the same bits. Rows cannot be dropped by a transformer: a table
    without rows that lack something is ``X.dropna()``.

    Examples
    --------
    >>> import nbembed as nb
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {
    ...         "customer_id": [17, 12, 15, 11],
    ...         "income": [1.0, None, 3.0, 8.0],
    ...         "plan": ["basic", "basic", "pro", "pro"],
    ...     }
    ... )
    >>> preparation = nb.Preparation().fit(people)
    >>> preparation.get_feature_names_out().tolist()
    ['income', 'plan=basic', 'plan=pro', 'income is missing']
    >>> preparation.columns_[1].filled, preparation.columns_[1].value
    (1, '3')
    """

    kind_: str
    note_: str
    columns_: list[PreparedColumn]
    pipeline_: Pipeline

    def __init__(
        self,
        n_components: int | str | None = "auto",
        *,
        kind: str = "auto",
        missing: str = "median",
        features: Any = None,
        standardize: bool | None = None,
        weights: Mapping[Any, float] | None = None,
        log: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kind = kind
        self.missing = missing
        self.features = features
        self.standardize = standardize
        self.weights = weights
        self.log = log

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what the data are and what fills their holes.

        Parameters
        ----------
        X : DataFrame, AnnData, list of str, array-like or sparse matrix
            One row a point; arrays also of shape (n_samples, height, width).
        y : None
            Ignored.

        Raises
        ------
        ValueError, TypeError
            If an argument is not legal, or the data are not of the kind that was named.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return the prepared data: see :meth:`fit` and :meth:`transform`."""
        return self._run(self._fit(X)[1])

    def transform(self, X: Any) -> Any:
        """Return rows as they were prepared in :meth:`fit`.

        Parameters
        ----------
        X : as in :meth:`fit`
            A table needs the embedded columns alone, in any order.

        Returns
        -------
        prepared : ndarray or csr_array of shape (n_samples, n_features)

        Raises
        ------
        ValueError
            If columns are missing, or values where the data that were fitted had none.
        """
        check_is_fitted(self)
        source = read(self, X, reset=False, tables=self._used is not None)
        if source.texts is not None:
            return self._run(source.texts)
        if self._used is None:
            return self._run(self._completed(source.matrix, self._fills))
        table = source.table
        if table is None:  # an array with the columns of the table that was fitted
            names = [column.name for column in self.columns_]
            table = Table(dict(zip(names, source.matrix.T)), None, source.matrix.shape[0])
        if absent := [column.name for column in self._used if column.name not in table]:
            raise ValueError(
                f"X must have the columns that are embedded, but lacks {listed(absent)}"
            )
        if self.kind_ == "texts":
            return self._run(texts_of(table, self._used[0].name))
        return self._run(self._completed(coded(table, self._used), self._fills))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the prepared features.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of an array.
        """
        check_is_fitted(self)
        if self._names_out is None:
            return _check_feature_names_in(self, input_features)  # type: ignore[no-any-return]
        return np.asarray(self._names_out, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # -- fitting ------------------------------------------------------------------------------

    @one_blas_thread()
    def _fit(self, X: Any, apart: Iterable[Any] = ()) -> tuple[Source, Any]:
        """Fit, and return the data as they are read and as the pipeline takes them.

        Columns of a table that are ``apart`` are not embedded unless ``features`` names them.
        """
        check_choice("kind", self.kind, KINDS)
        if isinstance(self.missing, str) and self.missing == "drop":
            raise ValueError(
                'missing="drop" would leave labels, colors and positions without their rows: give '
                "X.dropna(), or X.dropna(subset=[...]), as X"
            )
        check_choice("missing", self.missing, MISSING)
        if isinstance(self.n_components, str):
            check_choice("n_components", self.n_components, ("auto",))
        elif self.n_components is not None:
            check_count("n_components", self.n_components)
        if self.standardize is not None:
            check_flag("standardize", self.standardize)
        uses = has_uses(self.weights, self.log)
        source = read(self, X, reset=True)
        if uses and (source.matrix is not None or source.texts is not None):
            raise ValueError(
                f"{'weights' if self.weights else 'log'} names columns of a DataFrame, got X of "
                f"type {type(X).__name__}"
            )
        #: The columns of a table that are embedded.
        self._used: list[PreparedColumn] | None = None
        if source.texts is not None:
            return source, self._fit_texts(source.texts, [PreparedColumn("text", "text")])
        if source.matrix is None:
            assert source.table is not None
            return source, self._fit_table(source.table, tuple(apart))
        if self.kind in ("table", "texts"):
            raise ValueError(f'kind="{self.kind}" is for a table or for texts, got a matrix')
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"feature {k}" for k in range(source.matrix.shape[1])]
        columns = [PreparedColumn(name, "number") for name in names]
        return source, self._fit_numbers(source.matrix, columns, source.of, names)

    def _fit_table(self, table: Table, apart: tuple[Any, ...]) -> Any:
        columns = with_uses(self._judged(table, apart), self.weights, self.log)
        used = [column for column in columns if column.embedded]
        text = [column for column in columns if column.reason == "text"]
        if self.kind == "texts" or (text and not used and self.kind == "auto"):
            if not text:
                raise ValueError('kind="texts" is for a column of texts, and X has none')
            self._used = [replace(text[0], use="text", reason="")]
            told = [self._used[0] if c is text[0] else c for c in columns]
            return self._fit_texts(texts_of(table, text[0].name), told)
        if not used:
            raise ValueError(
                "X must have a column of numbers to embed; its columns are "
                f"{listed(table.names)}{left_out_note(columns)}. features=[...] names columns of "
                "numbers, truth values or categories"
            )
        self._used = used
        return self._fit_numbers(coded(table, used), columns, "table", table.names)

    def _judged(self, table: Table, apart: tuple[Any, ...]) -> list[PreparedColumn]:
        """Return what each column is; those for looking at come last."""
        if self.features is not None:
            names = as_names(self.features)
            if absent := [name for name in names if name not in table]:
                raise ValueError(
                    f"features must be columns of X, got {listed(absent)}; X has "
                    f"{listed(table.names)}"
                )
            columns = [judged_column(table, name, wanted=True) for name in names]
            strange = [c.name for c in columns if not c.embedded]
            if strange and not (len(columns) == 1 and columns[0].reason == "text"):
                raise ValueError(
                    "features must be columns of numbers or truth values, or of at most "
                    f"{MOST_CATEGORIES} categories, but {listed(strange)} "
                    f"{'is' if len(strange) == 1 else 'are'} not"
                )
            return columns
        others = [name for name in apart if is_name(name, table) and name in table]
        others += [name for name in table.labels if name in table and name not in others]
        names = tuple(name for name in table.names if name not in others)
        looked_at = [PreparedColumn(name, "left out", "to look at") for name in others]
        if self.kind in ("auto", "table", "texts"):
            return [*(judged_column(table, name) for name in names), *looked_at]
        numeric = [PreparedColumn(name, "number") for name in names if table.is_numeric(name)]
        others = [name for name in names if not table.is_numeric(name)]
        looked_at += [PreparedColumn(name, "left out", "to look at") for name in others]
        return [*numeric, *looked_at]

    def _fit_numbers(
        self, X: Any, columns: Sequence[PreparedColumn], of: str, names: Sequence[Any]
    ) -> Any:
        """Fit to the columns that are embedded, as numbers.

        * columns: those that are left out, too.
        * of: what the matrix is a part of: "table", or as of a :class:`Source`.
        * names: of all columns.
        """
        used = [column for column in columns if column.embedded]
        X, lost, infinite = without_infinite(X)
        plain = all(column.use == "number" for column in used)
        self._fills = self.missing != "error" and (of == "table" or bool(lost.any()))
        check_complete(lost, used, self._fills)
        if none := [c.name for c, n in zip(used, lost.tolist()) if n == X.shape[0]]:
            raise ValueError(
                f"X must have values in the columns that are embedded, but {listed(none)} "
                f"{'has' if len(none) == 1 else 'have'} none"
            )
        kind, found = self.kind, X
        uses = has_uses(self.weights, self.log)
        own = bool(self.standardize) or uses  # counts of words are not
        fill = [("fill", imputer(self.missing))] if lost.any() else []
        if fill and plain:
            if sparse.issparse(X) and self.missing == "neighbors":
                raise ValueError('missing="neighbors" takes dense data, got a sparse X')
            found = fill[0][1].fit_transform(X)
        if kind == "auto":
            kind = "numbers"
            if of in ("", "X", "table") and plain:
                kind = kind_of_matrix(found, cells=of == "X", scaled=own)
            if of == "table" and kind != "words":
                kind = "table"
        counts = kind in ("words", "cells")
        if counts and uses:
            raise ValueError(f'kind="{kind}" takes neither weights nor log')
        values = found.data if sparse.issparse(found) else found
        if counts and values.min(initial=0) < 0:
            raise ValueError(f'kind="{kind}" takes counts ≥ 0, got others in X')
        scaled = not counts and (of == "table" if self.standardize is None else self.standardize)
        if scaled and sparse.issparse(X):
            raise ValueError(
                "standardize=True would fill a sparse matrix with numbers; scale its columns with "
                "sklearn.preprocessing.MaxAbsScaler, which keeps zeros"
            )
        out = [str(column.name) for column in used] if of == "table" else None
        if kind == "table":
            transformer, out, owners = column_transformer(used, X, self.missing, scaled)
            steps: list[tuple[str, Any]] = [("columns", transformer), *weighing(used, owners)]
            found, few = np.empty((len(X), len(out))), len(out) <= MOST_FEATURES
            steps += steps_of("numbers" if few else "wide", found, self.n_components)
        else:
            scale = [("scale", StandardScaler())] if scaled else []
            weigh = weighing(used, range(len(used)))
            steps = [*fill, *scale, *weigh, *steps_of(kind, found, self.n_components)]
        if steps:
            check_magnitude(values[~np.isnan(values)])
        self._finish(steps, X, out)
        stand_in = [""] * len(used)
        if kind == "table":
            stand_in = filled_values(transformer, used)
        elif hasattr(self.pipeline_[0], "statistics_"):
            filled = self.pipeline_[0].statistics_
            stand_in = [f"{np.expm1(v) if c.log else v:.6g}" for c, v in zip(used, filled)]
        told = {
            c.name: replace(c, use="count" if counts else c.use, filled=n, value=v if n else "")
            for c, n, v in zip(used, lost.tolist(), stand_in)
        }
        self.columns_ = [told[c.name] if c.embedded else c for c in columns]
        self.kind_ = "components" if of.startswith("obsm") else kind
        note = self._said([c.name for c in used], names, how(self.pipeline_, kind, scaled), of)
        note += use_note(self.columns_) + left_out_note(self.columns_)
        self.note_ = note + filled_note(self.columns_, self.missing, X.shape[0], infinite)
        return X

    def _fit_texts(self, texts: list[str], columns: list[PreparedColumn]) -> list[str]:
        if self.kind not in ("auto", "texts"):
            raise ValueError(f'kind="{self.kind}" does not take texts')
        counter = CountVectorizer(max_features=MOST_WORDS)
        try:
            counts = counter.fit_transform(texts)
        except ValueError as error:  # no words at all
            raise ValueError(f"X must have texts with words in them: {error}") from None
        steps = [("count", counter), *steps_of("texts", counts, self.n_components)]
        words = counter.get_feature_names_out().tolist()
        self._finish(steps, texts, words)
        self.kind_, self.columns_ = "texts", columns
        way, are = how(self.pipeline_, "texts", False), "is" if len(texts) == 1 else "are"
        some = f"{counted(len(texts), 'text')} of {counted(len(words), 'word')}"
        self.note_ = f"{some} {are} embedded {way}" + left_out_note(columns)
        return texts

    def _finish(self, steps: list[tuple[str, Any]], Z: Any, names: list[str] | None) -> None:
        """Fit the pipeline, whose features before components are made have ``names``."""
        self.pipeline_ = Pipeline(steps or [("as it is", FunctionTransformer(accept_sparse=True))])
        with np.errstate(invalid="ignore", divide="ignore"):  # of the variance of constant data
            self.pipeline_.fit(Z)
        for name in ("pca", "svd"):
            if (step := self.pipeline_.named_steps.get(name)) is not None:
                names = [f"component{k}" for k in range(len(step.components_))]
        self._names_out = names

    @one_blas_thread()
    def _run(self, Z: Any) -> Any:
        return self.pipeline_.transform(Z)

    def _completed(self, Z: Any, filled: bool) -> Any:
        """Return rows for the pipeline; raise where values are missing and nothing fills them."""
        Z, lost, _ = without_infinite(Z)
        check_complete(lost, [c for c in self.columns_ if c.embedded], filled)
        return Z

    def _said(self, used: Sequence[Any], names: Sequence[Any], way: str, of: str) -> str:
        """Return what is embedded, and how, in a sentence."""
        are = "is" if len(used) == 1 else "are"
        if of == "table":
            some = counted(len(names), "column")
            some = f"{len(used):,} of {some}" if len(used) < len(names) else some
            return f"{some} {are} embedded, {way}: {listed(used)}"
        if of == "names":
            some = counted(len(used), "variable")
            return f"{some} {are} embedded {way}: {listed(as_names(self.features))}"
        noun = "variable" if of == "X" else "column" if of else "feature"
        return f"{counted(len(used), noun)}{f' of {of}' if of else ''} {are} embedded {way}"
