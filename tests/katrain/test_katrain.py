"""KaTrain's own engine code against `tengen analysis`, without its window.

    tests/install-dependencies /dev/stderr && cargo build --release
    target/venv/bin/python tests/katrain/test_katrain.py

KaTrain's Game and KataGoEngine run as they are; only the modules of kivy that they import (a platform name and an observer
class) are replaced. The binary is $TENGEN_BIN, or target/release/tengen.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import types
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BINARY = os.environ.get("TENGEN_BIN", os.path.join(ROOT, "target", "release", "tengen"))


class Observable:
    def fbind(self, *_args):
        pass

    def funbind(self, *_args):
        pass


def stub(name, **names):
    module = types.ModuleType(name)
    module.__dict__.update(names)
    sys.modules[name] = module


stub("kivy", __path__=[])
stub("kivy.utils", platform="linux")
stub("kivy._event", Observable=Observable)

from katrain.core.ai import generate_ai_move  # noqa: E402
from katrain.core.constants import AI_DEFAULT, AI_POLICY, AI_SIMPLE_OWNERSHIP, OUTPUT_ERROR  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402
from pysgf import Move  # noqa: E402


class Window:
    """What Game and KataGoEngine want of KaTrain's window."""

    def __init__(self):
        self.errors = []
        self.pondering = False
        self.players_info = {}

    def log(self, message, level=0):
        if level == OUTPUT_ERROR:
            self.errors.append(message)

    def update_state(self, *_args, **_kwargs):
        pass

    def __call__(self, *message):
        self.errors.append(message)

    def config(self, key, default=None):
        return {"game/size": "9", "game/komi": 7, "game/rules": "japanese"}.get(key, default)


class KaTrain(unittest.TestCase):
    def setUp(self):
        self.window = Window()
        # KaTrain starts a custom command through a shell, and would end only the shell.
        command = f'exec "{BINARY}" analysis --preset rave --seed 1 --positions 2'
        self.engine = KataGoEngine(
            self.window,
            {
                "backend": "custom",
                "altcommand": command,
                "allow_recovery": False,
                "max_visits": 200,
                "fast_visits": 50,
                "max_time": 20.0,
                "wide_root_noise": 0.04,
                "_enable_ownership": True,
            },
        )
        self.start_game()

    def start_game(self, **properties):
        properties = {"SZ": "9", "KM": "7", "RU": "japanese", **properties}
        self.game = Game(self.window, self.engine, game_properties=properties)

    def tearDown(self):
        self.engine.shutdown(finish=False)
        self.assertEqual(self.window.errors, [])

    def wait(self, condition, seconds=60):
        end = time.time() + seconds
        while not condition():
            self.assertLess(time.time(), end, "the engine does not answer")
            self.assertTrue(self.engine.check_alive())
            time.sleep(0.02)

    def play(self, *points):
        for point in points:
            self.game.play(Move.from_gtp(point, player=self.game.current_node.next_player))
        self.wait(lambda: all(node.analysis_complete for node in self.game.current_node.nodes_from_root))

    def test_every_node_of_a_game_is_analysed(self):
        self.play("E5", "C3", "G3", "C7")
        node = self.game.current_node
        for node in node.nodes_from_root:
            self.assertEqual(node.analysis["root"]["visits"], 200)
            self.assertEqual(len(node.ownership), 81)
            self.assertEqual(len(node.policy), 82)
            self.assertTrue(0 < node.winrate < 1)
            best = node.candidate_moves[0]
            self.assertEqual(best["pv"][0], best["move"])
            self.assertEqual(len(best["ownership"]), 81)
        self.assertIsNotNone(node.points_lost)
        self.assertIn("%", node.format_winrate())

    def test_alternatives_and_regions(self):
        self.play("E5")
        node = self.game.current_node
        before = set(node.analysis["moves"])
        answers = []
        self.engine.request_analysis(
            node, lambda a, partial: answers.append(a), find_alternatives=True, time_limit=False, visits=100
        )
        self.engine.request_analysis(node, lambda a, partial: answers.append(a), region_of_interest=[0, 3, 0, 3])
        self.wait(lambda: len(answers) == 2)
        self.assertTrue(before)
        for info in answers[0]["moveInfos"]:
            self.assertNotIn(info["move"], before)
        for info in answers[1]["moveInfos"]:
            x, y = Move.from_gtp(info["move"]).coords
            self.assertTrue(x <= 3 and y <= 3)

    def test_pondering_goes_on_until_it_is_stopped(self):
        self.play("E5")
        seen = []
        self.engine.request_analysis(
            self.game.current_node, lambda a, partial: seen.append((a["rootInfo"]["visits"], partial)), ponder=True
        )
        self.wait(lambda: len(seen) >= 3)
        self.engine.stop_pondering()
        self.wait(lambda: not seen[-1][1])
        self.assertGreater(seen[-1][0], seen[0][0])
        self.wait(self.engine.is_idle)

    def test_a_new_game_ends_what_is_under_way(self):
        for _ in range(4):
            self.engine.request_analysis(self.game.root, lambda *_: None, visits=10_000_000, time_limit=False)
        self.wait(lambda: len(self.engine.queries) >= 4)
        self.engine.on_new_game()
        self.wait(self.engine.is_idle)
        self.start_game()
        self.play("D4", "F6")

    def test_handicap_and_illegal_moves(self):
        self.start_game(KM="0.5", RU="chinese", HA="2", AB=["gc", "cg"], PL="W")
        self.play("E5", "C5")
        self.assertEqual(self.game.current_node.next_player, "W")
        errors = []
        self.engine.request_analysis(
            self.game.current_node,
            lambda *_: self.fail("an illegal move was analysed"),
            error_callback=errors.append,
            next_move=Move.from_gtp("E5", player="W"),
        )
        self.wait(lambda: errors)
        self.assertIn("Illegal move", errors[0]["error"])

    def test_it_opens_a_reviewed_record(self):
        record = "(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]PB[Ann];B[ee];W[cc];B[gc];W[gg];B[cg];W[ge];B[aa];W[cd];B[ff];W[fg])"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "game.sgf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(record)
            subprocess.run([BINARY, "review", path, "--playouts", "20", "--quiet"], check=True, stdout=subprocess.DEVNULL)
            root = KaTrainSGF.parse_file(os.path.join(folder, "game-review.sgf"))
            with open(os.path.join(folder, "game-review.json"), encoding="utf-8") as file:
                review = json.load(file)
        game = Game(self.window, self.engine, move_tree=root)
        node, moves = root, review["moves"]
        self.assertEqual(root.get_property("PB"), "Ann")
        for move in moves:
            is_bad = move["points_lost"] >= 1.5
            self.assertEqual(len(node.children), 2 if is_bad else 1)
            if is_bad:
                self.assertEqual(node.children[1].move.gtp(), move["best"])
            node = node.children[0]
            self.assertEqual(node.move.gtp(), move["move"])
            self.assertIn(node.move.player, move["color"][0].upper())
            self.assertIsNotNone(node.get_property("SBKV"))
        self.assertTrue(any(move["points_lost"] >= 1.5 for move in moves))
        # KaTrain keeps a comment as the node's note.
        self.assertIn("lost", " ".join(n.note for n in node.nodes_from_root))
        game.set_current_node(node)
        self.assertEqual(len(game.stones), len(moves))

    def test_katrain_plays_with_it(self):
        self.play("E5")
        for strategy, settings in [
            (AI_DEFAULT, {}),
            (AI_POLICY, {"opening_moves": 0}),
            (AI_SIMPLE_OWNERSHIP, {"max_points_lost": 5.0, "settled_weight": 1.0, "opponent_fac": 0.5, "min_visits": 3,
                                   "attach_penalty": 1, "tenuki_penalty": 0.5}),
        ]:
            before = self.game.current_node
            move, node = generate_ai_move(self.game, strategy, settings)
            self.assertIs(node.parent, before)
            self.wait(lambda: self.game.current_node.analysis_complete)


if __name__ == "__main__":
    if not os.path.exists(BINARY):
        sys.exit(f"{BINARY} does not exist: build it, or set TENGEN_BIN")
    unittest.main(warnings="ignore")
