"""What the environments show: text, pictures, windows."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

from plyground.envs import BoardGameEnv, Game, SoloEnv, letters, make_game, numbers_up
from plyground.envs.render import picture
from plyground.envs.render.window import Window
from tests.conftest import PLAYED


@pytest.fixture(autouse=True)
def _nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.envs.render.renderer.RENDER_FPS", 0)


def shown(game: Game | str, mode: str, moves: list[int], **arguments: Any) -> Any:
    env = BoardGameEnv(game, render_mode=mode, **arguments)
    env.reset(options={"moves": moves})
    return env.render()


def test_pictures_have_the_last_move_and_whose_turn_it_is() -> None:
    game = make_game("connect_four")
    moves = [3, 3]
    before, state = game.play_moves(moves[:-1]), game.play_moves(moves)
    expected = picture(game, state, last=(before, 3), caption="player_0 to move")
    assert shown(game, "svg", moves) == expected.to_svg(800)
    np.testing.assert_array_equal(shown(game, "rgb_array", moves), expected.to_array(800))
    env: Any = BoardGameEnv(game)
    env.reset(options={"moves": moves})
    assert env._repr_svg_() == expected.to_svg()
    env.step(0)
    assert env._repr_svg_() != expected.to_svg()


@pytest.mark.parametrize("game", PLAYED, indirect=True)
def test_pictures_of_every_game(game: Game) -> None:
    moves = game.actions(game.new_state())[:1]
    svg = shown(game, "svg", moves)
    assert svg.startswith("<svg")
    image = shown(game, "rgb_array", moves, screen_size=200)
    assert image.dtype == np.uint8
    assert max(image.shape) == 200
    assert image.shape[2] == 3


@pytest.fixture
def images(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What windows show."""
    found: list[Any] = []
    monkeypatch.setattr(Window, "show", lambda self, image: found.append(image))
    return found


def test_a_window_shows_the_start_and_every_step(images: list[Any]) -> None:
    env = BoardGameEnv("tictactoe", render_mode="human")
    env.reset(options={"moves": [8]})
    assert len(images) == 1
    env.step(4)
    env.step(0)
    assert env.render() is None
    assert len(images) == 4
    assert not np.array_equal(images[0], images[1])
    assert not np.array_equal(images[1], images[2])
    np.testing.assert_array_equal(images[2], images[3])
    env.step(0)
    assert len(images) == 5
    np.testing.assert_array_equal(images[4], picture_of(env, "stopped after 2 plies"))
    with pytest.raises(ValueError, match="is over"):
        env.step(0)
    assert len(images) == 5


def picture_of(env: BoardGameEnv, caption: str) -> Any:
    return picture(env.game, env._position.state, last=env._last_move(), caption=caption).to_array(800)


@pytest.mark.parametrize("opening_plies", [0, 4])
def test_a_window_shows_one_seats_game_but_no_plies_of_its_opening(images: list[Any], opening_plies: int) -> None:
    env = SoloEnv("tictactoe", seat="first", opening_plies=opening_plies, render_mode="human")
    env.reset(seed=1)
    plies = len(env._env.moves)
    assert (plies > 1) == (opening_plies > 0)
    assert len(images) == 1 + plies % 2  # the reply to an odd opening
    np.testing.assert_array_equal(images[-1], picture_of(env._env, "player_1 to move"))
    env.step(int(env.action_masks().argmax()))
    assert len(images) == 3 + plies % 2  # the move, and the reply
    assert env.render() is None
    *_, info = env.step(int(env.action_masks().argmin()))
    assert "illegal_action" in info
    assert len(images) == 4 + plies % 2
    np.testing.assert_array_equal(images[-1], picture_of(env._env, f"stopped after {plies + 2} plies"))


def test_a_forfeited_game_is_shown_as_ended() -> None:
    env = SoloEnv("tictactoe", seat="first", render_mode="ansi")
    env.reset(seed=0)
    env.step(0)
    assert env.render().endswith("\nplayer_1 to move")
    env.step(0)
    assert env.render().endswith("\nstopped after 2 plies")
    env.reset()
    assert env.render().endswith("\nplayer_1 to move")


def test_a_game_goes_on_when_the_window_is_closed() -> None:
    import pygame

    env = BoardGameEnv("tictactoe", render_mode="human")
    env.reset()
    env.step(4)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(0)
    assert not pygame.display.get_init()
    env.step(1)
    assert not pygame.display.get_init()
    env.close()
    env.step(2)
    assert pygame.display.get_init()  # after close() another one opens
    env.close()
    assert not pygame.display.get_init()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_have_a_window_of_their_own(copied: Any) -> None:
    import pygame

    env = BoardGameEnv("tictactoe", render_mode="human")
    env.reset()
    env.step(4)
    twin, other = copied(env), copied(env)
    twin.step(0)  # takes pygame's only window over
    env.close()
    assert pygame.display.get_init()
    twin.close()
    assert not pygame.display.get_init()
    other.step(0)
    assert pygame.display.get_init()
    other.close()
    assert not pygame.display.get_init()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"render_mode": "rgb"}, "render_mode must be None, 'ansi', 'svg', 'rgb_array', 'human', got 'rgb'"),
        ({"render_mode": "svg", "screen_size": 0}, "screen_size must be a whole number, from 16 to 8192, got 0"),
    ],
)
def test_bad_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BoardGameEnv("tictactoe", **arguments)


def test_a_game_without_a_board_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    game = make_game("tictactoe").replace(board=None)
    env = BoardGameEnv(game, render_mode="human")
    assert env.metadata["render_modes"] == ["ansi", "human"]
    env.reset()
    env.step(4)
    assert capsys.readouterr().out == ("0 3 6\n1 4 7\n2 5 8\nplayer_1 to move\n0 3 6\n1 X 7\n2 5 8\nplayer_2 to move\n")
    assert env._repr_svg_() is None
    for mode in ("svg", "rgb_array"):
        with pytest.raises(ValueError, match=r"tictactoe needs a board=Board\(…\)"):
            BoardGameEnv(game, render_mode=mode)


def test_nothing_is_drawn_before_the_start() -> None:
    env = BoardGameEnv("tictactoe", render_mode="svg")
    assert env._repr_svg_() is None
    with pytest.raises(AttributeError, match="before reset"):
        env.render()


def test_gymnasium_renders_alike() -> None:
    for mode, kind in (("ansi", str), ("svg", str), ("rgb_array", np.ndarray), ("human", type(None))):
        env = gymnasium.make("plyground/Othello-v0", render_mode=mode, screen_size=120)
        env.reset(seed=0)
        assert isinstance(env.render(), kind)
        env.close()


def test_labels_of_many_columns() -> None:
    assert letters(3) == ("a", "b", "c")
    assert letters(30)[24:] == ("y", "z", "aa", "ab", "ac", "ad")
    assert letters(27, skip="i")[7:] == (*"hjklmnopqrstuvwxyz", "aa", "ab")
    assert len(set(letters(702))) == 702
    assert numbers_up(3) == ("3", "2", "1")  # from the top row down
