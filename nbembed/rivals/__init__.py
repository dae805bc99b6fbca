"""The supervised embeddings that the papers compare with, so that the comparisons can be run.

* :class:`SIsomap`: Isomap on dissimilarities that grow faster between classes than within.
* :class:`MUHSIC`: colored maximum variance unfolding; needs the extra ``nbembed[sdp]``.
* :class:`MRE`: multiple relational embedding, several SNE costs over one latent space.

The other methods of those comparisons are elsewhere: Laplacian eigenmaps, Isomap, metric scaling
and k-means in scikit-learn (``sklearn.manifold.SpectralEmbedding``, ``Isomap``, ``MDS``,
``sklearn.cluster.KMeans``); kernel discriminant analysis is ``KPCATrick(FDA())`` of
``nbembed.spectral``.

Rivals are scikit-learn estimators and nothing more: they are not live in the Explorer. All take
``y`` with -1, None or NaN for unlabeled points, or rows of class probabilities, and place new
points by ``transform``.
"""

from __future__ import annotations

from nbembed.rivals.mre import MRE
from nbembed.rivals.muhsic import MUHSIC
from nbembed.rivals.sisomap import SIsomap

__all__ = ["MRE", "MUHSIC", "SIsomap"]
