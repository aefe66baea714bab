"""A game in ten lines."""

import tengen

game = tengen.Game(size=9, komi=7)
black = tengen.Player("rave", playouts=200, seed=1)
white = tengen.Player("random", seed=1)
while not game.is_over and game.move_number < 120:
    move = (black if game.to_play == tengen.BLACK else white).decide(game)
    if move == "resign":
        game.resign()
    else:
        game.play(move)
print(game)
print(game.result)
