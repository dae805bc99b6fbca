"""The harness itself: a page that runs code, reports errors and reads values back."""

from __future__ import annotations

import pytest

from tests.browser.lab import KernelError


def test_cells_run_and_values_come_back(open_cells):
    notebook = open_cells(
        "x = [1, 2, 3]", "import ipywidgets; slider = ipywidgets.IntSlider(); slider", "1 / 0"
    )
    with pytest.raises(KernelError, match="ZeroDivisionError"):
        notebook.run_all()
    assert notebook.execute("print(sum(x))") == "6"
    assert notebook.evaluate("{'x': x}") == {"x": [1, 2, 3]}
    with pytest.raises(KernelError, match="KeyError"):
        notebook.execute("{}['missing']")
    notebook.page.get_by_role("slider").first.press("ArrowRight")
    assert notebook.wait_for("slider.value") == 1
    assert notebook.errors == []
    notebook.save()
    notebook.reload()
    assert notebook.evaluate("x") == [1, 2, 3], "the kernel must survive a reload"
    notebook.set_theme(dark=True)
    notebook.set_theme(dark=False)


def test_pages_without_webgl_say_so(browser, browser_without_webgl):
    probe = "() => document.createElement('canvas').getContext('webgl2') !== null"
    for running, expected in ((browser, True), (browser_without_webgl, False)):
        page = running.new_page()
        assert page.evaluate(probe) is expected
        page.close()
