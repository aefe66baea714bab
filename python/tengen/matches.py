"""Games and matches between agents, players and GTP engines."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _tengen
from ._tengen import Game, IllegalMoveError
from .agents import Agent, Seated
from .records import Recorder

_LENGTH_PER_POINT = 3


@dataclass(frozen=True)
class GameResult:
    """How a game ended.

    >>> import tengen
    >>> ended = tengen.play_game(lambda board: "resign", "random", size=5)
    >>> ended.winner, ended.result, ended.reason, ended.score
    (2, 'W+R', 'resignation', None)
    """

    winner: int
    """1 if Black won, 2 if White did, 0 for a draw."""
    result: str
    """As SGF writes it: "B+3.5", "W+R", "B+F", "0"."""
    reason: str
    """"passes", "length", "resignation", "illegal" or "crash"."""
    score: float | None
    """Black's points minus White's, komi included, if the game was counted."""
    moves: list[str]
    """All moves."""
    message: str | None
    """What the loser did wrong, or why the referee did not count the game."""
    game: Game
    """The game at its end."""
    referee: str | None = None
    """Who counted it."""
    cpu: tuple[float | None, float | None] = (None, None)
    """CPU seconds of Black and White, where they can be measured."""


def play_game(
    black: Agent,
    white: Agent,
    size: int | tuple[int, int] = 9,
    rules: str = "chinese",
    komi: float | None = None,
    record: str | Path | None = None,
    *,
    max_moves: int | None = None,
    referee: str = "auto",
    seed: int | None = None,
) -> GameResult:
    """Plays a game. An agent that raises, answers nonsense or plays an illegal move loses it, and `message` says why.

    An agent with a method `new_game` is told that a game begins: with the seed that follows from `seed`, or with None, which leaves its
    random numbers as they are. `record` names a file for the game, `.npz` or `.sgf`. `referee` counts the game: "board" (every stone is alive), "playouts",
    the command line of a GTP program, or "auto", which follows the rules.

    >>> import tengen
    >>> result = tengen.play_game(lambda board: "pass", tengen.Player("random", seed=1), size=5)
    >>> result.winner, result.reason
    (2, 'passes')
    >>> tengen.play_game(lambda board: "Z99", "random", size=5).message.splitlines()[0]
    'ValueError: invalid vertex "Z99": write a point like D4 (columns A to T without I, rows 1 to 19)'
    """
    seats = (Seated(black), Seated(white))
    seeds = (None, None) if seed is None else (_tengen.derive_seed(seed, 0), _tengen.derive_seed(seed, 1))
    game = Game(size, rules, komi)
    return _play(seats, seeds, game, max_moves, _referee(referee, game, seats), record)


def _referee(referee: str, game: Game, seats: tuple[Seated, Seated]) -> str:
    return _tengen.referee_for(referee, game.rules, any(seat.is_external for seat in seats))


# An agent that wants to end the program ends its game, no more.
_FAILURES = (Exception, SystemExit)


def _failure(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _play(
    seats: tuple[Seated, Seated],
    seeds: tuple[int | None, int | None],
    game: Game,
    max_moves: int | None,
    referee: str,
    record: str | Path | None,
) -> GameResult:
    rows, columns = game.shape
    longest = _LENGTH_PER_POINT * rows * columns if max_moves is None else max_moves
    recorder = None if record is None else Recorder(record)
    cpu: list[float | None] = [None if seat.is_external else 0.0 for seat in seats]
    # Who lost, how, and what there is to say about it.
    lost: tuple[int, str, str | None] | None = None
    for turn, seed in enumerate(seeds):
        try:
            seats[turn].new_game(seed)
        except _FAILURES as error:
            lost = lost or (turn, "crash", _failure(error))
    while not game.is_over and game.move_number < longest and lost is None:
        turn = game.to_play - 1
        begin = time.process_time()
        try:
            answer = seats[turn].choose(game)
            if isinstance(answer, str) and answer.strip().lower() == "resign":
                lost = (turn, "resignation", None)
            else:
                if recorder is not None:
                    recorder.add(game, answer, seats[turn].player)
                game.play(answer)
        except IllegalMoveError as error:
            lost = (turn, "illegal", str(error))
        except _FAILURES as error:
            lost = (turn, "crash", _failure(error))
        if (used := cpu[turn]) is not None:
            cpu[turn] = used + time.process_time() - begin
    score = counted = message = None
    if lost is None:
        reason = "passes" if game.is_over else "length"
        try:
            score, counted = _tengen.count_game(game, referee)
        except ValueError as error:
            message = f"playouts have counted the game, as the referee failed: {error}"
            score, counted = _tengen.count_game(game, "playouts")
        winner = 0 if score == 0 else 1 if score > 0 else 2
        result = "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score):g}"
    else:
        loser, reason, message = lost
        winner = 2 - loser
        result = f"{'BW'[winner - 1]}+{'R' if reason == 'resignation' else 'F'}"
    moves = [move for _, move in game.moves]
    ended = GameResult(winner, result, reason, score, moves, message, game, counted, (cpu[0], cpu[1]))
    if recorder is not None:
        recorder.save(ended, seats)
    return ended


@dataclass(frozen=True)
class MatchResult:
    """The result of a match from A's point of view, with the fields of `tengen match --json`. A draw is half a win.

    >>> import tengen
    >>> print(tengen.Match("random", lambda board: "resign", games=2, size=5, names=("a", "b")).run())
    a against b: 100.0% of 2 games (95%: 34.2 to 100.0)
    """

    a: str
    b: str
    games: int
    wins_a: int
    wins_b: int
    draws: int
    win_rate_a: float | None
    ci95: tuple[float, float]
    elo: float | None
    elo_ci95: tuple[float | None, float | None]
    p_value: float
    mean_score: float | None
    distinct_games: int
    illegal: int
    crashes: int
    time_losses: int
    cpu_seconds_a: float | None
    cpu_seconds_b: float | None
    median_game_seconds: float | None
    records: list[dict[str, Any]] = field(default_factory=list, repr=False)
    """The games, as `tengen match` keeps them in its result file."""

    def __str__(self) -> str:
        if self.win_rate_a is None:
            return f"{self.a} against {self.b}: no games"
        low, high = (100 * bound for bound in self.ci95)
        rate = 100 * self.win_rate_a
        return f"{self.a} against {self.b}: {rate:.1f}% of {self.games} games (95%: {low:.1f} to {high:.1f})"


class Match:
    """A match of two agents, players or GTP engines; each plays Black in every other game.

    With the same seed, a match of two presets gives the games of `tengen match`. An agent with a method `new_game` is told the
    seed of each game.

    :param referee: who counts the games, see `play_game`
    :param names: what the two are called, if not what they call themselves
    :param records: a folder in which every game is written as arrays
    :param results: a file in which every game is a line as soon as it is over, as `tengen match` writes it
    :param resume: whether to go on with the games of that file; they must be those of the same players and settings

    >>> import tengen
    >>> result = tengen.Match("uct,playouts=50", "random", games=4, size=5, seed=1).run()
    >>> result.wins_a
    4
    """

    def __init__(
        self,
        a: Agent,
        b: Agent,
        games: int = 100,
        size: int | tuple[int, int] = 9,
        rules: str = "chinese",
        komi: float | None = None,
        *,
        seed: int = 0,
        referee: str = "auto",
        names: tuple[str | None, str | None] = (None, None),
        records: str | Path | None = None,
        results: str | Path | None = None,
        resume: bool = False,
    ) -> None:
        if not isinstance(games, int) or isinstance(games, bool) or games < 0:
            raise ValueError(f"games={games!r}: a match has a whole number of games")
        if not isinstance(names, (tuple, list)) or len(names) != 2:
            raise ValueError(f"names={names!r}: a name for each of the two, or None")
        self.a, self.b = Seated(a, names[0]), Seated(b, names[1])
        self.games, self.seed = games, seed
        self._game = Game(size, rules, komi)
        self._referee = _referee(referee, self._game, (self.a, self.b))
        self._records = None if records is None else Path(records)
        self._results = None if results is None else Path(results)
        if resume and self._results is None:
            raise ValueError("resume=True: give the file of the games as results, too")
        self._resume = resume

    def run(self, on_game: Callable[[dict[str, Any]], object] | None = None) -> MatchResult:
        """Plays the games that are not in the result file yet; `on_game` sees each of them when it is over.

        >>> import tengen
        >>> match = tengen.Match("random", lambda board: "resign", games=2, size=5, names=("a", "b"))
        >>> result = match.run(on_game=lambda game: print(game["black"], game["result"]))
        a B+R
        b W+R
        >>> result.wins_a
        2
        """
        file = None if self._results is None else self._result_file(self._results)
        known = [] if file is None else json.loads(file.records())
        played = {game["game"]: game for game in known}
        for number in range(self.games):
            if number in played:
                continue
            played[number] = self._play(number)
            if file is not None:
                file.append(json.dumps(played[number]))
            if on_game is not None:
                on_game(played[number])
        games = [played[number] for number in range(self.games)]
        summary = json.loads(_tengen.summary(self.a.name, self.b.name, json.dumps(games)))
        summary["ci95"], summary["elo_ci95"] = tuple(summary["ci95"]), tuple(summary["elo_ci95"])
        return MatchResult(**summary, records=games)

    def _result_file(self, path: Path) -> _tengen.ResultFile:
        rows, columns = self._game.shape
        settings = {
            "width": columns,
            "height": rows,
            "rules": self._game.rules,
            "komi": self._game.komi,
            "referee": self._referee,
            "seed": self.seed,
        }
        players = (self.a.player or self.a.name, self.b.player or self.b.name)
        return _tengen.ResultFile(path, players, (rows, columns), json.dumps(settings), self.games, self._resume)

    def _play(self, number: int) -> dict[str, Any]:
        seeds = (_tengen.derive_seed(self.seed, 2 * number), _tengen.derive_seed(self.seed, 2 * number + 1))
        a_is_black = number % 2 == 0
        seats = (self.a, self.b) if a_is_black else (self.b, self.a)
        by_color = seeds if a_is_black else seeds[::-1]
        path = None
        if self._records is not None:
            self._records.mkdir(parents=True, exist_ok=True)
            path = self._records / f"game-{number:05}.npz"
        begin = time.monotonic()
        ended = _play(seats, (by_color[0], by_color[1]), self._game.copy(), None, self._referee, path)
        seconds = time.monotonic() - begin
        sides = ("a", "b") if a_is_black else ("b", "a")
        moves = " ".join(ended.moves)
        cpu = ended.cpu if a_is_black else ended.cpu[::-1]
        record: dict[str, Any] = {
            "game": number,
            "black": sides[0],
            "winner": None if ended.winner == 0 else sides[ended.winner - 1],
            "result": ended.result,
            "ending": ended.reason,
            "score": None if ended.score is None else ended.score if a_is_black else -ended.score,
            "referee": ended.referee,
            "moves": moves,
            "fingerprint": _tengen.fingerprint(moves),
            "opening": 0,
            "seed_a": seeds[0],
            "seed_b": seeds[1],
            "seconds": round(seconds, 4),
            "cpu_a": None if cpu[0] is None else round(cpu[0], 4),
            "cpu_b": None if cpu[1] is None else round(cpu[1], 4),
        }
        if ended.message is not None:
            record["message"] = ended.message
        return record


@dataclass(frozen=True)
class TournamentResult:
    """The result of a tournament, as `tengen match --json` gives it for more than two players; printed, it is a table."""

    pairs: list[dict[str, Any]]
    ratings: list[dict[str, Any]]
    """Elo ratings with intervals, best first; their mean is 0."""

    def __str__(self) -> str:
        width = max((len(rating["player"]) for rating in self.ratings), default=6)
        lines = [f"{'player':{width}}  {'Elo':>6}  {'95%':>15}  {'games':>6}  {'points':>7}"]
        for r in self.ratings:
            low, high = r["ci95"]
            interval = f"{low:.0f} to {high:.0f}"
            lines.append(f"{r['player']:{width}}  {r['elo']:6.0f}  {interval:>15}  {r['games']:6}  {r['points']:7.1f}")
        return "\n".join(lines)


class Tournament:
    """Everybody meets everybody: agents, players and GTP engines, in matches with the other arguments. `records` and `results` are folders
    here, in which the match of the first and the second player is called `1-2`.

    >>> import tengen
    >>> players = ["random", "uct,playouts=60", tengen.RandomAgent()]
    >>> result = tengen.Tournament(players, games=2, size=5).run()
    >>> result.ratings[0]["player"]
    'uct,playouts=60'
    """

    def __init__(self, players: Sequence[Agent], games: int = 10, **match: Any) -> None:
        self.players = [Seated(player) for player in players]
        self.games = games
        self._match = match

    def run(self) -> TournamentResult:
        """Plays `games` games of every pair."""
        pairs = [(i, j) for i in range(len(self.players)) for j in range(i + 1, len(self.players))]
        records = []
        for i, j in pairs:
            a, b, name = self.players[i], self.players[j], f"{i + 1}-{j + 1}"
            places = {"records": name, "results": f"{name}.jsonl"}
            own = {key: Path(self._match[key]) / place for key, place in places.items() if self._match.get(key) is not None}
            match = Match(a.agent, b.agent, self.games, names=(a.name, b.name), **{**self._match, **own})
            records.append(json.dumps(match.run().records))
        return TournamentResult(**json.loads(_tengen.tournament([p.name for p in self.players], pairs, records)))
