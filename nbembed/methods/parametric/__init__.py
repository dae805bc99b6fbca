"""Parametric Embedding, its recipe and its estimator."""

from nbembed.methods.parametric.estimator import ParametricEmbedding
from nbembed.methods.parametric.recipe import ParametricEmbeddingRecipe

__all__ = ["ParametricEmbedding", "ParametricEmbeddingRecipe"]
