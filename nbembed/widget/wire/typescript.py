"""The page's side of the schema: ``python -m nbembed.widget.wire.typescript`` writes it.

The file is kept in the repository, so that the front end builds without Python; a test says when it
is stale.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from nbembed.widget.wire import constants, page_commands, queries, schema
from nbembed.widget.wire.wire_types import ARRAYS, Enum, Field, Record

PATH = Path(__file__).parents[1] / "frontend" / "src" / "wire" / "wire.generated.ts"

HEAD = """\
// Written by `python -m nbembed.widget.wire.typescript` from `schema.py` beside it. Do not edit.
"""


def render() -> str:
    """Return the TypeScript module."""
    parts = [HEAD, *map(_type, schema.TYPES), _traits(), _messages(), _commands(), _queries()]
    parts.append(_constants())
    return "\n".join(parts)


def _type(type_: Enum | Record) -> str:
    if isinstance(type_, Enum):
        words = [json.dumps(word) for word in type_.words]
        if not type_.list_name:
            return f"export type {type_.typescript} = {' | '.join(words)};\n"
        return (
            f"export const {type_.list_name} = [{', '.join(words)}] as const;\n"
            f"export type {type_.typescript} = (typeof {type_.list_name})[number];\n"
        )
    return _interface(type_.typescript, type_.doc, type_.fields)


def _interface(name: str, doc: str, fields: Iterable[Field], first: str = "") -> str:
    lines = [f"/** {doc} */", f"export interface {name} {{"]
    if first:
        lines.append(f"  {first}")
    for field in fields:
        if field.doc:
            lines.append(f"  /** {field.doc} */")
        lines.append(f"  {field.name}{'?' if field.optional else ''}: {field.type.typescript};")
    return "\n".join([*lines, "}", ""])


def _traits() -> str:
    fields = [Field(t.name, t.type, t.doc) for t in schema.TRAITS.values()]
    rows = [
        f"  {t.name}: {json.dumps(ARRAYS[t.type.dtype][0] if t.type.dtype else 'json')},"
        for t in schema.TRAITS.values()
    ]
    shared = [f.name for f in schema.FRAME.fields if f.name in schema.TRAITS]
    return "\n".join(
        [
            _interface("Traits", "The synced traits, bytes as typed arrays.", fields),
            "/** How each trait crosses the wire: as JSON, or as the bytes of a typed array. */",
            "export const TRAIT_FORMS = {",
            *rows,
            "} as const;",
            "",
            "/** Traits whose newest values frames carry while the map moves. */",
            f"export const FRAME_TRAITS = {json.dumps(shared)} as const;",
            "",
        ]
    )


def _messages() -> str:
    parts = []
    for group, messages in (("ToPage", schema.TO_PAGE), ("FromPage", schema.FROM_PAGE)):
        for message in messages.values():
            doc = message.doc
            if message.buffers:
                names = [f"{b.name}{' (optional)' if b.optional else ''}" for b in message.buffers]
                doc = f"{doc} Buffers: {', '.join(names)}."
            name = f"{message.type.capitalize()}Message"
            parts.append(_interface(name, doc, message.fields, f'type: "{message.type}";'))
        union = " | ".join(f"{m.type.capitalize()}Message" for m in messages.values())
        parts.append(f"export type Message{group} = {union};\n")
    return "\n".join(parts)


def _commands() -> str:
    arguments, points = [], []
    for command in page_commands.COMMANDS.values():
        text = "Record<string, number>" if command.parameters else _object(command.arguments)
        arguments += [f"  /** {command.doc} */", f"  {command.name}: {text};"]
        points.append(f"  {command.name}: {_sets(command.points)};")
    return "\n".join(
        [
            "/** The arguments of each command. */",
            "export interface CommandArguments {",
            *arguments,
            "}",
            "",
            "/** The sets of points of each command, each a buffer. */",
            "export interface CommandPoints {",
            *points,
            "}",
            "",
            "export type CommandName = keyof CommandArguments;",
            "",
        ]
    )


def _queries() -> str:
    arguments, points, answers, buffers = [], [], [], []
    for query in queries.QUERIES.values():
        arguments += [f"  /** {query.doc} */", f"  {query.name}: {_object(query.arguments)};"]
        points.append(f"  {query.name}: {_sets(query.points)};")
        answers.append(f"  {query.name}: {_object((*query.fields, *query.buffers))};")
        forms = [[b.name, ARRAYS[b.type.dtype][0]] for b in query.buffers]
        buffers.append(f"  {query.name}: {json.dumps(forms)},")
    return "\n".join(
        [
            "/** The arguments of each query. */",
            "export interface QueryArguments {",
            *arguments,
            "}",
            "",
            "/** The sets of points of each query, each a buffer. */",
            "export interface QueryPoints {",
            *points,
            "}",
            "",
            "/** The answer to each query. */",
            "export interface QueryAnswers {",
            *answers,
            "}",
            "",
            "/** The buffers of each answer, in order: name and typed array. */",
            "export const QUERY_BUFFERS = {",
            *buffers,
            "} as const;",
            "",
            "export type QueryName = keyof QueryArguments;",
            "",
        ]
    )


def _constants() -> str:
    return "\n".join(
        f"/** {doc} */\nexport const {name} = {json.dumps(value)} as const;\n"
        for name, (doc, value) in constants.CONSTANTS.items()
    )


def _object(fields: Iterable[Field]) -> str:
    inner = "; ".join(f"{f.name}{'?' if f.optional else ''}: {f.type.typescript}" for f in fields)
    return f"{{ {inner} }}" if inner else "Record<string, never>"


def _sets(names: Iterable[str]) -> str:
    return f"[{', '.join(f'{name}: Uint32Array' for name in names)}]"


if __name__ == "__main__":
    PATH.write_text(render(), encoding="utf-8")
