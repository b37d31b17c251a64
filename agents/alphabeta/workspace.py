"""The memory of an alpha-beta search: arrays that are allocated once, and the record of its options and counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, state_dtype
from ...envs.jit import helper
from ..search import DEEPEST, most_positions
from .table import new_table

__all__ = [
    "BOUND",
    "MOST_PAST",
    "PROVED",
    "STATUS",
    "Workspace",
    "new_workspace",
    "root_dtype",
    "set_line",
    "statistics",
]

# What the value of a candidate at the root is.
BOUND = 1  # only an upper bound of the value at this depth
PROVED = 2  # as it is in the whole game: the depth limit had no part in it

MOST_PAST = 256  # earlier positions of the game that are known: no more plies than that go by without progress

# Options are read from here, and not from arguments, because the kernel calls itself: each argument would be passed on
# at every position, and options of other types would be compiled anew.
STATUS = state_dtype(
    # What to do: the options, which `AlphaBeta` explains.
    ordered="u1",  # whether hash_move, killers or history is on
    hash_move="u1",
    killers="u1",
    history="u1",
    pvs="u1",
    by_depth="u1",  # whether the table keeps the deeper of two entries
    fold="u1",
    all_best="u1",
    deeper_entries="u1",
    captures="u1",
    countermoves="u1",
    penalties="u1",
    check_extensions="u1",
    deep_reductions="u1",
    exchange_pruning="u1",
    unfinished="u1",
    quiescence_table="u1",
    table_static="u1",
    spare_checks="u1",
    goes_on="u1",  # whether anything is searched behind the depth limit
    lengthens="u1",  # whether the best line goes on by what the table knows, at the price of some time for each depth
    age="u1",  # the number of this search, modulo 256
    lmr="i8",  # 0: off
    quiescence="i8",  # plies; 0: off
    aspiration="f8",  # 0: off
    margin="f8",
    singular="f8",  # below 0: off
    null_move="i8",  # plies; 0: off
    late_pruning="i8",  # 0: off
    internal_reductions="i8",  # plies that must be left; 0: off
    futility="f8",  # 0: off
    delta="f8",  # 0: off
    null_margin="f8",  # 0: off
    razoring="f8",  # 0: off
    quiet_exchange="f8",  # 0: off
    times="i8",  # that a position must stand on the board for a draw; 0: off
    top="f8",  # the largest utility: a value this large is proved
    longest="i8",  # the ply beyond which nothing is extended
    iteration="i8",  # the depth being searched
    budget="i8",  # positions to visit
    limit="i8",  # positions to visit in the depth being searched
    first_limit="i8",  # positions to visit in the first depth, before it is searched without noisy moves
    stop="i8",  # whether to give up; another thread may set it
    # The keys of the game's positions and of the line, see `plyground.agents.alphabeta.repeating`.
    before="i8",  # how many of them come before the root
    path=("u8", (MOST_PAST + DEEPEST + 2,)),
    # What was counted, beginning with `nodes`.
    nodes="i8",  # positions visited
    leaves="i8",  # positions where the search stopped
    horizon="i8",  # values that the depth limit decided, mostly, and not the end of the game or a proof
    deepest="i8",  # the longest line, in plies
    probes="i8",  # positions looked up in the table
    hits="i8",  # positions found there
    answers="i8",  # positions whose entry made a search unnecessary
    cutoffs="i8",  # positions where a move made the others unnecessary
    first_cutoffs="i8",  # positions where the first move did
    researches="i8",  # searches repeated because a null window or a reduced search found the move too good
    failures="i8",  # windows of the root that the value was outside of
    reductions="i8",  # late moves searched less deep
    extensions="i8",  # singular moves searched deeper
    margin_cutoffs="i8",  # positions pruned by the margin
    forced="i8",  # positions searched deeper because the player to move is forced
    null_cutoffs="i8",  # positions where even a pass was good enough
    futile="i8",  # positions that were so much better than β that nothing was searched
    pruned="i8",  # moves that were not tried
    repeated="i8",  # draws by repetition
    undefined="i8",  # whether an evaluation was NaN, which compares with nothing: the answer means nothing
)


class Workspace(NamedTuple):
    """The arrays of a search. They are few because a recursive call passes each of them on."""

    states: NDArray[Any]  # [plies + 1] the line being searched
    frames: NDArray[Any]  # [plies + 1] what is kept for each ply of the line, see `_frame_dtype`
    # [4, actions] for each player how often a move cut off, deep cut-offs weighing more; and for each player what cut
    # off after a move, the action and 1 more
    history: NDArray[np.int64]
    table: NDArray[Any]  # [slots] the transposition table; [0]: none
    status: NDArray[Any]  # [1] the options and counts, a `STATUS`


def _frame_dtype(game: Game) -> np.dtype[Any]:
    actions = (game.num_actions,)
    return state_dtype(
        moves=("i4", actions),  # the legal actions
        scores=("i8", actions),  # how promising each legal action is
        killers=("i4", (2,)),  # the last moves that cut off at this ply
        line=("i4", (min(game.max_plies, DEEPEST) + 1,)),  # the best line from here on, ended by -1
        previous="i4",  # the move that led here; -1: none, or a pass
        after_pass="u1",  # whether the last move was a pass, of the search and not of the game
    )


def root_dtype(game: Game) -> np.dtype[Any]:
    """Return the dtype of what is kept for the root: the candidates, and the answer of the last depth finished."""
    actions = (game.num_actions,)
    return state_dtype(
        count="i8",  # candidates
        moves=("i4", actions),  # [count] the candidates, the most promising first
        values=("f8", actions),  # [count] the candidates' values in the current search; NaN: not searched
        kinds=("u1", actions),  # [count] what these values are: `BOUND` and `PROVED`, added up
        # The answer, once a depth is finished.
        depth="i8",  # the last depth finished; 0: none
        value="f8",  # the value of the best move
        exact="u1",  # whether that value is proved, so that nothing is left to find out
        found=("f8", actions),  # the value of each candidate, by action; NaN: not searched
        found_kinds=("u1", actions),  # what these values are
        line=("i4", (min(game.max_plies, DEEPEST) + 1,)),  # the best line, ended by -1
    )


def new_workspace(game: Game, plies: int, table_mb: float) -> Workspace:
    """Allocate the arrays for searches whose lines are up to ``plies`` long."""
    return Workspace(
        states=np.zeros(plies + 1, game.dtype),
        frames=np.zeros(plies + 1, _frame_dtype(game)),
        history=np.zeros((4, game.num_actions), np.int64),
        table=new_table(table_mb, most_positions(game, plies)),
        status=np.zeros(1, STATUS),
    )


@helper
def set_line(line: Any, move: int, rest: Any) -> None:
    """Write ``move`` and the line ``rest`` behind it."""
    line[0] = move
    for j in range(1, line.size):
        line[j] = rest[j - 1]
        if line[j] < 0:
            return


def statistics(counts: dict[str, int]) -> dict[str, float]:
    """Return what a search counted besides the nodes, from the fields of `STATUS`; a rate of nothing is 0."""
    return {
        "table probes": counts["probes"],
        "table hits": counts["hits"],
        "table answers": counts["answers"],
        "cut-offs": counts["cutoffs"],
        "first-move cut-offs": counts["first_cutoffs"],
        "searches repeated": counts["researches"],
        "windows missed": counts["failures"],
        "reductions": counts["reductions"],
        "extensions": counts["extensions"],
        "margin cut-offs": counts["margin_cutoffs"],
        "check extensions": counts["forced"],
        "null-move cut-offs": counts["null_cutoffs"],
        "futile positions": counts["futile"],
        "moves pruned": counts["pruned"],
        "repetitions": counts["repeated"],
        "table hit rate": counts["hits"] / max(1, counts["probes"]),
        "first-move cut-off rate": counts["first_cutoffs"] / max(1, counts["cutoffs"]),
    }
