"""Objects that stand for a live map: there is no copy of what they stand for."""

from __future__ import annotations

from typing import Any, NoReturn


class Handle:
    """Refuses to be copied or pickled, and says what to do instead."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} stands for a live map and cannot be copied or pickled; "
            "save(path) of the session writes it to a file, and load_session(path) opens another "
            "one from there"
        )
