"""Where games are played: in processes of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ....envs.outside.extras import how_to_install

__all__ = ["workers"]

_PATIENCE = 10  # seconds for a scheduler to answer


@contextmanager
def workers(jobs: int, ray: bool, dask: str | None) -> Iterator[int | Literal["ray"]]:
    """Return the ``jobs`` of a match, for as long as it is played.

    Args:
        jobs: processes of this machine.
        ray: whether to play on a Ray cluster.
        dask: the address of the scheduler of a Dask cluster to play on.

    Raises:
        ValueError: more than one is asked for, or nothing answers at the address.
        ImportError: the library is not installed.
    """
    asked = [name for name, there in (("--jobs", jobs != 1), ("--ray", ray), ("--dask", dask is not None)) if there]
    if len(asked) > 1:
        raise ValueError(f"{' and '.join(asked)} say where to play: give one of them")
    if ray:
        yield "ray"
    elif dask is None:
        yield jobs
    else:
        try:
            from dask.distributed import Client
        except ImportError as error:
            raise ImportError(f"--dask needs Dask ({error}): {how_to_install('dask')}") from error
        from joblib import parallel_config

        try:
            client = Client(dask, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise ValueError(f"no scheduler of Dask answers at {dask}: {error}") from None
        with client, parallel_config(backend="dask"):
            yield -1
