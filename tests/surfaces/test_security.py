"""One test for each claim of docs/security.md. The daemon is a process, the callers use sockets."""

import asyncio
import hmac
import inspect
import json
import os
import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.lab.asking import Answer, Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.real_client import until
from tests.lab.served import HandClock, prompt, served
from turnkeeper.daemon.settings import make_private
from turnkeeper.facts.fact import Moment
from turnkeeper.sources.clock import SystemClock
from turnkeeper.sources.spool import Spool
from turnkeeper.sources.transcripts import Transcripts
from turnkeeper.surfaces.http import keys as keys_module
from turnkeeper.surfaces.http.guard import HARDENED, LARGEST_BODY, OPEN_PATHS
from turnkeeper.surfaces.http.keys import LINK_LIVES, Keys, Rights, token_in

HOOKS = "/api/hooks/claude"
SECRET_WORDS = "the words of a prompt that nobody else may read"
CHANGES = (
    "/api/links",
    HOOKS,
    "/api/agents/1/reconcile",
    "/api/agents/1/rename",
    "/api/agents/1/mute",
)
READS = ("/api/health", "/api/agents", "/api/stream", "/api/openapi.json", "/api/docs", "/metrics")


def refused(answer: Answer, status: int, error: str) -> None:
    assert answer.status == status, answer.body
    told = answer.json()
    assert told["error"] == error
    assert told["message"]
    assert told["hint"]


def cookie_of(owner: Caller, daemon: Daemon) -> str:
    """What a browser holds after it followed a one-time link."""
    path = owner.post("/api/links").json()["path"]
    answer = Caller(daemon.url, {}).get(path)
    return answer.headers["set-cookie"].partition(";")[0]


# Tokens -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", READS)
def test_without_a_token_nothing_is_told(stranger: Caller, path: str) -> None:
    refused(stranger.get(path), 401, "TokenMissing")


@pytest.mark.parametrize("path", CHANGES)
def test_without_a_token_nothing_is_changed(stranger: Caller, path: str) -> None:
    refused(stranger.post(path, b"{}"), 401, "TokenMissing")


@pytest.mark.parametrize(
    "header", ["Bearer wrong", "Bearer ", "Bearer", "Basic d3Jvbmc6d3Jvbmc=", "\xff\xfe"]
)
def test_a_wrong_token_is_no_token(stranger: Caller, header: str) -> None:
    refused(stranger.get("/api/agents", authorization=header), 401, "TokenMissing")


def test_the_token_in_the_address_is_no_token(stranger: Caller, daemon: Daemon) -> None:
    answer = stranger.get(f"/api/agents?token={daemon.token}&access_token={daemon.token}")

    refused(answer, 401, "TokenMissing")


def test_the_token_lets_its_owner_read_and_change(owner: Caller) -> None:
    assert owner.get("/api/agents").status == 200
    assert owner.post("/api/links").status == 201
    assert owner.get("/api/session").json() == {"rights": "full", "csrf": ""}


def test_a_read_only_token_reads(guest: Caller) -> None:
    assert guest.get("/api/agents").status == 200
    assert guest.get("/api/session").json()["rights"] == "read"


@pytest.mark.parametrize("path", CHANGES)
def test_a_read_only_token_changes_nothing(guest: Caller, path: str) -> None:
    refused(guest.post(path, b"{}"), 403, "ReadOnly")


def test_secrets_are_compared_in_constant_time() -> None:
    assert "hmac.compare_digest" in inspect.getsource(keys_module.same)
    assert hmac.compare_digest(b"one", b"one")
    for judge in (Keys.rights_of_token, Keys.rights_of_cookie):
        source = inspect.getsource(judge)
        assert "same(" in source
        assert "==" not in source


def test_both_tokens_are_compared_whichever_fits() -> None:
    keys = Keys("f" * 40, "r" * 40, SystemClock())

    assert keys.rights_of_token("f" * 40) is Rights.FULL
    assert keys.rights_of_token("r" * 40) is Rights.READ
    assert keys.rights_of_token("") is Rights.NONE


@pytest.mark.parametrize("left", ["", "\n", "short"])
def test_a_token_nobody_finished_writing_lets_nobody_in(tmp_path: Path, left: str) -> None:
    (tmp_path / "token").write_text(left)

    token = token_in(tmp_path, "token")

    assert len(token) > 40
    assert (tmp_path / "token").read_text() == token


# Browsers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8876", "127.0.0.1.evil.example", ""]
)
def test_a_foreign_host_is_refused(owner: Caller, host: str) -> None:
    refused(owner.get("/api/agents", host=host), 403, "HostRefused")
    refused(owner.get("/", host=host), 403, "HostRefused")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8876"])
def test_the_names_of_this_machine_are_not_foreign(owner: Caller, host: str) -> None:
    assert owner.get("/api/agents", host=host).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        "http://[",
        "file://",
        "chrome-extension://x",
    ],
)
def test_a_foreign_origin_is_refused(owner: Caller, origin: str) -> None:
    refused(owner.get("/api/agents", origin=origin), 403, "OriginRefused")


def test_the_boards_own_origin_is_not_foreign(owner: Caller) -> None:
    assert owner.get("/api/agents", origin=owner.url).status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_call_from_another_site_or_port_is_refused(owner: Caller, site: str) -> None:
    refused(owner.get("/api/agents", sec_fetch_site=site), 403, "OriginRefused")


def test_a_link_on_another_page_may_lead_to_the_board(stranger: Caller) -> None:
    answer = stranger.get("/", sec_fetch_site="cross-site", sec_fetch_mode="navigate")

    assert answer.status == 200


def test_no_page_of_another_site_may_read_an_answer(owner: Caller) -> None:
    answer = owner.get("/api/agents", origin=owner.url)

    assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_a_cookie_reads(stranger: Caller, owner: Caller, daemon: Daemon) -> None:
    assert stranger.get("/api/agents", cookie=cookie_of(owner, daemon)).status == 200


@pytest.mark.parametrize("path", CHANGES)
def test_a_cookie_without_the_pages_mark_changes_nothing(
    stranger: Caller, owner: Caller, daemon: Daemon, path: str
) -> None:
    cookie = cookie_of(owner, daemon)

    refused(stranger.post(path, b"{}", cookie=cookie), 403, "CsrfMissing")
    wrong = stranger.post(path, b"{}", cookie=cookie, x_turnkeeper_csrf="0" * 64)
    refused(wrong, 403, "CsrfMissing")


def test_a_cookie_with_the_pages_mark_changes_something(
    stranger: Caller, owner: Caller, daemon: Daemon
) -> None:
    cookie = cookie_of(owner, daemon)
    mark = stranger.get("/api/session", cookie=cookie).json()["csrf"]

    made = stranger.post("/api/links", cookie=cookie, x_turnkeeper_csrf=mark)

    assert made.status == 201


def test_the_mark_of_one_page_is_none_of_another(
    stranger: Caller, owner: Caller, daemon: Daemon
) -> None:
    one, other = cookie_of(owner, daemon), cookie_of(owner, daemon)
    mark = stranger.get("/api/session", cookie=one).json()["csrf"]

    refused(stranger.post("/api/links", cookie=other, x_turnkeeper_csrf=mark), 403, "CsrfMissing")


@pytest.mark.parametrize("forged", ["=x.y", "=x", "=", "", "=; ;;", "\xff"])
def test_a_forged_cookie_is_none(
    stranger: Caller, owner: Caller, daemon: Daemon, forged: str
) -> None:
    name = cookie_of(owner, daemon).partition("=")[0]
    refused(stranger.get("/api/agents", cookie=name + forged), 401, "TokenMissing")


def test_the_cookies_of_two_daemons_on_one_host_have_different_names() -> None:
    names = {Keys(token, "", SystemClock()).cookie_name for token in ("a" * 16, "b" * 16)}

    assert len(names) == 2


def test_the_cookie_is_kept_from_scripts_and_other_sites(owner: Caller, stranger: Caller) -> None:
    answer = stranger.get(owner.post("/api/links").json()["path"])

    said = answer.headers["set-cookie"].lower()
    assert answer.status == 302
    assert "httponly" in said
    assert "samesite=strict" in said
    assert "path=/" in said


def test_a_link_lets_one_browser_in_once(owner: Caller, stranger: Caller) -> None:
    path = owner.post("/api/links").json()["path"]

    assert stranger.get(path).status == 302
    refused(stranger.get(path), 409, "LinkSpent")


def test_the_link_printed_at_start_lets_a_browser_in(daemon: Daemon, stranger: Caller) -> None:
    link = next(word for word in daemon.told().split() if "/login?code=" in word)

    assert stranger.get(link.removeprefix(daemon.url)).status == 302


async def test_a_link_grows_too_old(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock=clock) as here:
        fresh, old = here.parts.keys.new_code(), here.parts.keys.new_code()
        clock.ahead = LINK_LIVES - 1_000_000
        used = await asyncio.to_thread(here.caller.get, f"/login?code={fresh}")
        clock.ahead = LINK_LIVES + 1
        late = await asyncio.to_thread(here.caller.get, f"/login?code={old}")

    assert used.status == 302
    refused(late, 409, "LinkSpent")


# What is sent -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/api/../../../etc/passwd",
        "/api/agents/../../../../etc/passwd",
        "/api/agents/..%2f..%2f..%2fetc%2fpasswd",
        "/api/agents/%2e%2e/%2e%2e/token",
        "/api/agents/%00/turns",
        "//etc/passwd",
        "/api/docs/../../token",
        "/assets/../index.html",
        "/assets/..%2findex.html",
        "/assets/..",
        "/assets/%2fetc%2fpasswd",
    ],
)
def test_a_path_leads_nowhere_but_to_what_is_served(owner: Caller, path: str) -> None:
    answer = owner.get(path)

    assert answer.status in (400, 404, 405)
    assert b"root:" not in answer.body
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/login/../api/agents",
        "//login",
        "/login/",
        "/%2e/api/agents",
        "/assets/../api/agents",
        "/assets/..%2fapi%2fagents",
        "/assets",
        "/assetsapi/agents",
    ],
)
def test_a_path_that_begins_like_an_open_one_is_not_open(stranger: Caller, path: str) -> None:
    assert stranger.get(path).status in (401, 404, 409)


def test_a_body_that_is_too_large_is_refused(owner: Caller, daemon: Daemon) -> None:
    where = urlsplit(daemon.url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=10) as line:
        head = f"POST {HOOKS} HTTP/1.1\r\nhost: {where.netloc}\r\n"
        head += (
            f"authorization: Bearer {daemon.token}\r\ncontent-length: {2 * LARGEST_BODY}\r\n\r\n"
        )
        line.sendall(head.encode() + b"x" * (LARGEST_BODY + 1))
        said = b""
        while b"}" not in said and (more := line.recv(65536)):
            said += more

    assert said.startswith(b"HTTP/1.1 413 ")
    assert b'"error":"TooLarge"' in said


async def test_a_body_that_comes_too_slowly_is_refused(tmp_path: Path) -> None:
    async with served(tmp_path, body_within=0.05) as here:
        where = urlsplit(here.caller.url)
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        head = f"POST {HOOKS} HTTP/1.1\r\nhost: {where.netloc}\r\ncontent-length: 100\r\n"
        head += f"authorization: {here.caller.headers['authorization']}\r\n\r\n"
        writer.write(head.encode() + b'{"session_id":')
        said = await reader.readuntil(b"}")
        writer.close()

    assert said.startswith(b"HTTP/1.1 408 ")
    assert b'"error":"TooSlow"' in said


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", ["/api/agents", HOOKS, "/api/stream", "/", "/metrics"])
def test_an_unknown_method_is_refused(owner: Caller, method: str, path: str) -> None:
    answer = owner.ask(method, path)

    refused(answer, 405, "MethodNotAllowed")
    assert answer.headers["allow"]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/login?code=x", {}),
        ("/api/agents", {}),
        ("/api/nothing", {}),
        ("/api/docs", {}),
        ("/metrics", {}),
        ("/api/agents/nobody", {}),
        ("/api/agents", {"authorization": "Bearer wrong"}),
        ("/api/agents", {"host": "evil.example"}),
        ("/api/agents", {"origin": "http://evil.example"}),
    ],
)
def test_every_answer_is_hardened(owner: Caller, path: str, headers: dict[str, str]) -> None:
    answer = owner.ask("GET", path, headers)

    for name, value in HARDENED:
        assert answer.headers[name.decode()] == value.decode()
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers


def test_the_stream_is_hardened_too(owner: Caller) -> None:
    with owner.hear() as stream:
        assert stream.answer.getheader("x-content-type-options") == "nosniff"
        assert stream.answer.getheader("content-security-policy")


def test_the_open_paths_tell_nothing_about_anyone(
    owner: Caller, stranger: Caller, daemon: Daemon
) -> None:
    owner.post(HOOKS, prompt(str(uuid4()), SECRET_WORDS))

    for path in OPEN_PATHS:
        body = stranger.get(path).body
        assert str(daemon.data).encode() not in body
        assert SECRET_WORDS.encode() not in body


# Files ------------------------------------------------------------------------------------------


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_all_that_is_kept_is_for_its_owner_alone(daemon: Daemon) -> None:
    assert mode(daemon.data) == 0o700
    assert mode(daemon.data / "spool") == 0o700
    for name in ("token", "token-readonly", "journal.db", "board.db", "daemon.json"):
        assert mode(daemon.data / name) == 0o600, name


def test_a_careless_umask_opens_nothing(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        daemon = Daemon(tmp_path / "data", tmp_path / "claude")
        make_private(daemon.data)
        daemon.start()
        open_to_others = {
            str(file.relative_to(daemon.data))
            for file in daemon.data.rglob("*")
            if mode(file) & 0o077 and file.name != "out"
        }
        daemon.close()
    finally:
        os.umask(before)

    assert mode(daemon.data) == 0o700
    assert open_to_others == set()


def test_a_folder_that_was_open_is_closed(tmp_path: Path) -> None:
    spool = tmp_path / "data" / "spool"
    spool.mkdir(parents=True)
    (tmp_path / "data").chmod(0o755)
    spool.chmod(0o777)

    make_private(tmp_path / "data")
    Spool(spool, host="here").open()

    assert mode(tmp_path / "data") == 0o700
    assert mode(spool) == 0o700


def test_neither_secrets_nor_words_are_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the log says all it can."""
    monkeypatch.setenv("TURNKEEPER_LOG", "debug")
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    daemon.start()
    owner, stranger = bearing(daemon.url, daemon.token), Caller(daemon.url, {})
    cookie, session = cookie_of(owner, daemon), str(uuid4())
    stranger.get("/api/agents", cookie=cookie)
    stranger.get("/api/agents", authorization="Bearer a-wrong-token-someone-mistyped")
    owner.get(f"/api/agents/{SECRET_WORDS.replace(' ', '-')}")
    owner.post(HOOKS, b"no json: " + SECRET_WORDS.encode())
    owner.post(HOOKS, json.dumps({"session_id": session, "x": SECRET_WORDS}).encode())
    owner.post(HOOKS, prompt(session, SECRET_WORDS))
    ended = {"hook_event_name": "Stop", "session_id": session, "prompt_id": "p-the words of a prom"}
    ended["last_assistant_message"] = "Done. Should I delete the vineyard database?"
    said = owner.post(HOOKS, json.dumps(ended).encode()).json()["position"]
    until(lambda: owner.get("/api/health").json()["board"] >= said or None, "the board to follow")
    daemon.close()

    written = b"".join(file.read_bytes() for file in (daemon.data / "logs").iterdir())
    link = next(word for word in daemon.told().split() if "/login?code=" in word)
    secrets = (daemon.token, cookie.partition("=")[2], link.partition("code=")[2], "mistyped")
    assert b"intent.detected" in written
    for secret in (*secrets, "nobody else may read", "vineyard"):
        assert secret.encode() not in written, secret


# What the client's folders hold -----------------------------------------------------------------


def line(session: str, text: str) -> bytes:
    said = {
        "type": "user",
        "uuid": str(uuid4()),
        "sessionId": session,
        "timestamp": "2026-11-16T00:00:00.000Z",
        "cwd": "/home/ada",
        "message": {"role": "user", "content": text},
        "promptSource": "typed",
    }
    return json.dumps(said).encode() + b"\n"


@pytest.mark.parametrize("linked", ["file", "folder", "project"])
def test_a_link_out_of_the_clients_folder_is_not_followed(tmp_path: Path, linked: str) -> None:
    session = str(uuid4())
    projects, outside = tmp_path / "claude" / "projects", tmp_path / "claude" / "projects-of-others"
    (projects / "p").mkdir(parents=True)
    (outside / "q").mkdir(parents=True)
    secret = outside / "q" / f"{session}.jsonl"
    secret.write_bytes(line(session, SECRET_WORDS))
    link = {"file": projects / "p" / secret.name, "folder": projects / "p" / "q"}
    place = link.get(linked, projects / "q")
    place.symlink_to(secret if linked == "file" else secret.parent)
    transcripts = Transcripts([tmp_path / "claude"], host="here", marks={})

    assert list(transcripts.files()) == []
    assert transcripts.of_session(session) == []
    through = place if linked == "file" else place / secret.name
    assert transcripts.read(through, Moment(1)) is None
    assert transcripts.read(secret, Moment(1)) is None


def test_a_client_folder_that_is_itself_a_link_is_followed(tmp_path: Path) -> None:
    session = str(uuid4())
    real = tmp_path / "elsewhere" / "projects" / "p"
    real.mkdir(parents=True)
    (real / f"{session}.jsonl").write_bytes(line(session, "hello"))
    (tmp_path / "claude").symlink_to(tmp_path / "elsewhere")
    transcripts = Transcripts([tmp_path / "claude"], host="here", marks={})

    [file] = transcripts.files()
    piece = transcripts.read(file, Moment(1))

    assert piece is not None
    assert piece.facts


def test_a_transcript_path_in_a_hook_is_never_opened(owner: Caller, tmp_path: Path) -> None:
    """A pipe tells: whoever opened it for reading would let our own opening for writing succeed."""
    session, pipe = str(uuid4()), tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    told = {"hook_event_name": "SessionStart", "session_id": session, "source": "startup"}
    told |= {"transcript_path": str(pipe), "cwd": "/home/ada"}

    position = owner.post(HOOKS, json.dumps(told).encode()).json()["position"]
    until(lambda: owner.get("/api/health").json()["board"] >= position or None, "the board")
    answer = owner.post(f"/api/agents/{session}/reconcile")

    assert answer.json()["entries"] == 0
    with pytest.raises(OSError, match="No such device or address"):
        os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)


def test_what_a_text_says_is_text(owner: Caller) -> None:
    session, text = str(uuid4()), "<script>alert(1)</script>$(touch /tmp/x)\x1b[2J"
    position = owner.post(HOOKS, prompt(session, text)).json()["position"]
    until(lambda: owner.get("/api/health").json()["board"] >= position or None, "the board")

    answer = owner.get(f"/api/agents/{session}/turns")

    assert answer.headers["content-type"] == "application/json"
    assert [turn["text"] for turn in answer.json()] == [text]


def test_a_new_token_ends_every_cookie(tmp_path: Path) -> None:
    before = Keys("a" * 40, "r" * 40, SystemClock())
    after = Keys("b" * 40, "r" * 40, SystemClock())
    cookie = before.new_cookie()

    assert before.rights_of_cookie(cookie) is Rights.FULL
    assert after.rights_of_cookie(cookie) is Rights.NONE


def test_a_socket_is_opened_on_loopback_alone(daemon: Daemon) -> None:
    assert urlsplit(daemon.url).hostname == "127.0.0.1"
    assert bearing(daemon.url, daemon.token).get("/api/health").status == 200
