"""Write the client's settings file, and remember what it was. claude_settings.py decides what.

What stood in the file when we came is kept in `<data>/hooks/`, with the hash of what we wrote.
While the file still has that hash, leaving restores every byte; once somebody else has written to
it, leaving cuts out our entries and nothing more.
"""

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from turnkeeper.errors import CommandRefused, FolderUnusable, SettingsUnreadable
from turnkeeper.facts.identity import digest
from turnkeeper.sources.claude_hook_commands import Entry
from turnkeeper.sources.claude_settings import FILE, plan_install, plan_uninstall

ATTEMPTS: Final = 5
MANAGED: Final = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
"""Where an administrator's settings stand, by the client's documentation."""

Content = bytes | None
"""What a file holds; None where there is no file."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a file held, and what it holds now."""

    before: Content
    after: Content


@dataclass(frozen=True, slots=True)
class Memory:
    """What stood in the file when we came, and the hash of what we made of it."""

    original: Content
    written: str


class _Record(msgspec.Struct, frozen=True):
    settings: str
    written: str
    original: str | None


def settings_file(claude_dir: Path) -> Path:
    """The file to write: where settings.json really lives, if it is a link."""
    link = claude_dir / FILE
    try:
        return link.resolve()
    except (OSError, RuntimeError) as cause:
        raise SettingsUnreadable(str(link), "the link leads nowhere") from cause


def read(file: Path) -> Content:
    try:
        if file.exists() and not file.is_file():
            raise SettingsUnreadable(str(file), "it is not a file")
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as cause:
        raise SettingsUnreadable(str(file), _reason(cause)) from cause


def text_of(content: Content, file: Path) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as cause:
        raise SettingsUnreadable(str(file), f"byte {cause.start} is not UTF-8") from cause


def after_install(before: Content, entries: Mapping[str, Entry], file: Path) -> bytes:
    return plan_install(text_of(before, file), entries, file=str(file)).encode()


def after_uninstall(before: Content, memory: Memory | None, file: Path) -> Content:
    if before is None:
        return None
    if memory is not None and sha256(before).hexdigest() == memory.written:
        return memory.original
    stood = (memory.original if memory else None) or b""
    said = plan_uninstall(
        text_of(before, file), before=stood.decode(errors="replace"), file=str(file)
    )
    return said.encode()


def install(file: Path, entries: Mapping[str, Entry], data: Path) -> Change:
    """Put the entries in; remember how to leave before the file is touched."""
    make_folder(data / "spool", private=True)

    def plan(before: Content) -> Content:
        after = after_install(before, entries, file)
        if after != before:
            original = after_uninstall(before, recall(data, file), file)
            remember(data, file, Memory(original, sha256(after).hexdigest()))
        return after

    return rewrite(file, plan)


def uninstall(file: Path, data: Path) -> Change:
    """Take our entries out, and forget the file once it is done."""
    memory = recall(data, file)
    change = rewrite(file, lambda before: after_uninstall(before, memory, file))
    _record_file(data, file).unlink(missing_ok=True)
    return change


def rewrite(file: Path, plan: Callable[[Content], Content]) -> Change:
    """Replace a file by what the plan makes of it, whole or not at all.

    The plan is asked again when somebody else wrote meanwhile, so nobody's change is lost.
    """
    for _ in range(ATTEMPTS):
        before = read(file)
        after = plan(before)
        if after == before:
            return Change(before, after)
        if replace_if_unchanged(file, before, after):
            return Change(before, after)
    raise CommandRefused(f"change {file}", reason="another program keeps writing to it")


def replace_if_unchanged(file: Path, before: Content, after: Content) -> bool:
    """Swap a file's content in one step; False when it no longer holds what was read."""
    fresh = file.with_name(f".{file.name}.turnkeeper-{os.getpid()}")
    try:
        _refuse_if_guarded(file)
        if after is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            _write_new(fresh, after, 0o666 if before is None else 0o600)
        if after is not None and before is not None:
            _take_after(fresh, file)
        if read(file) != before:
            return False
        if after is None:
            file.unlink(missing_ok=True)
        else:
            fresh.replace(file)
        _sync_folder(file.parent)
    except OSError as cause:
        raise SettingsUnreadable(str(file), _reason(cause)) from cause
    finally:
        _discard(fresh)
    return True


def _refuse_if_guarded(file: Path) -> None:
    if file.exists() and not stat.S_IMODE(file.stat().st_mode) & 0o222:
        raise SettingsUnreadable(
            str(file), "it is marked read-only, perhaps by the tool it is from"
        )


def _write_new(fresh: Path, content: bytes, mode: int) -> None:
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(handle)


def _take_after(fresh: Path, file: Path) -> None:
    """Give the new file the owner, mode and attributes of the one it will replace."""
    was, made = file.stat(), fresh.stat()
    if (was.st_uid, was.st_gid) != (made.st_uid, made.st_gid):
        os.chown(fresh, was.st_uid, was.st_gid)
    shutil.copystat(file, fresh)
    os.utime(fresh)


def _discard(fresh: Path) -> None:
    try:
        fresh.unlink(missing_ok=True)
    except OSError:
        return  # the folder vanished or cannot be written: then nothing of ours is in it


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path, *, private: bool) -> None:
    mode = 0o700 if private else 0o777
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
        if private:
            folder.chmod(mode)
    except OSError as cause:
        raise FolderUnusable(str(folder), _reason(cause)) from cause


def backup_file(data: Path, original: bytes) -> Path:
    """Backups are named by what they hold, so none is ever overwritten by another."""
    return data / "hooks" / f"{sha256(original).hexdigest()[:16]}.{FILE}"


def remember(data: Path, file: Path, memory: Memory) -> None:
    make_folder(data / "hooks", private=True)
    original = memory.original
    name = None if original is None else backup_file(data, original).name
    record = msgspec.json.encode(_Record(str(file), memory.written, name))
    try:
        if original is not None:
            _write_whole(backup_file(data, original), original)
        _write_whole(_record_file(data, file), record)
    except OSError as cause:
        raise FolderUnusable(str(data / "hooks"), _reason(cause)) from cause


def recall(data: Path, file: Path) -> Memory | None:
    """What we remember of this file. A record or backup that is lost or damaged is no memory."""
    try:
        record = msgspec.json.decode(_record_file(data, file).read_bytes(), type=_Record)
        if record.original is None:
            return Memory(None, record.written)
        original = (data / "hooks" / Path(record.original).name).read_bytes()
    except (OSError, msgspec.DecodeError):
        return None
    intact = backup_file(data, original).name == record.original
    return Memory(original, record.written) if intact else None


def _record_file(data: Path, file: Path) -> Path:
    return data / "hooks" / f"{digest(str(file))}.json"


def _write_whole(file: Path, content: bytes) -> None:
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        _write_new(fresh, content, 0o600)
        fresh.replace(file)
        _sync_folder(file.parent)
    finally:
        _discard(fresh)


def _reason(cause: OSError) -> str:
    return (cause.strerror or str(cause)).lower()
