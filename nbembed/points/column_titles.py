"""Columns found by their titles: a page asks with what is typed, and is told the best of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nbembed.points.find_text import as_word, folded
from nbembed.points.text import name_of

#: Columns that one search returns.
MOST_MATCHES = 50


@dataclass(frozen=True)
class TitleMatches:
    """The results of a search for columns.

    ``places`` and ``titles`` are of the columns that match best, the best first; ``matching`` of
    all ``count`` columns match.
    """

    places: list[int]
    titles: list[str]
    matching: int
    count: int


class ColumnTitles:
    """The titles of columns, made of their names, in their order."""

    def __init__(self, names: Iterable[object]) -> None:
        self._names = list(names)
        # Of text the whole is searched, of which the title may show a part.
        self._folded = [folded(n if isinstance(n, str) else name_of(n)) for n in self._names]

    def __len__(self) -> int:
        return len(self._names)

    def append(self, name: object) -> None:
        """Add a column at the end."""
        self._names.append(name)
        self._folded.append(folded(name if isinstance(name, str) else name_of(name)))

    def title(self, place: int) -> str:
        """Return the title of the column at a place."""
        return name_of(self._names[place])

    def find(self, text: str, most: int = MOST_MATCHES) -> TitleMatches:
        """Return the columns whose titles contain all words of a text, without regard to case.

        First come the titles that are the text, then those that begin with it, those that have it
        as a word, and the others, each in the order of the columns.
        """
        wanted = folded(text.strip())
        words = wanted.split()
        known = self._folded
        found: Iterable[int] = range(len(known))
        for word in words:
            found = [place for place in found if word in known[place]]
        places = list(found)
        if words:
            whole = as_word(wanted)
            places.sort(key=lambda place: _rank(known[place], wanted, whole))
        best = places[:most]
        return TitleMatches(best, [self.title(k) for k in best], len(places), len(known))


def _rank(title: str, wanted: str, word: re.Pattern[str]) -> int:
    if title.startswith(wanted):
        return 0 if title == wanted else 1
    return 2 if word.search(title) else 3
