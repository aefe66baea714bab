"""Records of games as arrays, in the format of `tengen selfplay` (format 1)."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _tengen
from ._tengen import Game, Player

if TYPE_CHECKING:
    from .agents import Seated
    from .matches import GameResult

FORMAT = 1
_MOST_BYTES = 256 << 20
"""A file whose arrays are larger together is not read, whatever it packs them into."""
_SHAPES = {
    "boards": ("u", ("positions", "rows", "columns")),
    "moves": ("i", ("positions",)),
    "colors": ("u", ("positions",)),
    "rewards": ("i", ("positions",)),
    "weights": ("f", ("positions",)),
    "policies": ("f", ("positions", "actions")),
    "values": ("f", ("positions",)),
    "score": ("f", ("positions",)),
    "ownership": ("f", ("positions", "rows", "columns")),
    "net_policies": ("f", ("positions", "actions")),
    "net_values": ("f", ("positions",)),
    "game_ids": ("u", ("positions",)),
    "komi": ("f", ("games",)),
    "rules": ("S", ("games",)),
    "setup": ("u", ("games", "rows", "columns")),
    "net_hash": ("S", ("games",)),
    "behaviour": ("S", ("games",)),
}
"""The arrays: which kinds of numbers, and how many of what."""


def load_records(files: str | os.PathLike[str] | list[str]) -> dict[str, npt.NDArray[Any]]:
    """Reads records: a file, a pattern such as "dir/*.npz", or a list of files, as one dictionary of arrays.

    With N positions of G games: `boards` (N, rows, columns), `moves`, `colors`, `rewards`, `weights`, `policies`, `values`,
    `score`, `ownership`, `game_ids` (0 to G - 1 over all files), `net_policies` and `net_values` if every file has them, and per
    game `komi`, `rules`, `setup`, `net_hash`, `behaviour`. Any other file raises a ValueError that names it.

    >>> import tempfile, tengen
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = tengen.play_game("random,seed=1", "random,seed=2", size=5, record=f"{folder}/game.npz")
    ...     records = tengen.load_records(f"{folder}/*.npz")
    >>> records["boards"].shape == (len(result.moves), 5, 5)
    True
    >>> records["komi"]
    array([7.5], dtype=float32)
    """
    if isinstance(files, (str, os.PathLike)):
        pattern = os.fspath(files)
        paths = [pattern] if os.path.isfile(pattern) else sorted(glob.glob(pattern))
        if not paths:
            raise FileNotFoundError(f"no records: {pattern}")
    else:
        paths = [os.fspath(path) for path in files]
        if not paths:
            raise ValueError("no records: the list of files is empty")
    parts: list[dict[str, npt.NDArray[Any]]] = []
    games = 0
    for path in paths:
        part = _read(path)
        if parts and part["boards"].shape[1:] != parts[0]["boards"].shape[1:]:
            raise ValueError(f"{path}: boards of another size than {paths[0]}: read one size at a time")
        part["game_ids"] = part["game_ids"] + np.uint32(games)
        games += len(part["komi"])
        parts.append(part)
    names = [name for name in parts[0] if all(name in part for part in parts)]
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def _read(path: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file, whose names, shapes and kinds of numbers are those of the format."""
    try:
        file = np.load(path, allow_pickle=False)
        if isinstance(file, np.ndarray):
            raise ValueError("it holds one array")
        with file:
            if sum(entry.file_size for entry in file.zip.infolist()) > _MOST_BYTES:
                raise ValueError(f"it holds more than {_MOST_BYTES >> 20} MB unpacked")
            arrays = {name: file[name] for name in file.files}
    except OSError:
        raise
    except Exception as error:  # numpy and zipfile raise many kinds
        raise ValueError(f"{path} is not a record of games, or is damaged: {error}") from error
    found = arrays.pop("format", None)
    if found is None or found.shape != () or found.dtype.kind not in "iu":
        raise ValueError(f"{path} is not a record of games: it has no number `format`")
    if int(found) != FORMAT:
        raise ValueError(f"{path}: records of format {int(found)}, this version reads {FORMAT}")
    missing = [name for name in _SHAPES if name not in arrays and not name.startswith("net_")]
    if missing:
        raise ValueError(f"{path} is not a record of games: it has no {', '.join(missing)}")
    sizes: dict[str, int] = {}
    if arrays["boards"].ndim == 3:
        sizes["actions"] = arrays["boards"].shape[1] * arrays["boards"].shape[2] + 1
    for name, (kinds, dimensions) in _SHAPES.items():
        if (array := arrays.get(name)) is None:
            continue
        fits = array.ndim == len(dimensions) and array.dtype.kind in kinds
        if not fits or any(sizes.setdefault(size, n) != n for size, n in zip(dimensions, array.shape)):
            raise ValueError(f"{path}: {name} of shape {array.shape} and type {array.dtype} does not fit the rest")
    ids = arrays["game_ids"]
    if ids.size and int(ids.max()) >= sizes["games"]:
        raise ValueError(f"{path}: game_ids has {int(ids.max())}, but there are {sizes['games']} games")
    return {name: arrays[name] for name in _SHAPES if name in arrays}


class Recorder:
    """Writes a game into a file: `.npz` for learning, `.sgf` for people."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        if self._path.suffix not in (".npz", ".sgf"):
            raise ValueError(f"{self._path}: a game is written as .npz or .sgf")
        self._thoughts = _tengen.Thoughts()

    def add(self, game: Game, move: Any, player: Player | None) -> None:
        """Notes what a player thought before the move that it is about to play. Of an agent only the move is known."""
        self._thoughts.add(game, move, player)

    def save(self, result: GameResult, seats: tuple[Seated, Seated]) -> None:
        """Writes the game, completely or not at all. Nobody is rewarded for a game that was cut short."""
        black, white = seats
        if self._path.suffix == ".sgf":
            temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp")
            temporary.write_text(result.game.sgf(black.name, white.name), encoding="utf-8")
            temporary.replace(self._path)
            return
        reward = 0 if result.reason == "length" else (0, 1, -1)[result.winner]
        counted = None if result.score is None else (result.score, result.referee or "")
        players = (black.player or black.name, white.player or white.name)
        self._thoughts.save(self._path, result.game, reward, counted, players)
