"""Frames: layouts of a session on the plane, with colors, as messages to the page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbembed.display.membership_colors import membership_colors
from nbembed.display.projection import Projection
from nbembed.widget import serializers
from nbembed.widget.protocol import encode, finite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nbembed.display.palette import ClassPalette
    from nbembed.session import Session
    from nbembed.session.snapshots import Frame
    from nbembed.widget.dispatcher import CommandDispatcher
    from nbembed.widget.trait_writer import TraitWriter

#: ``send(content, buffers)`` of a widget.
Send = Callable[[dict[str, Any], list[bytes]], None]


@dataclass(frozen=True)
class Drawing:
    """A frame on the plane.

    Attributes
    ----------
    positions : ndarray of shape (n_samples, 2), float32
    colors : ndarray of shape (n_samples, 4), uint8, or None
        By class probability, if the method has any.
    directions, centers : list of [x, y]
        Class directions and centers on the plane.
    """

    positions: NDArray[np.float32]
    colors: NDArray[np.uint8] | None
    directions: list[list[float]]
    direction_colors: list[str]
    centers: list[list[float]]
    center_names: list[str]
    center_colors: list[str]

    @property
    def annotations(self) -> dict[str, Any]:
        """Values of the traits of what is drawn beside the points."""
        return {
            "directions": self.directions,
            "direction_colors": self.direction_colors,
            "centers": self.centers,
            "center_names": self.center_names,
            "center_colors": self.center_colors,
        }


class FrameArtist:
    """Projects the frames of a session onto a steady plane and colors them. Thread-safe."""

    def __init__(self, session: Session, palette: ClassPalette) -> None:
        self._session = session
        self._palette = palette
        self._projection = Projection()
        self._lock = threading.Lock()

    def class_styles(self) -> list[dict[str, str]]:
        """Return name, color and symbol of each class."""
        with self._lock:
            return self._palette.styles(self._session.supervision.classes)

    def draw(self, frame: Frame) -> Drawing:
        """Return a frame on the plane."""
        session = self._session
        with self._lock:
            directions = session.directions
            if directions is not None and directions.shape[1] != frame.embedding.shape[1]:
                directions = None  # between two methods
            positions = self._projection(frame.embedding, directions)
            arrows = self._projection.directions(directions)
            memberships = session.membership
            colors = None
            if memberships is not None and memberships.shape[0] == positions.shape[0]:
                class_colors = self._palette.colors(memberships.shape[1])
                colors = membership_colors(memberships, class_colors)
            centers = self._projection.points(frame.centers) if frame.version else []
            names = list(frame.center_names[: len(centers)])
            styles = self._palette.styles(session.supervision.classes)
            by_name = {style["name"]: style["color"] for style in styles}
            others = self._palette.colors(len(names))
            return Drawing(
                positions,
                colors,
                arrows,
                self._palette.colors(len(arrows)),
                centers,
                names,
                [by_name.get(name, color) for name, color in zip(names, others)],
            )


class FrameSource:
    """Makes the newest layout of a session into a frame message and sends it."""

    def __init__(
        self,
        session: Session,
        artist: FrameArtist,
        dispatcher: CommandDispatcher,
        writer: TraitWriter,
        send: Send,
    ) -> None:
        self._session = session
        self._artist = artist
        self._dispatcher = dispatcher
        self._writer = writer
        self._send = send
        self._sent_parameters: dict[str, float | None] = {}

    def forget_sent(self) -> None:
        """Send with the next frame what a page that has just loaded does not have."""
        self._sent_parameters = {}

    def send(self, number: Callable[[int], int], newer_than: int) -> bool:
        """Send the newest layout; return whether it was newer than ``newer_than``.

        ``number(version)`` gives the frame's number as it leaves.
        """
        session = self._session
        applied = self._dispatcher.applied  # read first: the frame may show more, never less
        frame = session.frame()
        if frame.version <= newer_than or frame.version == 0:
            return False
        drawing = self._artist.draw(frame)
        content = {
            "type": "frame",
            "seq": number(frame.version),
            "version": frame.version,
            "applied": applied,
            "state": frame.state,
            "iteration": frame.iteration,
            "cost": finite(frame.cost),
            **drawing.annotations,
        }
        quality = finite(frame.quality)
        if quality is not None:
            content["quality"] = quality
        parameters = serializers.parameters(session)
        if parameters != self._sent_parameters:
            content["parameters"] = self._sent_parameters = parameters
        buffers = [encode("coordinates", drawing.positions)]
        if drawing.colors is not None:
            buffers.append(encode("membership_colors", drawing.colors))
        self._writer.follow_memberships(drawing.colors is not None)
        self._send(content, buffers)
        self._writer.write_path()
        return True
