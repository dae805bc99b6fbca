"""Sweeps: an estimator fitted with every setting of a grid, in every fold, with every seed.

``jobs`` makes independent calls, by joblib or on a Dask cluster, also for the papers' experiments.
Results are kept by the digest of what they depend on; no protocol of a paper is known here.
"""
