"""How points are shown, whoever draws them: what ``plots/`` and ``widget/`` share.

* ``palette``: colors and symbols of classes and categories.
* ``contrast``, ``marker_shapes``: colors on a ground, and shapes, as the page draws them.
* ``columns``: any column of values to color points by.
* ``membership_colors``: colors of points by their class probabilities.
* ``projection``: a steady plane for maps of more than two dimensions.
* ``find_columns``, ``find_text``, ``point_columns``, ``neighborhoods``: by what points are found.

Nothing here draws; Bokeh is imported by ``plots/`` alone, Jupyter's libraries by ``widget/`` alone.
"""
