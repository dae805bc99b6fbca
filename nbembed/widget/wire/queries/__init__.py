"""Queries of a page, which change nothing.

A *query* names one of :data:`QUERIES` and carries arguments and sets of points, as a command does.
Its *answer* has the fields and buffers that are declared here, a module for each panel. Answers are
computed in the background (:mod:`nbembed.widget.answers.query_source`), and only for the page that
asked.
"""

from __future__ import annotations

from collections.abc import Mapping

from nbembed.widget.wire.queries import compare, data, find, groups, history, images, why
from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import Enum, Record

_PARTS = (find, groups, why, compare, history, data, images)

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = tuple(type_ for part in _PARTS for type_ in part.TYPES)

QUERIES: Mapping[str, QueryType] = {query.name: query for part in _PARTS for query in part.QUERIES}
