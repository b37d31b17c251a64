"""Game records in Smart Game Format, FF[4] (https://www.red-bean.com/sgf/).

sgfmill writes games, and reads the properties of a root; `plyground.arena.records.sgf_tree` finds the main line.

=========  ==========  ===============================================================================================
``GM[1]``  go          A point is two letters, column and row from the top left; a pass is ``[]`` (or, read, ``[tt]``).
``GM[2]``  othello     A letter and a number, ``d3``, from the top left; a pass is ``PA``.
``GM[4]``  gomoku      As in Go, without a pass.
=========  ==========  ===============================================================================================

FF[4] leaves open how moves of GM[2] and GM[4] are written. For Othello we do as the program Edax does, and also read
points in Go's form, and files that leave out forced passes. Boards have up to 26 rows. Black is the first player.

The writer writes ``PB`` and ``PW``, ``RE`` (``B+``, ``W+``, ``0``; ``B+F`` or ``W+F`` after an illegal move, ``Void``
for a game that was broken off), ``KM`` and ``RU``, and what is known of the event: `plyground.arena.records.sgf_event`.
Everything else but the times goes into a private property, ``PLYGROUND``: see `plyground.arena.records.replay`. What
searches thought of their moves is written as comments, for people.

A game without that property is read by the rules that the file tells: ``SZ``, and ``KM`` (0 without it). Of all
repetitions only the simple ko is forbidden then, for SGF does not say which superko was. The main line is read. ``RE``
is believed, for people resign, and score by other rules, unless a game of gomoku or Othello was played to another
result; a game that has no result, and has not ended by our rules, is ``"truncated"``. ``T`` in it is a loss on time,
and ``F`` (a forfeit) a player's failure. Comments and the like are not kept.
"""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sgfmill import sgf, sgf_grammar

from ...envs import Game, make_game
from ...envs.outside.messages import cut
from ...envs.version import __version__
from ..wording import counted
from .files import Fault, Watch, add_texts, bytes_of_text, ignored, located, raised
from .names import HELD, check_held
from .record import GameRecord
from .replay import Replay, legal_moves, read_notes, write_notes
from .sgf_event import event_of, set_event
from .sgf_points import KINDS, Kind
from .sgf_setup import SETUP, STONES, set_up, turn_told
from .sgf_tree import Node, Tree, read_trees

__all__ = ["check_sgf_game", "read_sgf", "read_sgf_moves", "write_sgf"]

_NOTES = "PLYGROUND"
_COLOURS = ("B", "W")
_LOSSES = {"failed": "F", "time": "T"}  # how RE tells them …
_ENDINGS = {"f": "failed", "forfeit": "failed", "t": "time", "time": "time"}  # … and FF[4] takes whole words too
_UNKNOWN = ("", "?", "void", "unfinished", "left unfinished", "unknown")  # the first three are those of FF[4]


def write_sgf(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add games to a collection in an SGF file, one after the other as they come.

    Raises:
        ValueError: SGF cannot hold the game, or a move is illegal. Nothing of that game is written.
    """
    add_texts(path, map(_serialise, records))


def read_sgf(path: str | Path, watch: Watch = ignored, fault: Fault = raised) -> Iterator[GameRecord]:
    """Yield the games of an SGF file.

    Args:
        path: the file.
        watch: called with the bytes that are read, as `plyground.arena.records.files` says.
        fault: called with what is wrong with a game that cannot be read; by default it is raised. Where the file
            breaks the grammar after a game, it ends there.

    Raises:
        ValueError: a game cannot be read: the file is no SGF, or the game is another one, begins from another position,
            or has a move that is illegal here. The message names the file, the line in which the game begins, the game
            by its number, and the reason.
    """
    data = bytes_of_text(path)
    encoding = _encoding_of(data)
    made = cache(make_game)  # each game once, for a file
    for number, tree in enumerate(_trees(path, data, fault), start=1):
        try:
            record = _record(tree.nodes, encoding, made)
        except ValueError as error:
            fault(located(error, path, tree.line, number))
            continue
        watch(tree.end)
        yield record


def read_sgf_moves(path: str | Path) -> tuple[Game, list[int], list[int]]:
    """Return what is played in the first game of an SGF file, the moves that set up its position, and those after it.

    In Go stones may be set up before the first move: `plyground.arena.records.sgf_setup` says by which moves. Whatever
    the result is does not matter.

    Raises:
        ValueError: the game cannot be read, as `read_sgf` says, or its position not set up.
    """
    data = bytes_of_text(path)
    tree = next(_trees(path, data))
    try:
        begun, nodes, placed = _begun(tree.nodes, _encoding_of(data), make_game), tree.nodes, list[int]()
        game, kind, size = begun.game, begun.kind, begun.size
        if kind.name == "go":
            placed, nodes = set_up(tree.nodes, kind, size, game)
        replay = Replay(game, Replay(game, moves=placed).state if placed else None)
        _play(nodes, kind, size, replay)
    except ValueError as error:
        raise located(error, path, tree.line, 1) from None
    return game, placed, replay.moves


# -- writing -----------------------------------------------------------------------------------------------------------


def check_sgf_game(game: str) -> None:
    """Raise `ValueError` if SGF files do not hold the game of a spec."""
    check_held(".sgf", game)


def _serialise(record: GameRecord) -> bytes:
    check_sgf_game(record.game)
    if record.start is not None:
        raise ValueError(
            "the game starts from a set-up position, which SGF files do not hold here: write a .jsonl file"
        )
    game = make_game(record.game)
    kind = KINDS[HELD[".sgf"].index(game.name)]
    size = game.parameters[kind.size]
    replay = Replay(game)
    written = sgf.Sgf_game(size)
    root = written.get_root()
    root.set("GM", kind.number)
    root.set("AP", ("plyground", __version__))
    for colour, player in zip(_COLOURS, record.players, strict=True):
        root.set(f"P{colour}", player)
    if kind.name == "go":
        root.set("KM", game.parameters["komi"])
        root.set("RU", f"area scoring, {game.parameters['superko']} superko, no suicide")
    if kind.name == "gomoku":
        root.set("RU", "exactly five" if game.parameters["exact"] else "five or more")
    set_event(root, record.event)
    root.set(_NOTES, write_notes(record))
    node = root
    for move, judgement in zip(legal_moves(record), record.analyses or itertools.repeat(None), strict=False):
        colour, text = _COLOURS[replay.player], game.action_to_str(move) if 0 <= move < game.num_actions else str(move)
        replay.play(move, text)
        node = node.new_child()
        node.set_raw(colour, kind.point(move, size).encode())
        if judgement is not None:
            node.set("C", judgement.text)
    root.set("RE", _result(record, replay.player))
    return written.serialise()


def _result(record: GameRecord, player: int) -> str:
    """Return the value of RE; ``player`` is the one to move at the end."""
    if record.ending == "illegal":
        return f"{_COLOURS[1 - player]}+F"
    if record.ending == "truncated":
        return "Void"
    balance = record.outcome[0] - record.outcome[1]
    if balance == 0:
        return "0"
    return ("B+" if balance > 0 else "W+") + _LOSSES.get(record.ending, "")


# -- reading -----------------------------------------------------------------------------------------------------------


class _Begun(NamedTuple):
    """What the root of a game says."""

    root: sgf.Tree_node
    kind: Kind
    size: int
    game: Game
    notes: dict[str, Any] | None


def _trees(path: str | Path, data: bytes, fault: Fault = raised) -> Iterator[Tree]:
    """Yield the games of a file, up to where it breaks the grammar, of which ``fault`` is told.

    Raises:
        ValueError: it breaks the grammar before a game has ended; the message names the file.
    """
    some = False
    try:
        for tree in read_trees(data):
            some = True
            yield tree
    except ValueError as error:
        (fault if some else raised)(ValueError(cut(f"{path}, {error}")))


def _encoding_of(data: bytes) -> str:
    """Return the encoding of a file whose games name none."""
    try:
        data.decode("utf-8")
        return "UTF-8"
    except UnicodeDecodeError:
        return "ISO-8859-1"  # FF[4]'s


def _begun(nodes: Sequence[Node], encoding: str, made: Callable[..., Game]) -> _Begun:
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = [properties] = [dict(nodes[0])]
    kind, size = _kind_and_size(properties)
    properties["SZ"] = [str(size).encode()]  # sgfmill reads no "15:15", and takes 19 where there is none
    root = sgf.Sgf_game.from_coarse_game_tree(tree, _encoding(properties, encoding)).get_root()
    notes = None
    if root.has_property(_NOTES):
        notes, game = read_notes(_get(root, _NOTES, ""), [kind.name], made)
        if game.parameters[kind.size] != size:
            raise ValueError(f"the notes say {game.spec}, but the board has size {size}")
    else:
        game = _foreign_game(kind, size, root, made)
    return _Begun(root, kind, size, game, notes)


def _record(nodes: Sequence[Node], encoding: str, made: Callable[..., Game]) -> GameRecord:
    root, kind, size, game, notes = _begun(nodes, encoding, made)
    result, ending = _read_result(_get(root, "RE", "?"))
    replay = Replay(game)
    _play(nodes, kind, size, replay)
    players = [_get(root, "PB", "") or "Black", _get(root, "PW", "") or "White"]
    record = replace(replay.record(players, result, notes), event=event_of(root))
    return record if notes is not None or ending is None else replace(record, ending=ending)


def _encoding(properties: Node, default: str) -> str:
    """Return the encoding of the texts in a game, which must have all signs of ASCII where ASCII has them."""
    if "CA" not in properties:
        return default
    name = properties["CA"][0].decode("ascii", "replace").strip()
    try:
        if string.printable.encode(name) == string.printable.encode("ascii"):
            return name
    except (LookupError, ValueError):
        pass
    raise ValueError(f"CA[{cut(name, 30)}] is not read here: expected an encoding of text, as in CA[UTF-8]")


def _kind_and_size(properties: Node) -> tuple[Kind, int]:
    number = properties.get("GM", [b"1"])[0].decode("ascii", "replace").strip()
    kind = next((kind for kind in KINDS if str(kind.number) == number), None)
    if kind is None:
        known = ", ".join(f"GM[{kind.number}] ({kind.name})" for kind in KINDS)
        raise ValueError(f"GM[{cut(number, 30)}] is not read here: expected one of {known}")
    text = properties.get("SZ", [str(kind.default).encode()])[0].decode("ascii", "replace")
    sides = [side.strip() for side in text.split(":")]
    is_square = len(set(sides)) == 1 and len(sides) <= 2 and re.fullmatch(r"[0-9]{1,9}", sides[0])
    if not is_square or not 1 <= int(sides[0]) <= 26:
        raise ValueError(
            f"SZ[{cut(text, 30)}] is not read here: expected a square board of 1 to 26 rows, as in SZ[{kind.default}]"
        )
    return kind, int(sides[0])


def _foreign_game(kind: Kind, size: int, root: sgf.Tree_node, made: Callable[..., Game]) -> Game:
    parameters: dict[str, Any] = {kind.size: size}
    if kind.name == "go":
        parameters.update(komi=_komi(root), superko="simple")
    rules = _get(root, "RU", "")
    if kind.name == "gomoku" and "renju" in rules.lower():
        raise ValueError(f"the game follows the rules of renju (RU[{cut(rules, 60)}]), which are not known here")
    return made(kind.name, **parameters)


def _komi(root: sgf.Tree_node) -> float:
    """Return what KM says; 0 where it is left empty, and with a comma where people write one."""
    text = root.get_raw("KM").strip() if root.has_property("KM") else b""
    if text:
        root.set_raw("KM", text.replace(b",", b"."))
        return float(_get(root, "KM", 0.0))
    return 0.0


def _get(node: sgf.Tree_node, identifier: str, default: Any) -> Any:
    if not node.has_property(identifier):
        return default
    try:
        return node.get(identifier)
    except ValueError as error:
        raise ValueError(f"the property {identifier} cannot be read: {cut(str(error), 100)}") from None


def _read_result(text: str) -> tuple[float | None, str | None]:
    """Return what RE says, +1 for black, -1 for white, 0 for a draw, None for nothing; and an ending, if any."""
    text = text.strip().lower()
    if re.match(r"[bw]\+", text):
        return 1.0 if text[0] == "b" else -1.0, _ENDINGS.get(text[2:].strip())
    if text in ("0", "draw", "jigo"):
        return 0.0, None
    if text in _UNKNOWN:
        return None, None
    raise ValueError(f"the result RE[{cut(text, 60)}] cannot be read: expected B+…, W+…, 0, Draw, Void or ?")


def _play(nodes: Sequence[Node], kind: Kind, size: int, replay: Replay) -> None:
    """Play the moves of the nodes: as many as possible at once, the others one by one."""
    known = kind.points(size)
    actions: list[int] = []
    seats: list[int] = []

    def play_collected() -> None:
        done = 0
        while (done := done + replay.play_all(actions[done:], seats[done:])) < len(actions):
            text = f"{_COLOURS[seats[done]]}[{kind.point(actions[done], size)}]"
            _play_one(actions[done], seats[done], text, kind, size, replay)
            done += 1
        actions.clear()
        seats.clear()

    for node in nodes:
        if not SETUP.isdisjoint(node):
            play_collected()
            _check_setup(node, kind, size, replay)
        values = [(seat, value) for seat, colour in enumerate(_COLOURS) for value in node.get(colour, ())]
        if not values:
            continue
        if len(values) > 1:
            play_collected()
            raise ValueError(f"a node after {_until(replay)} has {len(values)} moves, expected one")
        seat, value = values[0]
        action = known.get(value)
        if action is None:
            text = value.decode("ascii", "replace").strip()
            action = kind.action(text, size)
            if action is None:
                play_collected()
                text = f"{_COLOURS[seat]}[{cut(text, 30)}]"
                raise ValueError(f"move {len(replay.moves) + 1}, {text}, is no point of a board of {size}x{size}")
        actions.append(action)
        seats.append(seat)
    play_collected()


def _play_one(action: int, seat: int, text: str, kind: Kind, size: int, replay: Replay) -> None:
    """Play a move, before which a forced pass may have been left out."""
    if replay.player != seat and kind.name == "othello" and replay.legal == [size * size]:
        replay.play(size * size, "pass")
    if replay.player != seat and replay.legal:
        raise ValueError(f"move {len(replay.moves) + 1}, {text}, is out of turn: {_COLOURS[replay.player]} is to move")
    replay.play(action, text)


def _check_setup(node: Node, kind: Kind, size: int, replay: Replay) -> None:
    """Raise `ValueError` where a node puts stones on the board, unless they are those of the initial position."""
    if turn_told(node) not in (None, replay.player):
        raise ValueError(f"PL gives the turn to the other player after {_until(replay)}, which a record cannot")
    found = [identifier for identifier in STONES if identifier in node]
    if not found:
        return
    board = replay.game.board
    assert board is not None
    expected = {cell: stone for cell, stone in enumerate(board.pieces(replay.state).ravel().tolist()) if stone}
    placed = {
        kind.action(value.decode("ascii", "replace"), size): stone
        for stone, identifier in enumerate(STONES, start=1)
        for value in node.get(identifier, ())
    }
    if replay.moves or placed != expected:
        raise ValueError(
            f"{' and '.join(found)} after {_until(replay)}: handicap stones and set-up positions are not "
            "supported, a record begins from the initial position"
        )


def _until(replay: Replay) -> str:
    """Return how far a game is, as in ``"1 move"``."""
    return counted(len(replay.moves), "move")
