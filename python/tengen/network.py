"""Networks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _tengen
from ._tengen import Game


class Evaluation(NamedTuple):
    """What a network says about n positions."""

    policy: npt.NDArray[np.float32]
    """Probability of each move, 0 where it is illegal, the pass last: (n, rows * columns + 1)."""
    value: npt.NDArray[np.float32]
    """Black's chance to win: (n,)."""
    score: npt.NDArray[np.float32]
    """Black's lead in points, komi included: (n,)."""
    ownership: npt.NDArray[np.float32]
    """Black's share of each point, from -1 to 1: (n, rows, columns)."""


class Network(_tengen.Network):
    """A network that ships with the package (`tengen.networks()` names them), a file, KataGo's `.bin.gz` included, or the bytes of
    a `.safetensors` file.

    >>> import numpy as np, tengen
    >>> network, game = tengen.Network("default"), tengen.Game(size=9)
    >>> answer = network([game])
    >>> answer.policy.shape, answer.value.shape, answer.ownership.shape
    ((1, 82), (1,), (1, 9, 9))
    >>> planes = np.stack([game.planes(network.planes)])
    >>> bool(abs(network(planes).value - answer.value) < 1e-4)
    True
    """

    def __call__(self, positions: Game | Iterable[Game] | npt.NDArray[np.float32]) -> Evaluation:
        """Evaluates games on boards of one size, or planes: float32 (n, planes, rows, columns) as `Game.planes(network.planes)` gives
        them. Planes tell neither who Black is nor which moves are legal: of them value, score and ownership are those
        of the player to move, and the policy has all moves."""
        if isinstance(positions, np.ndarray):
            if positions.dtype != np.float32 or positions.ndim != 4:
                raise TypeError(
                    f"planes are float32 of shape (n, planes, rows, columns), not {positions.dtype} of {positions.shape}"
                )
            return Evaluation(*self.evaluate_planes(positions))
        return Evaluation(*self.evaluate([positions] if isinstance(positions, Game) else list(positions)))

    @property
    def spec(self) -> dict[str, Any]:
        """What it looks like, as `tengen train --arch` takes it, if it is one of tengen's own family.

        >>> import tengen
        >>> tengen.Network("default").spec["trunk"]["kind"]
        'residual'
        """
        described: dict[str, Any] = json.loads(self._spec)
        return described

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Any], spec: Mapping[str, Any] | Network) -> Network:
        """A network from weights by their names, as `state_dict` and `tengen.torch` have them: numpy arrays or PyTorch's tensors.
        `spec` describes the network, or is one that looks the same.

        >>> import tengen
        >>> network = tengen.Network("rollout-a")
        >>> again = tengen.Network.from_state_dict(network.state_dict(), network)
        >>> bool((again(tengen.Game(9)).policy == network(tengen.Game(9)).policy).all())
        True
        """
        described = spec._spec if isinstance(spec, Network) else json.dumps(dict(spec))
        arrays = {name: _array(weights) for name, weights in state.items()}
        return cls(_tengen.pack_network(described, arrays))


def _array(weights: Any) -> npt.NDArray[np.float32]:
    if hasattr(weights, "detach"):
        weights = weights.detach().cpu().numpy()
    return np.asarray(weights, np.float32)
