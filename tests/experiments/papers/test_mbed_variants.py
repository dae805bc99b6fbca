"""The variants of Algorithm 1: as printed, our start, and each with the confidence of its text."""

from __future__ import annotations

from nbembed.experiments.papers.mbed import VARIANTS
from nbembed.methods import Mbed


def test_the_variants_are_the_two_starts_at_both_distances():
    made = [Mbed(**parameters) for parameters in VARIANTS.values()]
    assert [model.init for model in made] == ["noise", "auto", "noise", "auto"]
    assert [model.label_distance for model in made] == [1, 1, 2, 2]
