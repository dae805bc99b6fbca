"""The data that users give: matrices, tables, distances and probabilities, checked once.

Everything comes in as a user has it (NumPy, SciPy, pandas, AnnData, Dask) and leaves as checked
arrays, or as an error that names the argument (``validation``). Nothing here is learned or
searched; neighbors are found in ``neighbors/``, affinities made in ``affinities``.
"""
