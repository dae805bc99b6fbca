"""Compilation of formulas to machine code, from the bottom up.

* :mod:`~nbembed.kernels.codegen.numba_adapter`: the only module that touches numba and llvmlite;
* :mod:`~nbembed.kernels.codegen.simd`: arithmetic on vector registers;
  :mod:`~nbembed.kernels.codegen.vector_math`: exponential, logarithm and power on them;
* :mod:`~nbembed.kernels.codegen.ir_helpers`: arrays and loops in generated code;
  :mod:`~nbembed.kernels.codegen.subnormals`: a mode that flushes subnormal numbers to zero;
* :mod:`~nbembed.kernels.codegen.tiles`, :mod:`~nbembed.kernels.codegen.tile_codegen`: sums over all
  pairs of points;
* :mod:`~nbembed.kernels.codegen.compiling`: the decorator that compiles a kernel and keeps it on
  disk.
"""
