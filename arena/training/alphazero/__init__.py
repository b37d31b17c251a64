"""AlphaZero: self-play with a net inside the search, and learning from it, in runs that can be interrupted.

Start with `run`, then `session`: the loop. `self_play` makes the samples, `replay` keeps them, `learner` learns from
them. May import the packages below, the rooms `training` and `grading`, and the files of `plyground.arena`.
"""

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
