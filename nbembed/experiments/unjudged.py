"""The figures that stand beside published ones but have no accepted range, and why.

A figure with a published value is judged or is here: a test holds both against the stored figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SLOPES = (
    "The paper's are slopes of its own programs from 500 to 5000 pages on a machine of its time, "
    "and bend with what each program spends beside its sums. That the slopes of the others are "
    "above that of PE is judged below."
)
_THREE_FOLDS = (
    "Three folds leave the paired t-test two degrees of freedom: it is judged in the complete "
    "protocol."
)

#: Why there is no range, by the name of the experiment and that of the figure.
UNJUDGED: Mapping[tuple[str, str], str] = MappingProxyType({
    **{
        ("pe-times", f"{name}: slope of log time"): _SLOPES
        for name in ("PE", "MDS1", "MDS2", "Isomap1", "Isomap2", "SNE", "FLDA", "KDA")
    },
    ("pe-words", "seconds of a map"): (
        "The paper's minute is for 26 243 words on a machine of its time, ours for 5000."
    ),
    **{
        (f"snerv-{name}-short", "SNeRV(0.1) and S-Isomap: p of the paired t-test"): _THREE_FOLDS
        for name in ("letter", "satellite")
    },
})  # fmt: skip
