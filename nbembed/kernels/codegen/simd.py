"""Arithmetic on several numbers at once: the language in which the vectorized loops are written.

A :class:`Lanes` stands for a vector register of floating-point numbers (16 float32 in a register of
512 bits), or for a plain scalar. Its operators do not compute: they append instructions to the
machine code that is being generated. A formula such as ``1 / (1 + tau)`` is therefore stated once,
in plain Python, and yields code for scalars and for 4, 8 or 16 lanes, in float32 and in float64.

Why not leave vectorization to the compiler? LLVM vectorizes such a loop only if it can prove that
no two arrays overlap; it takes 1.6–8 s a loop, and a new release may stop doing it without a
warning. Written with lanes, the same loop compiles in 0.3–0.4 s and runs twice as fast, its edges
are masked instead of left to a slow scalar loop, and its speed does not depend on the
auto-vectorizer.

Rounding: a multiplication and an addition are fused where the formula says so
(:meth:`Lanes.times_plus`) and nowhere else, nothing is reordered, and the sum over lanes has a
fixed order. A formula therefore gives the same bits wherever it is used, on one kind of processor.
With AVX-512 a float32 division may become a reciprocal estimate with one Newton step (relative
error 1e-7 or better).

Infinities and NaNs pass through every operation as in IEEE arithmetic, except for float32 division,
whose divisor must be finite or NaN; the callers see to that. A layout that diverges therefore ends
in sums that are infinite or NaN, which is how objectives detect it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from nbembed.kernels.codegen.numba_adapter import Target, ir, own_target

#: The sign of a zero does not matter. More freedom would let results depend on the surrounding
#: code.
_FLAGS: tuple[str, ...] = ("nsz",)
#: For float32 with AVX-512 (:func:`estimates_reciprocals`): allows a reciprocal estimate and one
#: Newton step. LLVM does so only under ``ninf``, which leaves infinite operands undefined, because
#: the Newton step turns them into NaN. Kernels therefore divide float32 lanes only by what is known
#: to be finite: those that divide by 1 + ατ go to float64 if τ may overflow
#: (:func:`~.tiles.distances_stay_finite`).
_ESTIMATE_FLAGS: tuple[str, ...] = ("nsz", "arcp", "ninf", "contract")

_INT32 = ir.IntType(32)
INDEX = ir.IntType(64)


def lanes_per_register(features: str, bits: int) -> int:
    """Return the count of numbers of ``bits`` bits in the widest vector register.

    ``features`` is the list of CPU features that code is compiled for ("+avx2,+fma,…").
    """
    available = set(features.split(","))
    if "+avx512f" in available:
        return 512 // bits
    if "+avx" in available:
        return 256 // bits
    return 128 // bits


def vector_registers(processor: Target) -> int:
    """Return the number of vector registers: 32 with AVX-512 or NEON, 16 with AVX2 or SSE."""
    arm = processor.triple.startswith(("aarch64", "arm64"))
    return 32 if arm or "+avx512f" in processor.features.split(",") else 16


def estimates_reciprocals(processor: Target) -> bool:
    """Return whether a float32 division becomes a reciprocal estimate and a Newton step.

    They take three instructions instead of one, which waits longer but leaves the units that
    multiply and add to others. With registers of 512 bits they save up to 10 % of the time (t-SNE,
    n = 1000). With shorter ones a division costs less: on an AMD processor with AVX2 and n = 2000
    it takes 0.20 ns a pair instead of 0.22 for t-SNE with a sparse P, 1.11 instead of 1.22 for
    α = 0.5 with a dense one, and its rounding is correct.
    """
    return "+avx512f" in processor.features.split(",")


@cache
def _division_flags() -> tuple[str, ...]:
    """Return the flags of float32 divisions."""
    return _ESTIMATE_FLAGS if estimates_reciprocals(own_target()) else _FLAGS


class Pointer(NamedTuple):
    """The address of numbers in memory, and their type: LLVM's pointers do not carry it."""

    address: ir.Value
    element: ir.Type

    def offset(self, builder: ir.IRBuilder, index: ir.Value) -> Pointer:
        """Return a pointer to element ``index``."""
        return Pointer(builder.gep(self.address, [index], source_etype=self.element), self.element)

    def read(self, builder: ir.IRBuilder, index: ir.Value) -> ir.Value:
        """Return element ``index`` as a scalar."""
        return builder.load(self.offset(builder, index).address, typ=self.element)


class Lanes:
    """A register of float32 or float64 numbers, or a plain scalar (``count`` = 1)."""

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder = builder
        self.value = value

    @property
    def element(self) -> ir.Type:
        """Type of one lane."""
        kind = self.value.type
        return kind.element if isinstance(kind, ir.VectorType) else kind

    @property
    def count(self) -> int:
        """Number of lanes."""
        kind = self.value.type
        return kind.count if isinstance(kind, ir.VectorType) else 1

    @property
    def single(self) -> bool:
        """True if a lane is float32."""
        return isinstance(self.element, ir.FloatType)

    # ---- arithmetic -------------------------------------------------------------------------

    def constant(self, number: float) -> Lanes:
        """Return ``number`` in every lane."""
        return Lanes(self.builder, _splat_constant(self.value.type, number))

    def _operand(self, other: Any) -> ir.Value:
        return other.value if isinstance(other, Lanes) else self.constant(other).value

    def __add__(self, other: Any) -> Lanes:
        return Lanes(
            self.builder, self.builder.fadd(self.value, self._operand(other), flags=_FLAGS)
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> Lanes:
        return Lanes(
            self.builder, self.builder.fsub(self.value, self._operand(other), flags=_FLAGS)
        )

    def __rsub__(self, other: Any) -> Lanes:
        return self.constant(other) - self

    def __mul__(self, other: Any) -> Lanes:
        return Lanes(
            self.builder, self.builder.fmul(self.value, self._operand(other), flags=_FLAGS)
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Lanes:
        """Return self / other; a float32 divisor must be finite or NaN."""
        divisor = self._operand(other)
        flags = _division_flags() if self.single else _FLAGS
        return Lanes(self.builder, self.builder.fdiv(self.value, divisor, flags=flags))

    def __rtruediv__(self, other: Any) -> Lanes:
        return self.constant(other) / self

    def __neg__(self) -> Lanes:
        return self.constant(-0.0) - self

    def times_plus(self, factor: Any, addend: Any) -> Lanes:
        """Return self·factor + addend, with one rounding where the processor can."""
        operands = [self.value, self._operand(factor), self._operand(addend)]
        kind = self.value.type
        signature = ir.FunctionType(kind, [kind] * 3)
        function = _intrinsic(self.builder, f"llvm.fmuladd.{_suffix(kind)}", signature)
        return Lanes(self.builder, self.builder.call(function, operands))

    def at_least(self, bound: Any) -> Lanes:
        """Return the larger of self and ``bound``."""
        bound = self._operand(bound)
        smaller = self.builder.fcmp_ordered("<", self.value, bound, flags=("nsz",))
        return Lanes(self.builder, self.builder.select(smaller, bound, self.value))

    def at_most(self, bound: Any) -> Lanes:
        """Return the smaller of self and ``bound``."""
        bound = self._operand(bound)
        larger = self.builder.fcmp_ordered(">", self.value, bound, flags=("nsz",))
        return Lanes(self.builder, self.builder.select(larger, bound, self.value))

    def square_root(self) -> Lanes:
        """Return √self, rounded correctly; self ≥ 0."""
        kind = self.value.type
        function = _intrinsic(
            self.builder, f"llvm.sqrt.{_suffix(kind)}", ir.FunctionType(kind, [kind])
        )
        return Lanes(self.builder, self.builder.call(function, [self.value]))

    def where(self, condition: ir.Value, otherwise: Any) -> Lanes:
        """Return self where ``condition`` holds, else ``otherwise``."""
        return Lanes(
            self.builder, self.builder.select(condition, self.value, self._operand(otherwise))
        )

    def total(self) -> ir.Value:
        """Return the sum of the lanes as a scalar, added pairwise in a fixed order."""
        builder, value, count = self.builder, self.value, self.count
        while count > 1:
            count //= 2
            lower = ir.Constant(ir.VectorType(_INT32, count), list(range(count)))
            upper = ir.Constant(ir.VectorType(_INT32, count), list(range(count, 2 * count)))
            empty = ir.Constant(value.type, ir.Undefined)
            value = builder.fadd(
                builder.shuffle_vector(value, empty, lower),
                builder.shuffle_vector(value, empty, upper),
                flags=_FLAGS,
            )
        if isinstance(value.type, ir.VectorType):
            value = builder.extract_element(value, ir.Constant(_INT32, 0))
        return value

    def lane(self, k: int) -> ir.Value:
        """Return the number in lane k as a scalar."""
        return self.builder.extract_element(self.value, ir.Constant(_INT32, k))

    def each(self, times: int) -> Lanes:
        """Return a register in which each number stands so many times in a row."""
        kind = ir.VectorType(_INT32, times * self.count)
        order = ir.Constant(kind, [k // times for k in range(times * self.count)])
        empty = ir.Constant(self.value.type, ir.Undefined)
        return Lanes(self.builder, self.builder.shuffle_vector(self.value, empty, order))

    def as_type(self, element: ir.Type) -> Lanes:
        """Return the same numbers as float32 or float64."""
        if element == self.element:
            return self
        wanted = _like(self.value.type, element)
        convert = self.builder.fpext if self.single else self.builder.fptrunc
        return Lanes(self.builder, convert(self.value, wanted))

    # ---- the bits of a float: sign, exponent, mantissa ---------------------------------------

    @property
    def _bits_type(self) -> ir.Type:
        return _like(self.value.type, ir.IntType(32 if self.single else 64))

    def bits(self) -> ir.Value:
        """Return the numbers' bit patterns as integers."""
        return self.builder.bitcast(self.value, self._bits_type)

    def from_bits(self, bits: ir.Value) -> Lanes:
        """Return numbers of self's type with these bit patterns."""
        return Lanes(self.builder, self.builder.bitcast(bits, self.value.type))

    def integer(self, number: int) -> ir.Value:
        """Return ``number`` as an integer constant of the lanes' width."""
        return _splat_constant(self._bits_type, number)


def broadcast(builder: ir.IRBuilder, scalar: ir.Value, count: int) -> Lanes:
    """Return the run-time ``scalar`` in every lane."""
    if count == 1:
        return Lanes(builder, scalar)
    kind = ir.VectorType(scalar.type, count)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(_INT32, 0))
    zeros = ir.Constant(ir.VectorType(_INT32, count), [0] * count)
    spread = builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), zeros)
    return Lanes(builder, spread)


def zero(builder: ir.IRBuilder, element: ir.Type, count: int) -> Lanes:
    """Return a register of zeros."""
    kind = _vector(element, count)
    return Lanes(builder, _splat_constant(kind, 0.0))


def load(builder: ir.IRBuilder, pointer: Pointer, index: ir.Value, count: int) -> Lanes:
    """Return ``pointer[index : index + count]``; the address need not be aligned."""
    kind = _vector(pointer.element, count)
    address = pointer.offset(builder, index).address
    return Lanes(builder, builder.load(address, typ=kind, align=_alignment(kind)))


def store(builder: ir.IRBuilder, numbers: Lanes, pointer: Pointer, index: ir.Value) -> None:
    """Write ``numbers`` to ``pointer[index : index + count]``; the address need not be aligned."""
    address = pointer.offset(builder, index).address
    builder.store(numbers.value, address, align=_alignment(numbers.value.type))


def load_where(
    builder: ir.IRBuilder, condition: ir.Value, pointer: Pointer, index: ir.Value, count: int
) -> Lanes:
    """Return ``pointer[index : …]``, 0 where ``condition`` is false; nothing is read there."""
    kind = _vector(pointer.element, count)
    address = pointer.offset(builder, index).address
    signature = ir.FunctionType(kind, [ir.PointerType(), _INT32, condition.type, kind])
    function = _intrinsic(builder, f"llvm.masked.load.{_suffix(kind)}.p0", signature)
    alignment = ir.Constant(_INT32, _alignment(kind))
    nothing = _splat_constant(kind, 0.0)
    return Lanes(builder, builder.call(function, [address, alignment, condition, nothing]))


def store_where(
    builder: ir.IRBuilder, condition: ir.Value, numbers: Lanes, pointer: Pointer, index: ir.Value
) -> None:
    """Write ``numbers`` where ``condition`` is true; nothing is written elsewhere."""
    kind = numbers.value.type
    address = pointer.offset(builder, index).address
    parameters = [kind, ir.PointerType(), _INT32, condition.type]
    signature = ir.FunctionType(ir.VoidType(), parameters)
    function = _intrinsic(builder, f"llvm.masked.store.{_suffix(kind)}.p0", signature)
    alignment = ir.Constant(_INT32, _alignment(kind))
    builder.call(function, [numbers.value, address, alignment, condition])


def prefetch(builder: ir.IRBuilder, pointer: Pointer, index: ir.Value, count: int) -> None:
    """Ask for ``pointer[index : index + count]`` to be fetched; an invalid address does no harm."""
    numbers_per_line = 64 // _alignment(pointer.element)
    signature = ir.FunctionType(ir.VoidType(), [ir.PointerType(), _INT32, _INT32, _INT32])
    function = _intrinsic(builder, "llvm.prefetch.p0", signature)
    for offset in range(0, count, numbers_per_line):
        place = pointer.offset(builder, builder.add(index, INDEX(offset)))
        # For reading (0), into the first-level cache (3), data (1).
        options = [ir.Constant(_INT32, option) for option in (0, 3, 1)]
        builder.call(function, [place.address, *options])


def gather(builder: ir.IRBuilder, pointer: Pointer, places: Sequence[ir.Value]) -> Lanes:
    """Return ``pointer[place]`` for each of the ``places``, loaded one by one.

    On the processors measured this beats their gather instructions (:mod:`nbembed.kernels.sparse`).
    """
    numbers = [pointer.read(builder, place) for place in places]
    if len(numbers) == 1:
        return Lanes(builder, numbers[0])
    vector = ir.Constant(ir.VectorType(numbers[0].type, len(numbers)), ir.Undefined)
    for lane, number in enumerate(numbers):
        vector = builder.insert_element(vector, number, ir.Constant(_INT32, lane))
    return Lanes(builder, vector)


def side_by_side(parts: Sequence[Lanes]) -> Lanes:
    """Return the lanes of a power of two of registers, of equal counts, in one register."""
    builder, values = parts[0].builder, [part.value for part in parts]
    while len(values) > 1:
        count = 2 * Lanes(builder, values[0]).count
        order = ir.Constant(ir.VectorType(_INT32, count), list(range(count)))
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [builder.shuffle_vector(one, two, order) for one, two in pairs]
    return Lanes(builder, values[0])


def halves(numbers: Lanes, element: ir.Type) -> tuple[Lanes, Lanes]:
    """Return the two numbers of type ``element`` that each lane of twice its width consists of.

    In the order in which they are in memory.
    """
    builder, count = numbers.builder, numbers.count
    parts = builder.bitcast(numbers.value, ir.VectorType(element, 2 * count))
    empty = ir.Constant(parts.type, ir.Undefined)
    kind = ir.VectorType(_INT32, count)
    one, two = (
        builder.shuffle_vector(
            parts, empty, ir.Constant(kind, [2 * k + half for k in range(count)])
        )
        for half in (0, 1)
    )
    return Lanes(builder, one), Lanes(builder, two)


def as_index(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    """Return a signed integer of any width as an index."""
    return builder.sext(number, INDEX) if number.type.width < INDEX.width else number


def lane_numbers(count: int) -> ir.Constant:
    """Return the integers 0, 1, …, count − 1, one a lane."""
    return ir.Constant(ir.VectorType(INDEX, count), list(range(count)))


def splat_index(builder: ir.IRBuilder, index: ir.Value, count: int) -> ir.Value:
    """Return the integer ``index`` in every lane."""
    return broadcast(builder, index, count).value


# ---- types --------------------------------------------------------------------------------------


def _vector(element: ir.Type, count: int) -> ir.Type:
    return ir.VectorType(element, count) if count > 1 else element


def _like(kind: ir.Type, element: ir.Type) -> ir.Type:
    return ir.VectorType(element, kind.count) if isinstance(kind, ir.VectorType) else element


def _splat_constant(kind: ir.Type, number: float) -> ir.Constant:
    if isinstance(kind, ir.VectorType):
        return ir.Constant(kind, [ir.Constant(kind.element, number)] * kind.count)
    return ir.Constant(kind, number)


def _alignment(kind: ir.Type) -> int:
    element = kind.element if isinstance(kind, ir.VectorType) else kind
    return 4 if isinstance(element, ir.FloatType) else 8


def _suffix(kind: ir.Type) -> str:
    if isinstance(kind, ir.VectorType):
        return f"v{kind.count}{_suffix(kind.element)}"
    return "f32" if isinstance(kind, ir.FloatType) else "f64"


def _intrinsic(builder: ir.IRBuilder, name: str, signature: ir.FunctionType) -> ir.Function:
    known = builder.module.globals.get(name)
    return known if known is not None else ir.Function(builder.module, signature, name)
