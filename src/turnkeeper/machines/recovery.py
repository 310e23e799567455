"""The seed's proof of bounded recovery (002), for sessions without a registry.

Every HEALTH_CHECK_INTERVAL_SECS each session that waits for a person is looked at. If its
transcript moved on more than STALENESS_THRESHOLD_SECS after the last event we heard, the wait
is over and we missed it. So a stuck session recovers within MAX_RECOVERY_TIME_SECS.
"""

from typing import Final

from turnkeeper.facts.fact import Moment
from turnkeeper.facts.kinds import Activity
from turnkeeper.machines.evidence import Evidence
from turnkeeper.machines.session import SessionStatus

HEALTH_CHECK_INTERVAL_SECS: Final = 10
STALENESS_THRESHOLD_SECS: Final = 2
MAX_RECOVERY_TIME_SECS: Final = HEALTH_CHECK_INTERVAL_SECS + STALENESS_THRESHOLD_SECS

SECOND: Final = 1_000_000
ATTENTION: Final = (
    SessionStatus.AWAITING_INPUT,
    SessionStatus.AWAITING_APPROVAL,
    SessionStatus.ERROR,
)


def is_stale(transcript_at: Moment, last_event_at: Moment) -> bool:
    """Whether the transcript advanced without our knowing.

    The transcript's time is that of its last user, assistant or turn-ending line: bookkeeping
    is written while nobody has answered (rulings A4).
    """
    return transcript_at > last_event_at + STALENESS_THRESHOLD_SECS * SECOND


def needs_recovery(status: SessionStatus, evidence: Evidence) -> bool:
    """Whether a session is stuck: it waits, no registry vouches for that, and it moved on."""
    report = evidence.client
    vouched = report is not None and report.activity is not Activity.UNSAID
    if vouched or status not in ATTENTION:
        return False
    return is_stale(evidence.spoken_at, last_event_at(evidence))


def last_event_at(evidence: Evidence) -> Moment:
    """The newest thing hooks told, which is what the seed compares the transcript with."""
    return Moment(max(evidence.hook.at if evidence.hook else 0, evidence.failed_at))
