"""Text as it is searched: without regard to case, and with compatible characters as one."""

from __future__ import annotations

import datetime
import re
import unicodedata
from typing import Any

import numpy as np

from nbembed.points.text import name_of, text_of

#: Characters of an excerpt before and after what was found.
BEFORE, AFTER = 20, 50


def folded(text: str) -> str:
    """Return text in the form in which it is compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


def as_word(wanted: str) -> re.Pattern[str]:
    """Return what finds a folded text where it is no part of a longer word."""
    before, after = (r"(?<!\w)" * wanted[:1].isalnum(), r"(?!\w)" * wanted[-1:].isalnum())
    return re.compile(before + re.escape(wanted) + after)


def searchable(value: Any) -> str:
    """Return a value as text that can be searched, "" for what is no text, number, flag or date."""
    if isinstance(value, str):
        return str(value)
    plain = int | float | np.number | np.bool_ | datetime.date | np.datetime64
    return text_of(value) if isinstance(value, plain) else ""


def excerpt(text: str, wanted: str) -> str:
    """Return the part of a text around what was found, in one line; rather a word."""
    known = folded(text)
    word = as_word(wanted).search(known)
    at = word.start() if word else max(0, known.find(wanted))
    at = min(at, len(text))  # near enough where folding has changed the length
    first = max(0, at - BEFORE)
    part = text[first : at + len(wanted) + AFTER]
    return ("…" if first else "") + name_of(part)
