"""Agents: functions of a board, or objects with `choose`, that return a move."""

from __future__ import annotations

import contextlib
import inspect
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _tengen
from ._tengen import Game, Player

Board = npt.NDArray[np.uint8]
Agent = Union[str, Player, Callable[..., Any], Any]
"""A player spec, a player, a callable, or an object with `choose`."""


@dataclass(frozen=True)
class State:
    """What an agent may know besides the board.

    >>> import tengen
    >>> state = tengen.State(tengen.Game(size=5, komi=0.5))
    >>> state.to_play, state.last_move, state.move_number, state.komi, int(state.legal.sum())
    (1, None, 0, 0.5, 26)
    """

    game: Game
    """A copy of the game."""

    @property
    def to_play(self) -> int:
        """Whose turn it is: 1 black, 2 white."""
        return self.game.to_play

    @property
    def legal(self) -> npt.NDArray[np.bool_]:
        """Which moves are legal, the pass last."""
        return self.game.legal

    @property
    def last_move(self) -> str | None:
        """The opponent's move, such as "E4"."""
        return self.game.last_move

    @property
    def move_number(self) -> int:
        """How many moves were played."""
        return self.game.move_number

    @property
    def komi(self) -> float:
        """White's points in advance."""
        return self.game.komi


class Seated:
    """An agent that was made ready to play: one interface for all kinds of agents."""

    def __init__(self, agent: Agent, name: str | None = None) -> None:
        if isinstance(agent, str):
            agent = Player(agent)
        self.agent = agent
        self.player = agent if isinstance(agent, Player) else None
        self.is_external = self.player is not None and self.player.is_external
        choose = getattr(agent, "choose", None)
        if choose is None and callable(agent):
            choose = agent
        if not callable(choose):
            raise TypeError(
                f"{agent!r} is not an agent: give a player spec, a tengen.Player, a callable, or an object with choose(board, state)"
            )
        self._choose = choose
        self._takes_state = _takes_two(choose)
        known = name or getattr(agent, "name", None) or getattr(agent, "__name__", None)
        self.name = known if isinstance(known, str) else type(agent).__name__

    def new_game(self, seed: int | None) -> None:
        """Tells the agent that a game begins, if it has a method `new_game`. Without a seed its random numbers go on."""
        if callable(begin := getattr(self.agent, "new_game", None)):
            begin(seed)

    def choose(self, game: Game) -> Any:
        """What the agent answers, unchecked."""
        if self.player is not None:
            return self.player.decide(game)
        if self._takes_state:
            return self._choose(game.board, State(game.copy()))
        return self._choose(game.board)


def _takes_two(choose: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(choose).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = [p.kind for p in parameters]
    positional = sum(k in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in kinds)
    return positional >= 2 or inspect.Parameter.VAR_POSITIONAL in kinds


class RandomAgent:
    """The baseline: a random legal move that does not fill an own eye, a pass if there is none.

    >>> import tengen
    >>> result = tengen.play_game(tengen.RandomAgent(1), tengen.RandomAgent(2), size=5)
    >>> result.reason
    'passes'
    """

    name = "random-agent"

    def __init__(self, seed: int | None = None) -> None:
        self._random = np.random.default_rng(seed)

    def new_game(self, seed: int | None = None) -> None:
        """Starts the random numbers again, if there is a seed."""
        if seed is not None:
            self._random = np.random.default_rng(seed)

    def choose(self, board: Board, state: State) -> int:
        """The index of a move."""
        moves = np.flatnonzero(state.legal[:-1] & ~eyes(board, state.to_play).ravel())
        return int(self._random.choice(moves)) if moves.size else board.size


def eyes(board: Board, color: int) -> npt.NDArray[np.bool_]:
    """Where a player has an eye: an empty point with own stones or the edge on all four sides, and at most one stone of the
    opponent on the diagonals, none at the edge.

    >>> import tengen
    >>> board = tengen.Game.from_diagram(". X . / X X . / . . .").board
    >>> eyes(board, tengen.BLACK).astype(int)
    array([[1, 0, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    rows, columns = board.shape
    edge = 3
    padded = np.full((rows + 2, columns + 2), edge, np.uint8)
    padded[1:-1, 1:-1] = board

    def shifted(down: int, right: int) -> npt.NDArray[np.uint8]:
        return padded[1 + down : rows + 1 + down, 1 + right : columns + 1 + right]

    sides = [shifted(1, 0), shifted(-1, 0), shifted(0, 1), shifted(0, -1)]
    diagonals = [shifted(1, 1), shifted(1, -1), shifted(-1, 1), shifted(-1, -1)]
    surrounded = (board == 0) & np.logical_and.reduce([(side == color) | (side == edge) for side in sides])
    enemies = sum((diagonal == 3 - color).astype(int) for diagonal in diagonals)
    at_edge = np.logical_or.reduce([side == edge for side in sides])
    found: npt.NDArray[np.bool_] = surrounded & (enemies + at_edge < 2)
    return found


def serve_gtp(
    agent: Agent,
    name: str | None = None,
    size: int | tuple[int, int] = 19,
    rules: str = "chinese",
    komi: float | None = None,
    *,
    seed: int | None = None,
) -> None:
    """Makes an agent a GTP engine on standard input and output, for graphical boards, servers and matches. The
    failure of an agent is answered with its message; Ctrl-C ends the engine.

    An agent with a method `new_game` is told a seed before each game; the seeds follow from `seed`. What an agent prints goes
    to standard error, as standard output belongs to GTP.

    >>> import subprocess, sys
    >>> program = "import tengen; tengen.serve_gtp(lambda board: 'C3', name='centre', size=5)"
    >>> engine = subprocess.run([sys.executable, "-c", program], input="genmove b\\nquit\\n", capture_output=True, text=True)
    >>> engine.stdout.split()
    ['=', 'C3', '=']
    """
    seated = Seated(agent, name)
    first = secrets.randbits(63) if seed is None else seed
    with contextlib.redirect_stdout(sys.stderr):
        _tengen.serve_gtp(seated.choose, seated.new_game, seated.name, size, rules, komi, first)
