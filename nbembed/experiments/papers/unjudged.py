"""The figures that stand beside published ones but are not judged, and why.

A figure with a published value is judged or is here: a test holds both against the stored figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SLOPES = (
    "The paper's are slopes of its own programs on a machine of its time, and bend with what each "
    "program spends beside its sums. That the slopes of the others are "
    "above that of PE is judged below."
)
_THREE_FOLDS = (
    "Three folds leave the paired t-test two degrees of freedom: it is judged in the complete "
    "protocol."
)

#: Why a figure is not judged, by the name of the experiment and that of the figure.
UNJUDGED: Mapping[tuple[str, str], str] = MappingProxyType({
    **{
        ("pe-times", f"{name}: slope of log time"): _SLOPES
        for name in ("PE", "MDS1", "MDS2", "Isomap1", "Isomap2", "SNE", "FLDA", "KDA")
    },
    ("pe-words", "seconds of a map"): (
        "The paper's minute is for five times as many words, on a machine of its time."
    ),
    (
        "snerv-letter-printed-short",
        "SNeRV(0.1), as printed and S-Isomap: p of the paired t-test",
    ): _THREE_FOLDS,
})  # fmt: skip
