"""What a client's registry file says of it."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.facts.codec import decode, encode
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import Activity, ClientReported, ClientUnlisted, ProcessExited
from turnkeeper.sources.claude_registry import exited, read_entry, unlisted

Json = dict[str, Any]  # a registry file is any JSON

HEARD = Moment(1_794_792_999_000_000)
ENTRY: Json = {
    "pid": 1313,
    "sessionId": "cc234a40",
    "cwd": "/home/dev/project",
    "startedAt": 1_794_792_876_184,
    "procStart": "811750",
    "version": "2.1.325",
    "kind": "interactive",
    "entrypoint": "cli",
    "pidDomain": "linux:3d12:pid:[4026531836]",
    "name": "project-d1",
    "status": "idle",
    "updatedAt": 1_794_792_876_340,
    "statusUpdatedAt": 1_794_792_876_340,
}


def read(entry: Json | bytes) -> Fact | None:
    raw = entry if isinstance(entry, bytes) else json.dumps(entry).encode()
    return read_entry(raw, heard_at=HEARD, host="desk")


def report(**fields: object) -> ClientReported:
    fact = read(ENTRY | fields)
    assert fact is not None
    assert isinstance(fact.what, ClientReported)
    return fact.what


def happened(**fields: object) -> int:
    fact = read(ENTRY | fields)
    assert fact is not None
    return fact.happened_at


def test_an_entry_names_the_process_the_session_and_where_it_runs() -> None:
    fact = read(ENTRY)

    assert fact is not None
    assert (fact.session, fact.source, fact.host) == ("cc234a40", Source.REGISTRY, "desk")
    assert fact.what == ClientReported(
        pid=1313,
        started="811750",
        activity=Activity.IDLE,
        cwd="/home/dev/project",
        version="2.1.325",
        name="project-d1",
        entrypoint="cli",
        domain="linux:3d12:pid:[4026531836]",
    )


@pytest.mark.parametrize(
    ("status", "activity"),
    [
        ("busy", Activity.BUSY),
        ("idle", Activity.IDLE),
        ("shell", Activity.SHELL),
        ("waiting", Activity.WAITING),
        (None, Activity.UNSAID),
        ("", Activity.UNSAID),
        ("dreaming", Activity.UNSAID),
        ("BUSY", Activity.UNSAID),
    ],
)
def test_a_status_nobody_knows_is_no_opinion(status: str | None, activity: Activity) -> None:
    assert report(status=status).activity is activity


def test_what_an_earlier_wait_left_behind_is_not_read() -> None:
    assert report(status="busy", waitingFor="permission prompt").waiting_for == ""
    assert report(status="waiting", waitingFor="input needed").waiting_for == "input needed"


def test_it_happened_when_the_client_last_changed_its_entry() -> None:
    assert happened() == 1_794_792_876_340_000
    assert happened(updatedAt=1_794_792_877_000) == 1_794_792_877_000_000


@pytest.mark.parametrize("odd", [1e300, 10**30, -5, 0, None])
def test_a_time_no_clock_shows_is_the_time_we_heard_it(odd: float | None) -> None:
    assert happened(updatedAt=odd, statusUpdatedAt=odd, startedAt=odd) == HEARD


def test_the_same_entry_is_the_same_observation_and_another_is_not() -> None:
    idle, again, busy = read(ENTRY), read(ENTRY), read(ENTRY | {"status": "busy"})

    assert idle is not None
    assert again is not None
    assert busy is not None
    assert idle.key == again.key != busy.key


def test_what_we_do_not_read_in_an_entry_makes_no_news() -> None:
    before, after = read(ENTRY), read(ENTRY | {"peerProtocol": 2})

    assert before is not None
    assert after is not None
    assert before.key == after.key


@pytest.mark.parametrize("length", range(0, len(json.dumps(ENTRY)), 25))
def test_a_half_written_file_is_looked_at_again(length: int) -> None:
    assert read(json.dumps(ENTRY).encode()[:length]) is None


@pytest.mark.parametrize(
    "odd",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\0\0",
        b"\xff",
        b'{"x":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
        ENTRY | {"pid": "1313"},
        ENTRY | {"pid": 0},
        ENTRY | {"pid": -1},
        ENTRY | {"pid": 10**30},
        ENTRY | {"sessionId": ""},
        ENTRY | {"sessionId": None},
        ENTRY | {"status": 7},
        ENTRY | {"updatedAt": "now"},
        {"pid": 1313, "session_id": "of a legacy file"},
    ],
    ids=lambda odd: str(odd)[:30],
)
def test_what_is_no_entry_is_none(odd: Json | bytes) -> None:
    assert read(odd) is None


def test_a_process_exits_once_whoever_sees_it() -> None:
    one = exited(1313, "811750", session="cc234a40", at=Moment(1), host="desk")
    other = exited(1313, "811750", session="", at=Moment(9), host="desk")
    reused = exited(1313, "900000", session="", at=Moment(9), host="desk")

    assert one.what == ProcessExited(1313, "811750")
    assert one.key == other.key != reused.key


def test_a_file_may_vanish_more_than_once() -> None:
    first = unlisted(1313, session="cc234a40", at=Moment(1), host="desk")
    second = unlisted(1313, session="cc234a40", at=Moment(2), host="desk")

    assert first.what == ClientUnlisted(1313)
    assert first.key != second.key


odd = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
entries = st.fixed_dictionaries(
    {"pid": st.just(1313) | odd, "sessionId": st.just("cc234a40") | odd},
    optional=dict.fromkeys([name for name in ENTRY if name not in ("pid", "sessionId")], odd),
)


@settings(max_examples=20, deadline=None)
@given(entries)
def test_fields_of_any_type_are_read_or_are_none(entry: Json) -> None:
    fact = read(msgspec.json.encode(entry))

    assert fact is None or decode(encode(fact.what)) == fact.what
    assert fact is None or 0 < fact.happened_at < 2**63


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_none(noise: bytes) -> None:
    assert read(noise) is None
