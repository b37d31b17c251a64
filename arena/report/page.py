"""The page: its sections, the style sheet, the program and the games, in one file that needs nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any, TypeVar

from ...envs import Game, make_game
from ...envs.outside.files import check_writable
from ...envs.outside.messages import cut
from ...envs.outside.spec import same_spec
from ...envs.outside.whole_files import write_whole
from ...envs.render.styles import mix
from ...envs.render.template import board_template
from ...envs.starting import position_of
from ...envs.version import __version__
from ..formats import is_format
from ..ratings import payoff_matrix, rating_list
from ..records.record import GameRecord
from ..tournaments import standings
from ..wording import counted
from .blunders import SHOWN, Search, blunders_section, find_blunders
from .games import LIMIT, games_data, order_of
from .markup import Html, escaped, section, tag
from .pairs import in_pairs
from .results import HEAT, cross_table_section, payoff_section, ratings_section
from .sides import sides_section
from .times import lengths_section, times_section

__all__ = ["check_page", "report_page", "write_report"]

Result = TypeVar("Result")

_DATA = Path(__file__).parent / "data"
_GENERATOR = b'<meta name="generator" content="plyground '  # as page.html has it
_HEAD = 1024  # bytes of a page, in which it stands
_HEADING = re.compile(r'<section id="([^"]+)".*?<h2[^>]*>(.*?)</h2>', re.DOTALL)
# Of the heat map, for light and dark pages: no points, an even score, all points. The text on them stays readable.
_COLOURS = (("#f2b48f", "#f4f1ea", "#93bde8"), ("#7a3d1c", "#2a2d31", "#1f4f86"))


def write_report(
    path: str | Path,
    records: Iterable[GameRecord],
    *,
    title: str = "",
    blunder_seconds: float = 20,
    games_bytes: float = LIMIT,
) -> None:
    """Write a page that shows games and their results, for a browser: one file, which asks no server.

    Args:
        path: the file; an earlier page of that name is replaced, and nothing else.
        records: the games, all of one game.
        title: the heading of the page. Default: the game and how many games there are.
        blunder_seconds: the time for exact solving, which finds blunders where the game can be solved; 0 for none.
        games_bytes: how large the games that can be stepped through may be together. Those left out are counted in all
            tables, and the page says how many there are.

    Raises:
        ValueError: there are no games, or those of several games; or the file has the name of one of games.
        FileExistsError: the file is there, and no such page.
        OSError: the file cannot be written.
    """
    check_page(path)
    page = report_page(records, title=title, blunder_seconds=blunder_seconds, games_bytes=games_bytes)
    write_whole(Path(path), page.encode())


def check_page(out: str | Path) -> None:
    """Check that a page may have this name, before games are read and compared: it replaces an earlier page.

    Raises:
        ValueError: it is that of a file of games, perhaps the very one that is reported on.
        FileExistsError: there is something else of that name.
        OSError: the file cannot be written.
    """
    check_writable(out)
    if is_format(out):
        raise ValueError(f"cannot save a page to {out}, which is called as games are: choose a name that ends in .html")
    if Path(out).exists() and not _is_ours(Path(out)):
        raise FileExistsError(
            f"{out} exists already, and `plyground report` has not made it: choose another name, or remove it first"
        )


def _is_ours(path: Path) -> bool:
    """Return whether a file is a page of ours, of whatever version: its head says so."""
    if not path.is_file():  # a pipe would wait for somebody to write into it
        return False
    with path.open("rb") as file:
        return _GENERATOR in file.read(_HEAD)


def report_page(
    records: Iterable[GameRecord], *, title: str = "", blunder_seconds: float = 20, games_bytes: float = LIMIT
) -> str:
    """Return the page that `write_report` writes."""
    played = list(records)
    counts = Counter(record.game for record in played)
    if not played:
        raise ValueError("there are no games to report on")
    if not all(same_spec(name, played[0].game) for name in counts):
        listed = ", ".join(f"{name} ({count})" for name, count in counts.most_common())
        raise ValueError(f"a report is of one game, got games of {listed}: choose one of them")
    game, why = _game_of(played[0].game)
    table_of = standings(played)
    names = [line.name for line in table_of]
    pairs = in_pairs(played)
    ratings, unrated = _or_reason(lambda: rating_list(played))
    payoffs, unmatched = _or_reason(lambda: payoff_matrix(played))
    search, unsolved = _searched(game, played, blunder_seconds)
    wanted = [one.game for one in search.found[:SHOWN]] if search is not None else []
    data = games_data(game, played, names, order_of(played, wanted), games_bytes)
    sections = [
        cross_table_section(table_of, pairs),
        section("ratings", "Ratings", tag("p", f"There are none: {unrated}."))
        if ratings is None
        else ratings_section(ratings),
        section("payoffs", "Who beats whom", tag("p", f"It cannot be told: {unmatched}."))
        if payoffs is None
        else payoff_section(table_of, payoffs),
        sides_section(pairs, names, ratings and ratings.first_move, _namer(game)),
        lengths_section(played),
        times_section(played, names),
        section("blunders", "Blunders", tag("p", unsolved))
        if search is None or game is None
        else blunders_section(game, played, search, range(1, len(played) + 1)),
        _games_section(game, played, len(data["games"]), why),
    ]
    heading = title or f"{played[0].game}: {counted(len(names), 'player')}, {counted(len(played), 'game')}"
    return Template(_file("page.html")).substitute(
        version=escaped(__version__),
        title=escaped(heading),
        style=_file("page.css") + _heat_rules(),
        summary=_summary(played),
        navigation=_navigation(sections),
        sections="\n".join(sections),
        data=_script_data(data),
        script=_file("page.js"),
    )


def _file(name: str) -> str:
    return (_DATA / name).read_text(encoding="utf-8")


def _game_of(spec: str) -> tuple[Game | None, str]:
    """Return a game, or None and why there is none, such as that of an environment of somebody else."""
    try:
        return make_game(spec), ""
    except (ValueError, OSError, ImportError) as error:
        return None, cut(str(error))


def _searched(game: Game | None, records: Sequence[GameRecord], seconds: float) -> tuple[Search | None, str]:
    """Return the search for blunders, or None and why there is none."""
    if game is None:
        return None, "There are no rules of this game here, by which moves could be compared with perfect play."
    if not seconds:
        return None, "Moves were not compared with perfect play."
    try:
        return find_blunders(game, records, seconds), ""
    except ValueError as error:
        return None, f"Moves could not be compared with perfect play: {error}."


def _summary(records: Sequence[GameRecord]) -> Html:
    """Return the facts at the head of the page: how many games there are, and how they ended."""
    drawn = sum(record.outcome[0] == record.outcome[1] and record.has_result for record in records)
    facts = [("game" if len(records) == 1 else "games", len(records)), ("drawn", drawn)]
    words = {"adjudicated": "adjudicated", "time": "lost on time"}
    words |= {"illegal": "lost by illegal moves", "failed": "lost by errors"}
    ends = Counter(words.get(record.ending) if record.has_result else "broken off" for record in records)
    facts += [(word, ends[word]) for word in ("broken off", *words.values()) if ends[word]]
    items = [tag("li", [tag("b", f"{count:,}"), f" {word}"]) for word, count in facts]
    notes = [
        tag("p", f"Lost {how}: {by}.", class_="note")
        for how, some in (("on time", ("time",)), ("by illegal moves or errors", ("illegal", "failed")))
        if (by := _losers(record for record in records if record.ending in some))
    ]
    return Html(tag("ul", items, class_="facts") + "".join(notes))


def _losers(records: Iterable[GameRecord]) -> str:
    """Return who lost these games, and how many."""
    lost = Counter(record.loser for record in records)
    return ", ".join(f"{name} {count}" for name, count in lost.most_common())


def _navigation(sections: Sequence[Html]) -> Html:
    """Return links to the sections."""
    found = [_HEADING.search(one) for one in sections]
    links = [Html(f'<a href="#{one[1]}">{one[2]}</a>') for one in found if one is not None]
    return tag("ul", [tag("li", link) for link in links])


def _games_section(game: Game | None, records: Sequence[GameRecord], kept: int, why: str) -> Html:
    """Return the board, and the list of the games."""
    if game is None:
        board = tag("p", f"The boards cannot be drawn: {why}.", class_="note")
    elif game.board is None:
        board = tag("pre", "")
    else:
        board = Html(board_template(game, "The board"))
    left = f"{'All ' if kept > 1 else ''}{counted(kept, 'game')} can be stepped through."
    if kept < len(records):
        left = (
            f"{kept:,} of {counted(len(records), 'game')} can be stepped through: those of the worst blunders, those "
            "that ended by an illegal move or an error, and others from all over the file. The rest would make the "
            "page too large; it is counted in all tables."
        )
    return section(
        "games", "The games, move by move", tag("p", left), Html(Template(_file("viewer.html")).substitute(board=board))
    )


def _heat_rules() -> str:
    """Return the colours of the heat map, for light and dark pages."""
    rules = []
    for level in range(HEAT):
        share = 2 * level / (HEAT - 1) - 1
        light, dark = (mix(even, most if share > 0 else least, abs(share)) for least, even, most in _COLOURS)
        rules.append(f".h{level} {{ background: light-dark({light}, {dark}); }}")
    return "\n".join(rules)


def _script_data(data: Any) -> str:
    """Return data as JSON without ``<``, so that no text in it can end the script that it stands in."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _or_reason(function: Callable[[], Result]) -> tuple[Result | None, str]:
    """Return what a function returns, or None and why it could not."""
    try:
        return function(), ""
    except ValueError as error:
        return None, str(error)


def _namer(game: Game | None) -> Callable[[Sequence[int], str | None], list[str]]:
    """Return what gives the names of moves from a start: numbers where the game is not known."""
    if game is None:
        return lambda moves, _: list(map(str, moves))
    return lambda moves, start: game.line_names(moves, position_of(game, start))
