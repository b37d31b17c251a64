"""What all players have in common: they sit at our tables and at others'."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3, tictactoe_v3

from plyground.agents import (
    MCTS,
    Agent,
    AlphaBeta,
    FlatMonteCarlo,
    Human,
    Minimax,
    Mixture,
    Random,
    SearchAgent,
    legal_mask,
    make,
    state_of,
)
from plyground.arena import play
from plyground.envs import BoardGameEnv, Game, connect_four, tictactoe
from tests.conftest import PLAYED, random_game

SPECS = [
    "flat(simulations=50, seed=0)",
    "random(seed=0)",
    "minimax(depth=2)",
    "alphabeta(depth=3)",
    "mcts(simulations=50, seed=0)",
    "mixture(random, alphabeta(depth=1), seed=0)",
]


@pytest.mark.parametrize("game", PLAYED, indirect=True)
@pytest.mark.parametrize("spec", SPECS)
def test_in_the_plain_loop_of_every_game(game: Game, spec: str) -> None:
    env = BoardGameEnv(game, illegal="raise")
    players = {env.possible_agents[0]: make(spec, game), env.possible_agents[1]: Random(game, seed=1)}
    assert all(isinstance(player, Agent) for player in players.values())
    env.reset(seed=0)
    total = 0.0
    for name in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        total += reward
        env.step(None if termination or truncation else players[name].act(observation, info))
    assert total == 0
    assert len(env.moves) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    ("classic", "name"),
    [(connect_four_v3, "connect_four"), (tictactoe_v3, "tictactoe")],
    ids=["connect_four", "tictactoe"],
)
def test_on_classic_environments_as_on_ours(classic: Any, name: str, spec: str) -> None:
    same_games(classic, name, spec)


@pytest.mark.parametrize("spec", ["network", pytest.param("alphazero(simulations=16)", marks=pytest.mark.slow)])
def test_networks_on_a_classic_environment_as_on_ours(spec: str) -> None:
    same_games(connect_four_v3, "connect_four", spec)


def same_games(classic: Any, name: str, spec: str) -> None:
    """Check a game on another's environment: the state is rebuilt from the observation, and the seeds are the same."""
    records = []
    for env in (classic.env(), BoardGameEnv(name)):
        players = [make(spec, name), make("alphabeta(depth=2)", name)]
        records.append(play(env, players, seed=4))
    assert records[0].moves == records[1].moves
    assert records[0].outcome == records[1].outcome
    assert records[0].ending == "finished"


def searcher_of(agent: type[SearchAgent]) -> SearchAgent:
    """Return such a player of Connect Four, which sees what wins at once."""
    game = connect_four()
    made: tuple[SearchAgent, ...] = (
        Minimax(game, 4), AlphaBeta(game, 4), MCTS(game, 500, seed=0), FlatMonteCarlo(game, 500, seed=0)
    )  # fmt: skip
    return next(one for one in made if type(one) is agent)


@pytest.mark.parametrize("agent", [Minimax, AlphaBeta, MCTS, FlatMonteCarlo])
class TestSearchAgents:
    def test_answer_is_about_the_position_and_leaves_it(
        self, agent: type[SearchAgent], rng: np.random.Generator
    ) -> None:
        game = tictactoe()
        for state in random_game(game, rng)[:-1]:
            before = state.copy()
            found = agent(game).analyse(state)
            assert state == before
            assert found.best_action in game.actions(state)
            assert found.best_action in found.best_actions
            assert found.pv[0] == found.best_action
            assert set(found.values) <= set(game.actions(state))
            assert found.nodes >= 2
            assert found.leaves >= 1
            assert found.depth >= 1
            assert found.seconds > 0

    def test_finished_games_and_other_games(self, agent: type[SearchAgent]) -> None:
        game = tictactoe()
        won = game.play_moves([0, 3, 1, 4, 2])
        with pytest.raises(ValueError, match="the game of tictactoe is over"):
            agent(game).analyse(won)
        with pytest.raises(ValueError, match="state must be one state of tictactoe"):
            agent(game).analyse(connect_four().new_state())
        with pytest.raises(ValueError, match=r"info\['state'\] must be one state of tictactoe"):
            agent(game).act({"observation": np.zeros((3, 3, 2))}, {"state": connect_four().new_state()})
        with pytest.raises(ValueError, match="does it come from another game"):
            agent(game).act({"observation": np.zeros((6, 7, 2))}, {})
        with pytest.raises(ValueError, match="unknown game 'shogi'"):
            agent("shogi")

    def test_predict_is_that_of_stable_baselines3(self, agent: type[SearchAgent]) -> None:
        game = connect_four()
        states = [
            game.play_moves(moves) for moves in ([3, 0, 3, 0, 3, 1], [0, 3, 1, 3, 1, 3, 0])
        ]  # win, and stop a win
        planes = np.stack([game.observation(state, game.player(state)) for state in states])
        searcher = searcher_of(agent)
        assert [searcher.analyse(state).best_action for state in states] == [3, 3]
        for batch in (planes, planes.reshape(2, -1), {"observation": planes, "action_mask": np.ones((2, 7))}):
            actions, hidden = searcher.predict(batch, deterministic=True)
            assert (actions.tolist(), actions.dtype, hidden) == ([3, 3], np.int64, None)
        for single in (planes[0], planes[0].ravel(), {"observation": planes[0]}):
            action, hidden = searcher.predict(single, state="kept")
            assert (int(action), action.shape, hidden) == (3, (), "kept")
        none, hidden = searcher.predict(planes[:0], action_masks=np.ones((0, 7)))
        assert (none.shape, none.dtype, hidden) == ((0,), np.int64, None)
        masks = np.zeros((2, 7))
        masks[[0, 1], [0, 5]] = 1  # what wins is no candidate
        for batch, given in ((planes, masks), ({"observation": planes, "action_mask": masks}, None)):
            assert searcher.predict(batch, action_masks=given)[0].tolist() == [0, 5]
        seen = {"observation": planes, "action_mask": np.ones((2, 7))}
        assert searcher.predict(seen, action_masks=masks)[0].tolist() == [0, 5]  # those that are given by themselves
        assert searcher.predict({"observation": planes[1], "action_mask": masks[1]})[0] == 5
        with pytest.raises(ValueError, match=r"action_masks must have shape \(2, 7\), .*, got \(7,\)"):
            searcher.predict(planes, action_masks=np.ones(7))
        with pytest.raises(ValueError, match="another game"):
            searcher.predict(np.zeros((2, 9)))
        with pytest.raises(ValueError, match=r"no planes: expected observation\['observation'\], got a dict of"):
            searcher.predict({"board": planes})


class TestRandom:
    def test_plays_every_legal_action_alike(self) -> None:
        agent = Random(seed=0)
        observation = {"observation": np.zeros(1), "action_mask": np.array([0, 1, 1, 0, 1], np.int8)}
        counts = np.bincount([agent.act(observation) for _ in range(3000)], minlength=5)
        assert counts[[0, 3]].sum() == 0
        assert counts[[1, 2, 4]].min() > 900

    def test_seed(self) -> None:
        mask = {"action_mask": np.ones(50)}
        agent = Random(seed=1)
        first = [agent.act(mask) for _ in range(5)]
        agent.reset(seed=1)
        assert [agent.act(mask) for _ in range(5)] == first
        agent.reset()
        assert [agent.act(mask) for _ in range(5)] != first

    def test_predict_reads_masks(self) -> None:
        masks = np.eye(4, dtype=bool)
        actions, _ = Random().predict(np.zeros((4, 2)), action_masks=masks)
        assert actions.tolist() == [0, 1, 2, 3]
        assert Random().predict({"action_mask": masks[2]})[0] == 2

    def test_needs_a_mask(self) -> None:
        with pytest.raises(ValueError, match="no action mask"):
            Random().act(np.zeros(3))
        with pytest.raises(ValueError, match="no action is legal"):
            Random().act({"action_mask": np.zeros(3)})
        assert Random().act(np.zeros(3), {"action_mask": np.array([0, 0, 1])}) == 2


class TestHuman:
    def human(self, *answers: str) -> tuple[Human, list[str]]:
        said: list[str] = []
        left = list(answers)

        def ask(prompt: str) -> str:
            said.append(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        return Human("tictactoe", ask=ask, show=said.append), said

    def test_asks_until_the_move_is_legal(self) -> None:
        game = tictactoe()
        human, said = self.human("corner", "9", "4", " 0 ")
        observation = {"observation": game.observation(game.play_moves([4]), 1)}
        assert human.act(observation, {}) == 0
        assert said[0] == "0 3 6\n1 X 7\n2 5 8"
        assert said[1].startswith("Your move (0, 1, 2, 3, 5, 6, 7, 8;")
        assert "tictactoe has no action 'corner'" in said[2]
        assert "tictactoe has no action '9'" in said[4]
        assert said[6] == "4 is not a legal move now."

    def test_of_many_moves_only_some_are_named(self) -> None:
        said: list[str] = []
        human = Human("go_9x9", ask=lambda prompt: said.append(prompt) or "e5", show=said.append)
        state = human.game.new_state()
        mask = np.ones(82, np.int8)
        assert human.act({}, {"state": state, "action_mask": mask}) == 40
        assert said[1] == "Your move (such as F5; ? for help): "

    def test_help_and_words_of_ones_own(self) -> None:
        said: list[Any] = []
        left = ["?", "Wait", "", "4"]
        wait = ("do nothing", lambda state: said.append("waited"))
        human = Human(
            "tictactoe", lambda prompt: left.pop(0), said.append, board=lambda s: "board", commands={"wait": wait}
        )
        assert human.act({}, {"state": tictactoe().new_state()}) == 4
        assert said[0] == "board"
        assert said[1].splitlines() == [
            "Legal moves: 0 1 2 3 4 5 6 7 8",
            "  wait    do nothing",
            "  quit    leave the game",
        ]
        assert said[2:] == ["waited"]

    def test_a_move_that_the_mask_forbids_is_asked_for_again(self) -> None:
        human, said = self.human("4", "0")
        mask = np.ones(9, np.int8)
        mask[4] = 0
        assert human.act({}, {"state": tictactoe().new_state(), "action_mask": mask}) == 0
        assert said[2] == "4 is not a legal move now."

    @pytest.mark.parametrize("answers", [("q",), ("QUIT",), ()])
    def test_gives_up(self, answers: tuple[str, ...]) -> None:
        human, _ = self.human(*answers)
        human.reset(seed=1)
        with pytest.raises(KeyboardInterrupt):
            human.act({"observation": np.zeros((3, 3, 2))})


class TestMixture:
    class Constant:
        def __init__(self, action: int) -> None:
            self.action, self.resets = action, 0

        def reset(self, seed: int | None = None) -> None:
            self.resets += 1

        def act(self, observation: Any, info: Any = None) -> int:
            return self.action

    def test_one_agent_a_game_by_weight(self) -> None:
        agents = [self.Constant(action) for action in range(3)]
        mixture = Mixture("connect_four", *agents, weights=[1, 2, 7], seed=0)
        played = []
        for _ in range(1000):
            mixture.reset()
            first = mixture.act({})
            assert mixture.act({}) == first
            played.append(first)
        np.testing.assert_allclose(np.bincount(played) / 1000, [0.1, 0.2, 0.7], atol=0.04)
        assert [agent.resets for agent in agents] == np.bincount(played).tolist()

    def test_seed(self) -> None:
        mixture = Mixture("connect_four", *[self.Constant(action) for action in range(9)])
        draws = []
        for _ in range(2):
            draws.append([])
            for seed in range(20):
                mixture.reset(seed=seed)
                draws[-1].append(mixture.act({}))
        assert draws[0] == draws[1]
        assert len(set(draws[0])) > 4

    def test_the_agent_that_was_drawn_watches_and_tells_what_it_found(self) -> None:
        class Watcher(self.Constant):
            def __init__(self) -> None:
                super().__init__(0)
                self.seen: list[int] = []

            def watch(self, action: int) -> None:
                self.seen.append(action)

        watcher = Watcher()
        record = play(BoardGameEnv("tictactoe"), [Mixture("tictactoe", watcher), "random"], seed=0)
        assert watcher.seen == record.moves
        minimax = Mixture("tictactoe", "minimax(depth=1)")
        assert minimax.last_analysis is None
        record = play(BoardGameEnv("tictactoe"), [minimax, "random"], seed=0, analyses=True)
        assert record.analyses is not None
        assert record.analyses[0] is not None
        assert minimax.last_analysis is not None
        minimax.watch(0)  # who has nothing to watch is told nothing


def test_state_and_mask_are_found_where_they_are() -> None:
    game = tictactoe()
    state = game.play_moves([4])
    planes = game.observation(state, 1)
    assert (
        state_of(game, planes)
        == state_of(game, {"observation": planes})
        == state_of(game, planes, {"state": state})
        == state
    )
    assert legal_mask({"action_mask": np.array([1, 0])}).tolist() == [1, 0]
