"""The daemon's log: one line per thing a person would want to know, as an event and fields.

Facts are not logged, they are in the journal; texts and secrets never are. `correlation` is the
same in every line that one prompt, or one transcript entry, left behind.
"""

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

import structlog

LARGEST: Final = 10 * 1024 * 1024
KEPT: Final = 3
LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}

EVENTS: Final = {
    "daemon.started": "the daemon watches; fields: data, folders",
    "drain.failed": "what hooks left last waits for the next daemon; fields: why",
    "daemon.stopped": "the daemon has stopped cleanly",
    "task.failed": "a part of the daemon failed and is started again; fields: task, after",
    "fact.recorded": "a fact is in the journal; fields: position, kind, source",
    "hook.unreadable": "a hook payload could not be read and is kept; fields: why",
    "line.unreadable": "a transcript line could not be read and is kept; fields: why",
    "turn.created": "a turn is known; fields: turn, actor, intent, source",
    "turn.recovered": "a turn no hook told was read in the transcript; fields: turn, intent, entry",
    "turn.updated": "a turn's time was corrected from the transcript; fields: turn, entry",
    "state.moved": "a machine moved; fields: machine, from_state, to_state, trigger, confidence",
    "transition.rejected": "the table does not allow it: the turn stays; fields: state, reason",
    "intent.detected": "what a turn means; fields: turn, intent, confidence, because",
    "interpretation.failed": "a fact could not be interpreted; it is kept and tried again",
    "interpretation.healed": "a fact that had failed has been interpreted; fields: position",
    "board.discarded": "the stored board cannot be used and is made anew; fields: why",
    "session.unknown": "facts came for a session nobody has introduced; they wait",
    "staleness.found": "a transcript moved on while we thought it waited; fields: session",
    "reconcile.finished": "a transcript was read again in full; fields: entries, added, corrected",
    "process.exited": "a client's process ended; fields: pid",
    "request.failed": "a request met a bug of ours; its traceback is here",
    "history.read": "all transcripts that were there at start have been read; fields: files",
}
"""Every event we log, for people who filter the log. A test keeps this list complete."""


class PrivateFile(RotatingFileHandler):
    """A log for its owner alone, whatever the umask says."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=_private)


def _private(file: str, flags: int) -> int:
    return os.open(file, flags, 0o600)


def start_log(file: Path, level: str) -> None:
    """Send the log to a file that never outgrows its place."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = PrivateFile(file, maxBytes=LARGEST, backupCount=KEPT, delay=True)
    root = logging.getLogger("turnkeeper")
    for old in root.handlers[:]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(LEVELS.get(level, logging.INFO))
    root.propagate = False
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS.get(level, logging.INFO)),
        cache_logger_on_first_use=False,
    )


def stop_log() -> None:
    root = logging.getLogger("turnkeeper")
    for handler in root.handlers[:]:
        root.removeHandler(handler)
        handler.close()


def log() -> structlog.stdlib.BoundLogger:
    logger: structlog.stdlib.BoundLogger = structlog.get_logger("turnkeeper")
    return logger
