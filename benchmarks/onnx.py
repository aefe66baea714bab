"""Evaluations a second of the networks that ship, in tengen and in ONNX Runtime, by turns on one core.

Needs the command tengen on the PATH, numpy and onnxruntime:

    taskset -c 0 python benchmarks/onnx.py --seconds 5
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime


def ours(net: str, size: int, batch: int, seconds: float) -> float:
    """Evaluations per second of CPU time in tengen."""
    command = ["tengen", "bench", "net", "--net", net, "--size", str(size), "--batch", str(batch)]
    command += ["--seconds", str(seconds), "--threads", "1", "--json"]
    return json.loads(subprocess.check_output(command))["per_cpu_second"]


def theirs(session: onnxruntime.InferenceSession, size: int, batch: int, seconds: float) -> float:
    """Evaluations per second of CPU time in ONNX Runtime."""
    planes = session.get_inputs()[0]
    board = np.random.default_rng(1).random((batch, planes.shape[1], size, size), dtype=np.float32)
    session.run(None, {planes.name: board})
    done, begin, end = 0, time.process_time(), time.monotonic() + seconds
    while time.monotonic() < end:
        session.run(None, {planes.name: board})
        done += batch
    return done / (time.process_time() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+", default=["distilled", "prior-small"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[9, 19])
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 8])
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement; there are three of each")
    arguments = parser.parse_args()

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    print("| network | board | batch | tengen | ONNX Runtime | ratio |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for net in arguments.nets:
            file = Path(folder) / f"{net}.onnx"
            subprocess.run(["tengen", "export", "onnx", net, "--out", file], check=True, stdout=subprocess.DEVNULL)
            session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
            for size in arguments.sizes:
                for batch in arguments.batches:
                    # By turns, so that both see the same machine.
                    pairs = [
                        (ours(net, size, batch, arguments.seconds), theirs(session, size, batch, arguments.seconds))
                        for _ in range(3)
                    ]
                    mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
                    ratio = statistics.median(a / b for a, b in pairs)
                    print(f"| {net} | {size}x{size} | {batch} | {mine:,.0f} | {other:,.0f} | {ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
