"""Networks."""

import gzip
import os
import re
from pathlib import Path

import numpy as np
import pytest
import tengen

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TENGEN_DATA") or ROOT.parent / "shared/data")


def positions():
    games = []
    for moves in ("", "E5", "E5 C3 G7", "E5 C3 pass"):
        game = tengen.Game(9)
        for move in moves.split():
            game.play(move)
        games.append(game)
    return games


def recorded():
    """Positions of real games, on boards of several sizes."""
    for file in sorted((ROOT / "tests/records").glob("*.sgf.gz")):
        text = gzip.decompress(file.read_bytes()).decode()
        for record in re.findall(r"\(;.*?\)", text, re.S)[:3]:
            game = tengen.Game.from_sgf(record)
            replay = tengen.Game(game.shape, game.rules, game.komi)
            for number, (color, move) in enumerate(game.moves):
                if number in (7, 40, 90):
                    yield replay.copy()
                replay.to_play = color
                replay.play(move)


@pytest.mark.parametrize("name", ["default", "distilled", "prior-small"])
def test_a_batch_is_evaluated(name):
    net, games = tengen.Network(name), positions() * 3
    policy, value, score, ownership = net(games)
    assert policy.shape == (12, 82) and policy.dtype == np.float32
    assert np.allclose(policy.sum(1), 1, atol=1e-5)
    for i, game in enumerate(games):
        assert not policy[i][~game.legal].any()
        alone = net(game)
        assert np.allclose(alone.policy[0], policy[i], atol=1e-5)
        assert np.isclose(alone.value[0], value[i], atol=1e-5)
    assert ((value >= 0) & (value <= 1)).all() and score.shape == (12,) and ownership.shape == (12, 9, 9)


def test_values_are_blacks():
    games = [tengen.Game(9, komi=komi) for komi in (-20, 20, -20, 20)]
    games[2].play("E5")
    games[3].play("E5")
    _, value, score, ownership = tengen.Network("distilled")(games)
    for ahead, behind in ((0, 1), (2, 3)):
        assert value[ahead] > 0.9 > 0.1 > value[behind]
        assert score[ahead] > 5 > -5 > score[behind]
    assert ownership[2][4, 4] > 0.1


@pytest.mark.parametrize("name", tengen.networks())
def test_onnx(name, tmp_path, skip):
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        skip("ONNX files", f"{error.name} is not installed")
    net, path = tengen.Network(name), tmp_path / "net.onnx"
    net.save_onnx(path)
    onnx.checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    channels = session.get_inputs()[0].shape[1]
    kind = {44: "holmes", 48: "tengen", 10: "reduced"}[channels]
    names = [output.name for output in session.get_outputs()]
    by_shape = {(7, 13): [tengen.Game((7, 13))]}
    for game in recorded():
        by_shape.setdefault(game.shape, []).append(game)
    assert len(by_shape) >= 4 and sum(map(len, by_shape.values())) > 20
    for games in by_shape.values():
        planes = np.stack([game.planes(kind) for game in games])
        told = dict(zip(names, session.run(None, {"planes": planes})))
        if "score" in told:
            assert np.allclose(told["score"], net(planes).score, rtol=0, atol=1e-4)
        expected = net(games)
        for i, game in enumerate(games):
            logits = np.where(game.legal, told["policy"][i], -np.inf)
            policy = np.exp(logits - logits.max())
            assert np.allclose(policy / policy.sum(), expected.policy[i], atol=1e-4)
            sign = 1 if game.to_play == 1 else -1
            if "value" in told:
                assert abs((0.5 + sign * (told["value"][i] - 0.5)) - expected.value[i]) < 1e-4
                # The lead that Network tells is between this and the sum of ownership.
                area = (sign * told["ownership"][i]).sum() - game.komi
                low, high = sorted((sign * told["score"][i], area))
                assert low - 1.0 < expected.score[i] < high + 1.0
                assert np.allclose(sign * told["ownership"][i], expected.ownership[i], atol=1e-4)
    with pytest.raises(ValueError):
        net.save_onnx(tmp_path / "no/such/folder/net.onnx")


@pytest.mark.parametrize("name", ["default", "prior-small", "rollout-a-reduced"])
def test_planes_are_evaluated_like_games(name):
    net = tengen.Network(name)
    by_shape = {}
    for game in recorded():
        by_shape.setdefault(game.shape, []).append(game)
    for games in by_shape.values():
        told = net(np.stack([game.planes(net.planes) for game in games]))
        expected = net(games)
        assert np.allclose(told.policy.sum(1), 1, atol=1e-5)
        for i, game in enumerate(games):
            policy = np.where(game.legal, told.policy[i], 0)
            assert np.allclose(policy / policy.sum(), expected.policy[i], atol=1e-4)
            value = told.value[i] if game.to_play == 1 else 1 - told.value[i]
            assert abs(value - expected.value[i]) < 1e-4
            sign = 1 if game.to_play == 1 else -1
            assert np.allclose(sign * told.ownership[i], expected.ownership[i], atol=1e-4)


def test_wrong_planes_raise():
    net, planes = tengen.Network("default"), tengen.Game(9).planes("tengen")[None]
    nan = planes.copy()
    nan[0, 0, 0, 0] = np.nan
    for wrong in (planes[0], planes.astype(float), planes[:, :44], planes[:0], planes[..., :1], nan):
        with pytest.raises((ValueError, TypeError)):
            net(wrong)
    assert np.allclose(net(np.asfortranarray(planes)).policy, net(planes).policy)


def test_weights_go_out_and_come_back(tmp_path):
    net, game = tengen.Network("rollout-b"), tengen.Game(9)
    state = net.state_dict()
    changed = {name: weights + 0 for name, weights in state.items()}
    again = tengen.Network.from_state_dict(changed, net.spec)
    assert (again(game).policy == net(game).policy).all() and again.spec == net.spec
    again.save(tmp_path / "net.safetensors")
    saved = tengen.Network(tmp_path / "net.safetensors")
    assert (saved(game).policy == net(game).policy).all()
    assert game.is_legal(tengen.Player("policy", net=str(tmp_path / "net.safetensors")).decide(game))
    name = next(iter(state))
    for wrong, words in [
        ({}, "no weights"),
        ({**state, name: state[name][:1]}, "shape"),
        ({**state, "more": state[name]}, "more"),
        ({**state, name: state[name] * np.nan}, "nan|NaN"),
        ({**state, name: "weights"}, "float"),
    ]:
        with pytest.raises((ValueError, TypeError), match=words):
            tengen.Network.from_state_dict(wrong, net)
    with pytest.raises(ValueError, match="description"):
        tengen.Network.from_state_dict(state, {"planes": "holmes"})
    with pytest.raises(ValueError):
        tengen.Network(b"rubbish")


def test_wrong_uses_raise():
    for wrong in ("no such network", "README.md", __file__):
        with pytest.raises(ValueError):
            tengen.Network(wrong)
    net = tengen.Network("default")
    with pytest.raises(ValueError, match="several sizes"):
        net([tengen.Game(9), tengen.Game(5)])
    with pytest.raises(ValueError, match="no games"):
        net([])
    with pytest.raises(TypeError):
        net([1, 2])
    assert "default" in tengen.networks()


def test_katagos_networks_are_read(skip):
    files = sorted((DATA / "nets").glob("*b6c96*.bin.gz")) if DATA.is_dir() else []
    if not files:
        skip("KataGo's networks", "no network there: set TENGEN_DATA")
    net = tengen.Network(files[0])
    policy, value, *_ = net(positions())
    with pytest.raises(ValueError, match="KataGo"):
        net(tengen.Game(9).planes()[None])
    with pytest.raises(ValueError, match="KataGo"):
        net.state_dict()
    assert np.allclose(policy.sum(1), 1, atol=1e-5) and ((value > 0) & (value < 1)).all()
