"""Ctrl-C at any moment: what is taken is counted, and what is counted is told."""

from __future__ import annotations

import signal
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import PassManager

from plyground.arena.interruption import always_heard, interruptible
from plyground.arena.progress import watch_with_progress
from plyground.envs.jit import bind, kernel
from plyground.envs.jit.cache import _KernelCache
from plyground.envs.jit.interruption import uninterrupted


def test_ctrl_c_waits_for_the_end_of_the_block() -> None:
    steps: list[str] = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            steps.append("went on")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["went on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_machine_code_is_made_before_ctrl_c_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM calls Python back, and an error there is lost: so was Ctrl-C, in the seconds of a first search."""

    @kernel
    def twice(number: int) -> int:
        return 2 * number

    finalize, called = JITCodeLibrary.finalize, list[str]()

    def interrupted(library: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        finalize(library)
        called.append("finalize")

    monkeypatch.setattr(JITCodeLibrary, "finalize", interrupted)
    monkeypatch.setattr(_KernelCache, "_load_overload", lambda *_: None)  # not what another run has compiled
    with pytest.raises(KeyboardInterrupt):
        bind(twice, 1)
    assert called == ["finalize"]


def test_ctrl_c_waits_until_a_kernel_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weak references that Numba drops meanwhile call Python back, where an error is lost."""

    @kernel
    def thrice(number: int) -> int:
        return 3 * number

    run, missed = PassManager.run, list[str]()

    def interrupted(passes: Any, state: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an error that nobody can catch
            dropped = set[int]()
            weakref.finalize(dropped, signal.raise_signal, signal.SIGINT)
            del dropped
        run(passes, state)
        missed.append("went on")

    monkeypatch.setattr(PassManager, "run", interrupted)
    monkeypatch.setattr(_KernelCache, "_load_overload", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        bind(thrice, 1)
    assert missed == ["went on"]


def test_ctrl_c_is_heard_where_python_drops_it() -> None:
    """After a search for garbage the first code that runs is that of weak references: a command ran on to its end."""

    def work() -> None:
        gone = set[int]()
        weakref.finalize(gone, signal.raise_signal, signal.SIGINT)
        del gone
        time.sleep(5)

    before = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt), always_heard():
        work()
    assert sys.unraisablehook is before


def test_where_ctrl_c_is_ignored_no_session_hears_of_it() -> None:
    """As of a training in the background of a script: Ctrl-C is for what is in front."""
    session: Any = SimpleNamespace(interrupted=False)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible(session), uninterrupted():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert not session.interrupted
    with interruptible(session):
        signal.raise_signal(signal.SIGINT)
    assert session.interrupted


def test_an_error_in_the_block_is_raised() -> None:
    with pytest.raises(KeyError), uninterrupted():
        raise KeyError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_leave_signals_alone() -> None:
    handlers = []

    def look() -> None:
        with uninterrupted():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


@pytest.mark.parametrize("moment", ["take", "size", "note"])
def test_what_is_taken_is_counted(moment: str, capsys: pytest.CaptureFixture[str]) -> None:
    taken: list[int] = []

    def at(name: str, item: int) -> None:
        if (name, item) == (moment, 3):
            signal.raise_signal(signal.SIGINT)

    def take(item: int) -> None:
        taken.append(item)
        at("take", item)

    def size(item: int) -> int:
        at("size", item)
        return 1

    def note(item: int) -> str:
        at("note", item)
        return ""

    assert watch_with_progress(range(1, 10), 9, "counting", "numbers", take, size, note)
    assert taken == [1, 2, 3]
    assert "stopped after 3 of 9 numbers" in capsys.readouterr().err


def test_ctrl_c_while_waiting_is_not_put_off(capsys: pytest.CaptureFixture[str]) -> None:
    def items() -> Iterator[int]:
        yield 1
        signal.raise_signal(signal.SIGINT)
        yield 2

    taken: list[int] = []
    assert watch_with_progress(items(), 2, "counting", "numbers", taken.append)
    assert taken == [1]
    assert "stopped after 1 of 2 numbers" in capsys.readouterr().err
