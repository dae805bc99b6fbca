"""After any walk of the sliders the map is as good as a new one, or the session says it is not.

The walks are the same in every run; ``NBEMBED_WALKS=200`` makes so many others of each method, from
a seed that is printed.
"""

from __future__ import annotations

import os
import random

import pytest

from nbembed.session.map.optimum import WORSE
from tests.session.walks import SLIDERS, walked

#: Walks of each method in one run.
WALKS = {"HSSNE": 5, "SNE": 3, "NeRV": 5, "Mbed": 2}

EXPLORED = int(os.environ.get("NBEMBED_WALKS", 0))


@pytest.mark.slow
@pytest.mark.parametrize("method", SLIDERS)
def test_a_walk_ends_as_low_as_a_cold_start_or_the_session_says_so(method):
    first = random.SystemRandom().randrange(10**6) if EXPLORED else 0
    for seed in range(first, first + (EXPLORED or WALKS[method])):
        walk = walked(method, seed)
        assert walk.rests, walk
        assert walk.excess <= WORSE or walk.said, walk
        if walk.excess <= WORSE / 2:
            assert not walk.said, walk
