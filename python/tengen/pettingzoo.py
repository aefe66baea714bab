"""Go for PettingZoo: an AEC environment with the agents `black_0` and `white_0`.

Observations and masks are laid out as those of PettingZoo's `go_v5`, with these differences: all planes of an observation are
seen by the same player, the last plane is 1 for Black as its documentation says, a draw pays both 0, games end after
`max_moves`, several sizes can live in one process, and the rules are selectable, superko included. PettingZoo 1.27 makes it by
its name, too: `pettingzoo.make("aec", "tengen/go-v0")`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from ._tengen import Game, IllegalMoveError

AGENTS = ("black_0", "white_0")
_COLORS = {"black_0": 1, "white_0": 2}


def env(**kwargs: Any) -> raw_env:
    """The environment. It watches over the order of calls itself, as PettingZoo's wrapper takes more time than a move."""
    return raw_env(**kwargs)


class raw_env(AECEnv, EzPickle):  # type: ignore[misc]
    """The environment. `infos` has `score` (Black's points minus White's, komi included, with every stone alive), `move_number` and
    `last_move`.

    >>> import tengen.pettingzoo
    >>> env = tengen.pettingzoo.env(board_size=5, komi=0.5, rules="tromp-taylor")
    >>> env.reset()
    >>> env.step(12)
    >>> observation, reward, terminated, truncated, info = env.last()
    >>> env.agent_selection, info
    ('white_0', {'score': 24.5, 'move_number': 1, 'last_move': 'C3'})
    >>> int(observation["action_mask"].sum())
    25

    :param board_size: rows and columns
    :param komi: White's points in advance
    :param rules: the rules; "chinese" has simple ko, "tromp-taylor" positional superko
    :param max_moves: games are truncated after so many moves; by default twice the number of points
    :param illegal: what an illegal action does: "lose" (-1, and 1 for the opponent), "raise" or "ignore"
    """

    metadata = {
        "render_modes": ["ansi"],
        "name": "tengen_go_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        board_size: int = 19,
        komi: float = 7.5,
        rules: str = "chinese",
        max_moves: int | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        self._closed = False
        EzPickle.__init__(self, board_size, komi, rules, max_moves, illegal, render_mode)
        super().__init__()
        if illegal not in ("lose", "raise", "ignore"):
            raise ValueError(f'illegal={illegal!r}: choose "lose", "raise" or "ignore"')
        if render_mode not in (None, "ansi"):
            raise ValueError(f'render_mode={render_mode!r}: there is "ansi"')
        if max_moves is not None and max_moves < 1:
            raise ValueError(f"max_moves={max_moves}: at least 1")
        if isinstance(board_size, bool) or not isinstance(board_size, (int, np.integer)):
            raise ValueError(f"board_size={board_size!r}: one whole number, as the boards are square")
        self._empty = Game(board_size, rules, komi)
        self._longest = 2 * board_size**2 if max_moves is None else max_moves
        self._illegal = illegal
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        actions = board_size**2 + 1
        self._spaces = (
            spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (board_size, board_size, 17), bool),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            ),
            spaces.Discrete(actions),
        )
        self.observation_spaces = dict.fromkeys(AGENTS, self._spaces[0])
        self.action_spaces = dict.fromkeys(AGENTS, self._spaces[1])

    def __getattr__(self, name: str) -> Any:
        """What there is only after `reset()`."""
        raise AttributeError(f"no attribute {name!r}: some exist only after reset()")

    def observation_space(self, agent: str) -> spaces.Dict:
        """That of both agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """That of both agents."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. There is nothing random in it."""
        if self._closed:
            raise _closed()
        self.game = self._empty.copy()
        self._actions = 0
        self.agents = self.possible_agents[:]
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._set_infos()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees. The mask is that of the agent whose turn it is; the other one has no moves."""
        if self._closed:
            raise _closed()
        if agent not in AGENTS:
            raise ValueError(f"agent {agent!r}: there are {AGENTS[0]!r} and {AGENTS[1]!r}")
        observation, mask = self.game._observe(_COLORS[agent])
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action for the agent whose turn it is."""
        if self._closed:
            raise _closed()
        agent = self.agent_selection
        if not self.agents:
            raise ResetNeeded("the game is over for all agents: call reset()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("None is an action only for agents that are done")
        other = "white_0" if agent == "black_0" else "black_0"
        try:
            self.game.play(_index(action))
        except IllegalMoveError:
            if self._illegal == "raise":
                raise
            if self._illegal == "lose":
                self._end({agent: -1.0, other: 1.0})
        else:
            self.agent_selection = other
        self._actions += 1
        self._set_infos()

    def _end(self, rewards: dict[str, float]) -> None:
        # Rewards are 0 until then, so there is nothing else to accumulate.
        self.rewards = rewards
        self._cumulative_rewards = dict(rewards)
        self.terminations = dict.fromkeys(AGENTS, True)

    def _set_infos(self) -> None:
        """What is told besides the observation; and whether the game is over."""
        is_over, number, last, score = self.game._told()
        if is_over:
            winner = self.game.winner
            self._end({name: _reward(winner, 1 + i) for i, name in enumerate(AGENTS)})
        elif self._actions >= self._longest and not self.terminations[AGENTS[0]]:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.infos = {
            "black_0": {"score": score, "move_number": number, "last_move": last},
            "white_0": {"score": score, "move_number": number, "last_move": last},
        }

    def render(self) -> str | None:
        """The board as text."""
        if self._closed:
            raise _closed()
        return str(self.game) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Ends it: what is called afterwards raises."""
        self._closed = True


def _index(action: Any) -> int:
    """A whole number. Neither 3.7 nor True is an action, and \"E4\" is not here."""
    try:
        if isinstance(action, bool):
            raise TypeError
        return operator.index(action)
    except TypeError:
        raise TypeError(f"action {action!r}: actions are whole numbers, row * columns + column") from None


def _closed() -> ClosedEnvironmentError:
    return ClosedEnvironmentError("the environment is closed")


def _reward(winner: int | None, color: int) -> float:
    if not winner:
        return 0.0
    return 1.0 if winner == color else -1.0
