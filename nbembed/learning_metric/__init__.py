"""The learning metric: distances that grow where the classes change."""

from nbembed.learning_metric.metric import LearningMetric

__all__ = ["LearningMetric"]
