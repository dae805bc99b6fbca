"""Supervision: what each verb says, what stays, and that nothing said is lost."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

import nbembed as nb
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.conversion import in_natural_order, relabeled
from tests.reliability.forms import columns, forms

N = 8
points = st.lists(st.integers(0, N - 1), min_size=2, max_size=4, unique=True)
verbs = st.lists(
    st.one_of(
        st.tuples(st.just("label"), points, st.sampled_from("abc"), st.floats(0.1, 1.0)),
        st.tuples(st.just("must_link"), points),
        st.tuples(st.just("forget"), points),
        st.tuples(st.just("pin"), points),
        st.tuples(st.just("unpin"), points),
        st.tuples(
            st.just("cannot_link"), st.just([0, 1]), st.lists(st.integers(2, N - 1), min_size=1)
        ),
    ),
    max_size=12,
)


def said(steps):
    value = Supervision(N)
    for verb, *arguments in steps:
        value = getattr(value, verb)(*arguments)
    return value


@given(verbs)
def test_a_value_survives_json_pickle_and_hashing(steps):
    value = said(steps)
    again = Supervision.from_dict(json.loads(json.dumps(value.to_dict())))
    assert again == value
    assert hash(again) == hash(value)
    assert pickle.loads(pickle.dumps(value)) == value


@given(verbs)
def test_labels_are_those_of_a_plain_dictionary(steps):
    expected = {}
    for verb, *arguments in steps:
        if verb == "label":
            where, name, confidence = arguments
            expected |= dict.fromkeys(where, (name, confidence))
        elif verb == "forget":
            expected = {i: v for i, v in expected.items() if i not in arguments[0]}
    value = said(steps)
    found = {
        int(i): (value.classes[value.top_class[i]], float(value.confidence[i]))
        for i in value.labeled
    }
    assert found == expected


@given(verbs)
def test_pins_are_those_of_a_plain_set(steps):
    held = set()
    for verb, where, *_ in steps:
        if verb == "pin":
            held |= set(where)
        elif verb in ("unpin", "forget"):
            held -= set(where)
    value = said(steps)
    assert value.pinned.tolist() == sorted(held)
    assert not held or value != Supervision(N, value.classes)


def test_pins_change_nothing_else_that_was_said():
    plain = Supervision(N).label([0, 1], "a").must_link([2, 3])
    held = plain.pin(np.arange(N) > 5)
    assert held.pinned.tolist() == [6, 7]
    assert held != plain
    assert held.unpin([6, 7, 0]) == plain
    assert "pinned: 2" in repr(held)
    assert held.label([6], "b").pinned.tolist() == [6, 7]
    assert not held.pinned.flags.writeable
    assert len(held.groups()) == len(plain.groups())
    for verb in (plain.pin, plain.unpin):
        with pytest.raises(ValueError, match=r"points must be indices in \[0, 8\), got 8"):
            verb([8])


def test_a_dictionary_from_before_there_were_pins():
    plain = Supervision(N).label(0, "a").to_dict()
    del plain["pinned"]
    assert Supervision.from_dict(plain).pinned.size == 0
    with pytest.raises(ValueError, match="indices"):
        Supervision.from_dict(plain | {"pinned": [N]})


@given(verbs)
def test_rows_are_probabilities_and_unlabeled_rows_are_nan(steps):
    value = said(steps)
    T = value.targets(4)
    labeled = np.isin(np.arange(N), value.labeled)
    assert np.isnan(T[~labeled]).all()
    np.testing.assert_allclose(T[labeled].sum(axis=1), 1)
    assert (T[labeled] >= 0).all()


@given(verbs, points)
def test_what_is_forgotten_is_in_nothing_any_more(steps, gone):
    value = said(steps).forget(gone)
    assert not np.isin(gone, value.labeled).any()
    for group in (*value.links, *(side for pair in value.cannot_links for side in pair)):
        assert not np.isin(gone, group).any()
    assert all(group.size > 1 for group in value.links)


def test_verbs_leave_the_value_as_it_was():
    before = Supervision(5).label([0, 1], "a")
    before.label([0], "b").must_link([1, 2]).forget([0, 1])
    assert before == Supervision(5).label([0, 1], "a")
    with pytest.raises(AttributeError, match="immutable"):
        before.classes = ()
    with pytest.raises(ValueError, match="read-only"):
        before.top_class[0] = 3


def test_a_later_label_wins_and_doubt_is_spread_over_the_other_classes():
    value = Supervision(3).label([0, 1], "a").label([2], "c").label([1], "b", confidence=0.7)
    np.testing.assert_allclose(value.targets()[1], [0.15, 0.15, 0.7])
    np.testing.assert_allclose(value.targets(4)[1], [0.1, 0.1, 0.7, 0.1])


def test_groups_weigh_classes_by_confidence_and_links_by_one():
    value = Supervision(6).must_link([0, 5]).label([1, 2, 3], "a").label([3], "a", 0.75)
    value = value.label([4], "b")
    groups = value.groups()
    np.testing.assert_array_equal(groups.indptr, [0, 2, 5])
    np.testing.assert_array_equal(groups.members, [0, 5, 1, 2, 3])
    np.testing.assert_allclose(groups.weights, [1, 1, 1, 1, 0.5])
    assert len(value.groups(labels=False)) == 1


def test_one_class_links_its_points_fully():
    groups = Supervision(3).label([0, 1, 2], "only", 0.6).groups()
    np.testing.assert_allclose(groups.weights, 1)


def test_the_same_link_twice_is_one_statement():
    value = Supervision(5).must_link([1, 2]).must_link([2, 1, 1]).cannot_link([0], [3])
    assert len(value.links) == 1
    assert value.cannot_link([3], [0]) is value


@given(verbs)
def test_forgetting_everything_leaves_the_classes_alone(steps):
    value = said(steps)
    assert value.forget(range(N)) == Supervision(N, value.classes)
    assert value.forget(range(N)) == Supervision(N, value.classes)


@given(verbs, points)
def test_saying_it_twice_is_saying_it_once(steps, where):
    value = said(steps)
    for speak in (
        lambda s: s.label(where, "b", 0.6),
        lambda s: s.must_link(where),
        lambda s: s.forget(where),
    ):
        assert speak(speak(value)) == speak(value)


@given(verbs, points, points)
def test_the_order_of_links_says_nothing(steps, first, second):
    value = said(steps)
    one = value.must_link(first).must_link(second)
    other = value.must_link(second).must_link(first)
    assert one == other
    assert hash(one) == hash(other)
    a, b = value.cannot_link([0, 1], [5]), value.cannot_link([5], [1, 0])
    assert a == b
    assert hash(a) == hash(b)


@given(verbs)
def test_groups_hold_the_pairs_that_the_definition_counts(steps):
    """u_ij by hand: groups that hold both, and c_i c_j for two points of one class."""
    value = said(steps)
    u = np.zeros((N, N))
    for group in value.links:
        u[np.ix_(group, group)] += 1
    K = len(value.classes)
    for i in value.labeled:
        for j in value.labeled:
            if value.top_class[i] == value.top_class[j]:
                c = (K * value.confidence[[i, j]] - 1) / (K - 1) if K > 1 else np.ones(2)
                u[i, j] += np.prod(np.maximum(c, 0))
    groups = value.groups()
    found = np.zeros((N, N))
    for g in range(len(groups)):
        here = slice(groups.indptr[g], groups.indptr[g + 1])
        members, weights = groups.members[here], groups.weights[here]
        found[np.ix_(members, members)] += np.outer(weights, weights)
    off = ~np.eye(N, dtype=bool)
    np.testing.assert_allclose(found[off], u[off], atol=1e-12)
    assert value.has_links == bool(u[off].any() or value.cannot_links)


def test_values_are_copied_by_being_themselves():
    value = Supervision(5).label([0], "a")
    assert copy.copy(value) is value
    assert copy.deepcopy([value])[0] is value


def test_points_may_be_said_in_many_ways():
    wanted = Supervision(6).label([1, 3, 5], "a")
    mask = np.array([False, True] * 3)
    for where in (slice(1, None, 2), range(1, 6, 2), mask, list(mask), np.array([5, 3, 1, 1])):
        assert Supervision(6).label(where, "a") == wanted
    assert Supervision(6).label(np.int64(2), "a") == Supervision(6).label(2, "a")


def test_renaming_keeps_the_points():
    value = Supervision(3).label([0], "a").label([1], "b").rename_class("a", "z")
    assert value.classes == ("z", "b")
    assert list(value.top_class) == [0, 1, -1]


@pytest.mark.parametrize(
    ("speak", "message"),
    [
        (lambda s: s.label([5], "a"), r"points must be indices in \[0, 5\), got 5"),
        (lambda s: s.label([-1], "a"), r"points must be indices in \[0, 5\), got -1"),
        (lambda s: s.label([], "a"), "points must name at least one point"),
        (lambda s: s.label([0], "a", 0.0), "confidence must be a finite number greater than 0"),
        (lambda s: s.label([0], "a", 1.5), "confidence must be .* at most 1"),
        (lambda s: s.label([0], "  "), "class_ must not be blank"),
        (lambda s: s.must_link([2]), "points must be at least two"),
        (lambda s: s.must_link([2, 9]), r"points must be indices in \[0, 5\)"),
        (lambda s: s.cannot_link([0, 1], [1]), "a and b must not share points"),
        (lambda s: s.add_class("x").add_class("x"), "name must be new"),
        (lambda s: s.rename_class("x", "y"), "old must be an existing class"),
        (lambda s: s.label([0], "a").label([1], "b").targets(1), "n_classes must be at least 2"),
        (lambda s: s.label(np.ones(3, bool), "a"), r"mask must have shape \(5,\)"),
    ],
)
def test_bad_words_are_refused_by_name(speak, message):
    with pytest.raises(ValueError, match=message):
        speak(Supervision(5))


def test_labels_with_unknowns_become_classes_in_their_own_order():
    value = as_supervision(np.array([10, -1, 2, 10]), 4)
    assert value.classes == ("2", "10")
    assert list(value.top_class) == [1, -1, 0, 1]
    named = as_supervision(["b", None, "a"], 3)
    assert named.classes == ("a", "b")
    assert list(named.labeled) == [0, 2]
    assert as_supervision([1.0, np.nan, 0.0], 3).classes == ("0", "1")


@pytest.mark.parametrize(
    "y",
    [
        ["b", -1, "a"],
        ("b", None, "a"),
        np.array(["b", -1, "a"]),
        np.array(["b", np.nan, "a"], dtype=object),
        pd.Series(["b", None, "a"]),
        pd.Series(["b", pd.NA, "a"], dtype="string"),
        pd.Series(["b", None, "a"], dtype="category"),
    ],
)
def test_every_way_of_leaving_a_name_out(y):
    value = as_supervision(y, 3)
    assert value.classes == ("a", "b")
    assert list(value.top_class) == [1, -1, 0]


def test_nobody_labeled_is_nothing_said():
    assert as_supervision([-1, -1], 2) == as_supervision(None, 2) == Supervision(2)


def test_columns_of_a_frame_are_names():
    frame = pd.DataFrame({"x": [0.2, 1.0], "y": [0.8, 0.0]})
    value = as_supervision(frame, 2)
    assert value.classes == ("x", "y")
    np.testing.assert_array_equal(value.targets(), frame.to_numpy())


def test_certain_rows_are_plain_labels():
    one_hot = as_supervision(np.array([[0.0, 1.0], [1.0, 0.0], [np.nan, np.nan]]), 3)
    assert one_hot == Supervision(3, ["0", "1"]).label(0, "1").label(1, "0")


def test_rows_say_nothing_of_classes_named_later():
    value = as_supervision([[0.25, 0.75]], 1).add_class("new")
    np.testing.assert_array_equal(value.targets(), [[0.25, 0.75, 0.0]])


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1"),
        ({"labels": [[3, 0, 1.0]]}, ValueError, r"labels must be indices in \[0, 3\)"),
        ({"labels": [[0, 1, 1.0]]}, ValueError, "labels must name one of 1 classes"),
        ({"labels": [[0, 0, 2.0]]}, ValueError, "labels must be .* at most 1"),
        ({"labels": [["a", 0, 1.0]]}, TypeError, "labels must be an integer"),
        ({"rows": [[0, [0.5, 0.5]]]}, ValueError, "rows must have at most 1 entries"),
        ({"rows": [[0, [0.5]]]}, ValueError, "row of rows must be non-negative and sum to one"),
        ({"rows": [[1, [1.0]]]}, ValueError, "agree with labels"),
        ({"rows": [[0, 1, 2]]}, ValueError, "rows must be a list of lists of 2"),
        ({"labels": 3}, TypeError, "labels must be a list, got 3"),
        ({"labels": [[0, 1]]}, ValueError, "labels must be a list of lists of 3"),
        ({"classes": 3}, TypeError, "classes must be a list of names"),
        ({"classes": "ab"}, TypeError, "classes must be a list of names"),
        ({"links": [[0]]}, ValueError, "links must be groups of at least two distinct"),
        ({"links": [["a", "b"]]}, TypeError, "links must be point indices"),
        ({"links": None}, TypeError, "links must be a list"),
        ({"cannot_links": [[[0], [7]]]}, ValueError, r"cannot_links must be .* in \[0, 3\)"),
        ({"cannot_links": [[0]]}, ValueError, "cannot_links must be a list of lists of 2"),
        ({"pinned": "ab"}, TypeError, "pinned must be a list"),
        ({"pinned": [3]}, ValueError, r"pinned must be indices in \[0, 3\)"),
        ({"comment": "mine"}, ValueError, "data must not have the unknown entry 'comment'"),
    ],
)
def test_broken_dictionaries_are_refused(change, kind, message):
    plain = Supervision(3).label(0, "a").to_dict()
    with pytest.raises(kind, match=message):
        Supervision.from_dict({**plain, **change})


def test_incomplete_dictionaries_are_refused():
    with pytest.raises(ValueError, match="must have the entry 'n_samples'"):
        Supervision.from_dict({})
    with pytest.raises(TypeError, match="must be a dictionary"):
        Supervision.from_dict([1])


def test_rows_of_probabilities_are_kept_exactly():
    rows = np.array([[0.2, 0.5, 0.3], [np.nan] * 3, [1.0, 0.0, 0.0]])
    value = as_supervision(rows, 3)
    np.testing.assert_array_equal(value.targets(), rows)
    assert Supervision.from_dict(value.to_dict()) == value
    np.testing.assert_allclose(value.label([0], "2").targets()[0], [0, 0, 1])


@pytest.mark.parametrize(
    ("y", "kind", "message"),
    [
        (
            [[0.5, 0.6], [np.nan, np.nan]],
            ValueError,
            "row of y must be non-negative and sum to one",
        ),
        ([[0.5, np.nan], [0.5, 0.5]], ValueError, "must be finite, or all NaN"),
        ([0, 1, 1], ValueError, "y must have 2 labels"),
        ([0, -2], ValueError, "-1|−1"),
        ([0.5, 1], ValueError, "class labels"),
        ("ab", TypeError, "y must be a Supervision"),
        (3, TypeError, "y must be a Supervision"),
        (Supervision(3), ValueError, "supervision must cover 2 points"),
    ],
)
def test_bad_supervision_is_refused(y, kind, message):
    with pytest.raises(kind, match=message):
        as_supervision(y, 2)


def test_what_is_no_plain_supervision():
    for wrong in (None, 3, [], "ab"):
        with pytest.raises(TypeError, match="data must be a dictionary"):
            Supervision.from_dict(wrong)
    with pytest.raises(ValueError, match="data must have the entry 'n_samples'"):
        Supervision.from_dict({})


def test_masked_labels_are_not_read_behind_their_mask():
    with pytest.raises(ValueError, match="y must not be masked; use −1 for unlabeled points"):
        as_supervision(np.ma.masked_equal([0, 1, 1], 1), 3)
    assert as_supervision(np.ma.masked_equal([0, 1, 1], 5), 3) == as_supervision([0, 1, 1], 3)


@pytest.mark.parametrize("n", [None, 2.0, True, 10**30])
def test_numbers_of_points(n):
    with pytest.raises((TypeError, ValueError), match="n_samples must be"):
        Supervision(n)
    with pytest.raises((TypeError, ValueError), match="n_samples must be"):
        as_supervision(None, n)


@pytest.mark.parametrize("K", [1, 2, 5])
def test_a_label_counts_from_nothing_when_uniform_to_one_when_certain(K):
    names = "abcde"[:K]
    value = Supervision(6, list(names))
    for point, confidence in enumerate([1.0, 0.9, 0.5, 1 / K, 0.1]):
        value = value.label(point, "a", confidence)
    weights = value.label_weights
    T = value.targets()
    expected = np.ones(5) if K == 1 else (T[:5, 0] - T[:5, 1]).clip(0)
    np.testing.assert_allclose(weights, [*expected, 0.0], atol=1e-12)
    assert weights[0] == 1
    assert weights[5] == 0, "no label"
    assert not weights.flags.writeable
    if K > 1:
        assert weights[3] == 0, "a uniform row carries no information"


def test_groups_weigh_their_members_like_everything_else():
    value = Supervision(5, ["a", "b"]).label([0, 1, 2, 3], "a", 0.8).label(3, "a", 0.5)
    groups = value.groups()
    assert groups.members.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(groups.weights, value.label_weights[:3])


@pytest.mark.parametrize("labels", [1, "yes", np.array([]), None])
def test_whether_classes_are_groups_is_a_flag(labels):
    with pytest.raises(TypeError, match="labels must be True or False"):
        Supervision(4).groups(labels)


def test_no_more_columns_are_made_than_methods_take():
    with pytest.raises(ValueError, match="n_classes must be at most 1000"):
        Supervision(4).targets(2**31)


HALF = "half \ud800"


def test_a_name_with_half_a_surrogate_pair_is_refused_wherever_classes_are_named():
    known = Supervision(3).label([0], "a")
    columns = pd.Index(["a", "b", HALF], dtype=object)  # pandas' own type of text has none
    for make in (
        lambda: known.label([1], HALF),
        lambda: known.add_class(HALF),
        lambda: known.rename_class("a", HALF),
        lambda: as_supervision(["a", HALF, None], 3),
        lambda: as_supervision(pd.DataFrame(np.eye(3), columns=columns), 3),
        lambda: Supervision(3, ["a", HALF]),
        lambda: Supervision.from_dict({**known.to_dict(), "classes": [HALF]}),
    ):
        with pytest.raises(ValueError, match=r"text that UTF-8 can encode, got 'half \\ud800'"):
            make()


@pytest.mark.parametrize("name", [-1, "-1", np.int64(-1)])
def test_minus_one_names_no_class(name):
    known = Supervision(3).label([0], "a")
    for make in (
        lambda: known.label([1], name),
        lambda: known.add_class(name),
        lambda: known.rename_class("a", name),
    ):
        with pytest.raises(ValueError, match="which stands for unlabeled points"):
            make()


def names(supervision):
    return [supervision.classes[k] if k >= 0 else None for k in supervision.top_class]


def test_the_names_of_the_present_labels_give_the_same_supervision_back():
    value = as_supervision([[0.7, 0.3], [np.nan] * 2, [1, 0], [0.5, 0.5]], 4)
    value = value.label([1], "third", 0.4).must_link([0, 3]).pin([2]).add_class("empty")
    assert relabeled(value, names(value)) == value
    old = Supervision(3, ["-1", "a"])._with(_class=np.array([0, 1, -1]))
    old = old._with(_confidence=np.array([0.9, 0.8, np.nan]))
    assert relabeled(old, ["-1", "a", None]) == old, "files of earlier versions may hold it"
    assert names(relabeled(old, ["-1", "-1", "a"])) == ["-1", None, "a"]


def test_relabeling_changes_what_differs_and_nothing_else():
    value = Supervision(5).label([0, 1, 2], "a", 0.6).must_link([0, 4]).pin([1])
    after = relabeled(value, ["a", None, 7, -1, float("nan")])
    assert names(after) == ["a", None, "7", None, None]
    np.testing.assert_array_equal(after.confidence, [0.6, np.nan, 1, np.nan, np.nan])
    assert after.classes == ("a", "7")
    assert [g.tolist() for g in after.links] == [[0, 4]]
    assert after.pinned.tolist() == [1]
    assert names(relabeled(value, None)) == [None] * 5


@pytest.mark.parametrize("wrong", [["a"], "aaaaa", 3, np.eye(5), Supervision(5), [0.5] * 5])
def test_what_are_no_labels_is_said_of_the_labels(wrong):
    with pytest.raises((TypeError, ValueError), match=r"^labels must"):
        relabeled(Supervision(5), wrong)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([np.int64(3), None, np.int64(10)], ("3", "10")),
        ([np.float32(3), None, np.uint8(10)], ("3", "10")),
        (np.array([np.int64(3), -1, np.int16(10)], dtype=object), ("3", "10")),
        ([np.bool_(True), None, np.bool_(False)], ("False", "True")),
        ([True, -1, False], ("False", "True")),
        (np.array([True, False, True]), ("False", "True")),
        ([b"setosa", None, np.bytes_(b"virginica")], ("setosa", "virginica")),
        (np.array([b"setosa", b"-1", b"virginica"]), ("setosa", "virginica")),
        ([np.str_("a"), None, "b"], ("a", "b")),
        (pd.array([1, None, 2], dtype="Int64"), ("1", "2")),
        (pd.Series([1, 2, 1], dtype="category"), ("1", "2")),
    ],
    ids=str,
)
def test_scalars_of_numpy_are_those_of_python(y, classes):
    for read in (as_supervision, in_natural_order):
        assert read(y, 3).classes == classes
    assert relabeled(Supervision(3), y).classes == classes


@pytest.mark.parametrize("kind", ["text", "integers", "truth"])
@given(data=st.data())
def test_every_form_of_labels_is_the_same_labels(kind, data):
    values = data.draw(columns(kind, 9))
    said = as_supervision(values, 9)
    for words, form in forms(kind, values):
        assert as_supervision(form, 9) == said, words
        assert in_natural_order(form, 9) == in_natural_order(values, 9), words
        assert relabeled(said, form) == said, words


@pytest.mark.parametrize(
    "column",
    [
        np.array([[0], [1], [-1]]),
        np.array([["0"], ["1"], ["-1"]]),
        np.array([[0.0], [1.0], [np.nan]]),
        [[0], [1], [-1]],
        pd.DataFrame({"species": [0, 1, -1]}),
        pd.DataFrame({"species": ["0", "1", None]}),
    ],
    ids=lambda column: type(column).__name__,
)
def test_a_column_is_a_list_of_labels(column):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        found = as_supervision(column, 3)
    assert found.classes == ("0", "1")
    assert found.top_class.tolist() == [0, 1, -1]


def test_rows_of_one_class_are_probabilities():
    one = Supervision(3).label([0, 2], "a")
    assert as_supervision(one.targets(), 3).top_class.tolist() == [0, -1, 0]


def test_classes_of_estimators_have_the_values_of_y():
    X = np.random.default_rng(0).normal(size=(6, 2)) + np.arange(6)[:, None] // 3 * 9
    for y, values in (
        ([np.bool_(False), None, None, None, None, np.bool_(True)], [False, True]),
        ([b"a", None, None, None, None, b"b"], ["a", "b"]),
        ([np.int64(4), None, None, None, None, np.int64(11)], [4, 11]),
    ):
        model = nb.PropagationClassifier(stacking=False).fit(X, y)
        assert model.classes_.tolist() == values
        assert model.transduction_.tolist() == [values[0]] * 3 + [values[1]] * 3
        metric = nb.LearningMetric(n_centroids=1, width=1.0, random_state=0)
        labeled = [y[0], y[0], y[0], y[5], y[5], y[5]]
        assert metric.fit(X, labeled).classes_.tolist() == values


def test_text_with_numbers_is_in_natural_order_where_people_read_it():
    y = [str(k) for k in (0, 1, 10, 11, 2, 3)]
    assert in_natural_order(y, 6).classes == ("0", "1", "2", "3", "10", "11")
    # The columns of estimators are in the order in which scikit-learn's measures take them.
    assert as_supervision(y, 6).classes == tuple(sorted(y))


def test_an_error_shows_a_part_of_a_long_value():
    with pytest.raises(TypeError, match="y must be real numbers") as caught:
        as_supervision([["some text", "more"]] * 500, 500)
    assert len(str(caught.value)) < 300
