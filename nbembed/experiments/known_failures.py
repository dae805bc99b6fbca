"""The figures that are known to lie outside their ranges, with what is known of the cause."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: What is known of the cause, by the name of the experiment and that of the figure.
KNOWN_FAILURES: Mapping[tuple[str, str], str] = MappingProxyType({})
