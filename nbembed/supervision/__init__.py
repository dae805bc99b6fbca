"""Labels, links and pins that a person has given: the value, and conversions to it."""

from nbembed.supervision.conversion import as_supervision
from nbembed.supervision.parts import LinkGroups
from nbembed.supervision.value import Supervision

__all__ = ["LinkGroups", "Supervision", "as_supervision"]
