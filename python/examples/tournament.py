"""A tournament of Python agents, presets and, if it is installed, GNU Go, with a rating table."""

import os
import shutil

import tengen

short = bool(os.environ.get("TENGEN_SHORT"))
players = [tengen.RandomAgent(), "random", "uct,playouts=100", "rave,playouts=100"]
gnugo = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
if gnugo:
    players.append(f"gtp:{gnugo} --mode gtp --chinese-rules --level 1")
print(tengen.Tournament(players, games=2 if short else 10, size=5 if short else 9, seed=1).run())
