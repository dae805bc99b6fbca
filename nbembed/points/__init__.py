"""The table whose rows are the points: its columns, texts, images and groups, for looking at.

Points are found by it (``find_columns``, ``point_columns``, ``neighborhoods``), described by it
(``groups``, ``point_data``, ``images``), colored by it (``columns``) and written out with it
(``export``). Narwhals, which reads data frames of any kind, is imported here alone. Nothing is
drawn, and no map depends on it.
"""
