"""A command that can only fail is refused; after the undo of one that failed all is well."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.methods import recipe as recipe_module
from nbembed.methods.parametric import recipe as parametric
from nbembed.session import Session
from tests.session.fake import Fake, Other, rest
from tests.session.parts import workers_held
from tests.session.redone import redone

X = load_iris().data[::5]
ALL = list(range(len(X)))


@pytest.mark.parametrize(
    "method",
    [nb.HSSNE(), nb.SNE(), nb.NeRV(), nb.SNeRV(), nb.Mbed(n_classes=2)],
    ids=lambda m: type(m).__name__,
)
def test_cannot_links_that_leave_a_point_no_neighbor(method):
    with Session(X, method) as session:
        session.step(2)
        with pytest.raises(ValueError, match=r"cannot-links separate point 0 from all others"):
            session.cannot_link([0], ALL[1:])
        session.cannot_link([0], ALL[2:])
        with pytest.raises(
            ValueError, match=r"supervision must .* separate point 0 from all others"
        ):
            session.cannot_link([0], [1])
        session.step(2, wait=True)
        assert len(session.supervision.cannot_links) == 1


def test_cannot_links_that_another_method_takes_forbid_a_switch():
    with Session(X, nb.spectral.LFDA()) as session:
        session.cannot_link([0], ALL[1:])
        session.step(2, wait=True)
        with pytest.raises(ValueError, match="separate point 0 from all others"):
            session.switch("HSSNE")
        assert session.method_name == "LFDA"
        session.undo()
        session.switch("HSSNE")
        session.step(2, wait=True)


def test_a_session_begins_with_nothing_that_can_only_fail():
    with pytest.raises(ValueError, match="must be non-negative and sum to one"):
        Session(X, nb.ParametricEmbedding())
    supervision = nb.Supervision(len(X)).cannot_link([3], ALL[:3] + ALL[4:])
    with pytest.raises(ValueError, match="separate point 3 from all others"):
        Session(X, nb.SNE(), supervision=supervision)
    with Session(X, nb.SNE()) as session, pytest.raises(ValueError, match="probabilities"):
        session.switch(nb.ParametricEmbedding())


@pytest.mark.parametrize("moved", [False, True])
def test_the_undo_of_a_command_that_failed_recovers(start, monkeypatch, moved):
    session = start(Fake(random_state=3))
    if moved:
        session.step(3, wait=True)

    def broken(self, *arguments):
        raise ArithmeticError("no such map")

    monkeypatch.setattr(Other, "make_affinities", broken)
    session.switch(Other())
    session.play()
    rest(session)
    assert session.state == "failed"
    session.undo()
    assert session.state == "paused"
    assert session.error is None
    rest(session)
    session.check()
    session.step(2, wait=True)
    assert session.method_name == "Fake"
    assert session.replayed().state == "paused"
    redone(session)


def test_an_undo_given_before_the_error_was_known(start, monkeypatch):
    session = start(Fake(random_state=3))
    session.step(3, wait=True)

    def broken(self, *arguments):
        raise ArithmeticError("no such map")

    monkeypatch.setattr(Other, "adopt", broken)
    with workers_held():
        session.switch(Other())  # fails when it takes effect
        session.undo()
    rest(session)
    assert session.state == "paused"
    assert session.error is None
    assert [e.command for e in session.log][-3:] == ["switch", "rest", "undo"]
    assert session.replayed().state == "paused"


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.label([[1], [2, 3]], "a"),
        lambda s: s.pin([[1, 2], [3]]),
        lambda s: s.must_link([[1, 2], [3]]),
    ],
)
def test_ragged_points(start, call):
    with pytest.raises((TypeError, ValueError), match=r"points must be .*, got "):
        call(start())


def test_other_arguments_are_named(start):
    session = start()
    with pytest.raises((TypeError, ValueError), match=r"a must be .*, got "):
        session.cannot_link([[1], [2, 3]], [0])
    for name in (["x"], None, 3):
        with pytest.raises((TypeError, ValueError), match=r"name must be .*, got "):
            session.restore(name)
    with pytest.raises(TypeError, match="auto_learn must be True or False, got 'no'"):
        session.auto_learn = "no"


@pytest.mark.parametrize(
    "method",
    [
        nb.HSSNE(metric="correlation"),
        nb.Mbed(metric="correlation", n_classes=2),
        nb.ParametricEmbedding(),
    ],
    ids=lambda m: type(m).__name__,
)
def test_labels_cost_no_pass_over_the_data(method, monkeypatch):
    passes = Counter()

    def counted(check):
        def of_data(*arguments):
            passes[check.__name__] += 1
            return check(*arguments)

        return of_data

    for module, name in ((recipe_module, "check_metric_applies"), (parametric, "check_posteriors")):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    points = np.abs(X) / np.abs(X).sum(axis=1, keepdims=True)
    with Session(points, method) as session:
        assert passes.total() == 1
        for k, name in enumerate("abcd"):  # more classes than Mbed has room for at first
            session.label([k, k + 10], name)
        session.must_link([3, 4])
        session.remove_class("d")
        assert passes.total() == 1
        session.switch(nb.SNE(metric="correlation"))
        session.label([5], "a")
        assert passes.total() == 2
        session.set(metric="cosine")
        assert passes.total() == 3


def test_data_that_a_metric_is_not_defined_for_forbid_it():
    constant = X.copy()
    constant[3] = 1.0
    with Session(constant, nb.HSSNE()) as session:
        session.label([1], "a")
        with pytest.raises(
            ValueError, match=r"must not have constant rows .* the first of them row 3"
        ):
            session.set(metric="correlation")
        with pytest.raises(
            ValueError, match=r"must not have constant rows .* the first of them row 3"
        ):
            session.switch(nb.SNE(metric="correlation"))
        assert session.recipe.data_metric == "euclidean"


def test_a_session_that_would_not_fit_into_memory_is_refused(monkeypatch):
    points = np.random.default_rng(0).normal(size=(300, 4))
    with Session(points, nb.HSSNE(random_state=0, algorithm="grid")) as session:
        session.step(1, wait=True)
        monkeypatch.setattr("nbembed.system.memory.memory_limit", lambda: 300_000)
        message = (
            "affinities of all 300 × 300 pairs, kept in 2 forms, would take 720 kB .* "
            'algorithm="auto" or "grid", which take affinities of nearest neighbors'
        )
        with pytest.raises(ValueError, match=message):
            Session(points, nb.HSSNE())
        with pytest.raises(ValueError, match=message):
            session.set(algorithm="exact")


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_linked_pairs_that_would_not_fit_into_memory_are_refused(monkeypatch, rho):
    """NeRV with affinities of nearest neighbors stores each pair of a group, at any ρ."""
    points = np.random.default_rng(0).normal(size=(300, 4))
    method = nb.NeRV(random_state=0, algorithm="grid", map_width="uniform", rho=rho)
    with Session(points, method) as session:
        monkeypatch.setattr("nbembed.system.memory.memory_limit", lambda: 2_000_000)
        session.label(range(100), "a")
        before = session.supervision
        message = r"{} pairs of labeled or linked points would take {} MB of memory"
        with pytest.raises(ValueError, match=message.format(50000, 9)):
            session.label(range(100, 300), "b")
        with pytest.raises(ValueError, match=message.format(50000, 9)):
            session.must_link(range(100, 300))
        assert session.supervision == before
        rest(session)
        assert [event.command for event in session.log] == ["start", "label"]
        assert session.state == "idle"


def test_labels_that_make_the_metric_are_no_linked_pairs(monkeypatch):
    """SNeRV's labels are not links; the affinities of all pairs have links in their place."""
    points = np.random.default_rng(0).normal(size=(300, 4))
    labels = nb.Supervision(300).label(range(200), "a")
    links = nb.Supervision(300).must_link(range(200))
    monkeypatch.setattr("nbembed.system.memory.memory_limit", lambda: 2_000_000)
    sparse = nb.SNeRV(algorithm="grid").recipe
    sparse.check_feasible(points, labels)
    with pytest.raises(ValueError, match="40000 pairs of labeled or linked points"):
        sparse.check_feasible(points, links)
    nb.SNeRV(algorithm="exact").recipe.check_feasible(points, links)
