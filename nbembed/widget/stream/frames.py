"""Frames: drawings of a session's layouts as messages to the page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.session import Session
from nbembed.widget.stream import serializers
from nbembed.widget.stream.dispatcher import CommandDispatcher
from nbembed.widget.stream.drawing import FrameArtist
from nbembed.widget.stream.quantization import FULL_PRECISION, quantize
from nbembed.widget.stream.trait_writer import TraitWriter
from nbembed.widget.wire.protocol import encode, finite

#: ``send(content, buffers)`` of a widget.
Send = Callable[[dict[str, Any], list[bytes]], None]

#: Bytes of frames that may be on their way, and the least and largest number of frames.
AHEAD, FEWEST, MOST = 400_000, 2, 6


def frames_ahead(n_samples: int) -> int:
    """Return the limit of unacknowledged frames of so many points.

    So many that small ones keep coming while a page gathers acknowledgments, and so few that large
    ones do not queue up on a slow line.
    """
    numbers = 2 if n_samples > FULL_PRECISION else 4
    return min(MOST, max(FEWEST, AHEAD // (2 * numbers * n_samples)))


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
        self._lock = threading.Lock()
        self._precise: frozenset[str] = frozenset()  # pages that need full precision

    def need_precision(self, client: str, full: bool) -> bool:
        """Note whether a page needs full precision; return whether frames change by it.

        All pages get the same frames: one that is zoomed in far decides for all.
        """
        with self._lock:
            before = bool(self._precise)
            self._precise = self._precise | {client} if full else self._precise - {client}
            return before != bool(self._precise)

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
        buffers = [self._positions(drawing.positions, content)]
        if drawing.colors is not None:
            buffers.append(encode("membership_colors", drawing.colors))
        self._writer.follow_memberships(drawing)
        self._send(content, buffers)
        self._writer.write_path()
        return True

    def _positions(self, positions: NDArray[np.float32], content: dict[str, Any]) -> bytes:
        """Return the buffer of positions; add their range to ``content`` if quantized."""
        moving = content["state"] == "running"  # at rest, the page has what is saved
        if moving and len(positions) > FULL_PRECISION and not self._precise:
            quantized = quantize(positions)
            if quantized is not None:
                numbers, content["range"] = quantized
                return numbers.tobytes()
        return encode("coordinates", positions)
