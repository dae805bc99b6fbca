"""Faults that are known and not mended yet.

From (entry, kind, place) to the batch that shows it. A test fails for an entry whose fault no
longer occurs, so that this table does not outlive the faults.
"""

from __future__ import annotations

from tests.fuzz.runner import Batch

KNOWN: dict[tuple[str, str, str], Batch] = {}
