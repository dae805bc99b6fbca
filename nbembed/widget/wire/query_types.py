"""The declaration of a query (:mod:`nbembed.widget.wire.queries`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbembed.widget.wire.wire_types import Field


@dataclass(frozen=True)
class QueryType:
    """A query and its answer.

    * arguments: what travels as JSON; the function that answers has keywords of these names.
    * points: the sets of points, each a buffer of its own and a keyword, too.
    * fields: of the answer, as JSON.
    * buffers: of the answer, as arrays, in order. All are there, empty if need be.
    """

    name: str
    doc: str
    arguments: tuple[Field, ...] = ()
    points: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    buffers: tuple[Field, ...] = ()

    def check(self, fields: Mapping[str, Any], buffers: int) -> None:
        """Raise ValueError unless an answer has these fields and so many buffers."""
        known = {f.name for f in self.fields}
        if fields.keys() != known:
            raise ValueError(f"{self.name}: an answer has {sorted(known)}, got {sorted(fields)}")
        for f in self.fields:
            f.check(fields[f.name])
        if buffers != len(self.buffers):
            raise ValueError(f"{self.name}: an answer has {len(self.buffers)} buffers")
