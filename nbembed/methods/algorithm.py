"""Exact sums over all pairs, or the grid: which one a method uses, and affinities to match.

Of few points all pairs are summed, in O(n²). Of more, repulsion and the pull within large groups
are summed by a grid (:mod:`nbembed.kernels.grid`) and the affinities are those of nearest neighbors
alone, which takes nearly linear time and memory. "auto" changes over at a number of points that was
measured and is the same on every machine, so that a map does not depend on where it is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from nbembed.affinities.rows import check_memory_of_pairs, neighbors_of_perplexity
from nbembed.kernels.grid.size import AXES
from nbembed.methods.neighbor_base import NeighborRecipe
from nbembed.methods.recipe import Recipe
from nbembed.objectives.checks import Algorithm
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_perplexity

#: What the parameter may be.
AlgorithmChoice = Literal["auto", "exact", "grid"]
CHOICES: tuple[AlgorithmChoice, ...] = ("auto", "exact", "grid")
#: What takes less memory than affinities of all pairs.
INSTEAD = 'algorithm="auto" or "grid", which take affinities of nearest neighbors'
#: What methods share that do not serve the grid with each of their other parameters: "grid" of
#: another method would be refused there.
SHARED_BUT_ALGORITHM: tuple[str, ...] = tuple(s for s in Recipe.shared if s != "algorithm")

#: "auto" takes the grid from so many points on. There both take the same time at α = 1; at other α
#: the grid is some four times as fast, and affinities of all pairs take 100 MB.
GRID_FROM = 5000


@dataclass(frozen=True, eq=False, kw_only=True)
class GridRecipe(NeighborRecipe):
    """Base of recipes whose objective has a form on the grid.

    The affinities depend on the number of points and on the parameter alone; a map of other than
    two or three dimensions sums all pairs for any affinities.
    """

    #: Matrices of the size of a dense P that a fit keeps at once: the rows, and their joint form or
    #: their packed halves.
    dense_forms: ClassVar[int] = 2

    algorithm: AlgorithmChoice = "auto"

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        check_algorithm(self.algorithm, self.n_components)

    def check_feasible(self, X: Any, supervision: Supervision) -> None:
        """Raise ValueError also where all pairs are summed and would not fit into memory."""
        super().check_feasible(X, supervision)
        if self.neighbors_for(X.shape[0]) is None:
            check_memory_of_pairs(X.shape[0], forms=self.dense_forms, instead=INSTEAD)

    def algorithm_for(self, n_samples: int) -> Algorithm:
        """Return the algorithm that sums the pairs of so many points."""
        return "grid" if self._wants_grid(n_samples) and self.n_components in AXES else "exact"

    def neighbors_for(self, n_samples: int) -> int | None:
        """Return the number of neighbors in each row of the affinities; None for all pairs."""
        if not self._wants_grid(n_samples):
            return None
        perplexity = check_perplexity(self.perplexity, n_samples)
        return neighbors_of_perplexity(perplexity, n_samples - 1)

    def _wants_grid(self, n_samples: int) -> bool:
        return wants_grid(self.algorithm, n_samples)


def check_algorithm(algorithm: Any, n_components: int) -> None:
    """Raise ValueError unless ``algorithm`` is a choice that serves maps of ``n_components``."""
    check_choice("algorithm", algorithm, CHOICES)
    if algorithm == "grid" and n_components not in AXES:
        raise ValueError(
            f"algorithm='grid' needs n_components = {AXES[0]} or {AXES[1]}, got {n_components}; "
            "use 'exact' or 'auto'"
        )


def wants_grid(algorithm: AlgorithmChoice, n_samples: int) -> bool:
    """Return whether so many points are for the grid, in maps that there is one for."""
    return algorithm == "grid" or (algorithm == "auto" and n_samples >= GRID_FROM)
