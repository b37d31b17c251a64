"""Networks as ONNX: files for other programs, and run by ONNX Runtime on the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.extras import how_to_install
from ...envs.outside.files import check_writable
from ...envs.outside.whole_files import write_whole
from ...envs.version import __version__
from .backend import Backend
from .config import NetworkConfig
from .files import SavedNetwork, read_network
from .graph import Weights, build

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    raise ImportError(f"ONNX files need the library onnx ({error}): {how_to_install('onnx')}") from error

if TYPE_CHECKING:
    from .module import PolicyValueNet

__all__ = ["OnnxRuntime", "export_onnx", "onnx_model"]

_OPSET = 17
_IR = 8  # of that opset: runtimes of the year 2022 and later read it


class OnnxRuntime(Backend):
    """See `make_inference`."""

    def __init__(self, threads: int, precision: str) -> None:
        if precision == "bf16":
            raise ValueError(
                "onnxruntime computes in f32 here: choose precision 'f32', or backend 'openvino' or 'torch'"
            )
        self.precision: Literal["f32", "bf16"] = "f32"
        self._threads = threads
        self._session: Any = None

    def load(self, config: NetworkConfig, weights: Weights) -> None:
        """Take a network and its weights."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self._threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads leave the cores
        options.log_severity_level = 3
        data = onnx_model(config, weights).SerializeToString()
        self._session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    def run(self, planes: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, num_actions] and values [n]."""
        logits, values = self._session.run(None, {"planes": planes.astype(np.float32)})
        return logits, values[:, 0]


def onnx_model(config: NetworkConfig, weights: Weights) -> onnx.ModelProto:
    """Return a network as an ONNX model: ``planes`` [batch, H, W, C] to ``logits`` and ``values`` [batch, 1]."""
    ops = _Nodes()
    logits, values = build(config, weights, ops, "planes")
    ops.node("Identity", logits, to="logits")
    ops.node("Identity", values, to="values")
    graph = helper.make_graph(
        ops.nodes,
        f"plyground {config.game}",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["batch", *config.observation_shape])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", config.num_actions]),
            helper.make_tensor_value_info("values", TensorProto.FLOAT, ["batch", 1]),
        ],
        ops.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET)]
    model = helper.make_model(
        graph, ir_version=_IR, opset_imports=opsets, producer_name="plyground", producer_version=__version__
    )
    helper.set_model_props(model, {"config": config.to_json()})
    return model


def export_onnx(net: PolicyValueNet | SavedNetwork | str | Path, out: str | Path) -> None:
    """Write a network as an ONNX file.

    Its input ``planes`` is float32 [batch, *observation_shape], what the environment shows; its outputs are ``logits``
    [batch, num_actions], those of illegal actions included, and ``values`` [batch, 1], for the players to move. The
    model's property ``config`` is the configuration as JSON. Auxiliary heads are left out.

    Args:
        net: the network, its file, or the folder of a training run.
        out: the file to write, as in ``"model.onnx"``.

    Raises:
        FileNotFoundError: there is no such network, or no folder to write in.
        ValueError: the network's file is damaged.
        ImportError: onnx is not installed.
    """
    out = Path(out)
    check_writable(out)
    if isinstance(net, (str, Path)):
        net = read_network(net)
    model = onnx_model(net.config, net.weights if isinstance(net, SavedNetwork) else net.weights())
    onnx.checker.check_model(model, full_check=True)
    write_whole(out, model.SerializeToString())


class _Nodes:
    """The `Operations` of ONNX, which append nodes of a graph; a tensor is its name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def node(self, kind: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        """Append a node, and return the name of its output."""
        to = to or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [to], **attributes))
        return to

    def constant(self, array: NDArray[Any]) -> str:
        """Append a constant, and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def convolution(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        around = [weight.shape[2] // 2] * 4
        return self.node("Conv", x, self.constant(weight), self.constant(bias), pads=around)

    def linear(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        return self.node("Gemm", x, self.constant(weight), self.constant(bias), transB=1)

    def add(self, x: str, y: str) -> str:
        return self.node("Add", x, y)

    def multiply(self, x: str, factor: float) -> str:
        return self.node("Mul", x, self.constant(np.array(factor, np.float32)))

    def relu(self, x: str) -> str:
        return self.node("Relu", x)

    def tanh(self, x: str) -> str:
        return self.node("Tanh", x)

    def softmax(self, x: str) -> str:
        return self.node("Softmax", x, axis=1)

    def concatenate(self, parts: list[str]) -> str:
        return self.node("Concat", *parts, axis=1)

    def mean(self, x: str) -> str:
        return self.node("ReduceMean", x, axes=[2, 3], keepdims=0)

    def maximum(self, x: str) -> str:
        return self.node("ReduceMax", x, axes=[2, 3], keepdims=0)

    def over_board(self, x: str, channels: int) -> str:
        return self.node("Reshape", x, self.constant(np.array([-1, channels, 1, 1])))

    def flatten(self, x: str, units: int) -> str:
        return self.node("Reshape", x, self.constant(np.array([-1, units])))

    def channels_first(self, x: str) -> str:
        return self.node("Transpose", x, perm=[0, 3, 1, 2])
