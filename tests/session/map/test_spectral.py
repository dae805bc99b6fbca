"""Spectral learners in a session: solved again at once, and redone to the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
import nbembed.spectral as spectral
from nbembed.session import Session, load_session
from tests.session.fake import rest
from tests.session.redone import redone
from tests.waiting import GUARD


@pytest.fixture(scope="module")
def iris() -> np.ndarray:
    return load_iris().data[::3]


@pytest.mark.parametrize("name", spectral.__all__)
def test_every_learner_is_steered_and_redone(iris, name, tmp_path):
    with Session(iris, getattr(spectral, name)()) as session:
        session.pace = None
        session.step(2)
        session.label(range(10), "a")
        session.label(range(20, 30), "b")
        session.label(range(40, 50), "c")
        session.step(2)
        for parameter in session.live_parameters:
            session.set(**{parameter.name: parameter.high})
            session.step(1)
        session.play()
        assert session.wait("converged", GUARD)
        assert np.isfinite(session.embedding).all()
        redone(session)
        session.save(tmp_path / "x")
        loaded = load_session(tmp_path / "x")
        loaded.set(n_components=1)
        loaded.step(2)
        rest(loaded)
        redone(loaded)
        loaded.close()


def test_a_label_and_a_slider_show_in_the_next_frame(iris):
    with Session(iris, spectral.LFDA(gamma=0.01)) as session:
        session.play()
        assert session.wait("converged", GUARD)
        for change in (
            lambda: session.supervise(load_iris().target[::3]),
            lambda: session.set(gamma=100.0),
        ):
            before, first = session.embedding, session.iteration
            change()
            session.step(1)
            rest(session)
            assert session.iteration == first + 1
            after = session.embedding
            assert np.abs(after - before).max() > 1e-3
            session.play()
            assert session.wait("converged", GUARD)
            # There already: what is left are the calm iterations that convergence asks for.
            assert np.abs(session.embedding - after).max() < 1e-5 * np.abs(after).max()
            assert session.iteration - first < 40


def test_a_slider_moves_the_map_steadily(iris):
    with Session(iris, spectral.LFDA(), supervision=load_iris().target[::3]) as session:
        session.step(1)
        rest(session)
        last = session.embedding
        size = float(np.linalg.norm(last - last.mean(axis=0)))
        for gamma in np.geomspace(1e-3, 1e-2, 6):
            session.set(gamma=float(gamma))
            session.step(1)
            rest(session)
            now = session.embedding
            assert np.linalg.norm(now - last) < 0.5 * size, "no flip and no turn"
            last = now


def test_from_one_kind_of_method_to_the_other(iris):
    with Session(iris, nb.HSSNE(random_state=0, metric="cityblock")) as session:
        session.pace = None
        session.step(30)
        session.label(range(10), "a")
        session.label(range(20, 30), "b")
        session.switch("LFDA")
        session.step(3)
        session.switch("HSSNE")
        assert session.parameters["metric"] == "cityblock"
        session.step(3)
        rest(session)
        redone(session)


def test_dissimilarities_cannot_be_projected(iris):
    D = np.linalg.norm(iris[:, None] - iris, axis=2)
    with Session(D, nb.HSSNE(metric="precomputed")) as session:
        with pytest.raises(
            ValueError,
            match="needs features, but the data of the session are dissimilarities",
        ):
            session.switch("PCA")
        assert session.method_name == "HSSNE"


def test_a_switch_by_name_looks_at_unlabeled_points_too(iris):
    with Session(iris, spectral.LFDA()) as session:
        assert session.parameters["gamma"] == 0, "as it was given"
        session.switch("FDA")
        assert session.parameters["gamma"] > 0
        session.set(gamma=0.0)
        session.switch("LPP")
        session.switch("FDA")
        assert session.parameters["gamma"] == 0, "as it was set"


def test_a_kernel_width_in_words_is_shown_as_the_number_that_it_came_to(iris):
    with Session(iris, spectral.KPCATrick()) as session:
        session.step()
        session.wait(timeout=GUARD)
        assert session.parameters["kernel_coefficient"] == pytest.approx(1 / iris.var(axis=0).sum())


def test_a_switch_by_name_from_a_method_without_chance_fixes_the_random_state(iris):
    with Session(iris, spectral.PCA()) as session:
        session.switch("NeRV")
        assert session.method.random_state is not None
        session.set(init="random")
        session.reset()
        session.step(2)
        rest(session)
        redone(session)
