"""Mbed: large margin embedding, its recipe and its estimator."""

from nbembed.methods.mbed.estimator import Mbed
from nbembed.methods.mbed.recipe import MbedRecipe

__all__ = ["Mbed", "MbedRecipe"]
