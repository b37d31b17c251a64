"""The evaluation of a player: grades by exact solving, a rating on the ladder, calibration of its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...agents import Agent, as_agent, make
from ...envs import Game, as_game
from ...envs.html import html_table
from ...envs.jit.interruption import uninterrupted
from ...envs.outside.arguments import check_jobs, checked_whole
from ...envs.outside.messages import shown as shown_text
from ...envs.outside.spec import nearest
from ...envs.players import PlayerLike, player_name
from ..matches import checked_games
from ..openings import default_opening_plies, random_openings
from ..records.record import GameRecord
from .anchors import Watch
from .answers import Answers, iter_answers, join_answers, shown
from .calibration import Calibration, calibrate
from .failing import LadderError, telling_games
from .grades import Grade, Grades, grade
from .heads import has_head, head_values
from .ladder import Ladder, climb, ladder_rungs
from .positions import SETS, SolvedPositions, committed_positions
from .sampling import POSITIONS, solve_positions

__all__ = ["Evaluation", "SetGrade", "evaluate"]

# Collects the answers of an iterator, which are to so many positions in all. Returns fewer if it is stopped.
WatchAnswers = Callable[[Iterator[Answers], int], list[Answers]]

_OUTCOMES = 2000  # positions of the ladder's games that the value head is asked about, at most
_FAR = 29  # plies to the end with best play; AlphaZero.jl and P. Pons call such positions hard

Named = list[tuple[str, SolvedPositions]]


@dataclass(frozen=True)
class SetGrade:
    """The marks of a player over a set of positions.

    Attributes:
        name: the name of the set; ``"solved now"`` or ``"given"`` if it does not come with the package.
        total: the marks over the whole set.
        far: the marks in those positions where the game lasts another 29 plies or more with best play; None if there
            are none.
    """

    name: str
    total: Grade
    far: Grade | None


@dataclass(frozen=True)
class Evaluation:
    """What was found out about a player.

    Attributes:
        player: the player's name.
        game: the spec of the game.
        seed: the seed of positions, openings, games and the player.
        grades: all marks over the first set; None if the game cannot be solved, or no positions were asked for.
        ladder: results against other players; None if none were asked for, or it was stopped before the first result.
        calibration: a network's or a search's values in the first set compared with exact ones; None if the player has
            no values.
        outcomes: a network's values in the ladder's games that count compared with how they ended; None without such
            values.
        stopped: whether the evaluation was stopped: then grades, ladder or both lack something.
        notes: what was left out and why, for people to read.
        sets: the marks over each set of positions that was asked for, as far as it was asked.
    """

    player: str
    game: str
    seed: int
    grades: Grades | None
    ladder: Ladder | None
    calibration: Calibration | None
    outcomes: Calibration | None
    stopped: bool
    notes: tuple[str, ...]
    sets: tuple[SetGrade, ...] = ()

    def __repr__(self) -> str:
        found = ", ".join(f"{name} {text}" for name, text in self._summary())
        return f"<Evaluation: {self.player} in {self.game}{', ' * bool(found)}{found}>"

    def _repr_html_(self) -> str:
        """Return the marks and the games against each rung as tables, for notebooks."""
        tables = [html_table(self._summary(), caption=f"{self.player} in {self.game}, seed {self.seed}")]
        if self.ladder is not None:
            rows = [
                (one.player, f"{one.result.score:.1%}", f"{one.wins}-{one.draws}-{one.losses}")
                for one in self.ladder.rungs
            ]
            tables.append(html_table(rows, ("against", "score", "win-draw-loss")))
        return "".join(tables)

    def _summary(self) -> list[tuple[str, str]]:
        """Return the marks and the rating as pairs of a name and a text."""
        found = []
        if self.grades is not None:
            total = self.grades.total
            found = [
                ("preserving", f"{total.preserving.share:.1%}"),
                ("optimal", f"{total.optimal.share:.1%}"),
                ("positions", str(total.positions)),
            ]
            found += [(f"preserving in {one.name}", f"{one.total.preserving.share:.1%}") for one in self.sets[1:]]
        if self.ladder is not None:
            found += [("Elo", str(self.ladder.rating)), ("games", str(len(self.ladder.records)))]
        return found + ([("stopped", "before all was done")] if self.stopped else [])


def evaluate(
    player: PlayerLike,
    game: Game | str = "connect_four",
    *,
    positions: SolvedPositions | int | str | None = None,
    ladder: str | Sequence[str] = "quick",
    games: int = 40,
    seed: int = 0,
    opening_plies: int | None = None,
    jobs: int = 1,
    name: str | None = None,
    watch_answers: WatchAnswers = lambda answers, total: list(answers),
    watch_games: Watch = lambda played, total: list(played),
    anchors: dict[str, float] | None = None,
) -> Evaluation:
    """Grade a player against exact solving, and rate it on a ladder.

    The same seed gives the same result, whatever the number of processes, as long as no budget is in seconds.

    Args:
        player: an agent, or a spec such as ``"mcts(simulations=100)"`` or ``"policy(model.zip)"``.
        game: the game, or its name.
        positions: solved positions; or a set that comes with the package, ``"standard"``, ``"hard_openings"`` or
            ``"endgames"``, or ``"all"`` of them, see `committed_positions`; or the number of positions of each ply, 0
            for none. Default: the standard set, or, for a game without, 20 of each ply, drawn and solved now if it is
            small enough.
        ladder: ``"quick"``, ``"full"``, ``"none"``, or specs, weakest first.
        games: games against each rung; even.
        seed: the seed of positions drawn now, openings, games, and the player, which is reset in each position.
        opening_plies: random plies that open a game of the ladder. Default: see `plyground.arena.iter_match`; with any
            other number the ratings of the rungs are measured anew.
        jobs: processes; -1 for one on each core. An agent must be picklable unless it is 1.
        name: the player's name. Default: its spec or class.
        watch_answers: collects answers, as `plyground.arena.progress.collect_with_progress` does; it may return fewer
            than all, to stop the evaluation.
        watch_games: collects the games of the ladder, as `plyground.arena.play_with_progress` does; it may return fewer
            than all, to stop the evaluation.
        anchors: keeps the ratings of the rungs for other evaluations, as `learning_curve` does: see `climb`.

    Raises:
        ValueError: a player or the game cannot be made, or a number is out of its range; or a player plays an illegal
            move; or there are neither positions nor a ladder. And a `LadderError`, see `climb`, where there are no
            marks that would be lost.
    """
    game = as_game(game)
    agent = as_agent(player, game)
    games = checked_games(games)
    seed = checked_whole("seed", seed, 0)
    check_jobs(jobs)
    for rung in ladder_rungs(ladder):
        make(rung, game)
    if isinstance(positions, int) and positions == 0 and not ladder_rungs(ladder):
        raise ValueError("there is nothing to grade by: ask for positions, or for a ladder")
    if ladder_rungs(ladder):  # finds an opening, or says why there is none, before marks that would be lost
        random_openings(game, default_opening_plies(game) if opening_plies is None else opening_plies, seed)
    notes: list[str] = []
    asked, note = _positions(game, positions, seed)
    notes += [note] if note else []
    grades, calibration, stopped = None, None, False
    sets: list[SetGrade] = []
    for set_name, wanted in asked:
        try:
            answers = join_answers(watch_answers(iter_answers(player, game, wanted.lines, seed, jobs), len(wanted)))
        except KeyboardInterrupt:  # before the first answer, where nobody watches: other marks are not to be lost
            if grades is None:
                raise
            answers = join_answers([])
        count = len(answers.actions)
        stopped = count < len(wanted)
        if stopped:
            of_set = f" of {set_name}" if len(asked) > 1 else ""
            notes.append(f"stopped after {count:,} of {len(wanted):,} positions{of_set}")
        try:
            with uninterrupted():  # it also loads what intervals need: Ctrl-C meanwhile is not to lose the marks
                if count:
                    done = wanted.select(np.arange(count))
                    marks = grade(done, answers.actions)
                    sets.append(SetGrade(set_name, marks.total, _far(done, answers)))
                    if set_name == asked[0][0]:
                        grades, calibration = marks, _calibration(done, answers)
        except KeyboardInterrupt:
            if not stopped and (ladder_rungs(ladder) or set_name != asked[-1][0]):
                stopped = True
                notes.append(f"stopped after the {count:,} positions, before what was to follow")
        if stopped:
            break
    climbed, fault = None, None
    if not stopped:
        try:
            climbed = climb(
                player,
                game,
                ladder,
                games,
                seed,
                opening_plies=opening_plies,
                jobs=jobs,
                name=name,
                watch=watch_games,
                anchors=anchors,
            )
        except KeyboardInterrupt:  # between the games, where nobody watches: the grades are not to be lost
            if grades is None:
                raise
        except LadderError as error:
            if grades is None:
                raise
            fault = str(error)
        if fault is not None:
            notes.append(fault)
        elif ladder_rungs(ladder) and (climbed is None or not climbed.complete):
            stopped = True
            played = 0 if climbed is None else len(climbed.records)
            notes.append(f"stopped before all games of the ladder were played: {played} were")
        elif climbed is not None:
            counted = {one.player: one.result.games for one in climbed.rungs}
            short = {rung: count for rung in ladder_rungs(ladder) if (count := counted.get(rung, 0)) < games}
            notes += [
                f"against {rung} only {count} of {games} games count, because of errors"
                for rung, count in short.items()
            ]
    label, outcomes = name or player_name(player), None
    try:
        outcomes = _outcomes(agent, game, climbed, label)
    except KeyboardInterrupt:
        stopped = True
        notes.append("stopped before values were held against the results of the ladder's games")
    return Evaluation(
        player=label,
        game=game.spec,
        seed=seed,
        grades=grades,
        ladder=climbed,
        calibration=calibration,
        outcomes=outcomes,
        stopped=stopped,
        notes=tuple(notes),
        sets=tuple(sets),
    )


def _positions(game: Game, positions: SolvedPositions | int | str | None, seed: int) -> tuple[Named, str | None]:
    """Return the positions to ask, any first part of which has all plies alike; or none, and why there are none."""
    if isinstance(positions, SolvedPositions):
        if positions.game != game:
            raise ValueError(f"the positions are of {positions.game.spec}, and the game is {game.spec}")
        return [("given", positions.stratified())], None
    if isinstance(positions, str):
        if positions not in (*SETS, "all"):
            raise ValueError(f"unknown set of positions {shown_text(positions)}: {nearest(positions, (*SETS, 'all'))}")
        return [(name, _committed(game, name)) for name in (SETS if positions == "all" else [positions])], None
    if positions is not None and positions < 0:
        raise ValueError(f"positions must be a number of each ply, at least 0, got {positions}")
    if positions == 0:
        return [], None
    committed = committed_positions(game)
    if committed is not None:
        return [(SETS[0], committed.stratified(positions))], None
    try:
        return [("solved now", solve_positions(game, positions or POSITIONS, seed).stratified())], None
    except ValueError as error:
        return [], f"no marks against exact solving, only the ladder: {error}"


def _committed(game: Game, name: str) -> SolvedPositions:
    found = committed_positions(game, name)
    if found is None:
        raise ValueError(
            f"no positions of {game.spec} come with the package: expected a number of each ply, not {name!r}"
        )
    return found.stratified()


def _far(positions: SolvedPositions, answers: Answers) -> Grade | None:
    """Return the marks in the positions that are far from the end."""
    far = np.flatnonzero(positions.distance >= _FAR)
    return grade(positions.select(far), answers.actions[far]).total if far.size else None


def _calibration(positions: SolvedPositions, answers: Answers) -> Calibration | None:
    known = np.isfinite(answers.values)
    if not known.any():
        return None
    return calibrate(answers.values[known], positions.value[known] / positions.game.max_utility)


def _outcomes(agent: Agent, game: Game, ladder: Ladder | None, name: str) -> Calibration | None:
    """Compare a network's values in the ladder's games, where it is to move, with how they ended.

    As in its rating, pairs in which the rung failed count for nothing.
    """
    if ladder is None or not has_head(agent, game):
        return None
    asked = list(_own_positions(telling_games(ladder.records), name))
    chosen = [asked[i] for i in np.unique(np.linspace(0, len(asked) - 1, _OUTCOMES).round().astype(int))]
    values = head_values(agent, game, list(shown(game, [line for line, _ in chosen])))
    if values is None:
        return None
    return calibrate(values, np.array([outcome for _, outcome in chosen]) / game.max_utility, "outcomes")


def _own_positions(records: Sequence[GameRecord], name: str) -> Iterator[tuple[list[int], float]]:
    """Yield the moves before each move of a player, and what the player got in the end.

    The two players of a game may have the same spec: then they are called ``name#1`` and ``name#2``, and the player is
    the first of them.
    """
    for record in records:
        seat = next(i for i, other in enumerate(record.players) if other in (name, f"{name}#1"))
        for i, mover in enumerate(record.movers):
            if mover == seat:
                yield record.moves[:i], record.outcome[seat]
