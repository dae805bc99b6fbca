"""Results of a sweep in a folder: one small JSON file each, written as soon as it is known.

A file is named by the fingerprint of all that the result depends on, so that a folder serves any
number of sweeps: a result is found again by whoever asks for the same, and by nobody else. Writing
is atomic; a file that cannot be read is as good as none, and is written again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from nbembed.system.atomic import write_atomically
from nbembed.validation import check_path

FORMAT = 1


class KeptResults:
    """The results in a folder, which is made if it does not exist; without a folder, none."""

    def __init__(self, folder: Any) -> None:
        self.folder: Path | None = None
        if folder is None:
            return
        self.folder = check_path("folder", folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"folder must be a directory in which files can be written: {error}"
            ) from None

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the result of that fingerprint, None where there is none that can be read."""
        if self.folder is None:
            return None
        try:
            found = json.loads(self._file(key).read_text(encoding="utf-8"))
            return _result(found["result"]) if found["format"] == FORMAT else None
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None

    def keep(self, key: str, about: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Write a result; ``about`` tells a reader of the file what it is the result of."""
        if self.folder is None:
            return

        scores = {name: _plain(value) for name, value in result["scores"].items()}
        content = {
            "format": FORMAT,
            "about": {name: repr(value) for name, value in about.items()},
            "result": {**result, "scores": scores},
        }
        text = json.dumps(content, indent=1, allow_nan=False) + "\n"

        def write(file: BinaryIO) -> None:
            file.write(text.encode())

        write_atomically(self._file(key), write)

    def _file(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{key}.json"


def _plain(value: float) -> float | str:
    """Return a number as JSON has it; Python reads the digits back to the same bits."""
    return value if math.isfinite(value) else repr(value)


def _result(found: Any) -> dict[str, Any]:
    """Return a result that was read, with its numbers; raise if its form is another one."""
    if not isinstance(found, dict) or not isinstance(found["scores"], dict):
        raise TypeError("a result must be a mapping with a mapping of scores")
    if found["error"] is not None:
        raise ValueError("results of failed fits are not kept")
    numbers = {name: found[name] for name in ("seconds", "cost", "n_iter") if name in found}
    if "seconds" not in numbers or not all(map(_is_number, numbers.values())):
        raise ValueError("seconds, cost and n_iter must be numbers")
    scores = {name: _score(value) for name, value in found["scores"].items()}
    return {"scores": scores, "error": None, **numbers}


def _score(value: Any) -> float:
    if _is_number(value) or value in ("nan", "inf", "-inf"):
        return float(value)
    raise ValueError(f"a score must be a number, got {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
