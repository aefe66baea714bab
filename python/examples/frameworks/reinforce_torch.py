"""REINFORCE with PyTorch: a network learns 5x5 Go by playing both sides of many games that are stepped together."""

import os

import numpy as np
import tengen
import torch
from torch import nn

short = bool(os.environ.get("TENGEN_SHORT"))
count, size = 64, 5
torch.manual_seed(1)
net = nn.Sequential(nn.Conv2d(2, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
                    nn.Flatten(), nn.Linear(32 * size * size, size * size + 1))  # fmt: skip
optimizer = torch.optim.Adam(net.parameters(), 1e-3)


def policy(stones, mask):
    planes = torch.from_numpy(np.stack([stones == 1, stones == 2], 1).astype(np.float32))
    return torch.distributions.Categorical(logits=net(planes).masked_fill(torch.from_numpy(mask == 0), -1e9))


envs = tengen.VectorEnv(count, size, komi=0.5, observation="own", opening=4, max_moves=50, autoreset_mode="SameStep")
seen, _ = envs.reset(seed=1)
for _ in range(3 if short else 300):
    steps = []
    for _ in range(60):
        choice = policy(seen["observation"], seen["action_mask"])
        action = choice.sample()
        seen, rewards, terminated, truncated, _ = envs.step(action.numpy())
        steps.append((choice.log_prob(action), rewards, terminated | truncated))
    # The reward of the last move is the mover's. Each move before it was the opponent's.
    value, known, loss = np.zeros(count), np.zeros(count, bool), torch.zeros(())
    for log_prob, rewards, ended in reversed(steps):
        value, known = np.where(ended, rewards, -value), known | ended
        loss = loss - (log_prob * torch.from_numpy(value * known)).mean() / len(steps)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def learned(board, state):
    own = np.where(board == 0, 0, np.where(board == state.to_play, 1, 2))
    return int(policy(own[None], state.legal[None]).probs.argmax())


print(tengen.Match(learned, tengen.RandomAgent(), games=4 if short else 200, size=size, komi=0.5, seed=1).run())
