"""What a person has said about the points: the value, and what converts to it."""

from nbembed.supervision.conversion import as_supervision
from nbembed.supervision.parts import LinkGroups
from nbembed.supervision.value import Supervision

__all__ = ["LinkGroups", "Supervision", "as_supervision"]
