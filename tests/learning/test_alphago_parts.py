"""What the parts of AlphaGo's pipeline learn from, and that they learn it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from plyground.agents.networks import new_network
from plyground.arena import write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago import play, train, value
from plyground.arena.training.alphago.learners import PolicyLearner, ValueLearner
from plyground.arena.training.alphago.part import Run
from plyground.arena.training.alphago.records import read_collection, samples_of
from plyground.arena.training.alphago.reinforce import ReinforcePart
from plyground.arena.training.alphago.value import ValuePart
from plyground.arena.training.alphazero.replay import ReplayBuffer
from plyground.arena.training.alphazero.samples import unpack_masks, unpack_planes
from plyground.envs import GameBatch, make_game
from tests.helpers.alphago_runs import small_run

GAME = make_game("tictactoe")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run whose policies are trained, as far as the value network asks for them."""
    path = tmp_path_factory.mktemp("parts")
    write_games(path / "games.jsonl", generate("tictactoe", ["random"], 40))
    settings: dict[str, Any] = {"network": "mlp", "batch_size": 16, "policy_steps": 2, "rl_games": 4}
    config = small_run("tictactoe", path / "games.jsonl", ladder=(), ladder_games=2, solved=0, **settings)
    train(config, path / "run", parts=["policy", "rl"])
    return Run(config, GAME, path / "run")


def lowest(asked: list[Any], net: Any, planes: Any, masks: Any, uniforms: Any) -> Any:
    """Stand for a policy that always plays the first legal action, and note who was asked of how many stones."""
    asked += [(net, int(one.sum())) for one in planes]
    return masks.argmax(1)


def test_the_value_network_sees_the_position_after_the_random_move(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it the policy from records plays, after it the one by play; the result is that of the player to move."""
    asked: list[tuple[Any, int]] = []
    monkeypatch.setattr(value, "drawn", lambda *given: lowest(asked, *given))
    # In place of a random move the last legal one, so that the games are known.
    monkeypatch.setattr(
        GameBatch, "random_actions", lambda batch, rows: 8 - (batch.masks[rows] != 0)[:, ::-1].argmax(1)
    )
    part = ValuePart(run)
    samples = part._single_positions(200, seed=3)
    planes, masks = unpack_planes(GAME, samples), unpack_masks(GAME, samples)
    after = 0
    for i, sample in enumerate(samples):
        turn, moves, mover = int(sample["ply"]) - 1, list[int](), -1
        state = GAME.new_state()
        while not GAME.is_terminal(state):
            actions = GAME.actions(state)
            if len(moves) == turn + 1:
                mover = GAME.player(state)
                np.testing.assert_array_equal(planes[i], GAME.observation(state, mover))
                assert np.flatnonzero(masks[i]).tolist() == actions
            moves.append(actions[-1] if len(moves) == turn else actions[0])
            GAME.play(state, moves[-1])
        assert sample["result"] == GAME.utility(state, mover)
        after += len(moves) - turn - 1
    assert len(set(samples["ply"].tolist())) > 3
    assert set(samples["result"].tolist()) >= {-1, 1}
    assert sum(net is part.second for net, _ in asked) == after
    assert min(stones for net, stones in asked if net is part.second) == 1
    assert min(stones for net, stones in asked if net is part.first) == 0


def test_whole_games_are_those_of_the_policy_by_play(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, int]] = []
    monkeypatch.setattr(play, "drawn", lambda *given: lowest(asked, *given))
    part = ValuePart(run)
    part.plies = 0
    samples = part._whole_games(3, seed=0)
    assert all(net is part.second for net, _ in asked)
    state, plies = GAME.new_state(), 0
    seen = unpack_planes(GAME, samples)
    line = samples["ply"].max() + 1
    assert samples["ply"].tolist() == [*range(line)] * 3
    assert samples["game"].tolist() == [0] * line + [1] * line + [2] * line
    movers = []
    while not GAME.is_terminal(state):
        movers.append(GAME.player(state))
        np.testing.assert_array_equal(seen[plies], GAME.observation(state, movers[-1]))
        GAME.play(state, GAME.actions(state)[0])
        plies += 1
    assert plies == line
    assert samples["result"][:line].tolist() == [GAME.utility(state, mover) for mover in movers]


def test_both_nets_are_tested_on_held_out_games_of_either_kind(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A net of whole games was tested on positions of another kind alone, which are harder or not by themselves."""
    part = ValuePart(Run(replace(run.config, value_games=20, value_steps=1), GAME, run.path))
    played: dict[str, int] = {"_single_positions": 0, "_whole_games": 0}
    for way in played:
        play_some = getattr(part, way)

        def marked(count: int, seed: int, way: str = way, play_some: Any = play_some) -> Any:
            samples = play_some(count, seed=seed)
            samples["result"] = played[way] = played[way] + 1
            return samples

        monkeypatch.setattr(part, way, marked)
    while part.steps < part.total:
        part.turn()
    results = {name: set(part.buffers[name].newest(99)["result"].tolist()) for name in part.wanted}
    assert results == {"one": {1}, "test": {2}, "whole": {1}, "whole test": {2}}
    assert {name: buffer.total for name, buffer in part.buffers.items()} == part.wanted
    found = part.finish()
    for kind in ("one position a game", "whole games"):
        assert {"train", "test", "whole test"} == found[kind].keys()
        assert found[kind]["whole test"] > found[kind]["train"]  # (2 - v)² and (1 - v)²


def batches(tmp_path: Path) -> Any:
    """Return the positions of games of a player that knows what it wants, and the results, as batches."""
    write_games(tmp_path / "games.jsonl", generate("tictactoe", ["alphabeta(depth=9)"], 60, opening_plies=(0, 4)))
    found = read_collection(GAME, [str(tmp_path / "games.jsonl")], test_share=0.3)
    buffer = ReplayBuffer(tmp_path / "positions", GAME, lambda total: total)
    for samples in samples_of(GAME, found.train):
        samples["result"] = [found.train[one["game"]].outcome[one["ply"] % 2] for one in samples]
        buffer.append(samples)
    rng = np.random.default_rng(0)
    return lambda: buffer.sample(64, rng, symmetry=True)


@pytest.mark.parametrize(("learner", "loss"), [(PolicyLearner, "policy"), (ValueLearner, "value")])
def test_what_is_learned_falls(run: Run, tmp_path: Path, learner: Any, loss: str) -> None:
    sample = batches(tmp_path)
    learning = learner(run.config.descending(), new_network(GAME, "mlp", seed=0))
    losses = [learning.learn(sample())[loss] for _ in range(150)]
    assert np.mean(losses[-20:]) < 0.8 * np.mean(losses[:5])


def test_opponents_are_past_selves(run: Run) -> None:
    """The pool begins with the policy from records, and grows; who plays is drawn from it."""
    part = ReinforcePart(Run(replace(run.config, pool_every=2), GAME, run.path))
    (first,), asked, taken = part.pool, list[Any](), part._net
    part._net = lambda weights: asked.append(weights) or taken(weights)
    for _ in range(12):
        part.turn()
    assert len(part.pool) == 7
    assert part.pool[0] is first
    assert all(any(one is past for past in part.pool) for one in asked)
    assert len({id(one) for one in asked}) > 2
    assert (part.pool[0]["policy.last.weight"] != part.pool[-1]["policy.last.weight"]).any()


@pytest.mark.parametrize("ending", [".db", *(pytest.param(one, marks=pytest.mark.slow) for one in (".pdn", ".pgn"))])
def test_collections_of_other_formats(tmp_path: Path, ending: str) -> None:
    spec = {".pdn": "checkers", ".pgn": "chess(max_quiet_plies=12)", ".db": "tictactoe"}[ending]
    if ending == ".pgn":
        pytest.importorskip("chess")
    game = make_game(spec)
    records = list(generate(game, ["random"], 12, opening_plies=(0, 4)))
    path = tmp_path / f"games{ending}"
    write_games(path, records)
    found = read_collection(game, [str(path)], test_share=0.3)
    assert found.faults == []
    assert found.read == 12
    lines = {tuple(one.moves) for one in (*found.train, *found.test)}
    assert lines == {tuple(one.moves) for one in records}
    positions = np.concatenate(list(samples_of(game, found.train)))
    assert len(positions) > 10
