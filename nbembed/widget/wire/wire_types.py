"""Types of values on the wire: what each accepts, its traitlet and its TypeScript."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import traitlets

from nbembed.validation import shown
from nbembed.widget.wire.traits import point_trait


@dataclass(frozen=True)
class Type:
    """A type of values that cross the wire as JSON or as a binary buffer.

    * typescript: the type of a value on the page; for an array, the typed array that its bytes
      become.
    * accepts: returns whether a Python value is of this type.
    * must_be: the requirement as errors put it: "text".
    * trait: ``trait(default)`` returns the traitlet that holds such a value.
    * dtype: NumPy's name of the items, little-endian, of an array that crosses as bytes; "" for
      JSON.
    """

    typescript: str
    accepts: Callable[[object], bool]
    must_be: str
    trait: Callable[[Any], Any] = traitlets.Any
    dtype: str = ""

    def check(self, value: object) -> Any:
        """Return ``value``; raise ValueError, saying what it must be, if it is of another type."""
        if not self.accepts(value):
            raise ValueError(f"must be {self.must_be}, got {shown(value)}")
        return value


@dataclass(frozen=True)
class Field:
    """A named value of a record or message.

    * optional: whether it may be absent; the page then keeps the value that it has.
    """

    name: str
    type: Type
    doc: str = ""
    optional: bool = False

    def check(self, value: object) -> Any:
        """Return ``value``; raise ValueError, naming the field, if it is of another type."""
        try:
            return self.type.check(value)
        except ValueError as error:
            raise ValueError(f"{self.name} {error}") from None


class _Word(traitlets.Enum):  # type: ignore[type-arg]  # generic for type checkers alone
    """A trait of a few words; traitlets' own compares arrays with them, which have no truth."""

    def validate(self, obj: Any, value: Any) -> Any:
        if not isinstance(value, str):
            self.error(obj, value)
        return super().validate(obj, value)


@dataclass(frozen=True)
class Enum(Type):
    """One of a few words; ``list_name`` is the page's name of their list, "" if unneeded."""

    words: tuple[str, ...] = ()
    list_name: str = ""


@dataclass(frozen=True)
class Record(Type):
    """A JSON object with named fields; an interface on the page."""

    fields: tuple[Field, ...] = ()
    doc: str = ""


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the range of floats
        return False


def _is_text(value: object) -> bool:
    """Return whether a value is text that UTF-8 can hold."""
    try:
        return isinstance(value, str) and value.encode("utf-8") is not None
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can name
        return False


def _is_integer(low: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= low


TEXT = Type("string", _is_text, "text that UTF-8 can encode", traitlets.Unicode)
FLAG = Type("boolean", lambda value: isinstance(value, bool), "true or false", traitlets.Bool)
NUMBER = Type("number", _is_number, "a finite number", traitlets.Float)
COUNT = Type("number", _is_integer(1), "a whole number from 1", traitlets.Int)
INDEX = Type("number", _is_integer(0), "a whole number from 0", traitlets.Int)
#: An index, or −1 for none.
CHOICE = Type("number", _is_integer(-1), "a whole number from −1", traitlets.Int)
#: A point, or −1 for none, which is ``None`` in Python.
POINT = Type("number", _is_integer(-1), "a whole number from −1", lambda _: point_trait())


def enum(name: str, *words: str, list_name: str = "") -> Enum:
    """Return the type of a few words, called ``name`` on the page."""
    return Enum(
        name,
        lambda value: isinstance(value, str) and value in words,
        f"one of {', '.join(words)}",
        lambda default: _Word(words, default),
        words=words,
        list_name=list_name,
    )


def nullable(inner: Type) -> Type:
    """Return the type of ``inner`` or ``None``."""

    def trait(default: Any) -> Any:
        made = inner.trait(default)
        made.allow_none = True
        return made

    return Type(
        f"{inner.typescript} | null",
        lambda value: value is None or inner.accepts(value),
        f"{inner.must_be} or null",
        trait,
    )


def list_of(inner: Type, length: int | None = None) -> Type:
    """Return the type of lists, of a fixed length if ``length`` is given."""
    text = f"({inner.typescript})" if "|" in inner.typescript else inner.typescript
    return Type(
        f"{text}[]" if length is None else f"[{', '.join([text] * length)}]",
        lambda value: (
            isinstance(value, list | tuple)
            and (length is None or len(value) == length)
            and all(inner.accepts(item) for item in value)
        ),
        f"a list of {length or 'any number of'} values, each {inner.must_be}",
        traitlets.List,
    )


def mapping_of(inner: Type) -> Type:
    """Return the type of JSON objects with any keys and values of type ``inner``."""
    return Type(
        f"Record<string, {inner.typescript}>",
        lambda value: (
            isinstance(value, Mapping)
            and all(isinstance(key, str) and inner.accepts(item) for key, item in value.items())
        ),
        f"an object of values, each {inner.must_be}",
        traitlets.Dict,
    )


def record(name: str, doc: str, *fields: Field) -> Record:
    """Return the type of JSON objects with the given fields, called ``name`` on the page."""
    needed = {field.name for field in fields if not field.optional}
    types = {field.name: field.type for field in fields}
    return Record(
        name,
        lambda value: (
            isinstance(value, Mapping)
            and needed <= value.keys() <= types.keys()
            and all(types[key].accepts(item) for key, item in value.items())
        ),
        f"an object with {', '.join(types)}",
        traitlets.Dict,
        fields=fields,
        doc=doc,
    )


#: The page's typed array for each type of items, and their width in bytes.
ARRAYS: Mapping[str, tuple[str, int]] = {
    "<f4": ("Float32Array", 4),
    "<i4": ("Int32Array", 4),
    "<u4": ("Uint32Array", 4),
    "<u2": ("Uint16Array", 2),
    "|u1": ("Uint8Array", 1),
}


def array(dtype: str) -> Type:
    """Return the type of arrays that cross as bytes; the page has them as typed arrays."""
    name, width = ARRAYS[dtype]
    return Type(
        name,
        lambda value: isinstance(value, bytes) and len(value) % width == 0,
        f"bytes of items of type {dtype}",
        traitlets.Bytes,
        dtype=dtype,
    )
