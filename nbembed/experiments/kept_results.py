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

from nbembed.session.atomic import write_atomically
from nbembed.validation import check_path

FORMAT = 1


class KeptResults:
    """The results in a folder; without a folder, none.

    Parameters
    ----------
    folder : path or None
        Made if it does not exist.

    Raises
    ------
    TypeError, ValueError
        If it is no path, or no folder can be there.
    """

    def __init__(self, folder: Any) -> None:
        self.folder: Path | None = None
        if folder is None:
            return
        self.folder = check_path("folder", folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"folder must be where files can be kept: {error}") from None

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the result of that fingerprint, None where there is none that can be read."""
        if self.folder is None:
            return None
        try:
            found = json.loads(self._file(key).read_text(encoding="utf-8"))
            result = found["result"]
            if found["format"] != FORMAT or not isinstance(result["scores"], dict):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return {
            **result,
            "scores": {name: _number(value) for name, value in result["scores"].items()},
        }

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


def _number(value: Any) -> float:
    return float(value)
