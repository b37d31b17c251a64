"""``plyground explain``, as a command of its own."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from plyground.agents.teaching.alphabeta_trace import trace_alphabeta
from plyground.agents.teaching.exercises import alphabeta_exercise, mcts_exercise
from plyground.agents.teaching.mcts_trace import trace_mcts
from plyground.agents.teaching.text import alphabeta_text, mcts_steps, mcts_text
from plyground.agents.teaching.trees import GameNode
from plyground.arena.cli.explain import explain
from plyground.envs import make_game

TREE = "((3 12 8) (2 ? ?) (14 5 2))"


def run(*arguments: str) -> str:
    """Return what the command prints; raise what it raises."""
    app = typer.Typer()
    app.command()(explain)
    result = CliRunner().invoke(app, arguments, catch_exceptions=False, env={"COLUMNS": "60"})
    assert result.exit_code == 0, result.output
    return result.output


def test_tree() -> None:
    text = run("--tree", TREE)
    assert "├─ B MIN  α=3 β=+∞  v≤2  ✂ v ≤ α = 3, which MAX is sure of elsewhere\n" in text
    assert "\n13. B: v ≤ α = 3, which MAX is sure of elsewhere: B2, B3 pruned\n" in text
    assert text.endswith(
        "value 3, best line A A1\n"
        "7 leaves looked at: A1 = 3, A2 = 12, A3 = 8, B1 = 2, C1 = 14, C2 = 5, C3 = 2\n"
        "pruned: B2, B3\n"
    )
    assert "13. B:" not in run("--tree", TREE, "--no-steps")


def test_min_at_the_root_and_plain_minimax() -> None:
    assert "value 8, best line B B3\n" in run("--tree", "((3 12) (2 4 8))", "--root", "min")
    text = run("--tree", "((3 12) (2 4 8))", "--no-pruning")
    assert "5 leaves looked at" in text
    assert "α" not in text


def test_unknown_leaf_that_is_needed() -> None:
    with pytest.raises(ValueError, match="the search has to look at the leaf B2, which is '\\?'"):
        run("--tree", TREE, "--no-pruning")


def test_pictures(tmp_path: Path) -> None:
    assert run("--tree", TREE, "--out", str(tmp_path / "tree.svg")).endswith(f"saved {tmp_path / 'tree.svg'}\n")
    root = ElementTree.parse(tmp_path / "tree.svg").getroot()
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"MAX", "MIN", "A1", "14", "?", "≤2", "[3, +∞]", "#7"} <= set(texts)
    run("--tree", TREE, "--out", str(tmp_path / "tree.png"), "--size", "300")
    with Image.open(tmp_path / "tree.png") as image:
        assert max(image.size) == 300
    run("--exercise", "--kind", "alphabeta", "--no-solution", "--out", str(tmp_path / "question.svg"))
    assert "[-∞, +∞]" not in (tmp_path / "question.svg").read_text()
    run("--exercise", "--kind", "alphabeta", "--out", str(tmp_path / "solution.svg"))
    assert "[-∞, +∞]" in (tmp_path / "solution.svg").read_text()


def test_game() -> None:
    game = make_game("tictactoe")
    state = game.play_moves([0, 4, 8, 1, 7])
    text = run("--game", "tictactoe", "--moves", "0 4 8 1 7", "--depth", "3")
    assert text.startswith(f"{game.text(state)}\nO to move\n\n")
    assert alphabeta_text(trace_alphabeta(GameNode(game, state, 3))) in text
    assert alphabeta_text(trace_alphabeta(GameNode(game, state, 2))) in run("-g", "tictactoe", "--moves", "0 4 8 1 7")


def test_game_with_simulations() -> None:
    game = make_game("tictactoe")
    found = trace_mcts(game, game.play_moves([0, 4, 8, 1, 7]), 12, c=2.0, seed=5)
    options = ["-g", "tictactoe", "--moves", "0 4 8 1 7", "--simulations", "12", "--c", "2", "--seed", "5"]
    text = run(*options)
    assert f"\n\n{mcts_text(found)}\n\n{mcts_steps(found)}\n\n" in text
    assert text.endswith(f"plays {found.best.moves[0]}, of most visits\n")
    assert "Simulation 1" not in run(*options, "--no-steps")


def test_exercises() -> None:
    for kind, make in (("alphabeta", alphabeta_exercise), ("mcts", mcts_exercise)):
        made = make(7)
        question = run("--exercise", "--kind", kind, "--seed", "7", "--no-solution")
        assert question == made.question + "\n"
        both = run("--exercise", "--kind", kind, "--seed", "7")
        assert both == f"{made.question}\n\n{'-' * 40}\nSolution\n\n{made.solution}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give one of --tree, --game and --exercise"),
        (["--tree", TREE, "--game", "tictactoe"], "give one of --tree, --game and --exercise"),
        (["--tree", TREE, "--root", "middle"], "--root must be max or min, got 'middle'"),
        (["--tree", "((3 4)"], r"expected '\)' at the end"),
        (["--exercise", "--kind", "alphabet"], "unknown exercise 'alphabet': did you mean 'alphabeta'"),
        (["--tree", TREE, "--out", "tree.pdf"], "give the file the suffix .svg or .png"),
        (["--game", "tictactoe", "--moves", "0 3 1 4 2"], "the game of tictactoe is over"),
        (["--game", "tictactoe", "--depth", "0"], "--depth must be at least 1, got 0"),
        (["--game", "tictactoe", "--depth", "2", "--simulations", "5"], "not both"),
        (["--game", "tictactoe", "--simulations", "0"], "simulations must be a whole number, at least 1, got 0"),
        (["--game", "connect_four", "--depth", "9"], "more than 10000 nodes"),
        (["--game", "tictactoe", "--out", "tree.svg", "--size", "9"], "--size must be a whole number, from 16 to 8192"),
    ],
)
def test_mistakes(arguments: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(*arguments)


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        run("--tree", TREE, "--out", str(tmp_path / "none" / "tree.svg"))
