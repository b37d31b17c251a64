"""``plyground show``, as a command of its own."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import typer
from PIL import Image
from rich.console import Console
from typer.testing import CliRunner

from plyground.agents import MCTS, AlphaBeta, Analysis
from plyground.arena.cli.analyse import analyse
from plyground.arena.cli.parts.analysis import action_table, print_analysis
from plyground.arena.cli.show import show
from plyground.arena.openings import read_moves
from plyground.envs import BoardGameEnv, make_game
from plyground.envs.render import picture


def run(*arguments: str) -> str:
    """Return what the command prints; raise what it raises."""
    app = typer.Typer()
    app.command()(show)
    result = CliRunner().invoke(app, arguments, catch_exceptions=False, env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    return result.output


def test_text() -> None:
    game = make_game("connect_four")
    assert run("connect_four", "--moves", "3,3 2") == f"{game.text(game.play_moves([3, 3, 2]))}\nplayer_1 to move\n"
    assert run("tictactoe").endswith("X to move\n")
    assert run("tictactoe", "--moves", "0 3 1 4 2").endswith("X won\n")
    assert run("tictactoe", "--moves", "0,3,1,4,8,5").endswith("O won\n")
    assert run("tictactoe", "--moves", "0 4 8 1 7 6 2 5 3").endswith("draw\n")


def test_symbols() -> None:
    game = make_game("chess")
    state = game.play_moves(["e2e4", "e7e5"])
    assert game.board is not None
    assert run("chess", "--moves", "e2e4 e7e5").startswith(f"{game.board.text(state)}\n")
    assert run("chess", "--moves", "e4 e5") == run("chess", "--moves", "e2e4 e7e5")
    shown = run("chess", "--moves", "e2e4 e7e5", "--unicode")
    assert shown.startswith(f"{game.board.text(state, unicode=True)}\n")
    assert "♜" in shown
    assert "r" not in shown.splitlines()[0]
    assert run("tictactoe", "--unicode") == run("tictactoe")  # which has none


def test_analyse() -> None:
    app = typer.Typer()
    app.command()(analyse)
    arguments = ["tictactoe", "--moves", "4 0", "--agent", "alphabeta(depth=9)"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False, env={"COLUMNS": "120"})
    game = make_game("tictactoe")
    assert result.output.startswith(f"{game.text(game.play_moves([4, 0]))}\nX to move\n")
    found = AlphaBeta(game, depth=9).analyse(game.play_moves([4, 0]))
    assert "+0.000 (exact)" in result.output
    assert " ".join(map(str, found.pv)) in result.output
    assert f"{found.nodes:,}" in result.output


@pytest.mark.parametrize(("superko", "allowed"), [("positional", False), ("situational", True)])
def test_a_search_knows_what_the_moves_before_forbid(superko: str, allowed: bool) -> None:
    """Two stones were sent, and one may not be returned where no position may come again."""
    moves = "A2 B1 B2 C2 pass D1 E5 A1 C1"
    options = (f"go(board_size=5, superko='{superko}')", "--moves", moves, "--json")
    asked = json.loads(run(*options, "--overlay", "minimax(depth=1)"))
    assert ("B1" in [one["move"] for one in asked["analysis"]["actions"]]) == allowed
    app = typer.Typer()
    app.command()(analyse)
    result = CliRunner().invoke(app, [*options, "--agent", "minimax(depth=1)"], catch_exceptions=False)
    assert json.loads(result.output)["actions"] == asked["analysis"]["actions"]


@pytest.mark.parametrize("more", [[], ["e2e4"]])
def test_a_game_that_went_on_after_a_third_repetition_is_analysed(more: list[str]) -> None:
    """An environment ends it there; people often play on."""
    moves = [*("g1f3 g8f6 f3g1 f6g8 " * 2).split(), *more]
    shown = json.loads(run("chess", "--moves", " ".join(moves), "--overlay", "alphabeta(depth=1)", "--json"))
    assert len(shown["analysis"]["actions"]) == 20


def test_what_only_some_searches_tell_has_its_place() -> None:
    game = make_game("tictactoe")
    found = Analysis(
        best_action=4,
        value=0.25,
        best_actions=(4,),
        values={4: 0.25, 0: 0.125},
        pv=(4, 0),
        depth=2,
        nodes=1000,
        leaves=0,
        exact=False,
        seconds=0.5,
        visits={4: 3, 0: 1},
        priors={4: 0.75},
        standard_error=0.0625,
        selective_depth=7,
        statistics={"table hits": 12},
    )
    console = Console(width=100, record=True, file=io.StringIO())
    print_analysis(console, game, game.new_state(), found)
    text = console.export_text()
    assert "+0.250 ± 0.062 (estimate)" in text
    assert "2, selectively 7" in text
    assert "0.5 s, 2,000 nodes/s" in text
    assert "table hits" in text
    rows = [line.replace("│", " ").split() for line in text.splitlines() if "│" in line]
    assert rows == [
        ["4", "+0.250", "3", "75.0%", "75.0%", "estimate"],
        ["0", "+0.125", "1", "25.0%", "0.0%", "estimate"],
    ]


def test_moves_are_names_or_numbers() -> None:
    othello = make_game("othello")
    assert read_moves(othello, "d3, c3 c4") == [othello.str_to_action(name) for name in ("d3", "c3", "c4")]
    assert read_moves(othello, f"{othello.str_to_action('d3')} c3") == read_moves(othello, "d3 c3")
    assert read_moves(othello, " ") == []
    assert read_moves(othello, "1. d3 c3 2.c4 2... 3...") == read_moves(othello, "d3 c3 c4")
    with pytest.raises(ValueError, match=r"has no action '1\.5'"):
        read_moves(othello, "1.5")
    assert read_moves(make_game("go_9x9"), "E5,C3 pass") == [40, 56, 81]
    tictactoe = make_game("tictactoe")
    shifted = tictactoe.replace(action_to_str=lambda action: str(action + 1))
    assert read_moves(shifted, "1 9") == [0, 8]  # a name goes before a number
    assert read_moves(shifted, "9 0") == [8, 0]


def test_moves_that_cannot_be_played() -> None:
    tictactoe = make_game("tictactoe")
    with pytest.raises(ValueError, match=r"^move at index 1: tictactoe has no action 'x'"):
        read_moves(tictactoe, "0 x")
    with pytest.raises(ValueError, match=r"^move at index 2: the move 'e4' is illegal here"):
        read_moves(make_game("chess"), "1. e4 e5 2. e4")
    with pytest.raises(ValueError, match="tictactoe has no action '9'"):
        read_moves(tictactoe, "9")
    with pytest.raises(ValueError, match="move 0 at index 1 is illegal in tictactoe"):
        read_moves(tictactoe, "0 0")
    with pytest.raises(ValueError, match="comes after the end"):
        read_moves(tictactoe, "0 3 1 4 2 5")
    shifted = tictactoe.replace(action_to_str=lambda action: str(action + 1))
    with pytest.raises(ValueError, match="move '9' at index 1 is illegal in tictactoe: expected one of 1, 2, 3, 4, 5"):
        read_moves(shifted, "9 9")
    with pytest.raises(ValueError, match=r"move 0 at index 1 is illegal in tictactoe: expected one of \[1, 2, 3"):
        read_moves(shifted, "0 0")


def test_an_illegal_move_is_told_as_it_was_typed() -> None:
    expected = "move 'e2e5' at index 0 is illegal in chess: expected one of a2a3, a2a4, "
    with pytest.raises(ValueError, match=expected):
        run("chess", "--moves", "e2e5")
    with pytest.raises(ValueError, match=expected):
        BoardGameEnv("chess").reset(options={"moves": ["e2e5"]})
    go = make_game("go_9x9")
    with pytest.raises(ValueError, match=r"move 'E5' at index 1 is illegal in go: expected one of A9, .* and 51 more$"):
        go.play_moves(["E5", "E5"])
    with pytest.raises(ValueError, match=r"move 40 at index 1 is illegal in go: expected one of \[0, 1, .*, 81\]$"):
        go.play_moves([40, 40])


def test_table_of_a_search() -> None:
    output = run("connect_four", "--moves", "3 0 3 0 3", "--overlay", "mcts(simulations=400, seed=0)")
    rows = [line.replace("│", " ").split() for line in output.splitlines() if "│" in line]
    assert sorted(row[0] for row in rows) == [str(column) for column in range(7)]
    assert rows[0][0] == "3"  # Red threatens to have four there
    assert sum(int(row[2]) for row in rows) == 400
    assert rows[0][3] == f"{int(rows[0][2]) / 400:.1%}"
    assert "share" in output
    assert "player_1 to move" in output
    assert "(estimate)" in output
    assert "best line" in output
    exact = run("tictactoe", "--moves", "0 3 1 4", "--overlay", "minimax")
    assert "+1.000 (exact)" in exact
    assert "share" not in exact


def test_rows_of_the_table() -> None:
    game = make_game("gomoku")
    found = Analysis(
        best_action=7,
        value=0.5,
        best_actions=(7,),
        values={action: action / 1000 for action in range(30)},
        pv=(7,),
        depth=1,
        nodes=30,
        leaves=29,
        exact=False,
        seconds=0.1,
        visits={7: 50, 3: 25, 4: 25},
    )
    table = action_table(game, game.new_state(), found)
    names, values, visits, shares, kinds = (list(column.cells) for column in table.columns)
    assert names[:4] == [game.action_to_str(action) for action in (7, 4, 3, 29)]
    assert values[:4] == ["+0.007", "+0.004", "+0.003", "+0.029"]
    assert visits[:4] == ["50", "25", "25", "0"]
    assert shares[:4] == ["50.0%", "25.0%", "25.0%", "0.0%"]
    assert len(names) == 20
    assert set(kinds) == {"estimate"}
    assert table.caption == "and 10 more"


def test_pictures(tmp_path: Path) -> None:
    game = make_game("connect_four")
    out = tmp_path / "board.svg"
    assert run("connect_four", "--moves", "3 3", "--out", str(out), "--size", "300") == f"saved {out}\n"
    drawn = picture(game, game.play_moves([3, 3]), last=(game.play_moves([3]), 3), caption="player_0 to move")
    assert out.read_text(encoding="utf-8") == drawn.to_svg(300)
    out = tmp_path / "board.png"
    run("connect_four", "--moves", "3 3", "--out", str(out), "--size", "300")
    with Image.open(out) as image:
        assert (np.array(image) == drawn.to_array(300)).all()
    run("checkers", "--moves", "11-15", "--size", "200", "--overlay", "mcts(simulations=50)", "--out", str(out))
    with Image.open(out) as image:
        assert max(image.size) == 200
    out = tmp_path / "start.svg"
    run("connect_four", "--out", str(out), "--overlay", "mcts(simulations=200, seed=0)")
    texts = [
        element.text or "" for element in ElementTree.parse(out).getroot().iter("{http://www.w3.org/2000/svg}text")
    ]
    found = MCTS(game, simulations=200, seed=0).analyse(game.new_state())
    assert f"{found.visits[found.best_action] / 200:.0%}" in texts


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"board.jpg': give the file the suffix .svg or .png"):
        run("tictactoe", "--out", str(tmp_path / "board.jpg"))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        run("tictactoe", "--out", str(tmp_path / "none" / "board.svg"))
    with pytest.raises(ValueError, match="'random' does not search, so it has nothing to show"):
        run("tictactoe", "--overlay", "random")
    with pytest.raises(ValueError, match="the game of tictactoe is over, there is nothing to search"):
        run("tictactoe", "--moves", "0 3 1 4 2", "--overlay", "minimax")
    picture = "--out", str(tmp_path / "board.svg"), "--size", "9000"
    with pytest.raises(ValueError, match="--size must be a whole number, from 16 to 8192, got 9000"):
        run("tictactoe", *picture, "--overlay", "mcts(simulations=10000000000)")  # which would take long
    assert list(tmp_path.iterdir()) == []
