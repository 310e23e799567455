"""One thing a user asked for, from the prompt to its completion (seed 000, FR1 to FR4)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from turnkeeper.facts.words import Actor, Intent
from turnkeeper.machines.kernel import STAYS, Line, Machine, in_words, spread


class CommandState(StrEnum):
    IDLE = "idle"
    COMMANDED = "commanded"
    PROCESSING = "processing"
    AWAITING_INPUT = "awaiting_input"
    COMPLETE = "complete"


class CommandEvent(StrEnum):
    USER_COMMAND = "user_command"
    USER_ANSWER = "user_answer"
    AGENT_PROGRESS = "agent_progress"
    AGENT_QUESTION = "agent_question"
    AGENT_COMPLETION = "agent_completion"
    COMMAND_ENDED = "command_ended"
    INTERRUPTED = "interrupted"
    TURN_FAILED = "turn_failed"
    INTERJECTION = "interjection"


S = CommandState
E = CommandEvent

IDLE: Final = (S.IDLE,)
COMMANDED: Final = (S.COMMANDED,)
PROCESSING: Final = (S.PROCESSING,)
AWAITING: Final = (S.AWAITING_INPUT,)
COMPLETE: Final = (S.COMPLETE,)
AT_WORK: Final = (S.COMMANDED, S.PROCESSING)
OPEN: Final = (*AT_WORK, S.AWAITING_INPUT)

# fmt: off
SEED: Final[tuple[Line[S, E], ...]] = (
    # while      this happens         it becomes        because
    (IDLE,       E.USER_COMMAND,      S.COMMANDED,      "the user asks for something"),
    (COMMANDED,  E.AGENT_PROGRESS,    S.PROCESSING,     "the agent has begun"),
    (COMMANDED,  E.AGENT_QUESTION,    S.AWAITING_INPUT, "the agent asks before it begins"),
    (COMMANDED,  E.AGENT_COMPLETION,  S.COMPLETE,       "the agent answers at once"),
    (PROCESSING, E.AGENT_PROGRESS,    S.PROCESSING,     "the agent goes on"),
    (PROCESSING, E.AGENT_QUESTION,    S.AWAITING_INPUT, "the agent needs the user"),
    (PROCESSING, E.AGENT_COMPLETION,  S.COMPLETE,       "the agent says it is done"),
    (AWAITING,   E.USER_ANSWER,       S.PROCESSING,     "the user answers, the agent goes on"),
    (AWAITING,   E.USER_COMMAND,      S.COMMANDED,      "a new command; the old one is abandoned"),
    (COMPLETE,   E.COMMAND_ENDED,     S.IDLE,           "the agent has no active command any more"),
)

EXTENSIONS: Final[tuple[Line[S, E], ...]] = (
    # while      this happens         it becomes        because
    (AWAITING,   E.AGENT_QUESTION,    S.AWAITING_INPUT, "a follow-up question (001 FR14)"),
    (AWAITING,   E.AGENT_PROGRESS,    S.PROCESSING,     "the answer was not seen (001 FR14)"),
    (AWAITING,   E.AGENT_COMPLETION,  S.COMPLETE,       "the answer was not seen (001 FR14)"),
    (OPEN,       E.INTERRUPTED,       S.COMPLETE,       "Esc or a denial ends it, without Stop"),
    (OPEN,       E.TURN_FAILED,       S.COMPLETE,       "an API error ends it, without Stop"),
    (AT_WORK,    E.INTERJECTION,      STAYS,            "a prompt typed mid-turn joins in"),
)
# fmt: on

SUBJECT: Final[Mapping[E, str]] = {
    E.USER_COMMAND: "A new command",
    E.USER_ANSWER: "An answer",
    E.AGENT_PROGRESS: "A report from the agent",
    E.AGENT_QUESTION: "A question from the agent",
    E.AGENT_COMPLETION: "A completion from the agent",
    E.COMMAND_ENDED: "The end of the command",
    E.INTERRUPTED: "An interruption",
    E.TURN_FAILED: "A failed turn",
    E.INTERJECTION: "An interjection",
}

BY_USER: Final = (E.USER_COMMAND, E.USER_ANSWER)
BY_AGENT: Final = (E.AGENT_PROGRESS, E.AGENT_QUESTION, E.AGENT_COMPLETION)
CUT_SHORT: Final = (E.INTERRUPTED, E.TURN_FAILED, E.INTERJECTION)
NOT_DONE: Final = "the agent has not completed it"

# fmt: off
REFUSED: Final[tuple[tuple[S, tuple[E, ...], str], ...]] = (
    # while            this happens        it is refused because
    (S.IDLE,           (E.USER_ANSWER,),   "no question pending"),
    (S.IDLE,           BY_AGENT,           "agent cannot act when idle"),
    (S.IDLE,           CUT_SHORT,          "nothing is running"),
    (S.IDLE,           (E.COMMAND_ENDED,), "there is no command to end"),
    (S.COMMANDED,      BY_USER,            "waiting for agent"),
    (S.COMMANDED,      (E.COMMAND_ENDED,), NOT_DONE),
    (S.PROCESSING,     BY_USER,            "agent is working"),
    (S.PROCESSING,     (E.COMMAND_ENDED,), NOT_DONE),
    (S.AWAITING_INPUT, (E.INTERJECTION,),  "a prompt now is an answer or a command"),
    (S.AWAITING_INPUT, (E.COMMAND_ENDED,), NOT_DONE),
    (S.COMPLETE,       BY_USER,            "the command is over and has to end first"),
    (S.COMPLETE,       BY_AGENT,           "the command is over"),
    (S.COMPLETE,       CUT_SHORT,          "the command is over"),
)
# fmt: on

MACHINE: Final = Machine(
    "command",
    states=CommandState,
    events=CommandEvent,
    initial=S.IDLE,
    rows=(*spread(SEED), *spread(EXTENSIONS, extension=True)),
    refusals={
        (state, event): f"{SUBJECT[event]} is not possible while {in_words(state)}: {because}"
        for state, events, because in REFUSED
        for event in events
    },
)

advance = MACHINE.advance

EVENTS: Final[Mapping[tuple[Actor, Intent], CommandEvent]] = {
    (Actor.USER, Intent.COMMAND): E.USER_COMMAND,
    (Actor.USER, Intent.ANSWER): E.USER_ANSWER,
    (Actor.AGENT, Intent.PROGRESS): E.AGENT_PROGRESS,
    (Actor.AGENT, Intent.QUESTION): E.AGENT_QUESTION,
    (Actor.AGENT, Intent.COMPLETION): E.AGENT_COMPLETION,
}


def event_for(actor: Actor, intent: Intent) -> CommandEvent | None:
    """Name the event that a turn is. None if nobody can say that: users report no progress."""
    return EVENTS.get((actor, intent))
