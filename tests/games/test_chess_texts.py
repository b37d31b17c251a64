"""Chess as text: FEN, UCI and SAN against python-chess, errors, texts with mistakes, and boards."""

from __future__ import annotations

import random
from typing import Any

import pytest

from plyground.arena.cli.parts.boards import drawn
from plyground.envs import chess, chess_v0, make_game
from plyground.envs.games.chess.fen import fen_of, read_fen
from plyground.envs.games.chess.san import read_san, san_of

pychess = pytest.importorskip("chess")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
PROMOTION = "3n3k/2P1P3/8/8/8/8/8/K7 w - - 0 1"


def random_positions(count: int, seed: int, plies: int = 60) -> list[Any]:
    """Return boards of random games."""
    rng, boards = random.Random(seed), []
    while len(boards) < count:
        board = pychess.Board()
        for _ in range(rng.randrange(plies)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            boards.append(board)
    return boards


class TestSan:
    @pytest.mark.rules
    def test_names_are_those_of_python_chess(self) -> None:
        game = chess()
        boards = random_positions(3, 0) + [
            pychess.Board(fen)
            for fen in (
                PROMOTION,
                "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
                "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
                "2k5/8/8/Q6Q/8/8/8/Q5K1 w - - 0 1",
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            )
        ]
        for board in boards:
            state = read_fen(board.fen())
            for move in board.legal_moves:
                action, san = game.move_of(state, move.uci()), board.san(move)
                assert san_of(game, state, action) == san
                assert read_san(game, state, san) == action

    @pytest.mark.rules
    def test_what_is_written_elsewhere_is_read(self) -> None:
        game = chess()
        state = game.new_state()
        for text in ("Nf3", "Ngf3", "Ng1f3", "Ng1-f3", "Nf3!?", "Nf3+", "Nf3++ !! e.p.", " Nf3 "):
            assert game.move_name(state, read_san(game, state, text)) == "g1f3"
        castling = read_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        for text in ("O-O", "0-0", "o-o", "OO"):
            assert game.move_name(castling, read_san(game, castling, text)) == "e1g1"
        promotion = read_fen(PROMOTION)
        for text in ("exd8=Q+", "exd8Q", "ed8=Q", "e7xd8(Q)"):
            assert game.move_name(promotion, read_san(game, promotion, text)) == "e7d8q"

    @pytest.mark.rules
    @pytest.mark.parametrize(
        ("fen", "text", "message"),
        [
            (START, "e5", "is illegal here"),
            (START, "castle", "names no move"),
            (START, "O-O", "is illegal here"),
            (START, "", "names no move"),
            pytest.param(START, "e4" + "!" * 10_000 + "x", "names no move", id="many marks"),
            pytest.param(START, "e4" + "e.p." * 10_000 + "x", "names no move", id="many words"),
            (PROMOTION, "c8", "does not say what the pawn becomes: write c8=Q"),
            ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Nd2", "ambiguous: Nbd2, Nfd2 are legal"),
        ],
    )
    def test_errors(self, fen: str, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            read_san(chess(), read_fen(fen), text)


class TestUci:
    @pytest.mark.rules
    def test_a_promotion_needs_its_piece(self) -> None:
        game, state = chess(), read_fen(PROMOTION)
        assert game.move_name(state, game.move_of(state, "c7c8q")) == "c7c8q"
        assert game.move_name(state, game.move_of(state, "e7d8n")) == "e7d8n"
        with pytest.raises(ValueError, match="write c7c8q for a queen"):
            game.move_of(state, "c7c8")
        with pytest.raises(ValueError, match="no pawn moves so"):
            game.move_of(read_fen("8/2R5/8/8/8/8/7k/K7 w - - 0 1"), "c7c8q")

    @pytest.mark.rules
    @pytest.mark.parametrize("text", ["", "e2", "e2e9", "i2i4", "e2d5", "e2e4q", "a1#0000", "a1#80", "e7e8k", "pass"])
    def test_what_is_no_move(self, text: str) -> None:
        with pytest.raises(ValueError, match="chess has no action"):
            chess().str_to_action(text)

    @pytest.mark.rules
    def test_every_action_has_a_name(self) -> None:
        game = chess()
        names = [game.action_to_str(action) for action in range(game.num_actions)]
        assert len(set(names)) == 4672
        assert [game.str_to_action(name) for name in names] == list(range(4672))
        assert sum("#" not in name for name in names) == 1792 + 66  # moves of queens and knights, underpromotions

    @pytest.mark.rules
    def test_moves_are_read_in_san_as_well(self) -> None:
        game = chess()
        moves = ["e4", "e7e5", "Nf3", "Nc6", "Bc4", "Bc5", "0-0"]
        state = game.play_moves(moves)
        assert game.fen(state).startswith("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5")
        assert game.line_of(moves)[-1] == game.str_to_action("e1g1")
        with pytest.raises(ValueError, match=r"^move at index 7: the move 'Nc3' is illegal here"):
            game.play_moves([*moves, "Nc3"])
        with pytest.raises(ValueError, match="chess has no action 'castle': expected a name such as e2e4, "):
            game.move_of(state, "castle")
        is_960 = chess(chess960=518)
        assert is_960.fen(is_960.play_moves(moves)) == game.fen(state)
        with pytest.raises(ValueError, match="chess has no action 'castle': expected a name such as e2e4"):
            game.move_of(state, "castle")
        with pytest.raises(ValueError, match="write c7c8q for a queen"):
            game.move_of(read_fen(PROMOTION), "c7c8")
        assert game.move_name(read_fen(PROMOTION), game.move_of(read_fen(PROMOTION), "c8=N")) == "c7c8n"

    def test_moves_of_both_sides_begin_a_game(self) -> None:
        env = chess_v0.env()
        env.reset(options={"moves": ["e2e4", "e7e5", "g1f3"]})
        assert env.game.fen(env.infos["player_0"]["state"]).startswith(
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b"
        )
        with pytest.raises(ValueError, match="index 1 is illegal"):
            env.reset(options={"moves": ["e2e4", "e2e4"]})


class TestFen:
    @pytest.mark.rules
    def test_positions_come_back(self) -> None:
        for board in random_positions(20, 1, 120):
            state = read_fen(board.fen())
            assert fen_of(state, board.fullmove_number) == board.fen()
            assert chess().is_valid(state)

    @pytest.mark.rules
    @pytest.mark.parametrize(
        ("fen", "message"),
        [
            ("", "it has 0 fields"),
            ("zz", "it has 1 field:"),
            (START.replace(" w ", " x "), "the side to move must be w or b"),
            (START.replace("/8/8", "/8", 1), "it has 7 ranks"),
            (START.replace("/8/", "/44/", 1), "two digits side by side"),
            (START.replace("/8/", "/7/", 1), "rank 6 has 7 squares"),
            (START.replace("/8/", "/7x/", 1), "rank 6 has 'x'"),
            (START.replace("PPPPPPPP", "PPPPPPPPP"), "rank 2 has 9 squares"),
            (START.replace("K", "\u212a", 1), "rank 1 has '\u212a'"),  # the sign of Kelvin, k in lower case
            (START.replace("K", "Q", 1), "white has 0 kings"),
            (START.replace("q", "k", 1), "black has 2 kings"),
            (START.replace("/8/", "/P7/", 1), "17 pieces, 9 of them pawns"),
            ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn stands on a8"),
            ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "needs a rook of white"),
            ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "needs the king of white on e1"),
            (START.replace("KQkq", "KK"), "name a side of white twice"),
            (START.replace("KQkq", "X"), "castling rights must be some of KQkq"),
            ("4k3/8/8/8/8/8/8/3K4 w X - 0 1", "castling rights must be some of KQkq"),
            ("3k4/8/8/8/8/8/8/R3K2R w KQ- - 0 1", "castling rights must be some of KQkq"),
            ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "black is in check, and it is not black's move"),
            ("8/8/8/8/8/8/3k4/4K3 w - - 0 1", "black is in check"),
            (START.replace(" - ", " e3 "), "must be on rank 6"),
            (START.replace(" - ", " e6 "), "no pawn has just moved over e6"),
            ("4k3/4p3/8/4pP2/8/8/8/4K3 w - e6 0 1", "no pawn can have moved over e6 from e7"),
            (START.replace("0 1", "256 1"), "must be 0 to 255"),
            (START.replace("0 1", "-1 1"), "must be 0 to 255"),
            (START.replace("0 1", "0 x"), "number of the move"),
            (START.replace("0 1", "0 100000"), "a whole number of at most 5 digits, got '100000'"),
            (START.encode(), "cannot be read: expected text, as in '"),
            ("4k3/8/8/8/8/8/8/r3K2r w - - 0 1", "no single move"),
        ],
    )
    def test_errors(self, fen: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            read_fen(fen)

    @pytest.mark.rules
    def test_counts_are_believed_as_python_chess_believes_them(self) -> None:
        """No game has a pawn that has just moved after 7 quiet plies."""
        fen = "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 7 3"
        assert pychess.Board(fen).is_valid()
        state = make_game("chess").state_from_fen(fen)  # which also asks is_valid
        assert (int(state.quiet), fen_of(state, 3)) == (7, fen)
        assert "e4d3" in [make_game("chess").move_name(state, action) for action in make_game("chess").actions(state)]

    @pytest.mark.rules
    def test_mistakes_are_found_where_python_chess_finds_them(self) -> None:
        assert mutations(150, 3) > 5

    @pytest.mark.slow
    def test_many_mistakes(self) -> None:
        assert mutations(10_000, 4) > 300
        assert mutations(3000, 5, is_960=True) > 100

    @pytest.mark.rules
    @pytest.mark.parametrize(
        "fen",
        [
            START.replace("q", "k", 1),
            "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 101 90",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 -1",
            "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        ],
    )
    def test_an_error_changes_nothing(self, fen: str) -> None:
        env = chess_v0.env()
        env.reset(options={"moves": ["e2e4"]})
        before = env.last()[4]["state"].copy(), env.agent_selection, list(env.moves)
        for options in ({"fen": fen}, {"fen": fen, "moves": ["e1e2"]}):
            with pytest.raises(ValueError, match=r"\Athe position .* cannot be read: [^\n]+\Z"):
                env.reset(options=options)
            assert (env.last()[4]["state"], env.agent_selection, list(env.moves)) == before
        env.step(env.game.move_of(env.last()[4]["state"], "e7e5"))

    @pytest.mark.rules
    def test_what_is_no_text_of_a_position(self) -> None:
        rng = random.Random(6)
        signs = [*"/ wKQkq-0123456789pPkK", "\x00", "\n", "²", "٣", "é", "♔", "\ud800"]
        for _ in range(2000):
            text = "".join(rng.choices(signs, k=rng.randrange(80)))
            with pytest.raises(ValueError, match="cannot be read"):
                read_fen(text)
        for given in (None, 3, b"8/8", ["8/8"]):
            with pytest.raises(ValueError, match="cannot be read: expected text, as in"):
                read_fen(given)  # pyright: ignore[reportArgumentType]

    @pytest.mark.rules
    @pytest.mark.parametrize("text", ["8/" * 100_000, f"{'k' * 100_000}/8/8/8/8/8/8/8 w - - 0 1"])
    def test_an_error_quotes_no_whole_file(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"\Athe position '.{20,220}' cannot be read: .{10,220}\Z"):
            read_fen(text)

    def test_a_game_begins_at_a_position(self) -> None:
        env = chess_v0.env()
        env.reset(options={"fen": "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "moves": ["e1g1"]})
        assert env.agent_selection == "player_1"
        assert env.game.fen(env.infos["player_1"]["state"]) == "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"
        with pytest.raises(ValueError, match="has 0 kings"):
            env.reset(options={"fen": "8/8/8/8/8/8/8/8 w - - 0 1"})
        with pytest.raises(ValueError, match="both say where the game starts"):
            env.reset(options={"fen": START, "state": env.game.new_state()})
        with pytest.raises(ValueError, match="must be 0 to 100"):
            env.reset(options={"fen": START.replace("0 1", "101 90")})


class TestBoards:
    @pytest.mark.rules
    def test_a_king_in_check_has_a_plus_sign_behind_it(self) -> None:
        game = chess()
        state = game.play_moves(["e2e4", "f7f5", "d1h5"])
        assert game.text(state).splitlines() == [
            "8 r n b q k+b n r",
            "7 p p p p p . p p",
            "6 . . . . . . . .",
            "5 . . . . . p . Q",
            "4 . . . . P . . .",
            "3 . . . . . . . .",
            "2 P P P P . P P P",
            "1 R N B . K B N R",
            "  a b c d e f g h",
        ]
        assert game.board is not None
        assert game.board.text(state, unicode=True).splitlines()[0] == "8 ♜ ♞ ♝ ♛ ♚+♝ ♞ ♜"
        game.play(state, game.move_of(state, "g7g6"))
        assert "+" not in game.text(state)

    @pytest.mark.rules
    @pytest.mark.parametrize(
        ("fen", "row"),
        [
            ("8/1k6/8/8/8/8/8/r6K w - - 0 1", "1 r . . . . . . K+"),  # at the end of a row
            ("4k3/8/8/8/8/8/4R3/K7 b - - 0 1", "8 . . . . k+. . ."),  # after a turn of the board
            ("5R1k/8/6K1/8/8/8/8/8 b - - 0 1", "8 . . . . . R . k+"),
        ],
    )
    def test_the_mark_stands_beside_the_king_and_moves_nothing(self, fen: str, row: str) -> None:
        game = chess()
        assert row in game.text(game.state_from_fen(fen)).splitlines()

    def test_people_who_play_see_it_too(self) -> None:
        game = chess()
        before = game.play_moves(["e2e4", "f7f5"])
        move = game.move_of(before, "d1h5")
        lines = drawn(game, game.play_moves([move], before), (before, move)).plain.splitlines()
        assert lines[0] == "8 r  n  b  q  k+ b  n  r  8"
        assert lines[3] == "5 .  .  .  .  .  p  . [Q] 5"

    def test_in_minichess_it_is_the_same(self) -> None:
        game = make_game("minichess")
        state = game.state_from_fen("k4/5/R4/5/4K b - - 0 1")
        assert game.text(state).splitlines()[0] == "5 k+. . . ."


def mutations(count: int, seed: int, is_960: bool = False) -> int:
    """Change characters of positions, compare what is legal, and return how many were."""
    rng, legal = random.Random(seed), 0
    fens = positions_of_960(40, seed) if is_960 else [board.fen() for board in random_positions(40, seed)]
    for _ in range(count):
        text = list(rng.choice(fens))
        for _ in range(rng.randrange(1, 3)):
            place = rng.randrange(len(text))
            text[place : place + rng.randrange(2)] = rng.choice(["", *"12345678/pnbrqkPNBRQK w-abcdefghACH"])
        fen = "".join(text)
        try:
            ours = fen_of(read_fen(fen, is_960), is_960=is_960)
        except ValueError:
            ours = None
        assert (ours is not None) == is_legal(fen, is_960), fen
        if ours is not None:
            board = pychess.Board(ours, chess960=is_960)
            assert ours.split()[:5] == board.fen(en_passant="legal").split()[:5]
        legal += ours is not None
    return legal


def positions_of_960(count: int, seed: int) -> list[str]:
    """Return positions of random games of Chess960, half of them with castling rights as files."""
    rng, fens = random.Random(seed), []
    while len(fens) < count:
        board = pychess.Board.from_chess960_pos(rng.randrange(960))
        for _ in range(rng.randrange(50)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        fens.append(board.fen(shredder=rng.random() < 0.5))
    return fens


def is_legal(fen: str, is_960: bool = False) -> bool:
    """Return whether python-chess takes a position, and reads all of it as it is written."""
    fields = fen.split()
    if not 4 <= len(fields) <= 6 or not all(number.isdigit() and int(number) < 256 for number in fields[4:5]):
        return False
    fields[2] = "".join(sorted(fields[2]))  # white's first: we read them in any order
    try:
        board = pychess.Board(" ".join(fields), chess960=is_960)
    except ValueError:
        return False
    rights = len(fields[2]) if fields[2] != "-" else 0
    return board.is_valid() and rights == board.castling_rights.bit_count()  # none is named twice
