"""Games of a search against itself, whose positions `tune_chess` tunes the evaluation by, in a file that grows."""

from __future__ import annotations

import io
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from plyground.agents import AlphaBeta
from plyground.envs import Game, State
from plyground.envs.games.chess.legal import is_check
from plyground.envs.games.chess.moves import PAWN, PLANES, STEPS
from plyground.envs.games.chess.position import LAYOUT, kind_at
from plyground.envs.games.features.chess import PAWN as PAWN_WORTH
from plyground.envs.outside.whole_files import write_whole

__all__ = ["POSITION", "collect"]

OPENING = 8  # random plies
FAR_AHEAD, FAR_AHEAD_PLIES = 8.0, 4  # pawns; plies after which the game is won
LONGEST = 240  # plies; a longer game is a draw
POSITION = np.dtype([("state", LAYOUT), ("value", "f4"), ("result", "f4"), ("game", "i4"), ("is_quiet", "?")])
APART = 60.0  # seconds from one save to the next, at least …
SHARE = 0.05  # … of which it takes so much at most


def collect(
    game: Game, player: AlphaBeta, file: Path, games: int, seed: int, seconds: float = 1e9, apart: float = APART
) -> NDArray[Any]:
    """Play games until a file has so many, and return the positions of all; Ctrl-C ends it between two games.

    The file is saved now and then, and at the end, each time as a whole: a run that is killed loses a minute of games.

    Args:
        game: chess.
        player: who plays against itself.
        file: where positions are kept; games that are there already are not played again.
        games: how many games the file shall have.
        seed: of the openings.
        seconds: when to stop.
        apart: seconds from one save to the next, at least.
    """
    known = np.load(file)["positions"] if file.exists() else np.zeros(0, POSITION)
    kept, first = [known], int(known["game"].max()) + 1 if known.size else 0
    file.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    due = start + apart
    try:
        with suppress(KeyboardInterrupt):
            for number in track(range(first, games), "games", transient=True):
                kept.append(play_game(game, player, number, seed))
                now = time.monotonic()
                if now - start > seconds:
                    break
                if now >= due:
                    kept = [save(file, kept)]
                    saved = time.monotonic()
                    due = saved + max(apart, (saved - now) / SHARE)
    finally:
        positions = save(file, kept)
    return positions


def save(file: Path, kept: list[NDArray[Any]]) -> NDArray[Any]:
    """Write positions to a file, and return them; the file is there as a whole, or as it was before."""
    positions, content = np.concatenate(kept), io.BytesIO()
    np.savez(content, positions=positions)
    write_whole(file, content.getbuffer())
    return positions


def is_quiet(state: State, action: int) -> bool:
    """Return whether nobody is in check, and the action neither captures nor promotes."""
    origin, target = action // PLANES, action // PLANES + int(STEPS[action % PLANES])
    is_pawn = int(kind_at(state, origin)) == PAWN
    takes = int(state.other) >> target & 1 or (is_pawn and target == state.en_passant)
    return not (takes or (is_pawn and target % 8 == 7) or is_check(state))


def play_game(game: Game, player: AlphaBeta, number: int, seed: int) -> NDArray[Any]:
    """Play a game against oneself from a random opening, and return its positions: none if the opening ended it."""
    rng = np.random.default_rng([seed, number])
    state, found = game.new_state(), list[Any]()
    for _ in range(OPENING):
        if game.is_terminal(state):
            return np.zeros(0, POSITION)
        game.play(state, int(rng.choice(game.actions(state))))
    player.reset()
    seen: dict[int, int] = {}
    ahead, result = 0, 0.5
    while not game.is_terminal(state) and len(found) < LONGEST:
        position = int(game.repetition_key(state))
        seen[position] = seen.get(position, 0) + 1
        if seen[position] == 3:
            break
        analysis = player.analyse(state)
        sign = 1 - 2 * game.player(state)
        value = sign * analysis.value / PAWN_WORTH
        found.append((state.copy(), value, 0.5, number, is_quiet(state, analysis.best_action)))
        ahead = ahead + int(np.sign(value)) if abs(value) > FAR_AHEAD else 0
        if abs(ahead) >= FAR_AHEAD_PLIES:
            result = float(ahead > 0)
            break
        game.play(state, analysis.best_action)
    else:
        if game.is_terminal(state):
            result = (1 + game.utility(state, 0)) / 2
    positions = np.array(found, POSITION)
    positions["result"] = result
    return positions
