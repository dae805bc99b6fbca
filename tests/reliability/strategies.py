"""Values to call public callables with: legal ones in every form, and hostile ones.

Arrays are drawn as a kind, a form and a seed rather than number by number: drawing is quick, and a
failing call shrinks to the plainest kind and form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy import sparse

Strategy = st.SearchStrategy[Any]


@dataclass(frozen=True)
class World:
    """What the legal arguments of one call agree on.

    Attributes
    ----------
    n, d, k : int
        Number of points, features and classes.
    seed : int
        Of all random numbers.
    """

    n: int
    d: int
    k: int
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


def worlds() -> Strategy:
    """Mostly a few points; sometimes none, one, two or three."""
    return st.builds(
        World,
        n=st.sampled_from([8, 8, 8, 10, 6, 12, 3, 2, 1, 0]),
        d=st.sampled_from([3, 3, 2, 5, 1]),
        k=st.sampled_from([2, 2, 3]),
        seed=st.integers(0, 99),
    )


# -- matrices ---------------------------------------------------------------------------------

#: What matrices contain; the first is the one that failures shrink to.
CONTENTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "normal": lambda A: A,
    "integers": np.round,
    "constant": np.ones_like,
    "zeros": np.zeros_like,
    "duplicates": lambda A: A[np.arange(len(A)) // 2],
    "one direction": lambda A: A[:, :1] * np.ones(A.shape[1]),
    "constant rows": lambda A: np.round(A[:, :1]) * np.ones(A.shape[1]),
    "an outlier": lambda A: A * np.where(np.arange(len(A)) == 0, 1e6, 1.0)[:, None],
    "mixed scales": lambda A: A * 10.0 ** (8 * (np.arange(A.shape[1]) % 2)),
    "far from zero": lambda A: A + 1e8,
    "large": lambda A: A * 1e120,
    "huge": lambda A: A * 1e300,
    "small": lambda A: A * 1e-120,
    "denormal": lambda A: A * 5e-320,
    "mostly zeros": lambda A: A * (np.abs(A) > 1),
}


def _read_only(A: np.ndarray) -> np.ndarray:
    A = A.copy()
    A.flags.writeable = False
    return A


def _strided(A: np.ndarray) -> np.ndarray:
    wide = np.zeros(tuple(2 * size for size in A.shape), dtype=A.dtype)
    wide[tuple(slice(None, None, 2) for _ in A.shape)] = A
    return wide[tuple(slice(None, None, 2) for _ in A.shape)]


def _quiet(A: np.ndarray, dtype: Any) -> np.ndarray:
    with np.errstate(all="ignore"):
        return A.astype(dtype)


#: Forms of a dense array.
DENSE: dict[str, Callable[[np.ndarray], Any]] = {
    "C": lambda A: A,
    "Fortran": np.asfortranarray,
    "strided": _strided,
    "reversed": lambda A: A[::-1],
    "read-only": _read_only,
    "float32": lambda A: _quiet(A, np.float32),
    "float16": lambda A: _quiet(A, np.float16),
    "longdouble": lambda A: A.astype(np.longdouble),
    "big-endian": lambda A: A.astype(">f8"),
    "int64": lambda A: np.round(np.clip(A, -100, 100)).astype(np.int64),
    "int8": lambda A: np.round(np.clip(A, -100, 100)).astype(np.int8),
    "uint8": lambda A: np.round(np.clip(np.abs(A), 0, 100)).astype(np.uint8),
    "bool": lambda A: A > 0,
    "object": lambda A: A.astype(object),
    "list": lambda A: A.tolist(),
    "masked": np.ma.masked_array,
}


def _unsorted(A: sparse.csr_array) -> sparse.csr_array:
    """Return the same matrix with the entries of each row in reversed order."""
    rows = [slice(a, b) for a, b in zip(A.indptr[:-1], A.indptr[1:])]
    data = [A.data[row][::-1] for row in rows] or [A.data]
    indices = [A.indices[row][::-1] for row in rows] or [A.indices]
    parts = (np.concatenate(data), np.concatenate(indices), A.indptr)
    return sparse.csr_array(parts, shape=A.shape)


def _duplicates(A: sparse.csr_array) -> sparse.csr_array:
    """Return the same matrix with every entry stored as two halves."""
    parts = (np.repeat(A.data, 2) / 2, np.repeat(A.indices, 2), 2 * A.indptr)
    return sparse.csr_array(parts, shape=A.shape)


def _frozen(A: sparse.csr_array) -> sparse.csr_array:
    for part in (A.data, A.indices, A.indptr):
        part.flags.writeable = False
    return A


def _long_indices(A: sparse.csr_array) -> sparse.csr_array:
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    return A


#: Forms of a sparse matrix.
SPARSE: dict[str, Callable[[sparse.csr_array], Any]] = {
    "csr_array": lambda A: A,
    "csr_matrix": sparse.csr_matrix,
    "csc_array": sparse.csc_array,
    "csc_matrix": sparse.csc_matrix,
    "coo_array": sparse.coo_array,
    "coo_matrix": sparse.coo_matrix,
    "unsorted": _unsorted,
    "duplicates": _duplicates,
    "unsorted, read-only": lambda A: _frozen(_unsorted(A)),
    "long indices": _long_indices,
}


def _break(part: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    def broken(A: sparse.csr_array) -> sparse.csr_array:
        setattr(A, part, change(getattr(A, part).copy()))
        return A

    return broken


def _put(position: int, value: int) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        if array.size:
            array[position] = value
        return array

    return change


#: CSR matrices that SciPy would not have made: their attributes were set afterwards.
MALFORMED: dict[str, Callable[[sparse.csr_array], Any]] = {
    "index too large": _break("indices", _put(0, 10**6)),
    "index far too large": _break("indices", _put(-1, 2**31 - 1)),
    "negative index": _break("indices", _put(0, -1)),
    "very negative index": _break("indices", _put(-1, -(2**31))),
    "indptr too large": _break("indptr", _put(-1, 10**6)),
    "indptr far too large": _break("indptr", _put(-1, 2**31 - 1)),
    "indptr falls": _break("indptr", _put(1, 10**6)),
    "indptr negative": _break("indptr", _put(0, -(10**6))),
    "indptr short": _break("indptr", lambda a: a[:-1]),
    "indptr empty": _break("indptr", lambda a: a[:0]),
    "indptr of floats": _break("indptr", lambda a: a.astype(np.float64)),
    "indices short": _break("indices", lambda a: a[: a.size // 2]),
    "indices of floats": _break("indices", lambda a: a.astype(np.float64)),
    "data short": _break("data", lambda a: a[: a.size // 2]),
    "data of text": _break("data", lambda a: a.astype(str)),
    "data of two dimensions": _break("data", lambda a: a[:, None]),
}


@dataclass(frozen=True, eq=False)
class Form:
    """A value with the words that describe how it was made, which its repr does not say."""

    value: Any
    words: str


def _form(A: np.ndarray, content: str, form: str) -> Form:
    with np.errstate(all="ignore"):
        A = CONTENTS[content](A)
    if form in DENSE:
        return Form(DENSE[form](A), f"{content}, {form}")
    if form == "DataFrame":
        return Form(pd.DataFrame(A, columns=[f"x{i}" for i in range(A.shape[1])]), content)
    A = sparse.csr_array(A * (A > 0))
    return Form((SPARSE | MALFORMED)[form](A), f"{content}, {form}")


#: Half of the matrices are plain, so that calls get far enough for the others to matter.
PLAIN = ["normal"] * len(CONTENTS)
LEGAL_FORMS = ["C"] * 6 + [*DENSE, "DataFrame", *SPARSE]


def matrices(
    n: int, d: int, seed: int, *, contents: list[str] | None = None, forms: list[str] | None = None
) -> Strategy:
    """Matrices of shape (n, d), in every legal form by default."""
    A = np.random.default_rng(seed).standard_normal((n, d))
    return st.builds(
        lambda content, form: _form(A.copy(), content, form),
        st.sampled_from([*PLAIN, *CONTENTS] if contents is None else contents),
        st.sampled_from(LEGAL_FORMS if forms is None else forms),
    )


def data(w: World) -> Strategy:
    return matrices(w.n, w.d, w.seed)


def plain_data(w: World) -> Strategy:
    """Data that nothing is wrong with, for arguments that others depend on."""
    return matrices(w.n, w.d, w.seed, contents=["normal"], forms=["C"])


#: What dissimilarities are like; each changes those of points on a line, (n, n).
PAIRS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "distances": lambda D: D,
    "asymmetric": lambda D: np.triu(D) + 2 * np.tril(D),
    "one-sided": np.triu,
    "some zeros": lambda D: D * (D > 0.5),
    "ties": np.round,
    "all equal": np.ones_like,
    "all zeros": np.zeros_like,
    "one point far": lambda D: D + 1e9 * np.logical_xor.outer(*2 * [np.arange(len(D)) == 0]),
    "large": lambda D: D * 1e120,
    "huge": lambda D: D * 1e300,
    "denormal": lambda D: D * 5e-320,
    "ratios": lambda D: np.expm1(np.minimum(300 * D, 600)),
}


def dissimilarities(w: World) -> Strategy:
    """Dissimilarities of all pairs, or of some where they are sparse; any diagonal."""
    x = np.random.default_rng(w.seed).standard_normal(w.n)
    D = np.abs(x[:, None] - x)

    def make(pairs: str, own: float, form: str, kept: float) -> Form:
        with np.errstate(all="ignore"):
            A = PAIRS[pairs](D.copy())
        np.fill_diagonal(A, own)
        words = f"{pairs}, {own} on the diagonal, {form}"
        if form in DENSE:
            return Form(DENSE[form](A), words)
        stored = np.random.default_rng(w.seed).random(A.shape) < kept
        rows, columns = np.nonzero(stored)
        S = sparse.csr_array((A[rows, columns], (rows, columns)), shape=A.shape)
        return Form(SPARSE[form](S), f"{words}, {kept:.0%} stored")

    return st.builds(
        make,
        st.sampled_from(["distances"] * len(PAIRS) + list(PAIRS)),
        st.sampled_from([0.0, 0.0, 0.0, np.nan, np.inf, -1.0, 7.0]),
        st.sampled_from(["C"] * 6 + ["Fortran", "read-only", "float32", "list", *SPARSE]),
        st.sampled_from([1.0, 0.8, 0.4]),
    )


def layout(w: World, d: int = 2) -> Strategy:
    """Layouts: dense, as the methods return them or as users write them."""
    return matrices(w.n, d, w.seed + 1, forms=["C"] * 8 + list(DENSE))


def centers(w: World, d: int = 2) -> Strategy:
    return matrices(w.k, d, w.seed + 2, contents=["normal"], forms=list(DENSE))


def vector(n: int, seed: int) -> Strategy:
    A = np.random.default_rng(seed).standard_normal((n, 1))
    return st.builds(
        lambda content, form: Form(DENSE[form](CONTENTS[content](A)[:, 0]), f"{content}, {form}"),
        st.sampled_from([*PLAIN, "integers", "constant", "zeros", "large", "huge", "denormal"]),
        st.sampled_from(["C"] * 8 + list(DENSE)),
    )


def probabilities(n: int, k: int, seed: int) -> Strategy:
    """Rows of probabilities, some of them certain."""
    P = np.random.default_rng(seed).dirichlet(np.ones(k), n) if k else np.zeros((n, 0))
    certain = np.eye(max(k, 1))[np.arange(n) % max(k, 1)]
    return st.builds(
        lambda A, form: Form(DENSE[form](A), form),
        st.sampled_from([P, certain]),
        st.sampled_from(["C", "Fortran", "strided", "read-only", "float32", "list", "object"]),
    )


def row_stochastic(w: World) -> Strategy:
    """Neighbor probabilities: dense or sparse, with a zero diagonal."""
    P = w.rng.random((w.n, w.n)) + 1e-3
    np.fill_diagonal(P, 0)
    sums = P.sum(axis=1, keepdims=True)
    P = P / np.where(sums > 0, sums, 1)

    def make(form: str) -> Form:
        if form in DENSE:
            return Form(DENSE[form](P.copy()), form)
        return Form(SPARSE[form](sparse.csr_array(P)), form)

    forms = ["C"] * 6 + ["Fortran", "read-only", "strided", "float32", "list", *SPARSE]
    return st.builds(make, st.sampled_from(forms))


# -- labels, points, text ---------------------------------------------------------------------


def labels(w: World) -> Strategy:
    """Labels of some or all points: integers, floats with NaN, text, rows of probabilities."""
    codes = np.arange(w.n) % w.k
    some = np.where(np.arange(w.n) < max(2 * w.k, w.n // 2), codes, -1)
    text = np.array(["left", "right", "<b>up</b>"], dtype=object)

    def make(words: str) -> Any:
        return {
            "ints": codes,
            "some ints": some,
            "list": some.tolist(),
            "floats": np.where(some < 0, np.nan, some),
            "text": text[codes],
            "text and None": [text[c] if c >= 0 else None for c in some],
            "one class": np.zeros(w.n, dtype=int),
            "nothing": np.full(w.n, -1),
            "one each": np.arange(w.n),
            "bool": codes > 0,
            "read-only": _read_only(some),
            "series": pd.Series(text[codes]),
            "category": pd.Series(pd.Categorical(text[codes])),
            "rows": np.eye(w.k)[codes] * 0.8 + 0.2 / w.k,
        }[words]

    names = ["ints", "some ints", "some ints", "list", "floats", "text", "text and None",
             "one class", "nothing", "one each", "bool", "read-only", "series", "category",
             "rows"]  # fmt: skip
    return st.builds(lambda words: Form(make(words), words), st.sampled_from(names))


def full_labels(w: World) -> Strategy:
    codes = np.arange(w.n) % w.k
    return st.sampled_from([codes, codes.astype(np.int8), codes.tolist(), codes.astype(str)])


def points(w: World) -> Strategy:
    """Some points: an index, indices in any order, a mask, a slice."""
    index = st.integers(0, max(w.n - 1, 0))
    some = st.lists(index, min_size=1, max_size=5)
    return st.one_of(
        some,
        index,
        st.builds(np.array, some),
        st.builds(lambda i: np.arange(w.n) % 3 == i, st.integers(0, 2)),
        st.builds(slice, st.integers(0, w.n), st.integers(0, w.n)),
    )


#: Text that breaks pages, files, formats and terminals.
HOSTILE_TEXT = (
    "", " ", "\ud800", "a\udfffb", "\0", "a\0b", "<img src=x onerror=alert(1)>", "</script>",
    "$\\frac{1}{2}$", "{0}", "%s", "\n", "\r\n", "\u202e", "\ufeff", "é" * 3, "-1", "nan", "None",
    "../../x", "/", "'; import os #", '"""', "\\", "x" * 100_000, "auto", "precomputed",
    "correlation", "cosine", "mahalanobis", "haversine",
)  # fmt: skip


def names() -> Strategy:
    """Class names and other short text, sometimes hostile."""
    return st.one_of(
        st.sampled_from(["a", "b", "left", "<b>up</b>"]), st.sampled_from(HOSTILE_TEXT)
    )


# -- hostile values ---------------------------------------------------------------------------

#: Numbers at and beyond the ends of every range.
EXTREME: tuple[Any, ...] = (
    0, 1, -1, 2, 0.5, -0.5, -0.0, math.nan, math.inf, -math.inf, 1e300, -1e300, 1e-300, 5e-324,
    1e16, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**6, 10**400, -(10**400),
    True, False, np.float64(math.nan), np.float32(0.5), np.float16(65504), np.int8(3), np.int64(2),
    np.uint64(2**64 - 1), np.bool_(True), np.longdouble(0.5), Fraction(1, 3), Decimal("0.5"),
    1j, np.complex128(1),
)  # fmt: skip


class Opaque:
    """An object without any meaning, with a repr that does not change."""

    def __repr__(self) -> str:
        return "Opaque()"


class Sized:
    """Says that it has a length and has nothing else."""

    def __len__(self) -> int:
        return 5

    def __repr__(self) -> str:
        return "Sized()"


def _identity(*values: Any) -> Any:
    return values


STRANGE: tuple[Callable[[], Any], ...] = (
    lambda: None,
    Opaque,
    Sized,
    lambda: Opaque,
    lambda: _identity,
    lambda: int,
    lambda: b"bytes",
    lambda: bytearray(8),
    lambda: [],
    lambda: (),
    lambda: {},
    lambda: {"a": 1},
    lambda: {1, 2},
    lambda: [[1.0, 2.0], [3.0]],
    lambda: [[]],
    lambda: [None],
    lambda: ["a", 1, None],
    lambda: [math.nan] * 8,
    lambda: [-1] * 8,
    lambda: [10**400] * 8,
    lambda: range(8),
    lambda: (i for i in range(3)),
    lambda: slice(None),
    lambda: Ellipsis,
    lambda: NotImplemented,
    lambda: np.array(1.0),
    lambda: np.array([]),
    lambda: np.zeros((0, 3)),
    lambda: np.zeros((8, 0)),
    lambda: np.zeros((8, 3, 2)),
    lambda: np.zeros(8),
    lambda: np.full((8, 3), math.nan),
    lambda: np.full((8, 2), math.inf),
    lambda: np.full((8, 8), 1e300),
    lambda: np.eye(8),
    lambda: -np.eye(8),
    lambda: np.ones((8, 8)),
    lambda: np.ones((8, 3), dtype=complex),
    lambda: np.full((8, 3), "x"),
    lambda: np.array([["1", "2"]] * 8),
    lambda: np.array([[None, 1.0]] * 8, dtype=object),
    lambda: np.array([{}] * 8, dtype=object),
    lambda: np.zeros((8, 3), dtype="datetime64[s]"),
    lambda: np.zeros(8, dtype=[("a", float), ("b", int)]),
    lambda: np.ma.masked_greater(np.arange(24.0).reshape(8, 3), 5),
    lambda: pd.DataFrame({"a": ["x"] * 8}),
    lambda: pd.DataFrame({"a": [1.0] * 7 + [None], "b": [pd.NA] * 8}),
    lambda: pd.Series([pd.NaT] * 8),
    lambda: sparse.eye_array(8).todia(),
    lambda: sparse.csr_array((8, 3)),
    lambda: sparse.coo_array(np.ones(8)),
    lambda: np.dtype(float),
    lambda: np.random.RandomState(0),
    lambda: np.random.default_rng(0),
)


def hostile() -> Strategy:
    """Anything at all that is not what the argument asks for, most of the time."""
    return st.one_of(
        st.sampled_from(EXTREME),
        st.sampled_from(HOSTILE_TEXT),
        st.sampled_from(STRANGE).map(lambda make: make()),
    )


def hostile_data() -> Strategy:
    """Hostile values of arguments that take matrices: malformed ones among them."""
    return st.one_of(
        hostile(),
        matrices(8, 3, 0, forms=list(MALFORMED), contents=["normal"]),
        matrices(8, 8, 0, forms=list(MALFORMED), contents=["normal"]),
        matrices(8, 3, 0, contents=["huge", "large", "denormal"], forms=[*DENSE, *SPARSE]),
    )


#: For counts of iterations or of points to make: large numbers are legal, and would take long.
LONGEST = 200


def hostile_count() -> Strategy:
    return hostile().filter(
        lambda v: not (isinstance(v, int | np.integer) and LONGEST < v <= 2**63)
    )
