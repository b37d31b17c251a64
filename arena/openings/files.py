"""Openings in files: moves or a position in each line, or the first moves of recorded games."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from ...envs import Game, State, make_game
from ...envs.definition.texts import placed
from ...envs.outside.arguments import checked_whole, is_list
from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest, same_spec
from ...envs.starting import position_of, position_text
from ..formats import is_format, read_games
from ..records.files import located, without_mark
from ..records.names import split_name
from ..records.opening import Opening
from .positions import SUFFIXES, read_position

__all__ = ["OpeningsLike", "committed_openings", "openings_of", "read_moves", "read_openings", "write_openings"]

OpeningsLike = str | Path | Sequence[Sequence[int | str] | Opening]

_FOLDER = Path(__file__).parent / "data"
_BALANCED = "balanced"
_NUMBER = re.compile(r"\d+\.+(?=$|[A-Za-z])")  # of a move, as in "1. e4 e5 2.Nf3"


def read_moves(game: Game, text: str, start: State | None = None) -> list[int]:
    """Return the legal moves in a text, in which they are separated by spaces or commas.

    Args:
        game: the game.
        text: names of actions; or their ids, where the game has no action of that name. Numbers of moves, as in
            ``"1. e4 e5 2. Nf3"``, are passed over.
        start: the state before the first move. Default: the initial state.

    Raises:
        ValueError: a move is unknown, illegal, or comes after the end; the message says which.
    """
    state: State = (game.initial[0] if start is None else start).copy()
    moves: list[int] = []
    for word in text.replace(",", " ").split():
        token = _NUMBER.sub("", word, count=1)
        if not token:
            continue
        with placed(len(moves)):
            action = _action(game, state, token)
        is_number = token.isdecimal() and int(token) == action  # else an error names the move as it was typed
        moves.append(game.checked_action(state, action if is_number else token, len(moves)))
        game.play(state, moves[-1])
    return moves


def _action(game: Game, state: State, token: str) -> int:
    try:
        return game.move_of(state, token)
    except ValueError:
        if token.isdecimal() and int(token) < game.num_actions:
            return int(token)
        raise


def openings_of(game: Game, given: OpeningsLike, opening_plies: int | None = None) -> list[Opening]:
    """Return the openings that somebody asks for.

    Args:
        game: the game.
        given: a file, ``"balanced"`` for the committed ones of the game, or the moves of each, or an `Opening`, which
            has a position too.
        opening_plies: how many plies of each; None for all.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there are none, or one is no list, or cannot be played; or there is no such number of plies.
    """
    plies = _checked_plies(game, opening_plies)
    if isinstance(given, str) and given == _BALANCED:
        return [Opening(opening.moves[:plies]) for opening in committed_openings(game)]
    if isinstance(given, (str, Path)):
        return read_openings(given, game, plies)
    if not is_list(given):
        raise ValueError(f"expected openings, each a list of moves, or a file of them, got {shown(given)}")
    openings = []
    for number, one in enumerate(given, start=1):
        try:
            moves, start = one if isinstance(one, Opening) else (one, None)
            if not is_list(moves):
                raise ValueError(f"expected a list of moves, as in [0], got {shown(moves)}")
            openings.append(_open(game, game.line_of(moves, position_of(game, start)), start))
        except ValueError as error:
            raise ValueError(f"opening {number}: {error}") from None
    if not openings:
        raise ValueError("expected openings, each a list of moves, got none")
    return [Opening(moves[:plies], start) for moves, start in openings]


def _checked_plies(game: Game, opening_plies: int | None) -> int | None:
    return None if opening_plies is None else checked_whole("opening_plies", opening_plies, 0, game.max_plies)


def committed_openings(game: Game) -> list[Opening]:
    """Return the openings that come with the package, after which neither side is ahead.

    Raises:
        ValueError: this game has none.
    """
    known = sorted(path.stem for path in _FOLDER.glob("*.txt"))
    if game.spec not in known:
        raise ValueError(
            f"no balanced openings come with the package for {game.spec}: {nearest(game.spec, known)}; "
            "`plyground openings` finds some"
        )
    return read_openings(_FOLDER / f"{game.spec}.txt", game)


def read_openings(path: str | Path, game: Game, opening_plies: int | None = None) -> list[Opening]:
    """Read openings from a file.

    Args:
        path: a text file, with the moves of an opening in each line (names or numbers of actions; what comes after
            ``#`` is skipped); or, ``.epd`` or ``.fen``, with a position in each line, see
            `plyground.arena.openings.positions`; or recorded games, in any format of `plyground.arena.read_games`, of
            which each opening counts once. Their game may have other parameters, such as another komi, if it has the
            same board and the same actions.
        game: the game.
        opening_plies: how many plies of each. Default: all, and of recorded games, what their records call the opening.
            Positions have none.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there are no openings in it, or one is none: of another game, illegal, or a whole game. The message
            has the file and the line, or the number of the game.
    """
    path = Path(path)
    plies = _checked_plies(game, opening_plies)
    if not split_name(path)[0].exists():
        raise FileNotFoundError(f"cannot read {path}: there is no such file")
    if is_format(path):
        openings = _of_records(path, game, plies)
    elif path.suffix.lower() in SUFFIXES:
        openings = _of_lines(path, lambda line: read_position(game, line))
    else:
        openings = _of_lines(path, lambda line: _read_line(game, line, plies))
    if not openings:
        what = "position" if path.suffix.lower() in SUFFIXES else "the moves of one"
        raise ValueError(f"{path} has no openings: expected {what} in each line")
    return openings


def _of_lines(path: Path, read: Callable[[str], Opening | None]) -> list[Opening]:
    openings = list[Opening]()
    try:
        lines = without_mark(path.read_bytes()).decode("utf-8").splitlines()
    except ValueError as error:
        raise located(error, path, 1) from None
    for number, line in enumerate(lines, start=1):
        try:
            opening = read(line)
        except ValueError as error:
            raise located(error, path, number) from None
        if opening is not None:
            openings.append(opening)
    return openings


def _read_line(game: Game, line: str, plies: int | None) -> Opening | None:
    text = line.partition("#")[0].strip()
    return _open(game, read_moves(game, text)[:plies], None) if text else None


def _of_records(path: Path, game: Game, plies: int | None) -> list[Opening]:
    openings: dict[tuple[str | None, tuple[int, ...]], Opening] = {}
    made = cache(make_game)
    for number, record in enumerate(read_games(path), start=1):
        try:
            if not same_spec(record.game, game.source) and not _has_the_moves_of(game, record.game, made):
                raise ValueError(f"it is a game of {record.game}, expected {game.source}")
            if plies is None and not record.opening and record.start is None:
                raise ValueError("its record has no opening: say how many plies, by opening_plies")
            opening = _open(game, record.moves[: record.opening if plies is None else plies], record.start)
        except ValueError as error:
            raise ValueError(f"{path}, game {number}: {error}") from None
        openings.setdefault((opening.start, tuple(opening.moves)), opening)  # each pairing has played it, twice
    return list(openings.values())


def _has_the_moves_of(game: Game, spec: str, made: Callable[[str], Game]) -> bool:
    """Return whether a spec is of the same game with the same board and the same actions.

    How it is scored, and when it is drawn, may differ, as komi, superko and the draws of chess do: an opening is
    replayed by the rules of ``game``. Only a game of the same name is made: a place in a record would be run.
    """
    if spec.partition("(")[0].strip() != game.source.partition("(")[0].strip():
        return False
    other, names = made(spec), game.dtype.names or ()
    return (
        (other.dtype, other.num_actions, other.observation_shape)
        == (game.dtype, game.num_actions, game.observation_shape)
        and other.fixed == game.fixed
        and all(np.array_equal(other.initial[one], game.initial[one]) for one in names if one not in game.fixed)
    )


def _open(game: Game, moves: list[int], start: str | None) -> Opening:
    """Return an opening of these moves, after which a game goes on, with its start in the words of records."""
    state = position_of(game, start)
    if game.is_terminal(game.play_moves(moves, state)):
        raise ValueError(f"the game is over after these {len(moves)} moves")
    return Opening(moves, position_text(game, state))


def write_openings(path: str | Path, game: Game, openings: Iterable[Sequence[int]], heading: str = "") -> None:
    """Write openings into a new text file, a line of moves for each, as `read_openings` reads them.

    Args:
        path: the file.
        game: the game.
        openings: the moves of each.
        heading: lines about them, for the head of the file.
    """
    with open(path, "x", encoding="utf-8") as file:
        file.writelines(f"# {line}\n" for line in heading.splitlines())
        file.writelines(" ".join(game.line_names(moves)) + "\n" for moves in openings)
