"""Posteriors of a topic model: which topic a word, or a document, belongs to.

    p(z = k|w) ∝ p(w|z = k) p(z = k)

appendix E of "Parametric Embedding for Class Visualization": the words of a topic model by Bayesian
inversion. scikit-learn's ``LatentDirichletAllocation`` keeps the (pseudo)counts of every word in
every topic in ``components_``, so that p(w|k) is a row over its sum, and p(k) the sum's share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nbembed.data.class_probabilities import check_posteriors
from nbembed.data.matrix_input import matrix_of
from nbembed.posteriors.value import Posteriors
from nbembed.validation import check_choice, check_points


def topic_posteriors(
    model: Any,
    X: ArrayLike | None = None,
    *,
    topics: Sequence[int] | None = None,
    prior: str = "tokens",
) -> Posteriors:
    """Return p(topic|word) of every word, or p(topic|document) of documents.

    Parameters
    ----------
    model : LatentDirichletAllocation
        Fitted; anything with ``components_`` (n_topics, n_words) of counts, and ``transform`` for
        documents.
    X : array-like or sparse matrix of shape (n_documents, n_words), optional
        Documents; without them the objects are the words.
    topics : sequence of int, optional
        Keep only these, renormalized, as the paper keeps 5 of 50.
    prior : {"tokens", "uniform"}, default="tokens"
        p(k) for words: the topics' shares of all tokens, or equal.

    Returns
    -------
    Posteriors
        A row a word or document, a column a topic; ``classes`` are the topics' numbers, ``prior``
        what was used for words.

    Raises
    ------
    ValueError
        If ``model`` is not fitted, fewer than two topics are asked for, or a row has no
        probability of any of them.

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> counts = np.random.default_rng(0).integers(0, 4, (30, 12))
    >>> lda = LatentDirichletAllocation(3, random_state=0).fit(counts)
    >>> topic_posteriors(lda).shape, topic_posteriors(lda, counts, topics=[0, 2]).shape
    ((12, 3), (30, 2))
    """
    check_choice("prior", prior, ("tokens", "uniform"))
    counts = getattr(model, "components_", None)
    if counts is None:
        raise ValueError(f"model must be a fitted topic model, got {type(model).__name__}")
    counts = np.asarray(counts, dtype=np.float64)
    K = counts.shape[0]
    chosen = np.arange(K) if topics is None else check_points(topics, K, "topics")
    if chosen.size < 2:
        raise ValueError(f"topics must name at least two topics, got {chosen.tolist()}")
    masses = counts.sum(axis=1)
    share = masses / masses.sum() if prior == "tokens" else np.full(K, 1 / K)
    if X is None:
        joint = (counts / masses[:, None] * share[:, None])[chosen].T
    else:
        try:
            joint = np.asarray(model.transform(matrix_of(X)), dtype=np.float64)[:, chosen]
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"X must be word counts of documents that model accepts: {error}"
            ) from error
    total = joint.sum(axis=1)
    if not (total > 0).all():
        row = int(np.flatnonzero(~(total > 0))[0])
        raise ValueError(
            f"topics must have positive probability in each row, got none in row {row}"
        )
    rows = check_posteriors(joint / total[:, None], "model")
    names = tuple(str(k) for k in chosen)
    return Posteriors(rows, names, share[chosen] / share[chosen].sum())
