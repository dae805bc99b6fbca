"""Fixtures of the session's tests: small data, a quick method, sessions that end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from nbembed.methods import registry
from nbembed.session import Session
from tests.session import fake


@pytest.fixture(autouse=True)
def _clean_fake() -> Iterator[None]:
    """Let no test inherit another's counts or troubles."""
    fake.calls.clear()
    fake.trouble.clear()
    fake.fits.clear()
    fake.gate.set()
    yield
    fake.trouble.clear()
    fake.gate.set()
    fake.fit_gate.set()


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what lets the sessions of one test switch to a method by its name."""
    monkeypatch.setattr(registry, "_recipes", registry.registered())
    return registry.register


@pytest.fixture
def X() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(30, 4))


@pytest.fixture
def start(X: np.ndarray) -> Iterator[Callable[..., Session]]:
    """Return a function that makes sessions of ``X`` without a pace and closes them afterwards."""
    made: list[Session] = []

    def make(method: object = None, **keywords: object) -> Session:
        session = Session(X, fake.Fake(random_state=3) if method is None else method, **keywords)
        session.pace = None
        made.append(session)
        return session

    yield make
    fake.gate.set()
    fake.fit_gate.set()
    for session in made:
        session.close()
