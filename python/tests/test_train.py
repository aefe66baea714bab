"""Learning by self-play, and its pieces."""

import threading
import time

import numpy as np
import pytest
import tengen
from tengen import train

FEW = {"size": 3, "komi": (0.5, 2.5), "games": 4, "selfplay__simulations": 2, "anchors__games": 0, "batch": 8}


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    folder = tmp_path_factory.mktemp("network")
    train.zero(folder, **FEW, generations=1)
    return tengen.Network(folder / "net.safetensors")


def test_a_run_tells_what_it_does(tmp_path):
    told = {"generation": [], "position": [], "game": [], "step": [], "trial": []}
    log = train.zero(
        tmp_path, **{**FEW, "anchors__games": 2}, generations=2, anchors__every=1, anchors__opponents=["random"],
        on_generation=told["generation"].append, on_position=told["position"].append, on_trial=told["trial"].append,
        on_game=lambda *done: told["game"].append(done), on_step=lambda *done: told["step"].append(done),
    )  # fmt: skip
    assert [line["generation"] for line in log] == [1, 2]
    assert [line["steps"] for line in told["generation"]] == [line["steps"] for line in log]
    assert told["game"] == [(1, 4), (2, 4), (3, 4), (4, 4)] * 2
    assert told["step"] and all(done <= of for done, of in told["step"])
    assert [trial["opponent"] for trial in told["trial"]] == ["random"] * 2
    assert all(isinstance(game, tengen.Game) and game.shape == (3, 3) for game in told["position"])
    assert len({game.move_number for game in told["position"]}) > 2


def test_a_callback_ends_a_run_that_goes_on_to_the_same(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train.zero(whole, **FEW, generations=3, threads=1)
    log = train.zero(parts, **FEW, generations=3, threads=1, on_generation=lambda line: line["generation"] < 2)
    assert len(log) == 2

    def fail(line):
        raise KeyError(line["generation"])

    with pytest.raises(KeyError, match="3"):
        train.zero(parts, resume=True, on_generation=fail)
    assert len(train.zero(parts, resume=True)) == 3
    assert (parts / "net.safetensors").read_bytes() == (whole / "net.safetensors").read_bytes()
    assert len(train.zero(parts, resume=True, generations=4)) == 4


def test_wrong_settings_are_named(tmp_path, network):
    for settings, message in [
        ({"selfplay__simulation": 3}, "selfplay.simulation"),
        ({"arch": "huge"}, "huge"),
        ({"size": 30}, "from 2 to 19"),
        ({"batch": 7}, "multiple of 8"),
    ]:
        with pytest.raises(ValueError, match=message):
            train.zero(tmp_path / "wrong", **{**FEW, **settings}, generations=1)
    with pytest.raises(ValueError, match="simulation"):
        next(train.selfplay(network, size=3, simulation=3))
    with pytest.raises(ValueError, match="threads"):
        next(train.selfplay(network, size=3, threads=0))
    with pytest.raises(ValueError, match="empty"):
        train.ReplayBuffer().sample(1, seed=1)
    with pytest.raises(ValueError, match="learning_rat"):
        train.Learner(network, optimizer__learning_rat=1)


def test_games_are_those_of_their_numbers(network):
    def play(**how):
        return [game["moves"].tolist() for game in train.selfplay(network, size=3, komi=(0.5, 2.5), simulations=2, seed=5, **how)]

    games = play(games=40)
    assert len(games) == 40 and play(games=3, threads=2) == games[:3]
    endless = train.selfplay(network, size=3, komi=(0.5, 2.5), simulations=2, seed=5)
    assert [next(endless)["moves"].tolist() for _ in range(35)] == games[:35]


def test_a_buffer_is_arrays(network):
    buffer = train.ReplayBuffer(capacity=30)
    for game in train.selfplay(network, size=3, komi=0.5, simulations=2, games=12):
        buffer.add(game)
    assert 30 <= len(buffer) < 60
    batch = buffer.sample(16, seed=1)
    assert (batch.boards == buffer.sample(16, seed=1).boards).all() and len(batch) == 16
    assert batch.boards.shape == batch.ownership.shape == (16, 3, 3) and batch.boards.max() <= 2
    assert np.allclose(batch.policies.sum(1), 1, atol=0.02) and set(batch.values) <= {0, 0.5, 1}
    assert ((batch.values > 0.5) == (batch.scores > 0)).all() and (batch.weights == 1).all()
    # Planes are those of the game: its stones, seen by the player to move.
    planes = batch.planes("tengen")
    own = batch.boards == batch.to_play[:, None, None]
    assert any((plane == own).all() for plane in planes.swapaxes(0, 1))
    for wrong in (np.zeros(3, np.float32), np.zeros(16), np.full(16, 2, np.float32)):
        with pytest.raises(ValueError, match="values"):
            batch.replace(values=wrong)


def test_a_step_learns_what_one_says(network):
    """Targets of one's own: every position is lost for who is to move, and passing is the only move."""
    buffer, learner = train.ReplayBuffer(), train.Learner(network, optimizer__average=0, optimizer__warm_up=0)
    for game in train.selfplay(network, size=3, komi=0.5, simulations=2, games=8):
        buffer.add(game)
    policies = np.zeros((32, 10), np.float32)
    policies[:, 9] = 1
    for step in range(60):
        batch = buffer.sample(32, seed=step)
        batch = batch.replace(values=(batch.to_play == 2).astype(np.float32), policies=policies)
        report = learner.step(batch)
        first = report if step == 0 else first
    assert learner.steps == report["steps"] == 60
    assert report["loss"] < 0.3 < first["loss"] and report["value_loss"] < 0.3 < first["value_loss"]
    answer = learner.network()(tengen.Game(3))
    assert answer.value[0] < 0.2 and answer.policy[0].argmax() == 9


def test_the_interpreter_goes_on_meanwhile(network):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    for _ in train.selfplay(network, size=9, simulations=64, games=8):
        pass
    done.set()
    thread.join()
    assert len(ticks) > 5
