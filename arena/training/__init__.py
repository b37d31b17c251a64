"""Training of policies: configuration, opponents, networks, and runs that can be interrupted.

Start with `run`. May import the packages below and the files of `plyground.arena`, and no other room of it.
"""

from .config import TrainingConfig
from .folder import RunFolder
from .model import new_model
from .run import check_unfinished, resume, train
from .session import Progress

__all__ = ["Progress", "RunFolder", "TrainingConfig", "check_unfinished", "new_model", "resume", "train"]
