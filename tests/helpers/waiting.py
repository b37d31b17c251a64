"""A game in which both players wait, so that its position comes again and again."""

from __future__ import annotations

from typing import Any

from plyground.envs import Game, Repetition, state_dtype

__all__ = ["waiting"]


def waiting(wins: bool = False, draw: int = 0) -> Game:
    """Return a game in which the players wait in turn, for ever.

    Args:
        wins: the first player may win instead.
        draw: the game is drawn when a position stands there so many times; 0: it is not.
    """

    def legal_actions(state: Any, actions: Any) -> int:
        actions[0] = 0
        if wins and state.turn == 0:
            actions[1] = 1
            return 2
        return 1

    def play(state: Any, action: int) -> None:
        state.won = action == 1
        state.turn = 1 - state.turn

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.turn

    return Game(
        name="waiting",
        state=state_dtype(turn="i1", won="?"),
        num_actions=1 + wins,
        max_plies=100,
        observation_shape=(1,),
        player=lambda state: state.turn,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.won,
        utility=lambda state, player: 1.0 if player == 0 else -1.0,
        observe=observe,
        repetition=Repetition("draw", times=draw) if draw else None,
        check=wins,  # games do not end
    )
