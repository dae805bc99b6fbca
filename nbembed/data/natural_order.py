"""The order of names in which numbers count as numbers: 1, 2, 10."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"([0-9]+)")


def natural_key(text: str) -> tuple[list[str | tuple[int, str]], str]:
    """Return a sort key of text, in which runs of digits are compared as whole numbers."""
    parts: list[str | tuple[int, str]] = []
    for k, part in enumerate(_DIGITS.split(text)):
        number = part.lstrip("0")
        # By length, then digit by digit: Python refuses to read numbers of thousands of digits.
        parts.append((len(number), number) if k % 2 else part)
    return parts, text
