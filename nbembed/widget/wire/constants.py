"""Constants that the page has from Python: of colors, shapes, places of names, labels, columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbembed.drawing import caption_places, contrast
from nbembed.drawing.marker_shapes import CORNERS
from nbembed.drawing.palette import SCALES
from nbembed.drawing.scene import EXTREME
from nbembed.points.preparation.weighing import HEAVIEST
from nbembed.propagation.groups import RESOLUTION
from nbembed.widget.wire.queries.images import MOST_IMAGES
from nbembed.widget.wire.schema import SURENESS_STEPS

#: By the name that the page knows them by: what is said of them, and the value.
CONSTANTS: Mapping[str, tuple[str, Any]] = {
    "COLOR_SCALES": ("The colors of numbers from the lowest to the highest, by ground.", SCALES),
    "CONTRAST": (
        "The least contrast of a color with its ground, and steps of lightness until then.",
        {**contrast.LEAST, "step": contrast.STEP, "steps": contrast.MOST_STEPS},
    ),
    "LIGHT_GROUND": ("Lightness of OKLab on a light ground.", contrast.LIGHT),
    "DARK_GROUND": ("Lightness of OKLab on a dark ground.", contrast.DARK),
    "OKLAB": (
        "From linear RGB to the cube of cone responses, from these to OKLab; and back.",
        {
            "toLms": contrast.TO_LMS,
            "toLab": contrast.TO_LAB,
            "fromLab": contrast.FROM_LAB,
            "fromLms": contrast.FROM_LMS,
        },
    ),
    "MARKER_CORNERS": (
        "Corners of the marker shapes, in units of the radius of a circle that looks as large, "
        "y down; a circle has none.",
        {
            symbol: [[round(x, 4), round(y, 4)] for x, y in corners]
            for symbol, corners in CORNERS.items()
        },
    ),
    "PIECES": (
        "Points of a group by which its pieces are told, and the share of them that is usually "
        "near a point.",
        {"few": caption_places.FEW, "near": caption_places.NEAR},
    ),
    "EXTREME": (
        "Share of the values of a measure at either end that the scale leaves out.",
        EXTREME,
    ),
    "SURENESS_STEPS": ("Steps of a confidence in [0, 1].", SURENESS_STEPS),
    "RESOLUTION": ("Of suggested groups, where none is chosen.", RESOLUTION),
    "HEAVIEST": ("The largest weight of a column.", HEAVIEST),
    "MOST_IMAGES": ("Images that one question asks for.", MOST_IMAGES),
}
