"""Compiled numerics on plain arrays: sums over pairs of points and what they are made of.

Nothing here checks its arguments, knows a class of nbembed or keeps state; the objectives do.
Every function takes ``n_threads`` last and gives the same bits for any number of threads.
Coordinates come as ``Yt`` of shape (d, n), one row an axis.

From the bottom up:

* :mod:`~nbembed.kernels.threads`: a pool of threads that run fixed chunks of work;
* :mod:`~nbembed.kernels.codegen`: how formulas become vector code, and sums over all pairs;
* :mod:`~nbembed.kernels.terms`: what kernels return;
* :mod:`~nbembed.kernels.sparse`: sums over the entries of a sparse matrix;
* :mod:`~nbembed.kernels.heavy_tailed` (HSSNE), :mod:`~nbembed.kernels.gaussian_rows` (SNE, Mbed),
  :mod:`~nbembed.kernels.neighbor_retrieval` (NeRV, on :mod:`~nbembed.kernels.log_rows`),
  :mod:`~nbembed.kernels.links` (links), :mod:`~nbembed.kernels.large_margin` (Mbed),
  :mod:`~nbembed.kernels.parametric` (Parametric Embedding);
* :mod:`~nbembed.kernels.placement`: new points on a map that stays;
* :mod:`~nbembed.kernels.custom_similarity`: HSSNE with a similarity of the user's own;
* :mod:`~nbembed.kernels.calibration`, :mod:`~nbembed.kernels.distances`: from data to affinities.
"""
