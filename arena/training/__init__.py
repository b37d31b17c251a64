"""Training of policies: configuration, opponents, networks, and runs that can be interrupted."""

from .config import TrainingConfig
from .folder import RunFolder
from .model import new_model
from .run import resume, train
from .session import Progress

__all__ = ["Progress", "RunFolder", "TrainingConfig", "new_model", "resume", "train"]
