"""Arrays and loops of code that is being written: what tiles need besides arithmetic on lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from nbembed.kernels.codegen.simd import INDEX, Lanes, broadcast, lanes_per_register, zero


class Array:
    """A C-contiguous array of one or two dimensions.

    Parameters
    ----------
    context, builder : numba and LLVM contexts
        Where code is being written.
    kind : numba array type
        Of the array.
    value : llvmlite.ir.Value
        The array itself.
    """

    def __init__(self, context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> None:
        if kind.layout != "C":
            raise TypeError(f"only C-contiguous arrays have rows to point at, got {kind}")
        array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        self.builder = builder
        self.data = array.data
        self._width = builder.extract_value(array.shape, kind.ndim - 1)
        self.height = builder.extract_value(array.shape, 0)

    @property
    def element(self) -> ir.Type:
        """Type of the numbers in it."""
        return self.data.type.pointee

    def row(self, k: ir.Value | int) -> ir.Value:
        """Return a pointer to row k."""
        k = INDEX(k) if isinstance(k, int) else k
        return self.builder.gep(self.data, [self.builder.mul(self._width, k)])


def arrays(
    context: Any, builder: ir.IRBuilder, kinds: Sequence[Any], values: Sequence[ir.Value]
) -> list[Any]:
    """Return an :class:`Array` for each argument, None where the caller passed None."""
    return [
        None if isinstance(kind, types.NoneType) else Array(context, builder, kind, value)
        for kind, value in zip(kinds, values, strict=True)
    ]


def lane_count(context: Any, kind: Any) -> int:
    """Return how many numbers of a numba type the processor compiled for takes at once."""
    return lanes_per_register(context.codegen().magic_tuple()[2], kind.bitwidth)


def spread(builder: ir.IRBuilder, pointer: ir.Value, index: ir.Value, count: int) -> Lanes:
    """Return ``pointer[index]`` in every lane."""
    return broadcast(builder, builder.load(builder.gep(pointer, [index])), count)


def add_total(builder: ir.IRBuilder, pointer: ir.Value, index: ir.Value, lanes: Lanes) -> None:
    """Write ``pointer[index] += sum of lanes``, in the type that is pointed at."""
    address = builder.gep(pointer, [index])
    total = lanes.total()
    if total.type != pointer.type.pointee:
        total = builder.fpext(total, pointer.type.pointee)
    builder.store(builder.fadd(builder.load(address), total, flags=("nsz",)), address)


def accumulate(
    builder: ir.IRBuilder,
    start: ir.Value,
    stop: ir.Value,
    n_sums: int,
    like: tuple[ir.Type, int],
    body: Callable[[ir.Value, list[Lanes]], list[Lanes]],
    step: int | None = None,
) -> list[Lanes]:
    """Write a loop that keeps ``n_sums`` registers of sums; return them.

    ::

        sums = [0, …]
        for j in range(start, stop, step): sums = body(j, sums)

    ``like`` is the type of a number and the count of lanes, which is the step if none is given.
    """
    element, count = like
    step = count if step is None else step
    before = builder.block
    head, inside, after = (builder.append_basic_block(name) for name in ("head", "inside", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    j = builder.phi(INDEX)
    j.add_incoming(start, before)
    nothing = zero(builder, element, count).value
    sums = [builder.phi(nothing.type) for _ in range(n_sums)]
    for total in sums:
        total.add_incoming(nothing, before)
    builder.cbranch(builder.icmp_signed("<", j, stop), inside, after)
    builder.position_at_end(inside)
    updated = body(j, [Lanes(builder, total) for total in sums])
    j.add_incoming(builder.add(j, INDEX(step)), builder.block)
    for total, lanes in zip(sums, updated, strict=True):
        total.add_incoming(lanes.value, builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return [Lanes(builder, total) for total in sums]
