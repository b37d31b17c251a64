"""What this room exports."""

from .config import AlphaZeroConfig
from .replay import Batch, ReplayBuffer
from .run import check_unfinished, is_run, resume, run_folder, train
from .samples import new_samples, pack, sample_dtype
from .session import AlphaZeroProgress

__all__ = [
    "AlphaZeroConfig",
    "AlphaZeroProgress",
    "Batch",
    "ReplayBuffer",
    "check_unfinished",
    "is_run",
    "new_samples",
    "pack",
    "resume",
    "run_folder",
    "sample_dtype",
    "train",
]
