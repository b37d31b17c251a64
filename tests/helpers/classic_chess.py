"""Games of our ``chess_v0.env(classic=True)`` beside ``pettingzoo.classic.chess_v6``, record by record.

They are steered in turn, as in `chess_games`; now and then an action is illegal, and ends the game. All that both show
must be the same, but for the infos: those of ``chess_v6`` are empty, and say ``legal_moves=[]`` when the rules have
ended the game; ours have the mask of the observation, the state, and the positions before it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray
from pettingzoo.classic import chess_v6

from plyground.envs import chess_v0
from plyground.envs.games.chess.moves import name_in
from tests.helpers.chess_games import STEERINGS, count_rare, steered
from tests.helpers.transcripts import transcript

__all__ = ["classic_games"]

_ILLEGAL = 0.0005  # how often an action is drawn from all, not from the legal ones


class _Player:
    """Chooses the actions of one game, and keeps what happens in it."""

    def __init__(self, env: Any, steering: str, rng: np.random.Generator) -> None:
        self.board = chess.Board()
        self.found: Counter[str] = Counter({steering: 1})
        self._env, self._steering, self._rng = env, steering, rng
        self._action = -1

    def choose(self, mask: NDArray[np.int8]) -> int:
        """Choose the next action in our environment."""
        state = self._env.infos[self._env.agent_selection]["state"]
        if self._rng.random() < _ILLEGAL:
            self._action = int(self._rng.integers(len(mask)))
        else:
            names = {name_in(state, action): action for action in np.flatnonzero(mask).tolist()}
            moves = {move.uci(): move for move in self.board.legal_moves}
            self._action = names[steered(self.board, moves, self._steering, self._rng)]
        if mask[self._action]:
            move = chess.Move.from_uci(name_in(state, self._action))
            count_rare(self.board, move, self.found)
            self.board.push(move)
        else:
            self.found["illegal"] += 1
        return self._action

    def repeat(self, mask: NDArray[np.int8]) -> int:
        """Return the same action, for the other environment."""
        return self._action

    def count_end(self) -> None:
        """Count how the game has ended, if not by an illegal move, and its plies."""
        board = self.board
        self.found["plies"] = len(board.move_stack)
        if not self.found["illegal"]:
            self.found["mate"] += board.is_checkmate()
            self.found["dead"] += board.is_insufficient_material()
            self.found["third time"] += board.can_claim_threefold_repetition()
            self.found["50 moves"] += board.can_claim_fifty_moves()

    def where(self, what: str) -> str:
        """Return what differs, and in which position; asked for only then, for to write a FEN takes longer."""
        return f"{what} differs, {len(self.board.move_stack)} plies into a game, in {self.board.fen()}"


def classic_games(games: int, seed: int = 0) -> Iterator[Counter[str]]:
    """Play so many games in both environments, and yield for each what happened in it, how often.

    Raises:
        AssertionError: the two differ; the message says in what, and in which position.
    """
    ours, theirs = chess_v0.env(classic=True), chess_v6.env()
    rng = np.random.default_rng(seed)
    for steering in itertools.islice(itertools.cycle(STEERINGS), games):
        player = _Player(ours, steering, rng)
        records = zip(transcript(ours, player.choose), transcript(theirs, player.repeat), strict=True)
        for record, expected in records:
            assert record == expected, player.where(record[0])
            if record[0] == "infos":
                _compare_infos(ours, theirs, player)
        player.count_end()
        yield player.found


def _compare_infos(ours: Any, theirs: Any, player: _Player) -> None:
    for agent, info in theirs.infos.items():
        is_ended = ours.terminations[agent] and not ours.truncations[agent]
        assert info == ({"legal_moves": []} if is_ended else {}), player.where("infos")
        assert {"action_mask", "state"} <= ours.infos[agent].keys(), player.where("infos")
        if not ours.terminations[agent]:
            seen = ours.observe(agent)["action_mask"]
            assert np.array_equal(ours.infos[agent]["action_mask"], seen), player.where("infos")
