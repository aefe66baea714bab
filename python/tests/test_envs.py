"""The Gymnasium environments."""

import signal
import subprocess
import sys
import threading
import time

import gymnasium
import numpy as np
import pytest
import tengen
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode


def choose(random, masks):
    return np.array([random.choice(np.flatnonzero(mask)) for mask in masks])


def test_the_checker_is_content():
    for more in ({}, {"render_mode": "ansi"}, {"illegal": "ignore", "opening": 6}, {"observation": "planes"}, {"opponent": "random,seed=1", "color": "alternate"}):
        check_env(gymnasium.make("tengen/Go-v0", **{"size": 5, **more} if more else {}).unwrapped)


def test_many_games_are_made_by_gymnasium():
    envs = gymnasium.make_vec("tengen/GoVector-v0", num_envs=3, vectorization_mode="vector_entry_point", size=5)
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert infos["action_mask"].shape == (3, 26)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("rules", ["chinese", "tromp-taylor"])
def test_steps_are_those_of_games(mode, rules):
    """Against single games that are stepped one by one."""
    count = 6
    envs = tengen.VectorEnv(count, size=4, rules=rules, autoreset_mode=mode, max_moves=30)
    assert envs.metadata["autoreset_mode"] == mode
    games = [tengen.Game(4, rules) for _ in range(count)]
    over = np.zeros(count, bool)
    random = np.random.default_rng(1)
    observations, infos = envs.reset(seed=5)
    ends = 0
    for _ in range(300):
        actions = choose(random, observations["action_mask"])
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert observations in envs.observation_space
        for i, game in enumerate(games):
            if over[i]:
                games[i] = game = tengen.Game(4, rules)
                over[i] = False
                assert (rewards[i], terminated[i], truncated[i]) == (0, False, False)
            else:
                mover = game.to_play
                game.play(int(actions[i]))
                assert terminated[i] == game.is_over
                assert truncated[i] == (not game.is_over and game.move_number >= 30)
                if game.is_over:
                    assert rewards[i] == (0 if game.winner == 0 else 1 if game.winner == mover else -1)
                else:
                    assert rewards[i] == 0
            done = terminated[i] or truncated[i]
            ends += done
            if done and mode == AutoresetMode.SAME_STEP:
                assert infos["_final_obs"][i] and infos["_final_info"][i]
                assert (infos["final_obs"][i]["observation"] == game.board).all()
                assert infos["final_info"]["score"][i] == game.score()
                games[i] = game = tengen.Game(4, rules)
            elif done:
                assert infos["score"][i] == game.score() and infos["_score"][i]
                over[i] = mode == AutoresetMode.NEXT_STEP
            assert (observations["observation"][i] == game.board).all()
            assert (observations["action_mask"][i] == game.legal).all()
            assert infos["to_play"][i] == game.to_play
            assert infos["move_number"][i] == game.move_number
        if mode == AutoresetMode.DISABLED and (done := terminated | truncated).any():
            with pytest.raises(RuntimeError, match="reset_mask"):
                envs.step(actions)
            observations, infos = envs.reset(options={"reset_mask": done})
            for i in np.flatnonzero(done):
                games[i] = tengen.Game(4, rules)
    assert ends > 20


def test_seeds_decide_openings():
    def boards(seed):
        return tengen.VectorEnv(4, size=5, opening=8).reset(seed=seed)[0]["observation"]

    assert (boards(1) == boards(1)).all()
    assert (boards(1) != boards(9)).any()
    assert (boards(1)[1:] == boards(2)[:-1]).all()
    assert (boards([3, None, 3, 4])[0] == boards([3, None, 3, 4])[2]).all()

    def series(seed):
        env = tengen.GoEnv(5, opening=8)
        return [env.reset(seed=s)[0]["observation"].tobytes() for s in (seed, None, None, None)]

    assert series(1) == series(1) and len(set(series(1))) > 1
    assert series(1)[0] == boards(1)[0].tobytes()


def test_openings_without_a_seed_are_unforeseen():
    def boards(random=None):
        envs, env = tengen.VectorEnv(4, size=5, opening=20), tengen.GoEnv(5, opening=20)
        if random is not None:
            envs.np_random, env.np_random = np.random.default_rng(random), np.random.default_rng(random)
        return envs.reset()[0]["observation"].tobytes(), env.reset()[0]["observation"].tobytes()

    first, second = zip(*(boards() for _ in range(4)))
    assert len(set(first)) == 4 and len(set(second)) > 1
    # As Gymnasium has it, they come from the environment's own random numbers.
    assert boards(3) == boards(3) != boards(4)


def test_more_games_than_memory_are_refused():
    for more in ({"size": 19, "observation": "planes"}, {"size": 19, "num_envs": 10**6 - 1}):
        with pytest.raises(MemoryError, match="fewer games"):
            tengen.VectorEnv(**{"num_envs": 10**6, **more})


def test_own_stones_and_planes():
    envs = tengen.VectorEnv(2, size=5, observation="own")
    envs.reset()
    observations = envs.step(np.array([0, 24]))[0]
    assert observations["observation"][0, 0, 0] == 2
    observations = envs.step(np.array([1, 2]))[0]
    assert observations["observation"][0, 0, 0] == 1
    envs = tengen.VectorEnv(2, size=5, observation="planes")
    assert envs.reset()[0]["observation"].shape == (2, 44, 5, 5)
    assert (envs.step(np.array([3, 4]))[0]["observation"][1] == envs.game(1).planes()).all()


def test_an_opponent_makes_it_single_agent():
    envs = tengen.VectorEnv(8, size=5, opponent="random,seed=1", color="alternate")
    observations, infos = envs.reset(seed=1)
    assert set(infos["to_play"]) == {1, 2}
    assert (infos["move_number"] == (infos["to_play"] == 2)).all()
    random = np.random.default_rng(2)
    colors, total = infos["to_play"].copy(), []
    for _ in range(200):
        over = np.zeros(8, bool) if not total else ended
        observations, rewards, terminated, truncated, infos = envs.step(choose(random, observations["action_mask"]))
        ended = terminated | truncated
        colors[over] = 3 - colors[over]
        going = ~ended
        assert (infos["to_play"][going] == colors[going]).all()
        for i in np.flatnonzero(terminated):
            score = envs.game(i).score() * (1 if colors[i] == 1 else -1)
            assert rewards[i] == np.sign(score)
        total.extend(rewards[terminated])
    assert len(total) > 5


def test_illegal_actions():
    def second(illegal):
        envs = tengen.VectorEnv(2, size=5, illegal=illegal, max_moves=3)
        envs.reset()
        envs.step(np.array([0, 0]))
        return envs, lambda: envs.step(np.array([0, 1]))

    _, rewards, terminated, _, _ = second("lose")[1]()
    assert rewards.tolist() == [-1, 0] and terminated.tolist() == [True, False]
    envs, step = second("raise")
    with pytest.raises(tengen.IllegalMoveError):
        step()
    assert envs.game(1).move_number == 1
    envs, step = second("ignore")
    assert step()[1].tolist() == [0, 0]
    assert envs.game(0).move_number == 1
    assert envs.step(np.array([0, 0]))[3].all()


@pytest.mark.parametrize(
    "actions",
    [None, 5, [0, 0, 0], [[0, 0]], [0.5, 1.0], ["A1", "B2"], [0, 26], [-1, 0], [True, False], [10**30, 0], []],
)
def test_wrong_actions_raise(actions):
    envs = tengen.VectorEnv(2, size=5)
    envs.reset()
    with pytest.raises((ValueError, TypeError, OverflowError)):
        envs.step(actions)


def test_wrong_uses_raise():
    for wrong in (
        {"num_envs": 0},
        {"size": 50},
        {"rules": "none"},
        {"illegal": "cry"},
        {"observation": "video"},
        {"color": "red"},
        {"opponent": "nobody"},
        {"autoreset_mode": "sometimes"},
        {"max_moves": 0},
        {"num_envs": -1},
    ):
        with pytest.raises((ValueError, OverflowError)):
            tengen.VectorEnv(**{"num_envs": 2, **wrong})
    envs = tengen.VectorEnv(2, size=5)
    with pytest.raises(ResetNeeded):
        envs.step(np.array([0, 0]))
    envs.reset()
    for wrong in ({"reset_mask": [True, True]}, {"reset_mask": np.zeros(2, bool)}, {"reset_mask": np.ones(3, bool)}):
        with pytest.raises(ValueError):
            envs.reset(options=wrong)
    for wrong in ([1], [1, 2, 3], -5):
        with pytest.raises(ValueError):
            envs.reset(seed=wrong)
    envs.close()
    with pytest.raises(ClosedEnvironmentError):
        envs.step(np.array([0, 0]))
    with pytest.raises(ClosedEnvironmentError):
        envs.reset()
    with pytest.raises(ValueError):
        tengen.VectorEnv(2, size=5, render_mode="human")


def test_closed_environments_raise():
    envs = tengen.VectorEnv(2, size=5, render_mode="ansi")
    envs.reset()
    assert envs.render_mode == "ansi" and "A B C D E" in envs.render()[1]
    assert tengen.VectorEnv(2, size=5).render() is None
    envs.close()
    env = tengen.GoEnv(5)
    for call in (lambda: env.step(0), env.action_masks):
        with pytest.raises(ResetNeeded):
            call()
    env.reset()
    env.close()
    for call in (
        envs.reset,
        lambda: envs.step(np.array([0, 0])),
        envs.action_masks,
        lambda: envs.game(0),
        envs.render,
        env.reset,
        lambda: env.step(0),
        env.action_masks,
        lambda: env.game,
        env.render,
    ):
        with pytest.raises(ClosedEnvironmentError):
            call()
    envs.close()
    env.close()


def test_masks_are_copies():
    envs, env = tengen.VectorEnv(2, size=5), tengen.GoEnv(5)
    for this, first in ((envs, [0, 0]), (env, 0)):
        observations, infos = this.reset()
        for mask in (observations["action_mask"], infos["action_mask"], this.action_masks()):
            mask[:] = 0
            assert this.action_masks().all()
        observations, _, _, _, infos = this.step(np.array(first))
        observations["action_mask"][:] = 0
        assert infos["action_mask"].sum() > 0


# It leaves the game after its first move.
QUITTER = """
import sys
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "genmove":
        sys.exit(1)
    known = "protocol_version name version list_commands boardsize clear_board komi play genmove quit"
    print("=", {"protocol_version": "2", "list_commands": known.replace(" ", "\\n")}.get(word, ""), "\\n", flush=True)
"""


def test_an_opponent_that_fails_raises(tmp_path):
    script = tmp_path / "quitter.py"
    script.write_text(QUITTER.replace("\\\\n", "\\n"))
    envs = tengen.VectorEnv(2, size=5, opponent=f"gtp:{sys.executable} {script}")
    observations, _ = envs.reset()
    with pytest.raises(RuntimeError):
        envs.step(np.array([0, 0]))
    with pytest.raises(RuntimeError, match="reset all games"):
        envs.step(np.array([1, 1]))
    with pytest.raises(RuntimeError, match="reset all games"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset()
    assert envs.game(0).move_number == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_ctrl_c_ends_an_opponents_search():
    program = """
import numpy, tengen
envs = tengen.VectorEnv(2, size=9, opponent="uct,playouts=1000000000")
envs.reset()
print("thinking", flush=True)
try:
    envs.step(numpy.array([0, 0]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "thinking\n"
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    assert run.communicate(timeout=60)[0] == "interrupted\n"


def test_masks_as_frameworks_ask_for_them():
    envs = tengen.VectorEnv(3, size=5)
    envs.reset()
    assert envs.action_masks().shape == (3, 26) and envs.action_masks().all()
    env = tengen.GoEnv(5, render_mode="ansi")
    env.reset()
    assert env.action_masks().dtype == bool
    assert "A B C D E" in env.render()


def test_threads_take_turns():
    """Steps of several threads on one environment follow one another: none is lost, and none raises."""
    envs = tengen.VectorEnv(8, size=5, illegal="ignore", max_moves=10**6, autoreset_mode="SameStep")
    envs.reset(seed=1)
    failures, steps = [], []

    def work(seed):
        random = np.random.default_rng(seed)
        try:
            for _ in range(200):
                numbers = envs.step(random.integers(0, 25, 8))[4]["move_number"]
                steps.append(numbers)
                assert envs.action_masks().shape == (8, 26)
                envs.game(seed)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures and len(steps) == 800
