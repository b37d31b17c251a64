"""The Go Text Protocol, version 2, from the engine's side: a player of ours answers commands.

Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2" (2002).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, TextIO

from ...agents.engines import LETTERS
from ...envs import Game
from ...envs.games.go.area import area
from ...envs.version import __version__
from ..records.sgf import read_sgf_moves
from .conversation import Answers, Commands, in_a_line
from .live import LIVE, answer_live
from .seat import SIZES, Seat
from .words import RefusalError, integer_of, number_of, parsed, player_of

__all__ = ["GTPServer"]

_HANDICAPS = {  # columns and rows of star points: low, middle and high, as the specification places them
    2: "ll hh",
    3: "ll hh lh",
    4: "ll hh lh hl",
    5: "ll hh lh hl mm",
    6: "ll hh lh hl lm hm",
    7: "ll hh lh hl lm hm mm",
    8: "ll hh lh hl lm hm ml mh",
    9: "ll hh lh hl lm hm ml mh mm",
}


class GTPServer:
    """A player of ours, behind commands in lines.

    Args:
        player: the player's spec, as in ``"mcts(seconds=1)"``.
        game: the game.

    Attributes:
        seat: the player at its board.

    Raises:
        ValueError: as `plyground.agents.make`; or the game is none that GTP can speak of.
    """

    def __init__(self, player: str, game: Game) -> None:
        self.seat = Seat(player, game)
        self._has_periods = False  # whether overtime is Japanese byo-yomi, of which `time_left` tells periods

    # -- the conversation ----------------------------------------------------------------------------------------------

    def run(self, commands: Iterable[str], out: TextIO) -> None:
        """Answer commands until ``quit``, or until there are no more.

        Args:
            commands: lines, for example standard input. They are read by a thread, since an analysis goes on until the
                next one comes.
            out: where the answers go.
        """
        lines, answers = Commands(commands), Answers(out)
        for line in lines:
            number, name, arguments = parsed(line)
            if not name:
                continue
            if name in LIVE:
                answer_live(self.seat, name, arguments, number, lines, answers)
                continue
            answers.write(self._answer(number, name, arguments) + "\n")
            if name == "quit":
                return

    def answer(self, line: str) -> str:
        """Return the answer to one command, without the empty line that ends it; "" to a line that is none."""
        number, name, arguments = parsed(line)
        return self._answer(number, name, arguments) if name else ""

    def _answer(self, number: str, name: str, arguments: list[str]) -> str:
        command = self.commands.get(name)
        try:
            if command is None:
                raise RefusalError("unknown command")
            return f"={number} {command(self, arguments)}".rstrip()
        except Exception as error:  # whatever it is, whoever waits is answered
            return f"?{number} {in_a_line(error)}"

    # -- commands: arguments in, the answer out ------------------------------------------------------------------------

    def _list(self, arguments: list[str]) -> str:
        return "\n".join(sorted({*self.commands, *LIVE}))

    def _knows(self, arguments: list[str]) -> str:
        return str(bool(arguments) and (arguments[0] in self.commands or arguments[0] in LIVE)).lower()

    def _boardsize(self, arguments: list[str]) -> str:
        size = integer_of(arguments, 0)
        try:
            self.seat.change(**{SIZES[self.seat.game.name]: size})
        except ValueError:
            raise RefusalError("unacceptable size") from None
        return ""

    def _clear(self, arguments: list[str]) -> str:
        self.seat.clear()
        return ""

    def _komi(self, arguments: list[str]) -> str:
        komi = number_of(arguments, 0)
        if self.seat.game.name == "go" and komi != self.seat.game.parameters["komi"]:
            self.seat.change(komi=komi)
        return ""

    def _load(self, arguments: list[str]) -> str:
        """Set up the first game of an SGF file, up to the move of a number if there is one, with its size and komi.

        Stones of a handicap are no moves of these.
        """
        before = integer_of(arguments, 1) if len(arguments) > 1 else None
        if not arguments or (before is not None and before < 1):
            raise RefusalError("syntax error")
        try:
            recorded, placed, moves = read_sgf_moves(arguments[0])
            game = self.seat.game
            if recorded.name != game.name:
                raise ValueError(f"it has a game of {recorded.name}, expected {game.name}")
            changed = [name for name in (SIZES[game.name], "komi") if name in game.parameters]
            moves = moves[: None if before is None else before - 1]
            self.seat.load(placed, moves, **{name: recorded.parameters[name] for name in changed})
        except (OSError, ValueError) as error:
            raise RefusalError(f"cannot load file: {in_a_line(error)}") from None
        return ""

    def _play(self, arguments: list[str]) -> str:
        player, name = player_of(arguments), (arguments[1] if len(arguments) > 1 else "").upper()
        action = self.seat.actions.get(name, -1)
        if action < 0:
            raise RefusalError("syntax error" if not name or not name[0].isalpha() else "illegal move")
        self.seat.move(player, action)
        return ""

    def _genmove(self, arguments: list[str]) -> str:
        return self.seat.choose(player_of(arguments))

    def _reg_genmove(self, arguments: list[str]) -> str:
        return self.seat.choose(player_of(arguments), is_played=False)

    def _cleanup(self, arguments: list[str]) -> str:
        """Both have passed, and disagree about dead stones: KGS asks for moves until those are off the board."""
        return self.seat.choose(player_of(arguments), goes_on=True)

    def _undo(self, arguments: list[str]) -> str:
        self.seat.undo()
        return ""

    def _time_settings(self, arguments: list[str]) -> str:
        main, overtime = number_of(arguments, 0), number_of(arguments, 1)
        self._set_time(main, overtime, integer_of(arguments, 2))
        return ""

    def _kgs_time_settings(self, arguments: list[str]) -> str:
        kind = arguments[0] if arguments else ""
        if kind == "none":
            self._set_time(0, 1, 0)
        elif kind == "absolute":
            self._set_time(number_of(arguments, 1), 0, 0)
        elif kind == "canadian":
            self._set_time(number_of(arguments, 1), number_of(arguments, 2), integer_of(arguments, 3))
        elif kind == "byoyomi":  # periods of a move each: to be sure, the player counts on one of them
            self._set_time(number_of(arguments, 1), number_of(arguments, 2), 1)
            self._has_periods = True
        else:
            raise RefusalError("syntax error")
        return ""

    def _set_time(self, main: float, overtime: float, stones: int) -> None:
        try:
            self.seat.clock.set(main, overtime, stones)
        except ValueError as error:
            raise RefusalError(f"syntax error: {error}") from None
        self._has_periods = False

    def _time_left(self, arguments: list[str]) -> str:
        """Take from the referee what is left: seconds, and for how many moves, or 0 in the main time.

        In byo-yomi the last number is that of the periods left, as KGS has it and Leela Zero takes it. The seconds are
        those of one period, which is for one move: the player counts on no other.
        """
        player, seconds, stones = player_of(arguments), number_of(arguments, 1), integer_of(arguments, 2)
        if stones < 0:
            raise RefusalError("syntax error: stones are at least 0")
        self.seat.clock.tell(player, seconds, min(stones, 1) if self._has_periods else stones)
        return ""

    def _final_score(self, arguments: list[str]) -> str:
        """Count the board as our rules do: in Go all stones on it are alive."""
        game, state = self.seat.game, self.seat.seen[1]["state"]
        if game.name == "go":
            lead = area(game.parameters["board_size"]).area_balance(state) - float(game.parameters["komi"])
        elif game.name == "othello":
            stones = game.observation(state, 0)[..., :2].sum(axis=(0, 1))
            lead = float(stones[0]) - float(stones[1])
        else:
            raise RefusalError("cannot score")
        return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"

    def _final_status_list(self, arguments: list[str]) -> str:
        """List the stones with a status: all on the board are alive, as `final_score` counts them."""
        status = arguments[0].lower() if arguments else ""
        if self.seat.game.name != "go" or status not in ("alive", "seki", "dead"):
            raise RefusalError("syntax error" if self.seat.game.name == "go" else "stones have a status in Go only")
        stones = self.seat.game.observation(self.seat.seen[1]["state"], 0)[..., :2].any(axis=-1).ravel()
        return " ".join(self.seat.vertices[cell] for cell in stones.nonzero()[0] if status == "alive")

    def _show(self, arguments: list[str]) -> str:
        rows = self.seat.game.text(self.seat.seen[1]["state"]).split("\n")
        if self.seat.game.name == "gomoku":  # whose own names have an i, and those of GTP have none
            rows[-1] = "".join(LETTERS[ord(one) - ord("a")].lower() if one.isalpha() else one for one in rows[-1])
        return "\n".join(["", *rows])

    def _seed(self, arguments: list[str]) -> str:
        self.seat.reseed(integer_of(arguments, 0))
        return ""

    def _fixed_handicap(self, arguments: list[str]) -> str:
        return self._place_handicap(integer_of(arguments, 0), self._most_handicap)

    def _place_free_handicap(self, arguments: list[str]) -> str:
        """Place stones where we like: on the star points, or on a small board near its corners, and no more."""
        wanted, size = integer_of(arguments, 0), self.seat.game.observation_shape[0]
        most = self._most_handicap or (4 if size > 2 else 2 if size > 1 else 0)  # four would fill a board of 2x2
        return self._place_handicap(min(wanted, most), most)

    def _set_free_handicap(self, arguments: list[str]) -> str:
        points = [self.seat.actions.get(name.upper(), -1) for name in arguments]
        if len(points) < 2 or len(set(points)) < len(points) or min(points) < 0 or "PASS" in map(str.upper, arguments):
            raise RefusalError("bad vertex list")
        self.seat.place(points)
        return ""

    @property
    def _most_handicap(self) -> int:
        """The stones that the board has star points for."""
        size = self.seat.game.observation_shape[0]
        return 0 if self.seat.game.name != "go" or size < 7 else 9 if size % 2 and size > 7 else 4

    def _place_handicap(self, stones: int, most: int) -> str:
        """Place stones as far from the edge as they are in Go on a board of this size; return where."""
        size = self.seat.game.observation_shape[0]
        if not 2 <= stones <= most:
            raise RefusalError("invalid number of stones")
        edge = 4 if size > 12 else 3 if size > 6 else 2 if size > 3 else 1
        columns = {"l": edge, "m": (size + 1) // 2, "h": size + 1 - edge}
        names = [f"{LETTERS[columns[x] - 1]}{columns[y]}" for x, y in _HANDICAPS[stones].split()]
        points = [self.seat.actions[name] for name in names]
        self.seat.place(points)
        return " ".join(self.seat.vertices[action] for action in points)

    commands: ClassVar[dict[str, Callable[[GTPServer, list[str]], str]]] = {
        "protocol_version": lambda self, arguments: "2",
        "name": lambda self, arguments: f"plyground {self.seat.player}",
        "version": lambda self, arguments: __version__,
        "known_command": _knows,
        "list_commands": _list,
        "quit": lambda self, arguments: "",
        "boardsize": _boardsize,
        "clear_board": _clear,
        "komi": _komi,
        "loadsgf": _load,
        "play": _play,
        "genmove": _genmove,
        "reg_genmove": _reg_genmove,
        "kgs-genmove_cleanup": _cleanup,
        "undo": _undo,
        "time_settings": _time_settings,
        "kgs-time_settings": _kgs_time_settings,
        "time_left": _time_left,
        "final_score": _final_score,
        "final_status_list": _final_status_list,
        "showboard": _show,
        "set_random_seed": _seed,
        "fixed_handicap": _fixed_handicap,
        "place_free_handicap": _place_free_handicap,
        "set_free_handicap": _set_free_handicap,
    }
