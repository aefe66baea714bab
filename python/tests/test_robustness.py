"""Whatever is handed to the package, the answer is a result or a Python exception."""

import multiprocessing
import pickle
import tempfile
import threading

import numpy as np
import pytest
import tengen
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tengen.pettingzoo import raw_env

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.binary(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
) | hnp.arrays(dtype=hnp.scalar_dtypes(), shape=hnp.array_shapes(max_dims=3, max_side=4))

refusals = (TypeError, ValueError, OverflowError, AttributeError, KeyError, OSError)


def survives(call):
    try:
        call()
    except refusals:
        pass


@settings(max_examples=300, deadline=None)
@given(anything, anything)
def test_games(a, b):
    game = tengen.Game(5)
    for call in (
        lambda: game.play(a),
        lambda: game.is_legal(a),
        lambda: game.score(a),
        lambda: game.ownership(dead=a),
        lambda: game.point(a),
        lambda: game.name(a),
        lambda: game.planes(a),
        lambda: game.observation(a),
        lambda: tengen.Game(a, b),
        lambda: tengen.Game(5, "chinese", a, b),
        lambda: tengen.Game.from_diagram(a, b),
        lambda: tengen.Game.from_sgf(a),
        lambda: tengen.Game._restore(a, b),
        lambda: setattr(game, "to_play", a),
        lambda: game == a,
    ):
        survives(call)
    if isinstance(a, int) and 0 <= a < 50:
        survives(lambda: game.history(a))


@settings(max_examples=150, deadline=None)
@given(anything, anything)
def test_players_networks_and_environments(a, b):
    envs = tengen.VectorEnv(2, size=3)
    envs.reset()
    for call in (
        lambda: envs.step(a),
        lambda: envs.reset(seed=a),
        lambda: envs.reset(options={"reset_mask": a}),
        lambda: tengen.Player("random", seed=a),
        lambda: tengen.Player("random").behaviour(a),
        lambda: tengen._tengen.Thoughts().add(a, b, None),
        lambda: tengen._tengen.Thoughts().add(tengen.Game(3), a, b),
        lambda: tengen.Player("random", **{str(a)[:8]: b}),
        lambda: tengen.Network("rollout-a")(a),
        lambda: tengen.play_game(lambda board: a, lambda board: b, size=3, max_moves=4),
    ):
        survives(call)


@settings(max_examples=150, deadline=None)
@given(anything, anything)
def test_pettingzoo_matches_and_records(a, b):
    env = raw_env(board_size=3)
    env.reset()
    for call in (
        lambda: env.step(a),
        lambda: env.observe(a),
        lambda: env.reset(seed=a, options=b),
        lambda: raw_env(board_size=3, komi=a),
        lambda: raw_env(board_size=a, rules=b),
        lambda: raw_env(board_size=3, max_moves=a, illegal=b),
        lambda: raw_env(board_size=3, render_mode=a),
        lambda: tengen.load_records(a),
        lambda: tengen.load_records([a, b]),
        lambda: tengen.Match(a, b, games=1, size=3),
        lambda: tengen.Match("random", "random", games=a if isinstance(a, int) and a > 2 else 1, size=b),
        lambda: tengen.Match("random", "random", games=a),
        lambda: tengen.Match("random", "random", games=1, size=3, seed=a, names=b).run(),
        lambda: tengen.Match("random", "random", games=1, size=3, referee=a).run(),
        lambda: tengen.Match(lambda board: a, lambda board: b, games=1, size=3).run(),
        lambda: tengen.Tournament(a, games=0, size=3),
        lambda: tengen.play_game("random", "random", size=a, rules=b),
        lambda: tengen.Network(a),
        lambda: tengen.Network.from_state_dict(a, b),
        lambda: tengen.VectorEnv(2, size=a, rules=b),
        lambda: tengen.VectorEnv(2, size=3, komi=a, autoreset_mode=b),
        lambda: tengen.VectorEnv(2, size=3, max_moves=a, opening=b),
        lambda: tengen.VectorEnv(2, size=3, opponent=a, color=b),
        lambda: tengen.GoEnv(a, b),
        lambda: tengen.GoEnv(3, observation=a, illegal=b),
        lambda: tengen.State(a).legal,
    ):
        survives(call)
    # Whatever was tried, the environment can go on.
    env.reset()
    env.step(0)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=400))
def test_files_that_are_no_records(rubbish):
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        file.write(rubbish)
        file.flush()
        try:
            tengen.load_records(file.name)
        except ValueError as error:
            assert file.name in str(error)
        else:
            raise AssertionError("it is no record")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 25), max_size=40), st.sampled_from(["chinese", "tromp-taylor", "aga", "japanese"]))
def test_any_moves_leave_a_sound_game(moves, rules):
    game = tengen.Game(5, rules)
    for move in moves:
        if not game.is_over and game.is_legal(move):
            game.play(move)
    assert game.legal[-1]
    assert tengen.Game.from_sgf(game.sgf()) == game
    assert (game.history(1)[0] == game.board).all()


def test_threads_share_players_and_games():
    player, net, game = tengen.Player("uct", playouts=20, seed=1), tengen.Network("default"), tengen.Game(5)
    failures = []

    def work():
        try:
            for _ in range(20):
                assert game.is_legal(player.decide(game))
                net(game)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures


def play(seed):
    return tengen.play_game(tengen.Player("random"), tengen.RandomAgent(), size=5, seed=seed).moves


SHARED = tengen.Player("uct", playouts=30, threads=2)


def ask(_):
    net = tengen.Network("rollout-a")(tengen.Game(5)).policy.sum()
    return SHARED.decide(tengen.Game(5)) != "resign" and bool(abs(net - 1) < 1e-4)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes(method):
    """Also those that inherit players that have been used."""
    assert ask(0)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(play, [1, 2, 1]).get(timeout=100)[0] == play(1)
        assert all(pool.map_async(ask, range(4)).get(timeout=100))


moves = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["A1", "B2", "C3", "C1", "A3", "pass", "D4", "Z9", ""])), max_size=8)
states = st.tuples(
    st.sampled_from([tengen.Game(3)._compact_rules, "tromp-taylor", "none", ""]),
    st.floats() | st.integers(-(10**6), 10**6),
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.lists(st.integers(0, 3), min_size=9, max_size=9).map(bytes) | st.binary(max_size=9),
    st.integers(0, 3),
    st.integers(0, 2**64) | st.sampled_from([0, 2, 9]),
    moves,
    st.integers(0, 3),
    st.none() | st.sampled_from(["B+R", "W+3.5", "0", "B+", "rubbish"]),
)


@settings(max_examples=500, deadline=None)
@given(states)
def test_pickles_that_were_made_up(state):
    """What is nearly the state of a game is a game, which can do everything, or refused."""
    try:
        game = tengen.Game._restore(*state)
    except refusals:
        return
    assert pickle.loads(pickle.dumps(game)) == game
    for kind in ("holmes", "tengen", "reduced"):
        game.planes(kind)
    game.score()
    game.sgf()
    game.legal
    repr(game)
    survives(lambda: game.play("A1"))
    game.undo()


def test_a_changed_array_changes_nothing():
    envs = tengen.VectorEnv(2, size=3)
    observations, infos = envs.reset()
    observations["observation"][:] = 2
    infos["action_mask"][:] = 0
    assert envs.step(np.array([0, 1]))[0]["observation"].sum() == 2
