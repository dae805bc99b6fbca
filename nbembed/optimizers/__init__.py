"""Optimizers: values that turn one state of a layout into the next."""

from nbembed.optimizers.alternating import Alternating
from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.conjugate_gradient import ConjugateGradient
from nbembed.optimizers.fixed_point import FixedPoint
from nbembed.optimizers.lbfgs import LBFGS
from nbembed.optimizers.momentum import MomentumGradient
from nbembed.optimizers.momentum_lbfgs import MomentumLBFGS

__all__ = [
    "Optimizer",
    "State",
    "FixedPoint",
    "MomentumGradient",
    "ConjugateGradient",
    "LBFGS",
    "MomentumLBFGS",
    "Alternating",
]
