"""What is shipped: build the sdist and the wheels, open them and look, install one and use it.

Nothing here needs a package registry: the build runs in this environment (the ``test`` extra holds
the build's requirements), and the fresh environment borrows this one's libraries.
"""

from __future__ import annotations

import email
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

import nbembed
from tests.browser import servers
from tests.waiting import GUARD

ROOT = Path(__file__).resolve().parents[1]
QUICKSTART = ROOT / "notebooks" / "quickstart.ipynb"
STATIC = "nbembed/widget/static"
#: A script of a few lines, part of the bundle.
LOST = f"{STATIC}/lost_widget.js"
BUNDLE = (
    *(f"{STATIC}/{name}" for name in ("explorer.js", "explorer.css", "still.js", "LICENSES.txt")),
    LOST,
)

pytestmark = pytest.mark.slow


def build(source: Path, target: str, directory: Path) -> Path:
    """Build one target of a source tree; return the archive."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(directory)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = directory.iterdir()
    return made


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        # Python before 3.11.4 has no filters.
        archive.extractall(
            directory, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {})
        )
    (root,) = directory.iterdir()
    return root


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def wheel_of_sdist(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(unpacked, "wheel", tmp_path_factory.mktemp("wheel-of-sdist"))


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def check_wheel(files: dict[str, bytes]) -> None:
    for name in BUNDLE:
        assert name == LOST or len(files[name]) > 1_000, f"{name} is a stub"
        assert files[name] == (ROOT / name).read_bytes(), f"{name} is not the one built here"
    assert b"Error displaying widget" in files[LOST], "it looks for what the widget manager says"
    assert "nbembed/py.typed" in files
    assert "nbembed/__init__.pyi" in files
    notebooks = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("*.ipynb", "gallery/*.ipynb")
        for path in (ROOT / "notebooks").glob(pattern)
    }
    assert "notebooks/quickstart.ipynb" in notebooks
    assert {f"nbembed/{name}" for name in notebooks} <= files.keys()
    ours = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("*.py", "*.npz")
        for path in (ROOT / "nbembed").rglob(pattern)
        if "frontend" not in path.parts
    }
    assert ours <= files.keys()
    tops = {name.partition("/")[0] for name in files}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"nbembed"}
    beside = [name for name in files if name.partition("/")[0].endswith(".data")]
    assert beside == [], "an installation changes nothing in a Jupyter server"
    assert [name for name in files if "frontend/" in name or "node_modules" in name] == []
    (license,) = [name for name in files if name.endswith("licenses/LICENSE")]
    assert b"The nbembed developers" in files[license]


def test_the_wheel_carries_bundle_notebooks_data_and_types(wheel):
    files = contents(wheel)
    check_wheel(files)
    (metadata,) = [name for name in files if name.endswith(".dist-info/METADATA")]
    fields = email.message_from_bytes(files[metadata])
    assert fields["Name"] == "nbembed"
    assert fields["Version"] == nbembed.__version__
    assert fields["License-Expression"] == "BSD-3-Clause"
    assert fields["Requires-Python"] == ">=3.11"
    assert all(fields[name] for name in ("Summary", "Author", "Keywords", "Classifier"))
    assert set(fields.get_all("Provides-Extra", [])) == {
        "lab",
        "dask",
        "sdp",
        "test",
        "docs",
        "bench",
    }


def test_the_sdist_carries_bundle_and_sources(unpacked):
    for name in (
        *BUNDLE,
        "nbembed/widget/frontend/package-lock.json",
        "nbembed/widget/frontend/src/index.ts",
        "nbembed/widget/frontend/hatch_build.py",
        "notebooks/quickstart.ipynb",
        "tests/test_packaging.py",
        "README.md",
        "LICENSE",
    ):
        assert (unpacked / name).is_file(), name
    assert not (unpacked / "nbembed/widget/frontend/node_modules").exists()


def test_a_wheel_is_built_from_the_sdist_without_npm(wheel_of_sdist, unpacked):
    check_wheel(contents(wheel_of_sdist))
    assert not (unpacked / "nbembed/widget/frontend/node_modules").exists()


def test_the_lock_file_names_no_registry():
    """The lock must serve whoever has a registry of their own."""
    lock = (ROOT / "nbembed/widget/frontend/package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert '"integrity"' in lock


CHECK = """\
import json
import nbembed
for name in nbembed.__all__:
    getattr(nbembed, name)
embedding = nbembed.HSSNE(max_iter=5).fit_transform([[0.0], [1.0], [2.0], [5.0]])
explorer = nbembed.Explorer([[0.0], [1.0], [2.0], [5.0]])
print(json.dumps({
    "package": nbembed.__file__,
    "shape": embedding.shape,
    "bundle": len(str(explorer._esm)),
}))
"""
#: Runs the quickstart up to its map.
OPENED = """\
import nbclient, nbformat
notebook = nbformat.read("quickstart.ipynb", as_version=4)
shown = next(k for k, cell in enumerate(notebook.cells) if "nb.Explorer(" in cell.source)
notebook.cells = notebook.cells[: shown + 1]
nbclient.execute(notebook, timeout=600, kernel_name="python3")
(output,) = [o for o in notebook.cells[-1].outputs if o.output_type == "execute_result"]
assert "application/vnd.jupyter.widget-view+json" in output.data, output
"""


def test_the_wheel_opens_the_quickstart_in_a_fresh_environment(wheel, tmp_path):
    """Installed by pip without its dependencies, which the environment sees by a path file.

    Path files inside the borrowed directory are not followed, so an editable installation of
    this project there cannot stand in for the wheel. No other program, Node.js among them, is on
    the path.
    """
    home = tmp_path / "environment"
    venv.create(home, with_pip=True, symlinks=True)
    inside = {"base": str(home), "platbase": str(home)}
    site = Path(sysconfig.get_path("purelib", "venv", vars=inside))
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "borrowed.pth").write_text("\n".join(sorted(borrowed)), encoding="utf-8")
    scripts = Path(sysconfig.get_path("scripts", "venv", vars=inside))
    python = scripts / Path(sys.executable).name
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"PATH": str(scripts)}

    def run(*command: object) -> str:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(python, "-m", "pip", "install", "--no-deps", "--no-index", wheel)
    answer = json.loads(run(python, "-I", "-c", CHECK).splitlines()[-1])
    assert home in Path(answer["package"]).parents
    assert answer["shape"] == [4, 2]
    assert answer["bundle"] > 5_000
    assert run(scripts / "nbembed", "--version") == f"nbembed {nbembed.__version__}\n"

    lab, port = servers.start(
        lambda port: [
            *(str(scripts / "nbembed"), "lab", "--no-browser", f"--port={port}"),
            "--IdentityProvider.token=fresh",
        ],
        "api/contents/quickstart.ipynb?token=fresh",
        folder=tmp_path,
        variables=variables,
        log=tmp_path / "log",
    )
    end = f"http://127.0.0.1:{port}/api/shutdown?token=fresh"
    urllib.request.urlopen(end, data=b"").close()
    assert lab.wait(GUARD) == 0
    assert (tmp_path / QUICKSTART.name).read_bytes() == QUICKSTART.read_bytes()
    run(python, "-I", "-c", OPENED)
