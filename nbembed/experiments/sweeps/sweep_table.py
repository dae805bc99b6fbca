"""The result of a sweep: a table with a row for each fit, that a notebook shows."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbembed.validation import check_choice, check_flag

#: The most rows that are shown; the middle of a longer table is left out.
SHOWN = 60
#: The most characters that a cell shows.
WIDTH = 60


@dataclass(frozen=True, eq=False)
class SweepTable:
    """Rows of a sweep; ``table["alpha"]`` is a column, iteration yields the rows.

    Attributes
    ----------
    columns : tuple of str
        Parameters, "seed" and "fold" where there are any, scores, "cost" and "n_iter" where the
        estimator has them, "seconds", and "error": None, or why there are no scores.
    rows : tuple of mapping
    parameters : tuple of str
        The columns of the grid.
    scores : tuple of str
        The columns of scores.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    parameters: tuple[str, ...]
    scores: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> np.ndarray[Any, Any]:
        """Return a column: numbers where all of its values are numbers, else objects."""
        if not isinstance(column, str) or column not in self.columns:
            raise KeyError(f"column must be one of {', '.join(self.columns)}, got {column!r}")
        values = [row[column] for row in self.rows]
        if all(isinstance(value, bool | int | float) for value in values):
            return np.array(values)
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        return cells

    @property
    def failed(self) -> SweepTable:
        """The rows with an error."""
        rows = tuple(row for row in self.rows if row["error"] is not None)
        return SweepTable(self.columns, rows, self.parameters, self.scores)

    def mean(self) -> SweepTable:
        """Return the mean of each setting over folds and seeds.

        Returns
        -------
        SweepTable
            For each score its mean and, as "± score", its standard deviation (one fewer degree of
            freedom); "fits", the number of fits, and "failed", the number of those without scores,
            which do not enter. Mean and deviation are NaN where there is nothing to compute them
            from.
        """
        groups: dict[int, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault(row["setting"], []).append(row)
        rows = []
        for number, group in groups.items():
            good = [row for row in group if row["error"] is None]
            made = {"setting": number, **{name: group[0][name] for name in self.parameters}}
            for score in self.scores:
                values = np.array([row[score] for row in good], dtype=float)
                made[score] = float(values.mean()) if values.size else math.nan
                spread = values.size > 1 and np.isfinite(values).all()
                made[f"± {score}"] = float(values.std(ddof=1)) if spread else math.nan
            made |= {"fits": len(group), "failed": len(group) - len(good), "error": None}
            rows.append(made)
        pairs = tuple(name for score in self.scores for name in (score, f"± {score}"))
        columns = ("setting", *self.parameters, *pairs, "fits", "failed")
        return SweepTable(columns, tuple(rows), self.parameters, self.scores)

    def best(self, score: str | None = None, *, largest: bool = True) -> dict[str, Any]:
        """Return the parameters of the setting with the best mean score, for ``set_params``.

        Parameters
        ----------
        score : str, optional
            One of :attr:`scores`; the first by default.
        largest : bool, default=True
            Whether more is better. Among equal ones the first setting of the grid is returned.

        Raises
        ------
        ValueError
            If there is no such score, or no setting that was fitted without an error in all folds
            and with all seeds.
        """
        name = self.scores[0] if score is None else check_choice("score", score, self.scores)
        sign = 1 if check_flag("largest", largest) else -1
        sound = [r for r in self.mean().rows if r["failed"] == 0 and not math.isnan(r[name])]
        if not sound:
            raise ValueError(f"score must have a mean for some setting, but {name!r} has none")
        found = max(sound, key=lambda row: sign * row[name])
        return {parameter: found[parameter] for parameter in self.parameters}

    def to_pandas(self) -> Any:
        """Return a pandas ``DataFrame``; pandas must be installed."""
        import pandas

        return pandas.DataFrame([dict(row) for row in self.rows], columns=list(self.columns))

    # -- shown -----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        rows = [list(self.columns), *self._cells(str)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(self.columns))]
        lines = ["  ".join(f"{c:{w}}" for c, w in zip(row, widths)).rstrip() for row in rows]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
            for row in self._cells(html.escape)
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _cells(self, escape: Callable[[str], str]) -> Iterator[list[str]]:
        shown: Sequence[Mapping[str, Any] | None] = self.rows
        if len(self.rows) > SHOWN:
            shown = [*self.rows[: SHOWN // 2], None, *self.rows[-SHOWN // 2 :]]
        for row in shown:
            if row is None:
                yield ["…"] * len(self.columns)
            else:
                yield [escape(_cell(row[name])) for name in self.columns]


def _cell(value: Any) -> str:
    """Return a value as text on one line."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
