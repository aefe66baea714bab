"""DQN of Tianshou plays Black against its random player. Its wrapper turns the observation into `obs`, `mask` and `agent_id`."""

import os

import numpy as np
import tengen.pettingzoo
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

short = bool(os.environ.get("TENGEN_SHORT"))
np.random.seed(1)
torch.manual_seed(1)


def make():
    return PettingZooEnv(tengen.pettingzoo.env(board_size=5, komi=0.5, max_moves=60))


env = make()
net = Net(state_shape=(5, 5, 17), action_shape=26, hidden_sizes=[128, 128])
policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
black = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), n_step_return_horizon=3, target_update_freq=200)
white = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space)
both = MultiAgentOffPolicyAlgorithm(algorithms=[black, white], env=env)
training = Collector(both, DummyVectorEnv([make] * 4), VectorReplayBuffer(20_000, 4), exploration_noise=True)
testing = Collector(both, DummyVectorEnv([make] * 4))
result = both.run_training(
    OffPolicyTrainerParams(
        training_collector=training,
        test_collector=testing,
        max_epochs=1 if short else 20,
        epoch_num_steps=200 if short else 5000,
        collection_step_num_env_steps=40,
        update_step_num_gradient_steps_per_sample=0.1,
        batch_size=64,
        test_step_num_episodes=4 if short else 40,
        multi_agent_return_reduction=lambda rewards: rewards[:, 0],
        show_progress=False,
    )
)
print(f"mean reward of Black: {result.best_reward:.2f}")
