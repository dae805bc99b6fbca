"""Data as distances need them: recognized, filled in, and brought to scales that can be compared.

:class:`Preparation` is the scikit-learn transformer; ``columns`` knows the columns of a table,
``matrices`` what a matrix holds. All numerics are scikit-learn's.
"""

from nbembed.points.preparation.columns import PreparedColumn
from nbembed.points.preparation.estimator import Preparation

__all__ = ["Preparation", "PreparedColumn"]
