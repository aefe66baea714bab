"""Docstrings, examples and types."""

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest
import tengen

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    "tengen",
    "tengen.agents",
    "tengen.envs",
    "tengen.matches",
    "tengen.network",
    "tengen.pettingzoo",
    "tengen.records",
    "tengen.registration",
    "tengen.train",
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted and not result.failed


def native():
    """What is written in Rust and has a docstring."""
    batch = tengen._tengen.Batch
    for thing in (tengen.Game, tengen.Player, tengen.Analysis, batch, tengen._tengen.Network, tengen.networks, tengen.presets):
        yield thing.__name__, thing.__doc__
        for name in vars(thing) if isinstance(thing, type) else ():
            member = getattr(thing, name)
            if not name.startswith("_") and (callable(member) or ">>>" in (member.__doc__ or "")):
                yield f"{thing.__name__}.{name}", member.__doc__


# They are what others are made of.
WITHOUT_EXAMPLE = {"Network", "Network.evaluate", "Network.evaluate_planes", "Player.choose", "Batch.planes"}


@pytest.mark.parametrize(("name", "text"), list(native()))
def test_docstrings_of_the_native_part(name, text):
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert test.examples or name in WITHOUT_EXAMPLE
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("path", sorted((ROOT / "python/examples").glob("*.py")), ids=lambda path: path.name)
def test_examples(path, tmp_path):
    environment = {**os.environ, "TENGEN_SHORT": "1"}
    run = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def test_the_notebook(tmp_path):
    """It runs from top to bottom, and draws."""
    book = nbformat.read(ROOT / "python/examples/notebook.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output.get("data", {}) for cell in book.cells for output in cell.get("outputs", [])]
    assert sum("image/svg+xml" in data for data in shown) == 3


@pytest.mark.parametrize("page", ["docs/python.md", "docs/learning.md"])
def test_the_guide(page, tmp_path, monkeypatch):
    """Every Python block of a page runs, in order."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").mkdir()
    tengen.play_game("random,seed=1", "random,seed=2", size=9, record="games/games-000000-9x9.npz")
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_types():
    for command in (["mypy"], ["mypy.stubtest", "tengen._tengen"]):
        run = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
