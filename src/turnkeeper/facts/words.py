"""Who speaks, and what a turn means."""

from enum import StrEnum


class Actor(StrEnum):
    USER = "user"
    AGENT = "agent"


class Intent(StrEnum):
    COMMAND = "command"
    ANSWER = "answer"
    QUESTION = "question"
    PROGRESS = "progress"
    COMPLETION = "completion"
