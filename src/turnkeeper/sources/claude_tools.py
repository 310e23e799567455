"""Claude Code's tools that wait for a person."""

from turnkeeper.facts.kinds import Waits

_WAITS = {"AskUserQuestion": Waits.QUESTION, "ExitPlanMode": Waits.PLAN}


def waits_of(tool: str) -> Waits:
    return _WAITS.get(tool, Waits.NOTHING)
