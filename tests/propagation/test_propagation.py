"""Propagation against dense formulas, its updates, links, and degenerate graphs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

import nbembed as nb
from nbembed.affinities import as_affinities, perplexity_affinities
from nbembed.propagation import Suggestions, graph
from nbembed.propagation.graph import _cut, symmetric_weights
from nbembed.supervision import Supervision, as_supervision

X, Y = make_blobs(120, 4, centers=3, cluster_std=2.5, random_state=1)
AFFINITIES = nb.propagation.neighbor_affinities(X, n_jobs=1)


def some_labels(n_labels: int = 9, seed: int = 0) -> Supervision:
    rng = np.random.default_rng(seed)
    labels = Supervision(120, ["0", "1", "2"])
    for i in [*(np.flatnonzero(c == Y)[0] for c in range(3)), *rng.choice(120, n_labels - 3)]:
        labels = labels.label(int(i), str(Y[i]))
    return labels


def weights(affinities=AFFINITIES, perplexity=10.0) -> np.ndarray:
    return symmetric_weights(affinities, perplexity).toarray()


def rows_of(F: np.ndarray, supervision: Supervision, exponent: float = 0.5) -> np.ndarray:
    """Return probabilities from scores, as the definition says."""
    proba = F * F.sum(axis=0) ** (exponent - 1)
    proba /= proba.sum(axis=1, keepdims=True)
    labeled = supervision.labeled
    proba[labeled] = supervision.targets()[labeled]
    return proba


def clamped(W: np.ndarray, supervision: Supervision, share: float) -> np.ndarray:
    """Return scores by a dense solution: F_U = (I − aP_UU)⁻¹ aP_UL T_L."""
    walk = W / W.sum(axis=1, keepdims=True)
    labeled = supervision.labeled
    free = np.setdiff1d(np.arange(len(W)), labeled)
    F = np.zeros((len(W), len(supervision.classes)))
    F[labeled] = supervision.targets()[labeled]
    right = share * walk[np.ix_(free, labeled)] @ F[labeled]
    F[free] = np.linalg.solve(np.eye(free.size) - share * walk[np.ix_(free, free)], right)
    return F


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_the_clamped_form_is_that_of_the_dense_formula(share, exponent):
    labels = some_labels().label([4, 9], "1", confidence=0.7)
    found = nb.propagate(AFFINITIES, labels, neighbor_share=share, mass_exponent=exponent)
    F = clamped(weights(), labels, share)
    if share:
        np.testing.assert_allclose(found, rows_of(F, labels, exponent), atol=1e-6)
    else:  # labels reach their own points alone
        mass = F.sum(axis=0) ** exponent
        labeled = labels.labeled
        np.testing.assert_allclose(np.delete(found, labeled, axis=0)[0], mass / mass.sum())
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_the_form_without_clamp_is_that_of_zhou_and_others():
    labels = some_labels()
    W = weights(perplexity=10.0)
    root = np.sqrt(W.sum(axis=1))
    T = np.nan_to_num(labels.targets())
    F = np.linalg.solve(np.eye(120) - 0.9 * W / np.outer(root, root), T)
    found = nb.propagate(AFFINITIES, labels, neighbor_share=0.9, clamp=False, mass_exponent=1.0)
    np.testing.assert_allclose(found, rows_of(F, labels, 1.0), atol=1e-6)


def test_the_graph_is_the_mean_of_both_rows_and_the_nearest_neighbor():
    P = AFFINITIES.P.toarray()
    Q = np.where(P.max(axis=1, keepdims=True) == P, P, 0)
    np.testing.assert_allclose(weights(), np.sqrt(P * P.T) + 0.005 * (Q + Q.T), atol=1e-9)
    plain = symmetric_weights(AFFINITIES, None).toarray()
    np.testing.assert_allclose(plain, (P + P.T) / 2, atol=1e-12)


@pytest.mark.parametrize("perplexity", [12, 30])
def test_the_graph_does_not_depend_on_the_perplexity_of_the_method(perplexity):
    dense = perplexity_affinities(X, perplexity, dtype=np.float64)
    np.testing.assert_allclose(weights(dense), weights(), atol=1e-6)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("points", [X, np.repeat(X[:24], 5, axis=0)])
def test_sparse_affinities_have_the_graph_of_dense_ones(points, joint):
    near = perplexity_affinities(points, 12, n_neighbors=40, n_jobs=1)
    P = (near.joint() if joint else near).P
    assert sparse.issparse(P)
    for k in (3, 10, 30):  # fewer than a row has, and more
        found, dense = _cut(P, k, 1), _cut(P.toarray(), k, 1)
        assert (found != dense).nnz == 0
        np.testing.assert_array_equal(found.indices, dense.indices)


def test_a_graph_of_sparse_affinities_has_no_dense_rows(monkeypatch):
    widths = []
    ranked = graph.k_smallest
    monkeypatch.setattr(graph, "k_smallest", lambda v, k: widths.append(v.shape[1]) or ranked(v, k))
    n = 3000
    P = sparse.diags_array([1 / n, 1 / n], offsets=[1, -1], shape=(n, n), format="csr")
    _cut(P, 10.0, 1)
    assert widths == [2, 2, 2]


def test_joint_and_sparse_forms_are_taken():
    joint = AFFINITIES.joint()
    found = nb.propagate(joint, some_labels())
    assert (found.argmax(axis=1) == Y).mean() > 0.9
    whole = as_affinities(joint.P.toarray(), "joint")
    np.testing.assert_allclose(nb.propagate(whole, some_labels()), found, atol=1e-9)


def test_updates_lead_where_a_new_start_leads():
    """Labels given, changed, withdrawn; classes added; one at a time and many at once."""
    rng = np.random.default_rng(3)
    propagation = nb.Propagation(AFFINITIES)
    labels = some_labels(4)
    for step in range(70):
        i = int(rng.integers(120))
        if step % 7 == 3 and labels.labeled.size > 3:
            labels = labels.forget(labels.labeled[:2])
        elif step % 11 == 5:
            labels = labels.label(rng.choice(120, 15), str(Y[i]), confidence=0.8)
        else:
            labels = labels.label(i, f"new {step}" if step in (20, 40) else str(Y[i]))
        found = propagation.update(labels)
        expected = nb.propagate(AFFINITIES, labels)
        np.testing.assert_allclose(found.probabilities, expected, atol=1e-6)
        np.testing.assert_array_equal(found.classes, labels.classes)
    again = some_labels(4)  # fewer classes than before
    np.testing.assert_allclose(
        propagation.update(again).probabilities, nb.propagate(AFFINITIES, again), atol=1e-6
    )


def test_a_sequence_of_updates_repeats_its_bits():
    def last(n_jobs):
        propagation = nb.Propagation(AFFINITIES, n_jobs=n_jobs)
        return [propagation.update(some_labels(k)).probabilities for k in range(4, 20)]

    for one, other in zip(last(1), last(3)):
        np.testing.assert_array_equal(one, other)


def test_an_update_with_the_same_labels_changes_nothing():
    propagation = nb.Propagation(AFFINITIES)
    first = propagation.update(some_labels()).probabilities
    np.testing.assert_array_equal(propagation.update(some_labels()).probabilities, first)


def test_a_new_label_costs_one_column(monkeypatch):
    from nbembed.propagation import system

    columns = []

    def counted(S, scale, free, B, *rest):
        columns.append(B.shape[1])
        return solve(S, scale, free, B, *rest)

    solve = system.solve_on_graph
    monkeypatch.setattr(system, "solve_on_graph", counted)
    propagation, labels = nb.Propagation(AFFINITIES), some_labels()
    propagation.update(labels)
    propagation.update(labels.label(77, "1"))
    propagation.update(labels)
    propagation.update(labels.label(np.arange(30), "2"))
    assert columns == [3, 1, 1, 3]


def test_soft_labels_are_kept_and_count_by_their_confidence():
    sure = some_labels().label(50, "0")
    unsure = some_labels().label(50, "0", confidence=0.6)
    found = nb.propagate(AFFINITIES, unsure)
    np.testing.assert_allclose(found[50], [0.6, 0.2, 0.2])
    near = AFFINITIES.P[[50]].toarray().ravel().argsort()[-8:]
    near = np.setdiff1d(near, unsure.labeled)
    assert (found[near, 0] < nb.propagate(AFFINITIES, sure)[near, 0]).all()


def test_contradictory_labels_as_rows_leave_their_neighbors_between():
    T = np.full((120, 2), np.nan)
    T[Y == 0] = [0.5, 0.5]
    T[np.flatnonzero(Y == 0)[:5]] = np.nan
    T[np.flatnonzero(Y == 1)[0]] = [1, 0]
    T[np.flatnonzero(Y == 2)[0]] = [0, 1]
    found = nb.propagate(AFFINITIES, as_supervision(T, 120), mass_exponent=1.0)
    np.testing.assert_allclose(found[np.flatnonzero(Y == 0)[:5], 0], 0.5, atol=0.05)


def two_pieces():
    """Return affinities of two cliques of 5 and 3 points and two points alone."""
    P = np.zeros((10, 10))
    P[:5, :5], P[5:8, 5:8] = 1 / 4, 1 / 2
    np.fill_diagonal(P, 0)
    return nb.affinities.Affinities(sparse.csr_array(P), "row")


def test_a_piece_without_labels_gets_the_prior_and_is_doubtful():
    labels = Supervision(10).label(0, "a").label(1, "b")
    found = nb.Propagation(two_pieces()).update(labels)
    np.testing.assert_array_equal(found.reached, np.arange(10) < 5)
    for i in range(5, 10):
        np.testing.assert_allclose(found.probabilities[i], found.prior)
    np.testing.assert_array_equal(found.doubtful(), [5, 6, 7, 8, 9, 2, 3, 4])
    np.testing.assert_array_equal(found.doubtful(2), [5, 6])
    assert not found.above(0.0).size or found.reached[found.above(0.0)].all()
    np.testing.assert_array_equal(found.piece_size, [5] * 5 + [3] * 3 + [1, 1])


def test_a_label_reaches_its_piece_and_leaves_it_again():
    propagation = nb.Propagation(two_pieces())
    labels = Supervision(10).label(0, "a").label(1, "b")
    before = propagation.update(labels)
    more = propagation.update(labels.label(6, "c"))
    np.testing.assert_allclose(more.probabilities[7], [0, 0, 1])
    after = propagation.update(labels)
    np.testing.assert_array_equal(before.reached, after.reached)
    np.testing.assert_allclose(before.probabilities, after.probabilities, atol=1e-9)


def test_one_class_is_certain_everywhere():
    found = nb.Propagation(two_pieces()).update(Supervision(10).label(0, "a", confidence=0.3))
    np.testing.assert_array_equal(found.probabilities, np.ones((10, 1)))
    np.testing.assert_array_equal(found.doubt[found.reached], 0)


def test_a_named_class_without_labels_gets_nothing():
    found = nb.propagate(AFFINITIES, some_labels().add_class("none yet"))
    np.testing.assert_array_equal(found[:, 3], 0)


def test_all_points_labeled_gives_the_labels():
    found = nb.propagate(AFFINITIES, as_supervision(Y, 120))
    np.testing.assert_array_equal(found, np.eye(3)[Y])


def test_two_points():
    P = nb.propagation.neighbor_affinities([[0.0], [1.0]])
    found = nb.propagate(P, Supervision(2).label(0, "a", 0.8).label(1, "b").forget(1))
    np.testing.assert_allclose(found, [[0.8, 0.2]] * 2, atol=0.2)
    assert found[1, 0] > 0.5


def test_points_in_one_place():
    P = nb.propagation.neighbor_affinities(np.repeat(X[:3], 20, axis=0))
    labels = Supervision(60).label(0, "a").label(20, "b").label(40, "c")
    found = nb.Propagation(P).update(labels)
    assert np.isfinite(found.probabilities).all()
    np.testing.assert_array_equal(found.top_class, np.repeat([0, 1, 2], 20))


def test_must_links_share_scores():
    labels = some_labels(3)
    far = int(np.flatnonzero(Y == 2)[5])
    friends = [far, *np.flatnonzero(Y == 0)[3:9]]
    before = nb.propagate(AFFINITIES, labels)[far]
    found = nb.propagate(AFFINITIES, labels.must_link(friends))
    assert before[0] < 0.3
    assert found[far, 0] > before[0] + 0.2
    assert found.shape == (120, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_a_link_joins_pieces():
    labels = Supervision(10).label(0, "a").label(1, "b").must_link([4, 6])
    found = nb.Propagation(two_pieces()).update(labels)
    np.testing.assert_array_equal(found.reached, np.arange(10) < 8)


def test_cannot_links_cut_edges():
    labels = Supervision(10).label(0, "a").label(1, "b").cannot_link([0, 1], [2, 3, 4])
    found = nb.Propagation(two_pieces()).update(labels)
    np.testing.assert_array_equal(found.reached, np.arange(10) < 2)


def test_links_may_come_and_go():
    propagation, labels = nb.Propagation(AFFINITIES), some_labels()
    before = propagation.update(labels).probabilities
    linked = labels.must_link([3, 8, 70]).cannot_link([1, 2], [60])
    np.testing.assert_allclose(
        propagation.update(linked).probabilities, nb.propagate(AFFINITIES, linked), atol=1e-9
    )
    np.testing.assert_allclose(propagation.update(labels).probabilities, before, atol=1e-9)


def test_a_given_prior_is_the_mass_of_the_classes():
    prior = [0.7, 0.2, 0.1]
    found = nb.Propagation(AFFINITIES, class_prior=prior).update(some_labels())
    np.testing.assert_allclose(found.prior, prior)
    free = nb.Propagation(AFFINITIES).update(some_labels())
    assert (found.probabilities[:, 0] >= free.probabilities[:, 0] - 1e-9).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"neighbor_share": 1.5}, "neighbor_share must be"),
        ({"neighbor_share": 1.0, "clamp": False}, "neighbor_share must be less than 1"),
        ({"mass_exponent": -0.1}, "mass_exponent must be"),
        ({"class_prior": [0.5, 0.6]}, "class_prior must be"),
        ({"class_prior": [0.5, 0.5]}, r"class_prior must have shape \(3,\)"),
        ({"perplexity": 500}, "perplexity must be in"),
        ({"perplexity": "some"}, "perplexity must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_bad_values_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        nb.propagate(AFFINITIES, some_labels(), **arguments)


def test_bad_types_are_refused():
    with pytest.raises(TypeError, match="affinities must be of type Affinities"):
        nb.propagate(AFFINITIES.P, some_labels())
    with pytest.raises(TypeError, match="supervision must be of type Supervision"):
        nb.propagate(AFFINITIES, Y)
    with pytest.raises(TypeError, match="clamp must be True or False"):
        nb.propagate(AFFINITIES, some_labels(), clamp=1)
    with pytest.raises(ValueError, match="at least one label"):
        nb.propagate(AFFINITIES, Supervision(120, ["a"]))
    with pytest.raises(ValueError, match="cover 120 points, got one of 7"):
        nb.propagate(AFFINITIES, Supervision(7).label(0, "a"))


def suggestions(confidence, labeled=()):
    """Return suggestions of two classes of the given confidences."""
    p = np.column_stack([confidence, 1 - np.asarray(confidence)])
    n = len(p)
    given = np.isin(np.arange(n), labeled)
    everywhere = np.ones(n, bool), np.full(n, n), np.ones(n)
    return Suggestions(p, ("a", "b"), np.full(2, 0.5), given, *everywhere)


def test_the_least_confidence_is_where_so_many_are_expected_to_be_right():
    found = suggestions([0.99, 0.97, 0.95, 0.93, 0.91, 0.6, 1.0], labeled=[6])
    assert found.least_confidence(0.95) == 0.91
    assert found.expected_right(0.91) == pytest.approx(0.95)
    assert found.least_confidence(0.96) == 0.93
    assert found.least_confidence(0.995) is None
    assert found.least_confidence(0.0) == 0.6
    assert np.isnan(found.expected_right(0.995))
    ties = suggestions([0.99, 0.92, 0.92, 0.92])
    assert ties.least_confidence(0.95) == 0.99, "equal ones are accepted together"
    assert suggestions([1.0, 1.0], labeled=[0, 1]).least_confidence() is None
    with pytest.raises(ValueError, match="right"):
        found.least_confidence(1.5)
