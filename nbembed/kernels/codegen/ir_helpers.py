"""Arrays and loops in generated code: what a kernel needs besides arithmetic on lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbembed.kernels.codegen.numba_adapter import array_parts, ir, target, types
from nbembed.kernels.codegen.simd import INDEX, Lanes, Pointer, broadcast, lanes_per_register, zero


class Array:
    """A C-contiguous array of one or two dimensions, in code that is being generated.

    ``kind`` is its numba type, ``value`` the LLVM value as numba passes it.
    """

    def __init__(self, context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> None:
        if kind.layout != "C":
            raise TypeError(f"array must be C-contiguous for pointers to its rows, got {kind}")
        parts = array_parts(context, builder, kind, value)
        self.builder = builder
        self.data = Pointer(parts.data, parts.element)
        self._width = parts.shape[-1]
        self.height = parts.shape[0]

    @property
    def element(self) -> ir.Type:
        """Type of the array's numbers."""
        return self.data.element

    def row(self, k: ir.Value | int) -> Pointer:
        """Return a pointer to row k."""
        k = INDEX(k) if isinstance(k, int) else k
        return self.data.offset(self.builder, self.builder.mul(self._width, k))


def arrays(
    context: Any, builder: ir.IRBuilder, kinds: Sequence[Any], values: Sequence[ir.Value]
) -> list[Any]:
    """Return an :class:`Array` for each argument, None where the caller passed None."""
    return [
        None if isinstance(kind, types.NoneType) else Array(context, builder, kind, value)
        for kind, value in zip(kinds, values, strict=True)
    ]


def lane_count(context: Any, kind: Any) -> int:
    """Return the count of numbers of a numba type in a register of the target processor."""
    return lanes_per_register(target(context).features, kind.bitwidth)


def spread(builder: ir.IRBuilder, pointer: Pointer, index: ir.Value, count: int) -> Lanes:
    """Return ``pointer[index]`` in every lane."""
    return broadcast(builder, pointer.read(builder, index), count)


def add_total(builder: ir.IRBuilder, pointer: Pointer, index: ir.Value, lanes: Lanes) -> None:
    """Generate ``pointer[index] += sum of lanes``, in the type of the numbers pointed at."""
    place = pointer.offset(builder, index)
    total = lanes.total()
    if total.type != pointer.element:
        total = builder.fpext(total, pointer.element)
    before = builder.load(place.address, typ=pointer.element)
    builder.store(builder.fadd(before, total, flags=("nsz",)), place.address)


def accumulate(
    builder: ir.IRBuilder,
    start: ir.Value,
    stop: ir.Value,
    n_sums: int,
    like: tuple[ir.Type, int],
    body: Callable[[ir.Value, list[Lanes]], list[Lanes]],
    step: int | None = None,
    first: list[Lanes] | None = None,
) -> list[Lanes]:
    """Generate a loop that keeps ``n_sums`` sums in registers, and return their final values.

    ::

        sums = first
        for j in range(start, stop, step): sums = body(j, sums)

    ``like`` is (type of a number, lanes of each sum). ``step`` is the number of lanes if None, and
    ``first`` zero.
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
    for k, total in enumerate(sums):
        total.add_incoming(nothing if first is None else first[k].value, before)
    builder.cbranch(builder.icmp_signed("<", j, stop), inside, after)
    builder.position_at_end(inside)
    updated = body(j, [Lanes(builder, total) for total in sums])
    j.add_incoming(builder.add(j, INDEX(step)), builder.block)
    for total, lanes in zip(sums, updated, strict=True):
        total.add_incoming(lanes.value, builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return [Lanes(builder, total) for total in sums]
