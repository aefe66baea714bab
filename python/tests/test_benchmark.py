"""The comparison of environments, in a short form."""

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks/env.py"


def test_environments_are_compared():
    """The recorded games are legal everywhere, which it makes sure of itself, and every ratio is told."""
    command = [sys.executable, PROGRAM, "--size", "5", "--envs", "4", "--seconds", "0.1"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    rates = [line for line in run.stdout.splitlines() if line.endswith("steps per CPU-second")]
    ratios = {line[:27].strip(): float(line[27:]) for line in run.stdout.splitlines()[-3:]}
    assert len(rates) >= 6
    assert set(ratios) == {"VectorEnv / OpenSpiel", "tengen.pettingzoo / go_v5", "superko / simple ko"}
    assert all(ratio > 0 for ratio in ratios.values())
