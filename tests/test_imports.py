"""Who may import whom, and what importing nbembed costs.

The data flows one way, ``kernels → affinities, supervision, objectives → optimizers → run →
methods → session → widget``, and so do the imports: a room may import from rooms of a lower rank
and from itself. A few big libraries are each let in by one door.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import nbembed

PACKAGE = Path(__file__).resolve().parents[1] / "nbembed"

#: The rank of every room. A new room must be given its place here.
RANKS = {
    "kernels": 0,
    "validation": 1,
    "system": 1.1,
    "data": 1.2,
    "neighbors": 1.5,
    "affinities": 2,
    "supervision": 2,
    "points": 2,
    "drawing": 2.5,
    "measures": 3,
    "objectives": 3,
    "learning_metric": 3,
    "posteriors": 3,
    "propagation": 3,
    "optimizers": 4,
    "schedule": 5,
    "run": 6,
    "methods": 7,
    "spectral": 8,
    "baselines": 8,
    "session": 9,
    "datasets": 9,
    "widget": 10,
    "experiments": 11,
    "plots": 10,
    "cli": 12,
    "__main__": 13,
}

#: The ranks of the rooms inside a room, and of its modules that are in none of them. Here imports
#: for type checkers count, too.
INNER_RANKS = {
    "session": {
        "core": 0,
        "map": 1,
        "live": 2,
        "readings": 3,
        "file": 3.5,
        "session": 4,
        "loading": 5,
        "placing": 5,
        "second_session": 5,
        "shared_labels": 5,
    },
    "widget": {
        "server": 0,
        "wire": 0,
        "stream": 1,
        "answers": 2,
        "view": 3,
        "host": 4,
        "explorer": 5,
    },
    "experiments": {"sweeps": 0, "papers": 1},
}

#: Libraries that only these rooms may import.
DOORS = {
    "numba": {"kernels"},
    "llvmlite": {"kernels"},
    "anywidget": {"widget"},
    "ipywidgets": {"widget"},
    "traitlets": {"widget"},
    "bokeh": {"plots"},
    "narwhals": {"points"},
    "PIL": {"points", "drawing"},
    "jupyter_bokeh": {"plots"},
    "jupyterlab": set(),
    "dask": {"data"},
    "distributed": {"experiments"},
    "joblib": {"experiments"},
}

MODULES = sorted(p for p in PACKAGE.rglob("*.py") if "frontend" not in p.parts)


def room(path: Path) -> str:
    """Return the name of the room of a module: its folder or file directly under the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path, typing: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of every import in a module.

    Imports under ``if TYPE_CHECKING`` bind nothing at run time; they count only with ``typing``.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = [PACKAGE.name, *path.relative_to(PACKAGE).parent.parts]
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and not typing and "TYPE_CHECKING" in ast.dump(node.test):
            todo.extend(node.orelse)
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"
        todo.extend(ast.iter_child_nodes(node))


def describe(path: Path, line: int, text: str) -> str:
    return f"{path.relative_to(PACKAGE.parent)}:{line} {text}"


def test_every_room_has_a_rank():
    rooms = {room(path) for path in MODULES} - {"__init__"}
    assert rooms <= RANKS.keys(), "give the new room a rank"


def test_imports_run_one_way():
    wrong = []
    for path in MODULES:
        if room(path) in ("__init__", "cli"):
            continue
        for line, name in imports(path):
            parts = name.split(".")
            if parts[0] != "nbembed" or parts[1] == "__version__":
                continue
            if parts[1] == room(path):
                continue
            if parts[1] not in RANKS:
                wrong.append(describe(path, line, f"imports {name} through nbembed's lazy names"))
            elif RANKS[parts[1]] >= RANKS[room(path)]:
                wrong.append(describe(path, line, f"imports {parts[1]}, which is not below it"))
    assert wrong == []


@pytest.mark.parametrize("outer", INNER_RANKS)
def test_imports_inside_a_room_run_one_way(outer: str) -> None:
    ranks = INNER_RANKS[outer]
    wrong = []
    for path in MODULES:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] != outer or parts[1] == "__init__":
            continue
        for line, name in imports(path, typing=True):
            other = name.split(".")[1:3]
            if other[:1] != [outer] or other[1:] == [parts[1]]:
                continue
            if len(other) < 2 or other[1] not in ranks:
                wrong.append(describe(path, line, f"imports {name} through the names of {outer}"))
            elif ranks[other[1]] >= ranks[parts[1]]:
                wrong.append(describe(path, line, f"imports {name}, which is not below it"))
    assert wrong == []


#: Modules that never come into a room, by the room.
NEVER = {
    "session/core": {"threading", "concurrent", "queue", "time", "datetime"},
    "session/map": {"threading", "concurrent", "queue"},
    "widget/wire": {"threading", "concurrent", "queue", "time"},
    "widget/answers": {"nbembed.widget.stream.trait_writer"},
}


@pytest.mark.parametrize("inner", NEVER)
def test_what_never_comes_into_a_room(inner: str) -> None:
    wrong = [
        describe(path, line, f"imports {name}")
        for path in (PACKAGE / inner).rglob("*.py")
        for line, name in imports(path, typing=True)
        if any(f"{name}.".startswith(f"{never}.") for never in NEVER[inner])
    ]
    assert wrong == []


def dependencies() -> dict[str, set[str]]:
    """Return the modules of the package that each imports at run time, local imports included."""
    names = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
    }
    found: dict[str, set[str]] = {}
    for path in MODULES:
        own = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        own = own.removesuffix(".__init__")
        found[own] = set()
        for _, name in imports(path):
            # ``from package import name``: a module of that name, or something in the package.
            target = name if name in names else name.rpartition(".")[0]
            if target in names and target != own:
                found[own].add(target)
    return found


def test_no_modules_import_each_other_in_a_circle():
    """Strongly connected components of more than one module, by Tarjan's algorithm."""
    graph = dependencies()
    # The package itself loads its names lazily; its version is read from everywhere.
    graph.pop("nbembed")
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    circles: list[list[str]] = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in sorted(graph[module] & graph.keys()):
            if other not in order:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], order[other])
        if low[module] == order[module]:
            component = [stack.pop()]
            while component[-1] != module:
                component.append(stack.pop())
            if len(component) > 1:
                circles.append(sorted(component))

    for module in sorted(graph):
        if module not in order:
            visit(module)
    assert circles == []


def test_big_libraries_come_in_by_their_door_only():
    wrong = [
        describe(path, line, f"imports {name}")
        for path in MODULES
        for line, name in imports(path, typing=True)
        if room(path) not in DOORS.get(name.split(".")[0], {room(path)})
    ]
    assert wrong == []


def loaded_by(statement: str) -> set[str]:
    """Return the top-level packages that a fresh interpreter has loaded after a statement."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_no_test_reaches_through_a_session() -> None:
    """A session is tested by its face; parts that a test makes itself are its own to look into."""
    inner = re.compile(r"(?<!\w)_" + r"controller\b")
    tests = PACKAGE.parent / "tests"
    files = [path for path in tests.rglob("*.py") if inner.search(path.read_text(encoding="utf-8"))]
    assert files == []


def test_importing_nbembed_loads_nothing_heavy():
    loaded = loaded_by("import nbembed; dir(nbembed)")
    assert "nbembed" in loaded
    heavy = {"numpy", "scipy", "numba", "sklearn", "anywidget", "ipywidgets", "bokeh", "pandas"}
    assert loaded & heavy == set()


def test_a_session_needs_no_notebook_library():
    """A script or a server steers a run without a widget."""
    loaded = loaded_by("import nbembed; nbembed.Session")
    assert loaded & {"anywidget", "ipywidgets", "IPython", "bokeh"} == set()


@pytest.mark.parametrize("name", nbembed.__all__)
def test_every_public_name_loads(name):
    value = getattr(nbembed, name)
    assert value is not None
    assert name in dir(nbembed)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        nbembed.no_such_name  # noqa: B018


def test_the_stub_lists_the_public_names():
    """What editors see (``__init__.pyi``) is what there is, from the same places."""
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    stub: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None
            for alias in node.names:
                assert alias.asname == alias.name, "without 'as', a stub does not export a name"
                stub[alias.name] = node.module
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            stub[node.target.id] = "nbembed"
    assert stub.keys() == set(nbembed.__all__)
    homes = {name: nbembed._HOMES.get(name, "nbembed") for name in nbembed.__all__}
    assert stub == homes
