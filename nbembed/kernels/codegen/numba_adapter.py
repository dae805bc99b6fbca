"""The only module that touches numba and llvmlite.

Kernels need more of both than their stable interfaces offer. Everything beyond those interfaces is
used in this module alone, and :data:`INTERNALS` lists it with the reason. The tests check that no
other module of the package imports numba or llvmlite, and that each entry still behaves as assumed,
so that a new release that changes one of them fails in a test that names it.

Stable names (``njit``, ``intrinsic``, ``types``, ``ir``) pass through unchanged.

Pointers: LLVM has had only opaque pointers (``ptr``) since version 17. llvmlite still lets a
pointer's type carry the type it points at, deprecates that, and will remove it; numba still hands
out such pointers. Code here never asks a pointer what it points at: :class:`ArrayParts` takes the
type of the elements from numba's array type, and :func:`opaque` drops it from the pointer.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import ir as ir
from numba import config
from numba import njit as njit
from numba import types as types
from numba.core import cgutils
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.errors import NumbaError as NumbaError
from numba.core.registry import cpu_target
from numba.extending import intrinsic as intrinsic

from nbembed.kernels import compilation

if config.DISABLE_JIT:  # type: ignore[attr-defined]  # made from the environment at run time
    raise ImportError(
        "nbembed's kernels cannot run uncompiled, but NUMBA_DISABLE_JIT is set; unset it and "
        "restart Python"
    )

_logger = logging.getLogger(__name__)

#: What is used beyond the stable interfaces, and why.
INTERNALS = {
    "numba.core.caching.FunctionCache._index_key": (
        "the key of a cached function must contain a digest of this package's sources: numba "
        "looks at the source file of the function alone"
    ),
    "numba.core.dispatcher.Dispatcher._compiler.compile": (
        "it is called where the cache does not have the code: so it is known that somebody waits "
        "for the compiler"
    ),
    "numba.core.caching.FunctionCache._cache_file": "to replace it by a KeyedFiles",
    "numba.core.caching.IndexDataCacheFile.save": (
        "numba numbers the files of machine code and notes a number before it writes the file: of "
        "two processes that compile at the same time, one may load the code of the other's types, "
        "or of former sources"
    ),
    "numba.core.caching.IndexDataCacheFile._load_index": (
        "numba takes every file for whole: a damaged one would end each call of its function, or "
        "run as damaged machine code"
    ),
    "numba.core.caching.IndexDataCacheFile._load_data": "the same",
    "numba.core.caching.IndexDataCacheFile._dump": "to write a digest behind what is stored",
    "numba.core.caching.FunctionCache.load_overload": "what cannot be loaded is compiled again",
    "numba.core.caching.FunctionCache.save_overload": "what cannot be saved runs all the same",
    "numba.core.dispatcher.Dispatcher._cache": (
        "njit(cache=True) offers no way to choose the cache, so it is replaced after the fact"
    ),
    "numba.core.cgutils.create_struct_proxy": (
        "an intrinsic receives an array as a struct; this reads its data pointer and its shape"
    ),
    "numba.core.base.BaseContext.get_data_type": "the LLVM type of an array's elements in memory",
    "numba.core.base.BaseContext.get_dummy_value": "what an intrinsic without a result returns",
    "numba.core.base.BaseContext.make_tuple": "an intrinsic that returns several integers",
    "numba.core.base.BaseContext.cast": "arguments may come as integers of any width",
    "numba.core.codegen.CPUCodegen.magic_tuple": (
        "the processor that code is compiled for, which NUMBA_CPU_NAME and NUMBA_CPU_FEATURES may "
        "have changed from the host"
    ),
    "numba.core.registry.cpu_target": (
        "the same where no context is at hand: it is one for all functions of a process"
    ),
    "numba.core.base.BaseContext.refresh": (
        "it imports most of numba, which must not happen in a thread while the process is forked"
    ),
    "numba.core.errors.NumbaError": (
        "base class of what a function that cannot be compiled raises; not among numba's top-level "
        "names in every release"
    ),
    "llvmlite.ir.PointerType.is_opaque": "whether numba handed out a pointer with a pointee type",
    "llvm.masked.load": (
        "called with the alignment as an operand, which LLVM 22 made an attribute; older text is "
        "upgraded when it is read"
    ),
    "llvm.masked.store": "the same",
}


class Target(NamedTuple):
    """The processor that code is compiled for: LLVM's triple, CPU name and list of features."""

    triple: str
    cpu: str
    features: str


class ArrayParts(NamedTuple):
    """Of a numba array in code that is being generated: where it is, and its shape."""

    data: ir.Value
    element: ir.Type
    shape: list[ir.Value]


def target(context: Any) -> Target:
    """Return the processor that ``context`` compiles for."""
    return Target(*context.codegen().magic_tuple())


def own_target() -> Target:
    """Return the processor that this process compiles for."""
    return target(cpu_target.target_context)


def import_compiler() -> None:
    """Import what numba puts off until it first compiles or loads a function."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    for name in ("numba.core.boxing", "numba.core.runtime.context"):
        importlib.import_module(name)


def array_parts(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> ArrayParts:
    """Return the parts of the array ``value`` of numba type ``kind``."""
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    shape = [builder.extract_value(array.shape, axis) for axis in range(kind.ndim)]
    return ArrayParts(opaque(builder, array.data), context.get_data_type(kind.dtype), shape)


def opaque(builder: ir.IRBuilder, pointer: ir.Value) -> ir.Value:
    """Return the same address with the opaque pointer type.

    llvmlite refuses to store a vector through a pointer that is typed as one to scalars, and its
    ``bitcast`` takes a typed and an opaque pointer for the same type. A struct with one opaque
    member accepts the pointer and returns it untyped; LLVM folds both instructions away.
    """
    if pointer.type.is_opaque:
        return pointer
    box = ir.LiteralStructType([ir.PointerType()])
    return builder.extract_value(
        builder.insert_value(ir.Constant(box, ir.Undefined), pointer, 0), 0
    )


def no_result(context: Any) -> ir.Value:
    """Return the value of an intrinsic of type void."""
    return context.get_dummy_value()


def integers(context: Any, builder: ir.IRBuilder, kind: Any, values: Sequence[ir.Value]) -> Any:
    """Return a tuple of numba type ``kind``."""
    return context.make_tuple(builder, kind, values)


def as_intp(context: Any, builder: ir.IRBuilder, value: ir.Value, kind: Any) -> ir.Value:
    """Return an integer of numba type ``kind`` as one of pointer size."""
    return context.cast(builder, value, kind, types.intp)


def keep_on_disk(dispatcher: Any, function: Callable[..., Any], digest: Callable[[], str]) -> None:
    """Let ``dispatcher`` load and save its machine code, under keys that contain ``digest()``.

    Without a folder that numba may write to, the function is compiled in every process.
    """

    class DigestedCache(FunctionCache):
        def _index_key(self, sig: Any, codegen: Any) -> Any:
            return (*super()._index_key(sig, codegen), digest())

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:
                _logger.debug(
                    "compiled code of %s in %s is damaged and made again",
                    function.__qualname__, self.cache_path, exc_info=True,
                )  # fmt: skip
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except OSError:  # such as of a full disk: the code runs all the same
                _logger.debug("compiled code is not kept in %s", self.cache_path, exc_info=True)

    compiler = dispatcher._compiler
    compiler.compile = _announced(compiler.compile)
    try:
        cache = DigestedCache(function)
    except RuntimeError:  # numba found no such folder
        return
    cache._cache_file.__class__ = KeyedFiles
    dispatcher._cache = cache


class KeyedFiles(IndexDataCacheFile):
    """Files of machine code, each with a name that is made from the key of what it holds.

    Whatever other processes save meanwhile, a file that the index names for a key is that key's. At
    worst an entry of the index is lost, and its function compiled once more. A digest behind what
    is stored shows whether a file is whole.
    """

    def save(self, key: Any, data: Any) -> None:
        """Save ``data`` under ``key``: the file first, and then its name in the index."""
        digest = hashlib.sha256(repr((self._version, self._source_stamp, key)).encode())
        name = self._data_name(int.from_bytes(digest.digest()[:8]))
        self._save_data(name, data)
        overloads = self._load_index()
        overloads[key] = name
        self._save_index(overloads)

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return data + hashlib.sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as file:
            return pickle.loads(_whole(file.read()))

    def _load_index(self) -> Any:
        """Return the files by key, none if the index is damaged: it is written anew then."""
        try:
            with open(self._index_path, "rb") as file:
                if pickle.load(file) != self._version:
                    return {}
                stamp, overloads = pickle.loads(_whole(file.read()))
        except FileNotFoundError:
            return {}
        except Exception:
            _logger.debug("%s is damaged and made again", self._index_path, exc_info=True)
            return {}
        return overloads if stamp == self._source_stamp else {}


def _whole(stored: bytes) -> bytes:
    """Return the stored bytes without their digest; raise ValueError if it does not match."""
    data, digest = stored[:-32], stored[-32:]
    if hashlib.sha256(data).digest() != digest:
        raise ValueError("the digest differs")
    return data


def _announced(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``compile_`` that says that it compiles; loading from disk does not call it."""

    def announced(*arguments: Any) -> Any:
        with compilation.under_way():
            return compile_(*arguments)

    return announced


def cache_folder(function: Callable[..., Any]) -> str | None:
    """Return the folder in which numba keeps the machine code of a function's module.

    ``None`` if it found none that it may write to.
    """
    try:
        return str(FunctionCache(function).cache_path)
    except RuntimeError:
        return None
