"""What several tests use."""

import os
import shutil

import pytest


@pytest.fixture
def skip():
    """Leaves a test out and notes what could not be checked, and why."""

    def skip(what, why):
        if skipped := os.environ.get("TENGEN_SKIPPED"):
            with open(skipped, "a") as file:
                file.write(f"- python: {what}: {why}\n")
        pytest.skip(why)

    return skip


@pytest.fixture
def gnugo(skip):
    """GNU Go as a player."""
    found = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    if found is None:
        skip("games against GNU Go", "it is not installed")
    return f"gtp:{found} --mode gtp --chinese-rules --level 1"
