"""MLPs whose first layer has features of windows of the board: against the plain meaning of these, and their bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import networks
from plyground.envs import make_game
from tests.learning.test_networks import planes_of, stirred

torch = pytest.importorskip("torch")

NO_MORE_LAYERS = "mlp3@2+2-9"


@pytest.mark.parametrize(
    ("spec", "size"),
    [
        ("connect_four", "mlp5@4+7-6"),
        ("connect_four(rows=4, columns=5)", "mlp3@4+2-8-6"),
        ("tictactoe", "mlp4@1+3-5"),
        ("go(board_size=5)", "mlp2@5+4-3"),
        ("tictactoe", NO_MORE_LAYERS),
    ],
)
def test_a_feature_is_of_one_window_and_the_same_in_all(spec: str, size: str) -> None:
    """The net by its plain meaning: each window is cut out and seen by the same few units, one after the other."""
    game = make_game(spec)
    changes: dict[str, Any] = {"blocks": 0, "units": ()} if size == NO_MORE_LAYERS else {}
    net = stirred(networks.new_network(game, size, **changes))
    config, weights = net.config, net.weights()
    rows, columns, _ = game.observation_shape
    side = config.window
    assert config.windows == (rows - side + 1) * (columns - side + 1)
    for planes in planes_of(game, 12).astype(np.float32):
        hidden = [*(weights["first.weight"] @ planes.ravel() + weights["first.bias"])]
        for row in range(rows - side + 1):
            for column in range(columns - side + 1):
                # As a convolution's, the weights of a window stand plane by plane.
                window = planes[row : row + side, column : column + side].transpose(2, 0, 1)
                hidden += [*(weights["windows.weight"] @ window.ravel() + weights["windows.bias"])]
        hidden = np.maximum(hidden, 0)
        assert len(hidden) == config.widths[0]
        for block in range(config.blocks):
            hidden = np.maximum(weights[f"blocks.{block}.weight"] @ hidden + weights[f"blocks.{block}.bias"], 0)
        logits = weights["policy.last.weight"] @ hidden + weights["policy.last.bias"]
        value = np.tanh(weights["value.last.weight"] @ hidden + weights["value.last.bias"])
        outputs = net(torch.from_numpy(planes[None]))
        np.testing.assert_allclose(outputs.logits[0].detach(), logits, atol=1e-5)
        np.testing.assert_allclose(outputs.value.detach(), value, atol=1e-5)


def test_a_size_with_windows_and_its_file(tmp_path: Path) -> None:
    game = make_game("connect_four")
    net = stirred(networks.new_network(game, "mlp64@4+256-256-256"))
    config = net.config
    assert (config.kind, config.channels, config.units) == ("mlp", 256, (256, 256))
    assert (config.features, config.window, config.windows, config.widths) == (64, 4, 12, (1024, 256, 256))
    weights = net.weights()
    assert weights["windows.weight"].shape == (64, 4 * 4 * 2)
    assert weights["blocks.0.weight"].shape == (256, 12 * 64 + 256)
    networks.save_network(tmp_path / "net.safetensors", net)
    again = networks.read_network(tmp_path / "net.safetensors")
    assert again.config == config
    planes = planes_of(game, 6)
    logits, values = (array.copy() for array in networks.make_inference(net, "torch", precision="f32")(planes))
    read = networks.make_inference(again, "torch", precision="f32")(planes)
    assert np.array_equal(read[0], logits)
    assert np.array_equal(read[1], values)


def test_configurations_without_windows_are_written_as_before() -> None:
    assert set(json.loads(networks.network_config(make_game("tictactoe"), "mlp").to_json())) == {
        *("game", "observation_shape", "num_actions", "kind", "blocks", "channels", "value", "policy", "pooling"),
        "auxiliary",
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": 0}, "a window and features of it, or neither"),
        ({"features": 0}, "a window and features of it, or neither"),
        ({"kind": "resnet", "units": ()}, "a window and features of it, or neither, other nets none"),
        ({"window": 7}, r"windows of 7×7 cells need planes H×W×C of at least that size, got the shape \(6, 7, 2\)"),
        ({"window": -4}, "window of a network must be from 0 to 1024, got -4"),
        ({"features": 2.5}, "features of a network must be from 0 to"),
        ({"features": 9999}, "a first layer of 256 units and 9999 features of each of 12 windows is wider than 65536"),
        ({"observation_shape": (84,)}, r"windows of 4×4 cells need planes H×W×C .* got the shape \(84,\)"),
    ],
)
def test_windows_that_make_no_network(changes: dict[str, Any], message: str) -> None:
    config = networks.network_config(make_game("connect_four"), "mlp64@4+256-256-256")
    with pytest.raises(ValueError, match=message):
        networks.NetworkConfig.from_json(json.dumps({**json.loads(config.to_json()), **changes}))


def test_a_window_that_the_board_has_no_room_for_is_refused_before_training_begins(tmp_path: Path) -> None:
    from plyground.arena.training.alphazero import AlphaZeroConfig, train

    config = AlphaZeroConfig("tictactoe", network="mlp8@4+8-8", steps=10)
    with pytest.raises(ValueError, match="windows of 4×4 cells need planes"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()
