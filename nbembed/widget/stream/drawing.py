"""A session's layout as it is drawn: projected to the plane and colored."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.drawing.borders import region_borders
from nbembed.drawing.class_palette import ClassPalette
from nbembed.drawing.membership_colors import membership_colors
from nbembed.drawing.projection import Projection
from nbembed.session import Session
from nbembed.session.map.snapshots import Frame


@dataclass(frozen=True)
class Drawing:
    """A frame on the plane.

    * Shapes: positions (n_samples, 2) float32.
    * colors (n_samples, 4), uint8, or None: by class probability, if the method has any.
    * directions, centers: class directions and centers on the plane.
    * borders: lines between the regions of classes that have centers; of maps in the plane.
    """

    positions: NDArray[np.float32]
    colors: NDArray[np.uint8] | None
    directions: list[list[float]]
    direction_colors: list[str]
    centers: list[list[float]]
    center_names: list[str]
    center_colors: list[str]
    borders: list[list[float]]

    @property
    def has_regions(self) -> bool:
        """True where classes have places on the map."""
        return bool(self.directions or self.centers)

    @property
    def annotations(self) -> dict[str, Any]:
        """Values of the traits of what is drawn beside the points."""
        return {
            "directions": self.directions,
            "direction_colors": self.direction_colors,
            "centers": self.centers,
            "center_names": self.center_names,
            "center_colors": self.center_colors,
            "borders": self.borders,
        }


class FrameArtist:
    """Projects the frames of a session onto a steady plane and colors them. Thread-safe."""

    def __init__(self, session: Session, palette: ClassPalette) -> None:
        self._session = session
        self._palette = palette
        self._projection = Projection()
        self._lock = threading.Lock()
        self._colored: tuple[NDArray[Any], list[str], NDArray[np.uint8]] | None = None

    def class_styles(self, classes: Sequence[str]) -> list[dict[str, Any]]:
        """Return the look of each class."""
        with self._lock:
            return self._palette.styles(classes)

    def on_plane(self, vectors: NDArray[Any]) -> NDArray[Any]:
        """Return rows of coordinates, of points or of forces, as the last layout was projected.

        Zeros where they are of another number of dimensions: of a map that is not drawn yet.
        """
        with self._lock:
            basis = self._projection.basis
        if basis is None or basis.shape[0] != vectors.shape[1]:
            return np.zeros((len(vectors), 2))
        return np.asarray(vectors @ basis)

    def layout_on_plane(self, Y: NDArray[Any]) -> NDArray[Any]:
        """Return another layout on the plane that was drawn last, shape (n, 2)."""
        with self._lock:
            return self._projection.unmoved(Y)

    def choose_style(
        self, classes: Sequence[str], name: str, look: dict[str, Any], place: int | None
    ) -> None:
        """Give one of the present classes another look."""
        with self._lock:
            self._palette.styles(classes)
            self._palette.choose(name, look, place)

    def adopt_categories(
        self, categories: Sequence[str], colors: Sequence[str], *, ordered: bool
    ) -> list[str]:
        """Return the colors of the categories of a column that is shown from now on."""
        with self._lock:
            self._palette.styles(self._session.supervision.classes)
            return self._palette.adopt(categories, colors, ordered=ordered)

    def chosen_styles(self) -> tuple[dict[str, dict[str, Any]], list[str]]:
        """Return the looks chosen for classes, and their order; see :class:`ClassPalette`."""
        with self._lock:
            return self._palette.chosen

    def restore_styles(
        self, classes: Sequence[str], looks: Mapping[str, dict[str, Any]], order: Sequence[str]
    ) -> None:
        """Take over what was chosen for classes."""
        with self._lock:
            self._palette.restore(classes, looks, order)

    def draw(self, frame: Frame) -> Drawing:
        """Return a frame on the plane; all of it is of the frame's own moment.

        Only the colors of classes are those of the newest classes, which the page has as a trait.
        """
        with self._lock:
            directions = frame.directions
            if directions is not None and directions.shape[1] != frame.embedding.shape[1]:
                directions = None  # between two methods
            positions = self._projection(frame.embedding, directions)
            arrows = self._projection.directions(directions)
            memberships = frame.membership
            colors = None
            if memberships is not None and memberships.shape[0] == positions.shape[0]:
                colors = self._colors(memberships)
            centers = self._projection.points(frame.centers) if frame.version else []
            names = list(frame.center_names[: len(centers)])
            styles = self._palette.styles(self._session.supervision.classes)
            by_name = {style["name"]: style["color"] for style in styles}
            owners = frame.center_classes
            others = self._palette.colors(len(names))
            borders: list[list[float]] = []
            if owners is not None and len(owners) == len(centers) and centers:
                others = [self._palette.colors(int(owners.max()) + 1)[k] for k in owners]
                if frame.embedding.shape[1] == 2:
                    borders = region_borders(frame.centers, owners)
            return Drawing(
                positions,
                colors,
                arrows,
                self._palette.colors(len(arrows)),
                centers,
                names,
                [by_name.get(name, color) for name, color in zip(names, others)],
                borders,
            )

    def _colors(self, memberships: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the points' colors; those of labels that are carried stay from frame to frame."""
        class_colors = self._palette.colors(memberships.shape[1])
        if self._colored is not None:
            seen, with_colors, found = self._colored
            if with_colors == class_colors and np.array_equal(seen, memberships):
                return found
        found = membership_colors(memberships, class_colors)
        self._colored = memberships, class_colors, found
        return found
