"""Parameters that a map is prepared with: none has a slider, since a change takes its time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PreparedParameter:
    """A field of recipes that a page offers beside the sliders.

    * name: the recipe's field.
    * words: the allowed ones, if it is no number. A recipe may allow more.
    * of_features: whether it means nothing where the data are dissimilarities.
    * values: those that the words stand for, if they are not the words themselves.
    """

    name: str
    title: str
    description: str
    words: tuple[str, ...] = ()
    of_features: bool = False
    values: tuple[Any, ...] = ()

    def value_of(self, word: str) -> Any:
        """Return the value that a word stands for."""
        return dict(zip(self.words, self.values)).get(word, word)

    def word_of(self, value: Any) -> Any:
        """Return the word that stands for a value."""
        return dict(zip(self.values, self.words)).get(value, value) if self.values else value


#: Of all recipes that have such fields.
PREPARED = (
    PreparedParameter(
        "perplexity",
        "Perplexity",
        "About as many neighbors count for each point: few show detail, many the whole.",
    ),
    PreparedParameter(
        "metric",
        "Metric",
        "How dissimilar two points of the data are.",
        ("euclidean", "cosine", "manhattan", "correlation"),
        of_features=True,
    ),
    PreparedParameter(
        "propagate_labels",
        "Labels",
        "Unlabeled points go with the labels around them, or stay where they are.",
        ("carried", "not carried"),
        values=(True, False),
    ),
    PreparedParameter("random_state", "Seed", "What every random draw of the map comes from."),
)
