"""A client that does what it is told, line by line: for tests of whoever runs a client."""

import json
import os
import signal
import sys
from pathlib import Path

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


def say(*words: object) -> None:
    try:
        print(*words, flush=True)
    except OSError:
        return  # nobody looks any more


def tell_size(*_: object) -> None:
    size = os.get_terminal_size(0)
    say(f"size {size.lines}x{size.columns}.")


def leave(number: int, _: object) -> None:
    say(f"got {signal.Signals(number).name}.")
    sys.exit(40 + number)


def obey(line: str) -> None:
    match line.split():
        case ["exit", code]:
            sys.exit(int(code))
        case ["die", number]:
            os.kill(os.getpid(), int(number))
        case ["size"]:
            tell_size()
        case ["environment", file]:
            Path(file).write_text(json.dumps(dict(os.environ)))
            say("environment told.")
        case ["pause"]:
            os.kill(os.getpid(), signal.SIGSTOP)
            say("goes on.")
        case [*words]:
            say(f"heard {len(words)} words, {len(line.strip())} characters.")


def main() -> None:
    for name in NAMES:
        signal.signal(getattr(signal, name), leave)
    signal.signal(signal.SIGWINCH, tell_size)
    say(f"client {os.getpid()} with {sys.argv[1:]}, tty {os.isatty(0)} {os.isatty(1)}.")
    for line in sys.stdin:
        obey(line)


main()
