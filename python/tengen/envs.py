"""Go for Gymnasium: one game (`tengen/Go-v0`), and many that are stepped by one call (`tengen/GoVector-v0`)."""

from __future__ import annotations

import threading
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode

from ._tengen import Environments, Game, Player

Arrays = dict[str, npt.NDArray[Any]]

_NAMES = ("to_play", "move_number", "last_move", "score")
_MODES = {AutoresetMode.NEXT_STEP: "next", AutoresetMode.SAME_STEP: "same", AutoresetMode.DISABLED: "never"}


def _observation_space(shape: tuple[int, int], kind: str) -> Any:
    rows, columns = shape
    seen: spaces.Space[Any] = spaces.Box(0, 2, shape, np.uint8)
    if kind == "planes":
        seen = spaces.Box(0, 1, (44, rows, columns), np.float32)
    return spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (rows * columns + 1,), np.int8)})


class _Games:
    """The native environments, and what both classes do with them."""

    def __init__(
        self,
        num_envs: int,
        size: int | tuple[int, int],
        rules: str,
        komi: float | None,
        max_moves: int | None,
        opening: int,
        illegal: str,
        observation: str,
        opponent: str | Player | None,
        color: str,
    ) -> None:
        self.shape = Game(size, rules, komi).shape
        rows, columns = self.shape
        if isinstance(opponent, str):
            opponent = Player(opponent)
        longest = 2 * rows * columns if max_moves is None else max_moves
        self.native = Environments(
            num_envs, self.shape, rules, komi, longest, opening, illegal, observation, opponent, color
        )
        self.observation_space = _observation_space(self.shape, observation)
        self.action_space = spaces.Discrete(rows * columns + 1)


class VectorEnv(gym.vector.VectorEnv[Arrays, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """n games that are stepped by one call.

    An action is row * columns + column, row 0 being the top row, and rows * columns for a pass. Observations and infos have
    `action_mask` (n, actions), in which the pass is always 1. Games end by two passes and are counted with every stone alive, or
    are truncated after `max_moves` (by default twice the number of points).

    Without an opponent both sides are played in turn: a reward is that of the player who moved (1 for a win, -1 for a loss, 0
    for a draw), and `infos["to_play"]` says who is next. With an opponent, any player, the rewards are the agent's.

    :param size: rows and columns, or one number for both
    :param rules: the rules; "chinese" has simple ko, "tromp-taylor" positional superko
    :param autoreset_mode: when games that are over begin again, as Gymnasium defines it
    :param observation: "board" (0 empty, 1 black, 2 white), "own" (1 the player to move, 2 the opponent) or "planes" (the 44 of
        `Game.planes`)
    :param opening: up to so many random moves at the beginning of a game, for variety; they follow from the seed of `reset`
    :param illegal: what an illegal action does: "lose", "raise" or "ignore"
    :param opponent: a player or its spec
    :param color: what the agent plays against an opponent: "black", "white" or "alternate"
    :param render_mode: "ansi" if `render` is to draw the boards as text

    >>> import numpy as np, tengen
    >>> envs = tengen.VectorEnv(4, size=5)
    >>> observations, infos = envs.reset(seed=1)
    >>> actions = [np.flatnonzero(mask)[0] for mask in infos["action_mask"]]
    >>> observations, rewards, terminated, truncated, infos = envs.step(np.array(actions))
    >>> infos["to_play"]
    array([2, 2, 2, 2], dtype=uint8)
    """

    def __init__(
        self,
        num_envs: int = 1,
        size: int | tuple[int, int] = 9,
        rules: str = "chinese",
        komi: float | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        observation: str = "board",
        max_moves: int | None = None,
        opening: int = 0,
        illegal: str = "lose",
        opponent: str | Player | None = None,
        color: str = "black",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        _check_render_mode(render_mode)
        games = _Games(num_envs, size, rules, komi, max_moves, opening, illegal, observation, opponent, color)
        self._games = games.native
        self.num_envs = num_envs
        mode = AutoresetMode(autoreset_mode)
        self._mode = _MODES[mode]
        self.metadata = {"autoreset_mode": mode, "render_modes": ["ansi"]}
        self.render_mode = render_mode
        self.single_observation_space = games.observation_space
        self.single_action_space = games.action_space
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)
        self._has_begun = False
        # Threads take turns.
        self._lock = threading.Lock()

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begins all games again, or those of `options["reset_mask"]`. A number as seed gives game i the seed + i."""
        self._check_open()
        mask = (options or {}).get("reset_mask")
        numbers = list(range(self.num_envs))
        if mask is not None:
            if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(f"options['reset_mask'] is a numpy array of {self.num_envs} truth values, not {mask!r}")
            if not mask.any():
                raise ValueError("options['reset_mask'] names no game to reset")
            numbers = np.flatnonzero(mask).tolist()
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds for {self.num_envs} games")
        if any(s is not None and (not isinstance(s, (int, np.integer)) or s < 0) for s in seeds):
            raise ValueError(f"seed={seed!r}: seeds are whole numbers of at least 0")
        with self._lock:
            if isinstance(seed, (int, np.integer)):
                super().reset(seed=int(seed))
            if not self._has_begun:
                # Games without a seed have openings that nobody foresees, unless `np_random` was set.
                self._games.set_seed(int(self.np_random.integers(2**63)))
            told = self._games.reset(numbers, [seeds[i] for i in numbers])
            self._has_begun = True
        return _told(told)

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Arrays, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Plays an action in every game."""
        self._check_open()
        whole = _whole(actions)
        with self._lock:
            if not self._has_begun:
                raise ResetNeeded("call reset() before the first step()")
            told, rewards, terminated, truncated, ended, last = self._games.step(whole, self._mode)
        observations, infos = _told(told)
        if last is not None:
            self._add_final(infos, ended, last)
        return observations, rewards, terminated, truncated, infos

    def _add_final(self, infos: dict[str, Any], ended: list[int], last: list[Any]) -> None:
        """What there was to see of games that ended in this step and have begun again."""
        board, mask, *rest, _ = last
        which = np.zeros(self.num_envs, np.bool_)
        which[ended] = True
        final_obs = np.full(self.num_envs, None, object)
        for number in ended:
            final_obs[number] = {"observation": board[number], "action_mask": mask[number]}
        final_info: dict[str, Any] = {"action_mask": mask.copy(), **dict(zip(_NAMES, rest))}
        final_info.update({f"_{name}": which.copy() for name in tuple(final_info)})
        infos.update(final_obs=final_obs, _final_obs=which, final_info=final_info, _final_info=which.copy())

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, as sb3-contrib asks for them: bool (n, actions)."""
        self._check_open()
        with self._lock:
            if not self._has_begun:
                raise ResetNeeded("call reset() first")
            return self._games.masks()

    def game(self, number: int) -> Game:
        """A copy of one of the games."""
        self._check_open()
        with self._lock:
            return self._games.game(number)

    def render(self) -> tuple[str, ...] | None:
        """The boards as text, if the render mode is "ansi"."""
        self._check_open()
        if self.render_mode is None:
            return None
        return tuple(str(self.game(i)) for i in range(self.num_envs))

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed")


def _told(told: list[Any]) -> tuple[Arrays, dict[str, Any]]:
    """Observations and infos, which share no memory."""
    board, mask, *rest, any_over = told
    infos: dict[str, Any] = dict(zip(_NAMES, rest))
    infos["action_mask"] = mask.copy()
    if any_over:
        infos["_score"] = ~np.isnan(infos["score"])
    return {"observation": board, "action_mask": mask}, infos


def _check_render_mode(render_mode: str | None) -> None:
    if render_mode not in (None, "ansi"):
        raise ValueError(f'render_mode={render_mode!r}: there is "ansi"')


def _whole(actions: Any) -> npt.NDArray[np.int64]:
    array = np.asarray(actions)
    if array.dtype == np.bool_ or not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"actions are whole numbers, not {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"actions have one dimension, not the shape {array.shape}")
    return array.astype(np.int64)


class GoEnv(gym.Env[Arrays, np.int64]):
    """One game. See `VectorEnv` for actions, rewards and parameters; without an opponent both sides are played in turn.

    >>> import gymnasium, tengen
    >>> env = gymnasium.make("tengen/Go-v0", size=5, opponent="random,seed=1")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(12)
    >>> int((observation["observation"] > 0).sum())
    2
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        size: int | tuple[int, int] = 9,
        rules: str = "chinese",
        komi: float | None = None,
        *,
        observation: str = "board",
        max_moves: int | None = None,
        opening: int = 0,
        illegal: str = "lose",
        opponent: str | Player | None = None,
        color: str = "black",
        render_mode: str | None = None,
    ) -> None:
        _check_render_mode(render_mode)
        games = _Games(1, size, rules, komi, max_moves, opening, illegal, observation, opponent, color)
        self._games = games.native
        self.observation_space = games.observation_space
        self.action_space = games.action_space
        self.render_mode = render_mode
        self._has_begun = False
        self._is_over = True
        self._is_closed = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begins a game."""
        self._check_open()
        super().reset(seed=seed)
        if seed is None:
            self._games.set_seed(int(self.np_random.integers(2**63)))
        told = self._games.reset([0], [seed])
        self._has_begun, self._is_over = True, False
        return self._told(told)

    def step(self, action: Any) -> tuple[Arrays, float, bool, bool, dict[str, Any]]:
        """Plays an action."""
        self._check_open()
        if self._is_over:
            raise ResetNeeded("the game is over or has not begun: call reset()")
        told, rewards, terminated, truncated, _, _ = self._games.step(_whole(np.reshape(action, (1,))), "never")
        self._is_over = bool(terminated[0] or truncated[0])
        observation, info = self._told(told)
        return observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def _told(self, told: list[Any]) -> tuple[Arrays, dict[str, Any]]:
        board, mask, *rest, is_over = told
        info = {name: values[0].item() for name, values in zip(_NAMES, rest)}
        if not is_over:
            del info["score"]
        info["action_mask"] = mask[0].copy()
        return {"observation": board[0], "action_mask": mask[0]}, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, as sb3-contrib asks for them."""
        self._check_open()
        if not self._has_begun:
            raise ResetNeeded("call reset() first")
        masks: npt.NDArray[np.bool_] = self._games.masks()[0]
        return masks

    @property
    def game(self) -> Game:
        """A copy of the game."""
        self._check_open()
        return self._games.game(0)

    def render(self) -> str | None:
        """The board as text."""
        self._check_open()
        return str(self.game) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Ends it: what is called afterwards raises."""
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise ClosedEnvironmentError("the environment is closed")
