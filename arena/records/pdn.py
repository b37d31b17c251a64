"""Checkers games in Portable Draughts Notation, PDN 3.0 (https://github.com/wiegerw/pdn), ``GameType`` 21.

Black begins. The result is black's points, then white's, as in the Open Checkers Archive: ``1-0`` is a win for black.
(Some write it the other way round, as in chess; a file does not tell.)

A move is written as its first and last square, ``15x29``; where that could be several moves, and where a game breaks
off in the middle of one, with all its squares, ``15x22x29``. The reader takes both, and jumps given one by one, ``15x22
22x29``, as in the first description of PDN (A. Millett, 1995). It skips comments ``{…}``, ``; …`` and ``% …``,
variations ``(…)``, ``$n``, ``!`` and ``?``.

A game from another position has the tags ``SetUp`` and ``FEN``, see `plyground.envs.games.checkers_fen`.

The tag ``Plyground`` holds the notes of `plyground.arena.records.replay`. A game without this tag is read as
``checkers``, and its result is believed, for people resign, unless the board shows another winner; without a result it
is ``"truncated"``, unless our rules know better. Event, site, date, round and time control are written, and all but
the last read, as in PGN.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby, islice, pairwise
from operator import itemgetter
from pathlib import Path

from ...envs import Game, make_game
from ...envs.outside.messages import cut, shown
from .files import CUT_OFF, Fault, Lines, Watch, add_texts, decoded, ignored, located, raised
from .names import check_held
from .pdn_moves import actions_by_name, notation, resolve
from .record import GameRecord, check_fields
from .replay import Replay, legal_moves, read_notes, replayed, write_notes
from .tags import check_start, escaped, event_of_tags, event_tags, result_of

__all__ = ["check_pdn_game", "read_pdn", "write_pdn"]

_WIDTH = 80
_RESULTS = {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (1, 1), "2-0": (2, 0), "0-2": (0, 2), "1-1": (1, 1), "*": None}
_TOKEN = re.compile(
    r"""(?P<skipped> \s+ | \{[^}]*\} | (?:;|^%)[^\n]* | \$\d+ | \(?[!?]+\)? | \.\.\. )
    | \[ \s* (?P<tag>\w+) \s* "(?P<value>(?:[^"\\]|\\.)*)" \s* \]
    | (?P<bracket> [()] )
    | (?P<result> (?:1/2-1/2|[012]-[012])(?!\d) | \* )
    | (?P<moves> (?: (?:\d+\.+\s*)? (?![012]-[012](?!\d)) \d+(?:[-x:]\d+)+[!?*]*\s* )+ )
    | (?P<number> \d+\.+ )
    """,
    re.VERBOSE | re.MULTILINE,
)
_PART = re.compile(r"\d+\.+|\d+(?:[-x:]\d+)+")  # of moves
_SQUARE = re.compile(r"\d+")


@dataclass
class _Text:
    """A game as the file has it."""

    start: int = -1  # where it begins and ends in the text
    end: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)  # and their numbers, as in ["1.", "11-15"]
    runs: list[tuple[int, int]] = field(default_factory=list)  # where some stand: the index of the first, and its place
    is_played: bool = False  # whether it has moves
    result: str = ""  # after the moves; empty if there is none
    fault: str = ""  # why it cannot be read; without a ``start``, nor the file from ``end`` on


class _MoveError(ValueError):
    """A move cannot be played.

    Args:
        reason: why.
        index: which of the moves of a `_Text` it is.
    """

    def __init__(self, reason: str, index: int) -> None:
        super().__init__(reason)
        self.index = index


def write_pdn(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add games to a PDN file, one after the other as they come.

    Raises:
        ValueError: the game is not checkers, a move is illegal, or the game starts from a position that has no FEN.
            Nothing of that game is written.
    """
    made = cache(make_game)
    add_texts(path, (_serialise(record, made).encode() for record in records))


def read_pdn(
    path: str | Path, game: str = "checkers", watch: Watch = ignored, fault: Fault = raised
) -> Iterator[GameRecord]:
    """Yield the games of a PDN file.

    Args:
        path: the file.
        game: the rules of games without notes, for example ``"checkers(max_quiet_plies=255)"``.
        watch: called with the bytes that are read, as `plyground.arena.records.files` says.
        fault: called with what is wrong with a game that cannot be read; by default it is raised.

    Raises:
        ValueError: a game cannot be read: another kind of draughts, a position that is none, a move that is illegal or
            ambiguous, notes but no result after the moves, as where a file is cut off, or something that is no PDN. The
            message names the file, the line of the move, or else that in which the game begins, the game by its number,
            and the reason.
    """
    text = decoded(path)
    made = cache(make_game)  # each game once, for a file
    number, lines = 0, Lines(text)
    for found in _games(text):
        number += 1
        line = lines(found.end if found.start < 0 else found.start)
        try:
            if found.fault:
                raise ValueError(found.fault)
            record = _record(found, game, made)
        except _MoveError as error:
            fault(located(error, path, lines(_place(text, found, error.index)), number))
            continue
        except ValueError as error:
            fault(located(error, path, line, number))
            continue
        watch(found.end)
        yield record
    if number == 0:
        raise ValueError(cut(f"{path}, line 1: there is no game: expected PDN, such as '1. 11-15 23-19 *'"))


# -- writing -----------------------------------------------------------------------------------------------------------


def check_pdn_game(game: str) -> None:
    """Raise `ValueError` if PDN files do not hold the game of a spec."""
    check_held(".pdn", game)


def _serialise(record: GameRecord, made: Callable[[str], Game]) -> str:
    check_pdn_game(record.game)
    check_fields({"moves": record.moves})
    game = made(record.game)
    check_start(record)
    replay, moves = replayed(game, record), legal_moves(record)
    first = replay.player  # 1 where white begins
    if (played := replay.play_all(moves)) < len(moves):
        action = moves[played]
        replay.play(action, game.action_to_str(action) if 0 <= action < game.num_actions else str(action))
    turns = list(_turns(replay, record))

    tags = {
        **event_tags(record),
        "Black": record.players[0],
        "White": record.players[1],
        "Result": result_of(record, replay.player),
        "GameType": "21",
        **({} if record.start is None else {"SetUp": "1", "FEN": record.start}),
        "Plyground": write_notes(record),
    }
    lines = [f'[{name} "{escaped(value)}"]\n' for name, value in tags.items()]
    moves = [f"{turn // 2 + 1}. {text}" if turn % 2 == 0 else text for turn, text in enumerate(turns, start=first)]
    if first and moves:
        moves[0] = f"1... {moves[0]}"
    return "".join([*lines, "\n", _filled([*moves, "*"]), "\n\n"])


def _turns(replay: Replay, record: GameRecord) -> Iterator[str]:
    """Yield the moves of a game as PDN writes them. A move with several jumps is several of our actions."""
    before = replayed(replay.game, record)
    made = 0
    for _, same in groupby(zip(replay.movers, replay.moves, strict=True), key=itemgetter(0)):
        actions = [action for _, action in same]
        if len(actions) > 1:
            before.play_all(replay.moves[len(before.moves) : made])
        yield notation(before, actions)
        made += len(actions)


def _filled(words: list[str]) -> str:
    """Return words in lines of at most `_WIDTH` signs. A number stays with its move, so `textwrap` will not do."""
    lines, line = [], words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) <= _WIDTH:
            line += " " + word
        else:
            lines.append(line)
            line = word
    return "\n".join([*lines, line])


# -- reading -----------------------------------------------------------------------------------------------------------


def _games(text: str) -> Iterator[_Text]:
    """Yield the games of a file. A game ends with a result, or where the tags of another begin.

    Where the file cannot be read any further, a game with a ``fault`` and no ``start`` is the last.
    """
    game, depth, position = _Text(), 0, 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            part = text[position : position + 20]
            yield _Text(end=position, fault=f"cannot read {part!r}: expected a move or a tag")
            return
        start, position = token.start(), token.end()
        kind = token.lastgroup
        if kind == "bracket":
            depth += 1 if token["bracket"] == "(" else -1
            if depth < 0:
                yield _Text(end=start, fault="a ')' without '('")
                return
        elif depth > 0 or kind == "skipped":
            continue  # inside a variation
        elif kind == "value":
            if game.is_played:
                yield game
                game = _Text()
            if token["tag"] in game.tags:
                game.fault = f"the tag {shown(token['tag'])} stands twice: is a game without moves?"
            game.tags[token["tag"]] = re.sub(r"\\(.)", r"\1", token["value"])
        elif kind == "moves":
            game.runs.append((len(game.moves), start))
            game.moves += _PART.findall(token["moves"])
            game.is_played = True
        elif kind == "number":
            game.moves.append(token["number"])
        elif game.tags or game.is_played:  # a result
            game.result, game.end = token["result"], position
            yield game
            game = _Text()
            continue
        if game.start < 0:
            game.start = start
        game.end = position
    if depth:
        yield _Text(end=position, fault="a '(' without ')'")
    elif game.tags or game.is_played:
        yield game


def _place(text: str, game: _Text, index: int) -> int:
    """Return where one of the moves of a game stands in the text, for which it is read again."""
    first, start = game.runs[bisect_right(game.runs, index, key=itemgetter(0)) - 1]
    return next(islice(_PART.finditer(text, start), index - first, None)).start()


def _record(text: _Text, spec: str, made: Callable[[str], Game]) -> GameRecord:
    tags = text.tags
    kind = tags.get("GameType", "21").split(",")[0].strip()
    if kind != "21":
        raise ValueError(f"GameType {shown(tags['GameType'])} is not read here: expected 21, English draughts")
    notes, game = None, made(spec)
    if "Plyground" in tags:
        notes, game = read_notes(tags["Plyground"], ["checkers"], made)
        if not text.result:  # ours have one: the rest of the file is lost
            raise ValueError(CUT_OFF)
    replay = Replay(game, game.state_from_fen(tags["FEN"]) if "FEN" in tags else None)
    _play(text.moves, replay)
    result = _read_result(tags.get("Result", "*"), text.result or "*")
    record = replay.record([tags.get("Black") or "Black", tags.get("White") or "White"], result, notes)
    return replace(record, event=event_of_tags(tags))


def _play(moves: list[str], replay: Replay) -> None:
    """Play moves, among which their numbers stand: as many as possible at once, the others one by one."""
    known = actions_by_name(replay.game)
    first = 0
    while first < len(moves):
        actions: list[int] = []
        ends: list[int] = []
        after: list[int] = []  # the number of actions after each move
        for move in moves[first:]:
            if move[-1] != ".":
                step = known.get(move)
                if step is not None:
                    actions.append(step)
                    ends.append(1)
                else:
                    steps = [known.get(f"{a}x{b}", -1) for a, b in pairwise(_SQUARE.findall(move))]
                    if -1 in steps:
                        break
                    actions += steps
                    ends += [0] * (len(steps) - 1) + [1]
            after.append(len(actions))
        first += bisect_right(after, replay.play_all(actions, ends=ends))
        if first < len(moves):
            try:
                _play_one(moves, first, replay)
            except ValueError as error:
                raise _MoveError(str(error), first) from None
            first += 1


def _play_one(moves: list[str], index: int, replay: Replay) -> None:
    """Play a move that says less than all its squares, or cannot be played."""
    place = index - 1
    while place > 0 and moves[place][-1] != ".":
        place -= 1
    number = moves[place] if place >= 0 and moves[place][-1] == "." else ""
    label = cut(f"{number} {moves[index]}".strip(), 60)
    if not replay.legal:
        raise ValueError(f"move {label} comes after the end of the game of {replay.game.spec}")
    try:
        actions = resolve(replay, [int(square[:9]) for square in _SQUARE.findall(moves[index])])
    except ValueError as error:
        raise ValueError(f"move {label} {error}") from None
    for action in actions:
        replay.play(action, label)


def _read_result(tag: str, end: str) -> float | None:
    """Return what the tag and the end of the moves say: +1 for black, -1 for white, 0 for a draw, None for nothing."""
    if tag == "?":
        tag = "*"
    for text in (tag, end):
        if text not in _RESULTS:
            raise ValueError(f"the result {shown(text)} cannot be read: expected {', '.join(_RESULTS)}")
    points = _RESULTS[tag] or _RESULTS[end]
    if _RESULTS[end] not in (None, points):
        raise ValueError(f"the results {tag!r}, in the tags, and {end!r}, after the moves, differ")
    if points is None:
        return None
    return float((points[0] > points[1]) - (points[0] < points[1]))
