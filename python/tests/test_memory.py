"""Memory does not grow over a hundred thousand games, however they are played."""

import resource
from pathlib import Path

import numpy as np
import tengen
from tengen.pettingzoo import raw_env


def memory():
    """Kilobytes in use, or where that is unknown the most that have been."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * resource.getpagesize() // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def vector_games(count):
    envs = tengen.VectorEnv(1000, size=3, autoreset_mode="SameStep", rules="tromp-taylor")
    observations, _ = envs.reset(seed=1)
    random = np.random.default_rng(1)
    while count > 0:
        keys = random.random(observations["action_mask"].shape) * observations["action_mask"]
        observations, _, terminated, truncated, _ = envs.step(keys.argmax(1))
        count -= int((terminated | truncated).sum())


def plain_games(count):
    for _ in range(count):
        game = tengen.Game(3, "tromp-taylor")
        for move in (4, 0, 9, 9):
            game.play(move)
        assert game.legal[-1] and game.is_over and game.copy().board[1, 1] == 1


def aec_games(count):
    game = raw_env(board_size=3, rules="tromp-taylor")
    for _ in range(count):
        game.reset()
        for action in (4, 9, 9):
            game.last()
            game.step(action)
        assert game.terminations["black_0"]


def grows(play):
    """Kilobytes that a hundred thousand games take more than the first two thousand."""
    play(2000)
    before = memory()
    play(100_000)
    return memory() - before


def test_vectors():
    assert grows(vector_games) < 10_000


def test_games():
    assert grows(plain_games) < 10_000


def test_pettingzoo():
    assert grows(aec_games) < 10_000
