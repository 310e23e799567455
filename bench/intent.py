"""How often the intent is right, and what a judgement costs.

    python bench/intent.py

The floor is one `str.split` over the same text: the least that reading every word can cost. Both
are measured in the same run, so the ratio holds on a slow machine too.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from timeit import repeat
from typing import Final

import msgspec

from turnkeeper.machines.intent import Actor, Intent, detect

FILES: Final = ("intents-dev.jsonl", "intents-own.jsonl")
FOLDER: Final = Path(__file__).parent.parent / "tests" / "pure"
SIZE: Final = 4096
MEGABYTE: Final = 1_000_000
UNITS: Final = ("?", " ", "`", '"', "? ", "i need ")
ROUNDS: Final = 30
CALLS: Final = 20


class Labelled(msgspec.Struct, frozen=True):
    actor: Actor
    state: str
    text: str
    intent: Intent


def labelled(name: str) -> list[Labelled]:
    lines = (FOLDER / name).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


def is_right(message: Labelled) -> bool:
    return detect(message.actor, message.text, message.state).intent is message.intent


def microseconds(work: Callable[[], object], calls: int = CALLS) -> float:
    return min(repeat(work, number=calls, repeat=ROUNDS)) / calls * 1e6


def four_kilobytes() -> str:
    """A text like those that agents write, made of the short messages of the first file."""
    said = [message.text for message in labelled(FILES[0]) if len(message.text) < 600]
    return "\n\n".join(said)[:SIZE]


def print_accuracy() -> None:
    for name in FILES:
        messages = labelled(name)
        right = sum(map(is_right, messages))
        print(f"{name}: {right} of {len(messages)} right, {right / len(messages):.1%}")


def print_cost() -> None:
    text = four_kilobytes()
    floor = microseconds(text.split)
    cost = microseconds(partial(detect, Actor.AGENT, text, "processing"))
    print(f"{len(text)} characters: {cost:.0f} µs, {cost / floor:.0f} times one str.split")


def print_worst_cases() -> None:
    for unit in UNITS:
        text = unit * (MEGABYTE // len(unit))
        cost = min(repeat(partial(detect, Actor.AGENT, text, ""), number=1, repeat=3))
        print(f"1 MB of {unit!r}: {cost * 1e3:.1f} ms")


def main() -> None:
    print_accuracy()
    print_cost()
    print_worst_cases()


if __name__ == "__main__":
    main()
