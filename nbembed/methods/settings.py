"""Checks of the shared parameters of the methods: the one place that reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.matrix_input import check_metric
from nbembed.kernels.threads import resolve_threads
from nbembed.learning_metric import LearningMetric
from nbembed.objectives.checks import check_range
from nbembed.objectives.link_shares import LINK_FORMS
from nbembed.optimizers import (
    LBFGS,
    ConjugateGradient,
    FixedPoint,
    MomentumGradient,
    Optimizer,
)
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import check_covers
from nbembed.validation import as_generator as as_generator
from nbembed.validation import (
    check_choice,
    check_count,
    check_numbers,
    check_perplexity,
    check_real,
    shown,
)

#: The words for optimizers; "auto" is each method's own choice.
OPTIMIZERS: dict[str, Optimizer] = {
    "fixed-point": FixedPoint(),
    "conjugate-gradient": ConjugateGradient(),
    "momentum": MomentumGradient(),
    "l-bfgs": LBFGS(),
}


def check_shared(recipe: Any, n_samples: int, supervision: Supervision) -> None:
    """Check the supervision, and the shared parameters of ``recipe`` that are not live."""
    check_covers(supervision, n_samples)
    metric = recipe.data_metric
    check_metric(metric)
    if isinstance(metric, LearningMetric):
        metric.check_parameters()
    resolve_threads(recipe.n_jobs)
    if hasattr(recipe, "perplexity"):
        check_perplexity(recipe.perplexity, n_samples)
    if hasattr(recipe, "link_form"):
        check_choice("link_form", recipe.link_form, LINK_FORMS)
    resolve_optimizer(recipe.optimizer, MomentumGradient())
    check_count("max_iter", recipe.max_iter)
    check_real("tol", recipe.tol, low=0)
    seed = recipe.random_state
    if type(seed) is not int or seed < 0:  # a plain seed is legal: no generator needs to be made
        as_generator(seed)


def resolve_optimizer(optimizer: Any, auto: Optimizer) -> Optimizer:
    """Return the optimizer that a parameter names; ``auto`` is what "auto" stands for."""
    if isinstance(optimizer, Optimizer):
        return optimizer
    if isinstance(optimizer, str):
        if optimizer == "auto":
            return auto
        if optimizer in OPTIMIZERS:
            return OPTIMIZERS[optimizer]
    words = ", ".join(repr(word) for word in ("auto", *OPTIMIZERS))
    raise ValueError(f"optimizer must be one of {words} or an Optimizer, got {shown(optimizer)}")


def check_init(
    init: Any, words: tuple[str, ...], n_samples: int, n_components: int
) -> NDArray[np.float64] | None:
    """Return ``init`` as an array of finite values, or ``None`` where it is one of ``words``."""
    if isinstance(init, str):
        check_choice("init", init, words)
        return None
    Y = check_numbers("init", init)
    if Y.shape != (n_samples, n_components):
        raise ValueError(
            f"init must have shape (n_samples, n_components) = "
            f"({n_samples}, {n_components}), got {Y.shape}"
        )
    with np.errstate(over="ignore"):
        check_range(Y.astype(np.float32), "init")  # maps are made in float32
    return Y
