"""Numerics on plain arrays: sums over pairs of points, and what they are made of.

Kernels do not check their arguments, know no class of nbembed and keep no state; objectives do.
Functions that share their work among threads take ``n_threads`` and give the same bits for any
number of threads. Coordinates
come as ``Yt`` of shape (d, n), one row an axis.

From the bottom up:

* :mod:`~nbembed.kernels.codegen`: formulas become vector code; sums over all pairs of points;
* :mod:`~nbembed.kernels.cores`, :mod:`~nbembed.kernels.threads`: a pool of threads that run fixed
  chunks of work;
* :mod:`~nbembed.kernels.terms`: what kernels return; :mod:`~nbembed.kernels.packing`: pairs of
  numbers in one square;
* :mod:`~nbembed.kernels.sparse`, :mod:`~nbembed.kernels.largest`: sums over the entries of a sparse
  matrix, and the largest of each row;
* :mod:`~nbembed.kernels.heavy_tailed` (HSSNE), :mod:`~nbembed.kernels.gaussian_rows` (SNE, Mbed),
  :mod:`~nbembed.kernels.neighbor_retrieval` (NeRV, on :mod:`~nbembed.kernels.log_rows`),
  :mod:`~nbembed.kernels.links` (must-links, cannot-links and labels),
  :mod:`~nbembed.kernels.linked_entropy` (entropy of affinities mixed with links),
  :mod:`~nbembed.kernels.large_margin` (Mbed), :mod:`~nbembed.kernels.parametric` (Parametric
  Embedding);
* :mod:`~nbembed.kernels.grid`: sums of radial kernels over all pairs by B-splines and Fourier
  transform, for maps of many points;
* :mod:`~nbembed.kernels.placement`: new points on a fitted map;
* :mod:`~nbembed.kernels.custom_similarity`: HSSNE with a user's own similarity;
* :mod:`~nbembed.kernels.calibration`, :mod:`~nbembed.kernels.distances`: from data to affinities;
  :mod:`~nbembed.kernels.fisher_paths`: distances in the learned metric.

Kernels are compiled with numba on their first call and kept on disk.
"""
