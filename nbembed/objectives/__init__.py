"""Costs of a layout and their gradients, as values over compiled kernels."""

from nbembed.objectives.base import Evaluation, Objective
from nbembed.objectives.directions import circle, simplex
from nbembed.objectives.heavy_tailed import HeavyTailed
from nbembed.objectives.large_margin import LargeMargin
from nbembed.objectives.neighbor_retrieval import NeighborRetrieval
from nbembed.objectives.parametric import Parametric
from nbembed.objectives.pinned import Pinned
from nbembed.objectives.similarity import Similarity
from nbembed.objectives.sne import SNE

__all__ = [
    "Evaluation",
    "Objective",
    "HeavyTailed",
    "SNE",
    "LargeMargin",
    "NeighborRetrieval",
    "Parametric",
    "Pinned",
    "Similarity",
    "simplex",
    "circle",
]
