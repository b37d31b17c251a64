"""Networks asked by torch, OpenVINO and ONNX Runtime, which must agree; and written as ONNX."""

from __future__ import annotations

import errno
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents.networks import (
    Inference,
    NetworkEvaluator,
    export_onnx,
    make_inference,
    new_network,
    read_network,
    save_network,
)
from plyground.agents.networks.inference import BACKENDS
from plyground.envs import make_game
from tests.learning.test_networks import planes_of, stirred

torch = pytest.importorskip("torch")

from plyground.agents.networks.torch_backend import multiplies_bf16  # noqa: E402
from plyground.arena.training.alphazero import AlphaZeroConfig  # noqa: E402
from plyground.arena.training.alphazero.descent import Descent  # noqa: E402

NETWORKS = [
    ("connect_four", "small", {}),
    ("connect_four", "mlp", {"value": "wdl"}),
    ("connect_four", "mlp64-32-16", {}),
    ("connect_four(rows=4, columns=6)", "mlp6@3+24-16-8", {"value": "wdl"}),
    ("go(board_size=5)", "mlp4@2+8-8", {"auxiliary": ("score",)}),
    ("go(board_size=5)", "small", {"value": "wdl", "auxiliary": ("ownership", "plies_left")}),
    ("tictactoe", "tiny", {"blocks": 2}),
    ("tictactoe", "tiny", {"blocks": 0, "pooling": False}),
]


def asked(inference: Inference, planes: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return copies of the answers."""
    logits, values = inference(planes)
    return logits.copy(), values.copy()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("spec", "size", "changes"), NETWORKS)
def test_backends_agree_with_the_module(backend: str, spec: str, size: str, changes: dict[str, Any]) -> None:
    pytest.importorskip(backend)
    game = make_game(spec)
    net = stirred(new_network(game, size, **changes))
    planes = planes_of(game, 20)
    expected = net(torch.from_numpy(planes).float())
    inference = make_inference(net, backend, batch=8, precision="f32")
    assert (inference.backend, inference.precision) == (backend, "f32")
    for count in (20, 8, 1, 0, 13):  # more than a batch, one, a part of one, none
        logits, values = inference(planes[:count])
        assert logits.dtype == values.dtype == np.float32
        np.testing.assert_allclose(logits, expected.logits[:count].detach(), atol=2e-4)
        np.testing.assert_allclose(values, expected.value[:count].detach(), atol=2e-4)


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_sixteen_bits_are_near(backend: str) -> None:
    pytest.importorskip(backend)
    game = make_game("connect_four")
    net = stirred(new_network(game, "small"))
    planes = planes_of(game, 30)
    expected = net(torch.from_numpy(planes).float())
    inference = make_inference(net, backend, batch=30, precision="bf16")
    assert inference.precision == "bf16"
    logits, values = inference(planes)
    spread = float(expected.logits.detach().std())
    np.testing.assert_allclose(logits, expected.logits.detach(), atol=0.1 * spread)
    np.testing.assert_allclose(values, expected.value.detach(), atol=0.05)


@pytest.mark.parametrize("backend", BACKENDS)
def test_large_batches_of_any_size(backend: str) -> None:
    """Batches of 64 and more are padded to one of a few sizes: what was asked before must not be seen in answers."""
    pytest.importorskip(backend)
    game = make_game("tictactoe")
    net = stirred(new_network(game, "tiny"))
    planes = planes_of(game, 170)
    expected = net(torch.from_numpy(planes).float()).logits.detach()
    inference = make_inference(net, backend, batch=70, precision="f32")
    for count in (170, 70, 69, 64, 63, 9, 8, 1, 35):
        np.testing.assert_allclose(inference(planes[-count:])[0], expected[-count:], atol=1e-4)


def test_a_temperature_divides_the_logits_of_a_network() -> None:
    game = make_game("tictactoe")
    net = stirred(new_network(game, "tiny"))
    planes, masks = planes_of(game, 4), np.ones((4, 9), np.bool_)
    priors, values = NetworkEvaluator(net, precision="f32", batch=8, temperature=2.5)(planes, masks)
    outputs = net(torch.from_numpy(planes).float())
    np.testing.assert_allclose(priors, (outputs.logits / 2.5).softmax(1).detach(), atol=1e-5)
    np.testing.assert_allclose(values, outputs.value.detach(), atol=1e-5)
    assert np.abs(priors - outputs.logits.softmax(1).detach().numpy()).max() > 0.01


@pytest.mark.parametrize("size", ["tiny", "mlp4@2+8-8"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_update_takes_new_weights(backend: str, size: str) -> None:
    pytest.importorskip(backend)
    game = make_game("connect_four(rows=4, columns=5)")
    nets = [stirred(new_network(game, size), seed) for seed in (1, 2)]
    planes = planes_of(game, 6)
    inference = make_inference(nets[0], backend, batch=6, precision="f32")
    before = asked(inference, planes)
    with torch.no_grad():
        next(nets[0].parameters()).zero_()
    assert np.array_equal(asked(inference, planes)[0], before[0])  # it is a copy
    inference.update(nets[1])
    np.testing.assert_allclose(
        inference(planes)[0], nets[1](torch.from_numpy(planes).float()).logits.detach(), atol=1e-4
    )
    with pytest.raises(ValueError, match=r"a network of .* was expected, got"):
        inference.update(new_network(game, "small"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_planes_of_any_kind_and_threads_of_torch(backend: str) -> None:
    pytest.importorskip(backend)
    game = make_game("go(board_size=5)")  # whose planes are bool
    net = stirred(new_network(game, "tiny"))
    planes = planes_of(game, 4)
    planes.flags.writeable = False
    threads = torch.get_num_threads()
    inference = make_inference(net, backend, batch=4, precision="f32", threads=threads + 1)
    expected = asked(inference, planes)[0]
    assert torch.get_num_threads() == threads
    for other in (planes.astype(np.float64), planes.astype(np.int8)):
        np.testing.assert_allclose(inference(other)[0], expected, atol=1e-6)
    turned = planes[:, ::-1]  # a view that goes backwards, which torch takes from nobody
    of_copy = asked(inference, turned.copy())[0]
    np.testing.assert_allclose(inference(turned)[0], of_copy, atol=1e-6)
    assert not np.allclose(of_copy, expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_planes_of_another_shape_are_refused(backend: str) -> None:
    """OpenVINO took one channel for all of them, and answered."""
    pytest.importorskip(backend)
    game = make_game("tictactoe")
    inference = make_inference(new_network(game, "tiny"), backend, batch=4)
    planes = planes_of(game, 4)
    for wrong in (planes[..., :1], planes[:, :, :1], planes.reshape(4, -1), planes[0], planes[:0, :1], np.array(3)):
        told = re.escape(
            f"planes must have shape (n, 3, 3, 2), a row for each position of tictactoe, got {wrong.shape}"
        )
        with pytest.raises(ValueError, match=f"^{told}: "):
            inference(wrong)


@pytest.mark.parametrize("backend", BACKENDS)
def test_pickled_inference_goes_on_with_the_newest_weights(backend: str) -> None:
    pytest.importorskip(backend)
    game = make_game("tictactoe")
    inference = make_inference(new_network(game, "tiny"), backend, batch=3, precision="f32")
    inference.update(stirred(new_network(game, "tiny")))
    planes = planes_of(game, 3)
    expected = asked(inference, planes)
    again = pickle.loads(pickle.dumps(inference))
    assert (again.backend, again.batch, again.precision, again.config) == (backend, 3, "f32", inference.config)
    np.testing.assert_array_equal(again(planes)[0], expected[0])
    assert expected[0].any()


def test_saved_networks_are_asked_without_torch(tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    save_network(tmp_path / "net", new_network(make_game("tictactoe"), "tiny"))
    code = (
        "import sys; from plyground.agents.networks import make_inference; import numpy as np; "
        "assert not {'torch', 'openvino', 'onnx', 'onnxruntime', 'safetensors'} & set(sys.modules); "
        "print(make_inference(sys.argv[1], batch=1)(np.zeros((1, 3, 3, 2)))[1]); assert 'torch' not in sys.modules"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "net")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "[0.]\n"


def test_auto_takes_the_fastest_that_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from plyground.agents.networks import inference

    net = new_network(make_game("tictactoe"), "tiny")
    save_network(tmp_path / "net", net)
    backends = tuple(BACKENDS)  # the fastest first; NumPy, the last, is always here
    for installed in (backends, backends[1:], backends[2:], backends[3:]):
        pytest.importorskip(installed[0])
        monkeypatch.setattr(inference, "_installed", lambda name, installed=installed: name in installed)
        assert make_inference(tmp_path / "net", batch=1).backend == installed[0]
    monkeypatch.setattr(inference, "_installed", lambda name: False)
    with pytest.raises(ImportError, match="backend 'torch' is not installed: pip install"):
        make_inference(net, device="cuda")
    with pytest.raises(ImportError, match=r"backend 'openvino' is not installed: pip install '\.\[fast\]'"):
        make_inference(net, "openvino")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"backend": "jax"}, "backend must be one of auto, openvino, onnxruntime, torch, numpy, got 'jax'"),
        ({"precision": "int8"}, "precision must be auto, f32 or bf16, got 'int8'"),
        ({"batch": 0}, "batch must be a whole number, at least 1, got 0"),
        ({"batch": "8"}, "batch must be a whole number, at least 1, got '8'"),
        (
            {"threads": 10**6},
            "threads must be a whole number, from 1 to 1024, got 1000000",
        ),  # libraries end the process
        ({"backend": "openvino", "device": "cuda"}, "for device 'cuda' choose backend 'torch'"),
        ({"backend": "numpy", "precision": "bf16"}, "numpy computes in f32: choose precision 'f32', or backend"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_inference(new_network(make_game("tictactoe"), "tiny"), **arguments)


def test_a_game_may_be_named() -> None:
    """Names ended in errors of Python's own."""
    named, made = new_network("gomoku(size=5)", "tiny"), new_network(make_game("gomoku(size=5)"), "tiny")
    assert named.config == made.config
    assert make_inference(named, "torch", game="gomoku(size=7)").config.observation_shape[:2] == (7, 7)
    with pytest.raises(ValueError, match="unknown game 'gomoko': did you mean 'gomoku'"):
        make_inference(named, "torch", game="gomoko")
    with pytest.raises(TypeError, match="expected a Game or the name of one, got 3"):
        new_network(3)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seed", [1.5, -1, True, 2**64])
def test_seeds_are_whole_numbers(seed: Any) -> None:
    """Torch cut off what is behind the point, and took others from the end of its range."""
    with pytest.raises(ValueError, match=f"seed must be a whole number, from 0 to 18446744073709551615, got {seed}"):
        new_network("tictactoe", "tiny", seed=seed)
    assert new_network("tictactoe", "tiny", seed=2**64 - 1).config.game == "tictactoe"


def test_what_is_no_network() -> None:
    with pytest.raises(ValueError, match="net must be a network, its file, or the folder of a training run, got 3"):
        make_inference(3)  # pyright: ignore[reportArgumentType]


def test_exported_network_runs_in_onnx_runtime(tmp_path: Path) -> None:
    onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    game = make_game("othello")
    net = stirred(new_network(game, "small", value="wdl", auxiliary=("plies_left",)))
    save_network(tmp_path / "net.safetensors", net)
    for source in (net, tmp_path / "net.safetensors", read_network(tmp_path / "net.safetensors")):
        export_onnx(source, tmp_path / "model.onnx")
        session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
        planes = planes_of(game, 7)
        logits, values = session.run(["logits", "values"], {"planes": planes.astype(np.float32)})
        expected = net(torch.from_numpy(planes).float())
        np.testing.assert_allclose(logits, expected.logits.detach(), atol=2e-4)
        np.testing.assert_allclose(values[:, 0], expected.value.detach(), atol=2e-4)
    properties = {entry.key: entry.value for entry in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert properties == {"config": net.config.to_json()}
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        export_onnx(net, tmp_path / "none" / "model.onnx")


def test_a_full_disk_leaves_no_part_of_an_exported_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a file was left, which stood in the way of the next try."""
    pytest.importorskip("onnx")
    net = new_network(make_game("tictactoe"), "tiny")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for write in (export_onnx, lambda net, path: save_network(path, net)):
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(OSError, match=r"No space left on device: '.*/model'"):
                write(net, tmp_path / "model")
        assert not list(tmp_path.iterdir())


def test_bfloat16_is_for_processors_that_multiply_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = torch.device("cpu")
    for can in (True, False):
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda can=can: can, raising=False)
        assert multiplies_bf16(cpu) is can
        net = new_network(make_game("tictactoe"), "tiny")
        assert Descent(AlphaZeroConfig("tictactoe"), net).is_short is can
        assert Descent(AlphaZeroConfig("tictactoe", precision="f32"), net).is_short is False
        assert make_inference(net, "torch").precision == ("bf16" if can else "f32")
    monkeypatch.delattr(torch.cpu, "_is_avx512_bf16_supported")  # as in older versions of torch
    assert multiplies_bf16(cpu) is False
    for capability, can in (((7, 5), False), ((8, 0), True), ((9, 0), True)):  # a T4, an A100, an H100
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device, capability=capability: capability)
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)  # by emulation, if not else
        assert multiplies_bf16(torch.device("cuda")) is can
    assert multiplies_bf16(torch.device("meta")) is False


SIGNALLED = """
import os, signal, sys
import numpy as np
from plyground.agents.networks import make_inference, new_network
from plyground.envs import make_game

said = []
signal.signal(signal.SIGINT, lambda number, frame: said.append(number))
game = make_game("tictactoe")
planes = np.zeros((64, *game.observation_shape), game.observation_dtype)
made = []
for _ in range(2):
    made.append(make_inference(new_network(game, "tiny"), sys.argv[1], batch=64))
    made[-1](planes)
del made[0]
del made[0]
os.kill(os.getpid(), signal.SIGINT)
print(len(said))
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_signals_are_heard_after_networks_have_gone(backend: str) -> None:
    pytest.importorskip(backend)
    done = subprocess.run([sys.executable, "-c", SIGNALLED, backend], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
