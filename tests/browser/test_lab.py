"""The harness itself: a page that runs code, reports errors and reads values back."""

from __future__ import annotations

import pytest

from tests.browser.lab import KernelError


def test_cells_run_and_values_come_back(open_cells):
    notebook = open_cells(
        "x = [1, 2, 3]", "import ipywidgets; slider = ipywidgets.IntSlider(); slider"
    )
    notebook.run_all()
    assert notebook.execute("print(sum(x))") == "6"
    assert notebook.evaluate("{'x': x}") == {"x": [1, 2, 3]}
    notebook.page.get_by_role("slider").first.press("ArrowRight")
    assert notebook.wait_for("slider.value") == 1
    assert notebook.errors == []


def test_an_error_in_a_cell_or_in_code_is_raised(open_cells):
    notebook = open_cells("1 / 0")
    with pytest.raises(KernelError, match="ZeroDivisionError"):
        notebook.run_all()
    with pytest.raises(KernelError, match="KeyError"):
        notebook.execute("{}['missing']")


def test_the_page_can_be_reloaded_and_turned_dark(open_cells):
    notebook = open_cells("y = 7")
    notebook.run_all()
    notebook.save()
    notebook.reload()
    assert notebook.evaluate("y") == 7, "the kernel must survive a reload"
    notebook.set_theme(dark=True)
    notebook.set_theme(dark=False)


def test_pages_without_webgl_say_so(open_cells, browser_without_webgl):
    probe = "() => document.createElement('canvas').getContext('webgl2') !== null"
    with_webgl = open_cells("0")
    without = open_cells("0", browser=browser_without_webgl)
    assert with_webgl.page.evaluate(probe) is True
    assert without.page.evaluate(probe) is False
