"""What is read off a map of words and topics."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.experiments.papers import parametric_topics as topics

#: A pentagon of topic means.
TURNS = 2 * np.pi * np.arange(5) / 5
MEANS = np.column_stack([np.cos(TURNS), np.sin(TURNS)])
#: The distance of neighboring corners.
SIDE = 2 * np.sin(np.pi / 5)


@pytest.fixture
def proba():
    """Four certain words of each topic, and five words of each pair."""
    rows = [np.eye(5)[k] for k in range(5) for _ in range(4)]
    for k in range(5):
        for m in range(k):
            rows += [a * np.eye(5)[k] + (1 - a) * np.eye(5)[m] for a in (0.2, 0.35, 0.5, 0.6, 0.8)]
    return np.array(rows)


def test_words_between_the_topics_that_they_belong_to(proba):
    found = topics.reading(proba, proba @ MEANS, MEANS)
    assert found.nearest == 100
    assert found.size == 0
    assert found.corners == 5
    assert found.order == pytest.approx(1)


def test_a_map_that_turns_words_but_not_topics(proba):
    half_turn = topics.reading(proba, -(proba @ MEANS), MEANS)
    assert half_turn.nearest == 0
    assert half_turn.order == pytest.approx(-1)


def test_the_size_of_the_loosest_cluster(proba):
    Y = proba @ MEANS
    # The median place is the corner; two of four words of a topic at a distance of 0.1 from it.
    Y[:4] += [[0.1, 0], [-0.1, 0], [0, 0.1], [0, -0.1]]
    assert topics.reading(proba, Y, MEANS).size == pytest.approx(0.1 / SIDE)


def test_a_topic_within_the_hull_of_the_others(proba):
    means = MEANS.copy()
    means[2] = 0
    assert topics.reading(proba, proba @ means, means).corners == 4


def test_words_of_two_topics():
    proba = np.array([[0.5, 0.5, 0], [0.95, 0.05, 0], [0.45, 0.45, 0.1], [0.3, 0, 0.7]])
    assert topics.of_two(proba, 0, 1).tolist() == [True, False, False, False]
    assert topics.of_two(proba, 2, 0).tolist() == [False, False, False, True]


def test_posteriors_of_words_separate_the_texts_that_they_stand_in(rng, monkeypatch):
    """Texts of three vocabularies of ten words each."""
    monkeypatch.setattr(topics, "TOPICS", 3)
    monkeypatch.setattr(topics, "SHOWN", 3)
    monkeypatch.setattr(topics, "BATCH", 32)
    counts = np.zeros((300, 30), int)
    for text in range(300):
        words = 10 * (text % 3) + rng.integers(10, size=50)
        np.add.at(counts[text], words, 1)
    proba = topics.posteriors(counts)
    assert proba.shape == (30, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    own = proba.argmax(axis=1).reshape(3, 10)
    assert (own == own[:, :1]).all()
    assert sorted(own[:, 0]) == [0, 1, 2]
    assert proba.max(axis=1).min() > 0.9
