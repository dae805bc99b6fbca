"""Data to try methods on: small bundled sets, a generator, and a reader for files on disk.

Nothing here reaches for the network.
"""

from __future__ import annotations

from nbembed.datasets.files import Dataset, MissingDataError, load_vehicle, read
from nbembed.datasets.generators import gaussian_pair

__all__ = ["Dataset", "MissingDataError", "gaussian_pair", "load_vehicle", "read"]
