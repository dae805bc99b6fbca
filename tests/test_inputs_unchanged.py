"""No public callable changes what it is given: not the numbers, their order, or the flags."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import nbembed as nb
from tests.public_calls import CALLS, DENSE_ONLY, WITHOUT_DATA, Given, given

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


def public_callables() -> set[str]:
    """Return the public names that are functions or classes."""
    names = set()
    for name in nb.__all__:
        thing = getattr(nb, name)
        if callable(thing):
            names.add(name)
        elif hasattr(thing, "__all__"):
            names |= {f"{name}.{k}" for k in thing.__all__ if callable(getattr(thing, k))}
    return names


def test_each_public_callable_has_a_call():
    # These stand at two places.
    repeated = {f"{home}.{name}" for home in ("methods", "propagation") for name in nb.__all__}
    makers = {name for name in public_callables() if name.startswith(("datasets.", "experiments."))}
    others = repeated | (makers - {"experiments.sweep"}) | WITHOUT_DATA
    assert public_callables() - others == CALLS.keys()


def scrambled(matrix: Any, kind: Any = sparse.csr_array) -> Any:
    """Return a CSR matrix of the same values: rows backwards, the first entry of each in halves."""
    canonical = sparse.csr_array(matrix)
    data, indices, indptr = [], [], [0]
    for i in range(canonical.shape[0]):
        own = slice(canonical.indptr[i], canonical.indptr[i + 1])
        values, where = canonical.data[own].tolist(), canonical.indices[own].tolist()
        if values:
            values, where = [values[0] / 2, values[0] / 2, *values[1:]], [where[0], *where]
        data += values[::-1]
        indices += where[::-1]
        indptr.append(len(data))
    made = kind((np.array(data), np.array(indices), np.array(indptr)), shape=canonical.shape)
    assert not made.has_sorted_indices
    return made


def arrays_of(thing: Any) -> Iterator[np.ndarray]:
    """Yield the arrays that a matrix, table or list is made of."""
    if sparse.issparse(thing):
        parts = (
            ("data", "indices", "indptr") if hasattr(thing, "indptr") else ("data", "row", "col")
        )
        yield from (getattr(thing, part) for part in parts)
    elif isinstance(thing, pd.DataFrame | pd.Series):
        yield thing.to_numpy()
    else:
        yield np.asarray(thing)


def frame(matrix: Any) -> pd.DataFrame:
    return pd.DataFrame(matrix, columns=[f"f{k}" for k in range(matrix.shape[1])])


FORMS: dict[str, Callable[[Given], Given]] = {
    "dense": lambda g: g,
    "columns first": lambda g: Given(**{k: np.asfortranarray(v) for k, v in vars(g).items()}),
    "tables": lambda g: Given(
        **{
            **vars(g),
            "X": frame(g.X),
            "new": frame(g.new),
            "proba": pd.DataFrame(g.proba),
            "Y": frame(g.Y),
            "y": pd.Series(g.y),
        }
    ),
    "csr": lambda g: Given(
        **{**vars(g), **{k: scrambled(getattr(g, k)) for k in ("X", "new", "P", "J")}}
    ),
    "csr matrix": lambda g: Given(
        **{
            **vars(g),
            **{k: scrambled(getattr(g, k), sparse.csr_matrix) for k in ("X", "new", "P", "J")},
        }
    ),
}

#: What takes a table only in part: objectives and plots of columns are for arrays.
CASES = [
    (name, form, writable)
    for name in CALLS
    for form, writable in (
        ("dense", True),
        ("dense", False),
        ("columns first", True),
        ("tables", True),
        ("csr", True),
        ("csr matrix", False),
    )
    if not (name in DENSE_ONLY and "csr" in form)
]


@pytest.mark.parametrize(("name", "form", "writable"), CASES)
def test_inputs_are_not_changed(name, form, writable):
    g = FORMS[form](given())
    for thing in vars(g).values():
        for array in arrays_of(thing):
            if not writable:
                array.flags.writeable = False
    before = copy.deepcopy(g)
    flags = [a.flags.writeable for thing in vars(g).values() for a in arrays_of(thing)]

    CALLS[name](g)

    for argument, thing in vars(g).items():
        old = getattr(before, argument)
        assert type(thing) is type(old)
        assert thing.shape == old.shape
        for now, then in zip(arrays_of(thing), arrays_of(old), strict=True):
            assert now.dtype == then.dtype, argument
            assert np.array_equal(now, then), f"{name} changed {argument}"
    now_flags = [a.flags.writeable for thing in vars(g).values() for a in arrays_of(thing)]
    assert now_flags == flags, f"{name} changed whether an array can be written"


def test_scrambled_matrices_say_the_same():
    g = given()
    for matrix in (g.X, g.P):
        np.testing.assert_array_equal(scrambled(matrix).toarray(), matrix)
