"""Networks: what they are made of, their heads, their files, boards of other sizes, and PUCT with one."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import PUCT
from plyground.agents.networks import (
    NetworkConfig,
    NetworkEvaluator,
    PolicyValueNet,
    load_network,
    make_inference,
    network_config,
    new_network,
    read_network,
    save_network,
)
from plyground.envs import Game, make_game

torch = pytest.importorskip("torch")

ALL = ("plies_left", "ownership", "score")
WINDOWLESS = ("mlp8@+8-8", "mlp@4+8-8", "mlp8@0+8-8", "mlp8@4-8-8", "mlp8@4+8", "8@4+8-8")  # no sizes with windows


def stirred(net: PolicyValueNet, seed: int = 0) -> PolicyValueNet:
    """Return the network with weights none of which is zero, as after some training."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.1)
    return net


def planes_of(game: Game, count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return what the players to move see in positions of random games."""
    rng, state, found = np.random.default_rng(seed), game.new_state(), []
    for _ in range(count):
        found.append(game.observation(state, game.player(state)))
        game.play(state, int(rng.choice(game.actions(state))))
        if game.is_terminal(state):
            state = game.new_state()
    return np.stack(found)


@pytest.mark.parametrize(
    ("spec", "policy"),
    [
        *(("tictactoe", "cells"), ("mnk(m=4, n=3, k=3)", "cells"), ("gomoku", "cells"), ("othello", "cells")),
        *(("go(board_size=5)", "cells"), ("connect_four", "dense"), ("checkers", "dense")),
    ],
)
def test_policy_by_cells_where_actions_are_cells(spec: str, policy: str) -> None:
    assert network_config(make_game(spec)).policy == policy


@pytest.mark.parametrize("value", ["tanh", "wdl"])
@pytest.mark.parametrize(("spec", "size"), [("connect_four(rows=4, columns=5)", "small"), ("go(board_size=5)", "tiny")])
def test_outputs(spec: str, size: str, value: str) -> None:
    game = make_game(spec)
    outputs = stirred(new_network(game, size, value=value, auxiliary=ALL))(torch.from_numpy(planes_of(game, 8)).float())
    assert outputs.logits.shape == (8, game.num_actions)
    assert outputs.value.shape == outputs.plies_left.shape == outputs.score.shape == (8,)
    assert outputs.ownership.shape == (8, *game.observation_shape[:2])
    assert bool((outputs.value.abs() <= 1).all())
    assert bool((outputs.plies_left > 0).all())
    assert bool((outputs.ownership.abs() <= 1).all())
    if value == "tanh":
        assert outputs.value_logits is None
    else:
        chances = outputs.value_logits.softmax(1)
        assert torch.allclose(outputs.value, chances[:, 0] - chances[:, 2])


def test_auxiliary_heads_are_left_out_unless_asked_for() -> None:
    outputs = new_network(make_game("tictactoe"), "tiny")(torch.zeros(1, 3, 3, 2))
    assert outputs.plies_left is outputs.ownership is outputs.score is None


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("size", ["tiny", "small", "mlp", "mlp64-32-16", "mlp16@4+32-32-16"])
def test_a_new_network_prefers_nothing_and_learns_in_each_layer(size: str) -> None:
    game = make_game("connect_four")
    net = new_network(game, size, seed=3, auxiliary=("plies_left",))
    planes = torch.from_numpy(planes_of(game, 16)).float()
    outputs = net(planes)
    assert not outputs.logits.any()
    assert not outputs.value.any()
    targets = torch.linspace(-1, 1, 16)
    optimizer = torch.optim.Adam(net.parameters(), 3e-3)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        outputs = net(planes)
        loss = (outputs.value - targets).square().mean() + (outputs.logits[:, 0] - targets).square().mean()
        (loss + (outputs.plies_left / 42 - 0.5).square().mean()).backward()
        losses.append(float(loss.detach()))
        optimizer.step()
    assert losses[-1] < 0.2 * losses[0]
    assert all(bool(parameter.grad.any()) for parameter in net.parameters() if parameter.grad is not None)
    assert all(parameter.grad is not None for parameter in net.parameters())


def test_the_same_seed_gives_the_same_network_and_leaves_torchs_generator_alone(tmp_path: Path) -> None:
    game = make_game("tictactoe")
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first, again, other = (new_network(game, "tiny", seed=seed).weights() for seed in (1, 1, 2))
    save_network(tmp_path / "net.safetensors", new_network(game, "tiny", seed=1))
    load_network(tmp_path / "net.safetensors")
    make_inference(new_network(game, "tiny", seed=1), "torch")
    assert torch.equal(torch.rand(1), expected)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert any(not np.array_equal(first[name], other[name]) for name in first)


def test_the_weights_are_those_of_the_configuration() -> None:
    for spec, size in (
        ("connect_four", "medium"),
        ("go(board_size=5)", "small"),
        ("tictactoe", "mlp"),
        ("tictactoe", "mlp8@2+8-8"),
    ):
        net = new_network(make_game(spec), size, auxiliary=("plies_left", "score"))
        assert {name: array.shape for name, array in net.weights().items()} == net.config.shapes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": "elo"}, "value of a network must be 'tanh' or 'wdl', got 'elo'"),
        ({"blocks": -1}, "blocks of a network must be from 0 to 1000, got -1"),
        ({"channels": 2.5}, "channels of a network must be from 1 to"),
        ({"width": 3}, "a network has no 'width', only"),
        ({"auxiliary": ("moves",)}, "auxiliary of a network must be some of plies_left, ownership, score"),
        ({"policy": "cells", "kind": "mlp"}, "choose policy='dense'"),
        ({"kind": "mlp", "auxiliary": ("ownership",)}, "an MLP knows no cells"),
    ],
)
def test_configurations_that_make_no_network(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        network_config(make_game("tictactoe"), "tiny", **changes)


@pytest.mark.parametrize(
    "size", ["huge", "0x8", "4x", "4x48 ", "٤x8", "4x48x2", "mlp8-", "mlp8-0", "mlp8", 48, ["small"], *WINDOWLESS]
)
def test_unknown_size(size: Any) -> None:
    known = (
        "Choose from: medium, mlp, small, tiny, or as in 4x48, blocks by channels, mlp3x512, layers by units, "
        "mlp1024-256-256, the units of each layer, or mlp64@4+256-256-256, with 64 features of each window of 4x4 cells"
    )
    with pytest.raises(ValueError, match=rf"unknown size of a network {re.escape(repr(size))}: .*{re.escape(known)}"):
        new_network(make_game("tictactoe"), size)


def test_layers_of_an_mlp_may_differ(tmp_path: Path) -> None:
    game = make_game("connect_four(rows=4, columns=5)")
    net = new_network(game, "mlp24-8-6", seed=1)
    assert net.config.widths == (24, 8, 6)
    shapes = {name: weight.shape for name, weight in net.weights().items() if name.endswith("weight")}
    assert shapes == {
        "first.weight": (24, 40),
        "blocks.0.weight": (8, 24),
        "blocks.1.weight": (6, 8),
        "policy.last.weight": (5, 6),
        "value.last.weight": (1, 6),
    }
    save_network(tmp_path / "net.safetensors", net)
    assert read_network(tmp_path / "net.safetensors").config == net.config
    assert network_config(game, "mlp8-8-8").shapes() == network_config(game, "mlp3x8").shapes()
    for changes in ({"units": (8,)}, {"units": (8, 0)}, {"units": [8, 6]}, {"kind": "resnet"}):
        with pytest.raises(ValueError, match="units"):
            network_config(game, "mlp24-8-6", **changes)
    assert "units" not in json.loads(network_config(game, "mlp3x8").to_json())  # which older versions read
    for units in (None, "8-6", [8.0, 6.0], [8, 6, 4], [8, [6]], 8):
        text = json.dumps({**json.loads(net.config.to_json()), "units": units})
        with pytest.raises(ValueError, match="units"):
            NetworkConfig.from_json(text)


def test_a_size_is_blocks_by_channels_or_layers_by_units() -> None:
    game = make_game("tictactoe")
    config = network_config(game, "4x48")
    assert (config.kind, config.blocks, config.channels) == ("resnet", 4, 48)
    assert network_config(game, "mlp2x256") == network_config(game, "mlp")
    for layers in (1, 3):
        net = new_network(game, f"mlp{layers}x8")
        assert [one.shape[0] for name, one in net.weights().items() if name.endswith("weight")] == [8] * layers + [9, 1]
    with pytest.raises(ValueError, match="unknown size of a network 'mlp0x8': did you mean 'mlp'"):
        network_config(game, "mlp0x8")


def test_one_network_plays_on_boards_of_two_sizes() -> None:
    small, large = make_game("go(board_size=5)"), make_game("go(board_size=7)")
    net = stirred(new_network(small, "small"))
    planes = planes_of(large, 5)
    expected = net(torch.from_numpy(planes).float())
    for backend in ("torch", "openvino", "onnxruntime"):
        if backend != "torch":
            pytest.importorskip(backend)
        logits, values = make_inference(net, backend, batch=5, precision="f32", game=large)(planes)
        np.testing.assert_allclose(logits, expected.logits.detach(), atol=2e-4)
        np.testing.assert_allclose(values, expected.value.detach(), atol=2e-4)
    with pytest.raises(ValueError, match=r"made for go\(board_size=5\), not for othello"):
        net.config.on(make_game("othello"))
    with pytest.raises(ValueError, match=r"made for tictactoe, not for mnk: "):
        network_config(make_game("tictactoe")).on(make_game("mnk(m=3, n=3, k=3)"))  # whose planes are alike
    with pytest.raises(ValueError, match="made for connect_four"):
        network_config(make_game("connect_four")).on(make_game("connect_four(rows=4, columns=5)"))


def test_symmetric_positions_have_symmetric_pools() -> None:
    """What a policy by cells sees of the whole board does not depend on where it is: bias and value."""
    net = stirred(new_network(make_game("mnk(m=5, n=5, k=4)"), "tiny", blocks=2))
    with torch.no_grad():
        for parameter in net.parameters():
            if parameter.dim() == 4:  # filters that look the same from left and right
                parameter.copy_((parameter + parameter.flip(3)) / 2)
    planes = torch.from_numpy(planes_of(make_game("mnk(m=5, n=5, k=4)"), 6)).float()
    one, other = net(planes), net(planes.flip(2))
    assert torch.allclose(one.value, other.value, atol=1e-5)
    assert torch.allclose(one.logits.reshape(-1, 5, 5).flip(2), other.logits.reshape(-1, 5, 5), atol=1e-5)


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", [False, True])
def test_saved_and_loaded(tmp_path: Path, half: bool) -> None:
    net = stirred(new_network(make_game("go(board_size=5)"), "small", value="wdl", auxiliary=ALL))
    file = tmp_path / "net.safetensors"
    save_network(file, net, {"seed": 3, "recipe": "60 minutes"}, half)
    config, weights, notes = read_network(file)
    assert config == net.config
    assert notes == {"seed": 3, "recipe": "60 minutes"}
    again = load_network(file)
    for name, array in net.weights().items():
        np.testing.assert_allclose(weights[name], array, rtol=1e-3 if half else 0, atol=1e-4 if half else 0)
        assert np.array_equal(again.weights()[name], weights[name])
    assert file.stat().st_size < (2.1 if half else 4.1) * sum(array.size for array in weights.values()) + 8000
    assert [path.name for path in tmp_path.iterdir()] == ["net.safetensors"]


def test_a_small_network_is_small_enough_to_ship(tmp_path: Path) -> None:
    for spec in ("connect_four", "othello", "gomoku", "go(board_size=9)"):
        save_network(tmp_path / "net", new_network(make_game(spec), "small"), half=True)
        assert (tmp_path / "net").stat().st_size < 500_000


def test_the_folder_of_a_run_stands_for_its_newest_network(tmp_path: Path) -> None:
    net = new_network(make_game("tictactoe"), "tiny")
    save_network(tmp_path / "model.safetensors", net)
    assert read_network(tmp_path).config == net.config
    (tmp_path / "model.safetensors").rename(tmp_path / "model.zip")
    with pytest.raises(FileNotFoundError, match=r"stable-baselines3, and no network: it plays as 'policy\("):
        read_network(tmp_path)  # as to export it: no network had the name


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    net = new_network(make_game("tictactoe"), "tiny")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        save_network(tmp_path / "none" / "net", net)
    with torch.no_grad():
        next(net.parameters()).fill_(1e5)
    save_network(tmp_path / "net", net)
    with pytest.raises(ValueError, match=r"weights first\.weight are not all finite in 16 bits"):
        save_network(tmp_path / "net", net, half=True)


def _with_header(data: bytes, **changes: Any) -> bytes:
    """Return a file with other entries in its header; None removes one."""
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    entries = {**header["__metadata__"], **changes}
    header["__metadata__"] = {name: entry for name, entry in entries.items() if entry is not None}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


def test_damaged_and_foreign_files_are_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "net.safetensors"
    net = stirred(new_network(make_game("tictactoe"), "tiny"))
    save_network(file, net)
    data = file.read_bytes()
    config = json.loads(net.config.to_json())
    nan = bytearray(data)
    nan[-4:] = struct.pack("<f", float("nan"))
    cases = {
        "its header has no format": _with_header(data, format=None),
        "KeyError: 'config'": _with_header(data, config=None),
        "a network's configuration was expected": _with_header(data, config="[1]"),
        "names its game, shape and actions": _with_header(data, config="{}"),
        "blocks of a network must be from": _with_header(data, config=json.dumps({**config, "blocks": 10**9})),
        "weights blocks.1.one.bias are missing": _with_header(data, config=json.dumps({**config, "blocks": 2})),
        "are not of its network": _with_header(data, config=json.dumps({**config, "blocks": 0})),
        "expected": _with_header(data, config=json.dumps({**config, "channels": 17})),
        "RecursionError": _with_header(data, config="[" * 10**5),
        "its notes are no dict": _with_header(data, notes="3"),
        "are not all finite": bytes(nan),
        "is no network of plyground, or damaged": b"",
        "or damaged": b"PK\x03\x04" + data,
    }
    for message, content in cases.items():
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"net\.safetensors' is no network of plyground, or damaged") as caught:
            read_network(file)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400 + len(str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no network"):
        read_network(tmp_path / "none")


def test_any_damage_is_refused_or_harmless(tmp_path: Path) -> None:
    """A byte of a weight that was another number, as finite, was taken for what the net had learned."""
    file = tmp_path / "net.safetensors"
    net = stirred(new_network(make_game("tictactoe"), "tiny"))
    save_network(file, net, {"seed": 3})
    whole = read_network(file)
    data, rng = file.read_bytes(), np.random.default_rng(0)
    messages: list[str] = []
    head = 8 + struct.unpack("<Q", data[:8])[0]
    for trial in range(300):
        damaged = bytearray(data)
        if trial % 3 == 0:
            damaged = damaged[: rng.integers(len(data))]
        for place in rng.integers(0, head if trial % 3 == 1 else len(damaged), 3) if damaged else ():
            damaged[min(place, len(damaged) - 1)] = rng.integers(256)
        file.write_bytes(bytes(damaged))
        try:
            config, weights, notes = read_network(file)
        except ValueError as error:
            messages.append(str(error))
        else:
            assert (config, notes) == (whole.config, whole.notes)
            assert all(np.array_equal(array, whole.weights[name]) for name, array in weights.items())
    assert len(messages) > 250
    assert sum("its digest is that of other contents" in message for message in messages) > 50
    assert not any("\n" in message for message in messages)
    file.write_bytes(_with_header(data, digest=None))  # as versions before wrote it
    assert read_network(file).notes == {"seed": 3}


def test_configuration_survives_json() -> None:
    config = network_config(make_game("othello"), "medium", value="wdl", auxiliary=("plies_left",))
    assert NetworkConfig.from_json(config.to_json()) == config


# -- search ------------------------------------------------------------------------------------------------------------


def test_puct_asks_a_network(tmp_path: Path) -> None:
    game = make_game("tictactoe")
    net = stirred(new_network(game, "tiny"))
    save_network(tmp_path / "net", net)
    evaluator = NetworkEvaluator(tmp_path / "net", precision="f32", batch=8)
    planes = planes_of(game, 4)
    masks = np.array([[planes[row, action // 3, action % 3].sum() == 0 for action in range(9)] for row in range(4)])
    priors, values = evaluator(planes, masks)
    outputs = net(torch.from_numpy(planes).float())
    expected = outputs.logits.masked_fill(torch.from_numpy(~masks), -torch.inf).softmax(1)
    np.testing.assert_allclose(priors, expected.detach(), atol=1e-5)
    np.testing.assert_allclose(values, outputs.value.detach(), atol=1e-5)

    agent = PUCT(game, evaluator=evaluator, simulations=200)
    assert agent.analyse(game.play_moves([0, 3, 1, 4])).best_action == 2  # wins at once
    with pytest.raises(ValueError, match="the network was made for tictactoe, not for mnk"):
        PUCT(make_game("mnk(m=4, n=4, k=3)"), evaluator=evaluator, simulations=2)
    by_two = game.replace(max_utility=2.0, check=False)
    with pytest.raises(ValueError, match=r"values up to 1, for another search, .* up to 2: make an evaluator for each"):
        PUCT(by_two, evaluator=evaluator, simulations=2)  # whose values the first one was told
    np.testing.assert_array_equal(evaluator(planes, masks)[1], values)
    twice = NetworkEvaluator(net, precision="f32", batch=8)
    twice.check(by_two)
    np.testing.assert_allclose(twice(planes, masks)[1], 2 * values, atol=1e-5)
    of_five = NetworkEvaluator(new_network(make_game("go(board_size=5)"), "tiny"))
    with pytest.raises(ValueError, match=r"made ready for go\(board_size=5\): make the evaluator with game="):
        PUCT(make_game("go(board_size=7)"), evaluator=of_five, simulations=2)
    with pytest.raises(ValueError, match="temperature must be a number above 0, got 0"):
        NetworkEvaluator(net, temperature=0)
