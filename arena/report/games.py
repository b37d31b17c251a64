"""Games as compact data, from which the page draws each position by itself.

A board is a list of numbers ``codes · cell + code``, with the codes of `plyground.envs.definition.board`: first the
whole initial position, then for each move the cells that changed. So a game of Connect Four takes half a kilobyte,
however many positions it has. Games without a `Board` are kept as text, position by position.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...envs import Game
from ...envs.render.pictures import board_of, codes_of
from ...envs.render.template import SVG_UNIT
from ..records.record import GameRecord
from ..records.replay import legal_moves, replayed
from ..wording import without_orders

__all__ = ["LIMIT", "games_data", "move_name", "order_of"]

LIMIT = 4_000_000  # bytes of all games together
_EXACT = 2**53 - 1  # the largest whole number that a page takes as it is; the text of a larger one keeps its digits


def order_of(records: Sequence[GameRecord], first: Iterable[int]) -> list[int]:
    """Return the places of the games in the order in which they are kept, as far as there is room.

    First come the places in ``first``, then games that ended by an illegal move or an error, then all others, so that
    however many are kept, they are spread over the whole file.
    """
    broken = [i for i, record in enumerate(records) if record.ending in ("illegal", "failed")]
    width = max(1, (len(records) - 1).bit_length())
    spread = (int(f"{i:0{width}b}"[::-1], 2) for i in range(1 << width))  # 0, 1/2, 1/4, 3/4, 1/8 … of the file
    return list(dict.fromkeys([*first, *broken, *(i for i in spread if i < len(records))]))


def games_data(
    game: Game | None, records: Sequence[GameRecord], names: Sequence[str], order: Iterable[int], limit: float = LIMIT
) -> dict[str, Any]:
    """Return what the page needs to step through games.

    Args:
        game: what was played; None where it is not known, so that moves are numbers, and there are no boards.
        records: all games.
        names: the players, the best first.
        order: the places of the games to keep, the most wanted first.
        limit: bytes of the games that are kept; infinite for all.
    """
    numbers = {name: i for i, name in enumerate(names)}
    kept: dict[int, str] = {}
    room = limit
    for i in order:
        text = _compact(_game_data(game, records[i], numbers) | {"n": i + 1})
        if len(text) > room:
            break
        room -= len(text)
        kept[i] = text
    used = sorted({move for i in kept for move in records[i].moves})
    board = game.board if game is not None else None
    return {
        "unit": SVG_UNIT,
        "columns": board.columns if board is not None else 0,
        "codes": _base(game),
        "start": [] if game is None or board is None else _filled(_codes(game, game.new_state()), _base(game)),
        "actions": {move: move_name(game, move) for move in used},
        "players": list(map(without_orders, names)),
        "games": [json.loads(kept[i]) for i in sorted(kept)],
    }


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _game_data(game: Game | None, record: GameRecord, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return a game: names of its fields are short, since there are thousands."""
    data: dict[str, Any] = {
        "p": [numbers[name] for name in record.players],
        "o": record.opening,
        "r": [int(value) if value == int(value) else value for value in record.outcome],
        "e": record.ending,
        "m": [move if abs(move) <= _EXACT else str(move) for move in record.moves],
        "s": [round(1e6 * seconds) for seconds in record.seconds],  # microseconds
    }
    if record.reason is not None:
        data["w"] = without_orders(record.reason)
    if not any(data["s"]):
        del data["s"]
    data["q"] = "".join("?01"[mover + 1] for mover in record.movers)  # nobody chose those of an opening, or of noise
    if game is None:
        return data
    replay, moves, base = replayed(game, record), legal_moves(record), _base(game)
    if record.start is not None and game.board is not None:
        data["b"] = _filled(_codes(game, replay.state), base)
    if record.analyses is not None:
        data["v"] = [None if one is None else round(one.value, 3) for one in record.analyses]
    codes, texts = _codes(game, replay.state), [without_orders(game.text(replay.state))]
    changes: list[list[int]] = []
    touches: list[int] = []
    names: list[str] = []  # which may depend on what stands on the board
    for move in moves:
        before = replay.state.copy()
        if not replay.play_all([move]):
            break
        names.append(game.move_name(before, move))
        if game.board is None:
            texts.append(without_orders(game.text(replay.state)))
            continue
        cells = game.board.cells(before, move)
        new = _codes(game, replay.state)
        others = [cell for cell, code in enumerate(new) if code != codes[cell] and cell not in cells]
        changes.append([base * cell + new[cell] for cell in (*cells, *others)])
        touches.append(len(cells))
        codes = new
    if names != [game.action_to_str(move) for move in replay.moves]:
        data["l"] = names
    if game.board is None:
        return {**data, "x": texts}
    data["d"] = changes
    if any(count != 1 for count in touches):
        data["t"] = touches
    return data


def _codes(game: Game, state: Any) -> list[int]:
    return codes_of(game, board_of(game)[0], state) if game.board is not None else []


def _base(game: Game | None) -> int:
    """Return how many codes of cells there are."""
    return len(game.board.marks) if game is not None and game.board is not None else 1


def _filled(codes: Sequence[int], base: int) -> list[int]:
    return [base * cell + code for cell, code in enumerate(codes) if code]


def move_name(game: Game | None, move: int) -> str:
    """Return the name of an action, or its number where the game is not known or has no such action."""
    return game.action_to_str(move) if game is not None and 0 <= move < game.num_actions else str(move)
