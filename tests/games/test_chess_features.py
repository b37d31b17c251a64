"""The evaluation of chess: against slow and obvious counts on squares, and positions made by hand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, chess
from plyground.envs.games.features.chess_terms import PHASES, SIZES, by_phase
from plyground.envs.games.features.chess_values import VALUES
from plyground.envs.jit import kernel
from tests.conftest import random_game

pytestmark = pytest.mark.rules

Square = tuple[int, int]  # file and rank, from 0
Pieces = dict[Square, str]  # capital letters are the own side's, which goes up

STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
LEAPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
KINDS = {"P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
RANGES = {
    "material": 30,
    "pawn_squares": 4,
    "knight_squares": 2,
    "bishop_squares": 2,
    "rook_squares": 2,
    "queen_squares": 2,
    "king_squares": 3,
    "mobility": 5,
    "king_safety": 5,
    "pawn_structure": 3,
    "passed_pawns": 7,
    "bishop_pair": 1,
    "rook_files": 1,
    "threats": 3,
    "tempo": 0.5,
    "bare_king": 4,
}
GROUPS = {  # what each feature is made of
    "material": ["material"],
    **{f"{kind}_squares": [f"{kind}_squares"] for kind in KINDS.values()},
    "mobility": ["knight_mobility", "bishop_mobility", "rook_mobility", "queen_mobility"],
    "king_safety": ["shield", "storm", "bare_file", "king_attack"],
    "pawn_structure": ["doubled_pawn", "isolated_pawn", "backward_pawn", "supported_pawn", "abreast_pawn"],
    "passed_pawns": ["passed_pawn", "blocked_pawn", "king_from_passed", "foe_from_passed"],
    "bishop_pair": ["bishop_pair"],
    "rook_files": ["open_file", "half_open_file"],
    "threats": ["threat"],
}


def pieces_of(fen: str, colour: int) -> Pieces:
    """Return the pieces as white (0) or black (1) sees them."""
    found: Pieces = {}
    for row, line in enumerate(fen.split()[0].split("/")):
        file = 0
        for letter in line:
            if letter.isdigit():
                file += int(letter)
                continue
            found[file, 7 - row if colour == 0 else row] = letter if colour == 0 else letter.swapcase()
            file += 1
    return found


def attacked(pieces: Pieces, square: Square) -> set[Square]:
    """Return the squares that the piece on a square attacks."""
    kind, (file, rank) = pieces[square].upper(), square
    up = 1 if pieces[square].isupper() else -1
    steps = {"P": [(-1, up), (1, up)], "N": LEAPS, "K": STRAIGHT + DIAGONAL}.get(kind)
    found = set()
    for x, y in steps or (STRAIGHT if kind in "RQ" else []) + (DIAGONAL if kind in "BQ" else []):
        for n in range(1, 2 if steps else 8):
            where = file + n * x, rank + n * y
            if not (0 <= where[0] < 8 and 0 <= where[1] < 8):
                break
            found.add(where)
            if where in pieces:
                break
    return found


def distance(one: Square, other: Square) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def counts_of(pieces: Pieces) -> dict[tuple[str, int], int]:
    """Return how often each term is there for the own side: by group and number."""
    found: dict[tuple[str, int], int] = {}

    def add(group: str, number: int = 0, times: int = 1) -> None:
        found[group, number] = found.get((group, number), 0) + times

    own = {square: letter for square, letter in pieces.items() if letter.isupper()}
    pawns = {square for square, letter in own.items() if letter == "P"}
    foes = {square for square, letter in pieces.items() if letter == "p"}
    king = next(square for square, letter in own.items() if letter == "K")
    foe = next(square for square, letter in pieces.items() if letter == "k")
    guarded = set().union(*(attacked(pieces, square) for square in pawns))
    forbidden = set().union(*(attacked(pieces, square) for square in foes))
    zone = {(x, y) for x in range(8) for y in range(8) if abs(x - foe[0]) <= 1 and -2 <= y - foe[1] <= 1}

    attackers = strength = 0
    for (file, rank), letter in own.items():
        kind, reach = KINDS[letter], attacked(pieces, (file, rank))
        add(f"{kind}_squares", 4 * rank + min(file, 7 - file))
        if letter != "K":
            add("material", "PNBRQ".index(letter))
        if letter in "NBRQ":
            add(f"{kind}_mobility", len(reach - own.keys() - forbidden))
            near = len(reach & zone)
            attackers += near > 0
            strength += near * (2 if letter == "Q" else 1)
        for square in reach:
            victim = pieces.get(square, "")
            for number, (by, on) in enumerate(
                [("P", "bn"), ("P", "r"), ("P", "q"), ("BN", "r"), ("BN", "q"), ("R", "q")]
            ):
                if letter in by and victim and victim in on:
                    # Two pieces that attack one count once, but for pawns with pawns and minor pieces with minor ones.
                    add("threat seen", 64 * number + 8 * square[0] + square[1])
        if letter == "R" and not any(x == file for x, _ in pawns):
            add("half_open_file" if any(x == file for x, _ in foes) else "open_file")
    for place in [key for key in found if key[0] == "threat seen"]:
        del found[place]
        add("threat", place[1] // 64)
    add("king_attack", min(strength, SIZES["king_attack"] - 1) if attackers >= 2 else 0)
    if sum(letter == "B" for letter in own.values()) >= 2:
        add("bishop_pair")

    for file, rank in pawns:
        beside = {(x, y) for x, y in pawns if abs(x - file) == 1}
        if any(x == file and y > rank for x, y in pawns):
            add("doubled_pawn")
        elif not any(abs(x - file) <= 1 and y > rank for x, y in foes):
            add("passed_pawn", rank)
            stop = file, rank + 1
            if pieces.get(stop, "A").islower():
                add("blocked_pawn", rank)
            add("king_from_passed", rank, distance(king, stop))
            add("foe_from_passed", rank, distance(foe, stop))
        if not beside:
            add("isolated_pawn")
        elif all(y > rank for _, y in beside) and (file, rank + 1) in forbidden:
            add("backward_pawn")
        if (file, rank) in guarded:
            add("supported_pawn", rank)
        if any(y == rank for _, y in beside):
            add("abreast_pawn", rank)

    wing = [file for file in range(8) if abs(file - min(max(king[0], 1), 6)) <= 1]
    for n in (1, 2):
        add("shield", n - 1, sum((file, king[1] + n) in pawns for file in wing))
    for n in (1, 2, 3):
        add("storm", n - 1, sum((file, king[1] + n) in foes for file in wing))
    add("bare_file", 0, sum(not any(x == file for x, _ in pawns) for file in wing))
    return found


def worths(phase: int) -> dict[tuple[str, int], int]:
    """Return what each term is worth, read from the texts once more."""
    found = {}
    for group, (middle, end) in VALUES.items():
        for number, (a, b) in enumerate(zip(middle.split(), end.split(), strict=True)):
            place = 4 * (7 - number // 4) + number % 4 if group.endswith("_squares") else number
            found[group, place] = round(phase / 24 * int(a) + (1 - phase / 24) * int(b))
    return found


def bare_king(pieces: Pieces) -> float:
    """Return how far the other side's king is driven, if it is alone."""
    if sum(letter.islower() for letter in pieces.values()) > 1:
        return 0.0
    king, foe = (next(square for square, letter in pieces.items() if letter == k) for k in "Kk")
    near = (7 - distance(king, foe)) / 7
    men = sorted(letter for letter in pieces.values() if letter.isupper() and letter not in "KP")
    if men == ["B", "N"]:
        bishop = next(square for square, letter in pieces.items() if letter == "B")
        corners = [(0, 0), (7, 7)] if sum(bishop) % 2 == 0 else [(0, 7), (7, 0)]
        steps = min(abs(foe[0] - x) + abs(foe[1] - y) for x, y in corners)
        return 0.25 * near + 0.75 * (7 - min(steps, 7)) / 7
    return 0.5 * near + 0.5 * (3 - min(foe[0], 7 - foe[0], foe[1], 7 - foe[1])) / 3


def expected(fen: str) -> dict[str, float]:
    """Return the features as the player to move sees them."""
    mover = int(fen.split()[1] == "b")
    phase = sum({"n": 1, "b": 1, "r": 2, "q": 4}.get(letter.lower(), 0) for letter in fen.split()[0])
    worth = worths(min(phase, 24))
    sides = [pieces_of(fen, mover), pieces_of(fen, 1 - mover)]
    own, other = map(counts_of, sides)

    def total(counts: dict[tuple[str, int], int], feature: str) -> int:
        return sum(times * worth[term] for term, times in counts.items() if term[0] in GROUPS[feature])

    sums = {feature: total(own, feature) - total(other, feature) for feature in GROUPS}
    found = {name: max(-1.0, min(1.0, value / 1000 / RANGES[name])) for name, value in sums.items()}
    found["tempo"] = max(-1.0, min(1.0, worth["tempo", 0] / 1000 / RANGES["tempo"]))
    one, two = map(bare_king, sides)
    found["bare_king"] = one or -two
    return found


@pytest.fixture(scope="module")
def game() -> Game:
    return chess()


def check(game: Game, fen: str) -> dict[str, float]:
    """Compare the features of a position with those of the slow count, and return them as the mover sees them."""
    state = game.state_from_fen(fen)
    mover = game.player(state)
    found = game.features_of(state, mover)
    assert found == pytest.approx(expected(fen), abs=1e-12), fen
    assert list(found) == list(game.weights)
    assert game.features_of(state, 1 - mover) == {name: -value for name, value in found.items()}
    assert all(-1 <= value <= 1 for value in found.values())
    return found


def turned(fen: str) -> str:
    """Return the position with white and black changed."""
    board, turn, castling, _, *counts = fen.split()
    board = "/".join(reversed(board.split("/"))).swapcase()
    return " ".join([board, "b" if turn == "w" else "w", castling.swapcase(), "-", *counts])


def mirrored(fen: str) -> str:
    """Return the position with left and right changed, without rights of castling."""
    board, turn, _, _, *counts = fen.split()
    return " ".join(["/".join(line[::-1] for line in board.split("/")), turn, "-", "-", *counts])


def random_fens(game: Game, rng: np.random.Generator, number: int) -> list[str]:
    """Return positions of random games, the one half, and pieces scattered at random, the other."""
    states = [state for _ in range(3) for state in random_game(game, rng)[:-1]]
    fens = [game.fen(states[int(i)]) for i in rng.choice(len(states), number // 2)]
    while len(fens) < number:
        letters = "Kk" + "".join(rng.choice(list("PPPPNBRQppppnbrq"), int(rng.integers(1, 22))))
        squares = rng.permutation(64)[: len(letters)]
        rows = [["1"] * 8 for _ in range(8)]
        for letter, square in zip(letters, squares.tolist(), strict=True):
            if letter not in "Pp" or 8 <= square < 56:
                rows[square // 8][square % 8] = letter
        board = re.sub("1+", lambda ones: str(len(ones[0])), "/".join(map("".join, rows)))
        fen = board + f" {rng.choice(['w', 'b'])} - - 0 1"
        try:
            fens.append(game.fen(game.state_from_fen(fen)))
        except ValueError:  # such as nine pawns, or a king that could be captured
            continue
    return fens


@pytest.mark.parametrize("count", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_against_slow_counts(game: Game, count: int, rng: np.random.Generator) -> None:
    for fen in random_fens(game, rng, count):
        check(game, fen)


def test_white_and_black_are_evaluated_alike(game: Game, rng: np.random.Generator) -> None:
    for fen in random_fens(game, rng, 100):
        one, two = game.state_from_fen(fen), game.state_from_fen(turned(fen))
        assert game.features_of(one, 0) == game.features_of(two, 1), fen
        assert game.evaluate(one, 0) == game.evaluate(two, 1)


def test_left_and_right_are_evaluated_alike(game: Game, rng: np.random.Generator) -> None:
    for fen in random_fens(game, rng, 100):
        image = mirrored(fen)
        assert game.features_of(game.state_from_fen(fen), 0) == game.features_of(game.state_from_fen(image), 0), fen


def test_start_is_even_but_for_the_move(game: Game) -> None:
    found = game.features_of(game.new_state(), 0)
    assert {name for name, value in found.items() if value} == {"tempo"}


def worth_of(group: str, number: int = 0, phase: int = 0) -> float:
    return worths(phase)[group, number] / 1000


def test_pawns_by_hand(game: Game) -> None:
    # White: a2, a3 doubled and isolated; e4 passed, two ranks up. Black's king holds the square before it.
    found = check(game, "8/8/8/4k3/4P3/P7/P3K3/8 w - - 0 1")
    structure = worth_of("doubled_pawn") + 3 * worth_of("isolated_pawn")
    assert found["pawn_structure"] == pytest.approx(structure / 3)
    passed = worth_of("passed_pawn", 2) + 4 * worth_of("foe_from_passed", 2) + 4 * worth_of("king_from_passed", 2)
    passed += worth_of("passed_pawn", 3) + worth_of("blocked_pawn", 3) + 3 * worth_of("king_from_passed", 3)
    assert found["passed_pawns"] == pytest.approx(passed / 7)
    # d3 is backward: c4 and e4 have gone on, and a black pawn guards d4.
    found = check(game, "4k3/8/8/4p3/2P1P3/3P4/8/4K3 w - - 0 1")
    ours = worth_of("backward_pawn") + 2 * worth_of("supported_pawn", 3)
    assert found["pawn_structure"] == pytest.approx((ours - worth_of("isolated_pawn")) / 3)


def test_rooks_and_bishops_by_hand(game: Game) -> None:
    found = check(game, "4k3/p7/8/8/8/8/7P/RR2K2R w - - 0 1")  # on a half-open file, an open one, and with an own pawn
    assert found["rook_files"] == pytest.approx(worth_of("half_open_file", 0, 6) + worth_of("open_file", 0, 6))
    pair = check(game, "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1")["bishop_pair"]
    assert pair == pytest.approx(min(1, worth_of("bishop_pair", 0, 2)))
    assert check(game, "4k3/8/8/8/8/8/8/2B1K3 w - - 0 1")["bishop_pair"] == 0


def test_bare_king_by_hand(game: Game) -> None:
    # In the corner of the bishop's colour, with the kings two steps apart; and in the other corner.
    assert check(game, "7k/8/5K2/8/8/8/8/B3N3 w - - 0 1")["bare_king"] == pytest.approx(0.25 * 5 / 7 + 0.75)
    assert check(game, "k7/8/2K5/8/8/8/8/B3N3 w - - 0 1")["bare_king"] == pytest.approx(0.25 * 5 / 7)
    assert check(game, "8/8/8/3k4/8/8/8/R3K3 b - - 0 1")["bare_king"] == pytest.approx(-0.5 * 3 / 7)


@kernel
def _evaluate(game: Any, states: Any, values: Any) -> None:
    for i in range(states.size):
        values[i] = game.evaluate(states[i], 0)


@pytest.mark.slow
def test_compiled_evaluation_is_that_of_python(game: Game, rng: np.random.Generator) -> None:
    rows = [game.state_from_fen(fen) for fen in random_fens(game, rng, 60)]
    states, values = np.array(rows, game.dtype), np.zeros(len(rows))
    _evaluate(game, states, values)
    assert values.tolist() == [game.evaluate(state, 0) for state in rows]


def test_values_have_a_number_for_each_term() -> None:
    table = by_phase(VALUES)
    assert table.shape == (PHASES + 1, sum(SIZES.values()))
    short = {**VALUES, "threat": ("1 2 3", "1 2 3")}
    with pytest.raises(ValueError, match="threat of chess has 6 terms, got 3 values"):
        by_phase(short)
    with pytest.raises(ValueError, match="lack the group 'tempo'"):
        by_phase({name: value for name, value in VALUES.items() if name != "tempo"})
