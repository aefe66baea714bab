"""REINFORCE with Keras 3: the gradient is that of a cross entropy whose weights are the results of the games."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
import tengen
from keras import layers

short = bool(os.environ.get("TENGEN_SHORT"))
count, size = 64, 5
keras.utils.set_random_seed(1)
stones, mask = keras.Input((size, size, 2)), keras.Input((size * size + 1,))
hidden = layers.Conv2D(32, 3, padding="same", activation="relu")(stones)
hidden = layers.Conv2D(32, 3, padding="same", activation="relu")(hidden)
logits = layers.Dense(size * size + 1)(layers.Flatten()(hidden)) + (mask - 1.0) * 1e9
model = keras.Model([stones, mask], logits)
model.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
random = np.random.default_rng(1)


def inputs(own, mask):
    return [np.stack([own == 1, own == 2], -1).astype(np.float32), mask.astype(np.float32)]


envs = tengen.VectorEnv(count, size, komi=0.5, observation="own", opening=4, max_moves=50, autoreset_mode="SameStep")
seen, _ = envs.reset(seed=1)
for _ in range(2 if short else 300):
    steps = []
    for _ in range(60):
        x = inputs(seen["observation"], seen["action_mask"])
        scores = keras.ops.convert_to_numpy(model(x))
        actions = (scores + random.gumbel(size=scores.shape)).argmax(1)
        seen, rewards, terminated, truncated, _ = envs.step(actions)
        steps.append([*x, actions, rewards, terminated | truncated])
    # The reward of the last move is the mover's. Each move before it was the opponent's.
    value, known, weights = np.zeros(count), np.zeros(count, bool), []
    for *_, rewards, ended in reversed(steps):
        value, known = np.where(ended, rewards, -value), known | ended
        weights.insert(0, value * known)
    boards, masks, actions, *_ = map(np.concatenate, zip(*steps))
    model.train_on_batch([boards, masks], actions, sample_weight=np.concatenate(weights))


def learned(board, state):
    own = np.where(board == 0, 0, np.where(board == state.to_play, 1, 2))
    return int(keras.ops.convert_to_numpy(model(inputs(own[None], state.legal[None]))).argmax())


print(tengen.Match(learned, tengen.RandomAgent(), games=4 if short else 200, size=size, komi=0.5, seed=1).run())
