"""Which tests run with the oldest versions."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests import versions
from tests.versions import PACKAGE, TESTS


@pytest.mark.parametrize(
    ("file", "runs"),
    [
        ("spectral/test_solve.py", True),  # of a module that uses SciPy
        ("kernels/codegen/test_compiling.py", True),  # the adapter to Numba
        ("methods/test_check_estimator.py", True),  # scikit-learn handles our estimators
        ("widget/test_explorer.py", True),  # traitlets are in the tests, not in the module
        ("objectives/test_sne.py", False),  # SciPy is what it is compared with
        ("methods/test_flat_starts.py", False),  # scikit-learn has the data only
        ("test_names.py", False),  # the sources of the project
    ],
)
def test_a_file_runs_if_versions_can_change_its_outcome(file, runs):
    assert versions.depends(TESTS / file) is runs


def test_every_room_that_imports_a_dependency_is_tested():
    rooms = {
        path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for path in PACKAGE.rglob("*.py")
        if "frontend" not in path.parts and versions.uses_more_than_numpy(path)
    }
    tested = {
        file.relative_to(TESTS).parts[0].removeprefix("test_").removesuffix(".py")
        for file in TESTS.rglob("test_*.py")
        if versions.depends(file)
    }
    assert "widget" in rooms
    assert rooms <= tested


def test_of_combinations_every_value_is_taken_once():
    def item(nodeid, *tables, **params):
        marks = [SimpleNamespace(args=[names]) for names in tables]
        return SimpleNamespace(
            nodeid=nodeid,
            callspec=SimpleNamespace(params=params),
            iter_markers=lambda name: marks,
        )

    items = [item(f"a.py::f[{i}-{j}]", "x", x=i, y=j) for i in range(4) for j in range(3)]
    items += [item(f"a.py::t[{i}-{j}]", ("x", "y"), x=i, y=j) for i in range(2) for j in range(2)]
    items += [item(f"a.py::g[{i}]", x=i) for i in range(2)]
    items += [SimpleNamespace(nodeid="a.py::h")]
    left = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    kept = list(items)
    versions.pytest_collection_modifyitems(SimpleNamespace(hook=hook), kept)
    assert [i.nodeid.partition("::")[2] for i in kept] == [
        *("f[0-0]", "f[0-1]", "f[0-2]", "f[1-0]", "f[2-0]", "f[3-0]"),
        *("t[0-0]", "t[0-1]", "t[1-0]", "t[1-1]", "g[0]", "g[1]", "h"),
    ]
    assert len(kept) + len(left) == len(items)


@pytest.mark.parametrize("x", ["a", "b"])
@pytest.mark.parametrize("y", ["c", "d"])
def test_combinations_share_their_values(request, x, y):
    """Pytest's own record of a combination has the values as they were given."""
    found = {(parameter, value) for _, parameter, value in versions.values_of(request.node)}
    assert found == {("x", id(x)), ("y", id(y))}
