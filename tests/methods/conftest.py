from __future__ import annotations

import pytest

from nbembed.datasets import gaussian_pair
from nbembed.methods import HSSNE, SNE, Mbed, NeRV


@pytest.fixture(scope="session")
def pair():
    """Return two Gaussian classes of 40 points each in 10 dimensions that hardly overlap."""
    return gaussian_pair(80, 10, error=0.005, random_state=7)


@pytest.fixture(params=[HSSNE, SNE, NeRV, Mbed], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param
