"""Figures for analysis and teaching, as Bokeh objects.

Every function returns a Bokeh figure or layout and shows nothing: ``bokeh.io.show`` shows it, and
``jupyter_bokeh.BokehModel`` makes it a widget, both after ``output_notebook``. In a notebook,
without a network::

    from bokeh.io import output_notebook, show
    from bokeh.resources import INLINE

    output_notebook(INLINE, hide_banner=True)
    show(nb.plots.comparison_grid({"SNE": Y1, "t-SNE": Y2}, color=y))

* ``maps``: one map (:func:`scatter`), several side by side with a shared selection
  (:func:`comparison_grid`).
* ``curves``: the cost against the iteration (:func:`cost_curve`).
* ``annealing``: the layouts along Mbed's λ and their criterion (:func:`annealing_path`).
* ``retrieval``: how well a map retrieves neighborhoods of the data (:func:`retrieval_curve`,
  :func:`rnx_curve`).
* ``lines``: any lines in the same theme (:func:`lines`).
* ``images``: digits, faces, weights of pixels and small matrices (:func:`images`).
* ``theme``, ``fitting``, ``points``, ``inputs``: light and dark theme, figures as wide as the
  cell, points with text on hover, sources of traces and paths.

Colors and their order are those of the Explorer. Text from data (class names, hover) is shown
verbatim, never interpreted as HTML or TeX.
"""

from nbembed.plots.annealing import annealing_path
from nbembed.plots.curves import cost_curve
from nbembed.plots.images import images
from nbembed.plots.lines import lines
from nbembed.plots.maps import comparison_grid, scatter
from nbembed.plots.retrieval import retrieval_curve, rnx_curve

__all__ = [
    "annealing_path",
    "comparison_grid",
    "cost_curve",
    "images",
    "lines",
    "retrieval_curve",
    "rnx_curve",
    "scatter",
]
