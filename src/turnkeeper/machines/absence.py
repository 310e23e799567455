"""Which sessions nobody runs any more, though nobody saw them end."""

import re

from turnkeeper.facts.fact import NEVER, Moment
from turnkeeper.machines.evidence import Evidence
from turnkeeper.machines.session import SessionStatus

REGISTERS_SINCE = (2, 1, 139)
SETTLED = 5_000_000
"""Microseconds a session must have been silent: a client that just began may not be listed yet."""


def is_missing(
    evidence: Evidence,
    status: SessionStatus,
    *,
    version: str,
    listed: bool,
    client_in_folder: bool,
    now: Moment,
) -> bool:
    """Whether an open session has no client: none lists it, and an older one, which would not
    list itself, does not work in its folder either."""
    if status is SessionStatus.CLOSED or evidence.living or listed:
        return False
    if now - last_sign(evidence) < SETTLED:
        return False
    return registers(version) or not client_in_folder


def last_sign(evidence: Evidence) -> Moment:
    """When the session was last heard of by something that only a living client does."""
    hook = evidence.hook.at if evidence.hook else NEVER
    return max(evidence.alive_at, evidence.spoken_at, hook)


def registers(version: str) -> bool:
    """Whether a client of this version keeps a registry file while it runs."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    return numbers >= REGISTERS_SINCE
