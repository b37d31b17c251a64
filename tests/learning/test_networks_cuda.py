"""Networks on a GPU, where torch has one: asked there, trained there, and back on the CPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.agents import make  # noqa: E402
from plyground.agents.networks import make_inference, new_network, read_network  # noqa: E402
from plyground.arena.training.alphazero import AlphaZeroConfig, resume, run_folder, train  # noqa: E402
from plyground.arena.training.alphazero.session import AlphaZeroSession  # noqa: E402
from plyground.envs import make_game  # noqa: E402
from tests.helpers.alphazero_play import SMALL_RUN  # noqa: E402
from tests.learning.test_networks import planes_of, stirred  # noqa: E402
from tests.learning.test_networks_inference import NETWORKS, asked  # noqa: E402

DEVICE = "cuda"
CONFIG = replace(SMALL_RUN, actors=0, steps=200, device=DEVICE)  # two turns: 8 plies of 16 games each

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch has no CUDA here")


@pytest.mark.parametrize(("spec", "size", "changes"), NETWORKS)
@pytest.mark.parametrize(("precision", "share"), [("f32", 0.01), ("bf16", 0.1)])
def test_answers_are_those_of_the_cpu(
    spec: str, size: str, changes: dict[str, Any], precision: Any, share: float
) -> None:
    """In float32 convolutions may be computed with ten bits of mantissa."""
    game = make_game(spec)
    net, planes = stirred(new_network(game, size, **changes)), planes_of(game, 20)
    logits, values = asked(make_inference(net, "torch", batch=20, precision="f32"), planes)
    there = make_inference(net, batch=8, precision=precision, device=DEVICE)
    assert (there.backend, there.precision) == ("torch", precision)
    for count in (20, 8, 3):
        found = asked(there, planes[:count])
        assert found[0].dtype == found[1].dtype == np.float32
        np.testing.assert_allclose(found[0], logits[:count], atol=share * float(logits.std()))
        np.testing.assert_allclose(found[1], values[:count], atol=0.5 * share)


def test_new_weights_are_taken() -> None:
    game = make_game("tictactoe")
    one, other = (stirred(new_network(game, "tiny"), seed) for seed in (1, 2))
    planes = planes_of(game, 6)
    there = make_inference(one, "torch", batch=6, precision="f32", device=DEVICE)
    before = asked(there, planes)[0]
    there.update(other)
    expected = asked(make_inference(other, "torch", batch=6, precision="f32"), planes)[0]
    np.testing.assert_allclose(asked(there, planes)[0], expected, atol=0.01 * float(expected.std()))
    assert not np.allclose(before, expected, atol=0.01 * float(expected.std()))


@pytest.mark.parametrize("threads", [1, 2])  # with two, one asks the net while the other one learns
def test_a_run_learns_there_and_goes_on_there_and_on_the_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    places = set[str]()
    turn = AlphaZeroSession.turn

    def watched(session: AlphaZeroSession) -> None:
        turn(session)
        places.update(weights.device.type for weights in session.learner.net.parameters())

    monkeypatch.setattr(AlphaZeroSession, "turn", watched)
    begun = train(replace(CONFIG, threads=threads), tmp_path / "run")
    assert begun.steps == 256
    assert begun.learned > 0
    assert all(np.isfinite(loss) for loss in begun.losses.values())
    assert places == {DEVICE}
    there = resume(tmp_path / "run", steps=300)
    assert there.learned > begun.learned
    assert places == {DEVICE}
    places.clear()
    here = resume(tmp_path / "run", steps=400, device="cpu")
    assert here.learned > there.learned
    assert places == {"cpu"}
    assert AlphaZeroConfig.load(tmp_path / "run" / "config.json").device == "cpu"


def test_a_network_that_learned_there_plays_on_the_cpu(tmp_path: Path) -> None:
    train(CONFIG, tmp_path / "run")
    game, (checkpoint,) = make_game("tictactoe"), run_folder(tmp_path / "run").checkpoints.iterdir()
    assert read_network(checkpoint).weights["policy.last.weight"].any()  # a new one's are 0
    planes = planes_of(game, 9)
    answers = [
        asked(make_inference(checkpoint, "torch", batch=9, precision="f32", device=device), planes)
        for device in (DEVICE, "cpu")
    ]
    for there, here in zip(*answers, strict=True):
        np.testing.assert_allclose(there, here, atol=0.01)
    state, mask = game.play_moves([4]), np.arange(9) != 4
    for spec in (f"network({str(checkpoint)!r})", f"alphazero({str(tmp_path / 'run')!r}, simulations=4)"):
        assert mask[make(spec, game).act(game.observation(state, 1), {"state": state, "action_mask": mask})]
