"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("plyground")
except PackageNotFoundError:  # the source was put on the path, and nothing is installed
    __version__ = "unknown"
