"""The semi-supervised spectral framework: linear learners around one generalised eigenproblem.

    minimise  f_ℓ(A) + γ f_u(A)   subject to   Aᵀ(B + εI)A = I,   f = ½ Σ_ij c_ij ‖Aᵀx_i − Aᵀx_j‖²

"A Unified Semi-Supervised Dimensionality Reduction Framework for Manifold Learning"
(Chatpatanasiri and Kijsirikul, 2010). A learner is a choice of label cost, unlabeled cost and
constraint:

| learner | label cost | constraint |
|---|---|---|
| :class:`FDA` | within classes | between classes |
| :class:`LFDA` | within classes, near pairs | between classes, near pairs |
| :class:`MFA` | nearest of the same class | nearest of other classes |
| :class:`DNE` | nearest of the same less nearest of other classes | I |
| :class:`LPP` | none: neighborhoods of all points alone | XᵀD_uX |
| :class:`PCA` | most scatter | I |
| :class:`SELF` | LFDA's, mixed with PCA by β | |
| :class:`SSFDA`, :class:`SSMMC` | Fisher's scatters with α of the neighborhoods | S_b, I |
| :class:`KPCATrick` | any of them in a kernel's space | |

The first four are supervised with ``gamma=0`` and semi-supervised with more. Graphs are values that
can be added (:mod:`nbembed.spectral.graphs`, :mod:`nbembed.spectral.costs`), and
:class:`nbembed.spectral.own.GraphLearner` is a learner made of one's own.
"""

from __future__ import annotations

from nbembed.spectral.fisher import FDA, LFDA
from nbembed.spectral.kernel_pca import KPCATrick
from nbembed.spectral.mixtures import SELF, SSFDA, SSMMC
from nbembed.spectral.nearest import DNE, MFA
from nbembed.spectral.unsupervised import LPP, PCA

__all__ = ["DNE", "FDA", "KPCATrick", "LFDA", "LPP", "MFA", "PCA", "SELF", "SSFDA", "SSMMC"]
