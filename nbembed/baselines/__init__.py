"""Baselines: the supervised embeddings of the papers' comparisons, so that these can be run.

* :class:`SIsomap`: Isomap on dissimilarities that grow faster between classes than within.
* :class:`MUHSIC`: colored maximum variance unfolding; needs the extra ``nbembed[sdp]``.
* :class:`MRE`: multiple relational embedding, several SNE costs over one latent space.

The other methods of those comparisons exist elsewhere: Laplacian eigenmaps, Isomap, metric scaling
and k-means in scikit-learn (``sklearn.manifold.SpectralEmbedding``, ``Isomap``, ``MDS``,
``sklearn.cluster.KMeans``); kernel discriminant analysis is ``KPCATrick(learner=FDA())`` of
``nbembed.spectral``.

Baselines are plain scikit-learn estimators and not live in the Explorer. All take ``y`` with -1,
None or NaN for unlabeled points, or rows of class probabilities, and place new points by
``transform``.
"""

from nbembed.baselines.mre import MRE
from nbembed.baselines.muhsic import MUHSIC
from nbembed.baselines.sisomap import SIsomap

__all__ = ["MRE", "MUHSIC", "SIsomap"]
