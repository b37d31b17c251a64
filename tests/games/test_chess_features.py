"""The evaluation of chess: against slow and obvious counts on squares, and positions made by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, chess
from plyground.envs.games.features.chess_terms import PHASES, SIZES, by_phase, values_of
from plyground.envs.games.features.chess_values import VALUES
from plyground.envs.jit import kernel
from tests.conftest import random_game
from tests.helpers.chess_counts import expected, pieces_of, share_of, worth_of

pytestmark = pytest.mark.rules


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


def test_pawns_by_hand(game: Game) -> None:
    # White: a2, a3 doubled and isolated; e4 passed, two ranks up. Black's king holds the square before it.
    found = check(game, "8/8/8/4k3/4P3/P7/P3K3/8 w - - 0 1")
    structure = worth_of("doubled_pawn") + 3 * worth_of("isolated_pawn")
    assert found["pawn_structure"] == pytest.approx(structure / 3)
    passed = worth_of("free_pawn", 2)  # no king may step before it
    passed += worth_of("passed_pawn", 2) + 4 * worth_of("foe_from_passed", 2) + 4 * worth_of("king_from_passed", 2)
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


def test_outposts_by_hand(game: Game) -> None:
    # The knight on e5 is protected, and no pawn can attack it; once there is one on f7, that can.
    found = check(game, "4k3/8/8/4N3/3P4/8/P7/4K3 w - - 0 1")
    assert found["minor_pieces"] == pytest.approx(worth_of("outpost", 0, 1) / 1.5)
    assert check(game, "4k3/5p2/8/4N3/3P4/8/8/4K3 w - - 0 1")["minor_pieces"] == 0
    assert check(game, "4k3/8/8/4N3/8/8/8/4K3 w - - 0 1")["minor_pieces"] == 0  # no pawn protects it
    found = check(game, "4k3/p7/8/3p4/4b3/8/8/4K3 b - - 0 1")
    assert found["minor_pieces"] == pytest.approx(worth_of("outpost", 1, 1) / 1.5)


def test_threats_by_hand(game: Game) -> None:
    # The rook attacks a knight that nothing protects; first white moves, then black.
    for turn, sign, waits in (("w", 1, 0), ("b", -1, 1)):
        found = check(game, f"4k3/3pp3/8/8/R5n1/8/3PP3/4K3 {turn} - - 0 1")
        worth = worth_of("threat", 8 + 9 * waits, 3) + worth_of("hanging", 1 + 3 * waits, 3)
        assert found["threats"] == pytest.approx(sign * worth / 3)
    # The pawn may step to e5, and would attack the rook there; not if a pawn holds e5, or a king that is alone with it.
    found = check(game, "7k/8/5r2/8/4P3/8/8/4K3 w - - 0 1")
    assert found["threats"] == pytest.approx(worth_of("push", 0, 2) / 3)
    assert check(game, "7k/8/3p1r2/8/4P3/8/8/4K3 w - - 0 1")["threats"] == pytest.approx(0)
    assert check(game, "8/8/3k1r2/8/4P3/8/8/4K3 w - - 0 1")["threats"] == pytest.approx(0)


def test_attack_on_a_king_by_hand(game: Game) -> None:
    # The rook attacks b6, b7 and b8: 3; the queen a6 and b6: 4. Only the king protects these four squares: 4. Both can
    # check where he attacks nothing: 3 each.
    found = check(game, "k7/8/7Q/8/8/8/8/1R2K3 w - - 0 1")
    assert found["king_safety"] == pytest.approx(worth_of("king_attack", 17, 6) / 5)
    # With a rook in the queen's place: 5 and 4, and 3 for checks of rooks, which is halved.
    found = check(game, "k7/8/7R/8/8/8/8/1R2K3 w - - 0 1")
    assert found["king_safety"] == pytest.approx(worth_of("king_attack", 6, 4) / 5)
    assert check(game, "k7/8/7Q/8/8/8/8/4K3 w - - 0 1")["king_safety"] == 0  # one piece is no attack


def test_little_counts_where_a_side_can_hardly_win(game: Game) -> None:
    def ahead(fen: str) -> float:
        return game.evaluate(game.state_from_fen(fen), 0)

    rook = "8/8/3rk3/8/8/3RK3/8/8 w - - 0 1"
    assert abs(ahead(rook.replace("3RK3", "2BRK3"))) < 0.5 * 0.013  # a bishop more, no pawns: a sixteenth counts
    assert ahead(rook.replace("3RK3", "2BRK2P")) > 2 * 0.013
    assert 0 < ahead("8/8/4k3/8/8/3NKN2/8/8 w - - 0 1") < 1 * 0.013  # two knights cannot mate
    assert ahead("8/8/4k3/8/8/3BKB2/8/8 w - - 0 1") > 5 * 0.013
    opposite, same = "8/2p1k3/2b5/8/8/2BPKPP1/8/8 w - - 0 1", "8/2p1k3/3b4/8/8/2BPKPP1/8/8 w - - 0 1"
    shares = [share_of(pieces_of(fen, 0)) for fen in (opposite, same)]  # the squares of the bishops
    assert shares == [0.5, 1]
    check(game, opposite)
    check(game, same)


def test_values_to_begin_with_are_whole() -> None:
    """The tuner writes them, and a group of another size ended it."""
    pytest.importorskip("typer")
    from benchmarks.strength.tune_chess import first_values, text_of

    assert first_values().shape == (2, sum(SIZES.values()))
    found: dict[str, Any] = {}
    exec(text_of(first_values(), "To begin with."), found)
    assert (np.abs(values_of(found["VALUES"]) - 1000 * first_values()) <= 0.5).all()


def test_games_to_tune_by_are_saved_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were saved at the end alone: hours were lost where something killed the run."""
    from benchmarks.strength import tuning_games

    file, there = tmp_path / "new" / "games.npz", dict[int, list[int]]()

    def played(game: Any, player: Any, number: int, seed: int) -> Any:
        there[number] = np.load(file)["positions"]["game"].tolist() if file.exists() else []
        if number == 2 and number not in stopped:
            stopped.append(number)
            raise KeyboardInterrupt
        return np.array([(game.new_state(), 0.0, 0.5, number, True)] * 2, tuning_games.POSITION)

    stopped = list[int]()
    monkeypatch.setattr(tuning_games, "play_game", played)
    arguments: Any = (chess(), None, file, 4, 0)
    assert tuning_games.collect(*arguments, apart=0)["game"].tolist() == [0, 0, 1, 1]
    assert there[1] == [0, 0]
    assert tuning_games.collect(*arguments)["game"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert there[2] == [0, 0, 1, 1]
    assert [one.name for one in file.parent.iterdir()] == ["games.npz"]


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
    with pytest.raises(ValueError, match="threat of chess has 18 terms, got 3 values"):
        by_phase(short)
    with pytest.raises(ValueError, match="lack the group 'tempo'"):
        by_phase({name: value for name, value in VALUES.items() if name != "tempo"})
