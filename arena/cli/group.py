"""The group of commands, and what is said of errors. A command is loaded when it is called.

Results go to standard output; progress and errors to standard error. A user's mistake is one line, and exit code 2.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from traceback import format_exc
from typing import Annotated, Any, NoReturn

import typer
from rich.markup import escape
from rich.text import Text
from typer.core import TyperGroup
from typer.main import get_command

from ..lines import console, print_plain
from ..notices import notices_shown
from .commands import COMMANDS
from .options import results_alone

__all__ = ["app", "run"]

_UsageError: Any = typer.BadParameter.__base__  # what a wrong option or argument raises
_err = console(stderr=True)
_has_tracebacks = False  # whether they are asked for
_EPILOG = (
    "'plyground COMMAND --help' has the options of a command, and examples. A game or a player of your own is named by "
    "its place, as in './examples/breakthrough.py:breakthrough' or 'package.module:attribute'."
)


class _Lazy(TyperGroup):
    """A group whose commands are known by name, and are loaded when one is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments begin with."""
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = _loaded(args[0])
        return super().resolve_command(ctx, args)


def _loaded(name: str) -> Any:
    """Return a command, ready to be called."""
    file, _, function = COMMANDS[name].place.partition(":")
    module = importlib.import_module(f".{file}", __package__)
    one = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    examples = "\n\n".join(escape(f"  {example}") for example in COMMANDS[name].examples)
    one.command(name, epilog=f"Examples:\n\n{examples}")(_for_programs(getattr(module, function)))
    return get_command(one)


def _for_programs(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that prints nothing but JSON where ``--json`` is given, whatever its players print."""

    @functools.wraps(command)
    def call(**options: Any) -> None:
        with results_alone() if options.get("as_json") else contextlib.nullcontext():
            command(**options)

    return call


app = typer.Typer(
    cls=_Lazy,
    help="Two-player board games, and matches between search agents, trained policies and people.",
    epilog=_EPILOG,
    pretty_exceptions_enable=False,
)
for _name, _command in COMMANDS.items():
    app.command(_name, help=_command.what)(lambda: None)


def _print_version(asked: bool) -> None:
    if asked:
        from ...envs.version import __version__

        print(f"plyground {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say what is being compiled.")] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show the whole traceback of an error, above what is said of it.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version, and exit.")
    ] = False,
) -> None:
    global _has_tracebacks
    _has_tracebacks = traceback
    context.with_resource(notices_shown(quiet))


def run(arguments: list[str]) -> NoReturn:
    """Call the command that the arguments begin with, say what is wrong, and exit; see `main`.

    Raises:
        KeyboardInterrupt: Ctrl-C came where the command leaves it to its caller.
    """
    try:
        for stream in (sys.stdout, sys.stderr):  # what an encoding such as ASCII lacks is a question mark, and no error
            if not isinstance(stream, io.TextIOWrapper):
                continue
            if stream.errors == "strict" or (stream.errors == "surrogateescape" and stream.encoding != "utf-8"):
                stream.reconfigure(errors="replace")
        sys.exit(_called(arguments))
    except _UsageError as error:
        _complain(f"{error.format_message()}{_value_of(error)}")
    except OSError as error:
        _complain(_in_words(error))
    except (ValueError, ImportError) as error:
        _complain(f"{str(error).rstrip()}{_place_of(error)}")
    except MemoryError as error:
        _complain(str(error) or "there is not enough memory")
    except RuntimeError as error:
        if not _is_of_a_process(error):
            raise
        _complain(str(error))
    except typer.Abort:  # into which Typer turns Ctrl-C
        raise KeyboardInterrupt from None


def _called(arguments: list[str]) -> Any:
    """Call a command, and return the code to exit with. Failures of code of the user's own are told here."""
    try:
        return app(arguments, standalone_mode=False)
    except Exception as error:
        from ...envs.outside.messages import cut
        from ..faults import noted, place_of

        note, place = noted(error), place_of(error)
        place = place or ("" if note is None else note.place)
        is_told = isinstance(error, (_UsageError, OSError, ValueError, ImportError, MemoryError))
        if not place or (note is None and (is_told or _is_of_a_process(error))):
            raise
        who = "" if note is None else f"{note}: "
        what = cut(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
        more = "" if _has_tracebacks else "\n'plyground --traceback …' shows the whole traceback"
        _complain(f"{who}{what}{place}{more}", 1)


def _is_of_a_process(error: BaseException) -> bool:
    """Return whether a program, a worker or an actor has failed, of which the message says all."""
    from ...agents.engines import EngineError
    from ..processes import WorkerError
    from ..training.alphazero.team import ActorError

    return isinstance(error, (ActorError, EngineError, WorkerError))


def _value_of(error: Any) -> str:
    """Return the end of a message that does not name the value: those of Pydantic, which newer Typers ask."""
    fault: Any = error.__cause__
    return f", got {fault.errors()[0]['input']!r}" if hasattr(fault, "errors") else ""


def _place_of(error: BaseException) -> str:
    """Return where in a file of the user's own an error came up, as the end of its message.

    "" if it was in none, or if it was raised there, for then the message is meant to be read as it is.
    """
    from ..faults import own_frame

    frame = own_frame(error)
    if frame is None or (frame.line or "").startswith("raise ") or f"{Path(frame.filename).name}:" in str(error):
        return ""
    return f" ({frame.filename}, line {frame.lineno})"


def _complain(message: str, code: int = 2) -> NoReturn:
    if _has_tracebacks:
        print_plain(_err, format_exc().rstrip())
    print_plain(_err, Text.assemble(("error:", "bold red"), " ", message))
    sys.exit(code)


def _in_words(error: OSError) -> str:
    """Return what the system says, of a file if it names one, without its number."""
    if error.errno is None or not error.strerror:
        return str(error)
    said = error.strerror.lower()
    return said if error.filename is None else f"cannot read or write {error.filename}: {said}"
