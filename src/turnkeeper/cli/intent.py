"""`turnkeeper intent`: say what each turn on standard input means."""

import sys
from collections.abc import Iterable, Mapping
from typing import Final

import click

from turnkeeper.facts.words import Actor

LONGEST_SHOWN: Final = 60


class LineUnreadable(Exception):
    """A line that is not a turn. The message says what is wrong with it."""


@click.command()
@click.pass_context
def intent(context: click.Context) -> None:
    """Judge turns: JSON lines {actor, text, state, final?} in, the same lines with intent,
    confidence and because out.

    A line that is not a turn is named on standard error and left out; the others are judged,
    and the exit status is 1.
    """
    if judge_all(sys.stdin.buffer):
        context.exit(1)


def judge_all(lines: Iterable[bytes]) -> int:
    """Write each turn with its verdict, and return how many lines were not turns."""
    unreadable = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            click.echo(judged(line))
        except LineUnreadable as problem:
            unreadable += 1
            click.echo(f"Line {number} is left out: {problem}", err=True)
    return unreadable


def judged(line: bytes) -> bytes:
    """One line with its verdict. Its other keys are kept, in order."""
    import json

    import msgspec

    from turnkeeper.machines.intent import detect

    record = record_of(line)
    verdict = detect(actor_of(record), text_of(record), state_of(record), final=final_of(record))
    answer = json.dumps({**record, **msgspec.structs.asdict(verdict)}, ensure_ascii=False)
    # What UTF-8 cannot hold, a lone surrogate, becomes the escape that JSON has for it.
    return answer.encode("utf-8", "backslashreplace")


def record_of(line: bytes) -> dict[str, object]:
    import json

    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as cause:
        raise LineUnreadable("it is not UTF-8.") from cause
    except (ValueError, RecursionError) as cause:
        raise LineUnreadable(f"it is not JSON ({cause}).") from cause
    if not isinstance(record, dict):
        raise LineUnreadable(f"it is a JSON {type(record).__name__}, not an object.")
    return record


def actor_of(record: Mapping[str, object]) -> Actor:
    said = record.get("actor")
    if not isinstance(said, str) or said not in tuple(Actor):
        raise LineUnreadable(f"actor is {shown(said)}, not user or agent.")
    return Actor(said)


def text_of(record: Mapping[str, object]) -> str | None:
    """A turn may have no text; then the judgement says so."""
    text = record.get("text")
    if text is None or isinstance(text, str):
        return text
    raise LineUnreadable(f"text is {shown(text)}, not a string.")


def state_of(record: Mapping[str, object]) -> str:
    """A turn that names no state belongs to no command yet, and no command is idle."""
    state = record.get("state", "idle")
    if isinstance(state, str):
        return state
    raise LineUnreadable(f"state is {shown(state)}, not a string.")


def final_of(record: Mapping[str, object]) -> bool | None:
    final = record.get("final")
    if final is None or isinstance(final, bool):
        return final
    raise LineUnreadable(f"final is {shown(final)}, not true, false or null.")


def shown(value: object) -> str:
    import json

    return "missing" if value is None else json.dumps(value)[:LONGEST_SHOWN]
