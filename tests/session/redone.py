"""The map of a session made again, by its replay and by its script, to the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.session import Session


def run_script(script: str, X: Any) -> np.ndarray:
    """Run a session's script; return the layout that it ends with."""
    names: dict[str, Any] = {"X": X}
    try:
        exec(compile(script, "<script of a session>", "exec"), names)
    finally:
        if "session" in names:
            names["session"].close()
    return names["embedding"]


def redone(session: Session) -> None:
    """Check that replay and script come to the same bits."""
    session.check()
    bits, centers = session.embedding.tobytes(), session.centers.tobytes()
    with session.replayed() as again:
        assert (again.embedding.tobytes(), again.centers.tobytes()) == (bits, centers)
    assert run_script(session.to_script(), session.X).tobytes() == bits
