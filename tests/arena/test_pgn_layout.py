"""How PGN may be laid out: empty lines, and tags on a line. What belongs to one game, and what begins another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.arena.test_pgn import read
from tests.helpers.pgn_games import uci_of


@pytest.mark.parametrize(
    "moves",
    [
        "1. e4 e5\n\n2. Nf3 1-0",
        "1. e4\n\n1... e5\n \n% escaped\n; said\n\n2. Nf3\n\n1-0",
        "1. e4 e5 (1... c5\n\n2. d4) {a comment}\n\n2. Nf3 1-0",
    ],
)
def test_an_empty_line_ends_no_game(moves: str, tmp_path: Path) -> None:
    """The first half was a game that was finished by the tag, and the other half was left out."""
    for text in (f'[Result "1-0"]\n\n{{to begin with}}\n\n{moves}', moves):
        one, two, three = read(tmp_path, f"{text}\n\n1. d4 *\n\n\n{text}")
        for found in (one, three):
            assert uci_of(found) == ["e2e4", "e7e5", "g1f3"]
            assert (found.outcome, found.ending) == ([1.0, -1.0], "finished")
        assert uci_of(two) == ["d2d4"]


@pytest.mark.parametrize("between", ["\n\n", "\n\n \n\n", "\n; said\n\n% escaped\n\n", "\n\n{said}\n\n", ""])
def test_empty_lines_between_tags_and_moves(between: str, tmp_path: Path) -> None:
    """Two of them ended the game: it was a win by its tag without any moves, which were another game's."""
    game = f'[White "a"]\n[Result "1-0"]\n{between}1. e4 e5 1-0\n'
    for found in read(tmp_path, f"{game}\n\n{game}"):
        assert uci_of(found) == ["e2e4", "e7e5"]
        assert (found.players, found.outcome, found.ending) == (["a", "Black"], [1.0, -1.0], "finished")
    one, two = read(tmp_path, f'[White "b"]\n\n\n{game}')  # which has no moves
    assert [(found.players[0], len(found.moves)) for found in (one, two)] == [("b", 0), ("a", 2)]


def test_several_tags_on_a_line(tmp_path: Path) -> None:
    tags = r'[White "a \"] [Black \"b\""][Result "1-0"] [ Black"c]" ]'
    one, two = read(tmp_path, f'{tags}\n[Round "3"]\n\n1. e4 e5 1-0\n{tags}\n\n\n1. d4 1-0')
    for found in (one, two):
        assert (found.players, found.outcome) == (['a "] [Black "b"', "c]"], [1.0, -1.0])
    assert (uci_of(one), uci_of(two)) == (["e2e4", "e7e5"], ["d2d4"])
    one, two = read(tmp_path, '1. e4 e5 1-0\n[White "a"][Black "b"]\n1. d4 *')
    assert two.players == ["a", "b"]


def test_tags_begin_a_game_whether_the_one_before_has_a_result_or_not(tmp_path: Path) -> None:
    one, two = read(tmp_path, '[White "a"]\n\n1. e4\n\n\n[White "b"]\n\n1. d4\n\nd5\n')
    assert (uci_of(one), uci_of(two)) == (["e2e4"], ["d2d4", "d7d5"])
