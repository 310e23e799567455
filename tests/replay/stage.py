"""What a recording holds, read apart from the product: the truths, and what was said."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turnkeeper.desk.replay import Heard, Shown, fold, play
from turnkeeper.facts.fact import MAIN_THREAD, Source
from turnkeeper.facts.kinds import AgentSpoke, PromptSubmitted
from turnkeeper.projections.asks import Ask
from turnkeeper.projections.turns import TurnKind

RECORDINGS = Path(__file__).parents[1] / "recordings"
FOLDERS = sorted(folder.parent for folder in RECORDINGS.glob("*/*/truth.jsonl"))
NOT_IN_A_TRANSCRIPT = ("fresh session", "resumed")


@dataclass(frozen=True)
class Truth:
    at: int
    session: str
    truth: str
    note: str


def name_of(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


def truths(folder: Path) -> list[Truth]:
    rows = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    return [Truth(row["at"], row["session"], row["truth"], row["note"]) for row in rows]


def without(heard: list[Heard], *sources: Source) -> list[Heard]:
    return [each for each in heard if each.fact.source not in sources]


def half_of_the_hooks(heard: list[Heard], seed: int) -> list[Heard]:
    """Drops each hook call with probability one half, all its facts together."""
    chance = random.Random(seed)
    fates: dict[str, bool] = {}

    def kept(each: Heard) -> bool:
        call = each.fact.key.split(".")[0]
        return each.fact.source is not Source.HOOK or fates.setdefault(call, chance.random() < 0.5)

    return [each for each in heard if kept(each)]


def shuffled(heard: list[Heard], seed: int, within_ms: int = 2000) -> list[Heard]:
    chance = random.Random(seed)
    return sorted(heard, key=lambda each: each.at + chance.uniform(0, within_ms))


def standing_at(shown: list[Shown], truth: Truth) -> str | None:
    told = [each for each in shown if each.session == truth.session and each.at <= truth.at]
    return told[-1].standing if told else None


def last_standings(heard: list[Heard]) -> dict[str, str]:
    return {each.session: each.standing for each in play(heard)}


def knowable_from_a_transcript(folder: Path, truth: Truth) -> bool:
    """Rulings I2: a transcript cannot know a fresh, closed or resumed session, nor an open dialog
    other than a question's or a plan's."""
    if truth.truth == "closed" or truth.note in NOT_IN_A_TRANSCRIPT:
        return False
    asks = folder.name.startswith(("question", "plan"))
    return truth.truth != "awaiting_approval" or asks


# What waited for a person ---------------------------------------------------------------------


def queues_at(heard: list[Heard], expected: list[Truth]) -> list[tuple[Ask, ...]]:
    """What the queue held of each truth's agent at that time."""
    steps = list(fold(heard))

    def queue(truth: Truth) -> tuple[Ask, ...]:
        told = [
            folded.agent.asking.open
            for at, folded in steps
            if at <= truth.at and truth.session in folded.agent.sessions
        ]
        return told[-1] if told else ()

    return [queue(truth) for truth in expected]


def asks_of(heard: list[Heard]) -> list[Ask]:
    """Every ask there ever was, as it was last told, in the order in which they were opened."""
    last = {ask.id: ask for _, folded in fold(heard) for ask in folded.changes.asks}
    return sorted(last.values(), key=lambda ask: (ask.opened_at, ask.id))


# What was said --------------------------------------------------------------------------------

Said = tuple[str, str, str]


def said_in_transcripts(folder: Path) -> dict[str, list[Said]]:
    """Per session: (entry, actor, text) of each human prompt and each reply of the main thread."""
    files = sorted((folder / "transcripts").glob("*/*.jsonl"))
    return {file.stem: list(_said_in(file)) for file in files}


def _said_in(file: Path) -> Iterator[Said]:
    for line in file.read_text().splitlines():
        entry = json.loads(line)
        text = _prompt_of(entry) if entry["type"] in ("user", "attachment") else _reply_of(entry)
        if text:
            actor = "agent" if entry["type"] == "assistant" else "user"
            yield entry["uuid"], actor, text


def _prompt_of(entry: dict) -> str:  # type: ignore[type-arg]  # a line is any JSON
    attachment = entry.get("attachment") or {}
    if attachment.get("type") == "queued_command":
        human = attachment["origin"]["kind"] == "human"
        return attachment["prompt"] if human else ""
    human = entry.get("promptSource") in ("typed", "sdk", "queued")
    return entry["message"]["content"] if human else ""


def _reply_of(entry: dict) -> str:  # type: ignore[type-arg]  # a line is any JSON
    if entry["type"] != "assistant" or entry["message"]["model"] == "<synthetic>":
        return ""
    return "".join(block.get("text", "") for block in entry["message"]["content"])


def said_on_the_board(heard: list[Heard]) -> dict[str, list[Said]]:
    """Per session: the turns of kind text that the board ends with, in the order they happened."""
    words = dict(enumerate((each.fact.what for each in heard), 1))
    turns = {}
    for _, folded in fold(heard):
        turns.update({told.turn.position: told.turn for told in folded.changes.told})
    said: dict[str, list[Said]] = {}
    for turn in sorted(turns.values(), key=lambda turn: (turn.happened_at, turn.position)):
        if turn.kind is TurnKind.TEXT and turn.thread == MAIN_THREAD:
            what = words[turn.words_at]
            assert isinstance(what, AgentSpoke | PromptSubmitted)
            said.setdefault(turn.session, []).append((turn.entry, turn.actor, what.text))
    return said
