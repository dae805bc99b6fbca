"""FDA and LFDA: classes together, classes apart, as wholes or neighborhood by neighborhood.

    FDA    C_ℓ: 1/n_c within class c           C_b: 1/n − 1/n_c within, 1/n between
    LFDA   C_ℓ: a_ij/n_c within class c        C_b: a_ij (1/n − 1/n_c) within, 1/n between

with ``B = XᵀL(C_b)X``: the within- and between-class scatter of Fisher's discriminant analysis, and
their local forms (Sugiyama 2007), by which a class of several clusters need not become one. With
γ > 0 both look at unlabeled points as well; LFDA is then the paper's SS-LFDA.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbembed.spectral.costs import between, local_between, local_within, within
from nbembed.spectral.graph_method import GraphMethod

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.spectral.costs import Known
    from nbembed.spectral.graphs import Graph


class FDA(GraphMethod):
    """Fisher discriminant analysis; semi-supervised with ``gamma`` > 0.

    With γ = 0 it spans the subspace of linear discriminant analysis. Of K classes K − 1 axes are
    informed; more may be asked for (see ``informed_``). Parameters:
    :class:`~nbembed.spectral.graph_method.GraphMethod`; attributes:
    :class:`~nbembed.spectral.base.SpectralMethod`.

    References
    ----------
    .. [1] R. A. Fisher (1936), "The use of multiple measurements in taxonomic problems".
    .. [2] R. Chatpatanasiri and B. Kijsirikul (2010), "A unified semi-supervised dimensionality
       reduction framework for manifold learning".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> FDA(gamma=0.1).fit(X, y).transform(X).shape
    (150, 2)
    """

    def label_cost(self, X: NDArray[Any], known: Known) -> Graph:
        """Return 1/n_c within classes."""
        return within(known)

    def tabled(self, X: NDArray[Any], known: Known) -> Graph:
        """Return 1/n − 1/n_c within and 1/n between classes."""
        return between(known)


class LFDA(GraphMethod):
    """Local Fisher discriminant analysis; SS-LFDA with ``gamma`` > 0.

    Parameters and attributes: :class:`~nbembed.spectral.graph_method.GraphMethod`,
    :class:`~nbembed.spectral.base.SpectralMethod`. The local scale within a class of fewer than
    eight labeled points is the distance to its farthest one, so with few labels a class is hardly
    local and LFDA is much like FDA.

    References
    ----------
    .. [1] M. Sugiyama (2007), "Dimensionality reduction of multimodal labeled data by local Fisher
       discriminant analysis".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LFDA().fit_transform(X, y).shape
    (150, 2)
    """

    def label_cost(self, X: NDArray[Any], known: Known) -> Graph:
        """Return a_ij/n_c within classes."""
        return local_within(X, known, self.scale_neighbor)

    def tabled(self, X: NDArray[Any], known: Known) -> Graph:
        """Return a_ij (1/n − 1/n_c) within and 1/n between classes."""
        return local_between(X, known, self.scale_neighbor)
