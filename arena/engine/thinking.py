"""A search that is asked for by UCI: its limits, what it tells meanwhile, and the move that it ends with."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...agents import Analysis, Listener
from ...agents.scores import mate_in
from ...agents.timing import Allowance, Patience, allot, limit, playing
from .chess_seat import ChessSeat
from .conversation import in_a_line
from .table import kept
from .uci_words import Limits

__all__ = ["Thinking"]

_LEAST_FINISHING = 0.01  # seconds
_DEEPEST = 128  # plies of a search for several lines

Hear = Callable[[Sequence[Analysis], float], object]


class Thinking:
    """A search in a thread of its own.

    Args:
        seat: the player, and the position; nobody may change it meanwhile.
        limits: what ``go`` asks for.
        lines: how many best moves are wanted.
        overhead: seconds of a move that are lost on the way.
        prepare: called first, before the search begins.
        hear: called with what was found so far, the analyses of the best moves, the best first; and with the seconds
            since the search began.
        end: called with the best move, and the move that is expected as the answer; None for either that is not known.
        complain: called with what went wrong.
        debug: called with how long the search may take; None for nobody who wants to know.

    Attributes:
        limits: what ``go`` asks for.
    """

    def __init__(
        self,
        seat: ChessSeat,
        limits: Limits,
        lines: int,
        overhead: float,
        *,
        prepare: Callable[[], object],
        hear: Hear,
        end: Callable[[int | None, int | None], object],
        complain: Callable[[str], object],
        debug: Callable[[str], object] | None = None,
    ) -> None:
        self._seat, self.limits, self._lines, self._overhead = seat, limits, lines, overhead
        self._prepare, self._hear, self._end, self._complain, self._debug = prepare, hear, end, complain, debug
        self._stopped = threading.Event()
        self._listener: Listener | None = None
        self._latest: Analysis | None = None  # what was told last
        self._began = time.perf_counter()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the best move was not told yet."""
        return self._thread.is_alive()

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.perf_counter() - self._began

    def stop(self) -> None:
        """Let the search end at once, and tell its move."""
        self._stopped.set()
        listener = self._listener
        if listener is not None:
            listener.stop()

    def join(self, seconds: float | None = None) -> None:
        """Wait until the best move was told."""
        self._thread.join(seconds)

    # -- in the thread of the search -----------------------------------------------------------------------------------

    def _run(self) -> None:
        best, answer, candidates = None, None, []
        try:
            candidates = self._seat.legal
            candidates = self._candidates(candidates)
            self._prepare()
            self._began = time.perf_counter()
            if candidates:
                best, answer = self._searched(candidates)
        except Exception as error:  # whatever it is, whoever waits is told a move
            self._complain(in_a_line(error))
            best = candidates[0] if candidates else None
        if self.limits.waits:
            self._stopped.wait()
        self._end(best, answer)

    def _candidates(self, legal: list[int]) -> list[int]:
        """Return the legal actions among which to choose."""
        chosen = []
        for name in self.limits.searchmoves:
            try:
                action = self._seat.game.move_of(self._seat.state, name)
            except ValueError:
                action = -1
            if action in legal:
                chosen.append(action)
            else:
                self._complain(f"searchmoves: {name} is illegal")
        if legal and self.limits.searchmoves and not chosen:
            self._complain("searchmoves: none of them is legal: all moves are searched")
        return list(dict.fromkeys(chosen)) or legal

    def _searched(self, candidates: list[int]) -> tuple[int, int | None]:
        shown = self._seat.show()
        if shown is None:  # neither side can mate by our rules: any move will do
            self._hear([_drawn(candidates[0])], self.elapsed)
            return candidates[0], None
        observation, info = shown
        allowed = np.zeros_like(info["action_mask"])
        allowed[candidates] = info["action_mask"][candidates]
        if not allowed.any():
            return candidates[0], None
        observation, info = {**observation, "action_mask": allowed}, {**info, "action_mask": allowed}
        agent = playing(self._seat.agent if self.limits.mate is None else self._seat.prover)
        lines = min(self._lines, len(candidates))
        with kept(agent):
            allowance = self._allowance()
            if self._debug is not None and allowance is not None:
                self._debug(f"the move may take {allowance.aim:.3f} s, and {allowance.most:.3f} s at most")
            if lines > 1 and hasattr(agent, "depth") and getattr(agent, "hears", False):
                return self._several(agent, observation, info, lines, allowance)
            self._set_budget(agent)
            clock = self._clock
            # The time for one move is for its search, whatever there is to choose; that of a game is saved.
            is_forced = clock is not None and self.limits.movetime is None and len(self._seat.legal) == 1
            self._listen_with(limit(agent, allowance, clock=clock, is_forced=is_forced, hear=self._told))
            action = int(agent.act(observation, info))
            found: Analysis | None = getattr(agent, "last_analysis", None)
            if found is None or found.best_action != action:
                return action, None
            found = self._finished(found, allowance)
            if self._latest is None or replace(self._latest, seconds=found.seconds) != found:
                self._hear([found], self.elapsed)
            return action, found.pv[1] if len(found.pv) > 1 else None

    def _finished(self, found: Analysis, allowance: Allowance | None) -> Analysis:
        """Return a proved mate with the line of its longest defence, if a search that leaves no move out finds it soon.

        The search itself sees mates beyond its depth, and proves them without the longest defence, and its table cuts
        lines short.
        """
        game, state, finisher = self._seat.game, self._seat.state, self._seat.finisher
        if finisher is None or self.limits.mate is not None or mate_in(game, state, found) is None:
            return found
        after = state.copy()
        game.play(after, found.best_action)
        if game.is_terminal(after):
            return found
        left = finisher.seconds if allowance is None else min(finisher.seconds, allowance.aim - self.elapsed)
        if left < _LEAST_FINISHING or self._stopped.is_set():
            return found
        with kept(finisher):
            finisher.reset()  # what an empty table has not cut short is a line to the end
            finisher.seconds = left
            rest = finisher.analyse(after)
        if not rest.exact or rest.value != -found.value:
            return found
        return replace(found, pv=(found.best_action, *rest.pv), depth=max(found.depth, 1 + rest.depth))

    def _listen_with(self, listener: Listener | None) -> None:
        self._listener = listener
        if listener is not None and self._stopped.is_set():  # it came in between
            listener.stop()

    def _told(self, found: Analysis) -> bool:
        """Tell what was found so far; return whether that is all that was asked for."""
        self._latest = found
        self._hear([found], self.elapsed)
        return self._is_enough(found)

    def _is_enough(self, found: Analysis) -> bool:
        limits, mate = self.limits, None
        if limits.mate is not None:
            mate = mate_in(self._seat.game, self._seat.state, found)
        return (
            (limits.depth is not None and found.depth >= limits.depth)
            or (limits.nodes is not None and found.nodes >= limits.nodes)
            or (mate is not None and 0 < mate <= (limits.mate or 0))
        )

    @property
    def _clock(self) -> tuple[float, float, float, int] | None:
        """What is left to the player and to the other, what a move adds, and for how many moves; None: no clock.

        The time of this move alone is a clock for one move.
        """
        limits = self.limits
        if limits.waits:
            return None
        if limits.movetime is not None:
            seconds = max(limits.movetime - self._overhead, limits.movetime / 2)
            return seconds, seconds, 0.0, 1
        own, other, increment, moves = limits.clock(self._seat.game.player(self._seat.state))
        return None if own is None else (own, own if other is None else other, increment, moves)

    def _allowance(self) -> Allowance | None:
        """Return how long the search may take; None: until it is stopped, or another limit ends it.

        The seconds of the player's spec, if it has any, are a limit as well, but for a search that is to be stopped.
        """
        seat, limits, clock = self._seat, self.limits, self._clock
        if limits.waits:
            return None
        if clock is None:
            agent = playing(seat.agent if limits.mate is None else seat.prover)
            is_deep = hasattr(agent, "depth") and (limits.depth is not None or limits.mate is not None)
            is_limited = is_deep or limits.nodes is not None
            budget = seat.seconds if is_limited else getattr(playing(seat.agent), "seconds", None)
            return None if budget is None else Allowance(budget, budget)
        own, _, increment, moves = clock
        if limits.movetime is not None:
            return allot(own, moves=1).within(seat.seconds)
        # What is left after the last move before a control is not lost: it comes to the time of the next ones.
        planned = moves and max(moves, 2)
        return allot(own, increment, planned, math.inf, self._overhead).within(seat.seconds)

    def _set_budget(self, agent: Any) -> None:
        """Give the player the depth and the nodes that were asked for, where they are less than its own."""
        getattr(agent, "workspace", None)  # memory for its own depth: with less, its table would stay small
        limits = self.limits
        depth = limits.depth if limits.mate is None else min(2 * limits.mate - 1, limits.depth or _DEEPEST)
        for name, value in (("depth", depth), ("nodes", limits.nodes), ("simulations", limits.nodes)):
            if value is not None and hasattr(agent, name):
                own = getattr(agent, name)
                setattr(agent, name, value if own is None else min(own, value))

    def _several(
        self, agent: Any, observation: Any, info: Any, lines: int, allowance: Allowance | None
    ) -> tuple[int, int | None]:
        """Search for several best moves: at each depth for the best, then for the best of the others, and so on."""
        self._set_budget(agent)
        patience = None if allowance is None or allowance.aim >= allowance.most else Patience(allowance)
        deepest, nodes = agent.depth or _DEEPEST, 0
        budget = getattr(agent, "nodes", None) or math.inf  # for all lines together
        complete: list[Analysis] = []
        for depth in range(1, deepest + 1):
            agent.depth, mask, found = depth, info["action_mask"].copy(), []
            for _ in range(lines):
                agent.seconds, agent.nodes = None, None  # of the first depth all lines are found
                if complete:
                    left = None if allowance is None else allowance.most - self.elapsed
                    is_late = left is not None and left <= 0
                    if self._stopped.is_set() or is_late or nodes >= budget:
                        break
                    agent.seconds = left
                    agent.nodes = None if budget == math.inf else int(budget - nodes)
                agent.listener = Listener()
                self._listen_with(agent.listener)
                one = agent.analyse(info["state"], mask, observation, info.get("past"))
                nodes += one.nodes
                if one.depth < depth and not one.exact:
                    break  # it had no time
                found.append(one)
                mask[one.best_action] = 0
            if len(found) < lines:
                break
            found.sort(key=self._rank)  # of the same depth; equal ones as they were found
            complete = found
            elapsed = self.elapsed  # what all lines together have cost by now
            self._hear([replace(one, nodes=nodes, seconds=elapsed) for one in complete], elapsed)
            is_enough = all(one.exact for one in complete) or nodes >= budget
            if is_enough or (patience is not None and patience(complete[0])):
                break
        pv = complete[0].pv
        return complete[0].best_action, pv[1] if len(pv) > 1 else None

    def _rank(self, found: Analysis) -> tuple[float, int]:
        """Return what sorts lines, the best first: a win in fewer moves, and a loss in more, is better."""
        return -found.value, mate_in(self._seat.game, self._seat.state, found) or 0


def _drawn(action: int) -> Analysis:
    """Return what is known of a position in which nobody can win, without a search."""
    return Analysis(
        best_action=action,
        value=0.0,
        best_actions=(action,),
        values={action: 0.0},
        pv=(action,),
        depth=1,
        nodes=1,
        leaves=1,
        exact=True,
        seconds=0.0,
    )
