"""What needs PyTorch and the frameworks on top of it: run by `make test-frameworks`."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tengen
import tengen.torch
import torch

ROOT = Path(__file__).resolve().parents[3]


def recorded():
    """Positions of real games, by the shape of their boards."""
    by_shape = {}
    for file in sorted((ROOT / "tests/records").glob("*.sgf.gz")):
        text = gzip.decompress(file.read_bytes()).decode()
        for record in re.findall(r"\(;.*?\)", text, re.S)[:3]:
            game = tengen.Game.from_sgf(record)
            while game.move_number > 60:
                game.undo()
            by_shape.setdefault(game.shape, []).append(game)
    assert len(by_shape) >= 3
    return by_shape


@pytest.mark.parametrize("name", tengen.networks())
def test_modules_agree(name):
    network, module = tengen.Network(name), tengen.torch.load(name)
    for games in recorded().values():
        planes = np.stack([game.planes(module.planes) for game in games])
        with torch.no_grad():
            said = module(torch.from_numpy(planes))
        expected = network(planes)
        assert np.allclose(said.policy.softmax(1).numpy(), expected.policy, atol=1e-4)
        if said.value is not None:
            assert np.allclose(said.value.numpy(), expected.value, atol=1e-4)
            assert np.allclose(said.score.numpy(), expected.score, atol=1e-2)
            assert np.allclose(said.ownership.numpy(), expected.ownership, atol=1e-4)
        # And with what Network says about games, where it is Black's.
        about = network(games)
        for i, game in enumerate(games):
            policy = np.where(game.legal, said.policy[i].softmax(0).numpy(), 0)
            assert np.allclose(policy / policy.sum(), about.policy[i], atol=1e-4)


def test_a_file_is_a_module(tmp_path):
    tengen.Network("rollout-a").save(tmp_path / "net.safetensors")
    module = tengen.torch.load(tmp_path / "net.safetensors")
    planes = torch.from_numpy(tengen.Game(9).planes()[None])
    assert torch.equal(module(planes).policy, tengen.torch.load("rollout-a")(planes).policy)


def test_trained_weights_come_back_and_play(tmp_path):
    """A module learns to open in the corner; as a network it does so in a game."""
    torch.manual_seed(1)
    module = tengen.torch.load("default").train()
    game = tengen.Game(9)
    planes = torch.from_numpy(game.planes(module.planes)[None])
    corner = torch.tensor([game.index("A1")])
    optimizer = torch.optim.Adam(module.parameters(), 1e-3)
    for _ in range(60):
        loss = torch.nn.functional.cross_entropy(module(planes).policy, corner)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    network = tengen.Network.from_state_dict(module.state_dict(), module.spec)
    with torch.no_grad():
        said = module(planes).policy.softmax(1).numpy()
    assert np.allclose(network(planes.numpy()).policy, said, atol=1e-4)
    network.save(tmp_path / "mine.safetensors")
    player = tengen.Player("policy", net=tmp_path / "mine.safetensors", seed=1)
    # It looks at the board from a random side.
    assert player.decide(game) in ("A1", "A9", "J1", "J9")
    assert tengen.play_game(player, "random", size=9, max_moves=20).message is None


@pytest.mark.parametrize("path", sorted((ROOT / "python/examples/frameworks").glob("*.py")), ids=lambda path: path.name)
def test_examples(path, tmp_path):
    environment = {**os.environ, "TENGEN_SHORT": "1"}
    run = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
