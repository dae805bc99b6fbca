"""Steer an embedding from a notebook: watch it form, tell it what you see, and let it answer.

The public names are loaded when they are first used (PEP 562), so that ``import nbembed`` is quick:
it imports nothing heavy and compiles nothing.
"""

from __future__ import annotations

__version__ = "0.1.0.dev0"
