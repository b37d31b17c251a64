"""The Ray cluster (docs.ray.io) that work is done on: joining it, and leaving it.

It is the one that Ray finds: that of ``RAY_ADDRESS``, or one that was started on this machine; if there is none, Ray
starts one here, which ends with the work. plyground must be installed on every machine of it, and files of one's own,
with games or players, be at the same place.
"""

from __future__ import annotations

from typing import Any

from ..envs.outside.extras import how_to_install

__all__ = ["Cluster"]


class Cluster:
    """A Ray cluster, not joined yet.

    Args:
        what: what needs it, for the message.

    Attributes:
        ray: the library.

    Raises:
        ImportError: Ray is not installed.
    """

    def __init__(self, what: str) -> None:
        try:
            import ray
        except ImportError as error:
            raise ImportError(f"{what} need Ray ({error}): {how_to_install('ray')}") from error
        self.ray: Any = ray
        self._has_joined = False

    def join(self) -> None:
        """Join the cluster, unless this process is in one."""
        if not self.ray.is_initialized():
            self.ray.init(log_to_driver=False, logging_level="ERROR")
            self._has_joined = True

    def leave(self) -> None:
        """Leave the cluster if `join` joined it."""
        if self._has_joined:
            self.ray.shutdown()
            self._has_joined = False

    @property
    def processors(self) -> float:
        """How many processors the cluster has now."""
        return self.ray.cluster_resources().get("CPU", 0)
