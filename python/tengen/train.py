"""Learning by self-play: `zero` is `tengen train zero`, and its pieces work alone.

A training is a loop of games, a window over them, and steps. Each piece can be replaced by one's own:

>>> import tengen
>>> network = tengen.Network("default")
>>> buffer, learner = tengen.train.ReplayBuffer(capacity=5000), tengen.train.Learner(network)
>>> for game in tengen.train.selfplay(network, size=5, komi=(0.5, 8.5), games=4, simulations=4):
...     buffer.add(game)
>>> report = learner.step(buffer.sample(32, seed=1))
>>> report["steps"], report["loss"] > 0
(1, True)
>>> network = learner.network()
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _tengen
from ._tengen import Batch, Game
from .network import Network
from .records import FORMAT

__all__ = ["Batch", "Learner", "ReplayBuffer", "selfplay", "zero"]

Records = Mapping[str, npt.NDArray[Any]]
"""Arrays of games, as `tengen.load_records` gives them."""


def zero(
    folder: str | os.PathLike[str],
    *,
    size: int | tuple[int, int] = 9,
    komi: float | tuple[float, float] = (6.5, 7.5),
    arch: str = "",
    network: Network | None = None,
    resume: bool = False,
    on_generation: Callable[[dict[str, Any]], object] | None = None,
    on_trial: Callable[[dict[str, Any]], object] | None = None,
    on_position: Callable[[Game], object] | None = None,
    on_game: Callable[[int, int], object] | None = None,
    on_step: Callable[[int, int], object] | None = None,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Lets a network learn from its own games, as `tengen train zero` does, in a folder with the same files; returns the log.

    `size` and `komi` are one number or the least and the greatest; `network` is what it starts from, otherwise random weights of the
    architecture `arch`. Every setting of docs/learning.md is a keyword, with `__` for the dot: `generations=10`,
    `selfplay__simulations=16`. With `resume`, a run that has begun goes on with the settings that it has; only `generations`, `threads`,
    `keep_games` and those of `anchors` can change.

    The callbacks are called while it runs: `on_generation` with the line of the log, `on_trial` with the games against an opponent,
    `on_position` with a game that is being played, `on_game` and `on_step` with how many are done and of how many. One that returns
    False ends the run, and one that raises ends it with its exception; Ctrl-C does, too. The run can go on afterwards: what is lost is at
    most the generation under way.

    >>> import tempfile, tengen
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = tengen.train.zero(
    ...         folder, size=3, komi=0.5, generations=2, games=4, selfplay__simulations=2, anchors__games=0,
    ...         on_generation=lambda line: print("generation", line["generation"]),
    ...     )
    ...     network = tengen.Network(f"{folder}/net.safetensors")
    generation 1
    generation 2
    >>> log[-1]["games"]
    8
    """
    callbacks: dict[str, Callable[..., object] | None] = {
        "generation": on_generation,
        "trial": on_trial,
        "position": on_position,
        "game": on_game,
        "step": on_step,
    }

    def observe(kind: str, told: Any) -> object:
        callback = callbacks[kind]
        assert callback is not None
        if isinstance(told, str):
            told = json.loads(told)
        return callback(*told) if isinstance(told, list) else callback(told)

    wanted = [kind for kind, callback in callbacks.items() if callback is not None]
    log = _tengen.train_zero(
        folder, arch, network, _span(size), _span(komi), resume, _written(settings), wanted, observe
    )
    lines: list[dict[str, Any]] = json.loads(log)
    return lines


def selfplay(
    network: Network,
    *,
    size: int | tuple[int, int] = 9,
    komi: float | tuple[float, float] = 7.5,
    rules: str = "tromp-taylor",
    games: int | None = None,
    seed: int = 1,
    threads: int = 1,
    **settings: Any,
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """Games of a network against itself, one after the other, each as the arrays of `tengen.load_records`; without end if `games` is
    None. Every setting of `selfplay` in docs/learning.md is a keyword, such as `simulations=16`, `method="puct"`, `gumbel__noise=0.5`.
    A game depends on the settings, the seed and its number alone.

    >>> import tengen
    >>> game = next(tengen.train.selfplay(tengen.Network("default"), size=5, simulations=2))
    >>> game["boards"].shape == (len(game["moves"]), 5, 5)
    True
    """
    written = _written(settings)
    block = max(32 * threads, 1)
    for first in count(0, block):
        many = block if games is None else min(block, games - first)
        if many <= 0:
            return
        files = _tengen.play_games(network, first, many, _span(size), _span(komi), rules, seed, threads, written)
        for file in files:
            with np.load(io.BytesIO(file), allow_pickle=False) as arrays:
                yield {name: arrays[name] for name in arrays.files if name != "format"}


class ReplayBuffer(_tengen.ReplayBuffer):
    """A window over games, from which positions are drawn by their weights. With a capacity the oldest games leave when so many
    positions are there without them.

    >>> import tengen
    >>> buffer = tengen.train.ReplayBuffer(capacity=100)
    >>> len(buffer)
    0
    """

    capacity: int | None

    def __new__(cls, capacity: int | None = None) -> ReplayBuffer:
        buffer = super().__new__(cls)
        buffer.capacity = capacity
        return buffer

    def add(self, records: Records, value_mix: float = 0.0) -> None:
        """Adds games. The values that are learned are their results, with a share `value_mix` of what the search thought."""
        rewards = records["rewards"].astype(np.float32)
        values = rewards + np.float32(value_mix) * (records["values"] - rewards)
        file = io.BytesIO()
        arrays: dict[str, Any] = {**records, "values": values, "format": np.uint8(FORMAT)}
        np.savez(file, **arrays)
        self.add_bytes(file.getvalue())
        if self.capacity is not None:
            self.keep(self.capacity)

    def sample(self, count: int, seed: int) -> Batch:
        """So many positions, each in a random symmetry; the same seed draws the same."""
        return self.draw(count, seed)


class Learner(_tengen.Learner):
    """A network that is being trained, by the training step of `tengen train`. Settings are `optimizer` and `loss` of docs/learning.md,
    such as `optimizer__learning_rate=0.01`.

    >>> import tengen
    >>> tengen.train.Learner(tengen.Network("default"), optimizer__learning_rate=0.01).steps
    0
    """

    def __new__(cls, network: Network, *, threads: int = 1, **settings: Any) -> Learner:
        return super().__new__(cls, network, threads, _written(settings))

    def step(self, batch: Batch, done: float = 0.0) -> dict[str, Any]:
        """One step of all positions together; what the losses were before it. `done` is the share of the training that is done, for
        a learning rate that changes."""
        report: dict[str, Any] = json.loads(self.step_json(batch, done))
        return report

    def network(self) -> Network:
        """The network so far."""
        return Network(self.network_bytes())


def _span(value: Any) -> tuple[Any, Any]:
    """The least and the greatest."""
    return (value[0], value[1]) if isinstance(value, (tuple, list)) else (value, value)


def _written(settings: Mapping[str, Any]) -> list[str]:
    """Settings as the command line has them."""
    return [f"{name.replace('__', '.')}={json.dumps(value)}" for name, value in settings.items()]
