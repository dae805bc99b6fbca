"""The semi-supervised spectral framework: linear learners around one generalized eigenproblem.

    minimize  f_ℓ(A) + γ f_u(A)   subject to   Aᵀ(B + εI)A = I,   f = ½ Σ_ij c_ij ‖Aᵀx_i − Aᵀx_j‖²

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
| :class:`SELFDA` | LFDA's, mixed with PCA by ω | |
| :class:`SSFDA`, :class:`SSMMC` | Fisher's scatters with γ of the neighborhoods | S_b, I |
| :class:`KPCATrick` | any of them in a kernel's space | |

The first four are supervised with ``gamma=0`` and semi-supervised with more. Each is an estimator
and a recipe (``FDA`` and ``FDARecipe``), which a session can steer. Graphs are values that can be
added (:mod:`nbembed.spectral.graphs`, :mod:`nbembed.spectral.costs`), and
:class:`nbembed.spectral.custom.GraphLearner` makes a learner of any of them.
"""

from nbembed.methods.registry import register
from nbembed.spectral.fisher import FDA, LFDA, FDARecipe, LFDARecipe
from nbembed.spectral.kernel_pca import KPCATrick, KPCATrickRecipe
from nbembed.spectral.mfa_dne import DNE, MFA, DNERecipe, MFARecipe
from nbembed.spectral.self_ssfda_ssmmc import (
    SELF,
    SELFDA,
    SSFDA,
    SSMMC,
    SELFRecipe,
    SSFDARecipe,
    SSMMCRecipe,
)
from nbembed.spectral.unsupervised import LPP, PCA, LPPRecipe, PCARecipe

__all__ = [
    "DNE",
    "DNERecipe",
    "FDA",
    "FDARecipe",
    "KPCATrick",
    "KPCATrickRecipe",
    "LFDA",
    "LFDARecipe",
    "LPP",
    "LPPRecipe",
    "MFA",
    "MFARecipe",
    "PCA",
    "PCARecipe",
    "SELF",
    "SELFDA",
    "SELFRecipe",
    "SSFDA",
    "SSFDARecipe",
    "SSMMC",
    "SSMMCRecipe",
]

for _learner in (DNE, FDA, KPCATrick, LFDA, LPP, MFA, PCA, SELFDA, SSFDA, SSMMC):
    register(_learner)
