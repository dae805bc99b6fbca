"""Columns of a matrix by name: features, or the variables of an AnnData.

There may be tens of thousands of them, so each is read when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.points.text import in_sentence, name_of


@dataclass(frozen=True)
class MatrixColumns:
    """Columns of numbers, by their names in order; a name may be there twice.

    ``read`` returns the column at a place: an array, or a sparse matrix of one column.
    """

    names: Sequence[Any]
    read: Callable[[int], Any]

    def values(self, place: int) -> NDArray[np.floating[Any]]:
        """Return the values of one column; whole numbers and truth values as floats."""
        found = self.read(place)
        column = np.asarray(found.toarray() if sparse.issparse(found) else found).ravel()
        return column if column.dtype.kind == "f" else column.astype(np.float64)

    def take(self, rows: NDArray[np.intp]) -> MatrixColumns:
        """Return the columns of some rows."""
        return MatrixColumns(self.names, lambda place: self.values(place)[rows])

    def place(self, name: Any, argument: str) -> int | None:
        """Return the place of the only column with a name, ``None`` if there is none."""
        place = self._places.get(name)
        if place is not None and name in self._repeated:
            raise ValueError(
                f"{argument} must name one column, but several are named "
                f"{in_sentence(name_of(name))!r}; make the names unique"
            )
        return place

    @cached_property
    def _places(self) -> dict[Any, int]:
        """The first place of each name."""
        return {name: place for place, name in reversed(list(enumerate(self.names)))}

    @cached_property
    def _repeated(self) -> set[Any]:
        if len(self._places) == len(self.names):
            return set()
        return {name for place, name in enumerate(self.names) if self._places[name] != place}


def matrix_columns(X: Any, names: Sequence[Any]) -> MatrixColumns:
    """Return the columns of a matrix, dense or sparse."""
    return MatrixColumns(names, lambda place: X[:, [place]])
