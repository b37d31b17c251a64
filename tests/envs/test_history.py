"""Earlier positions in observations: each is shown as it was seen, and goes along where a game is taken over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.envs import BoardGameEnv, Game, GameBatch, SoloEnv, history, make_game, tictactoe
from plyground.envs.position import Position

BEGINNINGS = {  # lines that games begin with; in chess, where it is shown, the first position comes again
    "go(board_size=5)": ["B2", "C2"],
    "chess(max_quiet_plies=12)": ["g1f3", "g8f6", "f3g1", "f6g8"],
}


def looked_at(game: Game, states: list[Any]) -> NDArray[Any]:
    """Return what both players see of the last of some positions, without those before it, as plain Python says."""
    planes = np.zeros((2, *game.observation_shape), game.observation_dtype)
    for player in range(2):
        game.observe(states[-1], player, planes[player])
    if game.repetition is not None and game.repetition.channel is not None:
        keys = [int(game.repetition_key(state)) for state in states]
        planes[..., game.repetition.channel] = keys.count(keys[-1]) > 1
    return planes


def put_together(game: Game, looks: list[NDArray[Any]]) -> NDArray[Any]:
    """Return what both players see, earlier positions included, from what they saw of each."""
    assert game.history is not None
    frames, frame = game.history
    first = game.history_first
    planes = looks[-1].copy()
    for age, look in enumerate(reversed(looks[-frames:])):
        planes[..., first + age * frame : first + (age + 1) * frame] = look[..., first : first + frame]
    return planes


@pytest.mark.parametrize("slides", [1, 64])  # plies after which a window goes back to the end of its array
@pytest.mark.parametrize(
    "spec", ["go(board_size=5)", pytest.param("chess(max_quiet_plies=12)", marks=pytest.mark.slow)]
)
def test_earlier_positions_are_shown_as_they_were_seen(
    spec: str, slides: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_SLIDES", slides)
    game = make_game(spec)
    line = game.line_of(BEGINNINGS[spec])
    position, batch, lengths = Position(game), GameBatch(game, 1), list[int]()
    for _ in range(2):
        position.start(game.new_state())
        batch.reset()
        states, looks = [position.state.copy()], list[NDArray[Any]]()
        while not position.over:
            looks.append(looked_at(game, states))
            expected = put_together(game, looks)
            assert (position.planes == expected).all()
            assert (batch.seen_by_both() == expected[np.newaxis]).all()
            ply, legal = len(states) - 1, np.flatnonzero(position.mask)
            some = legal[: max(1, legal.size - 1)]  # in Go without the pass, which would end the game early
            action = line[ply] if ply < len(line) else int(rng.choice(some))
            position.play(action)
            batch.play(np.array([0]), [action])
            states.append(position.state.copy())
        lengths.append(len(states))
    assert max(lengths) > (64 if game.name == "go" else 16)


def seen_of(position: Position) -> tuple[Any, ...]:
    state = [np.asarray(position.state[name]).tolist() for name in position.state.dtype.names or ()]
    arrays = (position.planes, position.mask, position.utilities)
    return state, position.player, position.over, position.plies, *(one.tobytes() for one in arrays)


@pytest.mark.parametrize("spec", ["tictactoe", "checkers", "go(board_size=5)"])
def test_a_position_goes_on_where_another_is_and_leaves_it_alone(spec: str, rng: np.random.Generator) -> None:
    game = make_game(spec)
    one, other = Position(game), Position(game)
    for place in (one, other):  # two games
        place.start(game.new_state())
        for _ in range(4):
            place.play(int(rng.choice(np.flatnonzero(place.mask))))
    there = seen_of(one)
    assert seen_of(other) != there
    other.become(one)
    assert seen_of(other) == there
    line, seen = [], []
    while not other.over:
        line.append(int(rng.choice(np.flatnonzero(other.mask))))
        other.play(line[-1])
        seen.append(seen_of(other))
    assert seen_of(one) == there
    for action, expected in zip(line, seen, strict=True):
        one.play(action)
        assert seen_of(one) == expected


def test_a_start_by_moves_has_the_positions_before() -> None:
    moves = ["A1", "B2", "C3", "D4", "E5"]
    env = BoardGameEnv("go(board_size=5)")
    env.reset(options={"moves": moves})
    solo = SoloEnv("go(board_size=5)", "random", seat="second", flatten=False)
    for _ in range(2):
        planes, info = solo.reset(options={"moves": moves})
        seen = env.observe("white_0")
        assert (planes == seen["observation"]).all()
        assert (info["action_mask"] == seen["action_mask"]).all()
        solo.step(int(solo.action_masks().argmax()))


@pytest.mark.parametrize("kind", [BoardGameEnv, SoloEnv, GameBatch])
def test_a_reset_plays_its_moves_once(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []
    looked_at: list[Any] = []
    play, look = Position.play, Game.checked_action

    def counted_play(self: Position, action: int) -> None:
        played.append(action)
        play(self, action)

    def counted_look(self: Game, state: Any, move: int | str, index: int) -> int:
        looked_at.append(move)
        return look(self, state, move, index)

    monkeypatch.setattr(Position, "play", counted_play)
    monkeypatch.setattr(Game, "checked_action", counted_look)
    moves = ["4", "0"]
    # Where names depend on the position, only who plays the moves knows which actions they are.
    game = tictactoe().replace(move_name=lambda state, action: str(action), move_of=lambda state, text: int(text))
    env = kind(game, **{SoloEnv: {"opponent": "random", "seat": "first"}, GameBatch: {"num_envs": 1}}.get(kind, {}))
    env.reset(options={"moves": moves})
    assert len(played) == len(looked_at) == len(moves)
    assert looked_at == moves
