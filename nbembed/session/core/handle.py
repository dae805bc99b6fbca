"""Objects that stand for a live map: there is no copy of what they stand for."""

from __future__ import annotations

from typing import Any, NoReturn


class Handle:
    """Refuses to be copied or pickled, and says what to do instead."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} holds a live map and cannot be copied or pickled; write it "
            "to a file with save(path) of the session, and open a copy with load_session(path)"
        )
