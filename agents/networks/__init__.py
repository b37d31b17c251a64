"""Networks that tell a search priors and values: what they are made of, their files, and asking them fast.

Start with `config`, then `module`. Only `PolicyValueNet` itself needs torch; a saved network can be asked without it.
May import `plyground.envs`, the files of `plyground.agents`, and of the room `puct` what its evaluators are.
"""

from typing import TYPE_CHECKING, Any

from .config import AUXILIARY, NetworkConfig, network_config
from .evaluator import NetworkEvaluator
from .files import SavedNetwork, load_network, read_network, save_network
from .inference import Inference, make_inference
from .sizes import SIZES

__all__ = [
    "AUXILIARY",
    "SIZES",
    "Inference",
    "NetworkConfig",
    "NetworkEvaluator",
    "Outputs",
    "PolicyValueNet",
    "SavedNetwork",
    "export_onnx",
    "load_network",
    "make_inference",
    "network_config",
    "new_network",
    "read_network",
    "save_network",
]

if TYPE_CHECKING:
    from .module import Outputs, PolicyValueNet, new_network
    from .onnx_backend import export_onnx
else:  # where a type checker saw `__getattr__`, it would take any name for one of ours

    def __getattr__(name: str) -> Any:
        """Return what needs torch or onnx, when it is asked for."""
        if name in ("Outputs", "PolicyValueNet", "new_network"):
            from . import module

            return getattr(module, name)
        if name == "export_onnx":
            from .onnx_backend import export_onnx

            return export_onnx
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
