"""The format of sparse matrices: what is accepted, and that nothing malformed is ever read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from nbembed.data.sparse_format import as_csr, check_csr, csr_from_parts
from tests.malformed import MALFORMED, MALFORMED_FORMATS

RNG = np.random.default_rng(0)
DENSE = np.round(RNG.random((6, 8)) * (RNG.random((6, 8)) < 0.4), 2)
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dia", "dok")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8, bool])
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_formats_become_canonical_csr(form, kind, dtype):
    dense = (10 * DENSE).astype(dtype)
    given = getattr(sparse, f"{form}_{kind}")(dense)
    made = as_csr(given)
    assert type(made) is getattr(sparse, f"csr_{kind}")
    assert made.dtype == (np.float32 if dtype is np.float32 else np.float64)
    np.testing.assert_array_equal(made.toarray(), dense.astype(made.dtype))
    check_csr(made, canonical=True)


def test_a_well_formed_matrix_is_not_copied():
    given = sparse.csr_array(DENSE)
    made = as_csr(given)
    assert made is not given
    for part in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(made, part), getattr(given, part))


def test_duplicates_are_summed_and_flags_are_not_believed():
    given = sparse.csr_array(([1.0, 2.0, 4.0], [2, 0, 2], [0, 3]), shape=(1, 3))
    for flag in (False, True):
        given.has_canonical_format = given.has_sorted_indices = flag
        made = as_csr(given)
        assert made.toarray().tolist() == [[2, 0, 5]]
        assert made.indices.tolist() == [0, 2]
        assert given.indices.tolist() == [2, 0, 2]


def test_room_to_spare_and_empty_rows():
    given = sparse.csr_array(([1.0, 2.0], [2, 0], [0, 0, 2, 2]), shape=(3, 3))
    given.data, given.indices = np.append(given.data, 7.0), np.append(given.indices, 99)
    made = as_csr(given)
    assert made.nnz == made.data.size == 2
    assert made.toarray().tolist() == [[0, 0, 0], [2, 0, 1], [0, 0, 0]]
    for shape in ((0, 3), (3, 0), (2, 2)):
        assert as_csr(sparse.csr_array(shape)).shape == shape


@pytest.mark.parametrize("wrong", [*MALFORMED, *MALFORMED_FORMATS])
def test_malformed_matrices_are_refused(wrong):
    given = {**MALFORMED, **MALFORMED_FORMATS}[wrong](DENSE)
    with pytest.raises(ValueError, match=r"words must be a (well-formed sparse|matrix of real)"):
        as_csr(given, "words")


@pytest.mark.parametrize("wrong", MALFORMED)
def test_malformed_parts_of_a_file_are_refused(wrong):
    given = MALFORMED[wrong](DENSE)
    with pytest.raises(ValueError, match=r"words must be a (well-formed sparse|matrix of real)"):
        csr_from_parts(given.data, given.indices, given.indptr, DENSE.shape, "words")


@pytest.mark.parametrize(
    "shape", [(6,), (6, 8, 1), (6.0, 8.0), (-6, 8), (10**12, 8), (6, 2), "ab", None, (2**70, 8)]
)
def test_shapes_that_the_parts_do_not_have_are_refused(shape):
    parts = sparse.csr_array(DENSE)
    with pytest.raises(ValueError, match="X must be a well-formed sparse matrix"):
        csr_from_parts(parts.data, parts.indices, parts.indptr, shape)
    made = csr_from_parts(parts.data, parts.indices, parts.indptr, np.array([6, 8]))
    np.testing.assert_array_equal(made.toarray(), DENSE)


def test_what_kernels_rely_on():
    for wrong in (DENSE, sparse.csc_array(DENSE), sparse.csr_array(DENSE > 0)):
        with pytest.raises(ValueError, match="P must be"):
            check_csr(wrong, "P")
    unsorted = sparse.csr_array(([1.0, 2.0], [1, 0], [0, 2, 2]), shape=(2, 2))
    check_csr(unsorted, "P")
    with pytest.raises(ValueError, match="sorted and distinct"):
        check_csr(unsorted, "P", canonical=True)


#: Run in a process of its own, which a read out of bounds may end. The tests above have all forms.
SCRIPT = """
import sys, warnings
from tests.malformed import MALFORMED, MALFORMED_FORMATS
from tests.public_calls import CALLS, Given, given

warnings.simplefilter("ignore")
MAKERS = {**MALFORMED, **MALFORMED_FORMATS}
FORMS = (
    "a negative index", "an index too large", "a last pointer too large", "too few values",
    "pointers that decrease", "csc index", "coo row",
)
read = set()


class Watched(Given):
    def __getattribute__(self, name):
        if name in ("X", "new", "P", "J"):
            read.add(name)
        return super().__getattribute__(name)


wrong = []
for name, call in CALLS.items():
    read.clear()
    call(Watched(**vars(given())))
    for argument in sorted(read):
        for form in FORMS:
            g = given()
            setattr(g, argument, MAKERS[form](getattr(g, argument)))
            print(name, argument, form, file=sys.stderr, flush=True)
            try:
                call(g)
            except (TypeError, ValueError) as error:
                if any(f"{k} must" in str(error) for k in ("X", "Z", "P", "others")):
                    continue
                wrong.append((name, argument, form, type(error).__name__, str(error)[:150]))
            else:
                wrong.append((name, argument, form, "accepted"))
print(*wrong, sep="\\n")
sys.exit(len(wrong) > 0)
"""


@pytest.mark.slow
def test_no_public_callable_reads_a_malformed_matrix():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stderr.splitlines()[-3:]
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stdout}\n{last}"
