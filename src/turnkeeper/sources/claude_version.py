"""Which Claude Code lives here. Cheap first: a client that ran has said so in its registry."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from turnkeeper.sources.claude_hook_commands import parsed_version

PATIENCE_SECONDS: Final = 10.0


def client_version(claude_dir: Path, *, search_path: str | None = None) -> str | None:
    """The version that ran last in this folder, else the one on the path, else None."""
    return registered_version(claude_dir) or asked_version(search_path)


def registered_version(claude_dir: Path) -> str | None:
    """What the newest readable registry file says. Files vanish and are half-written: next one."""
    newest_first = sorted((claude_dir / "sessions").glob("*.json"), key=_age)
    return next((said for file in newest_first if (said := _version_in(file))), None)


def asked_version(search_path: str | None) -> str | None:
    client = shutil.which("claude", path=search_path)
    if client is None:
        return None
    clean = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    try:
        said = subprocess.run(
            [client, "--version"],
            env=clean,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_SECONDS,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _plain(said)


def _age(file: Path) -> float:
    try:
        return -file.stat().st_mtime
    except OSError:
        return 0.0


def _version_in(file: Path) -> str | None:
    try:
        entry: object = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    said = entry.get("version") if isinstance(entry, dict) else None
    return _plain(said) if isinstance(said, str) else None


def _plain(said: str) -> str | None:
    version = parsed_version(said)
    return ".".join(map(str, version)) if version else None
