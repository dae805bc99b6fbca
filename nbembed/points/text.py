"""Any value as text to show: short, in whole characters, without characters that act.

Names and cells come from anywhere. Control characters become their pictures (␀), halves of
surrogate pairs become question marks, and what is long is cut. Markup and marks of direction stay
as they are: whoever shows the text shows it as text, and each value in an element of its own.
"""

from __future__ import annotations

import datetime
import reprlib
from typing import Any

import numpy as np

from nbembed.validation import readable

#: Characters of a cell that are shown.
LONGEST_CELL = 600
#: Characters of a name or title that are shown.
LONGEST_NAME = 80
#: Significant digits of numbers.
DIGITS = 6

#: Line feed and tab are white space; other control characters are shown as pictures or as unknown.
_CONTROLS = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}

_NEVER_MISSING = frozenset({str, int, bool})

#: Embeddings, overrides and isolates of direction, and their ends.
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def is_missing(value: Any) -> bool:
    """Return whether a value stands for none: ``None``, NaN, pandas' ``NA`` and ``NaT``."""
    kind = type(value)  # of many cells, the usual ones must be quick
    if kind is float or kind in _NEVER_MISSING:
        return bool(value != value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))


def text_of(value: Any, longest: int = LONGEST_CELL) -> str:
    """Return a value as text to show, "" if it is missing.

    * value: floats are shown in :data:`DIGITS` significant digits, times at midnight as dates,
      tuples with their parts side by side.
    * longest: characters that are kept; "…" follows where more are left out.
    """
    if is_missing(value):
        return ""
    try:
        text = _plain(value)
    except Exception:  # of an object from anywhere, or a number of thousands of digits
        text = f"a {type(value).__name__}"
    if len(text) > longest:
        text = text[:longest] + "…"
    if text.isascii() and text.isprintable():
        return text
    return readable(text.translate(_CONTROLS))


def name_of(value: Any) -> str:
    """Return the name of a point or column in one line, "" if it is missing."""
    return " ".join(text_of(value, LONGEST_NAME).split())


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float | np.floating):
        return f"{float(value):.{DIGITS}g}"
    if isinstance(value, tuple):  # a row's label in an index of several levels
        return " · ".join(map(_plain, value[:10]))
    if isinstance(value, list | dict | set | frozenset):
        return reprlib.repr(value)
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes"
    if isinstance(value, np.datetime64):
        text = str(value)  # in the unit of its type, which libraries choose differently
        text = text.rstrip("0").removesuffix(".") if "." in text else text
        return text.removesuffix("T00:00:00")
    if isinstance(value, datetime.datetime):
        return str(value).removesuffix(" 00:00:00")
    return str(value)


def in_sentence(text: str) -> str:
    """Return text without marks that would change the direction of what follows it."""
    return text.translate(_DIRECTIONS)
