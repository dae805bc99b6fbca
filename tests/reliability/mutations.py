"""Random damage to session files, to their bytes, arrays and JSON, and to JSON elsewhere."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.reliability.drawing import Rng, pick

#: Python that must never become part of a script.
PAYLOAD = '"); __import__("os").abort() #'
#: JSON values that hardly any entry takes.
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 3, 2**31, 10**9, 2**63, 10**400, -0.5, 1e300, 1e400, float("nan"),
    "", "\ud800", PAYLOAD, "../x", "X", [], {}, [[]], [0], [-1], [10**9], [None, "a"], ["a", "b"],
    {"__array__": [1], "dtype": "O", "shape": [1]},
    {"__array__": [1.0], "dtype": "<f8", "shape": [10**9]},
    {"__tuple__": [1]},
    {"__opaque__": PAYLOAD},
    {"__estimator__": "os.system", "parameters": {"command": PAYLOAD}},
    {"__estimator__": "sklearn.pipeline.Pipeline", "parameters": {"steps": [], "memory": "x"}},
    {"__optimizer__": "GradientDescent", "fields": {"rate": "x"}},
    {"__supervision__": {"n_samples": 10**9}},
)  # fmt: skip
#: Size of a member that is small only as long as it is compressed.
BOMB = 96 * 2**20

Members = dict[str, bytes]


def mutate(rng: Rng, original: bytes) -> tuple[str, bytes]:
    """Return what was done, and the damaged file."""
    if rng.random() < 0.3:
        change = pick(rng, BYTES)
        return change.__name__.strip("_"), change(rng, original)
    with zipfile.ZipFile(io.BytesIO(original)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    done = []
    for _ in range(int(rng.geometric(0.6))):
        change = pick(rng, MEMBERS)
        done.append(change(rng, members))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            # As the session writes them, but for members that are small only when compressed.
            packed = name == "session.json" or len(content) >= BOMB
            file.writestr(name, content, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
    return "; ".join(done), buffer.getvalue()


# -- bytes -------------------------------------------------------------------------------------


def _span(rng: Rng, raw: bytes) -> tuple[int, int]:
    begin = int(rng.integers(len(raw)))
    return begin, min(len(raw), begin + int(2 ** rng.uniform(0, 12)))


def _bits_flipped(rng: Rng, raw: bytes) -> bytes:
    damaged = bytearray(raw)
    for at in rng.integers(len(raw), size=int(2 ** rng.uniform(0, 8))):
        damaged[at] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def _truncated(rng: Rng, raw: bytes) -> bytes:
    return raw[: int(rng.integers(len(raw)))]


def _zeroed(rng: Rng, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:begin] + bytes(end - begin) + raw[end:]


def _cut_out(rng: Rng, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:begin] + raw[end:]


def _repeated(rng: Rng, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:end] + raw[begin:]


BYTES: tuple[Callable[[Rng, bytes], bytes], ...] = (
    _bits_flipped,
    _truncated,
    _zeroed,
    _cut_out,
    _repeated,
)


# -- members -----------------------------------------------------------------------------------


def _dropped(rng: Rng, members: Members) -> str:
    name = pick(rng, sorted(members))
    if len(members) > 1:
        del members[name]
    return f"{name} dropped"


def _swapped(rng: Rng, members: Members) -> str:
    one, other = pick(rng, sorted(members)), pick(rng, sorted(members))
    members[one], members[other] = members[other], members[one]
    return f"{one} and {other} swapped"


def _inflated(rng: Rng, members: Members) -> str:
    name = pick(rng, sorted(members))
    members[name] = members[name][:128] + bytes(BOMB)
    return f"{name} inflated to {BOMB >> 20} MiB"


def _as_type(dtype: str, array: np.ndarray) -> np.ndarray:
    return array.astype(dtype)


#: Arrays in the place of a file's.
ARRAYS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda a: np.full(a.shape, np.nan),
    lambda a: np.full(a.shape, np.inf),
    lambda a: np.full(a.shape, 1e300),
    lambda a: np.full(a.shape, 10**6),
    lambda a: np.full(a.shape, -(10**6)),
    lambda a: -a.astype(float) - 1,
    lambda a: np.concatenate([a, a]),
    lambda a: np.ascontiguousarray(a.T),
    lambda a: a[::-1],
    lambda a: a[:-1],
    lambda a: a[:0],
    lambda a: a[None],
    lambda a: a.reshape(-1),
    lambda a: np.array(1.0),
    lambda a: a.astype(a.dtype.newbyteorder(">")),
    *(partial(_as_type, dtype) for dtype in ("<f4", "<f8", "<i8", "<u1", "<c16", "U5", "?")),
)  # fmt: skip


def _array_changed(rng: Rng, members: Members) -> str:
    names = [name for name in sorted(members) if name.endswith(".npy")]
    if not names:
        return "no array left"
    name = pick(rng, names)
    try:
        array = np.load(io.BytesIO(members[name]), allow_pickle=False)
    except Exception:  # damaged by an earlier change
        return f"{name} left as it is"
    buffer, form = io.BytesIO(), int(rng.integers(len(ARRAYS) + 8))
    if form < 2:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 8)}
        np.lib.format.write_array_header_1_0(buffer, header)
        members[name] = buffer.getvalue()
        return f"{name} claims 10⁹ rows"
    with np.errstate(all="ignore"), contextlib.suppress(ValueError, TypeError):  # of text
        if form < 8 and array.size:
            values = np.array([np.nan, np.inf, -1, 0, 1e308, 2**31, 10**9]).astype(array.dtype)
            array = array.copy()
            array.flat[int(rng.integers(array.size))] = pick(rng, list(values))
        elif array.ndim:
            array = ARRAYS[form - 8](array)
    np.save(buffer, array)
    members[name] = buffer.getvalue()
    return f"{name} is {array.dtype} {array.shape}, form {form}"


def _json_changed(rng: Rng, members: Members) -> str:
    try:
        content = json.loads(members["session.json"])
    except (KeyError, ValueError, RecursionError):
        return "no JSON left"
    words = spoil(rng, content)
    members["session.json"] = json.dumps(content).encode("utf-8", "surrogatepass")
    return f"session.json: {words}"


def spoil(rng: Rng, tree: Any) -> str:
    """Change JSON data in one place; return what was done."""
    place: Any = tree
    way: list[Any] = []
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        nested = [key for key in keys if isinstance(place[key], dict | list) and place[key]]
        if nested and rng.random() < 0.7:  # a wrong format or version says little about the rest
            keys = nested
        key = pick(rng, keys)
        way.append(key)
        if rng.random() < 0.25 or not isinstance(place[key], dict | list) or not place[key]:
            break
        place = place[key]
    if not way or not isinstance(place, dict | list):
        return "left as it is"
    return f"{'.'.join(map(str, way))} {_changed_entry(rng, place, way[-1])}"


def _changed_entry(rng: Rng, place: Any, key: Any) -> str:
    form = int(rng.integers(6))
    old = place[key]
    if form == 0:
        del place[key]
        return "deleted"
    if form == 1 and isinstance(place, list):
        place.append(old)
        return "repeated"
    if form == 2 and isinstance(place, dict) and isinstance(key, str):
        place[pick(rng, (PAYLOAD, "", "parameters"))] = place.pop(key)
        return "renamed"
    if form == 3 and isinstance(old, int | float) and not isinstance(old, bool):
        place[key] = pick(rng, (old + 1, old - 1, -old, old * 10**6, str(old)))
    else:
        place[key] = pick(rng, HOSTILE)
    return f"is {place[key]!r}"[:120]


def _nested(rng: Rng, members: Members) -> str:
    depth = 100_000
    text = members.get("session.json", b"{}").decode("utf-8", "replace")
    deep = "[" * depth + "]" * depth
    members["session.json"] = text.replace("{", f'{{"deep": {deep}, ', 1).encode()
    return f"JSON nested {depth} deep"


#: JSON values that are large in memory for their length.
SMALL = ("{}", "[]", "[[]]", '{"":{}}', "0.5", '"ab"')


def _many(rng: Rng, members: Members) -> str:
    """Put many small values somewhere into the document."""
    text = members.get("session.json", b"").decode("utf-8", "replace")
    unit, count = pick(rng, SMALL), int(2 ** rng.uniform(10, 21))
    places = [at + 1 for at, character in enumerate(text) if character in "[{"]
    if not places:
        return "no JSON left"
    at = pick(rng, places)
    many = ", ".join([unit] * count)
    many = f"[{many}]" if text[at - 1] == "[" else f'"many": [{many}]'
    comma = "" if text[at : at + 1] in "]}" else ", "
    members["session.json"] = (text[:at] + many + comma + text[at:]).encode()
    return f"{count} times {unit} at {at}"


MEMBERS: tuple[Callable[[Rng, Members], str], ...] = (
    *([_json_changed] * 12),
    *([_array_changed] * 6),
    _dropped,
    _swapped,
    _inflated,
    _nested,
    _many,
)
