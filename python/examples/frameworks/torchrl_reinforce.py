"""TorchRL: its wrapper for Gymnasium, a policy that keeps to the mask, and REINFORCE against a built-in opponent."""

import os

import tengen
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor

short = bool(os.environ.get("TENGEN_SHORT"))
torch.manual_seed(1)
env = GymWrapper(tengen.GoEnv(5, komi=0.5, observation="own", max_moves=60, opponent="random,seed=1"), categorical_action_encoding=True)
net = nn.Sequential(nn.Linear(25, 128), nn.ReLU(), nn.Linear(128, 26))


def judge(stones, mask):
    return net(stones.flatten(-2).float()), mask.bool()


judged = TensorDictModule(judge, in_keys=["observation", "action_mask"], out_keys=["logits", "mask"])
actor = ProbabilisticActor(judged, ["logits", "mask"], distribution_class=MaskedCategorical, spec=env.action_spec)
optimizer = torch.optim.Adam(net.parameters(), 1e-3)
rewards = []
for _ in range(4 if short else 3000):
    with torch.no_grad():
        game = env.rollout(60, actor)
    rewards.append(float(game["next", "reward"].sum()))
    better = rewards[-1] - sum(rewards[-100:]) / len(rewards[-100:])
    loss = -(actor.get_dist(game).log_prob(game["action"]) * better).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"mean reward of the last games: {sum(rewards[-100:]) / len(rewards[-100:]):.2f}")
