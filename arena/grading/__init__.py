"""Grades of players: by exact solving, on a ladder of other players, and over the checkpoints of a training run.

Start with `grades`, or with `ladder`; `placing` finds a player's place on a ladder in few games. May import the
packages below with the room `jit` of `plyground.envs`, the files of `plyground.arena`, and the rooms `openings`,
`ratings`, `records` and `tournaments`.
"""

from .calibration import Bin, Calibration, calibrate
from .curve import CurvePoint, learning_curve
from .evaluation import Evaluation, evaluate
from .grades import Blunder, Grade, Grades, Mean, Share, grade
from .ladder import LADDERS, Ladder, Rung, climb
from .positions import SolvedPositions, committed_positions, load_positions, save_positions
from .sampling import solve_positions

__all__ = [
    "LADDERS",
    "Bin",
    "Blunder",
    "Calibration",
    "CurvePoint",
    "Evaluation",
    "Grade",
    "Grades",
    "Ladder",
    "Mean",
    "Rung",
    "Share",
    "SolvedPositions",
    "calibrate",
    "climb",
    "committed_positions",
    "evaluate",
    "grade",
    "learning_curve",
    "load_positions",
    "save_positions",
    "solve_positions",
]
