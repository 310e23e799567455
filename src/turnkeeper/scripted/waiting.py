"""The hook that waits, run as a client runs it: it offers an ask to whoever looks at the board."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from turnkeeper.sources.claude_hook_commands import WAITING_HOOK


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person answers to an ask: no, or yes with words where words are asked for. One that
    comes from the board does not end the turn: the agent hears a no, with its reason, and goes
    on."""

    accepted: bool
    words: str = ""
    at_board: bool = False


async def answered(data: Path, payload: Mapping[str, object]) -> Reply | None:
    """What the board answers; None where nobody did. A client whose terminal is answered first
    ends its hook, and so does cancelling this."""
    hook = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", str(WAITING_HOOK), str(data)),
        stdin=PIPE,
        stdout=PIPE,
        env={"CLAUDE_CODE_SESSION_ID": str(payload["session_id"])},
    )
    try:
        printed, _ = await hook.communicate(msgspec.json.encode(payload) + b"\n")
    finally:
        if hook.returncode is None:
            hook.kill()
            await hook.wait()
    return reply_of(printed)


def reply_of(printed: bytes) -> Reply | None:
    """What a hook printed, as a client understands it."""
    if not printed:
        return None
    decision: dict[str, Any] = msgspec.json.decode(printed)["hookSpecificOutput"]["decision"]
    if decision["behavior"] == "deny":
        return Reply(accepted=False, words=decision["message"], at_board=True)
    answers = decision.get("updatedInput", {}).get("answers", {})
    return Reply(accepted=True, words=next(iter(answers.values()), ""), at_board=True)
