"""Go as arrays: games, players, matches, environments and networks.

>>> import tengen
>>> game = tengen.Game(size=9, rules="chinese", komi=7.5)
>>> game.play("E5")
>>> player = tengen.Player("rave", playouts=100, seed=1)
>>> move = player.decide(game)
>>> game.is_legal(move)
True

Points are written "E4", (row, column) or row * columns + column, row 0 being the top row; `help(tengen.Game)` has a picture.
Boards are 0 where a point is empty, 1 for Black, 2 for White. Values and scores are Black's.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from ._tengen import Analysis, Game, IllegalMoveError, Player, __version__, networks, presets
from .agents import RandomAgent, State, serve_gtp
from .matches import GameResult, Match, MatchResult, Tournament, TournamentResult, play_game
from .network import Evaluation, Network
from .records import load_records
from .registration import register as _register

if TYPE_CHECKING:
    from .envs import GoEnv, VectorEnv

EMPTY, BLACK, WHITE = 0, 1, 2

_register()

__all__ = [
    "BLACK",
    "EMPTY",
    "WHITE",
    "Analysis",
    "Evaluation",
    "Game",
    "GameResult",
    "IllegalMoveError",
    "Match",
    "MatchResult",
    "Network",
    "Player",
    "RandomAgent",
    "State",
    "Tournament",
    "TournamentResult",
    "__version__",
    "load_records",
    "networks",
    "play_game",
    "presets",
    "serve_gtp",
]
if importlib.util.find_spec("gymnasium") is not None:
    __all__ += ["GoEnv", "VectorEnv"]


def __getattr__(name: str) -> Any:
    """What needs Gymnasium, PettingZoo or PyTorch is imported when it is first used."""
    if name in ("GoEnv", "VectorEnv"):
        from . import envs

        return getattr(envs, name)
    if name in ("pettingzoo", "torch", "train"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")
