"""Drawing of points, shared by ``plots/``, ``widget/`` and experiments.

Colors and symbols (``palette``, ``class_palette``, ``contrast``, ``membership_colors``), shapes,
borders and places of names, the plane onto which a map is projected, and the still renderer
(``scene``, ``picture``, ``panels``). No notebook and no Bokeh comes in.
"""
