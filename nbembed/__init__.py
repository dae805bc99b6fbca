"""Steer an embedding from a notebook: watch it form, tell it what you see, and let it answer.

The public names are loaded when they are first used (PEP 562), so that ``import nbembed`` is quick:
it imports nothing heavy and compiles nothing. ``__init__.pyi`` says the same to editors and type
checkers; a test compares the two.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

#: Where each public name is defined. Names that are modules stand for themselves.
_HOMES = {
    "SNE": "nbembed.methods",
    "HSSNE": "nbembed.methods",
    "Mbed": "nbembed.methods",
    "ParametricEmbedding": "nbembed.methods",
    "NeRV": "nbembed.methods",
    "SNeRV": "nbembed.methods",
    "LearningMetric": "nbembed.learning_metric",
    "Supervision": "nbembed.supervision",
    "Preparation": "nbembed.points.preparation",
    "Propagation": "nbembed.propagation",
    "PropagationClassifier": "nbembed.propagation",
    "Suggestions": "nbembed.propagation",
    "propagate": "nbembed.propagation",
    "Recipe": "nbembed.methods",
    "Run": "nbembed.run",
    "Schedule": "nbembed.schedule",
    "Stage": "nbembed.schedule",
    "Session": "nbembed.session",
    "load_session": "nbembed.session",
    "Explorer": "nbembed.widget",
}
_MODULES = (
    "affinities",
    "objectives",
    "optimizers",
    "measures",
    "methods",
    "datasets",
    "experiments",
    "plots",
    "posteriors",
    "propagation",
    "baselines",
    "spectral",
)

__all__ = [*_HOMES, *_MODULES, "__version__"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(f"nbembed.{name}")
    else:
        raise AttributeError(f"module 'nbembed' has no attribute {name!r}")
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
