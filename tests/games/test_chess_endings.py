"""Endings of chess: against the longest mates that are known, a slow count of king and pawn, and python-chess."""

from __future__ import annotations

from typing import Any

import chess as python_chess
import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from plyground.agents import Solver
from plyground.agents.solver.endings import Endings, without_count
from plyground.agents.solver.solving import look_up
from plyground.arena.cli.group import app
from plyground.envs import Game, chess
from plyground.envs.games.chess.endings import image_key
from plyground.envs.jit import kernel

pytestmark = pytest.mark.slow

Table = NDArray[np.bool_]  # [squares of the white king, of the black king]
BOARD = np.arange(64)  # 8 * file + rank


@pytest.fixture(scope="module")
def game() -> Game:
    return chess()


def endings_of(game: Game, *fens: str) -> Endings:
    """Return the endings that can follow these positions, solved."""
    endings = Endings(game, 1000)
    for fen in fens:
        endings.value(game.state_from_fen(fen))
    return endings


@pytest.mark.parametrize(
    ("fen", "plies"),
    [  # K. Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9 (1986), has the mates in moves
        ("8/8/8/8/8/2k5/8/KQ6 w - - 0 1", 2 * 10),
        ("8/8/8/8/8/2k5/8/KR6 w - - 0 1", 2 * 16),
        ("8/8/8/8/8/2k5/8/KBN5 w - - 0 1", 2 * 33),
    ],
)
def test_longest_mates(game: Game, fen: str, plies: int) -> None:
    assert endings_of(game, fen).longest() == plies


# -- king and pawn against king --------------------------------------------------------------------------------------


def near() -> Table:
    """Return which squares are a king's step apart."""
    file, rank = np.divmod(BOARD, 8)
    apart = np.maximum(abs(file[:, None] - file), abs(rank[:, None] - rank))
    return apart == 1


NEAR = near()
APART = ~NEAR & ~np.eye(64, dtype=bool)  # kings that may stand so


def without(square: int) -> NDArray[np.bool_]:
    """Return all squares but one."""
    return np.isin(BOARD, [square], invert=True)


def reach(piece: str, square: int, blockers: set[int]) -> set[int]:
    """Return what a queen or a rook attacks."""
    file, rank = divmod(square, 8)
    found = set()
    for x, y in [(1, 0), (-1, 0), (0, 1), (0, -1)] + [(1, 1), (1, -1), (-1, 1), (-1, -1)] * (piece == "Q"):
        for n in range(1, 8):
            if not (0 <= file + n * x < 8 and 0 <= rank + n * y < 8):
                break
            found.add(8 * (file + n * x) + rank + n * y)
            if 8 * (file + n * x) + rank + n * y in blockers:
                break
    return found


def promoted_wins(pawn: int) -> Table:
    """Return where a new piece is not taken at once, and the other king has a move or is mated: then it wins."""
    won = np.zeros((64, 64), bool)
    for white, black in np.argwhere(APART).tolist():
        if pawn in (white, black):
            continue
        for piece in "QR":
            attacked = reach(piece, pawn, {white})
            flights = [
                s for s in range(64) if NEAR[black, s] and not NEAR[white, s] and (s == pawn or s not in attacked)
            ]
            is_check = black in reach(piece, pawn, {white, black})
            won[white, black] |= pawn not in flights and (bool(flights) or is_check)
    return won


def pawn_wins() -> tuple[dict[int, Table], dict[int, Table]]:
    """Return, by the pawn's square, where it wins with white to move, and with black to move.

    A king's step is a product of matrices: from a square to one that is near.
    """
    to_white: dict[int, Table] = {}
    to_black: dict[int, Table] = {}
    for rank in range(7, 0, -1):
        for file in range(4):
            pawn = 8 * file + rank
            if rank == 7:
                to_black[pawn] = promoted_wins(pawn)
                continue
            free = without(pawn)
            guarded = np.isin(BOARD, [8 * x + rank + 1 for x in (file - 1, file + 1) if 0 <= x < 8])
            stands = APART & free[:, None] & free
            ahead = without(pawn + 1)[:, None] & without(pawn + 1)
            steps = to_black[pawn + 1] & ahead
            if rank == 1:
                steps |= to_black[pawn + 2] & ahead & without(pawn + 2)[:, None] & without(pawn + 2)
            white = stands & ~guarded & steps
            black = np.zeros((64, 64), bool)
            while True:
                # Black loses where he has a move, and none that saves him; taking the pawn saves him.
                legal = [NEAR & ~NEAR[w] & ~guarded & without(w) for w in range(64)]
                has_move = np.array([moves.any(axis=1) for moves in legal])
                saved = np.array([(moves & (~white[w] | ~free)).any(axis=1) for w, moves in enumerate(legal)])
                black = stands & has_move & ~saved
                now = stands & ~guarded & (steps | ((NEAR & free).astype(int) @ (black & stands) > 0))
                if (now == white).all():
                    break
                white = now
            to_white[pawn], to_black[pawn] = white, black
    return to_white, to_black


@kernel
def _values(game: Any, states: Any, table: Any, values: Any) -> None:
    for i in range(states.size):
        value, distance = look_up(game, states[i], table)
        values[i] = value if distance >= 0 else -9


def test_every_position_of_king_and_pawn(game: Game) -> None:
    fens = [f"k7/8/8/8/8/8/{row}/7K w - - 0 1" for row in ("P7", "1P6", "2P5", "3P4")]
    endings = endings_of(game, *fens)
    assert endings.longest() == 2 * 28
    to_white, to_black = pawn_wins()
    bits = np.uint64(1) << BOARD.astype(np.uint64)
    compared = won = 0
    for pawn, expected in to_white.items():
        for turn, wins in enumerate((expected, to_black[pawn])):
            mirror = 7 * turn
            states = np.zeros(4096, game.dtype)
            kings, lone = np.repeat(BOARD, 64) ^ mirror, np.tile(BOARD, 64) ^ mirror
            strong = bits[kings] | bits[pawn ^ mirror]
            states["own"], states["other"] = (strong, bits[lone]) if turn == 0 else (bits[lone], strong)
            states["king"], states["other_king"] = (kings, lone) if turn == 0 else (lone, kings)
            states["pawns"], states["turn"] = bits[pawn ^ mirror], turn
            values = np.zeros(4096)
            _values(without_count(game), states, endings._free.table, values)
            # White to move takes no king; black to move may be in check. What nothing leads to is not known (-9).
            known = values.reshape(64, 64) != -9
            stands = APART & without(pawn)[:, None] & without(pawn) & known
            if turn == 0:
                stands &= ~np.isin(BOARD, [8 * x + pawn % 8 + 1 for x in (pawn // 8 - 1, pawn // 8 + 1) if 0 <= x < 8])
            assert ((values.reshape(64, 64) == 1) == wins)[stands].all(), (pawn, turn)
            compared, won = compared + int(stands.sum()), won + int(wins[stands].sum())
    assert compared > 160_000
    assert 0.6 < won / compared < 0.8


# -- python-chess ------------------------------------------------------------------------------------------------------


def random_boards(pieces: str, rng: np.random.Generator, number: int) -> list[python_chess.Board]:
    """Return positions with both kings and these pieces, in which the game is not over."""
    found: list[python_chess.Board] = []
    while len(found) < number:
        board = python_chess.Board(None)
        for letter, square in zip("Kk" + pieces, rng.permutation(64).tolist(), strict=False):
            board.set_piece_at(square, python_chess.Piece.from_symbol(letter))
        board.turn = bool(rng.integers(2))
        if board.is_valid() and not board.is_game_over():
            found.append(board)
    return found


@pytest.mark.parametrize(("pieces", "number"), [("Q", 150), ("R", 250), ("P", 250)])
def test_values_follow_from_those_of_the_moves(game: Game, pieces: str, number: int, rng: np.random.Generator) -> None:
    solver = Solver(game, table_mb=1000)

    def value_of(board: python_chess.Board) -> tuple[float, int | None]:
        if board.is_checkmate():
            return -1.0, 0
        return (0.0, None) if board.is_game_over() else solver.value(game.state_from_fen(board.fen()))

    for board in random_boards(pieces, rng, number):
        after = []
        for move in list(board.legal_moves):
            board.push(move)
            value, distance = value_of(board)
            after.append((0.0 - value, distance))
            board.pop()
        best = max(value for value, _ in after)
        plies = [distance for value, distance in after if value == best and distance is not None]
        expected = None if best == 0 else 1 + (min(plies) if best > 0 else max(plies))
        assert value_of(board) == (best, expected), board.fen()


def test_count_of_plies_makes_draws(game: Game) -> None:
    solver = Solver(game, table_mb=1000)
    won = game.state_from_fen("8/8/8/8/8/2k5/8/KR6 w - - 0 1")
    value, distance = solver.value(won)
    assert (value, distance) == (1, 27)
    assert solver.value(game.state_from_fen(f"8/8/8/8/8/2k5/8/KR6 w - - {100 - 27} 90")) == (1, 27)
    assert solver.value(game.state_from_fen(f"8/8/8/8/8/2k5/8/KR6 w - - {100 - 26} 90"))[0] == 0


def test_the_line_of_a_win_asks_nothing_of_the_count(game: Game) -> None:
    """With bishop and knight, moves that win too late would take gigabytes where the line is near its end."""
    solver = Solver(game, table_mb=1000)
    state = game.state_from_fen(f"8/8/8/8/8/2k5/8/KR6 w - - {100 - 27} 90")
    assert solver.value(state) == (1, 27)
    nodes = solver._nodes
    line = solver._line(state, tuple(game.line_of(["b1d1"], state)))
    assert solver._nodes == nodes
    end = game.play_moves(line, state)
    assert len(line) == 27
    assert game.utility(end, 0) == 1


def test_images_share_a_key(game: Game) -> None:
    def key(fen: str) -> int:
        return int(image_key(game.state_from_fen(fen)))

    images = ["8/8/8/8/8/2k5/8/KR6", "8/8/8/8/8/5k2/8/6RK", "KR6/8/2k5/8/8/8/8/8", "8/8/8/8/8/2k5/R7/K7"]
    assert len({key(f"{board} w - - 0 1") for board in images}) == 1
    assert len({key(f"{board} b - - 0 1") for board in images}) == 1
    assert key(f"{images[0]} w - - 0 1") != key(f"{images[0]} b - - 0 1")
    # A pawn knows up and down, and the diagonal would turn it: only left and right are alike.
    pawns = ["8/8/8/8/2k5/8/P7/K7", "8/8/8/8/5k2/8/7P/7K", "8/8/8/8/2k5/8/1P6/K7"]
    one, two, three = (key(f"{board} w - - 0 1") for board in pawns)
    assert one == two != three
    # The right to castle knows left and right.
    assert key("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1") != key("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert key("4k3/8/8/8/8/8/8/R3K3 w - - 0 1") == key("3k4/8/8/8/8/8/8/3K3R w - - 0 1")


def test_a_draw_may_end_at_once() -> None:
    taken = CliRunner().invoke(app, ["solve", "chess", "--position", "8/8/8/8/3k4/8/1q6/K7 w - - 0 1"])
    assert "White to move: draw\nbest moves: a1b2\nline: a1b2\n" in taken.output
