"""`turnkeeper doctor`: each thing that can be wrong is found, named, and has a cure."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.lab.daemon import Daemon, run_turnkeeper
from tests.lab.terminal import Terminal
from tests.pure.stories import agent_of, it_started, spoke, was_prompted
from turnkeeper.desk import doctor, doctor_clients
from turnkeeper.desk.doctor import Check, Verdict
from turnkeeper.facts.fact import NEVER, Moment
from turnkeeper.projections.agent import Agent
from turnkeeper.sources.claude_processes import ClientProcess, running_clients
from turnkeeper.sources.clock import SystemClock

OK, WARNING, PROBLEM = Verdict.OK, Verdict.WARNING, Verdict.PROBLEM
MINUTE = 60_000_000


def now(*, later: int = 0) -> Moment:
    return Moment(SystemClock().now() + later)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    return data


@pytest.fixture
def claude_dir(tmp_path: Path) -> Path:
    folder = tmp_path / ".claude"
    (folder / "sessions").mkdir(parents=True)
    (folder / "projects" / "shop").mkdir(parents=True)
    return folder


# The house ------------------------------------------------------------------------------------


def test_a_folder_that_is_open_to_others(data: Path) -> None:
    private = doctor.check_data_folder(data)
    data.chmod(0o755)

    found = doctor.check_data_folder(data)

    assert private.verdict is OK
    assert found.verdict is PROBLEM
    assert found.what_to_do == f"chmod 700 {data}"


def test_files_that_are_open_to_others(data: Path) -> None:
    (data / "token").touch(mode=0o600)
    private = doctor.check_files(data)
    (data / "journal.db").touch()
    (data / "journal.db").chmod(0o640)

    found = doctor.check_files(data)

    assert private.verdict is OK
    assert found.verdict is PROBLEM
    assert "journal.db" in found.what


def test_a_damaged_database_and_one_that_is_none(data: Path) -> None:
    sound, damaged, other = data / "sound.db", data / "damaged.db", data / "other.db"
    with closing(sqlite3.connect(sound)) as connection:
        connection.execute("CREATE TABLE fact (words TEXT)")
        connection.executemany("INSERT INTO fact VALUES (?)", [("x" * 3000,)] * 50)
        connection.commit()
    content = bytearray(sound.read_bytes())
    content[8192 : 8192 + 4096] = b"\xff" * 4096
    damaged.write_bytes(content)
    other.write_text("this is no database, and never was one")

    verdicts = [doctor.check_database("d", each, "").verdict for each in (sound, damaged, other)]

    assert verdicts == [OK, PROBLEM, PROBLEM]


def test_a_spool_that_has_grown_large(data: Path) -> None:
    (data / "spool").mkdir()
    small = doctor.check_spool(data / "spool")
    with (data / "spool" / "x.1.jsonl").open("wb") as out:
        out.truncate(doctor.LARGE_SPOOL + 1)  # a hole: it takes no room

    assert small.verdict is OK
    assert doctor.check_spool(data / "spool").verdict is WARNING


def test_taken_files_that_are_left_behind(data: Path) -> None:
    taken = data / "spool" / "taken"
    taken.mkdir(parents=True)
    none = doctor.check_taken(data / "spool", now(), runs=True)
    (taken / "1-2-3-x.jsonl").write_text("{}\n")

    fresh = doctor.check_taken(data / "spool", now(), runs=True)
    old = doctor.check_taken(data / "spool", now(later=2 * MINUTE), runs=True)
    orphaned = doctor.check_taken(data / "spool", now(), runs=False)

    verdicts = [each.verdict for each in (none, fresh, old, orphaned)]
    assert verdicts == [OK, OK, PROBLEM, WARNING]


def test_a_port_that_another_program_has() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        taken = doctor.check_port("127.0.0.1", port, None)
        ours = doctor.check_port("127.0.0.1", port, f"http://127.0.0.1:{port}/")
    free = doctor.check_port("127.0.0.1", port, None)

    assert [each.verdict for each in (taken, ours, free)] == [PROBLEM, OK, OK]


def test_limits_of_inotify(tmp_path: Path, claude_dir: Path) -> None:
    def said(watches: int, instances: int) -> Verdict:
        (tmp_path / "max_user_watches").write_text(f"{watches}\n")
        (tmp_path / "max_user_instances").write_text(f"{instances}\n")
        return doctor.check_inotify([claude_dir], tmp_path).verdict

    assert said(8192, 128) is OK
    assert said(5, 128) is WARNING
    assert said(8192, 8) is WARNING
    assert doctor.check_inotify([claude_dir], tmp_path / "none").verdict is OK


def test_parts_of_the_daemon_that_fail() -> None:
    silent = doctor.check_health(None)
    failing = doctor.check_health({"failing": ["watch"]})
    well = doctor.check_health({"failing": []})

    assert [each.verdict for each in (silent, failing, well)] == [PROBLEM, PROBLEM, OK]
    assert "watch" in failing.what


def test_facts_that_could_not_be_interpreted() -> None:
    assert doctor.check_troubles(0).verdict is OK
    assert doctor.check_troubles(2).verdict is WARNING


# The clients ----------------------------------------------------------------------------------


class Clients:
    """Programs that the process table takes for clients."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._env = {"CLAUDE_CONFIG_DIR": str(folder)}
        self._started = ExitStack()

    def start(self, path: str = "claude", *, terminal: bool = False) -> ClientProcess:
        binary = self._root / path
        binary.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(shutil.which("sleep") or "", binary)
        pid = self._in_terminal(binary) if terminal else self._plainly(binary)
        return next(each for each in running_clients() if each.pid == pid)

    def _plainly(self, binary: Path) -> int:
        running = subprocess.Popen(
            [str(binary), "60"], cwd=self._root, env={**os.environ, **self._env}
        )
        self._started.callback(running.wait)
        self._started.callback(running.kill)
        return running.pid

    def _in_terminal(self, binary: Path) -> int:
        terminal = Terminal([str(binary), "60"], cwd=self._root, env=self._env)
        self._started.callback(terminal.close)
        return terminal.process.pid

    def close(self) -> None:
        self._started.close()


@pytest.fixture
def clients(tmp_path: Path, claude_dir: Path) -> Iterator[Clients]:
    clients = Clients(tmp_path, claude_dir)
    yield clients
    clients.close()


def test_a_running_client_is_found_with_its_folder_version_and_terminal(
    clients: Clients, claude_dir: Path, tmp_path: Path
) -> None:
    plain = clients.start()
    versioned = clients.start("local/claude/versions/2.1.270")

    assert (plain.cwd, plain.folder, plain.version) == (str(tmp_path), claude_dir, "")
    assert versioned.version == "2.1.270"
    assert plain.terminal == ""


def test_a_client_whose_folder_nobody_watches(clients: Clients, claude_dir: Path) -> None:
    client = clients.start()

    unwatched = doctor_clients.check_unwatched([client], [claude_dir.parent / "other"])
    watched = doctor_clients.check_unwatched([client], [claude_dir])

    assert unwatched.verdict is WARNING
    assert f"--claude-dir {claude_dir}" in unwatched.what_to_do
    assert watched.verdict is OK


def test_a_trust_dialog_that_waits(clients: Clients, claude_dir: Path) -> None:
    client = clients.start(terminal=True)

    young = doctor_clients.check_registry([client], now())
    waits = doctor_clients.check_registry([client], now(later=MINUTE))
    (claude_dir / "sessions" / f"{client.pid}.json").write_text("{}")
    registered = doctor_clients.check_registry([client], now(later=MINUTE))

    assert (young.verdict, waits.verdict, registered.verdict) == (OK, WARNING, OK)
    assert waits.name == "trust dialog"
    assert client.terminal in waits.what


def test_a_client_without_a_registry_file(clients: Clients) -> None:
    found = doctor_clients.check_registry([clients.start()], now(later=MINUTE))

    assert (found.name, found.verdict) == ("registry", WARNING)


def test_a_client_too_old_to_register(clients: Clients) -> None:
    old = clients.start("local/claude/versions/2.1.100")

    assert doctor_clients.check_old_clients([old]).verdict is WARNING
    assert doctor_clients.check_registry([old], now(later=MINUTE)).verdict is OK


@pytest.mark.parametrize(
    ("version", "verdict"),
    [(None, OK), ("2.1.197", OK), ("2.1.325", OK), ("2.1.326", WARNING), ("2.2.0", WARNING)],
)
def test_a_client_that_is_newer_than_what_we_know(version: str | None, verdict: Verdict) -> None:
    assert doctor_clients.check_client_version(version).verdict is verdict


def test_clocks_that_disagree(claude_dir: Path) -> None:
    entry = claude_dir / "sessions" / "4711.json"
    transcript = claude_dir / "projects" / "shop" / "x.jsonl"
    transcript.touch()
    sound = doctor_clients.check_clock([claude_dir], now())
    ahead = (now() + 5 * MINUTE) // 1000
    entry.write_text(json.dumps({"pid": 4711, "sessionId": "x", "updatedAt": ahead}))
    client = doctor_clients.check_clock([claude_dir], now())
    entry.unlink()
    os.utime(transcript, ns=(0, (now() + 5 * MINUTE) * 1000))
    disk = doctor_clients.check_clock([claude_dir], now())

    assert [each.verdict for each in (sound, client, disk)] == [OK, WARNING, WARNING]


def lived(*, hooked: bool) -> Agent:
    agent = agent_of(it_started(), was_prompted(), spoke("Done."))
    return msgspec.structs.replace(agent, hooked_at=agent.last_at if hooked else NEVER)


def test_hooks_that_are_installed_and_silent() -> None:
    def heard(*agents: Agent, installed: bool = True) -> Verdict:
        return doctor_clients.check_hooks_heard(agents, now(), installed=installed).verdict

    assert heard(lived(hooked=False)) is WARNING
    assert heard(lived(hooked=False), lived(hooked=True)) is OK
    assert heard(lived(hooked=False), installed=False) is OK
    assert heard() is OK


def test_hooks_that_are_missing_or_hindered() -> None:
    def said(*, complete: bool, hindrances: list[str]) -> Check:
        return doctor_clients.check_hooks_installed(
            "settings.json", complete=complete, hindrances=hindrances
        )

    assert said(complete=True, hindrances=[]).verdict is OK
    assert said(complete=False, hindrances=[]).what_to_do == "turnkeeper hooks install"
    assert said(complete=True, hindrances=["disableAllHooks is set"]).verdict is WARNING


# The verb -------------------------------------------------------------------------------------


def examined(data: Path, claude_dir: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    done = run_turnkeeper("doctor", "--json", "--data", str(data), "--claude-dir", str(claude_dir))
    return done.returncode, {each["name"]: each for each in json.loads(done.stdout)}


def test_without_a_daemon_nothing_is_made_and_nothing_fails(
    tmp_path: Path, claude_dir: Path
) -> None:
    with closing(socket.socket()) as probe:
        taken = probe.connect_ex(("127.0.0.1", 8876)) == 0

    code, said = examined(tmp_path / "none", claude_dir)

    assert said["daemon"]["verdict"] == "warning"
    assert said["daemon"]["what_to_do"] == "turnkeeper up"
    assert code == int(taken)
    assert not (tmp_path / "none").exists()


def test_a_daemon_that_is_well(tmp_path: Path, claude_dir: Path) -> None:
    with closing(Daemon(tmp_path / "data", claude_dir)) as daemon:
        daemon.start()

        code, said = examined(daemon.data, claude_dir)
        shown = run_turnkeeper(
            "doctor", "--data", str(daemon.data), "--claude-dir", str(claude_dir)
        ).stdout

    assert code == 0, said
    assert said["daemon"]["what"].startswith("it runs as pid ")
    assert said["health"]["verdict"] == "ok"
    assert "✓ ok" in shown
    assert "! warning" in shown


def test_a_problem_is_told_by_the_exit_status(data: Path, claude_dir: Path) -> None:
    (data / "board.db").write_text("no database")
    (data / "board.db").chmod(0o600)

    code, said = examined(data, claude_dir)

    assert code == 1
    assert said["board"]["verdict"] == "problem"
    assert "turnkeeper rebuild" in said["board"]["what_to_do"]
