"""Chess games in Portable Game Notation, PGN (S. J. Edwards, 1994), through python-chess, the extra ``chess``.

White begins, and ``1-0`` is a win for white. A game from another position has the tags ``SetUp`` and ``FEN``, and one
of Chess960 the tag ``Variant`` too. The time of a move is a comment, ``[%emt 0:00:01.5]``, in whole milliseconds. What
a search thought of its move, where that is kept, is one as well: ``[%eval 0.31,12]``, the value for white in pawns and
the depth: as UCI tells them, see `plyground.agents.scores`, and 100 pawns for a proved win. The reader does not take
evaluations back.

The tag ``Plyground`` holds the notes of `plyground.arena.records.replay`. A game without it is replayed by our rules,
and its result is believed, unless mate or stalemate stands against it. It is one of ``chess``; one that goes on, or
begins, after 50 moves of each side without a capture or a move of a pawn is one of ``chess(max_quiet_plies=150,
repetition=5)``, which ends only as chess does without a claim. A game without a result is ``"truncated"``, unless our
rules know better. The reader skips comments, numbered marks and variations.

Games that come from a store have its title as ``Event``, and the tags ``Date`` (in UTC), ``Round`` (with the pairing,
and the game of the pairing) and ``TimeControl``, as far as they are known. The reader keeps ``Event``, ``Site``,
``Date`` and ``Round``, as the record's `Event`, and no other tag. ``PlygroundEvent`` is a title that as ``Event`` would
mean that there is none, such as ``plyground``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from ...agents.scores import Scale
from ...envs import Game, make_game
from ...envs.outside.messages import cut, shown
from .files import CUT_OFF, Fault, Watch, add_texts, decoded, ignored, located, raised
from .judgements import Judgement
from .names import check_held
from .pgn_text import FaultError, Text, move_label, read_texts
from .record import GameRecord, check_fields
from .replay import Replay, legal_moves, read_notes, replayed, write_notes
from .tags import check_start, escaped, event_of_tags, event_tags, result_of

__all__ = ["check_pgn_game", "read_pgn", "write_pgn"]

_RESULTS = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0, "*": None}
_TERMINATIONS = {  # how PGN calls our endings (9.8.1)
    "finished": "normal",
    "truncated": "unterminated",
    "illegal": "rules infraction",
    "failed": "abandoned",
    "time": "time forfeit",
    "adjudicated": "adjudication",
}
_ENDINGS = {"time forfeit": "time", "adjudication": "adjudicated"}  # of files of others, what is as sure as a result
_PATIENT = {"max_quiet_plies": 150, "repetition": 5}
_WON = 100_00  # centipawns


def write_pgn(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add games to a PGN file, one after the other as they come.

    Raises:
        ValueError: the game is not chess, a move is illegal, or the game starts from a position that has no FEN.
            Nothing of that game is written.
    """
    made = cache(make_game)
    add_texts(path, (_serialise(record, made).encode() for record in records))


def read_pgn(
    path: str | Path, game: str = "chess", watch: Watch = ignored, fault: Fault = raised
) -> Iterator[GameRecord]:
    """Yield the games of a PGN file.

    A game with a fault is yielded up to there, with the ending ``"truncated"`` and the fault as its reason, before the
    error is raised; unless ``fault`` goes on, which leaves it out.

    Args:
        path: the file.
        game: the rules of games without notes.
        watch: called with the bytes that are read, as `plyground.arena.records.files` says.
        fault: called with what is wrong with a game that cannot be read; by default it is raised.

    Raises:
        ValueError: a game cannot be read: it is no chess, its position is none, a move is illegal or ambiguous, it has
            notes but no result after its moves, as where a file is cut off, or something is no PGN. The message names
            the file, the line of the fault, the game by its number, and the reason.
    """
    text = decoded(path)
    made = cache(make_game)  # each game once, for a file
    number, size, lines = 0, Path(path).stat().st_size, text.count("\n") + 1
    for found in read_texts(text):
        number += 1
        if found.fault is not None and not found.moves:
            fault(located(found.fault, path, found.fault.line, number))
            continue
        try:
            record, broken = _record(found, game, made)
        except ValueError as error:
            fault(located(error, path, found.line, number))
            continue
        record = replace(record, event=event_of_tags(found.tags))
        watch(min(size, size * (found.moves[-1][2] if found.moves else found.line) // lines))
        if broken is None:
            yield record
            continue
        error = located(broken, path, broken.line, number)
        if record.moves and fault is raised:
            yield replace(record, reason=str(error))
        fault(error)
    if number == 0:
        raise ValueError(cut(f"{path}, line 1: there is no game: expected PGN, such as '1. e4 e5 *'"))


# -- writing -----------------------------------------------------------------------------------------------------------


def check_pgn_game(game: str) -> None:
    """Raise `ValueError` if PGN files do not hold the game of a spec."""
    check_held(".pgn", game)


def _serialise(record: GameRecord, made: Callable[[str], Game]) -> str:
    check_pgn_game(record.game)
    check_start(record)
    check_fields({"moves": record.moves})
    game = made(record.game)
    replay = replayed(game, record)
    is_960, begun = game.parameters["chess960"] >= 0, replay.state.copy()
    written = chess.pgn.Game()
    if is_960 or record.start is not None:
        written.setup(chess.Board(game.fen(begun), chess960=is_960))
    node: chess.pgn.GameNode = written
    scale = _scale_of(game)
    for ply, action in enumerate(legal_moves(record)):
        is_action = 0 <= action < game.num_actions
        name, mover = game.move_name(replay.state, action) if is_action else str(action), replay.player
        replay.play(action, name)
        node = node.add_variation(chess.Move.from_uci(name))
        if record.seconds[ply] >= 0.0005:
            node.set_emt(record.seconds[ply])
        judgement = None if record.analyses is None else record.analyses[ply]
        if judgement is not None:
            node.set_eval(_score(scale, judgement, mover), max(0, judgement.depth))
    headers = written.headers
    headers.update((name, escaped(value)) for name, value in event_tags(record).items())
    headers["White"], headers["Black"] = map(escaped, record.players)
    headers["Result"] = result_of(record, replay.player)
    headers["Termination"] = _TERMINATIONS[record.ending]
    headers["Plyground"] = escaped(write_notes(record))
    return written.accept(chess.pgn.StringExporter(columns=80)) + "\n\n"


_scale_of = cache(Scale)


def _score(scale: Scale, judgement: Judgement, mover: int) -> chess.engine.PovScore:
    """Return a value of a player as centipawns for white."""
    value = judgement.value
    centipawns = scale.centipawns(value, judgement.sampled) if abs(value) < 1 else int(value) * _WON
    return chess.engine.PovScore(chess.engine.Cp(centipawns * (1 - 2 * mover)), chess.WHITE)


# -- reading -----------------------------------------------------------------------------------------------------------


def _record(text: Text, spec: str, made: Callable[..., Game]) -> tuple[GameRecord, FaultError | None]:
    """Return a game, up to where it cannot be read, and the fault."""
    tags, fault, notes = text.tags, text.fault, None
    if "Plyground" in tags:
        notes, game = read_notes(tags["Plyground"], ["chess"], made)
    else:
        game = _foreign_game(tags, made(spec), made)
    replay, after = _played(text, game) if notes is not None else _played_by_others(text, game, made)
    fault = after or fault
    if fault is None and notes is not None and not text.end:  # ours have a result: the rest of the file is lost
        fault = FaultError(text.moves[-1][2] if text.moves else text.line, CUT_OFF)
    players = [_name(tags.get("White", ""), "White"), _name(tags.get("Black", ""), "Black")]
    if fault is not None:
        return replay.record(players, None, None), fault
    record = replay.record(players, _read_result(tags.get("Result", "*"), text.end), notes)
    seconds = text.seconds + [0.0] * (len(record.moves) - len(text.seconds))  # an illegal last move is in the notes
    record = replace(record, seconds=seconds)
    if notes is None and record.ending == "finished":
        ending = _ENDINGS.get(tags.get("Termination", "").strip().lower(), "finished")
        is_drawn = record.outcome[0] == record.outcome[1]  # time is over, and the other side cannot mate
        record = replace(record, ending="finished" if ending == "time" and is_drawn else ending)
    return record, None


def _foreign_game(tags: dict[str, str], game: Game, made: Callable[..., Game]) -> Game:
    """Return what is played in a game without notes, by its tags.

    Raises:
        ValueError: it is a variant that is not played here.
    """
    variant = tags.get("Variant", "").strip()
    headers = chess.pgn.Headers({"Variant": variant} if variant else {})
    if headers.is_chess960():
        if not (fen := tags.get("FEN")):
            return made("chess", **{**game.parameters, "chess960": 518})
        try:
            number = chess.Board(fen, chess960=True).chess960_pos()
        except ValueError:
            number = None  # it is said when our rules read it
        return made("chess", **{**game.parameters, "chess960": 518 if number is None else number})
    if variant.lower() not in ("", "chess", "standard", "normal", "from position"):
        raise ValueError(f"the variant {shown(variant)} is not played here: expected chess or Chess960")
    return game


def _played_by_others(text: Text, game: Game, made: Callable[..., Game]) -> tuple[Replay, FaultError | None]:
    """Return what `_played` does, of a game in which nobody need have claimed a draw.

    Raises:
        ValueError: the position in which it begins is none.
    """
    if game.parameters["max_quiet_plies"] >= _PATIENT["max_quiet_plies"]:
        return _played(text, game)
    patient = {**game.parameters, **_PATIENT}
    try:
        replay, after = _played(text, game)
    except ValueError:  # it may begin with more quiet plies than end the game
        with suppress(ValueError):
            return _played(text, made("chess", **patient))
        raise
    if after is None or replay.legal:
        return replay, after
    return _played(text, made("chess", **patient))


def _played(text: Text, game: Game) -> tuple[Replay, FaultError | None]:
    """Return the moves of a text, played by our rules, and what is wrong with the first that these do not allow."""
    fen = text.tags.get("FEN")
    replay = Replay(game, None if fen is None else game.state_from_fen(fen))
    for ply, (uci, name, line) in enumerate(text.moves):
        label = move_label(text, ply, name)
        if not replay.legal:
            return replay, FaultError(line, f"move {label} comes after the end of the game of {game.spec}")
        try:
            action = game.move_of(replay.state, uci)
            replay.play(action, label)
        except ValueError:
            return replay, FaultError(line, f"move {label} is illegal in {game.spec}")
    return replay, None


def _name(tag: str, default: str) -> str:
    return default if tag.strip() in ("", "?") else tag


def _read_result(tag: str, end: str) -> float | None:
    """Return what the tag and the end of the moves say: +1 for white, -1 for black, 0 for a draw, None for nothing."""
    tag, end = "*" if tag in ("?", "") else tag, end or "*"
    if tag not in _RESULTS:
        raise ValueError(f"the result {shown(tag)} cannot be read: expected {', '.join(_RESULTS)}")
    if tag != end and "*" not in (tag, end):
        raise ValueError(f"the results {tag!r}, in the tags, and {end!r}, after the moves, differ")
    return _RESULTS[end if tag == "*" else tag]
