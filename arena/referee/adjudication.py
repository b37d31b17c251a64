"""Results that are known before the rules end a game: by perfect play, by resignation, by what both take for a draw."""

from __future__ import annotations

import inspect
import math
import re
from abc import ABC, abstractmethod
from functools import lru_cache
from numbers import Real
from typing import Any, NamedTuple

from ...agents import Solver, make
from ...agents.solver.endings import has_count
from ...envs import Game, State
from ...envs.outside.arguments import checked_whole, is_positive
from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest, parse_spec
from ..wording import counted

__all__ = [
    "ADJUDICATORS",
    "Adjudicator",
    "Draw",
    "Endings",
    "Exact",
    "Position",
    "Resign",
    "Verdict",
    "adjudicator_of",
]


class Position(NamedTuple):
    """What an adjudicator is shown before each move, the first excepted."""

    state: State
    player: int  # to move
    mover: int  # who made the last move
    ply: int  # moves made, those of the opening included
    value: float | None  # of the position before, for the mover, as the mover's search had it, if in the utility


class Verdict(NamedTuple):
    """The result of a game."""

    value: float  # for the first player, in the game's utility
    reason: str  # in a line


class Adjudicator(ABC):
    """Ends games whose result is known. It sees one game after the other, from first to last.

    Two whose ``repr`` is the same judge alike: by it a store knows games of the same conditions. A class with options
    must tell them there; without, its name will do.
    """

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}()"

    def begin(self, game: Game) -> None:  # noqa: B027  (one that remembers nothing has nothing to forget)
        """Begin a game.

        Raises:
            ValueError: it cannot tell anything of this game.
        """

    @abstractmethod
    def look(self, position: Position) -> Verdict | None:
        """Return the result, if it is known in this position."""

    def may_say(self, reason: str, game: Game) -> bool:
        """Return whether a verdict in this game may have this reason; True if that cannot be told."""
        return True


class Exact(Adjudicator):
    """Ends a game as soon as its result with perfect play is known.

    The judge sees the position alone, and not the moves before: where positions may not come again, as in Go, or are
    drawn when they do, that is another question. A solver that is asked about the first moves of chess or checkers
    fills its memory at each of them, in vain: `Endings` waits until few pieces are left.

    Args:
        judge: the spec of an agent whose analyses are exact where they say so: ``"solver"``, or a search, which is
            certain of results within its depth. A solver does without alpha-beta, whose time limit would decide what is
            known, unless the spec has ``seconds``. A search begins each game knowing nothing of others.

    Raises:
        ValueError: the judge is no text.
    """

    def __init__(self, judge: str = "solver") -> None:
        if not isinstance(judge, str):
            raise ValueError(f"judge must be the spec of an agent, 'solver' or a search, got {shown(judge)}")
        self.judge = judge
        self._made: tuple[Game, Any] | None = None

    def __repr__(self) -> str:
        return f"exact(judge={self.judge!r})"

    def begin(self, game: Game) -> None:
        """Make the judge.

        Raises:
            ValueError: there is no such agent, or it tells no values.
        """
        if self._made is None or self._made[0] != game:
            is_solver = self.judge.partition("(")[0].strip() == "solver"
            self._made = game, (_solver if is_solver else _judge)(self.judge, game)
        self._made[1].reset(seed=0)

    def look(self, position: Position) -> Verdict | None:
        """Return the result if the judge is certain."""
        assert self._made is not None, "begin() comes first"
        judge = self._made[1]
        if isinstance(judge, Solver):
            try:
                value = judge.value(position.state)[0]
            except MemoryError:  # nobody knows
                return None
        else:
            analysis = judge.analyse(position.state)
            if not analysis.exact:
                return None
            value = analysis.value
        return Verdict(-value if position.player else value, self._reason)

    def __getstate__(self) -> dict[str, Any]:
        return {"judge": self.judge, "_made": None}

    def may_say(self, reason: str, game: Game) -> bool:
        """Return whether this is the reason of this judge."""
        return reason == self._reason

    @property
    def _reason(self) -> str:
        return f"{self.judge} knows the result"


class Endings(Adjudicator):
    """Ends a game of chess or checkers when few pieces are left, by the result with perfect play.

    That is found by retrograde analysis, and takes the count of quiet plies into account, as
    `plyground.agents.solver.endings` says. Earlier positions, which may be drawn when they come again, do not count.

    Args:
        pieces: how many pieces both players may have together, kings included. All endings of three are solved in
            seconds, and in less than 512 MB. Of four some take more, such as bishop and knight against the king.
        table_mb: megabytes for the solver. An ending that needs more is played on, until another piece is taken.

    Raises:
        ValueError: a number is out of its range.
    """

    def __init__(self, pieces: int = 3, table_mb: float = 512.0) -> None:
        if not is_positive(table_mb):
            raise ValueError(f"table_mb must be a number above 0, got {shown(table_mb)}")
        self.pieces, self.table_mb = checked_whole("pieces", pieces, 2), float(table_mb)
        self._made: tuple[Game, Any] | None = None
        self._most = self.pieces

    def __repr__(self) -> str:
        return f"endings(pieces={self.pieces}, table_mb={_text(self.table_mb)})"

    def begin(self, game: Game) -> None:
        """Make the solver.

        Raises:
            ValueError: the game is neither checkers nor chess, or is the chess of ``classic``.
        """
        if self._made is None or self._made[0] != game:
            if not has_count(game):
                raise ValueError(
                    f"endings must be those of checkers, or of chess without classic, got {game.spec}: in small games "
                    "use 'exact'"
                )
            self._made = game, _solver(f"solver(table_mb={_text(self.table_mb)})", game)
        self._most = self.pieces

    def look(self, position: Position) -> Verdict | None:
        """Return the result if there are few pieces, and they take no more memory than there is."""
        assert self._made is not None, "begin() comes first"
        game, solver = self._made
        pieces = _pieces(game, position.state)
        if pieces > self._most:
            return None
        try:
            value = solver.value(position.state)[0]
        except MemoryError:
            self._most = pieces - 1
            return None
        return Verdict(-value if position.player else value, self._reason(pieces))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_made": None}

    def may_say(self, reason: str, game: Game) -> bool:
        """Return whether this is the reason of an ending of no more pieces."""
        return reason in map(self._reason, range(2, self.pieces + 1))

    def _reason(self, pieces: int) -> str:
        return f"the result of this ending of {pieces} pieces is known"


class Resign(Adjudicator):
    """Ends a game that one player takes for lost.

    A search that was given an ``evaluate`` of one's own never resigns: its values may be in any unit.

    Args:
        score: the value below which a player's position is lost, with the sign turned, as a share of the game's
            ``max_utility``: 0.95 of a win. Who resigns loses all of that, where a game counts by how much it is won,
            too.
        moves: how many of the player's moves in a row.

    Raises:
        ValueError: a number is out of its range.
    """

    def __init__(self, score: float = 0.95, moves: int = 3) -> None:
        self.score, self.moves = _checked_score(score), checked_whole("moves", moves, 1)
        self._lost = [0, 0]

    def __repr__(self) -> str:
        return f"resign(score={_text(self.score)}, moves={self.moves})"

    def begin(self, game: Game) -> None:
        """Forget the last game.

        Raises:
            ValueError: the game has no largest utility.
        """
        self._lost, self._utility, self._limit = [0, 0], game.max_utility, _part_of_utility(self.score, game)

    def look(self, position: Position) -> Verdict | None:
        """Return a loss of who moved last, if that player has seen it for long enough."""
        mover, value = position.mover, position.value
        self._lost[mover] = self._lost[mover] + 1 if value is not None and value <= -self._limit else 0
        if self._lost[mover] < self.moves:
            return None
        return Verdict(self._utility if mover else -self._utility, self._reason(mover, self._limit))

    def may_say(self, reason: str, game: Game) -> bool:
        """Return whether a player resigns for this reason.

        Raises:
            ValueError: the game has no largest utility.
        """
        return _reworded(reason) in [self._reason(mover, _part_of_utility(self.score, game)) for mover in (0, 1)]

    def _reason(self, mover: int, limit: float) -> str:
        return f"the {_ORDINALS[mover]} player resigns: {0 - limit:+g} or less for {counted(self.moves, 'move')}"


class Draw(Adjudicator):
    """Ends a game that both players take for a draw.

    A search that was given an ``evaluate`` of one's own never does: its values may be in any unit.

    Args:
        score: how far from 0 the value may be, for each player, as a share of the game's ``max_utility``.
        moves: how many moves of both players in a row.
        after: how many plies at the start of the game, those of the opening included, do not count.

    Raises:
        ValueError: a number is out of its range.
    """

    def __init__(self, score: float = 0.02, moves: int = 8, after: int = 40) -> None:
        self.score, self.moves = _checked_score(score), checked_whole("moves", moves, 1)
        self.after = checked_whole("after", after, 0)
        self._even = 0

    def __repr__(self) -> str:
        return f"draw(score={_text(self.score)}, moves={self.moves}, after={self.after})"

    def begin(self, game: Game) -> None:
        """Forget the last game.

        Raises:
            ValueError: the game has no largest utility.
        """
        self._even, self._limit = 0, _part_of_utility(self.score, game)

    def look(self, position: Position) -> Verdict | None:
        """Return a draw, if both have seen it for long enough."""
        is_even = position.value is not None and abs(position.value) <= self._limit and position.ply > self.after
        self._even = self._even + 1 if is_even else 0
        if self._even < 2 * self.moves:
            return None
        return Verdict(0.0, self._reason(self._limit))

    def may_say(self, reason: str, game: Game) -> bool:
        """Return whether games are drawn for this reason.

        Raises:
            ValueError: the game has no largest utility.
        """
        return _reworded(reason) == self._reason(_part_of_utility(self.score, game))

    def _reason(self, limit: float) -> str:
        return f"both players see at most {limit:g} for {counted(self.moves, 'move')}: a draw"


_ORDINALS = ("first", "second")
_PLURAL = re.compile(r"\bfor (\d+) moves\b")

ADJUDICATORS: dict[str, type[Adjudicator]] = {"exact": Exact, "endings": Endings, "resign": Resign, "draw": Draw}


def adjudicator_of(given: str | Adjudicator) -> Adjudicator:
    """Return an adjudicator, or the one that a spec names, such as ``"resign(score=0.9, moves=4)"``.

    Raises:
        ValueError: there is none of this name, or it takes no such arguments.
    """
    if isinstance(given, Adjudicator):
        return given
    if not isinstance(given, str):
        raise ValueError(
            f"an adjudication must be a spec, such as 'resign(score=0.9)', or an Adjudicator, got {shown(given)}"
        )
    name, values, named = parse_spec(given)
    if name not in ADJUDICATORS:
        raise ValueError(f"unknown adjudication {shown(name)}: {nearest(name, ADJUDICATORS)}")
    options = list(inspect.signature(ADJUDICATORS[name]).parameters)
    if values or not set(named) <= set(options):
        raise ValueError(
            f"cannot adjudicate by {shown(given)}: {name} takes {', '.join(f'{one}=…' for one in options)}"
        )
    return ADJUDICATORS[name](**named)


@lru_cache(maxsize=1)  # what it knows is true in every game, and may take much memory
def _solver(spec: str, game: Game) -> Any:
    return _judge(spec, game)


def _judge(spec: str, game: Game) -> Any:
    agent: Any = make(spec, game)
    if isinstance(agent, Solver) and "seconds" not in spec:
        agent.seconds = 0.0
    if not hasattr(agent, "analyse"):
        raise ValueError(f"{spec} tells no values of positions: expected 'solver', or a search")
    agent.prepare()
    return agent


def _pieces(game: Game, state: State) -> int:
    """Return how many pieces there are in a position of chess or checkers."""
    sides = (state.own, state.other) if game.name == "chess" else state.sides
    return sum(int(side).bit_count() for side in sides)


def _reworded(reason: str) -> str:
    """Return a reason as it is worded now: earlier versions said "for 1 moves", and put no commas in numbers."""
    return _PLURAL.sub(lambda found: f"for {counted(int(found[1]), 'move')}", reason)


def _text(number: float) -> str:
    """Return a number as briefly as tells it from all others: 1.0 as ``1``, and 0.9999999 with all its digits."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def _checked_score(score: Any) -> float:
    if isinstance(score, bool) or not isinstance(score, Real) or not 0 <= float(score) <= 1:
        raise ValueError(f"score must be a share of a win, from 0 to 1, as 0.02 or 0.95, got {shown(score)}")
    return float(score)


def _part_of_utility(share: float, game: Game) -> float:
    """Return this share of the largest utility of a game.

    Raises:
        ValueError: that is infinite.
    """
    if not math.isfinite(game.max_utility):
        raise ValueError(f"resign and draw take shares of a finite max_utility, {game.spec} has {game.max_utility!r}")
    return share * game.max_utility
