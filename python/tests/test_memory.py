"""Memory does not grow over many games, however they are played."""

import resource
from pathlib import Path

import numpy as np
import pytest
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


def single_games(count):
    env = tengen.GoEnv(3, opponent="random", rules="tromp-taylor", opening=2)
    random = np.random.default_rng(1)
    for _ in range(count):
        observation, _ = env.reset()
        is_over = False
        while not is_over:
            observation, _, terminated, truncated, _ = env.step(random.choice(np.flatnonzero(observation["action_mask"])))
            is_over = terminated or truncated


def opposed_games(count):
    envs = tengen.VectorEnv(100, size=3, autoreset_mode="SameStep", opponent="uct,playouts=2,seed=1", color="alternate")
    observations, _ = envs.reset(seed=1)
    random = np.random.default_rng(1)
    while count > 0:
        keys = random.random(observations["action_mask"].shape) * observations["action_mask"]
        observations, _, terminated, truncated, _ = envs.step(keys.argmax(1))
        count -= int((terminated | truncated).sum())


def searched_games(count):
    player = tengen.Player("uct", playouts=3, seed=1)
    for _ in range(count):
        player.new_game()
        game = tengen.Game(3)
        for _ in range(3):
            if not game.is_over and (move := player.decide(game)) != "resign":
                game.play(move)
        assert player.report is None or player.report.playouts > 0


def agents_games(count):
    tengen.Match(lambda board: "pass", "random", games=count, size=3, referee="board").run()


def evaluations(count):
    network, game = tengen.Network("rollout-a"), tengen.Game(3)
    batch, planes = [game] * 50, np.stack([game.planes()] * 50)
    for _ in range(count // 100):
        network(batch)
        network(planes)


def networks(count):
    for _ in range(count // 100):
        assert tengen.Network("rollout-a").state_dict()


# How many games, and how many kilobytes they may take more than the twentieth part before them.
CASES = [
    (vector_games, 100_000, 10_000),
    (plain_games, 100_000, 10_000),
    (aec_games, 100_000, 10_000),
    (single_games, 3_000, 4_000),
    (opposed_games, 3_000, 4_000),
    (searched_games, 2_000, 4_000),
    # A match keeps its games.
    (agents_games, 2_000, 10_000),
    (evaluations, 100_000, 10_000),
    (networks, 20_000, 10_000),
]


@pytest.mark.parametrize(("play", "count", "most"), CASES, ids=[case[0].__name__ for case in CASES])
def test_memory_does_not_grow(play, count, most):
    play(count // 20)
    before = memory()
    play(count)
    assert memory() - before < most
