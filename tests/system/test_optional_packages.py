"""Optional packages: a missing one is named, with the command that installs it."""

import sys

import numpy as np
import pytest

from nbembed.system.optional_packages import load_optional


def test_an_installed_package_is_loaded():
    assert load_optional("numpy", "fit()") is np


def test_a_missing_package_is_named_with_its_installation(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'^to_frame\(\) needs pandas, .*: pip install "pandas"$'):
        load_optional("pandas", "to_frame()")
    with pytest.raises(ImportError, match=r'pip install "nbembed\[lab\]"$'):
        load_optional("pandas", "to_frame()", "nbembed[lab]")
