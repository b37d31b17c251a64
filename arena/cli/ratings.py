"""``plyground ratings`` and ``rate``: who is how strong, by the games in files, or by games against a ladder."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table

from ..bars import status
from ..lines import console, print_plain, print_prose, title_of
from ..wording import counted, interval_of, plain, told_ends
from .options import Json, Out, Resume, Seed, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..grading.placing import Placing
    from ..ratings import RatingList
    from ..ratings.paired import PairedGames
    from ..records.record import GameRecord

__all__ = ["rate", "ratings"]

_out = console(highlight=False)
_err = console(stderr=True, highlight=False)

Confidence = Annotated[float, typer.Option(help="The probability that intervals are to have.")]
_ONE = "ratings without --over-time"
_MODES = {"ratings --over-time": ("drift", "plot"), _ONE: ("anchor", "prior", "los", "circles")}


def ratings(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files of games: .jsonl, .db, .csv, .parquet, .sgf, .pdn or .pgn."),
    ],
    anchor: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ELO", help="A player's rating that is known, as in 'random=0'; may be repeated."),
    ] = None,
    confidence: Confidence = 0.95,
    first_move: Annotated[
        bool, typer.Option("--first-move/--no-first-move", help="Whether the first move may be worth something.")
    ] = True,
    prior: Annotated[
        float,
        typer.Option(
            help="Added to each player's games, so that one who won or lost all still gets a rating; 1 is half a game, "
            "or three quarters where games are drawn."
        ),
    ] = 1.0,
    los: Annotated[
        bool, typer.Option("--los", help="Also the likelihood of superiority for every pair of players.")
    ] = False,
    circles: Annotated[
        bool,
        typer.Option(
            "--cycles",
            help="Also rock-paper-scissors cycles, Nash averaging and α-rank, for players whose strength is not one "
            "number. Everybody must have met everybody.",
        ),
    ] = False,
    over_time: Annotated[
        str | None,
        typer.Option(
            metavar="TIMES",
            help="Ratings that change, by whole-history rating: with 'tournaments' from one to the next, in the order "
            "of the files and within a store; with 'steps' by the steps of training in the names of checkpoints.",
        ),
    ] = None,
    drift: Annotated[
        float | None,
        typer.Option(
            help="By how much strength changes over time: Elo² that a tournament or a step adds. Default: 300 from one "
            "time to the next, in the median."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="NAME", help="Draw ratings over time, as NAME.png and NAME.svg.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Rate players by all their games: Elo with intervals that know of pairs of games."""
    from collections import Counter
    from itertools import chain

    from ..ratings.lists import rate_games
    from ..ratings.paired import paired_games
    from ..tables import ratings_table, superiority_table
    from .parts.each_once import again_in_words, check_different, each_once
    from .parts.modes import check_options

    check_options(context, _ONE if over_time is None else "ratings --over-time", _MODES)
    check_different(files)
    if over_time is not None:
        _rate_over_time(files, over_time, plot, as_json, (confidence, first_move, drift))
        return
    known = _anchors(anchor or [])
    again = Counter[str]()
    games = paired_games(chain.from_iterable(each_once(files, again)))
    for line in again_in_words(again):
        print_plain(_err, line)
    found = rate_games(games, anchors=known, confidence=confidence, first_move=first_move, prior=prior)
    beyond = _beyond(games, [one.name for one in found.ratings], confidence) if circles else None
    if as_json:
        print_json(_data_of(found, los) | (beyond or {}))
        return
    _out.print(ratings_table(found))
    print_prose(_out, _notes(found, first_move))
    if los:
        _out.print("\nHow likely each is stronger than the others, in percent:")
        _out.print(superiority_table(found))
    if beyond:
        _tell_beyond(beyond)


def _rate_over_time(
    files: list[Path], times: str, plot: Path | None, as_json: bool, options: tuple[float, bool, float | None]
) -> None:
    """Print each player's ratings by time, and draw them if that is asked for."""
    from collections import Counter

    from ...envs.outside.extras import how_to_install
    from ...envs.outside.files import check_writable
    from ..grading.plots import can_plot, plot_history
    from ..tables import history_table
    from .parts.each_once import again_in_words
    from .parts.over_time import TIMES, history_notes, history_of

    if plot is not None:  # before the work
        check_writable(plot.with_name(f"{plot.name}.png"))
        if not can_plot():
            raise ImportError(f"--plot needs matplotlib: {how_to_install('plots')}")
    again = Counter[str]()
    found = history_of(files, times, *options, again)
    for line in again_in_words(again):
        print_plain(_err, line)
    if as_json:
        print_json(found)
    else:
        _out.print(history_table(found))
        print_prose(_out, history_notes(found))
    if plot is not None:
        print_plain(_err, f"saved {', '.join(map(str, plot_history(found, TIMES[times], plot)))}")


def _anchors(texts: list[str]) -> dict[str, float]:
    """Read each ``--anchor``.

    Raises:
        ValueError: one cannot be read, or gives a player that has a rating another one.
    """
    known: dict[str, float] = {}
    for name, elo in map(_anchor, texts):
        if known.setdefault(name, elo) != elo:
            raise ValueError(f"--anchor gives {name!r} two ratings, {known[name]:g} and {elo:g}: give it one")
    return known


def _anchor(text: str) -> tuple[str, float]:
    """Read ``NAME=ELO``; names may have an equals sign, too.

    Raises:
        ValueError: it is something else.
    """
    name, equals, value = text.rpartition("=")
    try:
        elo = float(value)
    except ValueError:
        elo = math.nan
    if not (name and equals and math.isfinite(elo)):
        raise ValueError(f"--anchor takes a player's name and its rating, as in 'random=0', got {text!r}")
    return name, elo


def _notes(found: RatingList, first_move: bool) -> str:
    """Return what the table does not say of itself, and whether the first move's worth was asked for."""
    reference = (
        f"the anchors ({', '.join(map(plain, found.anchors))})"
        if found.anchors
        else "the mean of all players, which is 0"
    )
    move = found.first_move
    worth = "taken to be worth nothing"
    if first_move:
        low, high = told_ends(move.elo, move.low, move.high)
        is_known = math.isfinite(low) or math.isfinite(high)
        worth = f"worth {move.elo:+.0f} ({interval_of(low, high, '{:+.0f}'.format)}) Elo"
        worth = worth if is_known else "of a worth that is not known yet"
    lines = [
        f"Elo, with its interval of {100 * found.confidence:.4g} %, is the lead on {reference}.",
        "LOS is how likely the player is stronger than the next.",
        f"The first move is {worth}; draws: ν = {found.draw_parameter:.2f}.",
    ]
    return "\n".join(lines)


def _data_of(found: RatingList, los: bool) -> dict[str, Any]:
    """Return the list for programs."""
    players = [one._asdict() for one in found.ratings]
    for player, chance in zip(players, found.superior_to_next, strict=False):
        player["superior_to_next"] = chance
    data: dict[str, Any] = {
        "game": found.game,
        "games": found.games,
        "pairs": found.pairs,
        "broken_off": found.broken_off,
        "confidence": found.confidence,
        "relative_to": "anchors" if found.anchors else "mean",
        "anchors": dict(found.anchors),
        "first_move": found.first_move._asdict(),
        "draw_parameter": found.draw_parameter,
        "players": players,
    }
    return data | ({"superiority": found.superiority.tolist()} if los else {})


def _beyond(games: PairedGames, order: list[str], confidence: float) -> dict[str, Any]:
    """Return what a rating cannot say, with the players in this order."""
    from ..ratings.payoffs import alpha_rank, cycles, nash_average, payoff_matrix

    payoffs = payoff_matrix(games, confidence)
    average = nash_average(payoffs.log_odds())
    stays = alpha_rank(payoffs.scores)
    places = [payoffs.names.index(name) for name in order]
    return {
        "payoffs": payoffs.scores[places][:, places].tolist(),
        "nash": [{"share": float(average.shares[i]), "elo": float(average.elo[i])} for i in places],
        "alpha_rank": stays[places].tolist(),
        "cycles": cycles(payoffs),
        "order": order,
    }


def _tell_beyond(beyond: dict[str, Any]) -> None:
    """Print it."""
    from ..tables import payoff_table

    print_prose(_out, "\nScores in percent, and strength against the mixture of players that nobody beats (Nash):")
    _out.print(payoff_table(beyond))
    if not beyond["cycles"]:
        _out.print("No players are proved to beat each other in a circle.")
    for circle in beyond["cycles"]:
        print_plain(_out, " beats ".join(map(plain, [*circle, circle[0]])))


def rate(
    player: Annotated[
        str,
        typer.Argument(help="The player to rate, as in 'mcts(simulations=100)'; a model's file; or a run's folder."),
    ],
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game. Default: the training run's, else connect_four."),
    ] = None,
    games: Annotated[int, typer.Option(help="Games, at most; even: every opening is played from both sides.")] = 400,
    width: Annotated[
        float, typer.Option(help="Stop when the interval reaches so many Elo to either side, on average.")
    ] = 30.0,
    confidence: Confidence = 0.95,
    ladder: Annotated[
        Path | None,
        typer.Option(
            help="Ratings of other rungs, a file of JSON: "
            '{"game": "connect_four", "elo": {"random": 0, "mcts(simulations=100)": 900}}. Default: the package\'s.'
        ),
    ] = None,
    seed: Seed = 0,
    opening_plies: Annotated[int | None, typer.Option(help="Random plies that open each game.")] = None,
    out: Out = None,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Place a player on a game's ladder: it plays the rungs that tell the most, until its rating is sure enough."""
    from ...envs import make_game
    from ...envs.jit.interruption import uninterrupted
    from ..grading.anchors import ladder_of
    from ..grading.placing import iter_place, placing_of, rungs_at_hand
    from ..openings import default_opening_plies
    from ..records.names import titled
    from .parts.competition import before_games, games_in, nothing_finished
    from .parts.evaluation import named
    from .parts.generation import saved
    from .parts.losses import Losses

    found = named(player)
    made = make_game(game or found.game or "connect_four")
    usual = default_opening_plies(made)
    if ladder is None and opening_plies not in (None, usual):
        print_plain(
            _err,
            f"the package's rungs were rated in games that opened with {counted(usual, 'random ply', 'random plies')}",
        )
    known, lacking = rungs_at_hand(ladder_of(made, ladder), made)
    for rung, why in lacking.items():
        print_plain(_err, f"without {rung}: {why}")
    if out is not None:
        out = titled(out, f"rate {found.name or found.spec} on {made.source}, seed {seed}")
    done = games_in(out, resume)
    with before_games(resume):
        played = iter_place(
            *(found.spec, made, known, games, width, seed),
            confidence=confidence,
            opening_plies=opening_plies,
            name=found.name,
            after=done,
        )
    placing, count, losses, is_interrupted = placing_of(known, done, confidence), len(done), Losses(), False

    def new() -> Iterator[GameRecord]:
        nonlocal placing
        for record, placing in played:  # noqa: B007  (it is told outside)
            yield record

    for record in done:
        losses.add(record, earlier=True)
    with status(_err) as tell:
        try:
            for record in new() if out is None else saved(out, new(), len(done)):
                with uninterrupted():
                    count += 1
                    losses.add(record)
                tell(f"{count:,} of {counted(games, 'game')} at most, {_in_words(placing)}")
        except KeyboardInterrupt:
            if placing.rating is None:
                raise nothing_finished("pair of games", goes_on=out is not None and count > 0) from None
            _err.print(f"stopped after {counted(count, 'game')}")
            is_interrupted = True
    assert placing.rating is not None
    losses.tell()
    if as_json:
        rating = placing.rating._asdict()
        print_json({"player": found.name or found.spec, "game": made.spec} | rating | {"against": placing.against})
    else:
        _tell(found.name or found.spec, made.spec, placing, known)
        _out.print(f"The interval is of {100 * confidence:.4g} %; the ratings of the rungs are taken as exact.")
    if is_interrupted:
        raise typer.Exit(130)


def _in_words(placing: Placing) -> str:
    rating = placing.rating
    if rating is None:
        return "no rating yet"
    is_bounded = all(map(math.isfinite, told_ends(rating.elo, rating.low, rating.high)))
    return f"Elo {rating}" + (f" ± {placing.width:.0f}" if is_bounded else "")


def _tell(player: str, game: str, placing: Placing, ladder: dict[str, float]) -> None:
    """Print the ladder with the player on it."""
    rating = placing.rating
    assert rating is not None
    rows = [(elo, rung, f"{elo:.0f}", str(placing.against.get(rung, ""))) for rung, elo in ladder.items()]
    rows.append((rating.elo, f"▶ {player}", str(rating), str(rating.games)))
    title = f"{player} on the ladder of {game}"
    table = Table(title=title_of(title), title_justify="left", box=box.SIMPLE_HEAD, header_style="bold")
    table.add_column("player", overflow="fold")
    for heading in ("Elo", "games"):
        table.add_column(heading, justify="right", no_wrap=True)
    for _, name, elo, count in sorted(rows, key=lambda row: -row[0]):
        table.add_row(name, elo, count)
    _out.print(table)
