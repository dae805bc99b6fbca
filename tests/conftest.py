"""What all tests share: the order they run in and the settings of hypothesis."""

from __future__ import annotations

import os
import sys

import hypothesis
import numpy as np
import pytest

from tests.browser.fixtures import (  # noqa: F401  (fixtures are found by their names)
    browser,
    browser_without_webgl,
    chromium_path,
    playwright,
)

# Tests start many interpreters; each would compile the package anew where byte code is not kept, as
# environments of containers often have it.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A failing example must fail again for the next person, and a loaded machine is no reason to fail.
hypothesis.settings.register_profile("default", deadline=None, derandomize=True, max_examples=50)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses the browser; run quick tests first and the browser last, to fail early."""
    for item in items:
        if "chromium_path" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
    items.sort(
        key=lambda item: (
            item.get_closest_marker("browser") is not None,
            item.get_closest_marker("slow") is not None,
        )
    )


@pytest.fixture
def rng() -> np.random.Generator:
    """Return the same stream of random numbers for every test."""
    return np.random.default_rng(20070603)
