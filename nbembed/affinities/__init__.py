"""Affinities: neighbor probabilities of points, made from data, dissimilarities or a graph.

Row form, the neighbors of each point as a distribution: ``p_{j|i} ∝ exp(−β_i d_ij²)``, with β_i
such that the entropy of the row is ``log(perplexity)`` ("Stochastic Neighbor Embedding"; NeRV's
effective number of neighbors is this perplexity), or one width for all points, ``β = 1/(2σ²)`` with
σ the 1/K quantile of all pairwise distances (Mbed, "Large Margin Non-Linear Embedding", section 7).
The paper leaves open whether it divides by σ² or 2σ²; 2σ² gives the better figures.

Joint form, one distribution over pairs: ``P = (p_{j|i} + p_{i|j}) / 2n``, which sums to one (SSNE,
t-SNE, HSSNE).

Rows over k nearest neighbors alone (``n_neighbors``) are sparse: O(n k) memory where all pairs take
O(n²). k = 3 · perplexity is usual in t-SNE's implementations for many points.
"""

from nbembed.affinities.making import global_affinities, perplexity_affinities
from nbembed.affinities.value import Affinities, as_affinities
from nbembed.validation import auto_perplexity

__all__ = [
    "Affinities",
    "as_affinities",
    "auto_perplexity",
    "global_affinities",
    "perplexity_affinities",
]
