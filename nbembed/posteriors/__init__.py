"""Sources of class posteriors, the input of Parametric Embedding.

Any scikit-learn classifier with ``predict_proba`` can be used (:func:`class_posteriors`); the three
sources of "Parametric Embedding for Class Visualization" are here: multinomial naive Bayes with
smoothing chosen by leave-one-out (:class:`NaiveBayes`, appendix C), a soft nearest-neighbor
classifier (:class:`SoftNearestNeighbor`, appendix D), and topic models (:func:`topic_posteriors`,
appendix E). All of them give :class:`Posteriors`.
"""

from nbembed.posteriors.classify import Learned, class_posteriors, learn
from nbembed.posteriors.naive_bayes import NaiveBayes
from nbembed.posteriors.soft_nearest import SoftNearestNeighbor
from nbembed.posteriors.topics import topic_posteriors
from nbembed.posteriors.value import Posteriors

__all__ = [
    "Learned",
    "NaiveBayes",
    "Posteriors",
    "SoftNearestNeighbor",
    "class_posteriors",
    "learn",
    "topic_posteriors",
]
