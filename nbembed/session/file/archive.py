"""The members of a session file: a zip archive of arrays in NumPy's format and one JSON document.

A file may come from somebody else, so that sizes are checked before anything of that size is read
or allocated. Arrays are stored uncompressed: none takes more memory than the file has bytes. The
JSON document is compressed; it may be :data:`JSON_RATIO` times its compressed size, or
:data:`JSON_ALWAYS` bytes where that is less, and is written uncompressed where it would be more.
What it makes in memory is many times as large as its text where it has many short lists and maps:
they are counted before it is parsed, and bounded in the same way.
"""

from __future__ import annotations

import io
import json
import math
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

#: The name of the JSON document.
DOCUMENT = "session.json"
#: Bytes that the JSON document may have in any case, and times its compressed size otherwise.
JSON_ALWAYS, JSON_RATIO = 8 * 2**20, 20
#: Bytes of memory that the JSON document may take in any case, and times the file's size otherwise.
MEMORY_ALWAYS, MEMORY_RATIO = 32 * 2**20, 20
#: Bytes of memory for what begins or ends with a character, as it is parsed and once more decoded.
MEMORY = {b"[": 200, b"{": 200, b":": 60, b",": 32, b'"': 20}
#: Members that a file may have.
MEMBERS = 100_000
#: Entries of a list that are encoded together, within some milliseconds.
TOGETHER = 500


class Archive:
    """The members of an open session file, which stays open.

    Raises ValueError or BadZipFile if it is no such archive, or members claim more bytes than
    there are.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._size = size = file.seek(0, io.SEEK_END)
        self._zip = zipfile.ZipFile(file)
        members = self._zip.infolist()
        self._members = {member.filename: member for member in members}
        self._arrays: dict[str, NDArray[Any]] = {}
        if DOCUMENT not in self._members:
            raise ValueError(f"it has no {DOCUMENT}, so it is not a session file")
        if len(members) > MEMBERS or len(self._members) < len(members):
            raise ValueError(
                f"it is damaged: it has {len(members)} members, too many or some twice"
            )
        # Members that overlap would let few bytes stand for many.
        if sum(member.compress_size for member in members) > size:
            raise ValueError("it is damaged: its members claim more bytes than it has")
        for member in members:
            packed = member.compress_type != zipfile.ZIP_STORED
            if member.flag_bits & 1 or (packed and member.compress_type != zipfile.ZIP_DEFLATED):
                raise ValueError(
                    f"it is damaged: {member.filename} is encrypted or compressed "
                    "by an unknown method"
                )
            if packed and member.filename != DOCUMENT:
                raise ValueError(f"it is damaged: {member.filename} is compressed")
            if not packed and member.file_size != member.compress_size:
                raise ValueError(f"it is damaged: {member.filename} claims another size")

    def __contains__(self, name: str) -> bool:
        return f"{name}.npy" in self._members

    def document(self) -> dict[str, Any]:
        """Return the JSON document.

        Raises ValueError if it is none, or takes too much memory for a file of this size.
        """
        member = self._members[DOCUMENT]
        if member.file_size > max(JSON_ALWAYS, JSON_RATIO * member.compress_size):
            raise ValueError(
                f"it is damaged: {DOCUMENT} would have {member.file_size} bytes, but only "
                f"{member.compress_size} are there"
            )
        text = self._read(member)
        memory = memory_of(text)
        if memory > max(MEMORY_ALWAYS, MEMORY_RATIO * self._size):
            raise ValueError(
                f"it is damaged: {DOCUMENT} would take {memory} bytes of memory, and the file has "
                f"{self._size}"
            )
        content = json.loads(text.decode("utf-8"))
        if not isinstance(content, dict):
            raise ValueError("it is not a session file")
        return content

    def array(self, name: str, kinds: str = "f") -> NDArray[Any]:
        """Return an array, read only, by its member's name without ".npy"; the same one each time.

        ``kinds`` are the kinds of numbers that it may have, as in ``numpy.dtype.kind``. Raises
        ValueError if there is none, its header asks for more or fewer bytes than there are, or it
        is not of such numbers.
        """
        if not isinstance(name, str) or name not in self:
            raise ValueError(f"it is damaged: it has no {name}.npy")
        if name not in self._arrays:
            self._arrays[name] = self._load(name)
        array = self._arrays[name]
        if array.dtype.kind not in kinds or (
            array.dtype.kind == "f" and array.itemsize not in (4, 8)
        ):
            raise ValueError(f"it is damaged: {name} is an array of {array.dtype}")
        return array

    def _load(self, name: str) -> NDArray[Any]:
        data = io.BytesIO(self._read(self._members[f"{name}.npy"]))
        shape, fortran, dtype = _header(data, name)
        if dtype.hasobject:
            raise ValueError(f"it is damaged: {name} holds Python objects, which are never loaded")
        body = data.getbuffer()[data.tell() :]
        if dtype.kind not in "biuf" or any(size < 0 for size in shape):
            raise ValueError(f"it is damaged: {name} is an array of {dtype}")
        if math.prod(shape) * dtype.itemsize != body.nbytes:
            raise ValueError(
                f"it is damaged: {name} would have {math.prod(shape)} numbers, but there are "
                f"{body.nbytes // dtype.itemsize}"
            )
        flat = np.frombuffer(body, dtype) if body.nbytes else np.empty(0, dtype)
        array = flat.astype(dtype.newbyteorder("=")).reshape(shape, order="F" if fortran else "C")
        array.flags.writeable = False
        return array

    def _read(self, member: zipfile.ZipInfo) -> bytes:
        """Return a member's bytes, as many as it claims to have."""
        with self._zip.open(member) as file:
            data = file.read(member.file_size + 1)
        if len(data) != member.file_size:
            raise ValueError(
                f"it is damaged: {member.filename} does not have the size that it claims"
            )
        return data


def memory_of(text: bytes) -> int:
    """Return about how many bytes of memory it takes to parse a JSON document and to decode it."""
    values = sum(text.count(character) * each for character, each in MEMORY.items())
    return values + _copies(text) * len(text)


def _copies(text: bytes) -> int:
    """Return the bytes of memory for one of a text: as such, as a string, and as its parts."""
    return 3 if text.isascii() else 9  # four for each character, if one of them needs so many


def write_archive(file: BinaryIO, content: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write JSON data and named arrays as an :class:`Archive` reads them."""
    try:
        text = _json(content, escaped=False).encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can carry
        text = _json(content, escaped=True).encode("ascii")
    memory = memory_of(text)
    packed = len(text) <= JSON_ALWAYS and memory <= MEMORY_ALWAYS
    if not packed:
        size = len(zlib.compress(text))
        packed = len(text) < JSON_RATIO * size and memory < MEMORY_RATIO * size
    lacking = memory - max(MEMORY_ALWAYS, MEMORY_RATIO * len(text))
    if not packed and lacking > 0:  # so that whatever a session holds can be read again
        text += b" " * (lacking // (MEMORY_RATIO - _copies(text)) + 1)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(DOCUMENT, text, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


def _json(content: Mapping[str, Any], *, escaped: bool) -> str:
    """Return the document, of whose lists a part at a time is encoded.

    The encoder holds the GIL until it is done: 20 000 events at once would stop a moving map.
    """
    encode = json.JSONEncoder(ensure_ascii=escaped).encode
    entries = []
    for name, value in content.items():
        if isinstance(value, list):
            parts = (value[i : i + TOGETHER] for i in range(0, len(value), TOGETHER))
            text = f"[{', '.join(encode(part)[1:-1] for part in parts)}]"
        else:
            text = encode(value)
        entries.append(f"{encode(name)}: {text}")
    return f"{{{', '.join(entries)}}}"


def _header(data: BinaryIO, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether columns come first, and dtype of an array."""
    try:
        version = np.lib.format.read_magic(data)
        if version == (1, 0):
            return np.lib.format.read_array_header_1_0(data)
        if version == (2, 0):
            return np.lib.format.read_array_header_2_0(data)
    except (
        ValueError, TypeError, KeyError, IndexError, AttributeError, SyntaxError, OverflowError,
        RecursionError, tokenize.TokenError,
    ) as error:  # fmt: skip
        raise ValueError(f"it is damaged: {name} has no valid array header: {error}") from error
    raise ValueError(f"it is damaged: {name} is an array of version {version}")
