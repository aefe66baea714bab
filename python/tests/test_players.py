"""Players, agents, games, matches."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import tengen


def test_a_player_decides_and_analyses():
    player = tengen.Player("rave", playouts=200, seed=1)
    game = tengen.Game(5)
    assert player.decide(game) == "C3"
    found = player.analyse(game, playouts=100)
    assert found.best == found.pv[0] == found.moves[0]
    assert found.visits.shape == (26,) and found.visits.sum() >= 100
    assert found.ownership.shape == (5, 5)
    assert 0 <= found.value <= 1 and np.nanmax(found.values) <= 1
    assert np.isnan(found.values[found.visits == 0]).all()


def test_the_same_seed_gives_the_same_move():
    game = tengen.Game(7)
    assert len({tengen.Player("uct", playouts=50, seed=4).decide(game) for _ in range(3)}) == 1


def test_parameters_are_keywords():
    player = tengen.Player("rave", playout__kind="uniform", resign=0.0)
    assert 'kind = "uniform"' in player.parameters
    for wrong in ({"playout": object()}, {"playouts": -1}, {"nothing": 1}, {"net": "no/such.bin.gz"}):
        with pytest.raises((ValueError, TypeError)):
            tengen.Player("zero" if "net" in wrong else "rave", **wrong)
    with pytest.raises(ValueError, match="did you mean"):
        tengen.Player("randon")
    assert "random" in dict(tengen.presets())


def test_players_that_do_not_search_say_so():
    with pytest.raises(ValueError, match="does not search"):
        tengen.Player("random").analyse(tengen.Game(5))
    with pytest.raises(TypeError):
        tengen.Player("random").decide("game")


def test_searches_leave_the_interpreter_alone():
    player = tengen.Player("uct", time=0.5, playouts=10**9)
    ticks = []
    thread = threading.Thread(target=player.decide, args=(tengen.Game(9),))
    thread.start()
    while thread.is_alive():
        ticks.append(time.monotonic())
        time.sleep(0.01)
    thread.join()
    assert len(ticks) > 5


def first_legal(board, state):
    return int(np.flatnonzero(state.legal)[0])


class Passes:
    def choose(self, board):
        return "pass"


def test_agents_of_every_kind_play():
    for agent in (first_legal, Passes(), lambda board: "pass", lambda *seen: "pass", tengen.RandomAgent(1), "random", tengen.Player("random")):
        result = tengen.play_game(agent, "random", size=5, max_moves=40)
        assert result.reason in ("passes", "length")
        assert result.message is None


@pytest.mark.parametrize(
    ("answer", "reason", "words"),
    [
        (lambda board: "A1", "illegal", "A1"),
        (lambda board: 99, "crash", "not on the board"),
        (lambda board: None, "crash", "not a move"),
        (lambda board: 1 / 0, "crash", "ZeroDivisionError"),
        (lambda board: "E4 or so", "crash", "invalid vertex"),
        (lambda board: "resign", "resignation", None),
    ],
)
def test_bad_agents_lose(answer, reason, words):
    def agent(board):
        return answer(board) if board.any() else "A1"

    result = tengen.play_game(agent, Passes(), size=5)
    assert (result.winner, result.reason) == (2, reason)
    assert words is None or words in result.message


def test_what_is_no_agent_is_refused():
    for wrong in (5, None, object()):
        with pytest.raises(TypeError, match="not an agent"):
            tengen.play_game(wrong, "random")


def test_an_agent_cannot_change_the_game():
    def vandal(board, state):
        board[:] = 0
        state.game.play("pass")
        return "pass"

    assert tengen.play_game(vandal, Passes(), size=5).moves == ["pass", "pass"]


def test_a_match_has_the_fields_of_the_command_line(tmp_path):
    mine = tengen.Match("uct,playouts=30", "random", games=4, size=5, seed=7).run()
    command = [sys.executable, "-m", "tengen", "match", "uct,playouts=30", "random", "--games", "4", "--size", "5", "--seed", "7", "--json"]
    theirs = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    fields = set(mine.__dataclass_fields__) - {"records"}
    assert fields == set(theirs)
    for name in fields - {"cpu_seconds_a", "cpu_seconds_b", "median_game_seconds"}:
        value = getattr(mine, name)
        assert (list(value) if isinstance(value, tuple) else value) == theirs[name], name
    assert "100.0% of 4 games" in str(mine)


def test_a_match_goes_on_after_failures(tmp_path):
    def fails(board):
        raise RuntimeError("out of ideas")

    result = tengen.Match(fails, tengen.RandomAgent(), games=3, size=5, records=tmp_path / "games").run()
    assert (result.wins_b, result.crashes, result.games) == (3, 3, 3)
    assert "out of ideas" in result.records[0]["message"]
    assert len(list((tmp_path / "games").iterdir())) == 3


class Begins:
    """An agent whose games begin with a failure."""

    def __init__(self, error):
        self.error = error

    def new_game(self, seed):
        raise self.error

    def choose(self, board):
        return "pass"


@pytest.mark.parametrize("error", [RuntimeError("no idea how"), SystemExit(3)])
def test_an_agent_that_cannot_begin_loses(error):
    result = tengen.Match(Begins(error), Passes(), games=3, size=5).run()
    assert (result.wins_b, result.crashes, result.games) == (3, 3, 3)
    assert result.records[1]["message"] == f"{type(error).__name__}: {error}"
    assert result.records[1]["moves"] == ""


def test_an_agent_cannot_end_the_program():
    def leaves(board):
        sys.exit("enough")

    result = tengen.Match(leaves, Passes(), games=2, size=5).run()
    assert result.crashes == 2 and "SystemExit: enough" in result.records[0]["message"]


def test_ctrl_c_ends_a_match():
    def interrupted(board):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tengen.Match(interrupted, Passes(), games=2, size=5).run()


def test_a_referee_that_fails_is_replaced():
    result = tengen.Match(Passes(), Passes(), games=2, size=5, referee="no-such-program --gtp").run()
    assert result.games == 2
    for record in result.records:
        assert record["referee"] == "playouts" and "no-such-program" in record["message"]
    with pytest.raises(ValueError, match="referee"):
        tengen.Match(Passes(), Passes(), referee=" ")


def test_gnu_go_plays(gnugo):
    result = tengen.Match(tengen.RandomAgent(), gnugo, games=2, size=7, komi=0.5, seed=1).run()
    assert (result.games, result.wins_b, result.crashes, result.illegal) == (2, 2, 0, 0), result.records
    assert all(record["score"] < 0 for record in result.records if record["score"] is not None)


def test_records_of_agents_have_score_and_ownership(tmp_path):
    def right(board, state):
        """Black fills the left of the board, White the right."""
        columns = (0, 1) if state.to_play == 1 else (3, 4)
        free = [(row, column) for column in columns[::-1] for row in range(5) if not board[row, column]]
        return free[0] if len(free) > 3 else "pass"

    result = tengen.play_game(right, right, size=5, komi=0.5, record=tmp_path / "a.npz", referee="board")
    records = tengen.load_records(tmp_path / "a.npz")
    assert result.score is not None and (records["score"] == np.float32(result.score)).all()
    assert (records["ownership"] == result.game.ownership()).all() and records["ownership"].any()
    assert (records["policies"].argmax(1) == records["moves"]).all() and (records["policies"].sum(1) == 1).all()
    tengen.play_game(lambda board: "resign", right, size=5, record=tmp_path / "b.npz")
    tengen.play_game(right, lambda board: "resign", size=5, record=tmp_path / "b.npz")
    assert not tengen.load_records(tmp_path / "b.npz")["ownership"].any()


def test_records_tell_what_a_search_thought(tmp_path):
    path = tmp_path / "game.npz"
    player = tengen.Player("uct", playouts=100)
    ended = tengen.play_game(player, "random", size=5, seed=3, record=path, max_moves=14)
    records = tengen.load_records(path)
    # The same game again, move by move.
    player.new_game(tengen._tengen.derive_seed(3, 0))
    game, searched = tengen.Game(5), 0
    for i, (color, move) in enumerate(ended.game.moves):
        policy, value = np.eye(26)[game.index(move)], 0.0
        if color == tengen.BLACK:
            assert player.decide(game) == move
            if report := player.report:
                searched += 1
                policy, value = report.visits / report.visits.sum(), 2 * report.value - 1
                assert 0 < policy.max() < 1
        assert np.allclose(records["policies"][i], policy, atol=1e-3)
        assert np.isclose(records["values"][i], value, atol=1e-5)
        game.play(move)
    assert searched > 3
    # Who played is known by behaviour, with whatever limits.
    black, white = tengen.Player("uct").behaviour(5), tengen.Player("random").behaviour(5)
    assert records["behaviour"][0].decode() == f"{black['signature']} - {white['signature']}"
    tengen.play_game("policy,net=rollout-a", "policy,net=rollout-a", size=5, seed=3, record=path, max_moves=4)
    records, behaviour = tengen.load_records(path), tengen.Player("policy,net=rollout-a").behaviour(5)
    assert records["behaviour"][0].decode() == behaviour["signature"]
    assert records["net_hash"][0].decode() == behaviour["net"] != ""
    tengen.play_game(tengen.RandomAgent(), first_legal, size=5, seed=3, record=path, max_moves=4)
    assert tengen.load_records(path)["behaviour"][0].decode() == "random-agent - first_legal"


def test_nobody_is_rewarded_for_an_unfinished_game(tmp_path):
    path = tmp_path / "game.npz"
    ended = tengen.play_game("random", "random", size=5, seed=1, max_moves=9, record=path)
    assert ended.reason == "length" and ended.winner != 0
    assert not tengen.load_records(path)["rewards"].any()
    ended = tengen.play_game("random", "random", size=5, seed=1, record=path)
    assert (tengen.load_records(path)["rewards"] == (1 if ended.winner == 1 else -1)).all()


def test_the_command_line_reads_these_records(tmp_path):
    players = [tengen.RandomAgent(), "uct,playouts=30", first_legal]
    tengen.Tournament(players, games=2, size=7, records=tmp_path, seed=1).run()
    files = sorted(tmp_path.glob("*/*.npz"))
    # A folder for every pair, and no game on top of another.
    assert [str(file.relative_to(tmp_path)) for file in files] == [f"{pair}/game-0000{i}.npz" for pair in ("1-2", "1-3", "2-3") for i in (0, 1)]
    records = tengen.load_records(f"{tmp_path}/*/*.npz")
    assert len(records["moves"]) == sum(len(tengen.load_records(file)["moves"]) for file in files)
    command = [sys.executable, "-m", "tengen", "train", "policy", "--eval-only", "--net", "rollout-a", "--json", "--data", *map(str, files)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    # This network does not know passing, so it leaves out where nothing else was thought of.
    assert json.loads(run.stdout)["positions"] == records["policies"][:, :-1].any(1).sum()


def test_a_record_is_npz_or_sgf(tmp_path):
    def never(board):
        raise AssertionError("the file's name is looked at first")

    with pytest.raises(ValueError, match="npz or .sgf"):
        tengen.play_game(never, never, size=5, record=tmp_path / "game.txt")


def test_a_match_goes_on_where_it_was_interrupted(tmp_path):
    def match(**more):
        return tengen.Match(tengen.RandomAgent(), "uct,playouts=20", size=5, **{"games": 4, "seed": 4, **more})

    file, whole = tmp_path / "deep/results.jsonl", match().run()

    def interrupt(game):
        if game["game"] == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        match(results=file).run(on_game=interrupt)
    header, *lines = map(json.loads, file.read_text().splitlines())
    assert [line["game"] for line in lines] == [0, 1]
    assert (header["kind"], header["games"], header["config"]["seed"]) == ("match", 4, 4)
    assert header["config"]["a"] == {"agent": "random-agent"}
    assert header["config"]["b"]["spec"] == "uct,playouts=20" and "tree_policy" in header["config"]["b"]["parameters"]
    assert header["behaviour"]["b"] == tengen.Player("uct").behaviour(5)
    # What was being written when the program ended is played again.
    with file.open("a") as half:
        half.write('{"game": 2, "bl')
    with pytest.raises(ValueError, match="resume=True"):
        match(results=file).run()
    for other, words in (({"seed": 5}, "seed"), ({"komi": 0.5}, "komi"), ({"names": ("other", None)}, "agent")):
        with pytest.raises(ValueError, match=words):
            match(results=file, resume=True, **other).run()
    seen = []
    result = match(results=file, resume=True).run(on_game=lambda game: seen.append(game["game"]))
    assert seen == [2, 3]
    assert [game["moves"] for game in result.records] == [game["moves"] for game in whole.records]
    assert match(results=file, resume=True, games=3).run().games == 3
    with pytest.raises(ValueError, match="results"):
        match(resume=True)


class Remembers:
    """An agent that plays one move a game, and passes then."""

    def __init__(self):
        self.has_moved, self.seeds = True, []

    def new_game(self, seed):
        self.has_moved = False
        self.seeds.append(seed)

    def choose(self, board):
        first, self.has_moved = not self.has_moved, True
        return "C3" if first else "pass"


def test_every_game_begins_anew():
    """Also where there is no seed: then the random numbers go on."""
    agent = Remembers()
    for _ in range(2):
        assert tengen.play_game(agent, Passes(), size=5).moves[0] == "C3"
    tengen.play_game(agent, Passes(), size=5, seed=1)
    assert agent.seeds[:2] == [None, None] and isinstance(agent.seeds[2], int)
    random = tengen.RandomAgent(1)
    first, second = (tengen.play_game(random, Passes(), size=5).moves for _ in range(2))
    assert first != second
    assert tengen.play_game(tengen.RandomAgent(1), Passes(), size=5).moves == first


def test_a_tournament_keeps_the_results_of_every_pair(tmp_path):
    def tournament(**more):
        return tengen.Tournament(["random", tengen.RandomAgent(), Passes()], games=2, size=5, results=tmp_path, **more)

    table = str(tournament().run())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["1-2.jsonl", "1-3.jsonl", "2-3.jsonl"]
    assert str(tournament(resume=True).run()) == table


def test_reports_are_those_of_the_last_decision():
    player, game = tengen.Player("uct", playouts=50, seed=1), tengen.Game(5)
    assert player.report is None
    move = player.decide(game)
    assert player.report.best == move and player.report.visits.sum() > 0
    random = tengen.Player("random", seed=1)
    random.decide(game)
    assert random.report is None
    for wrong in (1, "nine", (5, 50)):
        with pytest.raises((ValueError, TypeError)):
            player.behaviour(wrong)


def test_wrong_records_are_named(tmp_path):
    good = tmp_path / "good.npz"
    tengen.play_game("random", "random", size=5, record=good, seed=1)
    with np.load(good) as file:
        arrays = dict(file)
    path = tmp_path / "wrong.npz"
    for name, wrong, words in [
        ("format", np.uint8(9), "format 9"),
        ("format", None, "no number `format`"),
        ("boards", None, "no boards"),
        ("boards", arrays["boards"][:, 0], "boards"),
        ("moves", arrays["moves"][:-1], "moves"),
        ("moves", arrays["moves"].astype(float), "moves"),
        ("policies", arrays["policies"][:, :-1], "policies"),
        ("game_ids", arrays["game_ids"] + 7, "game_ids"),
        ("komi", np.array(["a"]), "komi"),
    ]:
        changed = {**arrays, name: wrong}
        np.savez(path, **{key: value for key, value in changed.items() if value is not None})
        with pytest.raises(ValueError, match=words) as refused:
            tengen.load_records(path)
        assert "wrong.npz" in str(refused.value)
    whole = good.read_bytes()
    for rubbish in (b"", b"rubbish", whole[: len(whole) // 2], whole[:-30], b"PK\x03\x04"):
        path.write_bytes(rubbish)
        with pytest.raises(ValueError, match="wrong.npz"):
            tengen.load_records(path)
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(ValueError, match="one array"):
        tengen.load_records(tmp_path / "array.npy")
    for wrong in (5, None, [5], [tmp_path / "nothing.npz"], tmp_path):
        with pytest.raises((TypeError, OSError)):
            tengen.load_records(wrong)


def test_records_are_read_back(tmp_path):
    for i in range(3):
        tengen.play_game("random", tengen.RandomAgent(i), size=5, record=tmp_path / f"{i}.npz", seed=i)
    records = tengen.load_records(tmp_path / "*.npz")
    assert len(records["komi"]) == 3 and set(records["game_ids"]) == {0, 1, 2}
    game = tengen.Game(5)
    first = records["game_ids"] == 0
    for board, move, color in zip(records["boards"][first], records["moves"][first], records["colors"][first]):
        assert (game.board == board).all() and game.to_play == color
        game.play(int(move))
    tengen.play_game("random", "random", size=7, record=tmp_path / "large.npz")
    with pytest.raises(ValueError, match="another size"):
        tengen.load_records(tmp_path / "*.npz")
    with pytest.raises(FileNotFoundError):
        tengen.load_records(str(tmp_path / "nothing*.npz"))
    tengen.play_game("random", "random", size=5, record=tmp_path / "game.sgf")
    assert tengen.Game.from_sgf((tmp_path / "game.sgf").read_text()).is_over


AGENT = """
import tengen
class Agent:
    name = "an agent"
    def new_game(self, seed):
        self.seed, self.first = seed, True
        print("begins with", seed)
    def choose(self, board, state):
        first, self.first = self.first, False
        if state.move_number >= 4:
            return "A99"
        return "C3" if first else "pass"
tengen.serve_gtp(Agent(), size=5, seed=7)
"""


def speak(commands):
    return subprocess.run([sys.executable, "-c", AGENT], input=commands, capture_output=True, text=True, timeout=60)


def test_an_agent_is_a_gtp_engine():
    run = speak("version\ngenmove b\nplay w C4\ngenmove b\nplay w pass\ngenmove b\nclear_board\n4 genmove b\nquit\n")
    answers = [line.strip() for line in run.stdout.splitlines() if line]
    assert answers[:5] == [f"= {tengen.__version__} an agent", "= C3", "=", "= pass", "="], run.stderr
    assert answers[5].startswith("? ") and "an agent failed" in answers[5] and "invalid vertex" in answers[5]
    assert answers[6:] == ["=", "=4 C3", "="]
    # It is told of each game, with seeds that follow from the first, and what it prints does not disturb.
    seeds = [int(line.split()[-1]) for line in run.stderr.splitlines() if line.startswith("begins with")]
    assert len(seeds) == 2 and len(set(seeds)) == 2
    assert speak("clear_board\n").stderr == run.stderr


def test_a_gtp_engine_that_cannot_begin_says_so():
    program = "import tengen\nclass A:\n  def new_game(self, seed): 1/0\n  def choose(self, board): return 'C3'\ntengen.serve_gtp(A(), size=5)"
    run = subprocess.run([sys.executable, "-c", program], input="genmove b\nname\n", capture_output=True, text=True, timeout=60)
    assert "ZeroDivisionError" in run.stdout.splitlines()[0] and "= tengen" in run.stdout


@pytest.mark.parametrize("state", ["waiting", "thinking"])
def test_ctrl_c_ends_a_gtp_engine(state):
    program = """
import sys, tengen
def agent(board):
    while True:
        pass
try:
    tengen.serve_gtp(agent, size=5)
except KeyboardInterrupt:
    print("interrupted")
"""
    engine = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    engine.stdin.write("name\n" if state == "waiting" else "name\ngenmove b\n")
    engine.stdin.flush()
    engine.stdout.readline()
    time.sleep(0.5)
    engine.send_signal(signal.SIGINT)
    assert engine.wait(timeout=30) == 0
    assert engine.stdout.read().split()[-1] == "interrupted"
    engine.stdin.close()


def test_an_agent_plays_a_match_of_the_command_line(tmp_path):
    script = tmp_path / "agent.py"
    script.write_text("import tengen\ntengen.serve_gtp(tengen.RandomAgent(1))\n")
    command = [sys.executable, "-m", "tengen", "match", f"gtp:{sys.executable} {script}", "uct,playouts=60"]
    options = ["--games", "2", "--size", "5", "--referee", "board", "--json"]
    run = subprocess.run([*command, *options], capture_output=True, text=True, timeout=120)
    result = json.loads(run.stdout)
    assert (result["games"], result["crashes"], result["illegal"]) == (2, 0, 0), run.stderr


def test_an_agent_plays_in_sabaki(skip):
    """@sabaki/gtp is the client that Sabaki uses."""
    folder = Path(__file__).resolve().parents[2] / "tests/sabaki"
    node = shutil.which("node")
    if node is None or not (folder / "node_modules").is_dir():
        skip("an agent in Sabaki", "the npm packages of tests/sabaki are not installed")
    environment = {**os.environ, "TENGEN_PYTHON": sys.executable}
    run = subprocess.run([node, "--test", "agent.js"], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_command_comes_with_the_package():
    def tengen_command(*words):
        return subprocess.run([sys.executable, "-m", "tengen", *words], capture_output=True, text=True)

    assert tengen_command("--version").stdout.split()[-1] == tengen.__version__
    assert tengen_command("presets", "nothing").returncode == 1
    assert tengen_command("no-such-command").returncode == 2


def test_ratings():
    result = tengen.Tournament(["random", tengen.RandomAgent(), "uct,playouts=40"], games=2, size=5).run()
    assert len(result.pairs) == 3
    assert "uct,playouts=40" in str(result)
