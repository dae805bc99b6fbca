"""What the estimators' shared keywords may be: one place that reads and checks them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.optimizers import (
    LBFGS,
    ConjugateGradient,
    FixedPoint,
    MomentumGradient,
    Optimizer,
)
from nbembed.validation import as_generator as as_generator
from nbembed.validation import check_choice, check_numbers

#: The words for optimizers; "auto" is each method's own choice.
OPTIMIZERS: dict[str, Optimizer] = {
    "fixed-point": FixedPoint(),
    "conjugate-gradient": ConjugateGradient(),
    "momentum": MomentumGradient(),
    "l-bfgs": LBFGS(),
}

#: How sums over pairs are computed.
ALGORITHMS = ("auto", "exact")


def check_algorithm(algorithm: Any) -> None:
    """Refuse an unknown way of computing the sums over pairs."""
    check_choice("algorithm", algorithm, ALGORITHMS)


def resolve_optimizer(optimizer: Any, auto: Optimizer) -> Optimizer:
    """Return the optimizer that a keyword means; ``auto`` is what "auto" stands for.

    Raises
    ------
    ValueError
        If it is neither a known word nor an :class:`~nbembed.optimizers.Optimizer`.
    """
    if isinstance(optimizer, Optimizer):
        return optimizer
    if isinstance(optimizer, str):
        if optimizer == "auto":
            return auto
        if optimizer in OPTIMIZERS:
            return OPTIMIZERS[optimizer]
    words = ", ".join(repr(word) for word in ("auto", *OPTIMIZERS))
    raise ValueError(f"optimizer must be one of {words} or an Optimizer, got {optimizer!r}")


def check_prior(class_prior: Any, n_classes: int) -> None:
    """Refuse class priors that are not ``n_classes`` positive numbers summing to one."""
    prior = check_numbers("class_prior", class_prior)
    if prior.shape != (n_classes,):
        raise ValueError(
            f"class_prior must have one entry for each of {n_classes} classes, "
            f"got shape {prior.shape}"
        )
    if not (np.isfinite(prior).all() and (prior > 0).all() and abs(prior.sum() - 1) < 1e-6):
        raise ValueError(f"class_prior must be positive and sum to one, got {prior.tolist()}")
