"""Networks inside a search: they are shown what the environment shows, and asked a batch at a time."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import PUCT, ObservationEvaluator, policy_evaluator, torch_evaluator
from plyground.agents.puct.forest import Forest
from plyground.envs import BoardGameEnv, Game, GameBatch, Repetition, go, make_game, tictactoe
from tests.conftest import GAMES
from tests.helpers.repeats import circle

Seen = tuple[NDArray[Any], NDArray[np.bool_]]


class Watch:
    """Answers with priors and values that depend on what it is shown, and keeps that."""

    def __init__(self) -> None:
        self.shown: list[Seen] = []

    def __call__(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> Any:
        self.shown.append((observations, masks))
        sums = (observations.reshape(len(masks), -1) * np.arange(1, observations[0].size + 1)).sum(axis=1) % 97
        return 1 + (sums[:, None] * np.arange(1, masks.shape[1] + 1)) % 11, (sums - 48) / 200


def seen_in_games(game: Game, agent: PUCT, tree_moves: list[int]) -> dict[bytes, NDArray[np.bool_]]:
    """Return what the environment shows the player to move, with the mask, in all games that the search may look at."""
    env: Any = BoardGameEnv(game)
    found = {}
    tree = agent._tree
    lines: list[tuple[int, list[int]]] = [(0, [])]
    assert tree is not None
    while lines:
        node, line = lines.pop()
        env.reset(options={"moves": [*tree_moves, *line]})
        observation, *_ = env.last()
        state = env.infos[env.agent_selection]["state"]
        legal = np.isin(np.arange(game.num_actions), game.actions(state))
        found[observation["observation"].tobytes()] = legal
        for child in range(tree.first_child[node], tree.first_child[node] + tree.child_count[node]):
            next_line = [*line, int(tree.action[child])]
            if tree.visits[child] and not game.is_terminal(game.play_moves([*tree_moves, *next_line])):
                lines.append((child, next_line))
    return found


@pytest.mark.parametrize(
    ("spec", "opening"), [("tictactoe", 1), pytest.param("go(board_size=3, superko=simple)", 6, marks=pytest.mark.slow)]
)
def test_a_network_sees_what_the_environment_shows(spec: str, opening: int) -> None:
    game = make_game(spec)
    env: Any = BoardGameEnv(game)
    env.reset()
    for _ in range(opening):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    observation, *_, info = env.last()
    watch = Watch()
    agent = PUCT(game, 150, evaluator=ObservationEvaluator(watch), batch=16)
    before = observation["observation"].copy()
    agent.act(observation, info)
    first, mask = watch.shown[0]
    assert first.dtype == game.observation_dtype
    np.testing.assert_array_equal(first, before[None])
    np.testing.assert_array_equal(mask[0], observation["action_mask"] != 0)
    expected = seen_in_games(game, agent, list(env.moves))
    shown = [
        (row.tobytes(), legal) for planes, masks in watch.shown[1:] for row, legal in zip(planes, masks, strict=True)
    ]
    assert len(shown) > 100
    for planes, legal in shown:
        np.testing.assert_array_equal(expected[planes], legal)
    assert max(len(masks) for _, masks in watch.shown) > 8


def stroll() -> Game:
    """Return a game that both players walk round a ring; a plane tells that a position has come again."""
    shown = Repetition("draw", times=9, channel=2)
    return circle().replace(observation_shape=(1, 9, 3), repetition=shown)


SHOWN_AGAIN = [game for game in map(make_game, GAMES) if game.repetition and game.repetition.channel is not None]
THERE_AND_BACK = {"chess": ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"], "circle": [0, 2, 1, 3, 0]}


@pytest.mark.slow
@pytest.mark.parametrize("game", [stroll(), *SHOWN_AGAIN], ids=lambda game: game.name)
def test_a_root_that_has_come_again_is_shown_as_in_the_environment(game: Game) -> None:
    env, batch, watch = BoardGameEnv(game), GameBatch(game, 1), Watch()
    agents = [PUCT(game, 20, evaluator=ObservationEvaluator(watch), root=root) for root in ("puct", "gumbel")]
    forest = Forest(game, 1, simulations=20)

    def asked(planes: NDArray[Any], masks: NDArray[np.bool_]) -> Any:
        return tuple(part.astype(np.float32) for part in watch(planes.copy(), masks))

    assert game.repetition is not None
    for plies in range(6):
        options = {"moves": THERE_AND_BACK[game.name][:plies]}
        env.reset(options=options)
        batch.reset(options=options)
        observation, *_, info = env.last()
        both = [env.observe(name)["observation"].copy() for name in env.possible_agents]
        expected = both[env.possible_agents.index(env.agent_selection)]
        assert (expected[..., game.repetition.channel] == (plies >= 4)).all()
        np.testing.assert_array_equal(batch.seen_by_both(), [both])
        for agent in (*agents, None):
            watch.shown.clear()
            if agent is not None:
                agent.act(observation, info)
            else:
                forest.forget()
                forest.search(batch.states, asked, shown=batch.seen_by_both())
            np.testing.assert_array_equal(watch.shown[0][0], [expected])
    with pytest.raises(ValueError, match="tell of earlier positions: a search needs `shown`"):
        forest.search(batch.states, asked)


def test_what_a_search_cannot_show_is_refused() -> None:
    game = go(board_size=5)
    agent = PUCT(game, 20, evaluator=ObservationEvaluator(Watch()))
    agent.analyse(game.new_state())  # nothing came before
    state = game.play_moves([0, 1])
    with pytest.raises(ValueError, match=r"last 8 positions of go.*analyse\(state, observation=observation\)"):
        agent.analyse(state)
    with pytest.raises(ValueError, match=r"evaluate\(states, observations, masks\)"):
        agent.evaluate(np.array([state], game.dtype))
    env: Any = BoardGameEnv(game)
    env.reset(options={"moves": [0]})
    with pytest.raises(ValueError, match="does not show the position that is searched"):
        agent.analyse(state, observation=env.last()[0])
    with pytest.raises(ValueError, match=r"has shape \(5, 5, 17\), got \(9,\)"):
        agent.analyse(state, observation=np.zeros(9))
    env.step(1)
    observation = env.last()[0]
    assert agent.analyse(state, observation=observation).leaves == 20
    priors, values = agent.evaluate(
        np.array([state], game.dtype), observation["observation"][None], observation["action_mask"][None]
    )
    assert (priors.shape, values.shape) == ((1, 26), (1,))
    unknown = go(board_size=5).replace(history_swap=None)
    with pytest.raises(ValueError, match="give the game a history_swap"):
        PUCT(unknown, 20, evaluator=ObservationEvaluator(Watch()))
    with pytest.raises(ValueError, match="history_swap must name each channel"):
        go(board_size=3).replace(history_swap=(0, 0))


def test_copies_share_the_network() -> None:
    evaluator = ObservationEvaluator(Watch())
    agent = PUCT("tictactoe", 30, evaluator=evaluator)
    assert copy.deepcopy(agent).evaluator is evaluator
    start = tictactoe().new_state()
    assert pickle.loads(pickle.dumps(agent)).analyse(start).visits == agent.analyse(start).visits


class TestTorch:
    def network(self, channels_first: bool = False) -> Any:
        torch = pytest.importorskip("torch")

        class Network(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.body, self.drop = torch.nn.Linear(18, 10), torch.nn.Dropout(0.5)

            def forward(self, planes: Any) -> Any:
                assert planes.shape[1:] == ((2, 3, 3) if channels_first else (3, 3, 2))
                assert planes.dtype == torch.float32
                out = self.drop(self.body(planes.flatten(1)))
                return out[:, :9], torch.tanh(out[:, 9:])

        torch.manual_seed(0)
        return Network()

    @pytest.mark.parametrize("channels_first", [False, True])
    def test_priors_and_values_are_the_networks(self, channels_first: bool) -> None:
        network = self.network(channels_first)
        import torch

        game = tictactoe()
        state = game.play_moves([4, 0])
        agent = PUCT(game, 10, evaluator=torch_evaluator(network, channels_first=channels_first, temperature=2.0))
        priors, values = agent.evaluate(np.array([state], game.dtype))
        assert network.training  # as it was
        network.eval()
        planes = torch.as_tensor(game.observation(state, 0))[None].float()
        with torch.no_grad():
            logits, value = network(planes.movedim(-1, 1) if channels_first else planes)
        weights = np.exp(logits[0].numpy() / 2)
        weights[[0, 4]] = 0
        np.testing.assert_allclose(priors[0], weights / weights.sum(), rtol=1e-5)
        assert values[0] == pytest.approx(float(value))
        assert agent.analyse(state).leaves == 10

    def test_a_wrong_temperature(self) -> None:
        with pytest.raises(ValueError, match="temperature must be a number above 0, got 0"):
            torch_evaluator(self.network(), temperature=0)


@pytest.mark.parametrize("name", ["PPO", "DQN"])
def test_a_model_of_stable_baselines3(name: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    from plyground.agents import Policy
    from plyground.envs import SoloEnv

    game = tictactoe()
    model = getattr(sb3, name)("MlpPolicy", SoloEnv(game, "random"), device="cpu", seed=0)
    agent = PUCT(game, 60, evaluator=policy_evaluator(model, temperature=0.5), batch=16)
    state = game.play_moves([4, 0])
    priors, values = agent.evaluate(np.array([state], game.dtype))
    policy, planes = Policy(game, model), game.observation(state, 0)[None]
    mask = np.isin(np.arange(9), game.actions(state))[None]
    weights = np.where(mask, np.exp(policy.scores_of(planes, mask) / 0.5), 0)
    np.testing.assert_allclose(priors, weights / weights.sum())
    np.testing.assert_allclose(values, policy.values_of(planes, mask))
    assert agent.analyse(state).leaves == 60
    with pytest.raises(ValueError, match="trained for another game than connect_four"):
        PUCT("connect_four", evaluator=policy_evaluator(model))
