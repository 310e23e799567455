"""Runs a program as if it had been started here: its terminal, its signals, its exit status.

In a terminal the program gets a pseudo-terminal of its own (passage.py), so that it sees a real
one while we stay in between; elsewhere it simply inherits our standard input and output.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from turnkeeper.sources.passage import STDIN, STDOUT, Passage

FORWARDED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FROM_THE_KERNEL: Final = 0x80
"""How a signal says that a key sent it, to everyone at the terminal."""


def run_here(
    command: Sequence[str], env: Mapping[str, str], launched: Callable[[int], None]
) -> int:
    """Run a program to its end and return its exit status; 128 + n if signal n ended it.

    `launched` is told its pid. A signal that is sent to us is sent on to it.
    """
    # What `nohup` and its like made us ignore stays ignored, here and there.
    sent_on = [each for each in FORWARDED if signal.getsignal(each) is not signal.SIG_IGN]
    if os.isatty(STDIN) and os.isatty(STDOUT):
        code = Passage(command, env, sent_on).run(launched)
    else:
        code = _run_plainly(command, env, sent_on, launched)
    return code if code >= 0 else 128 - code


def _run_plainly(
    command: Sequence[str],
    env: Mapping[str, str],
    sent_on: Sequence[signal.Signals],
    launched: Callable[[int], None],
) -> int:
    awaited = [*sent_on, signal.SIGCHLD]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    try:
        # This process has one thread, so code between fork and exec is safe.
        child = subprocess.Popen(command, env=env, preexec_fn=lambda: _unblock(before))  # noqa: PLW1509
        launched(child.pid)
        while (code := child.poll()) is None:
            _send_on(child.pid, awaited)
        return code
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _unblock(mask: set[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _send_on(pid: int, awaited: Sequence[signal.Signals]) -> None:
    """Wait for a signal and send it on; one that a key sent has reached the program already."""
    if sys.platform == "darwin":
        number, by_key = signal.sigwait(awaited), False
    else:
        told = signal.sigwaitinfo(awaited)
        number, by_key = told.si_signo, told.si_code == FROM_THE_KERNEL
    if number != signal.SIGCHLD and not by_key:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
