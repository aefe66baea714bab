"""The PettingZoo environment, and go_v5 as its oracle."""

import pickle
import sys
import threading
import time

import numpy as np
import pettingzoo
import pytest
import tengen
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from pettingzoo.classic import go_v5
from pettingzoo.test import api_test, seed_test

from tengen.pettingzoo import env, raw_env


def test_pettingzoo_is_content():
    api_test(env(board_size=5), num_cycles=300)
    api_test(env(board_size=5, rules="tromp-taylor", max_moves=20), num_cycles=300)
    seed_test(lambda: env(board_size=5), num_cycles=50)


@pytest.mark.parametrize("size", [5, 9])
def test_it_agrees_with_go_v5(size):
    random, shown = np.random.default_rng(size), np.zeros((8, 2), bool)
    for _ in range(3):
        # The size of go_v5 is global: it is made again for every game.
        ours, theirs = env(board_size=size, komi=6.5, max_moves=10_000), go_v5.env(board_size=size, komi=6.5)
        ours.reset()
        theirs.reset()
        for move in range(150):
            agent = ours.agent_selection
            assert agent == theirs.agent_selection
            (seen, reward, terminated, truncated, _), (oracle, *expected, _) = ours.last(), theirs.last()
            assert [reward, terminated, truncated] == expected
            if terminated:
                break
            assert (seen["action_mask"] == oracle["action_mask"]).all()
            # Each pair of the oracle's planes is seen by whoever had moved then, the latest by the opponent; our own are all
            # the player's.
            pairs = oracle["observation"][..., :16].reshape(size, size, 8, 2).copy()
            pairs[:, :, ::2] = pairs[:, :, ::2, ::-1]
            assert (seen["observation"][..., :16] == pairs.reshape(size, size, 16)).all()
            assert (seen["observation"][..., 16] != oracle["observation"][..., 16]).all()
            shown |= pairs.any((0, 1))
            moves = np.flatnonzero(seen["action_mask"])
            action = size * size if move > 100 else random.choice(moves)
            ours.step(action)
            theirs.step(action)
        assert terminated
    assert shown.all()


def test_perspectives_are_kept():
    game = env(board_size=5)
    game.reset()
    for action in (0, 1, 2):
        game.step(action)
    white = game.observe("white_0")["observation"]
    assert white[0, 1, 0] and white[0, 0, 1] and white[0, 2, 1] and not white[..., 16].any()
    assert white[0, 1, 2] and not white[0, 2, 3]
    black = game.observe("black_0")
    assert black["observation"][0, 0, 0] and black["observation"][..., 16].all()
    assert not black["action_mask"].any()


def test_a_draw_pays_nothing():
    game = env(board_size=5, komi=0)
    game.reset()
    game.step(25)
    game.step(25)
    assert game.rewards == {"black_0": 0, "white_0": 0} and all(game.terminations.values())
    assert game.infos["black_0"] == {"score": 0.0, "move_number": 2, "last_move": "pass"}


def test_games_are_cut_short():
    game = env(board_size=5, max_moves=3)
    game.reset()
    for action in (0, 1, 2):
        game.step(action)
    assert all(game.truncations.values()) and not any(game.terminations.values())


def test_illegal_actions():
    def after(illegal):
        game = env(board_size=5, illegal=illegal)
        game.reset()
        game.step(0)
        game.step(0)
        return game

    game = after("lose")
    assert game.rewards == {"black_0": 1, "white_0": -1} and all(game.terminations.values())
    game = after("ignore")
    assert game.agent_selection == "white_0" and not any(game.terminations.values())
    with pytest.raises(tengen.IllegalMoveError):
        after("raise")
    game = env(board_size=5)
    game.reset()
    for wrong in (26, -1, None):
        with pytest.raises(ValueError):
            game.step(wrong)
    for wrong in ("x", "3", 3.7, 3.0, True, np.bool_(True), np.float32(3), (1, 2), np.array([3])):
        with pytest.raises(TypeError, match="whole numbers"):
            game.step(wrong)
    assert game.game.move_number == 0
    for right in (np.int64(3), np.array(4), 5):
        game.step(right)
    assert game.game.move_number == 3


def test_steps_let_other_threads_run():
    """An interpreter that never takes turns by itself shows when a step lets go of it."""
    game, ticks, is_over = env(board_size=19), [], threading.Event()

    def tick():
        while not is_over.is_set():
            ticks.append(game)
            time.sleep(0)

    thread, interval = threading.Thread(target=tick), sys.getswitchinterval()
    game.reset()
    sys.setswitchinterval(1000)
    try:
        thread.start()
        before, end = len(ticks), time.monotonic() + 20
        while len(ticks) == before and time.monotonic() < end:
            game.reset()
            for action in range(300):
                game.step(action)
        assert len(ticks) > before
    finally:
        is_over.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_calls_in_the_wrong_order():
    game = env(board_size=5)
    for wrong in (game.last, lambda: game.step(0), lambda: game.observe("black_0"), lambda: game.rewards):
        with pytest.raises(AttributeError, match="reset"):
            wrong()
    game.reset()
    for action in (25, 25, None, None):
        game.step(action)
    with pytest.raises(ResetNeeded):
        game.step(None)


def test_superko_is_a_choice():
    """With positional superko the mask leaves out exactly what repeats a position; with simple ko it does not."""
    random = np.random.default_rng(2)
    forbidden = 0
    for _ in range(30):
        ours = raw_env(board_size=3, rules="chinese-ogs", max_moves=80)
        simple = raw_env(board_size=3, rules="chinese", max_moves=80)
        ours.reset()
        simple.reset()
        positions = {simple.game.board.tobytes()}
        while not ours.terminations["black_0"] and not ours.truncations["black_0"]:
            mask = ours.last()[0]["action_mask"]
            for action in np.flatnonzero(simple.last()[0]["action_mask"][:-1]):
                after = simple.game.copy()
                after.play(int(action))
                assert mask[action] == (after.board.tobytes() not in positions)
                forbidden += not mask[action]
            points = np.flatnonzero(mask[:-1])
            action = int(random.choice(points)) if points.size else 9
            ours.step(action)
            simple.step(action)
            positions.add(ours.game.board.tobytes())
    assert forbidden > 50


def test_pettingzoo_makes_it_by_name():
    game = pettingzoo.make("aec", "tengen/go-v0", board_size=5, komi=0.5)
    game.reset()
    assert game.observe("black_0")["action_mask"].shape == (26,)


def test_infos_tell_the_score():
    game = env(board_size=5, komi=0.5)
    game.reset()
    assert game.infos["black_0"] == {"score": -0.5, "move_number": 0, "last_move": None}
    game.step(12)
    assert game.infos["white_0"] == {"score": 24.5, "move_number": 1, "last_move": "C3"}
    game.infos["white_0"]["score"] = 0
    assert game.infos["black_0"]["score"] == 24.5


def test_closed_environments_raise():
    game = env(board_size=5)
    game.reset()
    game.close()
    for call in (game.reset, game.last, lambda: game.step(0), lambda: game.observe("black_0"), game.render):
        with pytest.raises(ClosedEnvironmentError):
            call()
    game.close()


def test_masks_are_copies():
    game = env(board_size=5)
    game.reset()
    game.last()[0]["action_mask"][:] = 0
    assert game.last()[0]["action_mask"].all()


def test_two_sizes_live_together_and_pickles_work():
    small, large = raw_env(board_size=5), raw_env(board_size=9)
    small.reset()
    large.reset()
    assert small.observe("black_0")["action_mask"].shape == (26,)
    assert large.observe("black_0")["action_mask"].shape == (82,)
    assert pickle.loads(pickle.dumps(small)).observation_space("black_0") == small.observation_space("black_0")
    with pytest.raises(ValueError, match="one whole number"):
        raw_env(board_size=(5, 5))
    with pytest.raises(ValueError, match="black_0"):
        small.observe("nobody")
    for wrong in ({"board_size": 1}, {"illegal": "cry"}, {"render_mode": "human"}, {"max_moves": 0}, {"rules": "x"}):
        with pytest.raises(ValueError):
            raw_env(**wrong)
