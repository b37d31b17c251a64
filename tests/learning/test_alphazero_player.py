"""AlphaZero's networks as players: with a search and without, in matches, batches and PettingZoo's own loop."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import AlphaZero, Minimax, Policy, identity, make
from plyground.agents.identity import player_identity
from plyground.arena import match, read_records
from plyground.arena.store import players_in
from plyground.envs import BoardGameEnv, GameBatch, as_opponents, make_game

pytest.importorskip("torch")

from plyground.agents.alphazero.agent import _BatchedAlphaZero
from plyground.agents.networks import NetworkEvaluator, inference, make_inference, new_network, save_network
from tests.learning.test_networks import stirred

GAME = make_game("tictactoe")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run, with a network that nobody has trained, but which tells positions apart."""
    path = tmp_path_factory.mktemp("run")
    save_network(path / "model.safetensors", stirred(new_network(GAME, "tiny", seed=1)))
    return path


@pytest.mark.parametrize("decisive", [False, True])
def test_search_finds_what_minimax_finds(decisive: bool) -> None:
    agent, minimax = AlphaZero(GAME, new_network(GAME, "tiny", seed=1), 400, decisive=decisive), Minimax(GAME)
    for moves in ([4, 0, 1, 7, 5], [0, 8, 2, 1, 6], [4, 0, 8, 2]):
        state = GAME.play_moves(moves)
        found, exact = agent.analyse(state), minimax.analyse(state)
        assert found.value == exact.value
        assert found.best_action in exact.best_actions
        assert found.pv[0] == found.best_action
        if exact.value != 0 or not decisive:  # a move that is proved a draw may be tried for ever, and the others never
            assert found.exact
            assert found.kind_of(found.best_action) == "exact"


def test_same_network_same_moves_whichever_way_it_is_asked(folder: Path) -> None:
    agent = AlphaZero(GAME, folder, simulations=20)
    state = GAME.play_moves([4, 0])
    before = agent.analyse(state)
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent)), agent):
        again = other.analyse(state)
        assert (again.visits, again.value, again.best_action) == (before.visits, before.value, before.best_action)
    assert sum(before.visits.values()) == before.leaves == 20
    np.testing.assert_allclose(sum(before.priors.values()), 1, atol=1e-5)


def test_copies_search_side_by_side(folder: Path) -> None:
    """They asked one network, and wrote into each other's positions."""
    agent = AlphaZero(GAME, folder, simulations=200)
    states = [GAME.play_moves(moves) for moves in ([], [4], [0, 4], [1, 3, 5])]
    expected = [agent.analyse(state).visits for state in states]
    copies = [copy.deepcopy(agent) for _ in states]
    for one in copies:
        assert isinstance(one.evaluator, NetworkEvaluator)
        assert one.evaluator.inference is one.inference is not agent.inference
    with ThreadPoolExecutor(len(states)) as pool:
        for _ in range(5):
            assert [one.visits for one in pool.map(AlphaZero.analyse, copies, states)] == expected


def test_seconds_and_masks(folder: Path) -> None:
    agent = AlphaZero(GAME, str(folder), seconds=0.05)
    agent.prepare()
    mask = np.zeros(9)
    mask[[2, 7]] = 1
    found = agent.analyse(GAME.new_state(), mask)
    assert found.best_action in (2, 7)
    assert found.visits.keys() == {2, 7}
    assert found.leaves >= 2  # on a machine that is busy, no more


def test_network_alone_never_plays_an_illegal_move(folder: Path) -> None:
    agent = make(f"network({str(folder)!r}, deterministic=False, seed=0)", GAME)
    assert isinstance(agent, Policy)
    env = BoardGameEnv(GAME)
    for seed in range(3):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            env.step(None if terminated or truncated else agent.act(observation, info))
        assert not env.agents
    again = pickle.loads(pickle.dumps(agent))
    planes, mask = GAME.observation(GAME.new_state(), 0), np.ones(9, np.bool_)
    np.testing.assert_array_equal(again.scores(planes, mask), agent.scores(planes, mask))
    assert again.scores(planes, mask).any()


@pytest.mark.parametrize("spec", ["alphazero({!r}, simulations=8)", "network({!r})"])
def test_in_matches_and_in_batches(folder: Path, spec: str) -> None:
    spec = spec.format(str(folder))
    records = match(GAME, [spec, "random"], 4, seed=0)
    assert [record.ending for record in records] == ["finished"] * 4
    agent, batch = make(spec, GAME), GameBatch(GAME, 5, opening_plies=(2, 2), seed=1)
    rows = np.arange(5)
    chosen = as_opponents(spec, GAME).act(batch, rows)
    env = BoardGameEnv(GAME)
    for row in rows:
        env.reset(options={"state": batch.states[row]})
        assert agent.act(env.observe(env.agent_selection), env.infos[env.agent_selection]) == chosen[row]


@pytest.mark.parametrize("spec", ["alphazero({!r}, simulations=2)", "network({!r})"])
def test_what_computes_a_network_is_told_and_makes_no_other_player(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    """Games depend on it, though the spec says no more than "auto"."""
    spec, store = spec.format(str(folder)), tmp_path / "games.db"
    monkeypatch.setattr(inference, "_installed", lambda name: name == "torch")
    computed = player_identity(spec, GAME)["computed"]
    assert computed == {"backend": "torch", "precision": make_inference(folder, "torch").precision}
    match(GAME, [spec, "random"], 2, store=store)
    kept = list(read_records(store))
    assert [one.get("computed") for one in players_in(store)] == [computed, None]
    monkeypatch.setattr(identity, "computing", lambda backend, device: {"backend": "openvino", "precision": "bf16"})
    assert match(GAME, [spec, "random"], 2, store=store, resume=True) == kept  # they are not played again
    assert [one.get("computed") for one in players_in(store)] == [computed, None]


@pytest.mark.slow
def test_what_is_set_later_is_heeded_in_batches_too(folder: Path) -> None:
    batch, rows = GameBatch(GAME, 40, opening_plies=(2, 2), seed=1), np.arange(40)
    given, later = (AlphaZero(GAME, folder, 20, root="puct", c=c).batched() for c in (9.0, 1.25))
    assert given is not None
    assert isinstance(later, _BatchedAlphaZero)
    before = later.act(batch, rows)
    later.agent.c = 9.0
    assert (later.act(batch, rows) == given.act(batch, rows)).all()
    assert (later.act(batch, rows) != before).any()


@pytest.mark.slow
def test_past_boards_are_shown_below_the_root(tmp_path: Path) -> None:
    game = make_game("go(board_size=5)")
    save_network(tmp_path / "go.safetensors", stirred(new_network(game, "tiny")))
    agent = AlphaZero(game, tmp_path / "go.safetensors", simulations=8)
    env, played = BoardGameEnv(game), [12, 7, 6]
    env.reset(options={"moves": played})
    observation, info = env.observe(env.agent_selection), env.infos[env.agent_selection]
    shown, evaluator = list[bytes](), agent.evaluator
    assert isinstance(evaluator, NetworkEvaluator)
    inference: Any = evaluator.inference

    def noted(planes: NDArray[Any]) -> Any:
        shown.extend(one.tobytes() for one in planes)
        return inference(planes)

    evaluator.inference = noted  # pyright: ignore[reportAttributeAccessIssue]
    assert info["action_mask"][agent.act(observation, info)]
    expected = {observation["observation"].tobytes()}
    for action in game.actions(info["state"]):
        env.reset(options={"moves": [*played, action]})
        expected.add(env.observe(env.agent_selection)["observation"].tobytes())
    assert len(set(shown)) > 5
    assert len(set(shown) & expected) > 3
    assert set(shown) <= expected  # eight simulations visit eight candidates
    evaluator.inference = inference
    with pytest.raises(ValueError, match="pass the environment's observation"):
        agent.analyse(info["state"])


def test_bad_arguments_are_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"for tictactoe, not for connect_four: give .* \(at the command line by --game\)"
    ):
        make(f"alphazero({str(folder)!r})", "connect_four")
    with pytest.raises(FileNotFoundError, match="no network for mnk comes with the package"):
        make("alphazero", "mnk")
    with pytest.raises(FileNotFoundError, match="or the folder of a run of `plyground train alphazero"):
        make(f"network({str(tmp_path)!r})", GAME)
    with pytest.raises(ValueError, match="simulations must be a whole number above 0, got 0"):
        make(f"alphazero({str(folder)!r}, simulations=0)", GAME)
    with pytest.raises(ValueError, match=r"1000 simulations need more than tree_mb=0.01, .*: give tree_mb more, or"):
        make(f"alphazero({str(folder)!r}, simulations=1000, tree_mb=0.01)", GAME)
    make(f"alphazero({str(folder)!r}, simulations=1000, tree_mb=100)", GAME)
    with pytest.raises(ValueError, match="unknown root 'gumble': did you mean 'gumbel'"):
        make(f"alphazero({str(folder)!r}, root='gumble')", GAME)
    (tmp_path / "model.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="is no network of plyground, or damaged"):
        make(f"alphazero({str(tmp_path)!r})", GAME)
