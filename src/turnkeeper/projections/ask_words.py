"""An ask in a few words: what waits, and how it ended."""

from typing import Final

from turnkeeper.facts.kinds import Decision
from turnkeeper.projections.asks import Ask, AskKind, Closing

WHY: Final = {
    Closing.ANSWERED: "It was answered here",
    Closing.DISMISSED: "It was dismissed here",
    Closing.TERMINAL: "It was answered in the terminal",
    Closing.INTERRUPTED: "The turn was interrupted in the terminal",
    Closing.ENDED: "The session ended",
    Closing.CLEARED: "The conversation was cleared",
    Closing.MOVED_ON: "The conversation went on",
}

SAID: Final = {
    Decision.ALLOW: "Allowed",
    Decision.ALWAYS: "Always allowed",
    Decision.DENY: "Denied",
    Decision.ANSWER: "Answered",
    Decision.APPROVE: "Approved",
    Decision.REJECT: "Rejected",
    Decision.DISMISS: "Dismissed",
}


def why(ask: Ask) -> str | None:
    """How an ask ended, in one sentence; nothing while it waits."""
    if ask.outcome is None or ask.answer is None:
        return None if ask.outcome is None else WHY[ask.outcome]
    return f"{SAID[ask.answer.decision]} by {ask.answer.by}"


HEADINGS: Final = {
    AskKind.PERMISSION: "wants permission",
    AskKind.QUESTION: "A question with options",
    AskKind.PLAN: "A plan to approve",
    AskKind.WORDS: "A question in words",
    AskKind.ERROR: "The turn failed",
}


def heading(ask: Ask) -> str:
    """What waits, as far as the ask itself knows: one short line."""
    if ask.kind is AskKind.PERMISSION:
        return f"{ask.tool or 'The agent'} {HEADINGS[ask.kind]}"
    return HEADINGS.get(ask.kind, str(ask.kind))
