"""Who may be interrupted: judged from the board, the terminal and the client's last word."""

from pathlib import Path

import msgspec
import pytest

from turnkeeper.desk.interrupting import busy_no_more, unreachable, unwilling
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import Activity, ClientReported
from turnkeeper.machines.evidence import Evidence
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.agent import Agent
from turnkeeper.sources.seats import Seat
from turnkeeper.sources.tmux_panes import Pane

LIVING = Evidence(living=((7, "100"),))
AT_WORK = Agent(1, ("s1",), host="here", status=SessionStatus.RUNNING, evidence=LIVING)
PANE = Pane(Path("/tmp/tmux-0/default"), "%1", "/dev/pts/3", in_mode=False)
SEAT = Seat("/dev/pts/3", foreground=True)


def saying(activity: Activity, session: str = "s1") -> Fact:
    what = ClientReported(7, "100", activity)
    return Fact("k", session, Source.REGISTRY, Moment(1), Moment(1), what)


def test_an_agent_at_work_in_a_pane_may_be_interrupted() -> None:
    assert unwilling(AT_WORK, "here") is None
    assert unreachable(PANE, [SEAT]) is None
    assert busy_no_more(saying(Activity.BUSY), AT_WORK) is None


@pytest.mark.parametrize("status", [each for each in SessionStatus if each is not AT_WORK.status])
def test_nobody_is_interrupted_who_does_not_work(status: SessionStatus) -> None:
    assert unwilling(msgspec.structs.replace(AT_WORK, status=status), "here")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"host": "there"}, "runs on there"),
        ({"evidence": Evidence()}, "no process"),
        ({"domain": "linux:another:pid:[1]"}, "container"),
        ({"evidence": Evidence(living=((7, "1"), (8, "2")))}, "two clients"),
        ({"entrypoint": "sdk-cli"}, "without a screen"),
    ],
)
def test_an_agent_that_no_key_is_meant_for_is_left_alone(
    changes: dict[str, object], why: str
) -> None:
    assert why in str(unwilling(msgspec.structs.replace(AT_WORK, **changes), "here"))


@pytest.mark.parametrize(
    ("pane", "seats", "why"),
    [
        (None, [], "no terminal"),
        (None, [SEAT], "no tmux pane"),
        (Pane(PANE.socket, "%1", SEAT.terminal, in_mode=True), [SEAT], "copy mode"),
        (PANE, [Seat("/dev/pts/3", foreground=False)], "foreground"),
        (PANE, [Seat("/dev/pts/9", foreground=True), Seat("/dev/pts/3", False)], "foreground"),
    ],
)
def test_a_key_that_would_reach_somebody_else_is_not_pressed(
    pane: Pane | None, seats: list[Seat], why: str
) -> None:
    assert why in str(unreachable(pane, seats))


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (saying(Activity.WAITING), "waits for an answer"),
        (saying(Activity.IDLE), "not at work"),
        (saying(Activity.SHELL), "not at work"),
        (saying(Activity.UNSAID), "does not say"),
        (saying(Activity.BUSY, "s2"), "another conversation"),
        (None, "does not say"),
    ],
)
def test_the_clients_own_last_word_decides(now: Fact | None, why: str) -> None:
    assert why in str(busy_no_more(now, AT_WORK))
