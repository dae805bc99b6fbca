"""Exponential, logarithm and power that run in vector registers, for use inside compiled functions.

numba's ``math.exp`` and ``**`` in a loop are scalar library calls (3.5–14 ns each). The polynomials
here take 0.11–0.15 ns in float32 and 0.3–0.4 ns in float64 (``pow`` twice that): they consist only
of additions, multiplications and shifts of bit patterns, which vector registers have.

    2^t = 2^n · 2^f,   n = t rounded,  |f| ≤ ½,      2^f = 1 + f·p(f)
    e^x = 2^n · e^r,   n = x/log 2 rounded,  r = x − n·log 2 in two pieces,   e^r = 1 + r·p(r)
    log2 x = e + log2 m,   x = 2^e·m,  √½ ≤ m < √2

The polynomials are minimax fits (Remez exchange in 50 digits) on those intervals. Largest relative
errors measured on a fine grid: float32 1.6e-7 (exp), 1.9e-7 (log2_1p); float64 1.4e-16, 4.1e-16;
of ``pow`` that times y·log2 x.

Domains: ``exp2`` and ``exp`` return the smallest normal number (1.2e-38 or 2.2e-308) instead of
underflowing, and their result must stay below 2^127 (2^1023). ``log2``,
``log`` and ``pow`` need a positive normal number. ``log2_1p`` is log2(1 + x) for x ≥ 0, exact to
rounding for tiny x.

Each formula is stated on :class:`~nbembed.kernels.codegen.simd.Lanes` (``lanes_exp``, which the
tiles use) and exported as a function that compiled code calls on a scalar (``exp``), in loops that
the compiler then vectorizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from nbembed.kernels.codegen.numba_adapter import intrinsic, ir, types
from nbembed.kernels.codegen.simd import Lanes

_LOG2_E = 1 / math.log(2)
_LOG_2 = math.log(2)

# (2^f − 1)/f on [−½, ½]: errors of 2^f 9e-8 and 3e-18.
_EXP2_SINGLE = (
    0.6931469775989194,
    0.2402224208726532,
    0.05550733747973382,
    0.00967151257869544,
    0.0013264725445598583,
)
_EXP2_DOUBLE = (
    0.6931471805599453,
    0.2402265069591013,
    0.055504108664820084,
    0.00961812910759412,
    0.0013333558146774631,
    0.0001540353045711039,
    1.5252733493110887e-05,
    1.3215435283147116e-06,
    1.0178199580719425e-07,
    7.073783108518555e-09,
    4.4347697590940063e-10,
)
# (e^r − 1)/r on [−½ log 2, ½ log 2]: errors of e^r 9e-8 and 3e-18.
_EXP_SINGLE = (
    0.9999997070140596,
    0.4999914919695607,
    0.16667636595330845,
    0.04189797508567875,
    0.00829030509583746,
)
_EXP_DOUBLE = (
    1.0,
    0.5000000000000012,
    0.16666666666666216,
    0.041666666666517714,
    0.00833333333354987,
    0.0013888888946385497,
    0.00019841269436534454,
    2.4801490599553714e-05,
    2.755762684336492e-06,
    2.763104818838591e-07,
    2.49914120552081e-08,
)
# log 2 in two pieces, the first with so few bits that its product with an integer exponent is
# exact.
_LOG_2_PIECES_SINGLE = (0.693359375, -2.12194440e-4)
_LOG_2_PIECES_DOUBLE = (6.93145751953125e-1, 1.42860682030941723212e-6)
# log2(1 + u)/u on [√½ − 1, √2 − 1], error 2.6e-8: no division, which suits float32.
_LOG2_SINGLE = (
    1.4426950036534234,
    -0.7213473468040541,
    0.480910642839959,
    -0.3607036826325413,
    0.2879162518413478,
    -0.23894482789277288,
    0.2157155736733755,
    -0.20726969571501344,
    0.1258370550550551,
)
# log2((1 + s)/(1 − s))/s in s², s = (m − 1)/(m + 1), error 1e-18: one division, half the terms.
_LOG2_DOUBLE = (
    2.8853900817779268,
    0.9617966939259898,
    0.5770780163454704,
    0.41219858585106456,
    0.3205985339264623,
    0.26233440174514827,
    0.22091186685788852,
    0.21367077946267188,
)


def _polynomial(x: Lanes, coefficients: Sequence[float]) -> Lanes:
    """Evaluate Σ coefficients[k]·x^k by Horner's rule.

    Schemes with shorter chains need more registers: in a tile they took 3–8 % longer.
    """
    total = x.constant(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total.times_plus(x, coefficient)
    return total


def _times_two_to(power: Lanes, shifted: Lanes) -> Lanes:
    """Return power·2^n, where ``shifted`` is n + 1.5·2^mantissa: n lies in its lowest bits."""
    mantissa = 23 if power.single else 52
    exponent = power.builder.shl(shifted.bits(), power.integer(mantissa))
    return power.from_bits(power.builder.add(power.bits(), exponent))


def _rounder(x: Lanes) -> float:
    # Adding 1.5·2^mantissa leaves no room for a fraction: the sum is rounded to an integer, which
    # can be read from its low bits. Cheaper than a rounding and a conversion instruction.
    return 1.5 * 2.0 ** (23 if x.single else 52)


def lanes_exp2(t: Lanes) -> Lanes:
    """Return 2^t; see the module for domain and error."""
    t = t.at_least(-126.0 if t.single else -1022.0)
    shifted = t + _rounder(t)
    f = t - (shifted - _rounder(t))
    power = f.times_plus(_polynomial(f, _EXP2_SINGLE if t.single else _EXP2_DOUBLE), 1.0)
    return _times_two_to(power, shifted)


def lanes_exp(x: Lanes) -> Lanes:
    """Return e^x; see the module for domain and error."""
    # −126 log 2 and −1022 log 2, rounded towards zero so that the exponent stays in range.
    x = x.at_least(-87.33654 if x.single else -708.3964185322641)
    high, low = _LOG_2_PIECES_SINGLE if x.single else _LOG_2_PIECES_DOUBLE
    shifted = x.times_plus(_LOG2_E, _rounder(x))
    n = shifted - _rounder(x)
    r = n.times_plus(-low, n.times_plus(-high, x))
    power = r.times_plus(_polynomial(r, _EXP_SINGLE if x.single else _EXP_DOUBLE), 1.0)
    return _times_two_to(power, shifted)


def _split(x: Lanes) -> tuple[Lanes, Lanes, ir.Value]:
    """Return m in [√½, √2), e as numbers, and whether e is 0, such that x = 2^e·m."""
    builder = x.builder
    mantissa = x.integer(23 if x.single else 52)
    root_half = 0x3F3504F3 if x.single else 0x3FE6A09E667F3BCD
    bits = x.bits()
    exponent = builder.ashr(builder.sub(bits, x.integer(root_half)), mantissa)
    m = x.from_bits(builder.sub(bits, builder.shl(exponent, mantissa)))
    small = exponent
    if not x.single:  # few processors convert 64-bit integers; the exponent fits 32 bits
        narrow = ir.IntType(32)
        kind = x.value.type
        small = builder.trunc(
            exponent,
            ir.VectorType(narrow, kind.count) if isinstance(kind, ir.VectorType) else narrow,
        )
    e = Lanes(builder, builder.sitofp(small, x.value.type))
    return m, e, builder.icmp_signed("==", exponent, x.integer(0))


def _log2_of_parts(e: Lanes, u: Lanes) -> Lanes:
    """Return e + log2(1 + u) for √½ − 1 ≤ u < √2 − 1."""
    if u.single:
        return u.times_plus(_polynomial(u, _LOG2_SINGLE), e)
    s = u / (u + 2.0)
    return s.times_plus(_polynomial(s * s, _LOG2_DOUBLE), e)


def lanes_log2(x: Lanes) -> Lanes:
    """Return log2 x; see the module for domain and error."""
    m, e, _ = _split(x)
    return _log2_of_parts(e, m - 1.0)


def lanes_log2_1p(x: Lanes) -> Lanes:
    """Return log2(1 + x) for x ≥ 0, to full relative precision also where 1 + x rounds to 1."""
    m, e, unscaled = _split(x + 1.0)
    # With exponent 0, u is x itself: (1 + x) − 1 would have lost its low digits.
    return _log2_of_parts(e, x.where(unscaled, m - 1.0))


def _export(name: str, formula: Callable[..., Lanes], n_arguments: int = 1) -> Any:
    """Return ``formula`` as a function that compiled code calls on float32 or float64 scalars."""

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        return formula(*(Lanes(builder, argument) for argument in arguments)).value

    if n_arguments == 1:

        def typed(typing_context: Any, x: Any) -> Any:
            if isinstance(x, types.Float):
                return x(x), write
            return None
    else:

        def typed(typing_context: Any, x: Any, y: Any) -> Any:  # type: ignore[misc]
            if isinstance(x, types.Float) and isinstance(y, types.Float):
                return x(x, x), write
            return None

    typed.__name__ = name
    typed.__doc__ = formula.__doc__
    return intrinsic(typed)


exp2 = _export("exp2", lanes_exp2)
exp = _export("exp", lanes_exp)
log2 = _export("log2", lanes_log2)
log2_1p = _export("log2_1p", lanes_log2_1p)
log = _export("log", lambda x: lanes_log2(x) * _LOG_2)
log1p = _export("log1p", lambda x: lanes_log2_1p(x) * _LOG_2)
pow = _export("pow", lambda x, y: lanes_exp2(lanes_log2(x) * y), 2)
