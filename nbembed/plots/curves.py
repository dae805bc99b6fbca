"""Cost against iterations."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

from bokeh.models import BoxAnnotation, ColumnDataSource, DataRange1d, HoverTool, Label, PlainText

from nbembed.drawing import palette
from nbembed.plots.fitting import extent
from nbembed.plots.inputs import traces_of
from nbembed.plots.lines import DASHES
from nbembed.plots.theme import NEUTRAL, add_legend, new_figure, text_color
from nbembed.run import Record

#: Approximate width of a letter in pixels, and of the figure outside the plot.
LETTER, EDGES = 6.5, 90
#: Where the width is the page's, names of stages have room on a narrow one.
NARROW = 520
#: Lines of names of stages, and pixels from one to the next.
NAME_LINES, NAME_HEIGHT = 2, 12
#: Room above and below the curve, in its heights, for so many lines.
PADDING = (0.3, 0.3, 0.5)


def cost_curve(source: Any, *, title: str = "", width: int | None = None, height: int = 280) -> Any:
    """Return a figure of the cost against the iteration.

    Parameters
    ----------
    source : trace, estimator, Run, Session, Explorer, or mapping of names to any of these
        A trace is the list ``trace_`` of a fitted estimator.
    title : str
    width, height : int
        Pixels; by default the figure is as wide as the page or cell.

    Returns
    -------
    figure : bokeh.plotting.figure
        The cost in nats at the iterations at which it was evaluated. The stages of a single
        schedule are shaded and named; hovering shows iteration, cost, stage and parameters.

    Raises
    ------
    TypeError, ValueError
        If there is no trace, or none of its records has a cost.

    Examples
    --------
    >>> from nbembed.run import Record
    >>> trace = [Record(k, 1 / k, 0.1, "", {}) for k in range(1, 5)]
    >>> cost_curve({"a run": trace}).yaxis.axis_label
    'cost (nats)'
    """
    traces = traces_of(source)
    size = extent(width, height)
    curves = {name: [r for r in trace if math.isfinite(r.cost)] for name, trace in traces.items()}
    for name, records in curves.items():
        if not records:
            raise ValueError(
                f"source{f'[{name!r}]' if name else ''} must have a record with a cost, but the "
                "cost was never evaluated; run more iterations, or set verbose=1 to evaluate it "
                "more often"
            )
    ends = ", ".join(f"{name} {records[-1].cost:.4g}".strip() for name, records in curves.items())
    made = new_figure(
        title,
        f"Cost against iterations. {title} At the end: {ends} nats.",
        **size,
        tools="pan,box_zoom,wheel_zoom,reset,save",
    )
    made.xaxis.axis_label = "iteration"
    made.yaxis.axis_label = "cost (nats)"
    if len(traces) == 1:
        trace = next(iter(traces.values()))
        top = max(r.cost for records in curves.values() for r in records)
        per_pixel = trace[-1].iteration / max((width or NARROW) - EDGES, 50)
        n_lines = _shade(made, trace, top, per_pixel)
        made.y_range = DataRange1d(range_padding=PADDING[n_lines])
    entries: list[tuple[str, Any, int | None]] = []
    for k, (name, records) in enumerate(curves.items()):
        line = made.line(
            x="iteration",
            y="cost",
            source=_columns(name, records),
            color=palette.color(k),
            line_dash=DASHES[k % len(DASHES)],
            line_width=2,
        )
        entries.append((name, line, None))
    tooltips = [
        ("iteration", "@iteration"),
        ("cost", "@cost{0.0000}"),
        ("stage", "@stage"),
        ("at", "@parameters"),
    ]
    if any(curves):
        tooltips.insert(0, ("run", "@name"))
        add_legend(made, entries, place="top_right").click_policy = "mute"
    lines = [line for _, line, _ in entries]
    made.add_tools(HoverTool(tooltips=tooltips, renderers=lines, mode="vline"))
    return made


def _columns(name: str, records: list[Record]) -> ColumnDataSource:
    return ColumnDataSource(
        {
            "iteration": [r.iteration for r in records],
            "cost": [r.cost for r in records],
            "stage": [r.stage or "–" for r in records],
            "name": [name] * len(records),
            "parameters": [
                ", ".join(f"{key} = {value:.4g}" for key, value in r.parameters.items())
                for r in records
            ],
        }
    )


def _shade(made: Any, trace: list[Record], top: float, per_pixel: float) -> int:
    """Shade stages alternately and name them where there is room, repeated names once.

    Returns the number of lines that the names take.
    """
    begin, free, last = 0, [0.0] * NAME_LINES, ""
    for k, ((name, _), records) in enumerate(groupby(trace, key=_stage)):
        end = list(records)[-1].iteration
        if name:
            made.add_layout(
                BoxAnnotation(
                    left=begin,
                    right=end,
                    fill_color=NEUTRAL,
                    fill_alpha=(0.16, 0.07)[k % 2],
                    line_color=None,
                )
            )
        line = next((k for k, used in enumerate(free) if begin >= used), None)
        if name and name != last and line is not None:
            made.add_layout(
                Label(
                    x=begin,
                    y=top,
                    x_offset=3,
                    y_offset=4 + line * NAME_HEIGHT,
                    text=PlainText(text=name),
                    text_font_size="11px",
                    text_color=text_color(),
                )
            )
            free[line] = begin + (len(name) * LETTER + 8) * per_pixel
        begin, last = end, name
    return sum(used > 0 for used in free)


def _stage(record: Record) -> tuple[str, float | None]:
    """Return the key of a stage: the name, and λ where stages share a name."""
    return record.stage, record.parameters.get("lam") if record.stage else None
