"""A game of one ply, to be changed one thing at a time."""

from __future__ import annotations

from typing import Any

from plyground.envs import state_dtype

__all__ = ["COIN"]


def _call(state: Any, action: int) -> None:
    state.x = action
    state.ply += 1


def _two(state: Any, actions: Any) -> int:
    actions[0], actions[1] = 0, 1
    return 2


def _won(state: Any, player: int) -> float:
    return 1.0 if (state.x == 1) == (player == 0) else -1.0


def _see(state: Any, player: int, planes: Any) -> None:
    planes[0] = state.ply


def _turn(state: Any) -> int:
    return state.ply & 1


def _over(state: Any) -> bool:
    return state.ply == 1


COIN: dict[str, Any] = {  # the first player names the side that the coin shows, and should say 1
    "name": "coin",
    "state": state_dtype(x="i4", ply="i4"),
    "num_actions": 2,
    "max_plies": 1,
    "observation_shape": (1,),
    "player": _turn,
    "legal_actions": _two,
    "play": _call,
    "is_terminal": _over,
    "utility": _won,
    "observe": _see,
}
