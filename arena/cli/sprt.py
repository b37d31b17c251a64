"""``plyground sprt``: a match that goes on until it is known which of two players is stronger."""

from __future__ import annotations

import time
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box

from ..bars import status
from ..lines import console, print_plain, print_prose, signed
from ..wording import counted, estimated, plain
from .options import (
    Adjudicate,
    Analyses,
    Dask,
    GameOption,
    Jobs,
    Json,
    KeepGoing,
    OpeningPlies,
    Openings,
    Out,
    Ray,
    Resume,
    Seed,
    Time,
    print_json,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ..records.record import GameRecord
    from ..sprt import Sprt

__all__ = ["sprt"]

_APART = 2.0  # seconds from one estimate of Elo to the next: it takes some hundredths

_out = console()
_err = console(stderr=True)
_POINTS = ("0", "1/2", "1", "3/2", "2")
_MATCH = ("game", "max_games", "seed", "opening_plies", "openings", "jobs", "ray", "dask", "out", "resume", "time")
_MODES = {"a match": (*_MATCH, "adjudicate", "keep_going", "analyses")}


def sprt(
    context: typer.Context,
    players: Annotated[
        list[str] | None,
        typer.Argument(help="The two players, as in 'mcts(simulations=200)'; the first may be the stronger."),
    ] = None,
    game: GameOption = "connect_four",
    elo0: Annotated[float, typer.Option(help="The first player's Elo advantage under H0.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="The first player's Elo advantage under H1.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="The chance to accept H1 where H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="The chance to accept H0 where H1 is true.")] = 0.05,
    model: Annotated[
        str, typer.Option(help="The Elo scale of --elo0 and --elo1: normalized or logistic.")
    ] = "normalized",
    max_games: Annotated[int, typer.Option(help="Games after which it ends undecided; an even number.")] = 20_000,
    pentanomial: Annotated[
        str | None,
        typer.Option(
            metavar="COUNTS",
            help="Play nothing: judge these pairs of games, five numbers of those with 0, 1/2, 1, 3/2 and 2 points, as "
            "in '39 8843 26675 9240 44'.",
        ),
    ] = None,
    seed: Seed = 0,
    opening_plies: OpeningPlies = None,
    openings: Openings = None,
    jobs: Jobs = 1,
    ray: Ray = False,
    dask: Dask = None,
    out: Out = None,
    resume: Resume = False,
    time: Time = None,
    adjudicate: Adjudicate = None,
    keep_going: KeepGoing = False,
    analyses: Analyses = False,
    as_json: Json = False,
) -> None:
    """Test whether one player is stronger than another, in as few games as it takes."""
    from ..sprt import Sprt
    from .parts.clusters import workers
    from .parts.competition import match_options
    from .parts.losses import Losses
    from .parts.modes import check_options

    if (pentanomial is None) == (not players):
        raise ValueError("give two players, or the results of their games with --pentanomial")
    check_options(context, "a match" if players else "--pentanomial", _MODES)
    test = Sprt(elo0, elo1, alpha, beta, model)
    if pentanomial is not None:
        test = Sprt(elo0, elo1, alpha, beta, model, counts=_counts(pentanomial))
        _tell(test, "", as_json)
        return
    assert players
    if len(players) != 2:
        raise ValueError(f"it takes two players, got {len(players)}: {' v '.join(players)}")
    with workers(jobs, ray, dask) as where:
        given = opening_plies, openings, time, adjudicate
        options = match_options(where, *given, keep_going=keep_going, analyses=analyses)
        records, known, is_interrupted = _play(test, game, players, max_games, seed, out, resume, options)
    losses = Losses()
    for number, record in enumerate(records):
        losses.add(record, earlier=number < known)
    losses.tell(out if resume and not known else None)
    names = " v ".join(map(plain, records[0].players))
    _tell(test, f"{names}\n{records[0].game}, {counted(len(records), 'game')}, seed {seed}", as_json)
    if is_interrupted:
        raise typer.Exit(130)


def _counts(text: str) -> list[int]:
    """Read ``--pentanomial``.

    Raises:
        ValueError: these are not five whole numbers.
    """
    words = text.replace(",", " ").split()
    if len(words) != 5 or not all(word.isdecimal() for word in words):
        raise ValueError(f"--pentanomial takes five whole numbers, as in '39 8843 26675 9240 44', got {text!r}")
    return list(map(int, words))


def _play(
    test: Sprt,
    game: str,
    players: list[str],
    max_games: int,
    seed: int,
    out: Path | None,
    resume: bool,
    options: dict[str, Any],
) -> tuple[list[GameRecord], int, bool]:
    """Play until the test is decided, interrupted, or out of games.

    Returns:
        The games, how many of them an earlier run has played, which a store does not tell, and whether Ctrl-C ended it.

    Raises:
        typer.Exit: it was interrupted before the first pair of games.
    """
    from ..formats import saved_records
    from ..matches import iter_match
    from ..sprt import until_decided
    from .parts.competition import before_games, going_on, nothing_finished
    from .parts.watching import Pace

    kept = going_on(out, resume)
    with before_games(resume):
        played = iter_match(game, players, max_games, seed, at_most=True, **kept, **options)
    saved = played if out is None or "store" in kept else saved_records(out, played)
    records: list[GameRecord] = []
    is_interrupted, pace, elo, due = False, Pace(None), "", time.monotonic() + _APART
    pace.add(time.monotonic(), known := len(kept.get("after", [])))
    with status(_err) as tell:
        try:
            for record in until_decided(test, chain(kept.get("after", []), saved)):
                records.append(record)
                now = time.monotonic()
                if len(records) > known:
                    pace.add(now, len(records))
                if now >= due and test.pairs:
                    elo, due = f", {_elo(test)}", now + _APART
                llr = f"LLR {signed(test.llr, 2)} ({test.lower:.2f} to {test.upper:.2f})"
                # A store yields its games as those that are played now: how fast these come is not known.
                games = counted(len(records), "game") if kept.get("resume") else pace.line(datetime.now())
                tell(f"{games}, {llr}{elo}")
        except KeyboardInterrupt:
            if not test.pairs:
                raise nothing_finished("pair of games", goes_on=out is not None and len(records) > 0) from None
            _err.print(f"stopped after {counted(len(records), 'game')}")
            is_interrupted = True
    return records, known, is_interrupted


def _tell(test: Sprt, title: str, as_json: bool) -> None:
    """Print what the test says."""
    from ..tables import Parted

    found = test.estimate()
    if as_json:
        names = ("elo0", "elo1", "alpha", "beta", "model", "pairs", "llr", "lower", "upper", "decision")
        answer: dict[str, Any] = {name: getattr(test, name) for name in names}
        print_json(
            answer | {"pentanomial": test.counts, "elo": found.elo, "elo_low": found.low, "elo_high": found.high}
        )
        return
    if title:
        print_plain(_out, title)
    table = Parted(None, box=box.SIMPLE_HEAD, header_style="bold")
    table.add_column("points of a pair", overflow="fold")
    for points in _POINTS:
        table.add_column(points, justify="right", no_wrap=True)
    table.add_row("pairs", *map(str, test.counts))
    _out.print(table)
    print_plain(_out, f"LLR {signed(test.llr, 2)}, bounds {test.lower:+.2f} and {test.upper:+.2f}")
    print_prose(_out, _in_words(test))
    print_plain(_out, _elo(test))


def _elo(test: Sprt) -> str:
    """Return the estimate of the difference, in words."""
    found = test.estimate()
    return f"{_kind(test)} {estimated(found.elo, found.low, found.high, lambda elo: signed(elo, 1), '95 %')}"


def _kind(test: Sprt) -> str:
    return f"{'normalised' if test.model == 'normalized' else 'logistic'} Elo"


def _in_words(test: Sprt) -> str:
    """Return what is concluded: not that the lead is as large as a hypothesis says, but which of them is nearer."""
    low, high = f"{test.elo0:g}", f"{test.elo1:g}"
    if test.decision is None:
        lead = f"the first player's lead is nearer to {low} or to {high} {_kind(test)}"
        return f"undecided: the games do not tell whether {lead}"
    if test.decision == "H1":
        near, far, what = high, low, "is stronger" if test.elo0 >= 0 else f"is not weaker by {-test.elo0:g}"
    else:
        near, far, what = low, high, "is weaker" if test.elo1 <= 0 else f"is not stronger by {high}"
    lead = f"its lead is nearer to {near} {_kind(test)} than to {far}"
    return f"{test.decision} is accepted: the first player {what}; {lead}"
