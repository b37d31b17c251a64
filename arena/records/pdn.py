"""Checkers games in Portable Draughts Notation, PDN 3.0 (https://github.com/wiegerw/pdn), ``GameType`` 21.

Black begins. The result is black's points, then white's, as in the Open Checkers Archive: ``1-0`` is a win for black.
(Some write it the other way round, as in chess; a file does not tell.)

A move is written as its first and last square, ``15x29``; where that could be several moves, and where a game breaks
off in the middle of one, with all its squares, ``15x22x29``. The reader takes both, and jumps given one by one, ``15x22
22x29``, as in the first description of PDN (A. Millett, 1995). It skips comments ``{…}``, ``; …`` and ``% …``,
variations ``(…)``, ``$n``, ``!`` and ``?``.

The tag ``Plyground`` holds the notes of `plyground.arena.records.replay`. A game without this tag is read as
``checkers``, and its result is believed; without a result it is ``"truncated"``, unless our rules know better. Event,
date and the like are not kept.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...envs import make_game
from .fen import read_fen
from .pdn_moves import notation, resolve
from .record import GameRecord
from .replay import Replay, legal_moves, read_notes, write_notes

__all__ = ["read_pdn", "write_pdn"]

_WIDTH = 80
_RESULTS = {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (1, 1), "2-0": (2, 0), "0-2": (0, 2), "1-1": (1, 1), "*": None}
_TOKEN = re.compile(
    r"""(?P<skipped> \s+ | \{[^}]*\} | (?:;|^%)[^\n]* | \$\d+ | \(?[!?]+\)? | \.\.\. )
    | \[ \s* (?P<tag>\w+) \s* "(?P<value>(?:[^"\\]|\\.)*)" \s* \]
    | (?P<bracket> [()] )
    | (?P<result> (?:1/2-1/2|[012]-[012])(?!\d) | \* )
    | (?P<number> \d+\.+ )
    | (?P<move> \d+(?:[-x:]\d+)+ )[!?*]*
    """,
    re.VERBOSE | re.MULTILINE,
)


@dataclass
class _Text:
    """A game as the file has it."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, str]] = field(default_factory=list)  # each with the number before it, for messages
    result: str = "*"


def write_pdn(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add games to a PDN file, one after the other as they come.

    Raises:
        ValueError: the game is not checkers, or a move is illegal. Nothing of that game is written.
    """
    with open(path, "a", encoding="utf-8") as file:
        for record in records:
            file.write(_serialise(record))
            file.flush()


def read_pdn(path: str | Path, game: str = "checkers") -> Iterator[GameRecord]:
    """Yield the games of a PDN file.

    Args:
        path: the file.
        game: the rules of games without notes, for example ``"checkers(max_quiet_plies=255)"``.

    Raises:
        ValueError: a game cannot be read: another kind of draughts, another initial position, a move that is illegal or
            ambiguous, or something that is no PDN. The message names the file, the game by its number, and the reason.
    """
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("iso-8859-1")  # as in old archives
    number = 0
    games = _games(text)
    while True:
        number += 1
        try:
            found = next(games, None)
            if found is None:
                break
            record = _record(found, game)
        except ValueError as error:
            raise ValueError(f"{path}, game {number}: {error}") from None
        yield record
    if number == 1:
        raise ValueError(f"{path} has no game: expected PDN, such as '1. 11-15 23-19 *'")


# -- writing -----------------------------------------------------------------------------------------------------------


def _serialise(record: GameRecord) -> str:
    if record.game.partition("(")[0] != "checkers":
        raise ValueError(f"PDN files hold checkers, got {record.game!r}: write a .jsonl or .sgf file")
    game = make_game(record.game)
    replay = Replay(game)
    turns: list[str] = []
    jumps: list[int] = []  # of the move that is being made
    before = replay.state.copy()
    for action in legal_moves(record):
        player = replay.player
        replay.play(action, game.action_to_str(action) if 0 <= action < game.num_actions else str(action))
        jumps.append(action)
        if replay.player != player or not replay.legal:
            turns.append(notation(game, before, jumps))
            before, jumps = replay.state.copy(), []
    if jumps:
        turns.append(notation(game, before, jumps))

    tags = {
        "Event": "plyground",
        "Black": record.players[0],
        "White": record.players[1],
        "Result": _result(record, replay.player),
        "GameType": "21",
        "Plyground": write_notes(record),
    }
    lines = [f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items()]
    moves = [f"{turn // 2 + 1}. {text}" if turn % 2 == 0 else text for turn, text in enumerate(turns)]
    # A number stays with its move: `fill` breaks at blanks only.
    body = textwrap.fill(
        " ".join(move.replace(" ", "\0") for move in [*moves, "*"]),
        _WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "".join([*lines, "\n", body.replace("\0", " "), "\n\n"])


def _result(record: GameRecord, player: int) -> str:
    """Return the result; ``player`` is the one to move at the end."""
    if record.ending == "truncated":
        return "*"
    balance = 2 * player - 1 if record.ending == "illegal" else record.outcome[0] - record.outcome[1]
    return "1/2-1/2" if balance == 0 else "1-0" if balance > 0 else "0-1"


def _escaped(text: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", " ".join(text.split()))


# -- reading -----------------------------------------------------------------------------------------------------------


def _games(text: str) -> Iterator[_Text]:
    """Yield the games of a file. A game ends with a result, or where the tags of another begin."""
    game, number, depth, position = _Text(), "", 0, 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            line = text.count("\n", 0, position) + 1
            raise ValueError(f"cannot read {text[position : position + 20]!r} in line {line}: expected a move or a tag")
        position = token.end()
        if bracket := token["bracket"]:
            depth += 1 if bracket == "(" else -1
            if depth < 0:
                raise ValueError(f"a ')' without '(' in line {text.count(chr(10), 0, position) + 1}")
        elif depth > 0:
            continue  # inside a variation
        elif token["tag"]:
            if game.moves:
                yield game
                game, number = _Text(), ""
            game.tags[token["tag"]] = re.sub(r"\\(.)", r"\1", token["value"])
        elif token["number"]:
            number = token["number"]
        elif token["move"]:
            game.moves.append((number, token["move"]))
        elif (result := token["result"]) and (game.tags or game.moves):
            game.result = result
            yield game
            game, number = _Text(), ""
    if depth:
        raise ValueError("a '(' without ')'")
    if game.tags or game.moves:
        yield game


def _record(text: _Text, spec: str) -> GameRecord:
    tags = text.tags
    kind = tags.get("GameType", "21").split(",")[0].strip()
    if kind != "21":
        raise ValueError(f"GameType {tags['GameType']!r} is not read here: expected 21, English draughts")
    if "FEN" in tags and not _is_initial(tags["FEN"]):
        raise ValueError(
            f"FEN {tags['FEN']!r}: set-up positions are not supported, a record begins from the initial position"
        )
    notes, game = None, make_game(spec)
    if "Plyground" in tags:
        notes, game = read_notes(tags["Plyground"], ["checkers"])
    replay = Replay(game)
    for number, move in text.moves:
        label = f"{number} {move}".strip()
        squares = [int(square) for square in re.findall(r"\d+", move)]
        if not replay.legal:
            raise ValueError(f"move {label} comes after the end of the game of {game.spec}")
        try:
            actions = resolve(game, replay.state, squares)
        except ValueError as error:
            raise ValueError(f"move {label} {error}") from None
        for action in actions:
            replay.play(action, label)
    result = _read_result(tags.get("Result", "*"), text.result)
    return replay.record([tags.get("Black") or "Black", tags.get("White") or "White"], result, notes)


def _read_result(tag: str, end: str) -> float | None:
    """Return what the tag and the end of the moves say: +1 for black, -1 for white, 0 for a draw, None for nothing."""
    if tag == "?":
        tag = "*"
    for text in (tag, end):
        if text not in _RESULTS:
            raise ValueError(f"the result {text!r} cannot be read: expected {', '.join(_RESULTS)}")
    points = _RESULTS[tag] or _RESULTS[end]
    if _RESULTS[end] not in (None, points):
        raise ValueError(f"the results {tag!r}, in the tags, and {end!r}, after the moves, differ")
    if points is None:
        return None
    return float((points[0] > points[1]) - (points[0] < points[1]))


def _is_initial(fen: str) -> bool:
    game = make_game("checkers")
    try:
        return bool(read_fen(game, fen) == game.new_state())
    except ValueError:
        return False
