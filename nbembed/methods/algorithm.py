"""Exact sums over all pairs, or the grid: which one a method uses, and affinities to match.

Of few points all pairs are summed, in O(n²). Of more, repulsion is summed by a grid
(:mod:`nbembed.kernels.grid`) and the affinities are those of nearest neighbors alone, which takes
nearly linear time and memory; pairs within a labeled or linked group are still visited one by one
at every evaluation. "auto" changes over at a number of points that was measured and is
the same on every machine, so that a map does not depend on where it is made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from nbembed.kernels.grid.size import AXES
from nbembed.methods.neighbor_base import NeighborRecipe
from nbembed.objectives.checks import Algorithm
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_perplexity

#: What the parameter may be.
AlgorithmChoice = Literal["auto", "exact", "grid"]
CHOICES: tuple[AlgorithmChoice, ...] = ("auto", "exact", "grid")

#: "auto" takes the grid from so many points on. There both take the same time at α = 1; at other α
#: the grid is some four times as fast, and affinities of all pairs take 100 MB.
GRID_FROM = 5000

#: Nearest neighbors in each row of the affinities, in units of the perplexity: what is farther has
#: next to no weight in a neighborhood of that perplexity.
NEIGHBORS_PER_PERPLEXITY = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class GridRecipe(NeighborRecipe):
    """Base of recipes whose objective has a form on the grid.

    The affinities depend on the number of points and on the parameter alone; a map of other than
    two or three dimensions sums all pairs for any affinities.
    """

    #: Earlier versions summed all pairs.
    added: ClassVar[Mapping[str, Any]] = {**NeighborRecipe.added, "algorithm": "exact"}

    algorithm: AlgorithmChoice = "auto"

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        check_choice("algorithm", self.algorithm, CHOICES)
        if self.algorithm == "grid" and self.n_components not in AXES:
            raise ValueError(
                f"algorithm='grid' serves maps of n_components = {AXES[0]} or {AXES[1]}, "
                f"got {self.n_components}; 'exact' and 'auto' serve any"
            )

    def algorithm_for(self, n_samples: int) -> Algorithm:
        """Return how the pairs of so many points are summed."""
        return "grid" if self._wants_grid(n_samples) and self.n_components in AXES else "exact"

    def neighbors_for(self, n_samples: int) -> int | None:
        """Return the number of neighbors in each row of the affinities; None for all pairs."""
        if not self._wants_grid(n_samples):
            return None
        perplexity = check_perplexity(self.perplexity, n_samples)
        return min(n_samples - 1, math.ceil(NEIGHBORS_PER_PERPLEXITY * perplexity))

    def _wants_grid(self, n_samples: int) -> bool:
        return self.algorithm == "grid" or (self.algorithm == "auto" and n_samples >= GRID_FROM)
