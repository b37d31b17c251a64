"""Measure the ratings of the ladders of games: ``python -m benchmarks.strength.ladder connect_four othello``.

They go to ``arena/grading/data/ladder_GAME.json``, with the commit at hand, where ``plyground rate`` and ``plyground
evaluate`` find them. Who changes a search or an evaluation changes the rungs that use it: measure their ladders anew.

Each rung plays the next two, from both sides of the same openings. The games are kept, as JSON lines, so that a run
that was stopped goes on where it was, and so that everybody can look at them. Printed are the ratings with their
standard errors, the largest error of a rung's lead on the one below, whether one number for each rung explains the
scores of all pairings (Pearson's χ²), and how long it took. With ``--error 25``, two neighbours whose distance is more
uncertain than 25 Elo play on, the most uncertain ones first; and then those, near or far from each other, who tell the
most about ratings that are more uncertain than that. In a long ladder these are rungs some 400 Elo apart: that many
small steps, one after the other, tell less of its ends than a few large ones.

After a new network has come into the package, its rungs alone are placed anew, on the others as they stand:

    python -m benchmarks.strength.ladder connect_four --place network --place "alphazero(simulations=100)" --games 400
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from scipy import stats

from benchmarks.page import commit_at_hand
from plyground.agents.alphazero.nets import shipped
from plyground.agents.identity import player_identity
from plyground.arena import play_with_progress, rating_list, read_records
from plyground.arena.grading.anchors import pairings_of, ratings_of, save_anchors
from plyground.arena.grading.placing import iter_place, placing_of
from plyground.arena.matches import iter_match
from plyground.arena.progress import watch_games
from plyground.arena.ratings import Ratings, game_results
from plyground.arena.ratings.difference import ELO_PER_LOGIT
from plyground.arena.ratings.fitting import information
from plyground.arena.records.record import GameRecord
from plyground.arena.store.keys import player_digest
from plyground.arena.tournaments.allocation import after_games, weight_of
from plyground.envs import Game, make_game

FOLDER = Path(__file__).parents[2] / "arena" / "grading" / "data"

_NARROWEST = 1e-3  # Elo: no interval is so narrow, so all games are played

SPECS = {
    "mcts": "mcts(simulations={})",
    "cut": "mcts(simulations={}, rollout_depth=0)",  # no rollouts, but evaluations
    "short": "mcts(simulations={}, rollout_depth=8)",
    "alphabeta": "alphabeta(depth={})",
    "plain": "alphabeta(depth={}, selective=false)",  # without quiescence, in chess
    "alphazero": "alphazero(simulations={})",
    "flat": "flat(simulations={})",
    "gnugo": "gnugo(level={})",  # whose strength others know, too
}


def rungs_of(names: str) -> tuple[str, ...]:
    """Return the specs of players as in ``random mcts-30 alphabeta-2``."""
    parts = [name.partition("-") for name in names.split()]
    return tuple(SPECS[kind].format(budget) if budget else kind for kind, _, budget in parts)


# Weakest first, as a few games of each with each other said: who plays whom follows from it. Steps are small, so that
# the weaker one still scores.
RUNGS = {
    **dict.fromkeys(("tictactoe", "mnk"), rungs_of("random mcts-10 mcts-30 mcts-100 alphabeta-9")),
    "connect_four": rungs_of(
        "random mcts-3 mcts-10 mcts-30 mcts-100 mcts-300 alphabeta-1 mcts-1000 alphabeta-2 alphabeta-3 alphabeta-4 "
        "alphabeta-5 alphabeta-6 mcts-10000 alphabeta-7 alphabeta-8 mcts-100000 network alphazero-100"
    ),
    "othello": rungs_of(
        "random mcts-3 mcts-10 mcts-30 mcts-100 alphabeta-1 mcts-300 mcts-1000 network mcts-3000 "
        "alphabeta-2 alphabeta-3 alphabeta-4 alphabeta-5 alphazero-100 alphabeta-6"
    ),
    "checkers": rungs_of(
        "random alphabeta-1 mcts-3 mcts-10 mcts-30 alphabeta-2 mcts-100 alphabeta-3 mcts-300 alphabeta-4 mcts-1000 "
        "alphabeta-5 mcts-3000 alphabeta-6"
    ),
    "gomoku(size=9)": rungs_of(
        "random mcts-30 mcts-100 mcts-300 mcts-1000 mcts-2000 mcts-4000 mcts-10000 alphabeta-1 alphabeta-2 network "
        "alphabeta-3 alphabeta-4 alphazero-100"
    ),
    "gomoku": rungs_of(
        "random mcts-200 mcts-300 mcts-1000 cut-10 short-100 cut-30 short-300 cut-100 alphabeta-1 cut-300 cut-1000 "
        "alphabeta-2 alphabeta-3"
    ),
    "go": rungs_of(
        "random flat-15 flat-30 flat-60 flat-100 alphabeta-1 alphabeta-2 alphabeta-3 mcts-3 alphabeta-4 mcts-10 "
        "mcts-30 mcts-60 mcts-100 mcts-180 mcts-300 mcts-550 mcts-1000 mcts-3000 gnugo-1 alphazero-100 "
        "gnugo-10"
    ),
    "chess": rungs_of(
        "random mcts-10 mcts-30 mcts-100 mcts-300 short-20 short-30 short-60 short-100 cut-30 cut-100 cut-300 plain-1 "
        "cut-1000 cut-3000 plain-2 plain-3 alphabeta-1 alphabeta-2 alphabeta-3 alphabeta-4 alphabeta-5 alphabeta-6"
    ),
    "minichess": rungs_of(
        "random mcts-3 mcts-10 mcts-30 mcts-100 short-30 mcts-300 alphabeta-1 plain-1 cut-30 short-100 cut-100 "
        "plain-2 alphabeta-2 cut-300 cut-1000 alphabeta-3 plain-3 alphabeta-4"
    ),
}
OTHERS = rungs_of(
    "random mcts-3 mcts-10 mcts-30 mcts-100 mcts-300 mcts-1000 alphabeta-1 alphabeta-2 alphabeta-3 alphabeta-4"
)


def rungs_for(game: Game) -> tuple[str, ...]:
    """Return the rungs of a game's ladder: those of its name where its board has none, as far as it has a network."""
    rungs = RUNGS.get(game.spec) or RUNGS.get(game.name, OTHERS)
    return rungs if game.spec in shipped() else tuple(r for r in rungs if not r.startswith(("network", "alphazero")))


def played(
    game: Game, rungs: tuple[str, ...], games: Mapping[tuple[str, str], int], seed: int, jobs: int, path: Path
) -> list[GameRecord] | None:
    """Return so many games of each pairing; those that the file does not have are played and added to it.

    None if it was stopped.
    """
    known: dict[tuple[str, str], list[GameRecord]] = {}
    for record in read_records(path) if path.is_file() else ():
        first, second = record.players
        if first not in rungs or second not in rungs:
            continue  # a rung that was taken away since
        pairing = (first, second) if rungs.index(first) < rungs.index(second) else (second, first)
        known.setdefault(pairing, []).append(record)
    records: list[GameRecord] = []
    for pairing, wanted in games.items():
        done = known.get(pairing, [])[:wanted]
        records += done
        if len(done) < wanted:
            left = iter_match(game, pairing, wanted, seed, jobs=jobs, names=pairing, after=done)
            if watch_games(left, wanted, records.append, path, done):
                return None
    return records


def measured(
    game: Game, rungs: tuple[str, ...], games: int, error: float, seed: int, jobs: int, path: Path
) -> list[GameRecord] | None:
    """Return so many games of each pairing, and more until each step and each rating is known well enough.

    None if it was stopped.

    Args:
        game: the game.
        rungs: of its ladder, weakest first.
        games: of each pairing, at first; then half as many of one pairing, again and again.
        error: of a rung's lead on the one below, and of its rating, at most; in Elo, a standard error.
        seed: of the games.
        jobs: processes that play.
        path: where the games are kept.
    """
    wanted = dict.fromkeys(pairings_of(rungs), games)
    more = max(2, games // 4 * 2)
    while (records := played(game, rungs, wanted, seed, jobs, path)) is not None:
        if math.isinf(error) or len(records) < sum(wanted.values()):  # a player that fails is withdrawn
            break
        errors = errors_of_steps(rungs, records)
        most = max(range(len(errors)), key=errors.__getitem__)
        if errors[most] > error:
            wanted[rungs[most], rungs[most + 1]] += more
            continue
        found = ratings_of(rungs, records)
        if max(found.errors.values()) <= error:
            break
        offers = {pair: more if pair in wanted else games for pair in itertools.combinations(rungs, 2)}
        pairing = most_telling(found, wanted, offers, error)
        wanted[pairing] = wanted.get(pairing, 0) + offers[pairing]
    return records


def most_telling(
    found: Ratings, games: Mapping[tuple[str, str], int], offers: Mapping[tuple[str, str], int], error: float
) -> tuple[str, str]:
    """Return the pairing, among those on offer, whose games say the most about the ratings that are too uncertain.

    That is, which lowers the sum of what variances have above the largest that is allowed the most, for each game. (A
    `bandit` lowers the variances of all, those that are small enough among them.)
    """
    place = {rung: i for i, rung in enumerate(found.elo)}
    logits, played_games = np.array([*found.elo.values()]) / ELO_PER_LOGIT, np.zeros((len(place), len(place)))
    for (one, other), count in games.items():
        played_games[place[one], place[other]] = played_games[place[other], place[one]] = count
    covariances = np.linalg.pinv(information(played_games, logits)).astype(np.float64)

    def excess(covariances: Any) -> float:
        return float(np.maximum(np.diag(covariances) - (error / ELO_PER_LOGIT) ** 2, 0.0).sum())

    def gain(pairing: tuple[str, str]) -> float:
        both = place[pairing[0]], place[pairing[1]]
        after = after_games(covariances, both, weight_of(logits, both) * offers[pairing])
        return (excess(covariances) - excess(after)) / offers[pairing]

    return max(offers, key=gain)


def placed(game: Game, about: Any, anew: list[str], games: int, seed: int, folder: Path) -> Ratings | None:
    """Return a ladder, as its file has it, with some rungs placed anew, each where it learns the most among the others.

    None if it was stopped. The error of a rung has that of the one that it met most in it.
    """
    elo, errors = about["elo"], about["standard errors"]
    others = {rung: value for rung, value in elo.items() if rung not in anew}
    for rung in anew:
        who = player_digest(rung, player_identity(rung, game))  # another network plays other games
        kept = folder / f"{game.spec}, {rung}, {who.hex()[:8]}.jsonl"
        done = [*read_records(kept)] if kept.is_file() else []
        left = iter_place(rung, game, others, games, width=_NARROWEST, seed=seed, name=rung, after=done)
        records = [*done, *play_with_progress((record for record, _ in left), games - len(done), kept)]
        placing = placing_of(others, records, confidence=0.6827)
        if len(records) < games or placing.rating is None:
            return None
        most = max(placing.against, key=placing.against.__getitem__)
        elo[rung], errors[rung] = placing.rating.elo, math.hypot(placing.width, errors[most])
    by_strength = sorted(elo, key=elo.__getitem__)
    return Ratings({rung: elo[rung] for rung in by_strength}, {rung: errors[rung] for rung in by_strength})


def errors_of_steps(rungs: tuple[str, ...], records: list[GameRecord]) -> list[float]:
    """Return for each rung but the first the standard error of its lead on the one below, by pairs of games."""
    errors = []
    for lower, upper in itertools.pairwise(rungs):
        found = rating_list(records, anchors={lower: 0.0}, confidence=0.6827).ratings
        one = next(rating for rating in found if rating.name == upper)
        errors.append((one.high - one.low) / 2)
    return errors


def fit_of(found: Ratings, records: list[GameRecord]) -> str:
    """Return how well ratings explain the score of each pairing, as if there were no draws, in words."""
    scores: dict[tuple[str, str], list[float]] = {}
    for one, other, points in game_results(records):
        pairing = (one, other) if one < other else (other, one)
        scores.setdefault(pairing, []).append(points if one < other else 1 - points)
    total = 0.0
    for (one, other), points in scores.items():
        expected = 1 / (1 + math.exp((found.elo[other] - found.elo[one]) / ELO_PER_LOGIT))
        total += (np.mean(points) - expected) ** 2 * len(points) / (expected * (1 - expected))
    freedom = len(scores) - len(found.elo) + 1
    return f"χ² of {total:.0f} with {freedom} degrees of freedom, p = {stats.chi2.sf(total, freedom):.2g}"


def table_of(title: str, found: Ratings) -> Table:
    """Return ratings as a table."""
    table = Table("rung", "Elo", "standard error", title=title)
    for rung, elo in found.elo.items():
        table.add_row(rung, f"{elo:.0f}", f"{found.errors[rung]:.0f}")
    return table


def main(
    names: Annotated[list[str], typer.Argument(metavar="GAME...", help="The games.")],
    games: Annotated[int, typer.Option(min=2, help="Of each pairing; even.")] = 200,
    error: Annotated[float, typer.Option(min=1, help="Rungs play on above this standard error, Elo.")] = math.inf,
    seed: Annotated[int, typer.Option(min=0, help="Of the games: not that of evaluations, which is 0.")] = 1,
    jobs: Annotated[int, typer.Option(help="Processes; the games do not depend on it. --place needs one.")] = 1,
    place: Annotated[list[str] | None, typer.Option(help="A rung to place anew on the others; again for more.")] = None,
    folder: Annotated[Path, typer.Option(file_okay=False, help="Where the games are kept.")] = Path("ladders"),
    out: Annotated[Path, typer.Option(file_okay=False, help="Where the ratings go.")] = FOLDER,
) -> None:
    """Play the ladders, fit ratings, and save them."""
    console = Console()
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        game, began = make_game(name), time.perf_counter()
        path = out / f"ladder_{game.spec}.json"
        if place:
            about = json.loads(path.read_text())
            again = placed(game, about, place, games, seed, folder)
            if again is None:
                raise typer.Exit(130)
            console.print(table_of(f"{game.spec}, {games} games of each rung placed anew", again))
            save_anchors(path, game, again, about["games"], about["seed"], about.get("commit", ""))
            continue
        rungs = rungs_for(game)
        records = measured(game, rungs, games, error, seed, jobs, folder / f"{game.spec}.jsonl")
        if records is None:
            raise typer.Exit(130)
        found = ratings_of(rungs, records)
        console.print(table_of(f"{game.spec}, {games} games of each pairing", found))
        save_anchors(path, game, found, games, seed, commit_at_hand())
        took = f"{time.perf_counter() - began:.0f} s"
        largest = max(errors_of_steps(rungs, records))
        fit = f"one number for each rung explains the scores of pairings with a {fit_of(found, records)}"
        console.print(fit, soft_wrap=True)
        console.print(f"{took}; a step's standard error is {largest:.0f} Elo or less; saved {path}", soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
