"""Parameters that a map is prepared with: none has a slider, since a change takes its time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PreparedParameter:
    """A field of recipes that a page offers beside the sliders.

    * name: the recipe's field.
    * words: the allowed ones, if it is no number. A recipe may allow more.
    * of_features: whether it means nothing where the data are dissimilarities.
    """

    name: str
    title: str
    description: str
    words: tuple[str, ...] = ()
    of_features: bool = False


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
    PreparedParameter("random_state", "Seed", "What every random draw of the map comes from."),
)
