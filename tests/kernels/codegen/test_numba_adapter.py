"""The adapter over numba and llvmlite: nothing goes past it, and each internal is as assumed."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llvmlite import binding, ir
from numba import njit, types
from numba.core import cgutils
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.errors import NumbaError
from numba.extending import intrinsic

import nbembed
from nbembed.kernels.codegen import numba_adapter
from nbembed.kernels.codegen.simd import INDEX, Lanes, Pointer, load_where, store_where

PACKAGE = Path(nbembed.__file__).parent
ADAPTER = PACKAGE / "kernels" / "codegen" / "numba_adapter.py"
#: Names of attributes that belong to numba's and llvmlite's internals.
PRIVATE = {
    "_cache", "_cache_file", "_index_key", "as_pointer", "cgutils", "codegen",
    "create_struct_proxy", "get_data_type", "get_dummy_value", "is_opaque", "magic_tuple",
    "make_tuple", "pointee", "target_context", "targetctx",
}  # fmt: skip


def modules() -> list[Path]:
    return [p for p in PACKAGE.rglob("*.py") if "frontend" not in p.parts and p != ADAPTER]


def test_only_the_adapter_imports_numba_and_llvmlite() -> None:
    wrong = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            wrong += [
                f"{path.relative_to(PACKAGE)}: {name}"
                for name in names
                if name.split(".")[0] in ("numba", "llvmlite")
            ]
    assert wrong == []


def test_only_the_adapter_uses_private_names() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.attr}"
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] == "kernels"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in PRIVATE
    ]
    assert wrong == []


# ---- each internal behaves as assumed -----------------------------------------------------------

CHECKS: dict[str, Callable[[], None]] = {}


def check(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def note(function: Callable[[], None]) -> Callable[[], None]:
        CHECKS[name] = function
        return function

    return note


def test_every_internal_has_a_reason_and_a_check() -> None:
    assert CHECKS.keys() == numba_adapter.INTERNALS.keys()
    assert all(reason.strip() for reason in numba_adapter.INTERNALS.values())


@pytest.mark.parametrize("name", sorted(numba_adapter.INTERNALS))
def test_internal(name: str) -> None:
    CHECKS[name]()


@check("numba.core.caching.FunctionCache._index_key")
def _() -> None:
    assert list(inspect.signature(FunctionCache._index_key).parameters) == [
        "self", "sig", "codegen",
    ]  # fmt: skip

    @njit
    def twice(x: Any) -> Any:
        return 2 * x

    twice(1)
    key = FunctionCache(twice.py_func)._index_key((types.int64,), twice.targetctx.codegen())
    assert isinstance(key, tuple)
    hash(key)


@check("numba.core.dispatcher.Dispatcher._compiler.compile")
def _() -> None:
    @njit
    def twice(x: Any) -> Any:
        return 2 * x

    asked = []
    compile_ = twice._compiler.compile
    twice._compiler.compile = lambda *arguments: asked.append(1) or compile_(*arguments)
    assert [twice(1), twice(2), twice(2.0)] == [2, 4, 4.0]
    assert len(asked) == 2, "once for each type"


@check("numba.core.caching.FunctionCache._cache_file")
@check("numba.core.caching.IndexDataCacheFile.save")
def _() -> None:
    assert list(inspect.signature(IndexDataCacheFile.save).parameters) == ["self", "key", "data"]
    files = FunctionCache(test_internal)._cache_file
    assert type(files) is IndexDataCacheFile
    files.__class__ = numba_adapter.KeyedFiles
    assert files._data_name(2**64 - 1).endswith(f".{2**64 - 1}.nbc")


@pytest.mark.parametrize("Files", [numba_adapter.KeyedFiles, IndexDataCacheFile])
def test_processes_that_save_at_once_do_not_mix_up_their_code(tmp_path: Path, Files: Any) -> None:
    """numba's own files do: should they no longer, ours are not needed."""
    ours, theirs = (Files(str(tmp_path), "module.function-1.py311", (1.0, 100)) for _ in range(2))
    load_index, save_data, written_late = ours._load_index, theirs._save_data, []
    theirs._save_data = lambda name, data: written_late.append((name, data))

    def interrupted() -> Any:
        found = load_index()
        ours._load_index = load_index
        theirs.save("float32", "code of float32")
        return found

    ours._load_index = interrupted
    ours.save("float64", "code of float64")
    for name, data in written_late:
        save_data(name, data)
    found = [ours.load(key) for key in ("float64", "float32")]
    if Files is IndexDataCacheFile:
        assert found == ["code of float32", None]
    else:
        assert found[0] in ("code of float64", None)
        assert found[1] in ("code of float32", None)
        assert found != [None, None]


def test_code_of_former_sources_is_never_read(tmp_path: Path) -> None:
    base = "module.function-1.py311"
    numba_adapter.KeyedFiles(str(tmp_path), base, (1.0, 100)).save("float64", "former code")
    files = numba_adapter.KeyedFiles(str(tmp_path), base, (2.0, 120))
    save_data, found = files._save_data, []

    def asked_before(name: str, data: Any) -> None:
        found.append(files.load("float64"))
        save_data(name, data)
        found.append(files.load("float64"))

    files._save_data = asked_before
    files.save("float64", "new code")
    assert found == [None, None]
    assert files.load("float64") == "new code"


def cut(stored: bytes) -> bytes:
    return stored[: len(stored) // 2]


def flipped(stored: bytes) -> bytes:
    """Damage in the midst, which the format of what is stored need not show."""
    return stored[:-40] + bytes([stored[-40] ^ 1]) + stored[-39:]


@check("numba.core.caching.IndexDataCacheFile._load_index")
@check("numba.core.caching.IndexDataCacheFile._load_data")
@check("numba.core.caching.IndexDataCacheFile._dump")
@check("numba.core.caching.FunctionCache.load_overload")
@check("numba.core.caching.FunctionCache.save_overload")
def _() -> None:
    for kind, name, parameters in (
        (IndexDataCacheFile, "_load_index", ["self"]),
        (IndexDataCacheFile, "_load_data", ["self", "name"]),
        (IndexDataCacheFile, "_dump", ["self", "obj"]),
        (FunctionCache, "load_overload", ["self", "sig", "target_context"]),
        (FunctionCache, "save_overload", ["self", "sig", "data"]),
    ):
        assert list(inspect.signature(getattr(kind, name)).parameters) == parameters


@pytest.mark.parametrize("damage", [cut, flipped, lambda stored: b""])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_code_is_compiled_anew_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    suffix: str,
    damage: Callable[[bytes], bytes],
) -> None:
    monkeypatch.setattr(numba_adapter.config, "CACHE_DIR", str(tmp_path))
    caplog.set_level("DEBUG", "nbembed")

    def twice(x: Any) -> Any:
        return 2 * x

    def loaded() -> int:
        """Return how often the code was found on disk in a new process, as it were."""
        dispatcher = njit(twice)
        numba_adapter.keep_on_disk(dispatcher, twice, lambda: "of these sources")
        assert dispatcher(21) == 42
        return sum(dispatcher.stats.cache_hits.values())

    assert [loaded(), loaded()] == [0, 1]
    (file,) = tmp_path.rglob(f"*{suffix}")
    file.write_bytes(damage(file.read_bytes()))
    assert [loaded(), loaded()] == [0, 1]
    said = [r.getMessage() for r in caplog.records if "damaged" in r.getMessage()]
    assert said
    assert all(str(tmp_path) in line for line in said)


def test_code_that_cannot_be_kept_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba_adapter.config, "CACHE_DIR", str(tmp_path))

    def twice(x: Any) -> Any:
        return 2 * x

    def full(self: Any, name: str, data: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numba_adapter.KeyedFiles, "_save_data", full)
    dispatcher = njit(twice)
    numba_adapter.keep_on_disk(dispatcher, twice, lambda: "of these sources")
    assert dispatcher(21) == 42


@check("numba.core.dispatcher.Dispatcher._cache")
def _() -> None:
    @njit
    def twice(x: Any) -> Any:
        return 2 * x

    asked: list[str] = []

    class Recorder(FunctionCache):
        def load_overload(self, sig: Any, target_context: Any) -> None:
            asked.append("load")

        def save_overload(self, sig: Any, data: Any) -> None:
            asked.append("save")

    twice._cache = Recorder(twice.py_func)
    assert twice(3) == 6
    assert asked == ["load", "save"]


def generated(n_results: int, write: Callable[..., Any]) -> Any:
    """Return a compiled function of one array that runs what ``write`` generates for it."""

    @intrinsic
    def run(typing_context: Any, array: Any) -> Any:
        result = types.UniTuple(types.intp, n_results) if n_results else types.void

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return write(context, builder, signature, arguments[0])

        return result(array), codegen

    @njit
    def call(array: Any) -> Any:
        return run(array)

    return call


@check("numba.core.cgutils.create_struct_proxy")
@check("numba.core.base.BaseContext.make_tuple")
@check("numba.core.base.BaseContext.get_data_type")
def _() -> None:
    elements = []

    def write(context: Any, builder: Any, signature: Any, value: Any) -> Any:
        kind = signature.args[0]
        assert hasattr(cgutils, "create_struct_proxy")
        parts = numba_adapter.array_parts(context, builder, kind, value)
        elements.append(parts.element)
        last = Pointer(parts.data, parts.element).read(builder, INDEX(5))
        numbers = [*parts.shape, builder.fptosi(last, INDEX)]
        return numba_adapter.integers(context, builder, signature.return_type, numbers)

    shown = generated(3, write)
    assert shown(np.arange(6.0).reshape(2, 3)) == (2, 3, 5)
    assert shown(np.arange(8, dtype=np.float32).reshape(4, 2)) == (4, 2, 5)
    assert elements == [ir.DoubleType(), ir.FloatType()]


@check("numba.core.base.BaseContext.get_dummy_value")
def _() -> None:
    def write(context: Any, builder: Any, signature: Any, value: Any) -> Any:
        return numba_adapter.no_result(context)

    assert generated(0, write)(np.zeros(1)) is None


@check("numba.core.base.BaseContext.cast")
def _() -> None:
    def write(context: Any, builder: Any, signature: Any, value: Any) -> Any:
        small = ir.Constant(ir.IntType(32), -7)
        number = numba_adapter.as_intp(context, builder, small, types.int32)
        assert number.type == INDEX
        return numba_adapter.integers(context, builder, signature.return_type, [number])

    assert generated(1, write)(np.zeros(1)) == (-7,)


@check("numba.core.codegen.CPUCodegen.magic_tuple")
def _() -> None:
    @njit
    def same(x: Any) -> Any:
        return x

    same(1)
    target = numba_adapter.target(same.targetctx)
    assert target.triple.split("-")[0] in binding.get_process_triple()
    assert target.cpu
    assert all(feature[0] in "+-" for feature in target.features.split(",") if feature)


@check("numba.core.registry.cpu_target")
def _() -> None:
    @njit
    def same(x: Any) -> Any:
        return x

    same(1)
    assert numba_adapter.own_target() == numba_adapter.target(same.targetctx)


@check("numba.core.base.BaseContext.refresh")
def _() -> None:
    numba_adapter.import_compiler()
    assert {"numba.np.arrayobj", "numba.core.boxing"} <= sys.modules.keys()


@check("numba.core.errors.NumbaError")
def _() -> None:
    @njit
    def wrong(x: Any) -> Any:
        return x + "text"

    with pytest.raises(NumbaError):
        wrong(1.0)


@check("llvmlite.ir.PointerType.is_opaque")
def _() -> None:
    assert ir.PointerType().is_opaque
    module = ir.Module()
    kind = ir.FunctionType(ir.VoidType(), [ir.PointerType(), INDEX])
    builder = ir.IRBuilder(ir.Function(module, kind, "f").append_basic_block())
    given, number = builder.function.args
    assert numba_adapter.opaque(builder, given) is given
    typed = builder.inttoptr(number, ir.PointerType(ir.FloatType()))
    assert numba_adapter.opaque(builder, typed).type.is_opaque
    # A vector can be stored through it.
    builder.store(
        ir.Constant(ir.VectorType(ir.FloatType(), 4), [0.0] * 4),
        numba_adapter.opaque(builder, typed),
    )
    builder.ret_void()
    binding.parse_assembly(str(module)).verify()


@check("llvm.masked.load")
def _() -> None:
    module = ir.Module()
    kind = ir.FunctionType(ir.VectorType(ir.FloatType(), 4), [ir.PointerType()])
    builder = ir.IRBuilder(ir.Function(module, kind, "f").append_basic_block())
    mask = ir.Constant(ir.VectorType(ir.IntType(1), 4), [1, 1, 0, 1])
    pointer = Pointer(builder.function.args[0], ir.FloatType())
    builder.ret(load_where(builder, mask, pointer, INDEX(2), 4).value)
    parsed = binding.parse_assembly(str(module))
    parsed.verify()
    assert "llvm.masked.load.v4f32.p0" in str(parsed)


@check("llvm.masked.store")
def _() -> None:
    module = ir.Module()
    vector = ir.VectorType(ir.FloatType(), 4)
    kind = ir.FunctionType(ir.VoidType(), [ir.PointerType(), vector])
    builder = ir.IRBuilder(ir.Function(module, kind, "f").append_basic_block())
    mask = ir.Constant(ir.VectorType(ir.IntType(1), 4), [1, 1, 0, 1])
    address, value = builder.function.args
    numbers = Lanes(builder, value)
    store_where(builder, mask, numbers, Pointer(address, ir.FloatType()), INDEX(2))
    builder.ret_void()
    parsed = binding.parse_assembly(str(module))
    parsed.verify()
    assert "llvm.masked.store.v4f32.p0" in str(parsed)
