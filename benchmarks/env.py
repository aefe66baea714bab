"""Steps a second of Go environments, one after the other on one core, board and legal moves handed out at every step.

The actions are those of random legal games that were recorded before the measurement: with positional superko, so that they are
legal with simple ko, too, and both are measured on the same games. Before an environment is measured it plays them once, and every
action must be legal there. Needs gymnasium and pettingzoo[classic], which brings OpenSpiel
along; pgx is measured if it is installed:

    taskset -c 0 python benchmarks/env.py --size 9 --seconds 5
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator

import numpy as np
import tengen
from tengen.envs import VectorEnv


def record(size: int, games: int, seed: int, rules: str) -> list[list[int]]:
    """Random games, each up to two passes or twice the number of points."""
    random = np.random.default_rng(seed)
    recorded = []
    for _ in range(games):
        game, actions = tengen.Game(size, rules), []
        while not game.is_over and len(actions) < 2 * size * size:
            actions.append(int(random.choice(np.flatnonzero(game.legal))))
            game.play(actions[-1])
        recorded.append(actions)
    return recorded


def rate(steps: Iterator[int], seconds: float) -> float:
    """Steps per second of CPU time."""
    next(steps)
    done, begin, end = 0, time.process_time(), time.monotonic() + seconds
    while time.monotonic() < end:
        done += next(steps)
    return done / (time.process_time() - begin)


def vector(size: int, games: list[list[int]], rules: str) -> Iterator[int]:
    """tengen.VectorEnv; every game begins again in the step in which it ends."""
    envs = VectorEnv(len(games), size, rules, autoreset_mode="SameStep")
    longest = max(map(len, games))
    # Row by row, each game over and over.
    table = np.array([[game[t % len(game)] for game in games] for t in range(longest * 3)])
    everywhere = np.arange(len(games))
    observations, _ = envs.reset()
    for actions in table:
        assert observations["action_mask"][everywhere, actions].all()
        observations = envs.step(actions)[0]
    while True:
        # All games begin at the same place of the table again.
        envs.reset()
        for actions in table:
            envs.step(actions)
            yield len(games)


def aec(make: Callable[[], object], games: list[list[int]]) -> Iterator[int]:
    """A PettingZoo environment, the observation taken before every step."""
    env = make()
    for game in games:
        env.reset()
        for action in game:
            assert env.last()[0]["action_mask"][action]
            env.step(action)
        assert env.last()[2] or env.last()[3] or len(game) == 2 * (env.last()[0]["action_mask"].size - 1)
    while True:
        for game in games:
            env.reset()
            for action in game:
                env.last()
                env.step(action)
                yield 1


def open_spiel(size: int, games: list[list[int]]) -> Iterator[int]:
    """OpenSpiel's Python interface."""
    import pyspiel

    spiel = pyspiel.load_game("go", {"board_size": size})

    def flipped(action: int) -> int:
        """OpenSpiel counts rows from the bottom."""
        row, column = divmod(action, size)
        return action if action == size * size else (size - 1 - row) * size + column

    # Its superko differs, so each game is played as far as it is legal there.
    lines = []
    for game in games:
        state, line = spiel.new_initial_state(), []
        for action in map(flipped, game):
            if state.is_terminal() or action not in state.legal_actions():
                break
            state.apply_action(action)
            line.append(action)
        lines.append(line)
    while True:
        for line in lines:
            state = spiel.new_initial_state()
            for action in line:
                state.apply_action(action)
                if not state.is_terminal():
                    state.observation_tensor(0)
                    state.legal_actions_mask()
                yield 1


def pgx_steps(size: int, games: list[list[int]]) -> Iterator[int]:
    """pgx on the CPU, all games by one compiled step, which begins those again that are over; board and mask as numpy arrays."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(f"go_{size}x{size}")
    step, init = jax.jit(jax.vmap(auto_reset(env.step, env.init))), jax.jit(jax.vmap(env.init))
    keys = jax.random.split(jax.random.PRNGKey(1), len(games))
    table = np.array([[game[t % len(game)] for game in games] for t in range(max(map(len, games)))])
    state, everywhere = init(keys), np.arange(len(games))
    for actions in table[: 2 * size]:
        assert np.asarray(state.legal_action_mask)[everywhere, actions].all()
        state = step(state, actions, keys)
    while True:
        state = init(keys)
        for actions in table:
            state = step(state, actions, keys)
            np.asarray(state.observation)
            np.asarray(state.legal_action_mask)
            yield len(games)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    size, seconds = arguments.size, arguments.seconds
    from pettingzoo.classic import go_v5
    from tengen.pettingzoo import env

    rows = []

    def measure(name: str, steps: Iterator[int]) -> None:
        rows.append((name, rate(steps, seconds)))
        print(f"{name:42} {rows[-1][1]:12,.0f} steps per CPU-second", flush=True)

    many = record(size, arguments.envs, 1, "chinese-ogs")
    measure("tengen.VectorEnv, simple ko", vector(size, many, "chinese"))
    measure("tengen.VectorEnv, positional superko", vector(size, many, "chinese-ogs"))
    measure("tengen.VectorEnv, superko and suicide", vector(size, record(size, arguments.envs, 1, "tromp-taylor"), "tromp-taylor"))
    games = many[:20]
    measure("tengen.pettingzoo", aec(lambda: env(board_size=size), games))
    measure("OpenSpiel", open_spiel(size, games))
    measure("PettingZoo go_v5", aec(lambda: go_v5.env(board_size=size), games))
    if importlib.util.find_spec("pgx") and size in (9, 19):
        measure("pgx", pgx_steps(size, many))
    speed = dict(rows)
    simple, superko = speed["tengen.VectorEnv, simple ko"], speed["tengen.VectorEnv, positional superko"]
    print(f"VectorEnv / OpenSpiel        {simple / speed['OpenSpiel']:8.1f}")
    print(f"tengen.pettingzoo / go_v5    {speed['tengen.pettingzoo'] / speed['PettingZoo go_v5']:8.1f}")
    print(f"superko / simple ko          {superko / simple:8.2f}")


if __name__ == "__main__":
    main()
