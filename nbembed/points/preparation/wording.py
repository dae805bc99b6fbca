"""Sentences on prepared data: their preparation, columns left out, values filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from nbembed.points.preparation.columns import PreparedColumn
from nbembed.points.text import in_sentence, name_of

#: Columns of which a note or an error tells more than the name.
MOST_TOLD = 4

_BY = {"median": "the median", "mean": "the mean", "neighbors": "the nearest rows"}


def how(pipeline: Any, kind: str, scaled: bool) -> str:
    """Return how data are embedded."""
    steps = pipeline.named_steps
    if kind in ("words", "texts"):
        svd = steps.get("svd")
        vectors = "" if svd is None else f" and {len(svd.components_)} singular vectors"
        return f"by TF-IDF{vectors}, each row of length 1"
    way = "as logarithms at equal library size" if kind == "cells" else "standardized" * scaled
    if (pca := steps.get("pca")) is not None:
        share = float(pca.explained_variance_ratio_.sum())
        kept = f" with {share:.0%} of the variance" if share == share else ""  # of constant data
        made = f"by {len(pca.components_)} principal components{kept}"
        return f"{way}, {made}" if way else made
    return way or "as they are"


def left_out_note(columns: Sequence[PreparedColumn]) -> str:
    """Return which columns are left out and why, but for those that are there to look at."""
    left: dict[str, list[str]] = {}
    for column in columns:
        if column.reason not in ("", "to look at"):
            left.setdefault(column.reason, []).append(_said(column.name))
    told = [
        f"{_more(names[:MOST_TOLD], len(names), ', ')} ({reason})" for reason, names in left.items()
    ]
    return f". Left out: {_more(told[:MOST_TOLD], len(told), ', ')}" if left else ""


def use_note(columns: Sequence[PreparedColumn]) -> str:
    """Return the weights, and the columns whose logarithms are embedded."""
    weights = [f"{_said(c.name)} × {c.weight:g}" for c in columns if c.embedded and c.weight != 1]
    logs = [_said(c.name) for c in columns if c.log]
    return "".join(
        f". {begin}: {_more(told[:MOST_TOLD], len(told), ', ')}"
        for begin, told in (("Weights", weights), ("Logarithms of", logs))
        if told
    )


def filled_note(
    columns: Sequence[PreparedColumn], missing: str, n_samples: int, infinite: int
) -> str:
    """Return which columns were filled in, and by what."""
    filled = [c for c in columns if c.filled]
    told = [
        f"{_said(c.name)}: {c.filled:,} of {n_samples:,} filled by "
        f"{'the most frequent' if c.use == 'category' else _BY[missing]}"
        for c in filled[:MOST_TOLD]
    ]
    also = f"; {infinite:,} of these were infinite" if infinite else ""
    return f". {_more(told, len(filled), '; ')}{also}" if filled else ""


def check_complete(lost: NDArray[Any], columns: Sequence[PreparedColumn], filled: bool) -> None:
    """Raise ValueError if values are missing that nothing fills; names the columns."""
    if filled or not lost.any():
        return
    told = [f"{_said(c.name)} in {n:,} rows" for c, n in zip(columns, lost.tolist()) if n]
    raise ValueError(
        "X must be finite in the columns that are embedded, but values are missing or infinite of "
        f'{_more(told[:MOST_TOLD], len(told), ", ")}. missing="median" fills them in, X.dropna() '
        "drops their rows"
    )


def counted(n: int, what: str) -> str:
    """Return a number of things."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _said(name: Any) -> str:
    return in_sentence(name_of(name)) or repr(name)


def _more(told: list[str], count: int, between: str) -> str:
    rest = f" and {count - len(told)} more" if count > len(told) else ""
    return between.join(told) + rest
