"""Figures to look at and to teach with, made with Bokeh and handed back as objects.

Every function returns a Bokeh figure or layout and shows nothing: ``bokeh.io.show`` shows it, and
``jupyter_bokeh.BokehModel`` puts it among widgets, both after ``output_notebook``. In a notebook
that needs no network::

    from bokeh.io import output_notebook, show
    from bokeh.resources import INLINE

    output_notebook(INLINE, hide_banner=True)
    show(nb.plots.comparison_grid({"SNE": Y1, "t-SNE": Y2}, color=y))

* ``maps``: one map (:func:`scatter`), several side by side with one selection
  (:func:`comparison_grid`).
* ``curves``: cost against iterations (:func:`cost_curve`).
* ``annealing``: the layouts along Mbed's λ and their criterion (:func:`annealing_path`).
* ``retrieval``: what a map retrieves of the data's neighborhoods (:func:`retrieval_curve`,
  :func:`rnx_curve`).
* ``lines``: lines of one's own in the same look (:func:`lines`).
* ``look``, ``points``, ``sources``: colors of the ground, points with their hover text, reading
  runs.

Colors and their order are the Explorer's. Text that comes from data (names of classes, hover) is
shown as it is and never read as HTML or TeX.
"""

from __future__ import annotations

from nbembed.plots.annealing import annealing_path
from nbembed.plots.curves import cost_curve
from nbembed.plots.lines import lines
from nbembed.plots.maps import comparison_grid, scatter
from nbembed.plots.retrieval import retrieval_curve, rnx_curve

__all__ = [
    "annealing_path",
    "comparison_grid",
    "cost_curve",
    "lines",
    "retrieval_curve",
    "rnx_curve",
    "scatter",
]
