"""Tells Gymnasium and PettingZoo about the environments, as far as they are installed, when `tengen` is imported."""

from __future__ import annotations

import importlib.util


def register() -> None:
    """Registers `tengen/Go-v0` and `tengen/GoVector-v0` with Gymnasium, `tengen/go-v0` with PettingZoo; once.

    >>> import pettingzoo, tengen
    >>> pettingzoo.make("aec", "tengen/go-v0", board_size=5).possible_agents
    ['black_0', 'white_0']
    """
    if importlib.util.find_spec("gymnasium") is None:
        return
    from gymnasium.envs import registration

    if "tengen/Go-v0" not in registration.registry:
        registration.register("tengen/Go-v0", entry_point="tengen.envs:GoEnv")
        registration.register("tengen/GoVector-v0", vector_entry_point="tengen.envs:VectorEnv")
    # Before 1.27 it had no names.
    if importlib.util.find_spec("pettingzoo") is None or importlib.util.find_spec("pettingzoo.env_registry") is None:
        return
    from pettingzoo.env_registry import registration as pettingzoo

    if "tengen/go-v0" not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "tengen/go-v0", "tengen.pettingzoo:env")
