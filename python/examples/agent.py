"""An agent: it captures what it can, and otherwise plays at random.

Run it to play a match; with the argument `gtp` it is an engine for Sabaki or `tengen match`.
"""

import os
import sys

import numpy as np
import tengen


class Greedy:
    name = "greedy"

    def __init__(self):
        self.random = np.random.default_rng()

    def new_game(self, seed):
        self.random = np.random.default_rng(seed)

    def choose(self, board, state):
        me = state.to_play
        moves = np.flatnonzero(state.legal[:-1] & ~tengen.agents.eyes(board, me).ravel())
        if not moves.size:
            return "pass"
        stones = (board == 3 - me).sum()

        def captured(move):
            after = state.game.copy()
            after.play(int(move))
            return stones - (after.board == 3 - me).sum()

        return int(max(self.random.permutation(moves), key=captured))


if sys.argv[1:] == ["gtp"]:
    tengen.serve_gtp(Greedy())
else:
    games = 4 if os.environ.get("TENGEN_SHORT") else 40
    print(tengen.Match(Greedy(), tengen.RandomAgent(), games=games, size=7, seed=1).run())
