"""How `pip install .` builds the package: first the page that the command `tengen` serves, then everything else with maturin.

The page needs Node.js. Without it the package is built all the same, and says so (pip shows it with -v; `tengen play` says it, too).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import maturin
from maturin import *  # noqa: F403  what is the same: editable builds, source distributions, metadata

WEB = Path(__file__).resolve().parents[2] / "web"


def build_page() -> None:
    """Builds web/dist, unless it is newer than what it is made from."""
    page = WEB / "dist/index.html"
    sources = [path for path in WEB.rglob("*") if path.is_file() and not {"dist", "node_modules", "tests"} & set(path.parts)]
    if page.exists() and all(path.stat().st_mtime <= page.stat().st_mtime for path in sources):
        return
    npm = shutil.which("npm")
    if npm is None:
        if not page.exists():
            print(
                "Node.js is missing, so the package is built without the board in the browser: install Node.js 20 or later "
                "(https://nodejs.org) and then the package again.",
                file=sys.stderr,
            )
        return
    subprocess.run([npm, "install", "--no-save", "--no-audit", "--no-fund", "--silent"], cwd=WEB, check=True)
    subprocess.run([npm, "run", "build", "--silent", "--", "--logLevel", "warn"], cwd=WEB, check=True)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """PEP 517."""
    build_page()
    name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name
