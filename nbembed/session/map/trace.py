"""The trace of a live map: one record an iteration, thinned when there are very many."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbembed.run import Record

#: Records kept; when there are more, every second one of the older half goes.
TRACE_LIMIT = 20_000


def noted(trace: list[Record], record: Record) -> list[Record]:
    """Return ``trace`` with a record at its end: the same list, or a shorter new one."""
    if trace and trace[-1].parameters == record.parameters:
        record = replace(record, parameters=trace[-1].parameters)  # one map for all
    trace.append(record)
    if len(trace) > TRACE_LIMIT:
        half = TRACE_LIMIT // 2
        return trace[:half:2] + trace[half:]
    return trace
