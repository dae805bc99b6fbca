"""Flush subnormal numbers to zero while a loop runs.

A float32 below 1e-38 has no normal representation, and many processors compute with such subnormal
numbers in microcode, a hundred times as slowly. Similarities of points in different clusters are
that small: on an Intel processor with AVX-512, SNE's sums for ten separate clusters took 19 ns per
pair instead of 0.5. The terms are too small to change any sum, so within a loop over pairs they
count as zero.

On x86 two bits of the register MXCSR of the present thread ask for this; the register is restored
after the loop. Other processors are left as they are: those in use (Arm) compute with subnormal
numbers at full speed.
"""

from __future__ import annotations

from typing import Any

from nbembed.kernels.codegen.numba_adapter import intrinsic, ir, no_result, opaque, target, types

#: Subnormal results become zero (bit 15), and so do subnormal operands (bit 6).
_FLUSH = 0x8040


def _has_mxcsr(context: Any) -> bool:
    return target(context).triple.startswith(("x86_64", "amd64"))


def _call(builder: ir.IRBuilder, name: str, place: ir.Value) -> None:
    """Call an instruction that stores MXCSR to, or loads it from, ``place``."""
    kind = ir.FunctionType(ir.VoidType(), [ir.PointerType()])
    module = builder.module
    function = module.globals.get(name) or ir.Function(module, kind, name)
    builder.call(function, [place])


@intrinsic
def flush_subnormals(typing_context):
    """Flush subnormal numbers to zero from here on; return the former mode."""

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        word = ir.IntType(32)
        if not _has_mxcsr(context):
            return word(0)
        place = _local(builder, word)
        _call(builder, "llvm.x86.sse.stmxcsr", place)
        mode = builder.load(place, typ=word)
        builder.store(builder.or_(mode, word(_FLUSH)), place)
        _call(builder, "llvm.x86.sse.ldmxcsr", place)
        return mode

    return types.uint32(), write


@intrinsic
def restore_mode(typing_context, mode):
    """Return to the mode that :func:`flush_subnormals` returned."""

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        if _has_mxcsr(context):
            place = _local(builder, ir.IntType(32))
            builder.store(arguments[0], place)
            _call(builder, "llvm.x86.sse.ldmxcsr", place)
        return no_result(context)

    return types.void(mode), write


def _local(builder: ir.IRBuilder, kind: ir.Type) -> ir.Value:
    """Return the address of a new local variable, as an opaque pointer."""
    with builder.goto_entry_block():
        return opaque(builder, builder.alloca(kind))
