"""One BLAS thread for the linear algebra on which a result depends.

BLAS and LAPACK sum in an order that depends on the number of their threads. The difference is
rounding, but an eigenbasis, a nearest neighbor among ties or a long descent can magnify it, and the
same seed would give another map on a machine with more cores. So these steps run on one thread:

    with one_blas_thread():
        values, vectors = eigh(K)

For decompositions of a few thousand points that costs little (see :doc:`/reliability`); pairs of
points are computed by the package's own threads, which add in a fixed order and are not limited.
"""

from __future__ import annotations

import os
import threading
from contextlib import ContextDecorator
from typing import Any

_lock = threading.Lock()
_inside = 0
_controller: Any = None
_limit: Any = None


class one_blas_thread(ContextDecorator):
    """Limit BLAS to one thread within a ``with`` block or a decorated function.

    The limit is the whole process's, as BLAS knows no other. It is set by the first block that is
    entered, in whatever thread, and lifted when the last one is left: blocks may nest and overlap.
    """

    def __enter__(self) -> None:
        global _inside, _controller, _limit
        with _lock:
            if _inside == 0:
                if _controller is None:
                    # Looking for the libraries takes milliseconds. SciPy brings one of its own,
                    # which must be loaded to be found.
                    import scipy.linalg  # noqa: F401
                    from threadpoolctl import ThreadpoolController

                    _controller = ThreadpoolController()
                _limit = _controller.limit(limits=1, user_api="blas")
            _inside += 1

    def __exit__(self, *_: object) -> None:
        global _inside, _limit
        with _lock:
            # A child that was forked inside a block begins to count anew.
            _inside = max(_inside - 1, 0)
            if _inside == 0 and _limit is not None:
                _limit.restore_original_limits()
                _limit = None


def _forget_other_threads() -> None:
    """Begin anew in a forked child: what other threads were inside of goes on in the parent."""
    global _lock, _inside
    _lock, _inside = threading.Lock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)
