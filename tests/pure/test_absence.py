"""A session that nobody runs is over; one that was heard of a moment ago is not."""

from tests.pure.stories import SECOND, agent_of, asked_for_approval, fact, line, spoke
from turnkeeper.facts.fact import Fact, Moment
from turnkeeper.facts.kinds import What
from turnkeeper.machines.absence import is_missing, last_sign


def missing(now: float, *happenings: What | Fact) -> bool:
    agent = agent_of(*happenings)
    return is_missing(
        agent.evidence,
        agent.status,
        version="2.1.325",
        listed=False,
        client_in_folder=False,
        now=Moment(round(now * SECOND)),
    )


def test_a_session_that_only_a_hook_has_told_of_is_not_missing_at_once() -> None:
    assert not missing(104, fact(asked_for_approval(), 100))
    assert missing(106, fact(asked_for_approval(), 100))


def test_its_end_is_not_before_its_last_sign() -> None:
    agent = agent_of(line(spoke("Working."), 90), fact(asked_for_approval(), 100))

    assert last_sign(agent.evidence) == 100 * SECOND
