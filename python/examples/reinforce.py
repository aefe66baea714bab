"""Policy gradients (REINFORCE) with numpy alone: a linear policy learns 5x5 Go by playing both sides of many games."""

import os

import numpy as np
import tengen

short = bool(os.environ.get("TENGEN_SHORT"))
count, size = 64, 5
actions = size * size + 1
random = np.random.default_rng(1)
weights = np.zeros((2 * size * size + 1, actions))


def features(stones):
    """Own stones, the opponent's, and a constant."""
    flat = stones.reshape(len(stones), -1)
    return np.hstack([flat == 1, flat == 2, np.ones((len(flat), 1))]).astype(float)


def policy(inputs, mask):
    logits = np.where(mask, inputs @ weights, -np.inf)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


envs = tengen.VectorEnv(count, size, komi=0.5, observation="own", opening=4, max_moves=50, autoreset_mode="SameStep")
seen, _ = envs.reset(seed=1)
for _ in range(3 if short else 200):
    steps = []
    for _ in range(100):
        inputs, mask = features(seen["observation"]), seen["action_mask"]
        shares = policy(inputs, mask)
        chosen = (np.log(shares + 1e-300) + random.gumbel(size=shares.shape)).argmax(1)
        seen, rewards, terminated, truncated, _ = envs.step(chosen)
        steps.append((inputs, shares, chosen, rewards, terminated | truncated))
    # The reward of the last move is the mover's. Each move before it was the opponent's.
    value, known, gradient = np.zeros(count), np.zeros(count, bool), np.zeros_like(weights)
    for inputs, shares, chosen, rewards, ended in reversed(steps):
        value = np.where(ended, rewards, -value)
        known |= ended
        better = np.eye(actions)[chosen] - shares
        gradient += inputs.T @ (better * (value * known)[:, None])
    weights += 0.5 * gradient / (count * len(steps))


def learned(board, state):
    me = np.where(board == 0, 0, np.where(board == state.to_play, 1, 2))
    return int(policy(features(me[None]), state.legal[None]).argmax())


print(tengen.Match(learned, tengen.RandomAgent(), games=4 if short else 200, size=size, komi=0.5, seed=1).run())
