"""A pytest plugin: the fixture ``ray_nodes``, a Ray cluster of two nodes on this machine."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def ray_nodes() -> Iterator[Any]:
    """A cluster of two nodes of one processor each, which Ray has joined."""
    import ray
    from ray.cluster_utils import Cluster

    handler = signal.getsignal(signal.SIGTERM)
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()
    signal.signal(signal.SIGTERM, handler)
