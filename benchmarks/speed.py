"""How fast every hot path is: units of work per second of CPU time, and instructions a unit, compared with the last release.

    make bench                          everything, about five minutes
    make bench ARGS="playout 9x9"       only the paths whose names have these words
    make bench ARGS=--keep              afterwards: these are the figures of the release now

CPU time depends on the machine and on what else runs there. Instructions are counted by callgrind (`apt install valgrind`), they are
the same in every run of the same program on the same kind of processor, and a difference of one per cent is a difference. Each
count is the difference between two runs of which one does more work, so that starting the program is not part of it.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KEPT = pathlib.Path(__file__).with_suffix(".json")
MEASURED = pathlib.Path("target/bench.json")
# More instructions than this mean that a path got slower; CPU time is too noisy for a verdict.
TOLERANCE = 0.02


class Path:
    """A hot path: the arguments of `tengen bench`, and the flag and the numbers for more or less work."""

    def __init__(self, program: str, name: str, command: str, flag: str, works: tuple[int, int], unit: str):
        self.program, self.name, self.command = program, name, command.split()
        self.flag, self.works, self.unit = flag, works, unit

    def run(self, before: list[str], *flags: str) -> dict:
        command = [*before, self.program, "bench", *self.command, *flags, "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def per_cpu_second(self) -> float:
        # The first run tells how much work takes about two seconds.
        work = self.works[1]
        pilot = self.run([], self.flag, str(work))
        work = max(work, int(work * 2 / max(pilot["cpu_seconds"], 1e-3)))
        return self.run([], self.flag, str(work))["per_cpu_second"]

    def instructions(self) -> float:
        (less, before), (more, after) = (self.count(work) for work in self.works)
        return (after - before) / (more - less)

    def count(self, work: int) -> tuple[int, int]:
        """How much was done, and the instructions it took."""
        with tempfile.NamedTemporaryFile() as out:
            callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}"]
            report = self.run(callgrind, self.flag, str(work))
            total = re.search(r"^(?:totals|summary): (\d+)", pathlib.Path(out.name).read_text(), re.MULTILINE)
        return report[self.unit], int(total[1])


def paths(program: str) -> list[Path]:
    found = []
    for size, factor in (9, 5), (19, 1):

        def add(name: str, command: str, flag: str, works: tuple[int, int], unit: str) -> None:
            # Boards of 9x9 are five times as fast. After few playouts a search does other work before it decides.
            works = works if "search" in name else (works[0] * factor, works[1] * factor)
            full = f"{name} {size}x{size}"
            found.append(Path(program, full, f"{command} --size {size}", flag, works, unit))

        add("playout uniform", "playout --policy uniform", "--playouts", (100, 400), "playouts")
        add("playout mogo", "playout --policy mogo", "--playouts", (50, 200), "playouts")
        add("playout heavy", "playout --policy heavy", "--playouts", (20, 80), "playouts")
        add("search uct", "search --preset uct --threads 1", "--playouts", (50, 150), "playouts")
        add("search gcmb", "search --preset gcmb --threads 1", "--playouts", (50, 150), "playouts")
        add("search classic", "search --preset classic --threads 1", "--playouts", (30, 90), "playouts")
        add("search default", "search --preset default --threads 1", "--playouts", (2, 3), "playouts")
        add("rollout a reduced", "rollout --net rollout-a-reduced", "--rounds", (5, 20), "rollouts")
        add("environment", "env --envs 16", "--rounds", (100, 400), "steps")
    return found


def show(name: str, now: dict, kept: dict | None) -> bool:
    """Prints a line; whether the path got slower."""

    def ratio(key: str) -> float | None:
        return now[key] / kept[key] if kept and now.get(key) and kept.get(key) else None

    speed, count = ratio("per_cpu_second"), ratio("instructions")
    slower = count is not None and count > 1 + TOLERANCE
    columns = [
        f"{name:<24}{now['per_cpu_second']:>10.0f}",
        f"{speed:>7.2f}" if speed else f"{'':>7}",
        f"{now['instructions']:>14.0f}" if now["instructions"] else f"{'':>14}",
        f"{count:>8.3f}" if count else f"{'':>8}",
        "  slower" if slower else "",
    ]
    print("".join(columns).rstrip(), flush=True)
    return slower


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only the paths whose names have these words")
    parser.add_argument("--program", default="target/release/tengen", help="the program to measure")
    parser.add_argument("--keep", action="store_true", help=f"copy what was measured last to {KEPT.name}")
    args = parser.parse_args()
    if args.keep:
        shutil.copy(MEASURED, KEPT)
        return
    counts = shutil.which("valgrind") is not None
    if not counts:
        print("valgrind is missing, so instructions are not counted: apt install valgrind", file=sys.stderr)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    measured, slower = {}, []
    print(f"{'':<24}{'per CPU-s':>10}{'ratio':>7}{'instructions':>14}{'ratio':>8}")
    for path in paths(args.program):
        if args.words and not all(word in path.name for word in args.words):
            continue
        figures = {
            "per_cpu_second": round(path.per_cpu_second(), 1),
            "instructions": round(path.instructions(), 1) if counts else None,
        }
        measured[path.name] = figures
        if show(path.name, figures, kept.get(path.name)):
            slower.append(path.name)
    MEASURED.parent.mkdir(exist_ok=True)
    MEASURED.write_text(json.dumps({**kept, **measured}, indent=1) + "\n")
    print(f"written to {MEASURED}; ratios are to {KEPT.name}, the figures of the last release")
    if slower:
        sys.exit(f"slower than the last release: {', '.join(slower)}")


if __name__ == "__main__":
    main()
