"""Networks as PyTorch modules, to look into them or to train them further.

    module = tengen.torch.load("default")
    policy, value, score, ownership = module(torch.from_numpy(planes))      # planes as Game.planes(module.planes) gives them
    network = tengen.Network.from_state_dict(module.state_dict(), module.spec)
    network.save("mine.safetensors")                                        # tengen.Player("zero", net="mine.safetensors") plays
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from .network import Network

_PLANES = {"holmes": 44, "tengen": 48, "reduced": 10}
_SCORE_UNIT = 20.0


class Heads(NamedTuple):
    """What a network says about n positions, as the player to move sees it; None is what it does not tell.

    >>> import tengen.torch
    >>> module, game = tengen.torch.load("rollout-a"), tengen.Game(size=9)
    >>> told = module(torch.from_numpy(game.planes(module.planes)[None]))
    >>> told.policy.shape, told.value
    (torch.Size([1, 82]), None)
    """

    policy: Tensor
    """Logits of the moves, the pass last: (n, rows * columns + 1)."""
    value: Tensor | None
    """The chance to win: (n,)."""
    score: Tensor | None
    """The lead in points, komi included: (n,)."""
    ownership: Tensor | None
    """The share of each point, from -1 to 1: (n, rows, columns)."""


class _Centered(nn.Linear):
    """A layer whose inputs are compared with their means."""

    mean: Tensor

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias)
        self.register_buffer("mean", torch.zeros(inputs))

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x - self.mean)


def _conv(inputs: int, outputs: int, kernel: int) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2)


def _pool(x: Tensor) -> Tensor:
    """Mean, mean by the size of the board, and maximum of every channel."""
    mean = x.mean((2, 3))
    wider = ((x.shape[2] * x.shape[3]) ** 0.5 - 14.0) * 0.1
    return torch.cat([mean, mean * wider, x.amax((2, 3))], 1)


class Module(nn.Module):
    """A network of tengen's own family, with random weights. Their names are those of the file.

    >>> import tengen.torch
    >>> spec = tengen.Network("rollout-a").spec
    >>> spec["trunk"]["channels"] = 8
    >>> module = tengen.torch.Module(spec)
    >>> network = tengen.Network.from_state_dict(module.state_dict(), spec)
    >>> network(tengen.Game(size=9)).policy.shape
    (1, 82)
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__()
        self.spec = spec
        self.planes: str = spec["planes"]
        trunk, policy, value = spec["trunk"], spec["policy"], spec.get("value")
        width = trunk["channels"]
        self.trunk = nn.ModuleList([_conv(_PLANES[self.planes], width, spec["first_kernel"])])
        self.block = nn.ModuleList()
        if trunk["kind"] == "plain":
            self.trunk.extend(_conv(width, width, 3) for _ in range(trunk["layers"] - 2))
        else:
            for number in range(trunk["blocks"]):
                parts: dict[str, nn.Module] = {"0": _conv(width, width, 3), "1": _conv(width, width, 3)}
                if number in trunk.get("pooling", []):
                    parts["pool"] = _Centered(3 * width, width, bias=False)
                self.block.append(nn.ModuleDict(parts))
        inner, moves = policy.get("channels", 0), policy["moves"]
        self.policy = nn.ModuleDict({"1": _conv(inner or width, moves, policy["kernel"])})
        if inner:
            self.policy["0"] = _conv(width, inner, 1)
        if policy.get("pass", False):
            self.policy["pass"] = _Centered(3 * (inner or width), moves)
        self.value = self.ownership = None
        if value is not None:
            told = 2 if value.get("score", False) else 1
            self.value = nn.ModuleDict(
                {
                    "0": _conv(width, value["channels"], 1),
                    "1": _Centered(3 * value["channels"], value["hidden"]),
                    "2": nn.Linear(value["hidden"], told),
                }
            )
            if spec.get("ownership", False):
                self.ownership = _conv(value["channels"], 1, 1)

    def forward(self, planes: Tensor) -> Heads:
        """Evaluates planes: float32 (n, planes, rows, columns)."""
        x = planes
        for layer in self.trunk:
            x = relu(layer(x))
        for block in self.block:
            assert isinstance(block, nn.ModuleDict)
            h = relu(block["0"](x))
            if "pool" in block:
                h = relu(h + block["pool"](_pool(h))[:, :, None, None])
            x = relu(block["1"](h) + x)
        h = relu(self.policy["0"](x)) if "0" in self.policy else x
        # The first of the predicted moves is the one to play.
        points = self.policy["1"](h)[:, 0].flatten(1)
        if "pass" in self.policy:
            passing = self.policy["pass"](_pool(h))[:, :1]
        else:
            # A network that does not know passing finds it as good as its worst move.
            passing = points.amin(1, keepdim=True)
        policy = torch.cat([points, passing], 1)
        if self.value is None:
            return Heads(policy, None, None, None)
        h = relu(self.value["0"](x))
        told = self.value["2"](relu(self.value["1"](_pool(h))))
        score = told[:, 1] * _SCORE_UNIT if told.shape[1] > 1 else None
        ownership = None if self.ownership is None else torch.tanh(self.ownership(h)[:, 0] / 2)
        return Heads(policy, torch.sigmoid(told[:, 0]), score, ownership)


def load(net: str | os.PathLike[str] | Network = "default") -> Module:
    """A network as a module: one that ships with the package, a `.safetensors` file, or a `tengen.Network`.

    >>> import tengen.torch
    >>> network, game = tengen.Network("default"), tengen.Game(size=9)
    >>> planes = game.planes(network.planes)[None]
    >>> with torch.no_grad():
    ...     told = tengen.torch.load(network)(torch.from_numpy(planes))
    >>> bool(abs(told.value.item() - network(planes).value[0]) < 1e-4)
    True
    """
    network = net if isinstance(net, Network) else Network(net)
    module = Module(network.spec)
    module.load_state_dict({name: torch.from_numpy(weights) for name, weights in network.state_dict().items()})
    return module.eval()
