"""The estimators: scikit-learn's face of the same recipes that a live session runs."""

from __future__ import annotations

from nbembed.methods.base import EmbeddingMethod, Geometry, LiveParameter, Start
from nbembed.methods.hssne import HSSNE
from nbembed.methods.mbed import Mbed
from nbembed.methods.nerv import NeRV
from nbembed.methods.parametric_embedding import ParametricEmbedding
from nbembed.methods.sne import SNE
from nbembed.methods.snerv import SNeRV

__all__ = [
    "EmbeddingMethod",
    "Geometry",
    "HSSNE",
    "LiveParameter",
    "Mbed",
    "NeRV",
    "ParametricEmbedding",
    "SNE",
    "SNeRV",
    "Start",
]
