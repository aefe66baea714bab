"""Self-play is recorded as arrays, and read: how sure was the search of its moves, and was it right about the winner?"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import tengen

games = 4 if os.environ.get("TENGEN_SHORT") else 100
with tempfile.TemporaryDirectory() as folder:
    command = f"selfplay --net default --size 7 --games {games} --simulations 8 --seed 1 --threads 1 --out {folder}"
    subprocess.run([sys.executable, "-m", "tengen", *command.split()], check=True, stderr=subprocess.DEVNULL)
    records = tengen.load_records(f"{folder}/*.npz")

learned = records["weights"] > 0
share = records["policies"].astype(np.float32).max(1)
right = np.sign(records["values"]) == records["rewards"]
print(f"{len(records['komi'])} games, {len(records['moves'])} positions, {learned.sum()} of them to learn from")
_, length = np.unique(records["game_ids"], return_counts=True)
number = np.concatenate([np.arange(n) for n in length])
for first in range(0, length.max(), 10):
    these = learned & (number >= first) & (number < first + 10)
    if these.any():
        print(f"moves {first + 1:3} to {first + 10:3}: share of the best move {share[these].mean():.2f}, winner foreseen {right[these].mean():.0%}")
