"""Maps that an Explorer makes: of some points, of more, or of the same prepared otherwise."""

from nbembed.widget.host.adding import AddsRows
from nbembed.widget.host.part import MapsOfSome
from nbembed.widget.host.preparing import PreparesOtherwise


class OtherMaps(MapsOfSome, AddsRows, PreparesOtherwise):
    """Makes other maps, which share labels and links."""
