"""Images of points, made into small PNGs one at a time, when somebody looks.

An image is an array of gray values or colors, the bytes of an image file, its path, or an image of
Pillow. Nothing is read before it is asked for.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from nbembed.system.regular_files import open_regular

#: Longest side of the PNG, in pixels; larger images are made smaller.
LONGEST_SIDE = 256
#: Pixels that are decoded to show an image, 160 MB of colors; a JPEG is decoded at a smaller size.
MOST_PIXELS = 40_000_000
#: What files may be: none of these formats runs another program to be read.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
#: Images whose values decide which are black and white.
SAMPLE = 500
#: Pixels up to which a PNG is written at once; larger images gain from the prediction of pixels.
SMALL = 32 * 32
#: Modes of Pillow as the color types of a PNG.
_COLOR_TYPES = {"L": 0, "RGB": 2, "RGBA": 6}
#: Dimensions of an array with one gray image for each point, and of one with colors.
GRAY, COLOR = 3, 4


class Images:
    """One image for each point.

    Arrays of type uint8 are shown as they are, 0 to 255, truth values as black and white. Other
    numbers are scaled alike in all images: the largest value becomes white, and 0, or the least if
    it is negative, black. These are the extremes of up to :data:`SAMPLE` images, evenly spaced.

    ``images`` are of shape (n_samples, height, width), with a last axis of 1, 3 or 4 for colors;
    or a sequence of such arrays, of bytes, paths, Pillow images or ``None``.
    """

    def __init__(self, images: Any, n_samples: int, name: str = "images") -> None:
        self._name = name
        self._images = _as_sequence(images, name)
        self._range: tuple[float, float] | None = None
        if len(self._images) != n_samples:
            raise ValueError(
                f"{name} must have one image for each of the {n_samples} points, got "
                f"{len(self._images)}"
            )
        for point in range(min(n_samples, 1)):
            self.png(point)

    def take(self, points: NDArray[np.intp]) -> Images:
        """Return the images of some points, scaled as those of all are."""
        self._black_and_white()  # kept
        made = copy(self)
        images = self._images
        made._images = (
            images[points]
            if isinstance(images, np.ndarray)
            else [images[i] for i in points.tolist()]
        )
        return made

    def continued(self, images: Any) -> Images:
        """Return the images with those of further points after them, scaled as these are."""
        self._black_and_white()  # kept
        made, more = copy(self), _as_sequence(images, self._name)
        made._images = [*self._images, *more]
        return made

    def png(self, point: int, longest: int = LONGEST_SIDE) -> bytes | None:
        """Return an image as a PNG, ``None`` where there is none; an error names the point.

        * longest: its longest side in pixels, at most.
        """
        image = self._drawn(point, longest)
        return None if image is None else encoded(image)

    def pixels(self, point: int) -> NDArray[np.uint8] | None:
        """Return an image as shown: gray values (height, width) or colors, without opacity."""
        image = self._drawn(point)
        if image is None:
            return None
        return np.asarray(image.convert("RGB") if image.mode == "RGBA" else image)

    def _drawn(self, point: int, longest: int = LONGEST_SIDE) -> Image.Image | None:
        """Return an image as it is shown, in gray or colors."""
        image = _content(self._images[point])
        if image is None or (isinstance(image, float) and np.isnan(image)):
            return None
        where = f"{self._name}[{point}]"
        if isinstance(image, np.ndarray):
            drawn = Image.fromarray(self._pixels(image, where))
        elif isinstance(image, Image.Image):
            drawn = _upright(image.copy())
        elif isinstance(image, bytes | bytearray | memoryview):
            drawn = _opened(io.BytesIO(image), where)
        elif isinstance(image, str | os.PathLike):
            try:
                with open_regular(image) as file:
                    drawn = _opened(file, where)
            except OSError as error:
                raise ValueError(f"{where} cannot be read: {error}") from None
        else:
            raise TypeError(
                f"{where} must be an array, the bytes of an image, its path or None, got "
                f"{type(image).__name__}"
            )
        if drawn.mode[0] in "IF":  # gray values of more than eight bits
            values = np.asarray(drawn)
            drawn = Image.fromarray(self._pixels(values, where, _extremes([values])))
        if drawn.mode not in ("L", "RGB", "RGBA"):
            transparent = "A" in drawn.mode or "transparency" in drawn.info
            drawn = drawn.convert("RGBA" if transparent else "L" if drawn.mode == "1" else "RGB")
        drawn.thumbnail((longest, longest))
        return drawn

    def _pixels(
        self, array: NDArray[Any], where: str, limits: tuple[float, float] | None = None
    ) -> NDArray[np.uint8]:
        """Return gray values or colors as bytes."""
        if array.ndim == COLOR - 1 and array.shape[2] == 1:
            array = array[:, :, 0]
        colors = array.ndim == COLOR - 1 and array.shape[2] in (3, 4)
        if not (array.ndim == GRAY - 1 or colors) or array.size == 0:
            side = round(array.size**0.5)
            hint = f"; reshape(-1, {side}, {side}) may be meant" if side**2 == array.size else ""
            raise ValueError(
                f"{where} must have shape (height, width), or (height, width, 3 or 4) for colors, "
                f"got {array.shape}{hint if array.ndim == 1 else ''}"
            )
        if array.dtype.kind not in "biuf":
            raise ValueError(f"{where} must hold numbers, got values of type {array.dtype}")
        if array.dtype == np.uint8:
            return np.ascontiguousarray(array)
        if array.dtype.kind == "b":
            return array.astype(np.uint8) * np.uint8(255)
        low, high = self._black_and_white() if limits is None else limits
        span = high - low or 1.0
        values = array.astype(np.float64)
        values = np.clip(np.where(np.isnan(values), low, values), low, high)
        return np.rint(255 * ((values - low) / span)).astype(np.uint8)

    def _black_and_white(self) -> tuple[float, float]:
        """Return the values that are shown as black and as white."""
        if self._range is None:
            n = len(self._images)
            sample = np.unique(np.linspace(0, n - 1, min(n, SAMPLE)).astype(int))
            self._range = _extremes([self._images[int(point)] for point in sample])
        return self._range


def encoded(image: Image.Image | NDArray[np.uint8]) -> bytes:
    """Return an image, or its pixels, as a PNG."""
    drawn = Image.fromarray(image) if isinstance(image, np.ndarray) else image
    if drawn.width * drawn.height <= SMALL and drawn.mode in _COLOR_TYPES:
        return _small_png(drawn)
    file = io.BytesIO()
    Image.Image.save(drawn, file, "PNG")
    return file.getvalue()


def _small_png(image: Image.Image) -> bytes:
    """Return a PNG of few pixels, whose rows are stored without prediction.

    For such an image Pillow takes most of its time to prepare what it then hardly uses.
    """
    width, height = image.size
    pixels = np.asarray(image).reshape(height, -1)
    rows = np.zeros((height, 1 + pixels.shape[1]), np.uint8)  # each begins with its filter, none
    rows[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[image.mode], 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _extremes(images: Iterable[Any]) -> tuple[float, float]:
    """Return the least value, at most 0, and the largest of arrays that are to be scaled."""
    low, high = 0.0, 0.0
    for image in images:
        if isinstance(image, np.ndarray) and image.dtype.kind in "iuf" and image.dtype != np.uint8:
            values = image[np.isfinite(image)]
            if values.size:
                low, high = min(low, float(values.min())), max(high, float(values.max()))
    return low, high


def _as_sequence(images: Any, name: str) -> Any:
    """Return the images as an object with a length and an item for each position."""
    series = nw.from_native(images, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        return series
    if isinstance(images, np.ndarray) and images.dtype.kind in "biuf":
        if images.ndim in (GRAY, COLOR):
            return images
        side = round(images.shape[1] ** 0.5) if images.ndim == 2 else 0
        hint = f"; reshape(-1, {side}, {side}) may be meant" if (
            side and side**2 == images.shape[1]
        ) else ""  # fmt: skip
        raise ValueError(
            f"{name} must have shape (n_samples, height, width), or (n_samples, height, width, 3 "
            f"or 4) for colors, got {images.shape}{hint}"
        )
    if isinstance(images, str | bytes) or not isinstance(images, Iterable):
        raise TypeError(
            f"{name} must be arrays, bytes or paths of images, one for each point, got "
            f"{type(images).__name__}"
        )
    ready = hasattr(images, "__len__") and hasattr(images, "__getitem__")
    return images if ready and not hasattr(images, "keys") else list(images)


def _content(image: Any) -> Any:
    """Return the bytes of a record of a Hugging Face data set, or else its path."""
    if isinstance(image, Mapping) and image.keys() <= {"bytes", "path"}:
        return image.get("bytes") or image.get("path")
    return image


def _upright(image: Image.Image) -> Image.Image:
    """Return a photograph as its EXIF says that the camera was held."""
    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # of damaged EXIF: the pixels are there
        return image


def _opened(file: Any, where: str) -> Image.Image:
    try:
        with Image.open(file, formats=FORMATS) as image:
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # decodes a large JPEG at less cost
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(
                    f"it has {image.width} × {image.height} pixels, more than {MOST_PIXELS}; "
                    "give a smaller copy"
                )
            image.load()
            return _upright(image)
    except UnidentifiedImageError:
        raise ValueError(f"{where} must be an image of type {', '.join(FORMATS)}") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(f"{where} cannot be read: {error}") from None
