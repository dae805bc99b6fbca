"""Checks of the arguments that objectives have in common; each error names the argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.kernels.threads import resolve_threads
from nbembed.objectives.base import LARGEST, in_range
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import check_covers
from nbembed.validation import check_numbers, shown

#: With fewer points than this, starting threads takes longer than it saves.
SERIAL_BELOW = 1500


#: How sums over all pairs are taken: one by one, or by a grid in nearly linear time.
Algorithm = Literal["exact", "grid"]
ALGORITHMS: tuple[Algorithm, ...] = ("exact", "grid")


def as_sparse(P: Any) -> Any:
    """Return a sparse matrix as it is, and a dense one as a CSR array of its entries."""
    return P if sparse.issparse(P) else sparse.csr_array(P)


def threads_for(n_samples: int, n_jobs: int | None) -> int:
    """Return the number of threads; an explicit ``n_jobs`` is used whatever the size."""
    threads = resolve_threads(n_jobs)
    return 1 if n_jobs is None and n_samples < SERIAL_BELOW else threads


def check_layout(
    Y: Any, n_samples: int, dtype: np.dtype[Any], *, bounded: bool = True
) -> NDArray[Any]:
    """Return ``Y`` in ``dtype``, of shape (n_samples, n_components).

    Raises ValueError if the shape is another one, or, where it is ``bounded``, the layout is not
    finite or too large for squared distances.
    """
    layout = Y if isinstance(Y, np.ndarray) and Y.dtype == dtype else _numbers(Y, dtype)
    if layout.ndim != 2 or layout.shape[0] != n_samples or layout.shape[1] < 1:
        raise ValueError(
            f"Y must have shape (n_samples, n_components) with n_samples = {n_samples}, "
            f"got {layout.shape}"
        )
    if bounded:
        check_range(layout)
    return layout


def check_range(Y: NDArray[Any], name: str = "Y") -> None:
    """Raise ValueError unless a layout is finite and not too large for squared distances."""
    if in_range(Y, Y.dtype):
        return
    if not np.isfinite(Y).all():
        raise ValueError(f"{name} must be finite in {Y.dtype}, got NaN or infinity")
    size = float(np.abs(Y).max())
    norm = size * float(np.linalg.norm(np.asarray(Y / size, np.float64)))
    raise ValueError(
        f"{name} must have a Frobenius norm of at most {LARGEST[Y.dtype]:g} in {Y.dtype}, got "
        f"{norm:.3g}: squared distances would overflow; rescale {name}"
    )


def _numbers(Y: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):  # beyond the range of float32 it is infinite, and refused
        return check_numbers("Y", Y).astype(dtype)


def check_supervision(supervision: Any, n_samples: int) -> None:
    """Raise unless ``supervision`` is None or a Supervision of ``n_samples`` points."""
    if supervision is None:
        return
    if not isinstance(supervision, Supervision):
        raise TypeError(
            f"supervision must be a Supervision or None, got {type(supervision).__name__}"
        )
    check_covers(supervision, n_samples)


def check_names(objective: object, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise TypeError, naming an unknown parameter, unless all ``given`` ones are ``allowed``."""
    names = tuple(allowed)
    for name in given:
        if name not in names:
            raise TypeError(
                f"{type(objective).__name__} has no parameter {shown(name)}; "
                f"it has {', '.join(names)}"
            )
