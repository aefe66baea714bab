"""Games: arrays, points, rules, records, copies."""

import copy
import pickle

import numpy as np
import pytest
import tengen


def random_game(seed, size=5, moves=60, rules="tromp-taylor"):
    game = tengen.Game(size, rules)
    random = np.random.default_rng(seed)
    for _ in range(moves):
        game.play(int(random.choice(np.flatnonzero(game.legal))))
        if game.is_over:
            break
    return game


def test_a_point_has_three_names():
    for move in ("D4", "d4", (1, 3), [1, 3], np.array([1, 3]), 8, np.int16(8)):
        game = tengen.Game(5)
        game.play(move)
        assert game.board[1, 3] == tengen.BLACK
        assert game.last_move == "D4"
    assert (game.point("D4"), game.index("D4"), game.name(8)) == ((1, 3), 8, "D4")
    assert game.name(25) == game.name("PASS") == "pass"


def test_rows_and_columns_are_told_apart():
    game = tengen.Game((3, 7))
    game.play((0, 6))
    assert game.board.shape == game.shape == (3, 7)
    assert game.last_move == "G3"
    assert game.legal.shape == (22,)


@pytest.mark.parametrize("move", ["", "I5", "Z9", "F9", "resign", "é", -1, 26, 10**30, (5, 0), (0, -1), (1,), (1, 2, 3)])
def test_what_is_not_on_the_board_is_a_value_error(move):
    with pytest.raises((ValueError, TypeError)):
        tengen.Game(5).play(move)


@pytest.mark.parametrize("move", [None, 1.5, True, {}, object(), b"E4", ("a", "b"), np.zeros(2)])
def test_what_is_no_move_is_a_type_error(move):
    with pytest.raises(TypeError):
        tengen.Game(5).play(move)


def test_illegal_moves_say_why():
    game = tengen.Game.from_diagram(". X . / X . X / . X .", to_play=2)
    with pytest.raises(tengen.IllegalMoveError, match="B2"):
        game.play("B2")
    game.play("pass")
    assert game.is_legal("B2")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"size": 1}, "2 to 19"),
        ({"size": 20}, "2 to 19"),
        ({"size": -3}, "2 to 19"),
        ({"size": (9, 9, 9)}, "rows, columns"),
        ({"rules": "german"}, "german"),
        ({"komi": float("nan")}, "komi"),
        ({"komi": 1e9}, "komi"),
        ({"handicap": 99}, "99"),
    ],
)
def test_wrong_games_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        tengen.Game(**arguments)


def test_the_mask_is_what_can_be_played():
    for seed in range(5):
        game = random_game(seed, moves=25)
        for move, legal in enumerate(game.legal):
            assert game.is_legal(move) == legal
            if legal:
                game.copy().play(move)


def test_superko_against_a_list_of_positions():
    """Positional superko forbids exactly what repeats a position. Random games on small boards."""
    random = np.random.default_rng(4)
    forbidden = 0
    for size in [(2, 3), (3, 3), (2, 5), (4, 3)] * 20:
        game, simple = tengen.Game(size, "chinese-ogs"), tengen.Game(size, "chinese")
        positions = {game.board.tobytes()}
        for _ in range(80):
            legal = game.legal
            for move in np.flatnonzero(simple.legal[:-1]):
                after = simple.copy()
                after.play(int(move))
                assert legal[move] == (after.board.tobytes() not in positions), f"{game}\n{move}"
                assert game.is_legal(int(move)) == legal[move]
                forbidden += not legal[move]
            assert not (legal & ~simple.legal).any()
            # A pass now and then, but never two in a row, which would end the games.
            moves = np.flatnonzero(legal[:-1])
            if not moves.size or (game.last_move != "pass" and random.random() < 0.1):
                move = legal.size - 1
            else:
                move = int(random.choice(moves))
            if move == legal.size - 1 and game.last_move == "pass":
                break
            game.play(move)
            simple.play(move)
            positions.add(game.board.tobytes())
    assert forbidden > 100


def test_scores_and_ownership():
    game = tengen.Game.from_diagram(". X . O . / . X . O . / . X . O . / . X . O . / . X . O .", komi=0.5)
    assert game.score() == -0.5
    assert game.ownership().tolist()[0] == [1, 1, 0, -1, -1]
    assert game.score(dead=["D1"]) == 24.5
    assert game.ownership(dead=[(0, 3)]).sum() == 25
    with pytest.raises(ValueError, match="playouts"):
        game.score(dead="nobody")


def test_results():
    game = tengen.Game(5, komi=7.5)
    assert (game.result, game.winner) == (None, None)
    game.play("pass")
    game.play("pass")
    assert (game.is_over, game.result, game.winner) == (True, "W+7.5", 2)
    assert game.undo() and not game.is_over
    game.resign()
    assert game.result == "B+R"


def test_sgf_goes_out_and_in():
    game = random_game(3)
    again = tengen.Game.from_sgf(game.sgf("Ada", "Grace"))
    assert again == game
    assert tengen.Game.from_sgf(game.sgf().encode()) == game
    assert "PB[Ada]" in game.sgf("Ada")
    for wrong in ("", "(", "nonsense", b"\xff\xfe", "(;SZ[99])"):
        with pytest.raises(ValueError):
            tengen.Game.from_sgf(wrong)
    with pytest.raises(TypeError):
        tengen.Game.from_sgf(5)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, tengen.Game.copy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_are_equal_and_independent(again):
    game = tengen.Game(9, "aga", komi=3.25, handicap=3)
    game.play("E5")
    game.play("pass")
    twin = again(game)
    assert twin == game and (twin.board == game.board).all()
    assert (twin.komi, twin.handicap, twin.to_play) == (3.25, 3, game.to_play)
    twin.play("A1")
    assert twin != game and game.move_number == 2
    resigned = again(game)
    resigned.resign()
    assert again(resigned).result == resigned.result


def test_what_comes_from_a_pickle_is_checked():
    for state in [(), (1,), ("chinese", 7.5, (3, 3), b"", 1, 0, [], 1, None), ("chinese", 7.5, (3, 3), b"\x07" * 9, 1, 0, [], 1, None)]:
        with pytest.raises((ValueError, TypeError)):
            tengen.Game._restore(*state)


def test_arrays_are_copies():
    game = tengen.Game(5)
    game.board[:] = 2
    game.legal[:] = False
    assert game.board.sum() == 0 and game.legal.all()


def test_history_and_observation():
    game = tengen.Game(3)
    moves = ["A1", "B2", "C3", "A3"]
    boards = [game.board]
    for move in moves:
        game.play(move)
        boards.append(game.board)
        assert (game.history(2)[1] == boards[-2]).all()
    for length in (1, 3, 8, 12):
        history = game.history(length)
        assert history.shape == (length, 3, 3)
        for past, board in zip(history, reversed(boards)):
            assert (past == board).all()
    seen = game.observation(2)
    assert seen.shape == (3, 3, 17) and not seen[..., 16].any()
    assert (seen[..., 0] == (game.board == 2)).all()
    assert (seen[..., 3] == (boards[-2] == 1)).all()
    game.undo()
    assert (game.history(1)[0] == boards[-2]).all()


def test_planes():
    game = tengen.Game(5)
    game.play("C4")
    planes = game.planes()
    assert planes.shape == (44, 5, 5) and planes.dtype == np.float32
    assert (planes[3] == (game.board == 1)).all()
    assert planes[4, 1, 2] == 1
    assert game.planes("tengen").shape[0] == 48 and game.planes("reduced").shape[0] == 10
    with pytest.raises(ValueError, match="holmes"):
        game.planes("many")


def test_pictures():
    game = tengen.Game(9)
    game.play("E5")
    assert "(X)" in str(game)
    svg = game._repr_svg_()
    assert svg.startswith("<svg") and svg.count("<circle") == 6
    import xml.etree.ElementTree as xml

    xml.fromstring(svg)
    assert repr(game) == "<Game size=9 rules='chinese' komi=7.5 moves=1>"
