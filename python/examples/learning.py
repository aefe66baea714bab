"""The loop of learning by self-play with one piece replaced, the targets of the value: near its end a game's result counts as much as
what the search thought, long before it what the search thought counts more."""

import os

import numpy as np
import tengen

generations, games, steps = (2, 4, 4) if os.environ.get("TENGEN_SHORT") else (20, 100, 40)


def targets(game):
    """The arrays of a game with other values, from -1 to 1."""
    left = np.arange(len(game["moves"]))[::-1]
    share = np.float32(0.5) * np.exp(-left / 20).astype(np.float32)
    return {**game, "values": share * game["rewards"] + (1 - share) * game["values"]}


# A first generation from random weights, then the same loop in Python.
tengen.train.zero("zero-5x5", size=5, komi=(0.5, 8.5), generations=1, games=games, selfplay__simulations=8, anchors__games=0, resume=True)
network = tengen.Network("zero-5x5/net.safetensors")
buffer, learner = tengen.train.ReplayBuffer(capacity=20000), tengen.train.Learner(network, optimizer__learning_rate=0.02)
for generation in range(generations):
    for game in tengen.train.selfplay(network, size=5, komi=(0.5, 8.5), games=games, seed=generation, simulations=8):
        buffer.add(targets(game), value_mix=1)
    for step in range(steps):
        report = learner.step(buffer.sample(128, seed=generation * steps + step))
    network = learner.network()
    print(f"generation {generation}: {len(buffer)} positions, loss {report['loss']:.3f}, value {report['value_loss']:.3f}")

network.save("learned.safetensors")
player = tengen.Player("zero", net="learned.safetensors", playouts=8, seed=1)
print(tengen.Match(player, "random", games=4, size=5, komi=3.5, seed=1).run())
