"""Stands between our terminal and a program's own, and carries bytes both ways until it ends."""

import fcntl
import os
import pty
import selectors
import signal
import termios
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

STDIN: Final = 0
STDOUT: Final = 1
CHUNK: Final = 65536
MOST_WAITING: Final = 65536
"""Bytes typed or pasted that may wait for the program before no more are read."""

LAST_WORDS: Final = 0.2
"""Seconds to wait for the rest of the output where somebody else still holds the terminal."""

PYTHONS_OWN: Final = (signal.SIGPIPE, signal.SIGXFSZ)
"""What Python ignores for itself, and a program it starts would go on ignoring."""


class Passage:
    """One program in a pseudo-terminal like ours. Our own terminal is given back as it was."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], sent_on: Sequence[signal.Signals]
    ) -> None:
        self._command = list(command)
        self._env = dict(env)
        self._sent_on = list(sent_on)
        self._mode = termios.tcgetattr(STDIN)
        self._typed = bytearray()
        self._listens = True
        self._speaks = True
        self._code: int | None = None
        self._pid = self._master = -1

    def run(self, launched: Callable[[int], None]) -> int:
        """Run the program to its end; returns its exit code, or minus the signal that ended it."""
        with _told_of([*self._sent_on, signal.SIGWINCH, signal.SIGCHLD]) as bell:
            self._pid, self._master = self._fork()
            os.set_blocking(self._master, False)
            try:
                launched(self._pid)
                tty.setraw(STDIN, termios.TCSADRAIN)
                return self._pass_on(bell)
            finally:
                self._give_back()
                os.close(self._master)

    # The program --------------------------------------------------------------------------

    def _fork(self) -> tuple[int, int]:
        """Start the program. A signal in between waits until it is the program it strikes."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, self._sent_on)
        try:
            size = _size()
            pid, master = pty.fork()
            if pid == 0:
                self._become(size, before)
            return pid, master
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _become(self, size: bytes, mask: set[Any]) -> None:
        """In the child: turn into the program. Never returns."""
        try:
            signal.set_wakeup_fd(-1)
            for number in (*self._sent_on, *PYTHONS_OWN):
                signal.signal(number, signal.SIG_DFL)
            termios.tcsetattr(STDIN, termios.TCSANOW, self._mode)
            fcntl.ioctl(STDIN, termios.TIOCSWINSZ, size)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.execvpe(self._command[0], self._command, self._env)
        except OSError as problem:
            os.write(STDOUT, f"{self._command[0]}: {problem.strerror}\n".encode())
        finally:
            os._exit(127)

    # Both ways ----------------------------------------------------------------------------

    def _pass_on(self, bell: int) -> int:
        with selectors.DefaultSelector() as eyes:
            eyes.register(bell, selectors.EVENT_READ, lambda _: self._heed(bell))
            while self._code is None:
                _watch(eyes, self._master, self._wanted(), self._carry)
                _watch(eyes, STDIN, self._room(), lambda _: self._type())
                for key, ready in eyes.select():
                    key.data(ready)
        self._hear_out()
        return self._code

    def _wanted(self) -> int:
        if not self._speaks:
            return 0
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self._typed else 0)

    def _room(self) -> int:
        return selectors.EVENT_READ if self._listens and len(self._typed) < MOST_WAITING else 0

    def _type(self) -> None:
        """What is typed here is meant for the program. A terminal that is gone says no more."""
        read = _read(STDIN)
        self._listens = read != b""
        self._typed += read or b""

    def _carry(self, ready: int) -> None:
        if ready & selectors.EVENT_WRITE:
            with suppress(OSError):
                del self._typed[: os.write(self._master, self._typed)]
        if ready & selectors.EVENT_READ:
            self._show()

    def _show(self) -> None:
        said = _read(self._master)
        self._speaks = said != b""
        # Nobody may look any more: the program is heard out all the same.
        with suppress(OSError):
            while said:
                said = said[os.write(STDOUT, said) :]

    def _hear_out(self) -> None:
        """Show what the program said before it ended."""
        with selectors.DefaultSelector() as eyes:
            eyes.register(self._master, selectors.EVENT_READ)
            while self._speaks and eyes.select(LAST_WORDS):
                self._show()

    # Signals ------------------------------------------------------------------------------

    def _heed(self, bell: int) -> None:
        for number in _read(bell) or b"":
            if number == signal.SIGCHLD:
                self._look_after()
            elif number == signal.SIGWINCH:
                self._resize()
            else:
                self._signal(number)

    def _look_after(self) -> None:
        """See whether the program has ended, or lies down and wants us to lie down with it."""
        pid, status = os.waitpid(self._pid, os.WNOHANG | os.WUNTRACED)
        if pid == 0:
            return
        if os.WIFSTOPPED(status):
            self._give_back()
            os.kill(os.getpid(), signal.SIGTSTP)
            tty.setraw(STDIN, termios.TCSADRAIN)
            self._resize()
            self._signal(signal.SIGCONT)
        else:
            self._code = os.waitstatus_to_exitcode(status)

    def _signal(self, number: int) -> None:
        if self._code is None:
            os.kill(self._pid, number)

    def _resize(self) -> None:
        with suppress(OSError):
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, _size())

    def _give_back(self) -> None:
        # A terminal that was closed on us needs nothing back.
        with suppress(termios.error):
            termios.tcsetattr(STDIN, termios.TCSADRAIN, self._mode)


def _watch(
    eyes: selectors.BaseSelector, file: int, events: int, act: Callable[[int], None]
) -> None:
    """Wait for these events of a file from now on; for none, if there are none."""
    known = file in eyes.get_map()
    if known and not events:
        eyes.unregister(file)
    elif known:
        eyes.modify(file, events, act)
    elif events:
        eyes.register(file, events, act)


def _read(file: int) -> bytes | None:
    """What there is to read: nothing at the end, None where there is nothing yet."""
    try:
        return os.read(file, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _size() -> bytes:
    return fcntl.ioctl(STDIN, termios.TIOCGWINSZ, b"\0" * 8)


@contextmanager
def _told_of(numbers: Sequence[signal.Signals]) -> Iterator[int]:
    """A file from which the numbers of these signals can be read as they come."""
    bell, rope = os.pipe()
    for end in (bell, rope):
        os.set_blocking(end, False)
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    wakeup = signal.set_wakeup_fd(rope, warn_on_full_buffer=False)
    try:
        yield bell
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(bell)
        os.close(rope)
