"""MaskablePPO of sb3-contrib learns against a built-in opponent. `action_masks()` of the environment is what it asks for."""

import os

import tengen
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

short = bool(os.environ.get("TENGEN_SHORT"))


def make():
    return tengen.GoEnv(5, komi=0.5, observation="own", max_moves=60, opponent="random,seed=1", color="alternate")


envs = make_vec_env(make, 4, seed=1)
model = MaskablePPO("MultiInputPolicy", envs, n_steps=64, batch_size=64, seed=1)
model.learn(256 if short else 100_000)


def learned(board, state):
    own = (board == state.to_play) + 2 * (board == 3 - state.to_play)
    seen = {"observation": own.astype("uint8"), "action_mask": state.legal.astype("int8")}
    return int(model.predict(seen, action_masks=state.legal, deterministic=True)[0])


print(tengen.Match(learned, tengen.RandomAgent(), games=4 if short else 100, size=5, komi=0.5, seed=1).run())
