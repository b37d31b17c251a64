"""The evaluation of a player for people: tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from ...envs import Game
from ..lines import board_of, print_plain, print_prose, signed
from ..tables import Parted
from ..wording import counted, estimated, plain
from .calibration import Calibration
from .evaluation import Evaluation, SetGrade
from .grades import Blunder, Grade, Grades, Share
from .ladder import Ladder

__all__ = ["blunder_text", "calibration_table", "grades_table", "ladder_table", "print_evaluation", "sets_table"]


def print_evaluation(out: Console, game: Game, found: Evaluation, blunders: int = 5) -> None:
    """Print all tables, and the worst blunders with their boards."""
    print_plain(out, f"{plain(found.player)} in {found.game}, seed {found.seed}\n")
    if found.grades is not None:
        out.print(grades_table(found.grades))
        print_prose(
            out,
            "preserving: a win stays a win, a draw a draw; at stake: the same, where some move would lose value;\n"
            "optimal: it also wins soonest, or loses or draws latest; value lost: 1 where a win is smaller by 1\n",
        )
        out.print(sets_table(found.sets))
        has_far = any(one.far is not None for one in found.sets)
        far = "; far: with best play the game lasts 29 plies or more" if has_far else ""
        print_prose(out, f"error: the share that does not preserve{far}\n")
    if found.ladder is not None:
        out.print(ladder_table(found.ladder))
        print_prose(out, _rating_text(found.ladder))
    for calibration in (found.calibration, found.outcomes):
        if calibration is not None:
            out.print(calibration_table(calibration))
            print_prose(out, _calibration_text(calibration))
    if found.grades is not None and blunders > 0:
        worst, every = found.grades.blunders[:blunders], len(found.grades.blunders)
        print_plain(
            out,
            f"{counted(every, 'blunder')}{f', the worst {len(worst)}' if every > len(worst) else ''}:\n"
            if every
            else "No blunder.",
        )
        for blunder in worst:
            print_plain(out, board_of(f"{blunder_text(game, blunder)}\n"))
    for note in found.notes:
        print_prose(out, f"note: {note}")


def grades_table(grades: Grades) -> Table:
    """Return a table of the marks, ply by ply and over all positions, in per cent."""
    table = Parted(f"Against exact solving, {counted(grades.total.positions, 'position')} (95 % intervals)")
    table.add_column("ply", no_wrap=True)
    for heading in ("positions", "preserving %", "at stake %", "optimal %", "value lost"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in grades.by_ply:
        table.add_row(str(line.ply), *_cells(line))
    total = grades.total
    table.add_row("all", *_cells(total), style="bold")
    chances = total.preserving_by_chance, total.keeping_by_chance, total.optimal_by_chance
    table.add_row("by chance", "", *(f"{100 * chance:.1f}" for chance in chances), "")
    return table


def sets_table(sets: Sequence[SetGrade]) -> Table:
    """Return a table with a row for each set: how often the value is preserved, and how often not, in per cent."""
    table = Parted("Sets of positions (95 % intervals)")
    table.add_column("set", no_wrap=True)
    for heading in ("positions", "preserving %", "error %", "by chance %"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in sets:
        for name, total in ((one.name, one.total), (f"{one.name}, far", one.far)):
            if total is not None:
                share, chance = total.preserving, f"{100 * total.preserving_by_chance:.1f}"
                table.add_row(name, f"{total.positions:,}", _percent(share), _percent(share.rest), chance)
    return table


def _cells(line: Grade) -> tuple[str, ...]:
    lost = line.lost
    shares = map(_percent, (line.preserving, line.keeping, line.optimal))
    return f"{line.positions:,}", *shares, f"{lost.mean:.2f} ± {(lost.high - lost.low) / 2:.2f}"


def _percent(share: Share) -> str:
    return f"{100 * share.share:.1f} ({100 * share.low:.0f}–{100 * share.high:.0f})" if share.total else "-"


def ladder_table(ladder: Ladder) -> Table:
    """Return a table of the scores against the rungs."""
    table = Parted(f"Ladder, {counted(sum(rung.result.games for rung in ladder.rungs), 'game')}; 95 % intervals")
    table.add_column("rung", overflow="fold")
    for heading in ("its Elo", "win-draw-loss", "score", "Elo difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    for rung in ladder.rungs:
        counts = f"{rung.wins}-{rung.draws}-{rung.losses}"
        found = rung.result
        ahead = estimated(found.elo, found.low, found.high, lambda elo: signed(elo, 0))
        table.add_row(rung.player, f"{rung.elo:.0f}", counts, f"{found.score:.1%}", ahead)
    return table


def _rating_text(ladder: Ladder) -> str:
    rating = ladder.rating
    origin = "measured now" if ladder.measured_now else "those that come with the package"
    is_random = not ladder.measured_now or any(rung.player == "random" for rung in ladder.rungs)
    zero = "random" if is_random else ladder.rungs[0].player
    return (
        f"Elo {estimated(rating.elo, rating.low, rating.high, lambda elo: f'{elo:.0f}')}, score {rating.score:.1%}; "
        f"the rungs' ratings are {origin}, with {zero} at 0\n"
    )


def calibration_table(found: Calibration) -> Table:
    """Return a table of predicted and true expected scores, bin by bin."""
    table = Parted(f"Expected scores against {found.against}, {counted(found.positions, 'position')}")
    for heading in ("predicted", "positions", "mean prediction", "true score"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in found.bins:
        table.add_row(
            f"{one.low:.1f} to {one.high:.1f}", f"{one.positions:,}", f"{one.predicted:.3f}", f"{one.score:.3f}"
        )
    return table


def _calibration_text(found: Calibration) -> str:
    return (
        f"calibration error {found.error:.3f}; Brier score {found.brier:.3f}, {found.brier_of_mean:.3f} by always "
        "predicting the mean\n"
    )


def blunder_text(game: Game, blunder: Blunder) -> str:
    """Return the board of a blunder, the move that was played, and what would have been better."""
    line, state = " ".join(game.line_names(blunder.line)), game.play_moves(blunder.line)
    best = " or ".join(game.move_name(state, action) for action in blunder.best)
    end = "" if blunder.distance is None else f" in {counted(blunder.distance, 'ply', 'plies')}"
    return (
        f"{blunder.board}\nafter {line or 'no move'}: plays {game.move_name(state, blunder.move)}, which "
        f"{_in_words(blunder.left, 's')}; {best} {_in_words(blunder.value, 's')}{end}"
    )


def _in_words(value: float, ending: str) -> str:
    verb = "draw" if value == 0 else "win" if value > 0 else "lose"
    return f"{verb}{ending}" + (f" by {abs(value):g}" if abs(value) not in (0, 1) else "")
