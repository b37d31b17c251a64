"""New processes of Python that need not import everything again, which takes longer than what tests ask of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

__all__ = ["forks", "needs_fork"]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# Each line of the input is code, in JSON, for a process of its own, and each line of the output what that has printed.
_SERVE = """
import contextlib, io, json, os, sys
{imports}
for line in sys.stdin:
    if os.fork() == 0:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(json.loads(line), {{"__name__": "__main__"}})
        print(json.dumps(printed.getvalue()), flush=True)
        break
    if os.wait()[1]:
        sys.exit(1)
"""


@contextmanager
def forks(imports: str, **environment: str) -> Iterator[Callable[[str], str]]:
    """Yield a function that runs code in a process of its own, and returns what it prints.

    Args:
        imports: code that is run once, before that process is forked: imports that take long.
        **environment: variables of the environment.
    """
    command, pipe = [sys.executable, "-c", _SERVE.format(imports=imports)], subprocess.PIPE
    # Files that the code imports may change within a second, of which bytecode would know nothing.
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=variables) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def run(code: str) -> str:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(code) + "\n")
            server.stdin.flush()
            answer = server.stdout.readline()
            assert answer, f"{code}\n{server.communicate()[1][-2000:]}"
            return json.loads(answer)

        yield run
