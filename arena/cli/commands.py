"""The commands by name: where each is, what it does in a line, and examples. Loading none of them keeps help fast."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["COMMANDS", "Command"]


class Command(NamedTuple):
    """A command.

    Attributes:
        place: the file and the function, as in ``"match:match"``.
        what: what it does, in a line: the first of the function's docstring.
        examples: how it is called.
    """

    place: str
    what: str
    examples: tuple[str, ...]


COMMANDS = {
    "games": Command("listing:games", "List the games.", ("plyground games", "plyground games --json")),
    "agents": Command(
        "listing:agents", "List the kinds of players, and how their specs are written.", ("plyground agents",)
    ),
    "show": Command(
        "show:show",
        "Show a position, as text or as a picture, with a search of it.",
        (
            "plyground show othello --moves 'd3 c5'",
            "plyground show go_9x9 --moves 'E5 C3 G7' --overlay 'mcts(simulations=5000)' --out board.svg",
            "plyground show ./examples/breakthrough.py:breakthrough",
            "plyground show chess --moves 'e2e4 e7e5' --unicode",
        ),
    ),
    "analyse": Command(
        "analyse:analyse",
        "Search a position, and print the board, the value, the best line, and a table of the actions.",
        (
            "plyground analyse othello --moves 'd3 c5' --agent 'mcts(seconds=1)'",
            "plyground analyse connect_four --moves '3 3 3' --agent 'alphabeta(depth=12)' --json",
        ),
    ),
    "explain": Command(
        "explain:explain",
        "Show a search of a small tree step by step, or make an exercise.",
        (
            "plyground explain --tree '((3 12 8) (2 ? ?) (14 5 2))' --out tree.svg",
            "plyground explain --game tictactoe --moves '0 4 8' --simulations 5",
            "plyground explain --exercise --kind mcts --seed 3",
        ),
    ),
    "solve": Command(
        "solve:solve",
        "Solve a position: its value with best play, all best moves, and the line.",
        (
            "plyground solve connect_four --moves '3 3 3 3 3 2 2 3 1 1 0 1 1 0'",
            "plyground solve 'mnk(m=4, n=4, k=4)' --json",
        ),
    ),
    "match": Command(
        "match:match",
        "Play a match, or a round robin, and print the cross table.",
        (
            "plyground match 'alphabeta(depth=6)' 'mcts(simulations=1000)' --games 100 --jobs 2",
            "plyground match random ./examples/greedy.py:Greedy --game ./examples/breakthrough.py:breakthrough",
            "plyground match random 'mcts(seconds=1)' --game go_9x9 --out games.db --resume",
        ),
    ),
    "tournament": Command(
        "match:tournament",
        "Play a tournament of any format, and print the cross table.",
        (
            "plyground tournament random 'mcts(simulations=50)' 'alphabeta(depth=2)' 'alphabeta(depth=4)' -f swiss",
            "plyground tournament ./examples/greedy.py:Greedy random 'alphabeta(depth=2)' -f gauntlet --game othello",
            "plyground tournament random 'mcts(simulations=50)' 'alphabeta(depth=4)' --games 1000 --ray",
        ),
    ),
    "openings": Command(
        "openings:openings",
        "Find openings that leave neither side ahead, for matches.",
        (
            "plyground openings othello --opening-plies 8 --count 100 --out openings.txt",
            "plyground openings 'connect_four(rows=5)' --judge solver --most 0 --out openings.txt",
        ),
    ),
    "sprt": Command(
        "sprt:sprt",
        "Test whether one player is stronger than another, in as few games as it takes.",
        (
            "plyground sprt 'mcts(simulations=200)' 'mcts(simulations=100)' --elo1 50 --jobs 2",
            "plyground sprt --pentanomial '39 8843 26675 9240 44' --elo0 0.5 --elo1 2.5 --json",
        ),
    ),
    "ratings": Command(
        "ratings:ratings",
        "Rate players by all their games: Elo with intervals that know of pairs of games.",
        (
            "plyground ratings games.jsonl",
            "plyground ratings monday.jsonl tuesday.jsonl --anchor random=0 --los",
            "plyground ratings games.jsonl --cycles --json",
            "plyground ratings games.db --over-time steps --plot ratings",
        ),
    ),
    "report": Command(
        "report:report",
        "Write games and their results as one page for a browser, which needs no server.",
        (
            "plyground report games.jsonl --out report.html",
            "plyground report games.jsonl --blunders 60 --title 'The club in May'",
        ),
    ),
    "replay": Command(
        "replay:replay",
        "Show a game from a file, board by board: with keys at a terminal, else one position below the other.",
        ("plyground replay games.jsonl 3", "plyground replay games.jsonl 3 --ply 12 --svg position.svg"),
    ),
    "watch": Command(
        "replay:watch",
        "Show the table of a file of games as they come: points, Elo so far, the rate, and the expected end.",
        ("plyground watch games.jsonl --games 200", "plyground watch games.jsonl --once"),
    ),
    "play": Command(
        "play:play",
        "Play against an agent at the terminal.",
        (
            "plyground play connect_four --against 'mcts(simulations=500)'",
            "plyground play go_9x9 --against 'mcts(seconds=2)' --seat second",
        ),
    ),
    "generate": Command(
        "generate:generate",
        "Play games to learn from, by any players. Ctrl-C keeps the finished ones; --resume goes on.",
        (
            "plyground generate connect_four solver --noise 0.1 --games 2000 --jobs 2 --out games.db",
            "plyground generate go_9x9 \"engine('gnugo --mode gtp')\" 'mcts(simulations=500)' --out games.sgf",
        ),
    ),
    "train": Command(
        "train:train",
        "Train a policy against itself, its past, and others. Ctrl-C saves; --resume goes on exactly where it was.",
        (
            "plyground train alphazero connect_four --minutes 60 --out az",
            "plyground train alphago connect_four --records games.db --out ag",
            "plyground train ppo connect_four --minutes 10 --out ppo-run",
            "plyground train --resume ppo-run --minutes 20",
            "plyground train dqn 'mnk(m=4, n=4, k=4)' --opponent 'random*0.5' --opponent ./examples/greedy.py:Greedy",
        ),
    ),
    "evaluate": Command(
        "evaluate:evaluate_player",
        "Grade a player: moves by exact solving, a rating on a ladder, and whether its values come true.",
        ("plyground evaluate 'mcts(simulations=100)'", "plyground evaluate ppo-run --curve --out curve"),
    ),
    "rate": Command(
        "ratings:rate",
        "Place a player on a game's ladder: it plays the rungs that tell the most, until its rating is sure enough.",
        (
            "plyground rate 'mcts(simulations=300)'",
            "plyground rate ./examples/greedy.py:Greedy --games 200 --out games.jsonl --resume",
        ),
    ),
    "convert": Command(
        "convert:convert",
        "Convert games: stores, JSON lines, CSV, Parquet, SGF (Go, gomoku, Othello), PDN (checkers), PGN (chess).",
        (
            "plyground convert games.jsonl games.sgf",
            "plyground convert games.db#2 games.parquet",
            "plyground convert games.pgn games.jsonl --partial",
        ),
    ),
    "store": Command(
        "store:store",
        "List the tournaments of a store of games, games.db.",
        ("plyground store games.db", "plyground store games.db --check", "plyground store games.db --json"),
    ),
    "export": Command(
        "export:export",
        "Write a network as an ONNX file, which other programs run.",
        ("plyground export az-run model.onnx", "plyground export net.safetensors model.onnx"),
    ),
    "gtp": Command(
        "engines:gtp",
        "Run as an engine for graphical boards such as Sabaki: Go, Othello and gomoku, by the Go Text Protocol.",
        ("plyground gtp 'mcts(seconds=1)' --game go_9x9", "plyground gtp 'alphabeta(seconds=1)' --game othello"),
    ),
    "uci": Command(
        "engines:uci",
        "Run as a chess engine for graphical boards and tournament managers, by the Universal Chess Interface.",
        ("plyground uci alphabeta", "plyground uci 'mcts(simulations=1000)'"),
    ),
    "warm": Command(
        "warm:warm",
        "Compile games and agents ahead, into Numba's cache (NUMBA_CACHE_DIR, or beside the package).",
        ("plyground warm connect_four mcts", "plyground warm --jobs -1"),
    ),
}
