"""Whatever state the spool is in, a hook lets the client go on: it exits 0 and says nothing."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.needs import do_without
from turnkeeper.sources.claude_hook_commands import EVENTS, HOOKS, OPEN_SIGN, Writes, entries
from turnkeeper.sources.claude_settings import plan_install

NOBODY = 65534
ROOT = os.geteuid() == 0
LONG = 30.0
GATED = [hook.event for hook in HOOKS if hook.writes is Writes.WHILE_OPEN]
UNGATED = [hook.event for hook in HOOKS if hook.writes is not Writes.WHILE_OPEN]

PAYLOAD = json.dumps({"hook_event_name": "Any", "text": "wörter\u2028 " * 40}).encode() + b"\n"
LARGE = b'{"tool_response": "' + b"x" * 5_000_000 + b'"}\n'


@pytest.fixture(params=["dash", "bash"])
def shell(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    return shutil.which(name) or do_without(name, f"apt-get install {name}")


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder that an ordinary user can reach and, when we are root, owns."""
    with tempfile.TemporaryDirectory(prefix="turnkeeper-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        yield folder


def installed_command(event: str, data: Path) -> str:
    """The command as a client finds it in its settings."""
    document = json.loads(plan_install("", entries(data)))
    command: str = document["hooks"][event][0]["hooks"][0]["command"]
    return command


def own_spool(data: Path) -> Path:
    spool = data / "spool"
    spool.mkdir(mode=0o700)
    if ROOT:
        os.chown(spool, NOBODY, NOBODY)
    return spool


def start(shell: str, command: str) -> "subprocess.Popen[bytes]":
    """Run a hook as a client does. Root may write anywhere, so root hands it to nobody."""
    ids = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return subprocess.Popen(
        [*(["setpriv", *ids] if ROOT else []), shell, "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "CLAUDE_CODE_SESSION_ID": "7d3c"},
        cwd="/",
    )


def feed(hook: "subprocess.Popen[bytes]", payload: bytes) -> None:
    """Write to the last byte. Unlike communicate(), this fails when the hook stops reading."""
    assert hook.stdin is not None
    hook.stdin.write(payload)
    hook.stdin.close()


def finish(hook: "subprocess.Popen[bytes]") -> tuple[int, bytes, bytes]:
    assert hook.stdout is not None
    assert hook.stderr is not None
    with hook:
        code = hook.wait(LONG)
        return code, hook.stdout.read(), hook.stderr.read()


def run(shell: str, command: str, payload: bytes) -> tuple[int, bytes, bytes]:
    hook = start(shell, command)
    feed(hook, payload)
    return finish(hook)


def spooled(data: Path) -> list[bytes]:
    return [file.read_bytes() for file in (data / "spool").glob("*.jsonl")]


SILENT_SUCCESS = (0, b"", b"")


@pytest.mark.parametrize("event", EVENTS)
def test_a_payload_lands_whole(shell: str, data: Path, event: str) -> None:
    (own_spool(data) / OPEN_SIGN).touch()

    assert run(shell, installed_command(event, data), PAYLOAD) == SILENT_SUCCESS

    assert spooled(data) == [PAYLOAD]


@pytest.mark.parametrize("event", ["Stop", "PostToolUse", "SessionEnd"])
def test_a_payload_of_five_megabytes_lands_whole(shell: str, data: Path, event: str) -> None:
    (own_spool(data) / OPEN_SIGN).touch()

    assert run(shell, installed_command(event, data), LARGE) == SILENT_SUCCESS

    assert spooled(data) == [LARGE]


@pytest.mark.parametrize("event", GATED)
def test_a_tool_hook_reads_and_writes_nothing_while_no_daemon_listens(
    shell: str, data: Path, event: str
) -> None:
    own_spool(data)

    assert run(shell, installed_command(event, data), LARGE) == SILENT_SUCCESS

    assert spooled(data) == []


@pytest.mark.parametrize("event", UNGATED)
def test_all_other_hooks_write_whether_or_not_a_daemon_listens(
    shell: str, data: Path, event: str
) -> None:
    own_spool(data)

    assert run(shell, installed_command(event, data), PAYLOAD) == SILENT_SUCCESS

    assert spooled(data) == [PAYLOAD]


@pytest.mark.parametrize("event", EVENTS)
def test_a_spool_that_is_missing_stops_nobody(shell: str, data: Path, event: str) -> None:
    assert run(shell, installed_command(event, data), PAYLOAD) == SILENT_SUCCESS


@pytest.mark.parametrize("event", ["Stop", "PreToolUse"])
def test_a_missing_spool_still_reads_five_megabytes(shell: str, data: Path, event: str) -> None:
    assert run(shell, installed_command(event, data), LARGE) == SILENT_SUCCESS


@pytest.mark.parametrize("event", EVENTS)
def test_a_spool_that_is_a_file_stops_nobody(shell: str, data: Path, event: str) -> None:
    (data / "spool").touch()

    assert run(shell, installed_command(event, data), PAYLOAD) == SILENT_SUCCESS


@pytest.mark.parametrize("event", EVENTS)
def test_a_spool_that_is_read_only_stops_nobody(shell: str, data: Path, event: str) -> None:
    spool = own_spool(data)
    (spool / OPEN_SIGN).touch()
    spool.chmod(0o555)

    assert run(shell, installed_command(event, data), PAYLOAD) == SILENT_SUCCESS

    assert spooled(data) == []


@pytest.mark.skipif(not ROOT, reason="only root can make a folder that is someone else's")
@pytest.mark.parametrize("event", EVENTS)
def test_a_spool_of_someone_else_stops_nobody(shell: str, data: Path, event: str) -> None:
    spool = own_spool(data)
    (spool / OPEN_SIGN).touch()
    os.chown(spool, 0, 0)

    assert run(shell, installed_command(event, data), PAYLOAD) == SILENT_SUCCESS

    assert spooled(data) == []


@pytest.fixture
def full_spool(data: Path) -> Iterator[Path]:
    """A spool on a disk of sixteen kilobytes."""
    spool = own_spool(data)
    options = f"size=16k,uid={NOBODY},gid={NOBODY},mode=700"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(spool)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small disk can be mounted only by root with the right to mount")
    (spool / OPEN_SIGN).touch()
    yield data
    subprocess.run(["umount", str(spool)], check=True)


@pytest.mark.parametrize("event", EVENTS)
def test_a_full_disk_stops_nobody(shell: str, full_spool: Path, event: str) -> None:
    assert run(shell, installed_command(event, full_spool), LARGE) == SILENT_SUCCESS


def test_fifty_hooks_at_once_lose_nothing_and_mix_nothing(shell: str, data: Path) -> None:
    (own_spool(data) / OPEN_SIGN).touch()
    payloads = [json.dumps({"n": n, "x": "y" * 100_000}).encode() + b"\n" for n in range(50)]
    command = installed_command("PostToolUse", data)

    hooks = [start(shell, command) for _ in payloads]
    for hook, payload in zip(hooks, payloads, strict=True):
        feed(hook, payload)
    ends = [finish(hook) for hook in hooks]

    assert ends == [SILENT_SUCCESS] * 50
    assert sorted(spooled(data)) == sorted(payloads)


def test_the_end_of_a_session_does_not_wait_for_its_input_to_close(shell: str, data: Path) -> None:
    own_spool(data)
    hook = start(shell, installed_command("SessionEnd", data))
    assert hook.stdin is not None

    hook.stdin.write(PAYLOAD)
    hook.stdin.flush()

    assert hook.wait(LONG) == 0
    assert finish(hook) == SILENT_SUCCESS
    assert spooled(data) == [PAYLOAD]


@pytest.mark.parametrize(
    "name",
    [
        "two words",
        'say "hi"',
        "it's",
        "$HOME",
        "$(touch made)",
        "`touch made`",
        "back\\slash\\\\",
        "ünï-日本",
        "line\nbreak",
        "-n;&|<>*?[x]!#~",
    ],
)
def test_any_name_of_a_folder_is_only_a_name(shell: str, data: Path, name: str) -> None:
    odd = data / name
    odd.mkdir()
    (own_spool(odd) / OPEN_SIGN).touch()

    for event in ("Stop", "PreToolUse", "SessionEnd"):
        assert run(shell, installed_command(event, odd), PAYLOAD) == SILENT_SUCCESS

    assert spooled(odd) == [PAYLOAD] * 3
    assert list(data.iterdir()) == [odd]


def test_a_client_that_names_no_session_is_heard_all_the_same(shell: str, data: Path) -> None:
    own_spool(data)
    command = f"unset CLAUDE_CODE_SESSION_ID; {installed_command('Stop', data)}"

    assert run(shell, command, PAYLOAD) == SILENT_SUCCESS

    assert [file.name.split(".")[0] for file in (data / "spool").glob("*.jsonl")] == ["x"]
