"""Where real clients come from. `python -m tests.lab.clients` fetches them, and says so."""

import fcntl
import functools
import importlib.util
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
PINS = Path(__file__).with_name("clients.toml")
CACHE = ROOT / ".lab"
INSTALL_SECONDS = 600
VERSION_SECONDS = 60

Say = Callable[[str], None]


class Bundled(msgspec.Struct, frozen=True):
    package: str
    file: str
    version: str


class Npm(msgspec.Struct, frozen=True):
    package: str
    binary: str
    versions: tuple[str, ...]


class Pins(msgspec.Struct, frozen=True):
    bundled: Bundled
    npm: Npm


class ClientUnavailable(Exception):
    """A pinned client could not be fetched; the message holds what the installer said."""


def pins() -> Pins:
    return msgspec.convert(tomllib.loads(PINS.read_text()), Pins)


def pinned() -> tuple[str, ...]:
    """The versions that tests run with, newest first; nothing is fetched to know them."""
    wanted = pins()
    found = bundled(wanted.bundled)
    return (version_of(found) if found else wanted.bundled.version, *wanted.npm.versions)


@functools.cache
def available() -> dict[str, Path]:
    """Every client by its version, newest first; those that are missing are installed.

    One that cannot be had is left out: `python -m tests.lab.clients` says why.
    """
    return fetch(lambda _: None)


def fetch(say: Say) -> dict[str, Path]:
    wanted = pins()
    clients: dict[str, Path] = {}
    binary = bundled(wanted.bundled)
    if binary is None:
        say(f"{wanted.bundled.package} carries no client here")
    else:
        version = version_of(binary)
        say(f"{version} is bundled with {wanted.bundled.package}")
        if version != wanted.bundled.version:
            say(f"{wanted.bundled.version} was expected; see {PINS.name}")
        clients[version] = binary
    if shutil.which("npm") is None:
        say(f"npm is missing: without it there is no {', '.join(wanted.npm.versions)}")
        return clients
    for version in wanted.npm.versions:
        try:
            clients[version] = install(wanted.npm, version, say)
        except ClientUnavailable as cause:
            say(f"{version} cannot be had: {cause}")
    return clients


def bundled(pin: Bundled) -> Path | None:
    spec = importlib.util.find_spec(pin.package)
    if spec is None or spec.origin is None:
        return None
    binary = Path(spec.origin).parent / pin.file
    return binary if binary.is_file() else None


def install(pin: Npm, version: str, say: Say) -> Path:
    """Install one version under the cache, once: a second caller waits for the first."""
    folder = CACHE / version
    folder.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = native(pin, folder)
        if found is None:
            say(f"{version} is being installed under {folder}")
            run_npm(pin, version, folder)
            found = native(pin, folder)
    if found is None:
        raise ClientUnavailable(f"{pin.package}@{version} brought no {pin.binary} for this machine")
    say(f"{version} is at {found}")
    return found


def run_npm(pin: Npm, version: str, folder: Path) -> None:
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock"]
    try:
        done = subprocess.run(
            [*command, "--prefix", str(folder), f"{pin.package}@{version}"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as cause:
        raise ClientUnavailable(f"npm took longer than {INSTALL_SECONDS} s") from cause
    if done.returncode:
        raise ClientUnavailable(f"{pin.package}@{version}: {done.stderr.strip()}")


def native(pin: Npm, folder: Path) -> Path | None:
    """The platform's own binary: npm installs the one package that fits this machine."""
    return next(iter(sorted(folder.glob(pin.binary))), None)


@functools.cache
def version_of(binary: Path) -> str:
    """Ask the client itself, in a home that is not the person's."""
    with tempfile.TemporaryDirectory(prefix="tk-lab-") as home:
        said = subprocess.run(
            [str(binary), "--version"],
            env={"HOME": home, "CLAUDE_CONFIG_DIR": home, "PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VERSION_SECONDS,
            check=True,
        ).stdout
    match = re.match(r"\d+(\.\d+)+", said)
    if match is None:
        raise ClientUnavailable(f"{binary} does not say its version but {said!r}")
    return match.group()


if __name__ == "__main__":
    fetch(print)
