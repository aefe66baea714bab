"""Drives the program from outside as hard as it can, and counts what goes wrong.

    make torture                     everything, about two hours and a half
    make torture ARGS="kills games"  some of it
    make torture ARGS=--short        everything for half a minute, as `make test` does

Every part prints a line of what was done and what was seen, and fails if anything was lost, doubled, illegal or late. The
binary is $TENGEN_BIN, or target/release/tengen; the only package needed is `websockets`.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("TENGEN_BIN", str(ROOT / "target" / "release" / "tengen"))
# Two humans, so that nothing but the page itself plays.
STUDY = {"width": 9, "height": 9, "rules": "chinese", "seats": {"black": {"kind": "human"}, "white": {"kind": "human"}}}
POINTS = [f"{column}{row}" for row in range(1, 10) for column in "ABCDEFGHJ"]
# Both players in turn can play that many points of the list without capturing anything.
MOST_MOVES = 60


def check(holds, message):
    if not holds:
        raise AssertionError(message)


STARTED = []


def tengen(*arguments, stdin=subprocess.DEVNULL, **options):
    """Starts the program."""
    process = subprocess.Popen([BINARY, *map(str, arguments)], stdin=stdin, **options)
    STARTED.append(process)
    return process


def run(*arguments):
    """Runs the program to its end; its code, output and errors."""
    done = subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def rss_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def kill_at_random(process, rng, longest):
    """Sends SIGKILL after a random time; whether the process was still running."""
    try:
        process.wait(timeout=rng.uniform(0, longest))
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True


# Kill -9


def run_whole(*arguments):
    """Runs the program undisturbed; how long that takes, which tells how soon it can be killed and still get on."""
    begun = time.monotonic()
    code, _, errors = run(*arguments)
    check(code == 0, errors)
    return time.monotonic() - begun


def kill_matches(folder, kills, rng):
    """Matches that are killed and resumed play the same games as matches that are not."""
    done, games, matches = 0, 0, 0
    while done < kills:
        seed = rng.randrange(1 << 30)
        match = ["match", "rave,playouts=30", "random", "--size", 7, "--games", 60, "--seed", seed, "--quiet", "--concurrency", 2]
        whole, killed = folder / f"whole-{matches}", folder / f"killed-{matches}"
        duration = run_whole(*match, "--out", whole)
        while True:
            process = tengen(*match, "--resume", killed, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if not kill_at_random(process, rng, duration / 4):
                check(process.returncode == 0, process.stderr.read())
                break
            done += 1
        expected, found = results(whole), results(killed)
        check(found == expected, f"{killed} differs from {whole}")
        records = {path.name: path.read_bytes() for path in (whole / "sgf").iterdir()}
        check(records == {path.name: path.read_bytes() for path in (killed / "sgf").iterdir()}, f"{killed}/sgf differs")
        games += len(expected)
        matches += 1
    return done, f"{matches} matches, {games} games: each game once, moves and results as without"


def results(folder):
    """The games of a match without what depends on the clock, by their number; each once."""
    lines = (folder / "results.jsonl").read_text().splitlines()[1:]
    games = {}
    for game in map(json.loads, lines):
        check(game["game"] not in games, f"{folder}: game {game['game']} is there twice")
        games[game["game"]] = {key: value for key, value in game.items() if key not in ("seconds", "cpu_a", "cpu_b")}
    return games


ARCH = {
    "planes": "tengen", "first_kernel": 3, "trunk": {"kind": "residual", "blocks": 1, "channels": 4},
    "policy": {"moves": 1, "kernel": 1, "channels": 2, "pass": True}, "value": {"channels": 2, "hidden": 2},
}  # fmt: skip


def kill_trainings(folder, kills, rng):
    """Trainings that are killed and resumed end with the same weights as trainings that are not."""
    arch = folder / "arch.json"
    arch.write_text(json.dumps(ARCH))
    done, trainings = 0, 0
    while done < kills:
        training = ["train", "policy", "--arch", arch, "--data", ROOT / "tests/records/9x9-weak.sgf.gz", "--positions", 40000,
                    "--batch", 64, "--threads", 1, "--report-every", 4096, "--seed", trainings, "--checkpoint-minutes", 0.001,
                    "--quiet"]  # fmt: skip
        whole, killed = folder / f"whole-{trainings}", folder / f"killed-{trainings}"
        duration = run_whole(*training, "--out", whole)
        while True:
            begun = (killed / "checkpoint.safetensors").exists()
            resume = ["--resume"] if begun else []
            process = tengen(*training, *resume, "--out", killed, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if not kill_at_random(process, rng, duration / 4):
                check(process.returncode == 0, process.stderr.read())
                break
            done += 1
        weights = [(where / "net.safetensors").read_bytes() for where in (whole, killed)]
        check(weights[0] == weights[1], f"{killed}: the weights differ")
        steps = [[json.loads(line)["steps"] for line in (where / "log.jsonl").read_text().splitlines()] for where in (whole, killed)]
        check(steps[0] == steps[1], f"{killed}: the log has steps {steps[1]}, not {steps[0]}")
        trainings += 1
    by_itself, runs = kill_runs(folder, kills, rng)
    return done + by_itself, f"{trainings} trainings and {runs} runs of self-play: the same weights to the last bit, no line of the log lost or double"


def kill_runs(folder, kills, rng):
    """The same of networks that learn from their own games, with promotion and without."""
    arch = folder / "arch.json"
    done, runs, kinds = 0, 0, []
    while done < kills or runs < len(kinds):
        few = ["--size", 3, "--komi", "0.5:2.5", "--arch", arch, "--games", 6, "--threads", 1, "--seed", runs, "--set", "anchors.games=0"]
        kinds = [
            ["train", "zero", *few, "--simulations", 4, "--generations", 12, "--set", "batch=8"],
            ["train", "zero", *few, "--simulations", 4, "--generations", 12, "--set", "batch=8", "--set", "gate.games=2", "--set", "gate.share=0.5"],
            ["train", "actor-critic", *few, "--iterations", 60, "--set", "pool.every=3", "--set", "pool.size=2"],
            ["train", "reinforce", *few, "--iterations", 60, "--set", "pool.every=3", "--set", "pool.size=2"],
        ]
        learning = kinds[runs % len(kinds)]
        whole, killed = folder / f"run-whole-{runs}", folder / f"run-killed-{runs}"
        duration = run_whole(*learning, "--out", whole)
        while True:
            begun = (killed / "checkpoint.safetensors").exists()
            command = [*learning[:2], "--resume"] if begun else learning
            process = tengen(*command, "--out", killed, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if not kill_at_random(process, rng, duration / 2):
                check(process.returncode == 0, process.stderr.read())
                break
            done += 1
        weights = [(where / "net.safetensors").read_bytes() for where in (whole, killed)]
        check(weights[0] == weights[1], f"{killed}: the weights differ")
        lines = [len((where / "log.jsonl").read_text().splitlines()) for where in (whole, killed)]
        check(lines[0] == lines[1], f"{killed}: the log has {lines[1]} lines, not {lines[0]}")
        runs += 1
    return done, runs


def kill_selfplay(folder, kills, rng):
    """Self-play that is killed and resumed writes the same records as self-play that is not, of a network and of any player."""
    who = [["--net", "default", "--method", "policy", "--size", 3], ["--preset", "uct,playouts=5", "--size", "3:4"]]
    done, runs = 0, 0
    while done < kills or runs < len(who):
        command = ["selfplay", *who[runs % len(who)], "--games", 300, "--threads", 1, "--seed", runs, "--quiet"]
        whole, killed = folder / f"whole-{runs}", folder / f"killed-{runs}"
        duration = run_whole(*command, "--out", whole)
        while True:
            resume = ["--resume"] if (killed / "settings.json").exists() else []
            process = tengen(*command, *resume, "--out", killed, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            # Games are written 256 at a time: it has to come that far now and then.
            if not kill_at_random(process, rng, duration * 1.5):
                check(process.returncode == 0, process.stderr.read())
                break
            done += 1
        names = [sorted(path.name for path in where.iterdir()) for where in (whole, killed)]
        check(names[0] == names[1], f"{killed} has {names[1]}, not {names[0]}")
        for path in whole.glob("*.npz"):
            check(path.read_bytes() == (killed / path.name).read_bytes(), f"{killed / path.name} differs")
        runs += 1
    return done, f"{runs} runs of 300 games: the same records, byte for byte"


class Server:
    """`tengen play` on a port of its own."""

    def __init__(self, folder, log):
        self.log = open(log, "a")
        self.process = tengen("play", "--no-open", "--no-token", "--port", 0, "--games", folder, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        check("http://" in line, f"the server does not start: {line!r}, see {log}")
        self.address = line.split("http://")[1].split("/")[0]

    def page(self, game=None, **options):
        query = f"?game={game}" if game else ""
        # A busy machine is no reason to give up.
        socket = connect(f"ws://{self.address}/ws{query}", origin=f"http://{self.address}", open_timeout=60, max_size=None, **options)
        return Page(socket)

    def stop(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        self.log.close()


class Page:
    def __init__(self, socket):
        self.socket = socket

    def send(self, **command):
        self.socket.send(json.dumps(command))

    def until(self, *kinds, patience=60):
        """The next message of one of these kinds."""
        deadline = time.monotonic() + patience
        while True:
            message = json.loads(self.socket.recv(timeout=max(deadline - time.monotonic(), 0)))
            if message["type"] in kinds:
                return message

    def begin(self):
        """A new game instead of the one at which the page sits; its id is returned."""
        before = self.until("state")["game"]
        self.send(type="new", settings=STUDY)
        while (game := self.until("state")["game"]) == before:
            pass
        return game

    def moves(self):
        """What the record says that was played on its first line; to be asked first of all after joining a game."""
        nodes = self.until("tree")["nodes"]
        children = {}
        for node in nodes:
            children.setdefault(node["parent"], []).append(node)
        moves, at = [], children[None][0]
        while at["id"] in children:
            at = children[at["id"]][0]
            moves.append(at["at"])
        check(len(moves) == len(nodes) - 1, "the record has branches that nobody played")
        return moves

    def close(self):
        self.socket.close()


def kill_servers(folder, kills, rng):
    """Moves that a page was told of are in the record after the server was killed, and none is there twice."""
    done, games, played = 0, 0, 0
    game, told = None, []
    for done in range(1, kills + 1):
        server = Server(folder / "games", folder / "server.log")
        page = server.page(game)
        if game:
            moves = page.moves()
            # What was on its way may be there or not.
            check(moves[: len(told)] == told and len(moves) <= len(told) + 1, f"game {game}: {moves}, but {told} was told")
            told = moves
        # A game without moves is not stored.
        if len(told) in (0, MOST_MOVES):
            game, told, games = page.begin(), [], games + 1
        killer = threading.Timer(rng.uniform(0, 0.5), server.process.kill)
        killer.start()
        try:
            for at in POINTS[len(told) : MOST_MOVES]:
                check(play(page, at), f"{at} was refused")
                told.append(at)
                played += 1
        except (ConnectionClosed, TimeoutError, OSError):
            pass
        killer.join()
        server.stop()
    server = Server(folder / "games", folder / "server.log")
    page = server.page(game)
    moves = page.moves()
    check(moves[: len(told)] == told and len(moves) <= len(told) + 1, f"game {game}: {moves}, but {told} was told")
    page.close()
    server.stop(signal.SIGTERM)
    return done, f"{games} games, {played} moves that the page was told of: all in the record, once"


def kills(folder, short, rng):
    count = 6 if short else 100
    total = 0
    for name, part in [("matches", kill_matches), ("trainings", kill_trainings), ("self-play", kill_selfplay), ("the page's store", kill_servers)]:
        (folder / name).mkdir()
        done, seen = part(folder / name, count, rng)
        total += done
        print(f"kills: {done} x kill -9 over {name}; {seen}", flush=True)
    print(f"kills: {total} in all", flush=True)


# Fast games by the clock

FAST = [
    ("random", "mc"), ("gobble", "mc-amaf"), ("uct", "rave"), ("rave-lgr", "rave-lgrf"), ("gcmb", "classic"), ("mc-pp", "uct"),
    ("policy", "random"), ("classic", "rave"), ("zero", "default"), ("mc-depth2", "gobble"), ("holmes", "uct"), ("default", "classic"),
]  # fmt: skip


def games(folder, short, rng):
    """Games with hardly any time between different presets: nobody loses on time, plays illegally or breaks down."""
    wanted, played, failures = (12 if short else 3000), 0, []
    for number, pair in enumerate(FAST):
        count = wanted // len(FAST)
        size, clock = [(5, "absolute 1"), (7, "fischer 0.5 0.02"), (9, "byoyomi 0.2 0.05 3"), (5, "canadian 0.2 0.5 10")][number % 4]
        lag = [f"{name},pace.lag=0.02" if has_pace(name) else name for name in pair]
        code, output, errors = run("match", *lag, "--size", size, "--clock", clock, "--games", count, "--concurrency", 1,
                                   "--seed", rng.randrange(1 << 30), "--sgf-dir", folder / f"{number}", "--json", "--quiet")  # fmt: skip
        check(code == 0, errors)
        summary = json.loads(output)
        played += summary["games"]
        bad = {key: summary[key] for key in ("illegal", "crashes", "time_losses")}
        if any(bad.values()):
            failures.append(f"{pair} on {size}x{size} with {clock}: {bad}")
    print(f"games: {played} by the clock between {len(FAST)} pairs of presets on 5x5, 7x7 and 9x9; {len(failures)} pairs with time "
          f"losses, illegal moves or crashes", flush=True)  # fmt: skip
    check(not failures, "; ".join(failures))


def has_pace(preset):
    return "\n[pace]" in run("presets", preset)[1]


# Many pages at once


def pages(folder, short, rng):
    """Many pages at once, of which some do not read and some send rubbish: those that behave are served."""
    count, seconds = (20, 4) if short else (100, 600)
    server = Server(folder / "games", folder / "server.log")
    ends = time.monotonic() + seconds
    counts = {"answers": 0, "refusals": 0, "dropped": 0}
    slowest, broken, lock = [0.0], [], threading.Lock()

    def note(what):
        with lock:
            counts[what] += 1

    def behave(page, choice):
        page.send(type="new", settings={**STUDY, "width": 5, "height": 5})
        page.until("state", "error")
        while time.monotonic() < ends:
            command = choice.choice([
                {"type": "play", "at": choice.choice(POINTS)}, {"type": "play", "at": "pass"}, {"type": "undo"},
                {"type": "goto", "node": choice.randrange(20)}, {"type": "analyse", "on": choice.random() < 0.1}, {"type": "save"},
                {"type": "resign"},
            ])  # fmt: skip
            begun = time.monotonic()
            page.send(**command)
            page.send(type="list")  # This is always answered, and in its turn.
            page.until("games", "error")
            with lock:
                slowest[0] = max(slowest[0], time.monotonic() - begun)
                counts["answers"] += 1
            time.sleep(choice.uniform(0.05, 0.5))

    def read_nothing(page, choice):
        page.send(type="new", settings=STUDY)
        while time.monotonic() < ends:
            page.send(type="analyse", on=True)
            page.send(type="play", at=choice.choice(POINTS))
            time.sleep(0.02)

    def send_rubbish(page, choice):
        while time.monotonic() < ends:
            page.socket.send(choice.choice(['{"type":"new"}', "{", "", "\u0000", "x" * 20000, choice.randbytes(3000), b"(;SZ[19]" * 500]))
            page.until("error", "state")

    def client(number):
        choice = random.Random(number)
        conduct = {0: read_nothing, 1: send_rubbish}.get(number % 5, behave)
        while time.monotonic() < ends:
            try:
                page = server.page(max_queue=1)
                try:
                    conduct(page, choice)
                finally:
                    page.socket.socket.close()
            except InvalidStatus as refusal:
                if refusal.response.status_code != 503:
                    broken.append(f"status {refusal.response.status_code}")
                note("refusals")
                time.sleep(0.2)
            except (ConnectionClosed, OSError):
                note("dropped")
                time.sleep(0.05)
            except TimeoutError:
                if conduct is behave:
                    broken.append("a page that reads got no answer for a minute")

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    most = 0.0
    while time.monotonic() < ends:
        check(server.process.poll() is None, f"the server has ended: see {folder}/server.log")
        most = max(most, rss_mb(server.process.pid))
        time.sleep(0.2)
    for thread in threads:
        thread.join(timeout=70)
    check(not broken, broken)
    check(counts["answers"] >= count, counts)
    served_afterwards(server)
    server.stop(signal.SIGTERM)
    panics = (folder / "server.log").read_text().count("panicked")
    check(panics == 0, f"{panics} panics: see {folder}/server.log")
    print(f"pages: {count} at once for {seconds} s, a fifth not reading and a fifth sending rubbish: {counts['answers']} answers, the "
          f"slowest after {slowest[0]:.2f} s, {counts['refusals']} connections refused as too many, {counts['dropped']} dropped, "
          f"{most:.0f} MB at most, 0 panics", flush=True)  # fmt: skip


def served_afterwards(server):
    """Whether a new page gets a game, once the server has noticed that the others are gone."""
    deadline = time.monotonic() + 90
    while True:
        try:
            page = server.page()
            message = page.until("state", "error")
            page.close()
            if message["type"] == "state":
                return
            problem = message["message"]
        except (InvalidStatus, ConnectionClosed) as error:
            problem = error
        check(time.monotonic() < deadline, f"a new page is not served afterwards: {problem}")
        time.sleep(1)


# Full disk


class Disk:
    """A file system of a given size, which can be made larger."""

    def __init__(self, folder, size):
        self.folder = folder
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True, capture_output=True)

    def grow(self, size):
        subprocess.run(["mount", "-o", f"remount,size={size}", self.folder], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.folder], check=True)


def disk(folder, short, rng):
    """On a full disk nothing is lost: programs say so, and go on when there is room again."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return skip("a full disk", "only root can mount a small one")
    # A match.
    match = ["match", "random", "random", "--size", 9, "--games", 60, "--seed", 1, "--quiet", "--concurrency", 1]
    code, _, errors = run(*match, "--out", folder / "whole")
    check(code == 0, errors)
    try:
        small = Disk(folder / "small", "96k")
    except subprocess.CalledProcessError as error:
        return skip("a full disk", f"no small one can be mounted ({error.stderr.decode().strip()})")
    with small:
        code, _, errors = run(*match, "--out", small.folder / "match")
        check(code not in (0, 101) and "No space left" in errors, f"code {code}: {errors}")
        full = len(results(small.folder / "match"))
        small.grow("64m")
        code, _, errors = run(*match, "--resume", small.folder / "match")
        check(code == 0, errors)
        check(results(small.folder / "match") == results(folder / "whole"), "the resumed match differs")
    print(f"disk: a match on a full disk ends with an error after {full} of 60 games, and goes on to the same results", flush=True)
    # The page's store: what cannot be stored is refused.
    with Disk(folder / "store", "4m") as small:
        server = Server(small.folder / "games", folder / "server.log")
        page = server.page()
        game = page.begin()
        told = [at for at in POINTS[:5] if play(page, at)]
        check(len(told) == 5, f"only {told} were played")
        with open(small.folder / "ballast", "wb", buffering=0) as ballast:
            while written(ballast):
                pass
        full = [at for at in POINTS[5:30] if play(page, at)]
        refused = 25 - len(full)
        check(refused > 0, "nothing was refused: is the disk full?")
        check(server.process.poll() is None, f"the server has ended: see {folder}/server.log")
        os.remove(small.folder / "ballast")
        told += full + [at for at in POINTS[30:40] if play(page, at)]
        check(len(told) == 15 + len(full), f"only {told} were played when there was room again")
        server.stop()
        server = Server(small.folder / "games", folder / "server.log")
        page = server.page(game)
        moves = page.moves()
        check(moves == told, f"{moves}, but {told} was told")
        page.close()
        server.stop(signal.SIGTERM)
        check("panicked" not in (folder / "server.log").read_text(), f"see {folder}/server.log")
    print(f"disk: a game on the page: on the full disk {refused} of 25 moves refused with a message, afterwards none; exactly the {len(told)} "
          f"moves that the page was told of are in the record", flush=True)  # fmt: skip


def play(page, at):
    """Whether a move was played; otherwise the page was told that it was not."""
    page.send(type="play", at=at)
    while True:
        message = page.until("state", "error")
        if message["type"] == "error" or message["last"] == at:
            return message["type"] == "state"


def written(file):
    try:
        return file.write(bytes(4096))
    except OSError:
        return 0


# Memory


def memory(folder, short, rng):
    """An hour of analysis stays within the memory that the tree may have."""
    seconds, limit = (6, 16) if short else (3600, 256)
    process = tengen("gtp", "--preset", "rave", "--set", f"max_tree_mb={limit}", "--threads", 2, stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # fmt: skip

    def send(line):
        process.stdin.write(line + "\n")
        process.stdin.flush()

    lines = [0]

    def count():
        for _ in process.stdout:
            lines[0] += 1

    threading.Thread(target=count, daemon=True).start()
    send("boardsize 19")
    send("genmove b")
    while lines[0] < 4:
        time.sleep(0.05)
    before, most, quarters = rss_mb(process.pid), 0.0, []
    send("kata-analyze w 10 ownership true")
    ends = time.monotonic() + seconds
    for quarter in range(1, 5):
        peak = 0.0
        while time.monotonic() < ends - seconds * (4 - quarter) / 4:
            check(process.poll() is None, "the analysis has ended")
            peak = max(peak, rss_mb(process.pid))
            time.sleep(0.1)
        quarters.append(peak)
    most = max(quarters)
    send("quit")
    process.wait(timeout=30)
    print(f"memory: {seconds} s of analysis on 19x19 with max_tree_mb={limit}: {before:.0f} MB before, at most "
          f"{' / '.join(f'{peak:.0f}' for peak in quarters)} MB in its quarters, {lines[0]} lines", flush=True)  # fmt: skip
    check(most < before + limit + 32, f"{most:.0f} MB are more than {before:.0f} + {limit} + 32")
    check(lines[0] > seconds, "the analysis has stopped")


def skip(unchecked, want):
    print(f"SKIPPED: {unchecked}: {want}", file=sys.stderr)
    if path := os.environ.get("TENGEN_SKIPPED"):
        with open(path, "a") as file:
            file.write(f"- {unchecked}: {want}\n")


PARTS = {part.__name__: part for part in (kills, games, pages, disk, memory)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--short", action="store_true", help="a little of everything")
    parser.add_argument("--seed", type=int, default=1, help="random seed")
    arguments = parser.parse_args()
    failed = []
    for name in arguments.parts or PARTS:
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"tengen-{name}-"))
        begun = time.monotonic()
        try:
            PARTS[name](folder, arguments.short, random.Random(arguments.seed))
        except (AssertionError, subprocess.SubprocessError, TimeoutError) as error:
            failed.append(name)
            print(f"{name}: FAILED after {time.monotonic() - begun:.0f} s: {error} (see {folder})", flush=True)
        else:
            shutil.rmtree(folder)
            print(f"{name}: done in {time.monotonic() - begun:.0f} s", flush=True)
        finally:
            for process in STARTED:
                if process.poll() is None:
                    process.kill()
            STARTED.clear()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
