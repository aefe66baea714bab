"""The wheel as `pip install .` makes it, in an environment of its own."""

import os
import re
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The libraries of the development build are used again; a release build takes many minutes.
BUILD = f"""
import sys
sys.path.insert(0, {str(ROOT / "python/backend")!r})
import tengen_build
tengen_build.build_wheel(sys.argv[1], {{"build-args": "--profile dev --compatibility linux"}})
"""
SAYS = 'import tengen; print(float(tengen.Network("default")(tengen.Game(9)).policy.sum()))'


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The folder of programs of an environment with the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    # As in an isolated build, the program maturin is beside the interpreter.
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-c", BUILD, str(folder)]
    build = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert build.returncode == 0, build.stdout + build.stderr
    (wheel,) = folder.glob("*.whl")
    assert "abi3" in wheel.name
    place = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    # numpy is taken from here, and nothing else.
    (site,) = place.glob("lib/python*/site-packages")
    for part in Path(sysconfig.get_paths()["purelib"]).glob("numpy*"):
        (site / part.name).symlink_to(part)
    install = [place / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True)
    return place / "bin"


def test_the_network_needs_no_file(scripts, tmp_path):
    run = subprocess.run([scripts / "python", "-c", SAYS], cwd=tmp_path, capture_output=True, text=True)
    assert float(run.stdout) == pytest.approx(1, abs=1e-4), run.stderr


def test_numpy_is_all_it_needs(scripts, tmp_path):
    """Everything is imported but the environments, which say what they miss."""
    code = "from tengen import *; print(play_game('random', RandomAgent(), size=5).reason); GoEnv = __import__('tengen').GoEnv"
    run = subprocess.run([scripts / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout == "passes\n" and "No module named 'gymnasium'" in run.stderr, run.stderr


def test_the_command_is_there(scripts, tmp_path):
    run = subprocess.run([scripts / "tengen", "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert re.fullmatch(r"tengen \d+\.\d+\.\d+\S*", run.stdout.strip()), run.stderr


def test_the_page_is_there(scripts, tmp_path, skip):
    if not (ROOT / "web/dist/index.html").exists():
        skip("the page in the wheel", "Node.js is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [scripts / "tengen", "play", "--no-open", "--no-token", "--port", str(port)]
    home = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    server = subprocess.Popen(command, cwd=tmp_path, env=home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        for _ in range(100):
            try:
                page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read().decode()
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail("the server does not answer")
    finally:
        server.terminate()
        _, said = server.communicate(timeout=30)
    assert "The board is missing" not in page, said
    (style,) = (ROOT / "web/dist").glob("*.css")
    # It is in the library itself, not read from the clone.
    (library,) = scripts.parent.glob("lib/python*/site-packages/tengen/_tengen*.so")
    assert style.read_bytes() in library.read_bytes()


def test_without_node_it_says_so(tmp_path):
    """The build goes on without the page, and names the remedy."""
    code = f"""
import sys
sys.path.insert(0, {str(ROOT / "python/backend")!r})
import tengen_build, pathlib
tengen_build.WEB = pathlib.Path({str(tmp_path)!r})
tengen_build.build_page()
"""
    run = subprocess.run([sys.executable, "-c", code], env={"PATH": ""}, capture_output=True, text=True)
    assert run.returncode == 0 and "install Node.js" in run.stderr, run.stderr
