"""The methods: a recipe of how each map is made, and an estimator around it."""

from nbembed.methods.estimator import Estimator
from nbembed.methods.hssne import HSSNE, HSSNERecipe
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.mbed import Mbed, MbedRecipe
from nbembed.methods.nerv import NeRV, NeRVRecipe
from nbembed.methods.parametric import ParametricEmbedding, ParametricEmbeddingRecipe
from nbembed.methods.recipe import Geometry, PathStep, Recipe, Start
from nbembed.methods.registry import register
from nbembed.methods.sne import SNE, SNERecipe
from nbembed.methods.snerv import SNeRV, SNeRVRecipe

__all__ = [
    "Estimator",
    "Geometry",
    "HSSNE",
    "HSSNERecipe",
    "LiveParameter",
    "Mbed",
    "MbedRecipe",
    "NeRV",
    "NeRVRecipe",
    "ParametricEmbedding",
    "ParametricEmbeddingRecipe",
    "PathStep",
    "Recipe",
    "SNE",
    "SNERecipe",
    "SNeRV",
    "SNeRVRecipe",
    "Start",
    "register",
]

# In the order in which the Explorer lists them.
register(HSSNE)
register(Mbed)
register(NeRV)
register(ParametricEmbedding)
register(SNE)
register(SNeRV)
