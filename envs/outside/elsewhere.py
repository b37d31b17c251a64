"""What is not part of the package, found by a text: an attribute of a module or of a file, or an entry point.

``package.module:attribute`` is imported as Python imports it, with the working directory as the last place to look.
``./file.py:attribute`` is the file's own, and the file may import the files beside it. Installed packages name theirs
as entry points of the groups ``plyground.games`` and ``plyground.agents``.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from .spec import nearest, nearest_of

__all__ = ["absolute", "called", "content_of", "installed", "load", "place_of"]

_PARTS = re.compile(r"""('[^']*'|"[^"]*"|[(),])""")  # texts, and what stands between the other parts of a spec
# A file at the head of a spec: a slash comes before all brackets, so that later ones may be signs in its path.
_FILE = re.compile(r"""[^()'"]*[/\\].*?\.py:[A-Za-z_][\w.]*(?=\s*(?:\(|$))""", re.DOTALL)
_KEY = re.compile(r"\s*(?:[A-Za-z_]\w*\s*=\s*)?")  # what may stand before the value of an argument


_loaded: dict[Path, tuple[ModuleType, str]] = {}  # the files that were executed here, with hashes of what was in them


def place_of(spec: str) -> str | None:
    """Return the place that a spec begins with, as ``./file.py:attribute`` in ``./file.py:attribute(size=5)``.

    None if the spec begins with a name.

    Raises:
        ValueError: the spec is a Python file without the name of an attribute.
    """
    if file := _FILE.match(spec.strip()):
        return file[0]
    place = spec.partition("(")[0].strip()
    if place.endswith(".py"):
        raise ValueError(f"{place!r} is a file: say what in it is meant, as in '{place}:{Path(place).stem}'")
    return place if ":" in place else None


def absolute(spec: str) -> str:
    """Return a spec whose files are found from any folder.

    So are those of players inside a player, unless their folders have brackets in their names.
    """
    file = _FILE.match(spec)
    place = file[0] if file else spec.partition("(")[0]  # blanks and signs in a place are its own
    before, bracket, inside = spec[len(place) :].partition("(")
    return _absolute(place) + before + bracket + "".join(map(_absolute_part, _PARTS.split(inside)))


def _absolute_part(part: str) -> str:
    quote = part[:1]
    if quote in ("'", '"') and part.endswith(quote, 1):
        return quote + absolute(part[1:-1]) + quote
    value = _KEY.sub("", part, count=1)
    return part.removesuffix(value) + _absolute(value)


def _absolute(place: str) -> str:
    file, colon, attribute = place.strip().rpartition(":")
    return f"{Path(file).expanduser().resolve()}{colon}{attribute}" if file.endswith(".py") else place


def load(place: str, *, again: bool = False) -> Any:
    """Return the attribute at a place, as in ``package.module:attribute`` or ``./file.py:attribute``.

    Args:
        place: where it is.
        again: whether a file that has changed since it was executed is executed again; one that Python has imported
            otherwise is not.

    Raises:
        FileNotFoundError: there is no such file; the nearest is suggested.
        ValueError: there is no such module or attribute (the nearest is suggested), or loading it failed.
    """
    source, _, attribute = place.rpartition(":")
    if not source or not all(part.isidentifier() for part in attribute.split(".")):
        raise ValueError(f"cannot read {place!r}: expected package.module:attribute or ./file.py:attribute")
    found: Any = _file(source, again) if _is_file(place) else _module(source)
    for name in attribute.split("."):
        if not hasattr(found, name) and isinstance(found, ModuleType):
            raise ValueError(f"there is no {name!r} in {source}: {_names(found, name)}")
        if not hasattr(found, name):
            raise ValueError(f"there is no {attribute!r} in {source}: {found!r} has no {name!r}")
        found = getattr(found, name)
    return found


@lru_cache
def installed(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group in the installed packages, by their names."""
    return {one.name: one for one in entry_points(group=group)}


def _is_file(place: str) -> bool:
    source = place.rpartition(":")[0]
    return source.endswith(".py") or "/" in source or os.sep in source


def content_of(place: str) -> str:
    """Return a hash of what was in the file that a place names when it was executed; "" if it was not loaded here."""
    path = Path(place.rpartition(":")[0]).expanduser().resolve()
    return _loaded[path][1] if path in _loaded else ""


def _file(source: str, again: bool) -> ModuleType:
    """Return the module of a Python file, which is executed once in a process, or again if it has changed."""
    path = Path(source).expanduser()
    if not path.is_file():
        near = nearest_of(path.stem, [one.stem for one in path.parent.glob("*.py")]) if path.parent.is_dir() else None
        raise FileNotFoundError(
            f"there is no file {source}" + (f": did you mean {str(path.with_name(f'{near}.py'))!r}?" if near else "")
        )
    path = path.resolve()
    text = path.read_bytes()
    content = hashlib.sha256(text).hexdigest()
    old, known = _loaded.get(path, (None, content))
    if again and old is not None and known != content and sys.modules.get(old.__name__) is old:
        return _executed(source, path, text, old.__name__)  # in place of the old one: what both define has one name
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.basename(file) == path.name and Path(file).resolve() == path:
            return module
    name = path.stem
    if not name.isidentifier() or name in sys.modules or importlib.util.find_spec(name) is not None:
        name = f"{name}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"  # never in place of another module
    return _executed(source, path, text, name)


def _executed(source: str, path: Path, text: bytes, name: str) -> ModuleType:
    """Return a new module of this name, by the text of its file."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ValueError(f"{source} is no Python file: expected a name that ends in .py")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    old = sys.modules.get(name)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        # Not by Python's own cache, which takes a file that has changed twice in a second for the same.
        exec(compile(text, path, "exec", dont_inherit=True), vars(module))
    except BaseException as error:  # Ctrl-C leaves no half of a module either
        del sys.modules[name]
        if old is not None:
            sys.modules[name] = old
        if isinstance(error, (Exception, SystemExit)):  # a script that ends as one, too
            raise _failed(source, error, str(path)) from error
        raise
    _loaded[path] = module, hashlib.sha256(text).hexdigest()
    return module


def _module(name: str) -> ModuleType:
    if not ({"", os.getcwd()} & set(sys.path)):
        sys.path.append(os.getcwd())  # a console script does not look there
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise ValueError(f"there is no module {error.name!r}, in which {name}:… would be") from None
        raise _failed(name, error) from error
    except (Exception, SystemExit) as error:
        raise _failed(name, error) from error


def called(place: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what the attribute at a place gives, a function or a class.

    Raises:
        ValueError, OSError: as it raises; or it raised another error: the message says in one line which, and where.
    """
    try:
        return function(*args, **kwargs)
    except (ValueError, OSError):
        raise
    except Exception as error:
        file = getattr(sys.modules.get(function.__module__), "__file__", None)
        raise _failed(place, error, file or "", "make") from error


def _names(module: Any, name: str) -> str:
    """Return the end of an error message: what of its own a module has in place of ``name``."""
    own = [
        known
        for known, value in vars(module).items()
        if not known.startswith("_") and not isinstance(value, ModuleType)
        if not hasattr(value, "__name__") or getattr(value, "__module__", None) == module.__name__  # not imported
    ]
    return nearest(name, own) if own else "it defines nothing with a public name"


def _failed(source: str, error: BaseException, file: str = "", what_failed: str = "load") -> ValueError:
    """Return an error of one line that says what went wrong in a module, and where: in a ``file``, if it was there."""
    if isinstance(error, SyntaxError):
        where, what = f"{error.filename}, line {error.lineno}", error.msg
    else:
        frames = traceback.extract_tb(error.__traceback__)
        last = ([one for one in frames if one.filename == file] or frames)[-1]
        where, what = f"{last.filename}, line {last.lineno}", " ".join(str(error).split())
    return ValueError(f"cannot {what_failed} {source}: {type(error).__name__}: {what} ({where})")
