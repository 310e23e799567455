"""Reading an agent's transcripts again finds what was missed, and says what that came to."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.lab.served import Served, prompt, served
from tests.replay.stage import RECORDINGS

TRANSCRIPTS = sorted(RECORDINGS.glob("*/tool_call/transcripts/*/*.jsonl"))


def lines_of(transcript: Path) -> int:
    return len(transcript.read_text().splitlines())


async def reconciled(here: Served, session: str) -> dict[str, Any]:
    answer = await asyncio.to_thread(here.caller.post, f"/api/agents/{session}/reconcile")
    assert answer.status == 200, answer.body
    told: dict[str, Any] = answer.json()
    return told


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda file: file.parts[-5])
async def test_what_nobody_has_heard_of_is_added_and_told(tmp_path: Path, transcript: Path) -> None:
    project = tmp_path / "claude" / "projects" / transcript.parent.name
    async with served(tmp_path) as here:
        await here.said(prompt(transcript.stem, "Something else."))
        project.mkdir(parents=True)
        shutil.copy(transcript, project)

        first = await reconciled(here, transcript.stem)
        again = await reconciled(here, transcript.stem)

    assert first["entries"] == first["added"] == lines_of(transcript)
    assert first["states"] > 0
    assert first["missing"] == again["missing"] == 0
    assert (again["added"], again["corrected"], again["states"]) == (0, 0, 0)
