"""Damage to session files and to JSON: bytes, members, arrays and single values."""

from __future__ import annotations

import copy
import functools
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

import nbembed as nb
from tests.fuzz import strategies
from tests.fuzz.strategies import Strategy


@functools.cache
def sound_files() -> tuple[bytes, ...]:
    """Return the contents of undamaged files: dense data, sparse data, an annealing path."""
    X = np.random.default_rng(0).standard_normal((8, 3))
    kinds = [
        (X, nb.HSSNE(random_state=0)),
        (sparse.csr_array(X * (X > 0)), nb.SNE(random_state=0)),
        (X, nb.Mbed(n_classes=2, random_state=0)),
    ]
    files = []
    for data, method in kinds:
        with nb.Session(data, method) as session:
            session.label([0, 1], "a")
            session.must_link([2, 3])
            session.pin([5])
            session.step(3, wait=True)
            session.snapshot("one")
            session.set(rho=0.3)
            session.undo()
            path = Path(f"sound-{os.getpid()}.nbembed")
            session.save(path)
            files.append(path.read_bytes())
            path.unlink()
    return tuple(files)


def places(tree: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to every value of JSON data."""
    yield so_far
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(value, (*so_far, key))


def _changed(tree: Any, place: tuple[Any, ...], what: str, value: Any) -> Any:
    if not place:
        return value
    tree = copy.deepcopy(tree)
    holder = functools.reduce(lambda node, key: node[key], place[:-1], tree)
    if what == "drop":
        del holder[place[-1]]
    elif what == "twice" and isinstance(holder, list):
        holder.append(holder[place[-1]])
    elif what == "negate" and isinstance(holder[place[-1]], int | float):
        holder[place[-1]] = -holder[place[-1]] - 1
    else:
        holder[place[-1]] = value
    return tree


def json_damage(tree: Any) -> Strategy:
    """JSON data with one value replaced, dropped or repeated."""
    return st.builds(
        _changed,
        st.just(tree),
        st.sampled_from(list(places(tree))),
        st.sampled_from(["replace", "replace", "drop", "twice", "negate"]),
        strategies.json_values(),
    )


def members_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for name, member in members.items():
            file.writestr(name, member)
    return target.getvalue()


def _npy(array: np.ndarray) -> bytes:
    target = io.BytesIO()
    np.lib.format.write_array(target, np.asanyarray(array), allow_pickle=False)
    return target.getvalue()


#: Arrays in the place of a file's.
ARRAYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "NaN": lambda a: np.full(a.shape, np.nan),
    "infinite": lambda a: np.full(a.shape, np.inf),
    "huge": lambda a: np.full(a.shape, 1e300),
    "shorter": lambda a: a[:-1],
    "longer": lambda a: np.concatenate([a, a]),
    "transposed": lambda a: np.ascontiguousarray(a.T),
    "flat": lambda a: a.ravel(),
    "empty": lambda a: a[:0],
    "scalar": lambda a: np.array(1.0),
    "text": lambda a: a.astype(str),
    "complex": lambda a: a.astype(complex),
    "bool": lambda a: a.astype(bool),
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "negative": lambda a: -a.astype(float) - 1,
    "minus a million": lambda a: (np.zeros(a.shape) - 1e6).astype(np.int64),
    "a million": lambda a: (np.zeros(a.shape) + 1e6).astype(np.int64),
    "reversed": lambda a: a[::-1],
}


def _member(content: bytes, name: str, change: str) -> bytes:
    members = members_of(content)
    if change == "drop":
        del members[name]
    elif change in ARRAYS and name.endswith(".npy"):
        array = np.lib.format.read_array(io.BytesIO(members[name]))
        with np.errstate(all="ignore"):
            members[name] = _npy(ARRAYS[change](array))
    elif change == "header":
        members[name] = members[name].replace(b"(8,", b"(800000000,")
    else:
        members[name] = members[name][: len(members[name]) // 2]
    return packed(members)


def _bytes(content: bytes, change: str, at: float, value: int) -> bytes:
    k = min(int(at * len(content)), len(content) - 1)
    if change == "flip":
        return content[:k] + bytes([content[k] ^ value]) + content[k + 1 :]
    if change == "cut":
        return content[:k]
    if change == "insert":
        return content[:k] + bytes([value]) * 7 + content[k:]
    return content[:k] + content[k + value :]


def _text(content: bytes, damaged: Any) -> bytes:
    members = members_of(content)
    members["session.json"] = json.dumps(damaged).encode("utf-8")
    return packed(members)


@st.composite
def files(draw: Any) -> Any:
    """Contents of damaged files, with the damage in words."""
    which = draw(st.integers(0, 2))
    content = sound_files()[which]
    kind = draw(st.sampled_from(["json", "json", "member", "bytes"]))
    if kind == "json":
        tree = json.loads(members_of(content)["session.json"])
        place = draw(st.sampled_from(list(places(tree))))
        what = draw(st.sampled_from(["replace", "replace", "drop", "twice", "negate"]))
        value = draw(strategies.json_values())
        return strategies.Form(
            _text(content, _changed(tree, place, what, value)),
            f"file {which}, {'/'.join(map(str, place))}: {what} {value!r:.60}",
        )
    if kind == "member":
        name = draw(st.sampled_from(sorted(members_of(content))))
        change = draw(st.sampled_from(["drop", "half", "header", *ARRAYS]))
        return strategies.Form(_member(content, name, change), f"file {which}, {name}: {change}")
    change = draw(st.sampled_from(["flip", "cut", "insert", "remove"]))
    at, value = draw(st.floats(0, 1)), draw(st.integers(1, 255))
    return strategies.Form(
        _bytes(content, change, at, value), f"file {which}, {change} {value} at {at:.4f}"
    )
