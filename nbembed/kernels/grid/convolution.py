"""The potential on the grid: the charges' transform times the kernel's, transformed back.

The grid of N nodes along each axis is extended by N zeros, so that the periodic convolution of the
Fourier transform is the plain one. Rows of zeros are not transformed, and of the result only what
is wanted is transformed back: along the first axis, transform, product and inverse are taken for a
block of columns at a time, which stays in the cache.

Blocks are the same for any number of threads, and so are the bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from nbembed.kernels.threads import run_chunks

#: Lines that are transformed at a time.
BLOCK = 64


def convolve(charges: Any, transform: Any, n_threads: int) -> Any:
    """Return the potential at the nodes; ``charges`` are (N_0, N_1) or (N_0, N_1, N_2).

    ``transform`` (N_0 + 1, N_1 + 1, ...) is that of the kernel, for one quadrant of frequencies
    (:mod:`~nbembed.kernels.grid.plan`).
    """
    shape = charges.shape
    field = np.empty_like(charges)
    lines = charges.reshape(-1, shape[-1])
    kind = np.complex64 if charges.dtype == np.float32 else np.complex128
    half = np.empty((*shape[:-1], shape[-1] + 1), kind)
    spectra = half.reshape(-1, shape[-1] + 1)

    def forward(block: int) -> None:
        here = slice(block * BLOCK, (block + 1) * BLOCK)
        spectra[here] = fft.rfft(lines[here], 2 * shape[-1], axis=1)

    def back(block: int) -> None:
        here = slice(block * BLOCK, (block + 1) * BLOCK)
        wide = fft.irfft(spectra[here], 2 * shape[-1], axis=1, overwrite_x=True)
        field.reshape(lines.shape)[here] = wide[:, : shape[-1]]

    run_chunks(forward, -(-len(lines) // BLOCK), n_threads)
    if charges.ndim == 2:
        _along_first(half, transform, n_threads)
    else:
        _along_middle(half, transform, n_threads)
    run_chunks(back, -(-len(lines) // BLOCK), n_threads)
    return field


def _along_first(spectra: Any, transform: Any, n_threads: int) -> None:
    """Convolve the columns of ``spectra`` (N_0, columns), in place."""
    n, n_columns = spectra.shape

    def convolve_block(block: int) -> None:
        here = slice(block * BLOCK, (block + 1) * BLOCK)
        wide = fft.fft(spectra[:, here], 2 * n, axis=0)
        wide[: n + 1] *= transform[:, here]
        wide[n + 1 :] *= transform[n - 1 : 0 : -1, here]
        spectra[:, here] = fft.ifft(wide, axis=0, overwrite_x=True)[:n]

    run_chunks(convolve_block, -(-n_columns // BLOCK), n_threads)


def _along_middle(spectra: Any, transform: Any, n_threads: int) -> None:
    """Convolve the planes of ``spectra`` (N_0, N_1, columns) along both axes, in place."""
    n, middle, n_columns = spectra.shape
    width = max(1, BLOCK // 16)

    def convolve_block(block: int) -> None:
        here = slice(block * width, (block + 1) * width)
        wide = fft.fft(spectra[:, :, here], 2 * middle, axis=1)
        wide = fft.fft(wide, 2 * n, axis=0)
        part = transform[:, :, here]
        wide[: n + 1, : middle + 1] *= part
        wide[n + 1 :, : middle + 1] *= part[n - 1 : 0 : -1]
        wide[: n + 1, middle + 1 :] *= part[:, middle - 1 : 0 : -1]
        wide[n + 1 :, middle + 1 :] *= part[n - 1 : 0 : -1, middle - 1 : 0 : -1]
        wide = fft.ifft(wide, axis=0, overwrite_x=True)[:n]
        spectra[:, :, here] = fft.ifft(wide, axis=1)[:, :middle]

    run_chunks(convolve_block, -(-n_columns // width), n_threads)
