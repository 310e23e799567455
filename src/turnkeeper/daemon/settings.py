"""Where things are: the data folder, the client folders, this machine's name."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_dir

from turnkeeper.errors import FolderUnusable

DATA = "TURNKEEPER_DATA"
CLAUDE = "CLAUDE_CONFIG_DIR"
LOG_LEVEL = "TURNKEEPER_LOG"


PORT = 8876


OWN = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class Bind:
    """Where the daemon listens, and by which names it may be called beside loopback's."""

    host: str = "127.0.0.1"
    port: int = PORT
    names: frozenset[str] = frozenset()

    @property
    def reachable(self) -> str:
        """A name by which other machines may call: the first given one, or the address itself;
        nothing where only this machine is listened to."""
        if self.host in OWN:
            return ""
        named = sorted(name for name in self.names if name not in (*OWN, *EVERYWHERE, self.host))
        return next(iter(named), "" if self.host in EVERYWHERE else self.host)


LOOPBACK = Bind()


@dataclass(frozen=True, slots=True)
class Settings:
    data: Path
    claude_dirs: tuple[Path, ...]
    host: str
    log_level: str = "info"
    bind: Bind = LOOPBACK
    tmux_sockets: tuple[Path, ...] = ()
    demo: bool = False

    @property
    def journal(self) -> Path:
        return self.data / "journal.db"

    @property
    def board(self) -> Path:
        return self.data / "board.db"

    @property
    def spool(self) -> Path:
        return self.data / "spool"

    @property
    def log(self) -> Path:
        return self.data / "logs" / "turnkeeper.log"

    @property
    def daemon_file(self) -> Path:
        return self.data / "daemon.json"


def settings(
    data: Path | None = None, claude_dirs: tuple[Path, ...] = (), bind: Bind = LOOPBACK
) -> Settings:
    """What the command line says, else the environment, else the platform's habit."""
    said = os.environ.get(DATA)
    folder = data or (Path(said) if said else Path(user_data_dir("turnkeeper")))
    config = os.environ.get(CLAUDE)
    default = Path(config) if config else Path.home() / ".claude"
    return Settings(
        data=folder.absolute(),
        claude_dirs=tuple(each.absolute() for each in claude_dirs or (default,)),
        host=socket.gethostname(),
        log_level=os.environ.get(LOG_LEVEL, "info").lower(),
        bind=bind,
    )


def make_private(folder: Path) -> None:
    """Make the data folder, for its owner alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(0o700)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as cause:
        raise FolderUnusable(str(folder), cause.strerror or str(cause)) from cause
