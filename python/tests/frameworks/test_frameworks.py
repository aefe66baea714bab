"""What needs PyTorch and the frameworks on top of it: run by `make test-frameworks`."""

import doctest
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
            assert np.allclose(said.score.numpy(), expected.score, rtol=0, atol=1e-4)
            assert np.allclose(said.ownership.numpy(), expected.ownership, atol=1e-4)
        # And with what Network says about games, where it is Black's.
        about = network(games)
        for i, game in enumerate(games):
            policy = np.where(game.legal, said.policy[i].softmax(0).numpy(), 0)
            assert np.allclose(policy / policy.sum(), about.policy[i], atol=1e-4)


def some_spec(random):
    """What a network of the family may look like."""

    def one(*choices):
        return choices[random.integers(len(choices))]

    channels, blocks = one(1, 5, 16), one(1, 3)
    trunk = {"kind": "plain", "layers": one(2, 4), "channels": channels}
    if one(True, False):
        pooling = [block for block in range(blocks) if one(True, False)]
        trunk = {"kind": "residual", "blocks": blocks, "channels": channels, "pooling": pooling}
    value = {"channels": one(1, 6), "hidden": one(1, 8), "score": one(True, False)} if one(True, False) else None
    return {
        "planes": one("holmes", "tengen", "reduced"),
        "first_kernel": one(1, 3, 5),
        "trunk": trunk,
        "policy": {"moves": one(1, 3), "kernel": one(1, 3), "channels": one(0, 7), "pass": one(True, False)},
        "value": value,
        "ownership": value is not None and one(True, False),
    }


@pytest.mark.parametrize("seed", range(40))
def test_whatever_a_network_looks_like(seed):
    """Modules with random weights are networks that answer the same, and the other way round."""
    random = np.random.default_rng(seed)
    torch.manual_seed(seed)
    spec = some_spec(random)
    module = tengen.torch.Module(spec).eval()
    for name, buffer in module.named_buffers():
        buffer.copy_(torch.rand_like(buffer))
    network = tengen.Network.from_state_dict(module.state_dict(), spec)
    again = tengen.torch.load(network)
    for shape in ((9, 9), (5, 8)):
        planes = np.stack([random_game(shape, random).planes(spec["planes"]) for _ in range(3)])
        expected = network(planes)
        for each in (module, again):
            with torch.no_grad():
                said = each(torch.from_numpy(planes))
            assert np.allclose(said.policy.softmax(1).numpy(), expected.policy, rtol=0, atol=1e-4), spec
            if spec["value"]:
                assert np.allclose(said.value.numpy(), expected.value, rtol=0, atol=1e-4), spec
                if spec["value"]["score"]:
                    assert np.allclose(said.score.numpy(), expected.score, rtol=0, atol=1e-4), spec
                if spec["ownership"]:
                    assert np.allclose(said.ownership.numpy(), expected.ownership, rtol=0, atol=1e-4), spec


def random_game(shape, random, moves=30):
    game = tengen.Game(shape)
    for _ in range(moves):
        points = np.flatnonzero(game.legal[:-1])
        if points.size:
            game.play(int(random.choice(points)))
    return game


def test_docstrings():
    result = doctest.testmod(tengen.torch)
    assert result.attempted >= 6 and not result.failed


def test_pgx_has_the_same_rules():
    """It allows what positional superko forbids, which loses there; everything else is the same."""
    import jax
    import pgx

    env = pgx.make("go_9x9")
    init, step = jax.jit(env.init), jax.jit(env.step)
    random = np.random.default_rng(1)
    for number in range(12):
        state, game = init(jax.random.PRNGKey(number)), tengen.Game(9, "chinese-ogs", komi=7.5)
        while not game.is_over and game.move_number < 160:
            stones = np.asarray(state.observation)
            me, board = game.to_play, game.board
            assert (stones[..., 0] == (board == me)).all() and (stones[..., 1] == (board == 3 - me)).all()
            theirs, ours = np.asarray(state.legal_action_mask), game.legal
            assert not (ours & ~theirs).any()
            for action in np.flatnonzero(theirs & ~ours):
                repeated = step(state, int(action))
                assert repeated.terminated and repeated.rewards[state.current_player] == -1
            points = np.flatnonzero(ours[:-1])
            action = 81 if game.move_number >= 100 or not points.size else int(random.choice(points))
            mover = int(state.current_player)
            state = step(state, action)
            game.play(action)
            assert bool(state.terminated) == game.is_over
        assert game.is_over and float(state.rewards[mover]) == (1 if game.winner == me else -1)


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
